#!/bin/bash
# nodes_faults.sh TURNS: what goes wrong on three hosts (distrun --nodes 3, five ranks, BACKEND=gloo), TURNS times each. Called by itself it
# makes the hosts with hosts.sh; on their switch it goes on.
#
# Each turn: one rank is killed, one launcher is killed or asked to end, the ranks of three hosts wait for each other, one rank has an
# element too many; in the first turn, since it takes 5 s, a cable is cut in the middle of an all_reduce. Always the same is asked: did
# all launchers end in time and with the right status, was it told once and by the right name, and is nothing left of it on any host?
# All that is wrong is printed. Exit status: 0, 1, or 77 where there can be no hosts.

[ "$HOSTS" ] || exec tests/tools/hosts.sh -n 3 "$0" "${1:-1}"

turns=${1:-1} ranks=5 nodes=3
work=$PWD/build/results/nodes.$$
rounds=build/tests/programs/rounds
DIST_SECRET=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
export DIST_SECRET BACKEND=gloo DIST_REPORT=/dev/null
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
wrong=0 runs=0

# begin PROGRAM...: on all hosts; the launchers' numbers are in pids
begin()
{
    local node
    pids=()
    for node in 0 1 2; do
        on h$node build/bin/distrun -n $ranks --nodes $nodes --node $node --at h0:29500 "$@" >"$work/$node" 2>&1 </dev/null &
        pids+=($!)
    done
}

under_way()
{
    for _ in $(seq 600); do
        grep -q 'under way' "$work/0" && return
        sleep 0.05
    done
}

# of VARIABLE=VALUE: the process of the job that has this in its environment
of()
{
    local file
    for file in /proc/[0-9]*/environ; do
        tr '\0' '\n' 2>/dev/null <"$file" | grep -qx "$1" && tr '\0' '\n' <"$file" | grep -q '^DIST_WORLD_FD=' || continue
        file=${file%/environ}
        echo "${file#/proc/}"
        return
    done
}

# launcher NODE: its process (what this shell has started are those that went to the host)
launcher()
{
    local process
    for process in $(left build/bin/distrun); do
        tr '\0' ' ' <"/proc/$process/cmdline" | grep -q -e "--node $1 " && echo "$process"
    done
}

# They are asked for in this folder's name: other jobs of this machine are none of ours.
left()
{
    local process
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/exe")" = "$PWD/$1" ] && echo "${process#/proc/}"
    done
}

# finish NAME PROGRAM WORDS STATUS...: a status for each node. The words are told at node 0, once; not at all if node 0 is killed.
finish()
{
    local name=$1 program=$2 words=$3 node status problem=
    shift 3
    runs=$((runs + 1))
    for node in 0 1 2; do
        for _ in $(seq 600); do kill -0 "${pids[node]}" 2>/dev/null || break; sleep 0.05; done
        kill -0 "${pids[node]}" 2>/dev/null && problem="$problem node $node has not ended in 30 s;" && kill -KILL "${pids[node]}"
        { wait "${pids[node]}"; } 2>/dev/null
        status=$?
        [ $status = "$1" ] || problem="$problem node $node ended with $status, not $1;"
        shift
    done
    [ "$words" = "" ] || [ "$(grep -c -e "$words" "$work/0")" = 1 ] || problem="$problem not told once: $words;"
    for _ in $(seq 40); do [ "$(left "$program")" ] || break; sleep 0.05; done
    [ "$(left "$program")" ] && problem="$problem left behind:$(left "$program");"
    [ "$problem" ] || return
    wrong=$((wrong + 1))
    echo "$name:$problem"
    sed 's/^/    /' "$work"/[012]
}

for turn in $(seq "$turns"); do
    for rank in 0 1 2 3 4; do
        begin $rounds
        under_way
        kill -KILL "$(of "RANK=$rank")"
        finish "rank $rank killed" $rounds "rank $rank was killed by signal 9" 137 137 137
    done
    for node in 0 1 2; do
        begin $rounds
        under_way
        kill -KILL "$(launcher $node)"
        if [ $node = 0 ]; then
            finish "launcher 0 killed" $rounds "" 137 43 43
        else
            wants=(43 43 43) wants[node]=137
            finish "launcher $node killed" $rounds "host h$node (node $node) has lost its launcher" "${wants[@]}"
        fi
        begin $rounds
        under_way
        kill -TERM "$(launcher $node)"
        finish "launcher $node asked to end" $rounds "interrupted by SIGTERM" 143 143 143
    done
    program=build/chapters/06_deadlocks/ring_of_sends
    begin $program
    finish "a deadlock" $program "5 ranks wait for each other in a cycle" 45 45 45
    program=build/chapters/06_deadlocks/wrong_size
    begin $program
    finish "an element too many" $program "this receive has room for exactly 5 of F32" 42 42 42
    [ "$turn" = 1 ] || continue
    for node in 1 0; do
        begin $rounds 4
        under_way
        cut h$node
        if [ $node = 0 ]; then
            finish "the cable of h0 cut" $rounds "has not answered for 5 s" 43 43 43
        else
            finish "the cable of h1 cut" $rounds "host h1 (node 1) has not answered for 5 s" 43 43 43
        fi
        mend h$node
    done
done
echo "$runs runs, $wrong wrong"
[ $wrong = 0 ]
