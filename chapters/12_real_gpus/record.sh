#!/bin/sh
# record.sh: measure on this machine and write recorded/BACKEND.csv; plot all that is recorded where there is gnuplot.
# Run it from the root of the repository, after make, while the machine has nothing else to do:
#
#     sh chapters/12_real_gpus/record.sh                          shared memory, 2 and 4 ranks
#     BACKEND=cuda sh chapters/12_real_gpus/record.sh             on a machine with GPUs; RANKS="1 8" chooses the ranks
#     BACKEND=nccl RANKS=8 sh chapters/12_real_gpus/record.sh

here=chapters/12_real_gpus
backend=${BACKEND:-shm}
table=$here/recorded/$backend.csv
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | sort | uniq -c | tr -s ' ' | tr '\n' ',')
mkdir -p $here/recorded || exit 1

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
