#!/bin/sh
# record.sh: train with 1, 2, 4 and 7 ranks, and measure a step in buckets of many sizes; write recorded/accuracy.csv and
# recorded/buckets.csv, and plot both where there is gnuplot. Run it from the root of the repository, after make, while the
# machine has nothing else to do:
#
#     sh chapters/10_data_parallel/record.sh

here=chapters/10_data_parallel
programs=build/chapters/10_data_parallel
mkdir -p $here/recorded || exit 1
export DIST_OUTPUT=ordered

# record FILE HEADER RANKS PROGRAM: a table from one program, run with each of these numbers of ranks.
record()
{
    table=$here/recorded/$1
    {
        echo "# $(date -u +%Y-%m-%d), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
        echo "$2"
        for ranks in $3; do
            WORLD_SIZE=$ranks $programs/"$4" csv || exit 1
        done
    } >"$table.new" && mv "$table.new" "$table" || exit 1
    echo "wrote $table"
}

record accuracy.csv "ranks,epoch,loss,accuracy" "1 2 4 7" naive
record buckets.csv "ranks,bytes,buckets,measured_ms,predicted_ms" "2" bucket_size

if command -v gnuplot >/dev/null 2>&1; then
    gnuplot $here/plot.gp && echo "wrote $here/recorded/accuracy.svg and buckets.svg"
else
    echo "there is no gnuplot (apt-get install gnuplot-nox): nothing plotted"
fi
