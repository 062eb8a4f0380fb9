#!/usr/bin/env bash
# Runs what build.sh built, on a machine with a GPU, and writes down the standard output and the exit code of each
# program beside it: NAME.stdout and NAME.exit.
#
#   record.sh OUTPUT-FOLDER [program ...]
#
# A program that runs for longer than 20 seconds is killed and has the exit code 124. The exit code of a program that
# a signal ended is 128 plus the signal's number. Ends with exit code 1 if a code is not the one its program names.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "${1:?the folder that build.sh built into}" && pwd)
shift
if [ $# -eq 0 ]; then
    set -- "$here"/*.cu
fi
wrong=0
recorded=0
for program in "$@"; do
    name=$(basename "$program" .cu)
    if [ ! -x "$out/$name" ]; then
        echo "not built: $name"
        continue
    fi
    (cd "$out" && timeout --kill-after=5 20 "./$name" >"$name.stdout" 2>"$name.stderr" </dev/null)
    code=$?
    echo "$code" >"$out/$name.exit"
    expected=$(sed -n '1,12s|^// exit: *||p' "$here/$name.cu")
    if [ "$code" -ne "${expected:-0}" ]; then
        echo "WRONG $name: exit code $code, not ${expected:-0}"
        head -n 5 "$out/$name.stderr"
        wrong=$((wrong + 1))
    fi
    recorded=$((recorded + 1))
done
echo "recorded $recorded programs, $wrong with another exit code than they name"
[ "$wrong" -eq 0 ]
