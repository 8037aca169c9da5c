#!/bin/bash
# hosts_conform.sh [COUNT]: does each engine keep the promises of dist.h (tests/conform.h) over three hosts made of namespaces?
# One part of the suite on 2 to 8 ranks, those of messages also where they are copied aside, over gloo and over MPICH and Open MPI: COUNT of these for each engine, drawn by SEED, which is
# printed; without COUNT all. Called by itself it makes the hosts with hosts.sh; on their switch it goes on.
# Exit status: 0, 1, or 77 where there can be no hosts, or no engine.

. tests/tools/whole_number.sh
whole_number COUNT "$1"
whole_number SEED "$SEED" 0
words_of ENGINES "$ENGINES" gloo mpi openmpi mpich
[[ $HOSTS == h0* ]] || exec tests/tools/hosts.sh -n 3 "$0" "$@"

seed=${SEED:-$RANDOM}
work=$PWD/build/results/conform.$$
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
export EXAM_BOARD=$work/board DIST_TEST_SEED=$seed
wrong=0 runs=0

# draw COUNT: of all parts and numbers of ranks, or in a random order so many
draw()
{
    local part ranks
    for part in collectives groups messages order progress "messages DIST_BUFFERING=eager:4096" "order DIST_BUFFERING=eager:4096"; do
        for ranks in 2 3 4 5 6 7 8; do echo "$ranks $part"; done
    done | if [ "$1" ]; then shuf -n "$1" --random-source=<(yes "$seed $engine"); else cat; fi
}

# conform ENGINE RANKS PART [SETTING]
conform()
{
    head -c 256 /dev/zero >"$EXAM_BOARD"
    runs=$((runs + 1))
    env DIST_OUTPUT=ordered WORLD_SIZE="$2" $4 timeout 300 tests/tools/on_hosts.sh "$1" build/tests/transport/conform_mpi "$3" >"$work/said" 2>&1 &&
        grep -q "^$3: $2 ranks" "$work/said" && return
    wrong=$((wrong + 1))
    echo "$1, $3, $2 ranks, $4 SEED=$seed:"
    sed 's/^/    /' "$work/said"
}

for engine in ${ENGINES:-gloo mpi openmpi mpich}; do
    plugin=$engine
    [ $engine = mpi ] && plugin=mpich
    [ -e build/plugins/dist-$plugin.so ] || continue
    while read -r ranks part setting; do
        conform $engine "$ranks" "$part" "$setting" </dev/null
    done < <(draw "$1")
done
[ $runs -gt 0 ] || { echo "no engine between hosts is built here"; exit 77; }
echo "$runs runs, $wrong wrong, SEED=$seed"
[ $wrong = 0 ]
