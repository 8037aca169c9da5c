#!/bin/bash
# hosts_misuse.sh [COUNT]: is a mistake told over three hosts as it is told on one machine? By gloo and by mpi (MPICH), whose ranks distrun
# starts; and by openmpi and mpich, whose ranks their mpirun does.
#
#   chapter    the programs of chapter 06, on 2 to 7 ranks
#   program    those of tests/programs that make a mistake by name, with every setting that tells of more
#   misuse     the mistakes of tests/test_misuse*.c (tests/transport/misused.c), on the host and on simulated GPUs
#   generated  programs that carry a label, and as many right ones (tests/transport/generated_hosts.c): the label says what must be told
#
# Of the first three a run on three hosts is compared with one over shared memory: exit status, what was printed, and the report, tidied
# (compare.sh). After each run nothing may be left: no process, and no file in a host's /dev/shm. COUNT runs of each of the four for each
# engine, drawn by SEED, which is printed; without COUNT all. ONLY: an extended expression for those of the first three that are run.
# Called by itself it makes the hosts with hosts.sh; on their switch it goes on. Exit status: 0, 1, or 77 where there can be no hosts, or no engine.

. tests/tools/whole_number.sh
whole_number COUNT "$1"
whole_number SEED "$SEED" 0
words_of ENGINES "$ENGINES" gloo mpi openmpi mpich
[[ $HOSTS == h0* ]] || exec tests/tools/hosts.sh -n 3 "$0" "$@"

. tests/tools/compare.sh

count=$1 seed=${SEED:-$RANDOM}
misused=build/tests/transport/misused
wrong=0 runs=0

# ---- cases: "RANKS SETTING PROGRAM WORD", where a setting may be "-" -----------------------------------------------------

chapter()
{
    local program
    for program in $(find build/chapters/06_deadlocks -type f -perm -100 | sort); do
        for ranks in 2 3 4 5 6 7; do echo "$ranks - $program"; done
    done
}

# names PROGRAM RANKS SETTING...: all that it knows, each with each setting, on so many ranks or more. In some of faulty there are two.
names()
{
    local program=$1 least=$2 name ranks pairs='set|write|memset|read|item|free|twice|resend|none|neighbours'
    shift 2
    for name in $(sed 's/is("/\n&/g' tests/programs/"$program".c | sed -n 's/^is("\([a-z-]*\)").*/\1/p' | sort -u | grep -vxE "$left_out"); do
        for setting in "$@"; do
            ranks=$(some_ranks "$least")
            [[ $program-$name =~ ^faulty-($pairs)$ ]] && ranks=2
            echo "$ranks $setting build/tests/programs/$program $name"
        done
    done
}

# Left out are cases that measure or take time, in which it is luck what happens, and in which a process kills itself; and isend: messages that were
# started one after another by ranks of different hosts need not come in that order.
program()
{
    local rank left_out='timed|noise|both|killed|handled|polls|all-poll|two-poll|one-works|sleeps|works|leaves|starves-shuffled|isend|large-isend|many|many-crossed'
    names faulty 2 - DIST_CHECK=1 DIST_BUFFERING=eager:64
    names waiters 3 - DIST_CHECK=1 DIST_BUFFERING=eager:64
    names advice 3 - DIST_CHECK=1 DIST_BUFFERING=eager:64 DIST_ALGORITHM=ring DIST_ALGORITHM=messages
    names anybody 4 - DIST_CHECK=1 DIST_CHECK=1
    foreign && return # (a rank that ends before MPI has started is told by its machine's others only, or by mpirun)
    for rank in 0 1 3; do echo "4 - build/tests/programs/doomed early $rank 200000"; done
}

# Does another launcher start the ranks?
foreign()
{
    [ "$engine" = openmpi ] || [ "$engine" = mpich ]
}

misuse()
{
    local name least setting ranks
    $misused | while read -r name least; do
        for setting in - DEVICE=sim; do
            case $name$least in
            *=*) ranks=${least#=} ;;
            *split* | *group* | *block* | *border*) ranks=$least ;; # (made for so many; and who is no member would err, too)
            *) ranks=$(some_ranks "$least") ;;
            esac
            [[ $least$setting == =*sim ]] || echo "$ranks $setting $misused $name" # (an exam says itself where its tensors lie)
        done
    done
}

# some_ranks LEAST: that many or more, up to 7; at least 2
some_ranks()
{
    local least=$(($1 < 2 ? 2 : $1))
    echo $((least + RANDOM % (8 - least)))
}

# draw PART: all, or in a random order so many
draw()
{
    RANDOM=$seed
    $1 | grep -E -e "${ONLY:-.}" | if [ "$count" ]; then shuf -n "$count" --random-source=<(yes "$seed $engine"); else cat; fi
}

# ---- a run ---------------------------------------------------------------------------------------------------------------

