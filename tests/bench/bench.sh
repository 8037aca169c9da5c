#!/bin/sh
# bench.sh: our library, the machine's limits (bench_limits.c) and Open MPI where it is installed, one after another,
# ROUNDS times. Machines drift while one measures: so a ratio is taken inside each round, between neighbours in time,
# and the table shows the median over the rounds.

rounds=${ROUNDS:-3}
here=build/tests/bench
results=build/bench.txt
unset WORLD_SIZE RANK DIST_RANKS

# What the checks cost that are always on; bench_checks.c measures two ways in turns.
echo "checks: dist_send and dist_recv, against the same calls without a check (one message, medians)"
for round in $(seq "$rounds"); do
    DIST_OUTPUT=ordered timeout 120 $here/bench_checks || exit 1
done | sort -s -k1,1 -k2,2n -k5,5n | awk -v rounds="$rounds" '
    NR % rounds == int((rounds + 1) / 2) % rounds {
        size = $2 < 1024 ? $2 " B" : $2 / 1048576 " MiB"
        printf "%-12s %9s %11s us %11s us %8sx   %s\n", "ping-pong", size, $3, $4, $5,
               $1 == "bare" ? "goal <= 1.05x" : "against the room alone, given an op that is filled in"
    }'
if [ "$ROWS" = checks ]; then exit 0; fi
echo

# Open MPI goes by these names where MPICH is installed beside it.
mpicc=
for name in mpicc.openmpi mpicc; do
    if command -v $name >/dev/null 2>&1 && $name --showme:version >/dev/null 2>&1; then
        mpicc=$name
        mpirun=$(echo $name | sed 's/mpicc/mpirun/')
        break
    fi
done
if [ $mpicc ]; then
    $mpicc -std=c11 -O3 tests/bench/bench_mpi.c -o $here/bench_mpi || mpicc=
else
    echo "LEFT OUT: Open MPI is not installed (\`make doctor\` tells how)"
fi

# Under mpirun as root it asks to be told that this is meant.
run_mpi()
{
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        timeout 120 $mpirun --oversubscribe -n "$1" $here/bench_mpi
}

: >$results
round=1
while [ $round -le "$rounds" ]; do
    echo "round $round of $rounds" >&2
    {
        timeout 120 $here/bench_limits | sed "s/^/$round limit /"
        for ranks in 2 4; do
            WORLD_SIZE=$ranks DIST_OUTPUT=ordered timeout 120 $here/bench_dist | sed "s/^/$round ours /"
            if [ $mpicc ]; then run_mpi $ranks | sed "s/^/$round mpi /"; fi
        done
    } >>$results
    round=$((round + 1))
done

sort -s -k3,3r -k4,4n -k5,5n $results | awk -f tests/bench/table.awk
echo
echo "Medians of $rounds rounds on $(nproc) processors. A limit is plain C on two cores (tests/bench/bench_limits.c); one core"
echo "makes its copy, so two ranks that share a copy can be faster than the limit."
echo "Every line of every round: $results"
if ! grep -q ' ours ' $results; then
    echo "our own program printed nothing: something is wrong" >&2
    exit 1
fi
