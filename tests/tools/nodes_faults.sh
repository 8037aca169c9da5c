#!/bin/bash
# nodes_faults.sh RUNS [ENGINE]: what goes wrong on three hosts (distrun --nodes 3, five ranks, BACKEND=gloo), so many runs, one kind after the other.
# ENGINE openmpi or mpich: five ranks of BACKEND=mpi, started by its mpirun, whose status counts, and of which what is left is its own matter.
# Called by itself it makes the hosts with hosts.sh; on their switch it goes on.
#
# ONLY="cable_is_cut 1": that kind alone.
#
# One rank is killed, one launcher is killed or asked to end, the ranks of three hosts wait for each other, one rank has an element too
# many, a cable is cut in the middle of an all_reduce; and a launcher is stopped for longer than a host may be silent, which is no fault. Always
# the same is asked: did all launchers end in time and with the right status, was it told once and by the right name, and is nothing left
# of it on any host? All that is wrong is printed. Exit status: 0, 1, or 77 where there can be no hosts.

. tests/tools/whole_number.sh
whole_number RUNS "$1"
[[ $HOSTS == h0* ]] || exec tests/tools/hosts.sh -n 3 "$0" "${1:-17}" $2
. tests/tools/left.sh

wanted=${1:-17} engine=$2 ranks=5 nodes=3
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
    : >"$work/0" # (now: what the last ones said must not be taken for theirs)
    if [ "$engine" ]; then
        WORLD_SIZE=$ranks tests/tools/on_hosts.sh "$engine" "$@" >"$work/0" 2>&1 </dev/null &
        pids=($!)
        return
    fi
    for node in 0 1 2; do
        on h$node build/bin/distrun -n $ranks --nodes $nodes --node $node --at h0:29500 "$@" >"$work/$node" 2>&1 </dev/null &
        pids+=($!)
    done
}

under_way()
{
    for _ in $(seq 2400); do
        grep -q 'under way' "$work/0" && return
        sleep 0.05
    done
}

# process RANK: its number, whoever has started it
process()
{
    local process
    for process in $(left $rounds); do
        tr '\0' '\n' <"/proc/$process/environ" | grep -qxE "(RANK|OMPI_COMM_WORLD_RANK|PMI_RANK)=$1" && echo "$process"
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

# finish NAME PROGRAM WORDS STATUS...: a status for each node, as a pattern. The words are told at node 0, once; not at all if node 0 is killed.
finish()
{
    local name=$1 program=$2 words=$3 node status problem=
    shift 3
    runs=$((runs + 1))
    for node in "${!pids[@]}"; do
        for _ in $(seq 2400); do kill -0 "${pids[node]}" 2>/dev/null || break; sleep 0.05; done
        kill -0 "${pids[node]}" 2>/dev/null && problem="$problem node $node has not ended in 120 s;" && kill -KILL "${pids[node]}"
        { wait "${pids[node]}"; } 2>/dev/null
        status=$?
        [[ $status == $1 && $status != 124 ]] || problem="$problem node $node ended with $status, not $1;"
        shift
    done
    [ "$words" = "" ] || [ "$(grep -c -e "$words" "$work/0")" = 1 ] || problem="$problem not told once: $words;"
    for _ in $(seq 400); do [ "$(left "$program")" ] || break; sleep 0.05; done
    [ "$(left "$program")" ] && problem="$problem left behind:$(left "$program");"
    [ "$problem" ] || return
    wrong=$((wrong + 1))
    echo "$name:$problem"
    cat "$work"/[012] 2>/dev/null | sed 's/^/    /'
}

# What node 0 is to end with. mpirun.mpich puts all ranks' statuses together, bit by bit, or breaks off itself, with 255, where many end at once.
status()
{
    if [ "$engine" = mpich ]; then echo "[1-9]*"; else echo "$1"; fi
}

rank_is_killed()
{
    begin $rounds
    under_way
    kill -KILL "$(process "$1")"
    case $engine in
    openmpi) finish "rank $1 killed" $rounds "^rank .*: rank $1 has ended" "@(137|43)" ;; # (whose host told mpirun first)
    mpich) finish "rank $1 killed" $rounds "EXIT CODE: 9" "[1-9]*" ;; # (it may have ended all before one of them can tell)
    *) finish "rank $1 killed" $rounds "rank $1 was killed by signal 9" 137 137 137 ;;
    esac
}

launcher_is_killed()
{
    local wants=(43 43 43) words="host h$1 (node $1) has lost its launcher"
    wants[$1]=137
    begin $rounds
    under_way
    kill -KILL "$(launcher "$1")"
    [ "$1" = 0 ] && words=
    finish "launcher $1 killed" $rounds "$words" "${wants[@]}"
}

launcher_is_asked()
{
    begin $rounds
    under_way
    kill -TERM "$(launcher "$1")"
    finish "launcher $1 asked to end" $rounds "interrupted by SIGTERM" 143 143 143
}

# Its host lives: so the job goes on when it does.
launcher_is_stopped()
{
    local process
    begin $rounds
    under_way
    process=$(launcher "$1")
    kill -STOP "$process"
    sleep 7
    kill -CONT "$process" "${pids[$1]}" # (nsenter stops when what it has started does)
    kill -TERM "$(launcher 0)"
    finish "launcher $1 stopped for 7 s" $rounds "interrupted by SIGTERM" 143 143 143
}

