#!/bin/bash
# Runs the kernels of this folder on the GPU of this machine, and writes outputs.bin and origin.txt:
#
#     run.sh OUTPUT_FOLDER DATE
#
# What is not built yet is built by the CUDA toolkit of this machine.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
[ -x "$folder/record" ] || nvcc -std=c++17 -O2 "$folder/record.cpp" -o "$folder/record" -ldl
for module in forms kernels; do
    [ -f "$folder/$module.cubin" ] || ptxas -arch=sm_90 "$folder/$module.ptx" -o "$folder/$module.cubin"
done
"$folder/record" "$folder" "$1" "$2"
cat "$1/origin.txt"
