#!/usr/bin/env bash
# Builds hearsay, runs the default plan, and shows what became of the false closure that lived
# longest. The kb and the drawing are left in the directory it is called from; a second call finds
# the finished run there and goes straight to the answers.
set -euo pipefail

source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
kb="$PWD/hearsay.kb"
drawing="$PWD/longest_closure.svg"
hearsay="$source_dir/build/hearsay"

say() { printf '\n== %s\n' "$*"; }

say "Packages"
"$source_dir/tools/install_packages.sh"
echo "all installed"

say "Build ($source_dir/build)"
cd "$source_dir"
cmake --preset release --log-level=WARNING
cmake --build --preset release --target hearsay
cd - >/dev/null

say "Run the default plan into $kb"
runs=""
if [[ -e "$kb" ]]; then
  runs="$("$hearsay" runs --kb "$kb" --format csv)"
fi
if grep -q '^R[0-9]*,complete,' <<<"$runs"; then
  echo "it has a complete run already"
elif grep -q '^R[0-9]*,' <<<"$runs"; then
  "$hearsay" run --resume --kb "$kb"
else
  "$hearsay" run --kb "$kb"
fi

say "The false closure that lived longest: where it came from"
"$hearsay" ancestry --kb "$kb"

say "How it spread"
"$hearsay" graph --kb "$kb" -o "$drawing"
echo "drawn in $drawing"

say "Do notes help their readers?"
"$hearsay" study transfer --kb "$kb" --table 1

say "How long do unsupported closures live?"
"$hearsay" study persistence --kb "$kb" --table 1
