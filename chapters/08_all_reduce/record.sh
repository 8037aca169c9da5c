#!/bin/sh
# record.sh: measure on this machine with 2, 4 and 8 ranks, and write recorded/measured.csv; plot it where there is gnuplot.
# Run it from the root of the repository, after make, while the machine has nothing else to do:
#
#     sh chapters/08_all_reduce/record.sh

here=chapters/08_all_reduce
table=$here/recorded/measured.csv
program=build/chapters/08_all_reduce/measure
mkdir -p $here/recorded || exit 1

{
    echo "# $(date -u +%Y-%m-%d), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
    echo "ranks,algorithm,bytes,measured_us,predicted_us"
    for ranks in 2 4 8; do
        WORLD_SIZE=$ranks DIST_OUTPUT=ordered $program csv || exit 1
    done
} >$table.new && mv $table.new $table || exit 1
echo "wrote $table"

if command -v gnuplot >/dev/null 2>&1; then
    gnuplot $here/plot.gp && echo "wrote $here/recorded/time.svg"
else
    echo "there is no gnuplot (apt-get install gnuplot-nox): nothing plotted"
fi
