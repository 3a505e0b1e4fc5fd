#!/usr/bin/env bash
# Checks and measures the CUDA executor on this machine's GPU, and prints one table.
#
#   tools/device_check.sh [BUILD]     a build tree with the CUDA executor (build-cuda, made if missing)
#
# Runs its tests, compute-sanitizer over small plans, the benchmarks, and ncu over the kernel that
# runs lanes. A tool that is not there is named in the table, not passed over. Exit code 1 if a check
# failed. Details are in BUILD/device_check/.
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:-build-cuda}
if [[ ! -x $build/hearsay ]]; then
  if [[ $build != build-cuda ]]; then
    echo "device_check: $build has no hearsay" >&2
    exit 1
  fi
  cmake --preset cuda --log-level=WARNING >&2 && cmake --build --preset cuda >&2 || exit 1
fi
build=$(realpath "$build")
logs=$build/device_check
rm -rf "$logs" && mkdir -p "$logs"
hearsay=$build/hearsay
bench=$build/tests/executors_bench
# Both kinds of pool rank lanes; gates, retractions and a lane count that fills no block are in too.
small=(--problems p01,p09,p71 --lanes 70 --rounds 4 --executor cuda --quiet)

rows=()
failed=0
row() { rows+=("$1|$2"); }
check() {  # check NAME LOG COMMAND...
  local name=$1 log=$logs/$2.log
  shift 2
  if "$@" >"$log" 2>&1; then
    row "$name" "ok"
  else
    row "$name" "FAILED, see $log"
    failed=1
  fi
}

row "GPU" "$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1 || true)"
row "CPU cores" "$(nproc)"

"$build/tests/executor_test" --gtest_filter='*Cuda*' >"$logs/tests.log" 2>&1
code=$?
if grep -q 'SKIPPED' "$logs/tests.log"; then
  row "tests" "SKIPPED: $(grep -m1 -o 'NOT tested:.*' "$logs/tests.log")"
  failed=1
elif [[ $code -eq 0 ]]; then
  row "tests" "$(grep -o '\[  PASSED  \].*' "$logs/tests.log" | cut -c14-)"
else
  row "tests" "FAILED, see $logs/tests.log"
  failed=1
fi

if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck initcheck; do
    for topology in relay pool:3,best; do
      check "$tool, $topology" "$tool-${topology%%:*}" \
        compute-sanitizer --tool "$tool" --error-exitcode 9 \
        "$hearsay" run "${small[@]}" --topology "$topology" --policy retract=0.5 \
        --policy standing_gate=0.2 --kb "$logs/$tool-${topology%%:*}.kb"
    done
  done
else
  row "compute-sanitizer" "is not installed"
fi

for executor in cpu cuda; do
  "$hearsay" run --lanes 1000 --rounds 100 --record summary --quiet --format csv \
    --executor "$executor" --kb "$logs/full.kb" >"$logs/run-$executor.csv" 2>"$logs/run-$executor.log"
  row "digest, 74 x 1000 x 100, $executor" "$(tail -1 "$logs/run-$executor.csv" | cut -d, -f5 | tr -d '\r')"
done
check "compare the two runs" compare "$hearsay" compare 1 2 --kb "$logs/full.kb"

"$bench" --benchmark_format=json >"$logs/bench.json" 2>"$logs/bench.log"
while IFS='|' read -r name value; do
  row "$name" "$value"
done < <(python3 - "$logs/bench.json" <<'PYTHON'
import json, sys
for run in json.load(open(sys.argv[1]))["benchmarks"]:
    name = run["name"].replace("/real_time", "").replace("/iterations:7", "")
    for counter, value in run.items():
        if counter.endswith("attempts/s") or counter == "ratio":
            print(f"{counter}, {name}|{value:.4g}")
PYTHON
)

if command -v ncu >/dev/null; then
  # The third launch of the kernel is round 2, in which notes are read.
  if ncu --set full --clock-control none -k regex:RunLanes --launch-skip 2 -c 1 "$bench" \
    --benchmark_filter='cuda/lanes:16000/' >"$logs/ncu.txt" 2>&1; then
    for metric in "Duration" "Registers Per Thread" "Achieved Occupancy" "Issue Slots Busy" \
      "Avg. Active Threads Per Warp" "L1/TEX Hit Rate" "L2 Hit Rate" "DRAM Throughput"; do
      row "ncu, $metric" "$(grep -m1 -F " $metric " "$logs/ncu.txt" | awk '{print $NF, $(NF-1)}')"
    done
  else
    row "ncu" "could not read the GPU's counters, see $logs/ncu.txt"
  fi
else
  row "ncu" "is not installed"
fi

for entry in "${rows[@]}"; do printf '%-46s %s\n' "${entry%%|*}" "${entry#*|}"; done
exit $failed