# What has been started from this folder and still lives, and what lies in the memory of a host.
left()
{
    local process host
    for process in /proc/[0-9]*; do
        [[ $(readlink "$process/exe") == $PWD/build/* ]] && echo "${process#/proc/} $(tr '\0' ' ' <"$process/cmdline")"
    done 2>/dev/null
    for host in $HOSTS; do on "$host" ls -A /dev/shm; done
}

nothing_left()
{
    local still
    for _ in $(seq 50); do
        still=$(left)
        [ "$still" ] || return 0
        sleep 0.1
    done
    echo "left behind: $still"
    return 1
}

# MPICH's ranks end without MPI_Finalize (backends/mpi/plugin.c). Where a peer's connection closes in that moment, a thread of UCX's may say so;
# the status is right.
ucx='ucp_worker.c:[0-9]*  *Fatal: failed to modify [0-9]* event handler'

# once FILE COMMAND...: its status, output and report, tidied; FILE.whole is what it said
once()
{
    local file=$1 status
    shift
    env ${setting:+"$setting"} WORLD_SIZE="$ranks" DIST_OUTPUT=ordered timeout -k 2 60 "$@" >"$file" 2>"$file.whole" </dev/null
    status=$?
    if foreign; then # (MPICH's has its word on standard output)
        without_mpiruns "$file" | sed '/^$/d' >"$file.printed" && mv "$file.printed" "$file"
    fi
    {
        echo "exit status $([ $engine = mpich ] && [ $status != 0 ] && echo of a failure || echo $status)"
        without_mpiruns "$file.whole" >"$file.ours"
        tidy "$file.ours" | grep -v "$ucx" | if [ $status = 0 ]; then cat; else without_notes; fi | whoever "$@"
    } >>"$file"
}

# mpirun has a word to say as well. (And MPICH's kills the ranks that are still ending, and tells their signal: so of its status only counts whether it is 0.)
without_mpiruns()
{
    awk '/^--*$/ && length > 60 { cut = !cut; next } /^==*$/ && length > 60 { cut = !cut; next } cut { next }
         /^\[[a-z0-9]+:[0-9]+\] / || /^\[(mpiexec|proxy)[:@]/ || /^HYD_/ || /^YOUR APPLICATION TERMINATED/ || /^This typically refers/ || /^Please see the FAQ/ { next }
         { print }' "$1"
}

# Several ranks make the same mistake, and it is luck who is told of; or which of two messages comes first. And where no launcher of ours
# stands between the machines, each of two that make it in the same moment may tell of it, and what all leave behind comes in any order.
whoever()
{
    if ! foreign; then cat; elif [ $status = 0 ]; then sort -u; else awk '!told[$0]++'; fi | whoever_of "$@"
}

whoever_of()
{
    case ${*: -1} in
    stale | negative | nowhere | a_message_of_the_same_bytes_and_another_type) sed -E 's/\<(rank|from|to) [0-9]+/\1 #/g' ;;
    race) sed -E -e 's/\<(rank|from|to) [0-9]+/\1 #/g' -e 's/anybody.c:[0-9]+/anybody.c:#/g' ;;
    *) cat ;;
    esac
}

# Where the job fails it is luck who has left before, and told what it leaves behind.
without_notes()
{
    awk '/^note: / { note = 1; next } note && /^  / { next } { note = 0; print }'
}

# same_as_here PROGRAM...: where it is told differently, it may be luck what is told, or be told of messages of which the engine makes a
# collective and shared memory does not: then one of some runs on one machine, over both, must be the same.
same_as_here()
{
    local streams=keep backend room=$engine
    foreign && room=mpi
    once "$work/there" tests/tools/on_hosts.sh $engine "$@"
    for backend in shm shm shm $room $room shm; do
        BACKEND=$backend once "$work/here" "$@"
        cmp -s "$work/here" "$work/there" && return
    done
    diff -u --label "on one machine" --label "on three hosts" "$work/here" "$work/there"
}

compare_all()
{
    local ranks setting words
    while read -r ranks setting words; do
        [ "$setting" != - ] || setting=
        runs=$((runs + 1))
        if ! { same_as_here $words && nothing_left; } >"$work/differs" 2>&1; then
            wrong=$((wrong + 1))
            echo "$engine: WORLD_SIZE=$ranks $setting $words"
            sed 's/^/    /' "$work/differs"
        fi
    done
}

generated()
{
    local line judge=judge
    [ $engine = mpich ] && judge=judge_mpich
    DIST_TEST_SEED=$seed build/tests/transport/generated_hosts $judge "${count:-0}" tests/tools/on_hosts.sh $engine >"$work/judged" </dev/null
    nothing_left >>"$work/judged" || wrong=$((wrong + 1))
    grep -v '^[0-9]* runs, ' "$work/judged"
    line=$(grep '^[0-9]* runs, [0-9]* wrong$' "$work/judged" || echo "0 runs, 1 wrong")
    set -- $line
    runs=$((runs + $1)) wrong=$((wrong + $3))
}

for engine in ${ENGINES:-gloo mpi openmpi mpich}; do
    plugin=$engine before=$runs
    [ $engine = mpi ] && plugin=mpich
    [ -e build/plugins/dist-$plugin.so ] || continue
    tried=yes
    for part in chapter program misuse; do
        compare_all < <(draw $part)
    done
    [ "$ONLY" ] || generated
    echo "$engine: $((runs - before)) runs"
done
[ "$tried" ] || { echo "no engine between hosts is built here"; exit 77; }
[ $runs -gt 0 ] || { echo "ONLY is \"$ONLY\"; no run is called like that" >&2; exit 2; }
echo "$runs runs, $wrong wrong, SEED=$seed"
[ $wrong = 0 ]
