#!/bin/sh
PATH=/usr/bin:/bin
if [ "$1" = -c ]; then exit 0; fi
[ "$FAKE_PIP" = absent ] && { echo "No module named pip" >&2; exit 1; }
for argument in "$@"; do
    [ "$argument" = --version ] && { echo "pip 99"; exit 0; }
done
echo run >> "@MACHINE@/pip.runs"
{ pwd; echo "$@"; env; } > "@MACHINE@/pip.saw"
while [ $# -gt 0 ]; do
    case "$1" in
    --target) target=$2; shift;;
    -r) cat "$2" >> "@MACHINE@/pip.saw"; shift;;
    esac
    shift
done
root=$target/nvidia/cu13
mkdir -p "$root/bin"
printf '#!/bin/sh\n' > "$root/bin/nvcc"
chmod +x "$root/bin/nvcc"
case "$FAKE_PIP" in
fail) echo "ERROR: first line"; echo "ERROR: the index cannot be reached" >&2; exit 1;;
hang) echo $$ > "@MACHINE@/pip.hangs.new"; mv "@MACHINE@/pip.hangs.new" "@MACHINE@/pip.hangs"; exec sleep 60;;
slow) sleep 0.5;;
esac
if [ "$FAKE_PIP" = developer ]; then
    rm "$root/bin/nvcc"
    for file in cu13/bin/cuobjdump cuda_nvcc/bin/ptxas cuda_nvcc/include/crt/mma.h \
        cuda_runtime/include/cuda_fp16.h cuda_cccl/include/cuda/barrier \
        cuda_nvrtc/lib/libnvrtc.so.12 cuda_nvrtc/lib/libnvrtc-builtins.so.12.9; do
        mkdir -p "$(dirname "$target/nvidia/$file")"
        echo content > "$target/nvidia/$file"
    done
    exit 0
fi
for file in bin/ptxas bin/fatbinary nvvm/bin/cicc nvvm/libdevice/libdevice.10.bc include/cuda_runtime.h \
    include/crt/host_config.h lib/libcudart.so.13 lib/libnvrtc.so.13; do
    [ "$FAKE_PIP" = incomplete ] && [ "$file" = nvvm/bin/cicc ] && continue
    mkdir -p "$(dirname "$root/$file")"
    echo content > "$root/$file"
done
