# peers.sh: whom we compare with, and how each is started at its best. Read in by bench.sh.
#
# Each peer runs the same cases (bench.h), built with the compiler that its library wants. Who is missing is left out, with one
# line that says so.

warnings="-Wall -Wextra -Werror"
cases=$(for name in run pace messages collectives patterns peers_at_once costs; do echo build/tests/bench/$name.o; done)
peers=

# Open MPI asks root twice whether that is meant.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# find_mpi NAME WORD COMMAND: NAME.COMMAND is what Debian calls it, where both MPIs are installed; elsewhere there may be one,
# under the plain name, and its compiler knows a word that the other does not.
find_mpi()
{
    for name in "mpicc.$1" mpicc; do
        if command -v "$name" >/dev/null 2>&1 && "$name" -show 2>/dev/null | grep -q "$2"; then
            echo "$name" | sed "s/^mpicc/$3/"
            return
        fi
    done
}

# add_mpi NAME WORD CALLED PACKAGES
add_mpi()
{
    mpicc=$(find_mpi "$1" "$2" mpicc)
    if [ -z "$mpicc" ]; then
        echo "LEFT OUT: $3 is not installed: apt-get install $4" >&2
    elif $mpicc -std=c11 -O3 $warnings tests/bench/bench_mpi.c $cases -o "$here/bench_$1"; then
        peers="$peers $1"
    fi
}

add_gloo()
{
    compiler=${CXX:-g++}
    if ! echo '#include <gloo/allreduce.h>' | $compiler -E -x c++ - >/dev/null 2>&1; then
        echo "LEFT OUT: Gloo is not installed: apt-get install g++ libgloo-dev" >&2
    elif $compiler -std=c++17 -O3 $warnings tests/bench/bench_gloo.cc $cases -o "$here/bench_gloo" -lgloo -pthread; then
        peers="$peers gloo"
    fi
}

add_peers()
{
    add_mpi openmpi "open-*mpi" "Open MPI" "openmpi-bin libopenmpi-dev"
    add_mpi mpich mpich MPICH "mpich libmpich-dev"
    add_gloo
    run_openmpi=$(find_mpi openmpi "open-*mpi" mpirun)
    run_mpich=$(find_mpi mpich mpich mpirun)
}

versions()
{
    for peer in $peers; do
        case $peer in
        openmpi) $run_openmpi --version | sed -n '1s/.*) /Open MPI /p' ;;
        mpich) $run_mpich --version | sed -n 's/.*Version: */MPICH /p' ;;
        gloo) awk '/define GLOO_VERSION_M/ { v = v "." $3 } END { print "Gloo " substr(v, 2) }' /usr/include/gloo/config.h ;;
        esac
    done
}

# The first N of the processors that we may use, as taskset wants them.
first_cores()
{
    sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | tr , '\n' |
        awk -F- -v n="$1" '{
            for (c = $1; c <= ($2 == "" ? $1 : $2) && n-- > 0; c++) list = list "," c
        } END { print substr(list, 2) }'
}

# run WHO CASE RANKS CORES BYTES: one measurement. Its status is 77 where there is no such thing, 124 where it took too long.
run()
{
    who=$1 what=$2 ranks=$3 cores=$4 bytes=$5
    on="taskset -c $(first_cores "$cores") timeout --foreground -k 5 ${LONGEST:-60}"
    clock=
    if [ "$what" = start ]; then clock="$here/bench_clock start $ranks $bytes 1"; fi
    case $who-$what in
    ours-checks) WORLD_SIZE=2 $on $here/bench_checks ;;
    ours-tracing) WORLD_SIZE=1 DIST_TRACE=$out/tracing.json $on $here/bench_tracing ;;
    ours-deadlock) WORLD_SIZE=$ranks $on $here/bench_deadlock ;;
    limit-*) $on $here/bench_limits "$what" "$bytes" "$ranks" ;;
    bounce-*) $on $here/bench_limits bounce 0 2 ;;
    ours-*_eager) WORLD_SIZE=$ranks DIST_BUFFERING=eager:4096 $on $here/bench_dist "$what" "$bytes" ;;
    ours-*) WORLD_SIZE=$ranks $on $clock $here/bench_dist "$what" "$bytes" ;;
    gloo-*) WORLD_SIZE=$ranks $on $clock $here/bench_gloo "$what" "$bytes" ;;
    mpich-*) $on $clock $run_mpich -n "$ranks" $here/bench_mpich "$what" "$bytes" ;;
    openmpi-*) $on $clock $run_openmpi --oversubscribe $(openmpi_waits) -n "$ranks" $here/bench_openmpi "$what" "$bytes" ;;
    esac
}

# Where ranks share cores, Open MPI is told to yield while it waits, and not to tie ranks to cores: else an operation takes
# milliseconds.
openmpi_waits()
{
    if [ "$ranks" -gt "$cores" ]; then echo "--mca mpi_yield_when_idle 1 --bind-to none"; fi
}
