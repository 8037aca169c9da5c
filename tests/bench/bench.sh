#!/bin/sh
# bench.sh: the machine's limits, our library, Open MPI, MPICH and Gloo, side by side, for each row of tests/bench/goals.
#
# Machines drift while one measures. So every row is measured in ROUNDS rounds, spread over the whole run; inside a round each peer
# comes right after the limit and ours, and a ratio is taken only between such neighbours in time. The table shows medians.
#
#     make bench                  all rows
#     make bench ROWS=ping-pong   the rows of this case, or of a section: messages, collectives, patterns, costs, scale, curves
#     make bench ROUNDS=9         more rounds (the default is 5)
#     make bench ROWS=hosts       over several hosts made of namespaces, beside the same engine called directly (hosts.sh)

. tests/tools/whole_number.sh
whole_number ROUNDS "$ROUNDS"
rounds=${ROUNDS:-5}
here=build/tests/bench
out=build/bench
results=$out/measured.csv
unset RANK BACKEND DEVICE DIST_RANKS DIST_TRACE DIST_CHECK DIST_BUFFERING DIST_ALGORITHM
export DIST_OUTPUT=ordered
mkdir -p $out || exit 1
. tests/bench/peers.sh

if ! command -v taskset >/dev/null 2>&1; then
    echo "bench.sh needs taskset, to choose the cores; it is in the package util-linux" >&2
    exit 1
fi
if [ "$ROWS" = hosts ]; then
    add_peers
    export peers
    exec tests/bench/hosts.sh
fi
awk -v wanted="$ROWS" -v cores="$(nproc)" -f tests/bench/rows.awk tests/bench/goals >$out/rows || exit 1
if ! [ -s $out/rows ]; then
    echo "No row of tests/bench/goals is called \"$ROWS\"." >&2
    exit 2
fi
add_peers
awk '$1 > 0.7 { print "The machine is busy (load " $1 "): what is measured now will not be measured again." }' /proc/loadavg >&2

# measure WHO: the row's case, with this one. Results go to the CSV; who fails is left out from then on.
measure()
{
    name="$1 $row_case $row_ranks $row_cores $row_bytes"
    if grep -qxF "$name" $out/failed; then return; fi
    run "$1" "$row_case" "$row_ranks" "$row_cores" "$row_bytes" >$out/said 2>$out/complained </dev/null
    status=$?
    number=$((number + 1))
    if [ $status = 0 ]; then
        awk -v before="$round,$number,$1,$row_cores" '!/^#/ && NF == 5 {
            print before "," $1 "," $2 "," $3 "," $4 "," $5 }' $out/said >>$results
        return
    fi
    echo "$name" >>$out/failed
    if [ $status != 77 ]; then
        printf '\nLEFT OUT: %s ended with status %s\n' "$name" $status
        head -n 4 $out/complained
    fi >&2
}

# One row in one round. A peer column of x: only the limit and ours. The smallest messages differ by a half from process to process
# (where its pages lie, how near the cores are just then), and take no time: three times. What the checks cost is the difference of
# two such messages.
measure_row()
{
    if [ "$row_limit" != x ] && [ "$row_cores" -gt 1 ]; then measure bounce; fi
    if [ "$row_peer" = x ]; then others=nobody; else others=${peers:-nobody}; fi
    turns=1
    if [ "$row_bytes" -le 8 ]; then
        case "$row_case/$row_limit" in checks/* | */[0-9]*) turns="1 2 3" ;; esac
    fi
    for other in $others; do
        for turn in $turns; do
            if [ "$row_limit" != x ]; then measure limit; fi
            measure ours
        done
        if [ "$other" != nobody ]; then measure "$other"; fi
    done
}

trap 'rm -rf $out/gloo.*; exit 130' INT TERM
: >$out/failed
echo "round,number,who,cores,case,ranks,bytes,value,unit" >$results
number=0
round=1
while [ $round -le "$rounds" ]; do
    while read -r section row_case row_ranks row_cores row_bytes row_limit row_peer row_most; do
        if [ "$section" = curves ] && [ $round -gt 1 ]; then continue; fi
        if [ -t 2 ]; then
            printf '\rround %s of %s: %s, %s ranks, %s bytes          ' $round "$rounds" "$row_case" "$row_ranks" "$row_bytes" >&2
        fi
        measure_row
    done <$out/rows
    round=$((round + 1))
done
if [ -t 2 ]; then printf '\r%70s\r' '' >&2; fi
rm -rf $out/gloo.* $out/tracing.json $out/said $out/complained

if [ -f $out/verdicts ]; then mv $out/verdicts $out/verdicts.before; else : >$out/verdicts.before; fi
awk -v out=$out -f tests/bench/report.awk $out/rows FS=, $results
echo
versions | paste -s -d ';' | sed 's/;/; /g; s/^/Beside /'
echo "Medians of $rounds rounds on $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors."
echo "A limit is plain C on two cores (tests/bench/bench_limits.c). Every measurement: $results"
awk -f tests/bench/agree.awk $out/verdicts.before $out/verdicts
awk -f tests/bench/growth.awk $out/medians.csv
tests/bench/plots.sh $out
if grep -q '^ours ' $out/failed; then
    echo "our own program failed: see above" >&2
    exit 1
fi
