#!/bin/sh
# amd.sh: what `make check-amd` runs: the sources of the CUDA device and the NCCL backend, compiled against HIP's headers through
# lib/devices/amd, and the kernels for AMD's GPUs. Nothing is linked, and nothing has ever been run on such a GPU. Without hipcc
# it says so, and ends with 77.

if [ ! "$HIPCC" ]; then
    echo "LEFT OUT  the compile check for AMD's GPUs: hipcc is missing (Debian: apt-get install hipcc libamdhip64-dev)"
    exit 77
fi

bad=0 count=0
compile()
{
    count=$((count + 1))
    "$@" || { bad=$((bad + 1)); echo "  FAILED  $*"; }
}

for file in lib/devices/cuda/*.c $(if [ "$HAS_NCCL" ]; then ls lib/backends/nccl/*.c; fi); do
    case $file in */absent.c) continue ;; esac
    compile $C_FLAGS -fsyntax-only "$file"
done
compile "$HIPCC" $HIP_FLAGS -fsyntax-only lib/devices/cuda/kernels.cu

echo "compiled for AMD's GPUs: $((count - bad)) of $count files; none of it has run"
[ "$HAS_NCCL" ] || echo "LEFT OUT  the NCCL backend: neither nccl.h nor rccl.h is here"
exit $((bad > 0))
