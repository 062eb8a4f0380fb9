#!/usr/bin/env bash
# Builds all programs of this folder, or those that are named, as their head comments say.
#
#   build.sh OUTPUT-FOLDER [nvcc flags ...] [-- program ...]
#   build.sh out -cudart shared -- memory_managed streams_two_writers
#
# NVCC names the compiler (default: nvcc of the PATH). Without flags for optimisation in the arguments, -O3 is used.
# One line for each program that fails, and exit code 1 if there is any; programs that need a newer CUDA are left out.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?the folder to build into}
shift
mkdir -p "$out"
out=$(cd "$out" && pwd)
nvcc=${NVCC:-nvcc}
extra=()
names=()
while [ $# -gt 0 ]; do
    if [ "$1" = -- ]; then
        shift
        names=("$@")
        break
    fi
    extra+=("$1")
    shift
done
case " ${extra[*]-} " in
    *" -G "* | *" -O"*) ;;
    *) extra+=(-O3) ;;
esac
case " ${extra[*]-} " in
    *" -G "*) lines=() ;;
    *) lines=(-lineinfo) ;;
esac
version=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
version=$(printf '%d%02d' ${version:-0 0})

# The value of a line "// KEY: VALUE" among the first lines of a program.
head_value() {
    sed -n "1,12s|^// $2: *||p" "$1"
}

if [ ${#names[@]} -eq 0 ]; then
    for program in "$here"/*.cu; do
        names+=("$(basename "$program" .cu)")
    done
fi
failures=0
for name in "${names[@]}"; do
    name=$(basename "$name" .cu)
    program=$here/$name.cu
    arch=$(head_value "$program" arch)
    needs=$(head_value "$program" needs)
    if [ -n "$needs" ] && [ "$version" -lt "$(printf '%d%02d' ${needs/./ })" ]; then
        echo "left out $name: it needs CUDA $needs"
        continue
    fi
    common=(-std=c++17 -arch="${arch:-sm_90}" -g "${lines[@]}" "${extra[@]}" -I"$here")
    sources=("$program")
    for source in $(head_value "$program" sources); do
        sources+=("$here/$source")
    done
    for plugin in $(head_value "$program" plugin); do
        if ! "$nvcc" "${common[@]}" -shared -Xcompiler -fPIC -o "$out/$(basename "$plugin" .cu).so" "$here/$plugin"; then
            echo "FAILED $name (plug-in $plugin)"
            failures=$((failures + 1))
        fi
    done
    # The flags of a program stand before those of the caller, and are words without quotes.
    if ! "$nvcc" "${common[@]}" $(head_value "$program" flags) -o "$out/$name" "${sources[@]}" -ldl -lpthread; then
        echo "FAILED $name"
        failures=$((failures + 1))
    fi
done
echo "built $((${#names[@]} - failures)) of ${#names[@]} programs"
[ "$failures" -eq 0 ]
