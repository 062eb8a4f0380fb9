#!/usr/bin/env bash
# Builds every program of this folder, and sees that its checksum is the same with 1, 2 and 5 threads.
#
#   ./check.sh               plain, with the time of two threads
#   ./check.sh --tsan        with -fsanitize=thread, small sizes: no report is allowed
#
# CC and CXX name other compilers than gcc and g++.

set -u
cd "$(dirname "$0")" || exit 2
tsan=no
[ "${1:-}" = --tsan ] && tsan=yes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

small_size() {
    case $1 in
        cg) echo 20 ;; crypt) echo 500 ;; ep) echo 500 ;; ft) echo 8 ;; is) echo 500 ;; lufact) echo 200 ;;
        mg) echo 4 ;; moldyn) echo 300 ;; montecarlo) echo 2000 ;; raytracer) echo 100 ;; series) echo 200 ;;
        sor) echo 200 ;; sparsematmult) echo 10 ;; database) echo 30 ;; index) echo 200 ;; sunflow) echo 80 ;;
        transform) echo 40 ;; btree) echo 20 ;; *) echo 10 ;;
    esac
}

for source in *.c *.cpp; do
    name=${source%.*}
    case $source in *.c) compile=${CC:-gcc} ;; *) compile="${CXX:-g++} -std=c++17" ;; esac
    flags='-O2' sizes=''
    [ $tsan = yes ] && flags='-O2 -g -fsanitize=thread' && sizes="--size $(small_size "$name")"
    if ! $compile $flags -w -pthread "$source" -o "$work/$name" -lm; then
        echo "$name: does not build"
        failed=1
        continue
    fi
    first=''
    for threads in 2 1 5; do
        begin=$(date +%s.%N)
        line=$(setarch -R "$work/$name" --threads $threads $sizes 2>"$work/errors")
        code=$?
        seconds=$(echo "$(date +%s.%N) $begin" | awk '{ printf "%.2f", $1 - $2 }')
        if [ $code != 0 ] || [ -s "$work/errors" ]; then
            echo "$name, $threads threads: exit code $code"
            head -n 8 "$work/errors"
            failed=1
        elif [ -z "$first" ]; then
            first=$line
            echo "$line  $seconds s"
        elif [ "$line" != "$first" ]; then
            echo "$name, $threads threads: $line"
            failed=1
        fi
    done
done
exit $failed
