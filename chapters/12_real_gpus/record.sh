#!/bin/sh
# record.sh: measure on this machine and write recorded/BACKEND.csv; plot all that is recorded where there is gnuplot.
# Run it from the root of the repository, after make, while the machine has nothing else to do:
#
#     sh chapters/12_real_gpus/record.sh                          shared memory, 2 and 4 ranks
#     BACKEND=cuda sh chapters/12_real_gpus/record.sh             on a machine with GPUs; RANKS="1 8" chooses the ranks
#     BACKEND=nccl RANKS=8 sh chapters/12_real_gpus/record.sh
#     sh chapters/12_real_gpus/record.sh log                      what NCCL says, of two ranks that share a GPU

here=chapters/12_real_gpus

# Of rank 0's log the lines that the lesson reads, each once, without process and thread. Of the table only trees and rings.
read_log()
{
    sed -n 's/^[^ ]* \[0\] NCCL INFO //p' | awk '
        /^ *Algorithm/ { table = /Tree .*Ring / }
        /^ *(Algorithm|Protocol|AllReduce) .*\|/ { if (table) print substr($0, 1, 117); next }
        /^(NCCL version|NET\/(IB|Socket) : |Using network|=== |\+|  *\+|Channel|Trees|AllReduce: )/ && !seen[$0]++ { print substr($0, 1, 100) }'
}

record_log()
{
    rm -f build/nccl_log.*
    WORLD_SIZE=2 BACKEND=nccl DIST_NCCL_SHARE_GPU=1 DIST_OUTPUT=ordered NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH,TUNING,NET \
        NCCL_DEBUG_FILE=build/nccl_log.%p build/chapters/12_real_gpus/bandwidth >$here/recorded/nccl_shared.txt || exit 1
    read_log <"$(grep -l ' rank 0 nranks ' build/nccl_log.* | head -n 1)" >$here/recorded/nccl_log.txt || exit 1
    rm -f build/nccl_log.*
    echo "wrote $here/recorded/nccl_log.txt and nccl_shared.txt"
}

mkdir -p $here/recorded || exit 1
if [ "$1" = log ]; then
    record_log
    exit 0
fi
backend=${BACKEND:-shm}
table=$here/recorded/$backend.csv
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | sort | uniq -c | tr -s ' ' | tr '\n' ',')

{
    echo "# $(date -u +%Y-%m-%d), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores${gpu:+, GPUs:$gpu}"
    echo "backend,device,ranks,bytes,us,bus_GBps"
    for ranks in ${RANKS:-2 4}; do
        WORLD_SIZE=$ranks DIST_OUTPUT=ordered build/chapters/12_real_gpus/bandwidth csv || exit 1
    done
} >"$table.new" && mv "$table.new" "$table" || exit 1
echo "wrote $table"

if command -v gnuplot >/dev/null 2>&1; then
    gnuplot $here/plot.gp && echo "wrote $here/recorded/bandwidth.svg"
else
    echo "there is no gnuplot (apt-get install gnuplot-nox): nothing plotted"
fi
