#!/bin/sh
PATH=/usr/bin:/bin
case "$1" in
--version) echo "Cuda compilation tools, release 99.1, V@VERSION@"; exit 0;;
--dryrun) echo "#$ _HERE_=@TOP@/bin" >&2; echo "#$ TOP=@TOP@" >&2; exit 1;;
esac
echo "$@" >> "@MACHINE@/nvcc.runs"
while [ $# -gt 0 ]; do
    case "$1" in
    -o) output=$2; shift;;
    -MF) list=$2; shift;;
    *.cu) source=$1;;
    esac
    shift
done
if grep -q broken "$source"; then echo "$source(1): error: broken" >&2; exit 2; fi
headers=$(ls "$(dirname "$source")"/*.h 2>/dev/null)
cat "$source" $headers > "$output"
printf '%s : %s' "$output" "$source" > "$list"
for header in $headers; do printf ' \\\n    %s' "$header" >> "$list"; done
echo "$source(1): warning: compiled" >&2
