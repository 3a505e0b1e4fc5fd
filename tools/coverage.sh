#!/usr/bin/env bash
# Builds for line coverage, runs all tests, prints the table of our own lines (without generated
# code), and fails where fewer than 85% of them were run.
set -euo pipefail

least_percent=85

cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/install_packages.sh gcovr
cmake --preset coverage --log-level=WARNING
cmake --build --preset coverage
find build-coverage -name '*.gcda' -delete
ctest --preset coverage --parallel 2
# Threads that count at once can leave the count of a branch below zero, which gcovr would not read.
gcovr --gcov-ignore-parse-errors --root . --object-directory build-coverage \
  --filter tasks/ --filter kb/ --filter executor/ --filter rounds/ --filter lineage/ \
  --exclude 'build-coverage/.*' --exclude '.*\.pb\.(cc|h)' \
  --exclude-throw-branches --fail-under-line "$least_percent" --print-summary build-coverage