deadlock()
{
    local program=build/chapters/06_deadlocks/ring_of_sends
    begin $program
    finish "a deadlock" $program "5 ranks wait for each other in a cycle" "$(status 45)" 45 45
}

element_too_many()
{
    local program=build/chapters/06_deadlocks/wrong_size
    begin $program
    finish "an element too many" $program "this receive has room for exactly 5 of F32" "$(status 42)" 42 42
}

# Until it carries what is said in both directions: nobody listens there, which is an answer. (A system remembers for a while whom it did
# not reach.)
wait_for_cable()
{
    local host
    for host in $HOSTS; do
        [ "$host" = "$1" ] && continue
        until on "$1" bash -c "exec 3<>/dev/tcp/$host/9" 2>&1 | grep -q refused; do sleep 0.1; done
        until on "$host" bash -c "exec 3<>/dev/tcp/$1/9" 2>&1 | grep -q refused; do sleep 0.1; done
    done
}

cable_is_cut()
{
    local who="host h$1 (node $1) "
    begin $rounds 4
    under_way
    cut "h$1"
    [ "$1$engine" = 0 ] && who=
    if [ "$engine" ]; then # which waits for a host that it does not reach; the ranks on all hosts have ended
        for _ in $(seq 400); do [ "$(left $rounds)" ] || break; sleep 0.05; done
        kill -KILL "${pids[0]}" && { wait "${pids[0]}"; } 2>/dev/null
        kill -KILL $(mpiruns) 2>/dev/null
        set -- "$1" '*'
    fi
    finish "the cable of h$1 cut" $rounds "${who}has not answered for 5 s" "${2:-43}" 43 43
    mend "h$1"
    wait_for_cable "h$1"
}

# ---- under an mpirun: what distrun's own suites ask, and what only goes wrong there

# One file of all hosts, whose events are those of as many ranks on one.
all_are_traced()
{
    local program=build/chapters/02_send_recv_chain/chain event count=5
    DIST_TRACE=$work/run.json begin $program
    finish "a trace of all hosts" $program "" 0
    for event in '"name":"destroy_process_group"' '"name":"send"' '"name":"recv"' '"node":'; do
        case $event in *send*) count=4 ;; *node*) count=3 ;; esac
        [ "$(grep -c "$event" "$work/run.json")" = $count ] && continue
        wrong=$((wrong + 1))
        echo "a trace of all hosts: not $count times $event"
    done
}

some_are_traced()
{
    local program=build/chapters/02_send_recv_chain/chain
    DIST_TRACE=$work/run.json begin sh -c '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 3 ] && unset DIST_TRACE; exec "$@"' sh $program
    finish "DIST_TRACE not for all" $program 'DIST_TRACE is "" for rank 3' "$(status 46)"
}

# Of a rank that exits mpirun.mpich mostly says nothing, and ends those beside it before they can: so the others tell, too.
rank_exits()
{
    local program=build/tests/programs/doomed
    begin $program exit:9 "$1" 200000
    finish "rank $1 exits" $program "" "[1-9]*"
    grep -q -e "^rank .*: one of ranks" -e "^rank .*: rank $1 has" -e "EXIT CODE: 9" "$work/0" ||
        { wrong=$((wrong + 1)) && echo "rank $1 exits: nobody tells"; }
}

# Any launcher's ranks may talk over Gloo, if they know where the first of them is.
deadlock_over_gloo()
{
    local program=build/chapters/06_deadlocks/ring_of_sends
    begin env BACKEND=gloo MASTER_ADDR=h0 MASTER_PORT=29500 $program
    finish "a deadlock over Gloo" $program "5 ranks wait for each other in a cycle" "$(status 45)"
}

# (mpirun.openmpi hands on what we tell it to; mpirun.mpich all.)
nobody_finds_rank_0()
{
    local program=build/chapters/02_send_recv_chain/chain
    begin env MASTER_ADDR=nowhere.invalid $program
    finish "a name that nobody knows" $program "by which others do not find it" "$(status 46)"
}

cases=("rank_is_killed 0" "launcher_is_killed 1" deadlock "cable_is_cut 1" "rank_is_killed 3" "launcher_is_asked 2" "launcher_is_killed 0"
    "launcher_is_stopped 1" element_too_many "rank_is_killed 4" "launcher_is_asked 0" "cable_is_cut 0" "launcher_is_killed 2"
    "rank_is_killed 2" "launcher_is_asked 1" "rank_is_killed 1" "cable_is_cut 2")
[ "$engine" ] && cases=(deadlock deadlock_over_gloo "rank_exits 0" "rank_is_killed 2" element_too_many all_are_traced some_are_traced nobody_finds_rank_0
    "cable_is_cut 1" "rank_is_killed 0" "rank_is_killed 3" "cable_is_cut 0" "rank_exits 3" "rank_is_killed 1" "rank_is_killed 4" "cable_is_cut 2")
if [ "$ONLY" ]; then
    [ "$(type -t ${ONLY%% *})" = function ] || { echo "ONLY is \"$ONLY\"; there are ${cases[*]}" >&2; exit 2; }
    cases=("$ONLY")
fi
for run in $(seq "$wanted"); do
    ${cases[(run - 1) % ${#cases[@]}]}
done
echo "$runs runs, $wrong wrong"
[ $wrong = 0 ]
