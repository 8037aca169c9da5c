#!/bin/sh
# stand_in.sh: what this lesson shows of NCCL without a GPU, made with the stand-in for NCCL that our tests have: it writes
# down what it is asked for, and meets sends with receives as NCCL does. Writes recorded/stand_in_*.txt.
# Run it from the root of the repository, where nccl.h is installed, after make build/tests/test_nccl_jobs:
#
#     sh chapters/12_real_gpus/stand_in.sh

here=chapters/12_real_gpus
double=$(ls build/tests/doubles/nccl/*.o) || exit 1
include=${NCCL_HOME:-${CUDA_HOME:-/usr/local/cuda}}/include
unset DIST_CHECK DIST_TIMEOUT DIST_CONNECT
export DIST_NCCL_PLAIN=1 # NCCL by itself, as between machines

build()
{
    cc -std=c11 -O1 -Ilib -isystem "$include" "$1" tests/doubles/play_nccl.c $double build/libinside.a -pthread -lm -ldl \
        -o build/stand_in || exit 1
}

# calls NAME PROGRAM: what rank 1 of 4 asks NCCL for, from the program's own first call on.
calls()
{
    build "$2"
    DIST_CONNECT=lazy DOUBLE_LOG=build/stand_in.log WORLD_SIZE=4 build/stand_in >/dev/null || exit 1
    sed -e '1,/^}/d' build/stand_in.log >$here/recorded/stand_in_"$1".txt
}

# says NAME PROGRAM VARIABLE=VALUE...: what a program that ends with an error says.
says()
{
    name=$1
    build "$2"
    shift 2
    env WORLD_SIZE=4 "$@" build/stand_in 2>&1 >/dev/null | sed 's/^\[[0-9]*\] //; /^report:/d' >$here/recorded/stand_in_"$name".txt
}

mkdir -p $here/recorded
calls exchange chapters/03_ring/exchange.c
calls reductions chapters/05_collectives/reduce_scatter.c
says hang $here/mismatch.c DIST_TIMEOUT=3
says checked $here/mismatch.c DIST_CHECK=1
says order $here/order.c DIST_CHECK=1
rm -f build/stand_in build/stand_in.log
head -n 40 $here/recorded/stand_in_*.txt
