#!/usr/bin/env bash
# Builds everything and runs all tests. Ends with ctest's summary, and with its exit code.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/install_packages.sh clang-format
cmake --preset release --log-level=WARNING
cmake --build --preset release
ctest --preset release --parallel 2
