#!/usr/bin/env bash
# Builds, tests and measures on a machine with a GPU, Python and nvcc, and without Rust:
#
#   run.sh build|results|agree|hb|racecheck|bench|memory|startup|often|all [flags; see --help]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
script=$here/run.py
[ -e "$script" ] || script=$here/suites/gpu/kit/run.py
PYTHONUNBUFFERED=1 exec python3 "$script" "$@"
