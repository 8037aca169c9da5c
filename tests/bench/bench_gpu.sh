#!/bin/sh
# bench_gpu.sh: what `make bench-gpu` runs: bench_gpu.c and bench_nccl.c, as tables, kept in tests/bench/results. Without a GPU
# it says what is missing and ends with 77.

results=tests/bench/results
leave_out()
{
    echo "LEFT OUT  $1"
    exit 77
}

if [ ! "$BUILT" ]; then leave_out "the library is built without CUDA here: a GPU or nvcc is missing (see \`make doctor\`)"; fi
gpu=$(build/tests/gpu/kernels_test name) || leave_out "$gpu"
unset WORLD_SIZE RANK DIST_RANKS DIST_CHECK DIST_NCCL_PLAIN

# The same collectives by NCCL, which shares a GPU only if it takes each rank for a machine of its own.
shared()
{
    if ! BACKEND=nccl DIST_NCCL_SHARE_GPU=1 DEVICE=cuda DIST_OUTPUT=ordered timeout 150 build/tests/bench/bench_gpu collectives \
        >build/bench_gpu_nccl.txt 2>build/bench_gpu_nccl.err; then
        echo "LEFT OUT  NCCL, sharing the GPU: $(tr '\n' ' ' <build/bench_gpu_nccl.err)"
        return
    fi
    awk -F '|' '
        BEGIN { printf "%-20s %9s %12s %15s %9s\n", "call", "bytes", "time", "shared by NCCL", "as fast" }
        NF == 5 && FNR == NR { ours[$1, $2] = $3 }
        NF == 5 && FNR < NR && (($1, $2) in ours) {
            size = $2 < 1024 ? $2 " B" : $2 / 1048576 " MiB"
            times = $3 / ours[$1, $2]
            printf "%-20s %9s %9.2f us %12.2f us %8.1fx%s\n", $1, size, ours[$1, $2], $3, times, times < 10 ? "  MISSED" : ""
        }' build/bench_gpu.txt build/bench_gpu_nccl.txt
}

# A single rank: what our call costs more than the call of NCCL that it is made of.
direct()
{
    if [ ! "$HAS_NCCL" ]; then
        echo "LEFT OUT  NCCL called directly: the library is built without NCCL here, whose nccl.h is missing"
        return
    fi
    if ! BACKEND=nccl DEVICE=cuda DIST_OUTPUT=ordered timeout 150 build/tests/bench/bench_nccl \
        >build/bench_nccl.txt 2>build/bench_nccl.err; then
        echo "LEFT OUT  NCCL called directly: $(tr '\n' ' ' <build/bench_nccl.err)"
        return
    fi
    awk -F '|' '
        BEGIN { printf "%-20s %9s %12s %15s %9s\n", "all_gather, one rank", "bytes", "time", "NCCL directly", "ratio" }
        NF == 5 {
            size = $2 < 1024 ? $2 " B" : $2 / 1048576 " MiB"
            printf "%-20s %9s %9.2f us %12.2f us %9.3f%s\n", $1, size, $3, $4, $5, ($5 > 1.02 ? "  MISSED" : "")
        }' build/bench_nccl.txt
}

mkdir -p $results
file=$results/$(date +%Y-%m-%d)-$(echo "$gpu" | sed 's/,.*//; s/[^A-Za-z0-9]\{1,\}/-/g').txt
DEVICE=cuda DIST_OUTPUT=ordered timeout 300 build/tests/bench/bench_gpu >build/bench_gpu.txt || exit 1
{
    echo "$gpu; $(date +%Y-%m-%d); four ranks share it; medians, by the GPU's own clock"
    echo
    awk -F '|' '
        BEGIN { printf "%-20s %9s %12s %12s %9s   %s\n", "call", "bytes", "time", "limit", "of limit", "the limit is" }
        NF == 5 {
            size = $2 < 1024 ? $2 " B" : $2 / 1048576 " MiB"
            printf "%-20s %9s %9.2f us %9.2f us %8.0f%%   %s\n", $1, size, $3, $4, 100 * $4 / $3, $5
        }' build/bench_gpu.txt
    echo
    shared
    echo
    direct
    echo
    echo "Goals: send/recv 256 MiB >= 90 %, all_reduce 256 MiB >= 80 %, send/recv 8 B one way <= 15 us,"
    echo "any collective >= 10 times as fast as NCCL that shares the GPU, one rank <= 1.02 times as long as NCCL directly."
} | tee "$file"
echo "kept in $file"
