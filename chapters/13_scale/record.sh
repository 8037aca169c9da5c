#!/bin/sh
# record.sh: simulate 16 to 16,384 GPUs and search the best cut for 16 to 16,384, write recorded/*.csv, and plot them where there is
# gnuplot. Run it from the root of the repository, after make; it takes some minutes:
#
#     sh chapters/13_scale/record.sh
#
# With the word measured: measure the cluster of namespaces (tests/tools/hosts.sh), over Open MPI and over MPICH, and write
# recorded/measured.txt and measured_mpich.txt. That takes six minutes, in which the machine should have nothing else to do. With the word
# predict: what build/bin/predict says of the lesson's example.

here=chapters/13_scale
programs=build/chapters/13_scale
mkdir -p $here/recorded || exit 1

# record NAME COLUMNS: by what the program of that name prints
record()
{
    { echo "$2" && WORLD_SIZE=1 DIST_OUTPUT=ordered $programs/"$1" csv; } >$here/recorded/"$1".csv.new &&
        mv $here/recorded/"$1".csv.new $here/recorded/"$1".csv || exit 1
    echo "wrote $here/recorded/$1.csv"
}

# measure ENGINE FILE
measure()
{
    BACKEND=$1 HOSTS=8 N=16 RATE=20mbit DELAY=10ms tests/tools/cluster.sh $programs/measured | sed '1,/^====/d' >$here/recorded/"$2".new
    grep -q '^one ring' $here/recorded/"$2".new || { echo "nothing recorded: the cluster did not run to its end" >&2; rm -f $here/recorded/"$2".new; exit 1; }
    mv $here/recorded/"$2".new $here/recorded/"$2" || exit 1
    echo "wrote $here/recorded/$2"
}

if [ "$1" = measured ]; then
    measure openmpi measured.txt
    measure mpich measured_mpich.txt
    exit
fi

build/bin/predict $here/rows/megatron_146B.run >$here/recorded/predict.txt || exit 1
[ "$1" = predict ] && exit

record simulate gpus,bytes,algorithm,busbw_gbps
record search gpus,mfu,bubble,exposed,tp,pp,dp

if command -v gnuplot >/dev/null 2>&1; then
    gnuplot $here/plot.gp && echo "wrote $here/recorded/simulate.svg and search.svg"
else
    echo "there is no gnuplot (apt-get install gnuplot-nox): nothing plotted"
fi
