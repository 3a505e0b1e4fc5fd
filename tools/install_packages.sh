#!/usr/bin/env bash
# Installs the Debian packages that hearsay is built and tested with: only those that are missing.
# Without root it says what to run. Sourced or run by demo.sh, check.sh and coverage.sh.
set -euo pipefail

packages=(
  cmake ninja-build g++ pkg-config ca-certificates
  libprotobuf-dev protobuf-compiler libabsl-dev librocksdb-dev libzstd-dev
  libgraphviz-dev graphviz libcli11-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  python3-networkx python3-prov python3-jsonschema  # other people's readers of exports, in tests
)
# Names of more packages may follow on the command line.
packages+=("$@")

missing=()
for package in "${packages[@]}"; do
  if [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]]; then
    missing+=("$package")
  fi
done
if [[ ${#missing[@]} -eq 0 ]]; then
  exit 0
fi
if [[ $EUID -ne 0 ]]; then
  echo "hearsay needs packages that are not installed; run:" >&2
  echo "  sudo apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
fi
echo "Installing ${missing[*]} ..." >&2
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq >&2
apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
