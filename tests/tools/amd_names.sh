#!/bin/sh
# amd_names.sh: has each name of CUDA's that the GPU's sources use its HIP name in lib/devices/amd? `make check-amd` compiles them and
# knows more, but needs hipcc, and this does not. (NCCL's names are RCCL's, too.)

status=0
names=$(cat lib/devices/cuda/* lib/backends/cuda/*.[ch] lib/backends/nccl/*.[ch] |
    grep -oE '\bcuda[A-Z][A-Za-z0-9]*(_t)?\b' | sort -u)
for name in $names; do
    if ! grep -qrw "$name" lib/devices/amd; then
        echo "$name has no HIP name in lib/devices/amd: $(grep -rlw "$name" lib/devices/cuda lib/backends | tr '\n' ' ')"
        status=1
    fi
done
exit $status
