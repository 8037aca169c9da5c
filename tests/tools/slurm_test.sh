#!/bin/bash
# slurm_test.sh: programs that a real Slurm starts over three hosts (slurm.sh, which this calls by itself).
#
# By each engine: gloo (srun), mpich (srun --mpi=pmi2) and openmpi (srun --mpi=pmix): chapters print what they should; ranks are dealt out in
# blocks or in turn; a deadlock is told once; and whatever is killed, all ends in seconds and nothing is left on any host. Then what one forgets
# to set, and what else starts ranks within a step of Slurm. All that is wrong is printed. Exit status: 0, 1, or 77 where there is no Slurm.
#
# Open MPI 4.1.4 of Debian 12 crashes under its --mpi=pmix now and then while it starts, also without us ("Failing at address: (nil)", once in
# 100 starts of a program of two MPI_Comm_dup): such a run is tried again.
#
# slurm_test.sh as ENGINE PROGRAM...: what the chapters are run with: WORLD_SIZE ranks.

[ "$SLURM_FOLDER" ] || exec tests/tools/slurm.sh "$0" "$@"
. tests/tools/left.sh

rounds=build/tests/programs/rounds plain=build/tests/programs/plain chain=build/chapters/02_send_recv_chain/chain
export DIST_REPORT=/dev/null MASTER_ADDR=h0 MASTER_PORT=29500 DIST_INIT_TIMEOUT=20
export DIST_SECRET=${DIST_SECRET-000102030405060708090a0b0c0d0e0f}
wrong=0 runs=0 folder=$SLURM_FOLDER

# by ENGINE: how its ranks are started; six of them are two on each host. A rank that ends by itself leaves the others alone.
by()
{
    local mpi=none
    BACKEND=mpi
    case $1 in gloo) BACKEND=gloo ;; mpich) mpi=pmi2 ;; openmpi) mpi=pmix ;; esac
    export BACKEND
    start=(srun -Q -J tested -N 3 --overcommit --kill-on-bad-exit=0 --mpi=$mpi)
}

has_crashed()
{
    grep -aqF 'Failing at address: (nil)' "$1"
}

# Each rank's words into a file of its own, and the files one after another; of what srun itself says, nothing.
if [ "$1" = as ]; then
    by "$2"
    shift 2
    unset DIST_REPORT
    for _ in 1 2 3; do
        rm -rf "$folder/said" && mkdir "$folder/said"
        timeout 15 "${start[@]}" -n "$WORLD_SIZE" /bin/sh -c 'exec "$@" >'"$folder"'/said/$SLURM_PROCID' sh "$@" 2>"$folder/errors"
        status=$?
        has_crashed "$folder/errors" || break
    done
    grep -v -e '^srun: ' -e '^slurmstepd' "$folder/errors" >&2
    cat $(ls -v "$folder"/said/*)
    exit $status
fi

complain()
{
    wrong=$((wrong + 1))
    echo "$*"
    sed 's/^/    /' "$folder/said_last" 2>/dev/null
}

# run NAME STATUS WORDS COMMAND...: it ends so within a minute, and says this (however its lines are broken)
run()
{
    local name=$1 wanted=$2 words=$3 status
    shift 3
    runs=$((runs + 1))
    for _ in 1 2 3; do
        timeout 60 "$@" >"$folder/said_last" 2>&1 </dev/null
        status=$?
        has_crashed "$folder/said_last" || break
    done
    [ $status = "$wanted" ] || complain "$name: status $status, not $wanted"
    tr -s ' \n' '  ' <"$folder/said_last" | grep -qF -e "$words" || complain "$name: not told: $words"
}

# once NAME WORDS: that is in what was said last, in one line
once()
{
    [ "$(grep -c -e "$2" "$folder/said_last")" = 1 ] || complain "$1: not told once: $2"
}

# chapters ENGINE PROGRAM...: of the faulty ones those whose ranks all end alike: of several statuses srun takes the highest
chapters()
{
    local engine=$1
    shift
    runs=$((runs + $#))
    OUTPUT_MODES=processes OUTPUT_SIZES=4 RUN="$0 as $engine" tests/tools/outputs.sh "$@" || wrong=$((wrong + 1))
}

programs()
{
    local program wants
    for program in $(find "$@" -type f -perm -100 | sort); do
        wants=$(cat "chapters/$(basename "$(dirname "$program")")/expected/$(basename "$program").4.exit" 2>/dev/null)
        case $wants in '' | 45) echo "$program" ;; esac
    done
}

layouts()
{
    local n way
    for n in 4 5; do
        for way in block cyclic plane=2; do
            run "$1, $n ranks, $way" 0 "rank 3 of $n: $((n * (n + 1) / 2))" "${start[@]}" -n $n --distribution=$way $plain
        done
    done
}

# ---- what ends otherwise than it should

rank()
{
    local process
    for process in $(left $rounds); do
        tr '\0' '\n' <"/proc/$process/environ" | grep -x "SLURM_PROCID=$1" >/dev/null && echo "$process"
    done
}

# ends NAME STATUS COMMAND...: when ranks are under way, this is done to them, or to $srun
ends()
{
    local name=$1 wanted=$2 status host
    shift 2
    runs=$((runs + 1))
    : >"$folder/said_last" # (now: what the last ones said must not be taken for theirs)
    "${start[@]}" -n 6 $rounds >>"$folder/said_last" 2>&1 </dev/null &
    srun=$!
    for _ in $(seq 600); do grep -q -e 'under way' -e 'Failing at address: (nil)' "$folder/said_last" && break; sleep 0.05; done
    if has_crashed "$folder/said_last"; then
        kill -TERM $srun
        { wait $srun; } 2>/dev/null
        ends "$name" "$wanted" "$@"
        return
    fi
    eval "$@"
    for _ in $(seq 300); do kill -0 $srun 2>/dev/null || break; sleep 0.05; done
    kill -0 $srun 2>/dev/null && complain "$name: srun has not ended in 15 s" && kill -KILL $srun
    { wait $srun; } 2>/dev/null
    status=$?
    [[ $status == $wanted ]] || complain "$name: status $status, not $wanted"
    for _ in $(seq 200); do [ "$(left $rounds)" ] || break; sleep 0.05; done
    [ "$(left $rounds)" ] && complain "$name: ranks are left behind" && kill -KILL $(left $rounds)
    for host in $HOSTS; do
        [ "$(on "$host" ls -A /dev/shm)" ] && complain "$name: left on $host: $(on "$host" ls -A /dev/shm)"
    done
}

all_ends()
{
    local victim
    for victim in 0 3 5 2 4 1; do # (whoever waits at that moment, for whatever, is told)
        ends "$1, rank $victim killed" 137 'kill -KILL $(rank '$victim')'
        once "$1, rank $victim killed" "^rank .*: rank $victim has ended"
    done
    ends "$1, scancel" '1@(43|37|41)' 'scancel -n tested'
    ends "$1, two Ctrl-C" '1@(30|37|41)' 'kill -INT $srun; sleep 0.3; kill -INT $srun'
    ends "$1, srun asked to end" '1@(37|43|41)' 'kill -TERM $srun' # (41: a rank says why it ends, and srun no longer reads)
    ends "$1, srun killed" 137 'kill -KILL $srun' 2>/dev/null
}

forgotten()
{
    local all=(-n 6 $chain)
    by gloo
    run "no MASTER_ADDR" 46 "MASTER_ADDR is not set; set it on all" env -u MASTER_ADDR "${start[@]}" "${all[@]}"
    run "no DIST_SECRET" 46 "DIST_SECRET is not set" env -u DIST_SECRET "${start[@]}" "${all[@]}"
    run "another DIST_SECRET" 46 "rank 0 at h0 has another secret" env DIST_INIT_TIMEOUT=3 "${start[@]}" -n 6 \
        /bin/sh -c '[ $SLURM_PROCID = 4 ] && DIST_SECRET=ffffffffffffffffffffffffffffffff; exec '$chain
    run "the wrong machine" 46 "that is no address of this machine" env MASTER_ADDR=h1 DIST_INIT_TIMEOUT=3 "${start[@]}" "${all[@]}"
    run "a rank does not come" 44 "rank 4 and rank 5 have not come within 3 s" env DIST_INIT_TIMEOUT=3 "${start[@]}" -n 6 /bin/sh -c '[ $SLURM_PROCID = 5 ] || exec '$plain
    export BACKEND=shm
    run "shm on one host" 0 "rank 3 of 4: 10" srun -Q -N 1 -n 4 --overcommit $plain
    for mpi in none pmi2 pmix; do
        run "shm on three, --mpi=$mpi" 46 "over several take BACKEND=gloo, mpi" "${start[@]}" --mpi=$mpi "${all[@]}"
    done
}

# torchrun and distrun, one on each host; and where a step is a shell, programs start their ranks.
within()
{
    local mpi pty='import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)'
    for mpi in none pmi2 pmix; do
        by gloo
        run "torchrun in srun --mpi=$mpi" 0 "rank 5 of 6: 21" "${start[@]}" --mpi=$mpi -n 3 /bin/bash -c '
            export TORCHELASTIC_RUN_ID=none WORLD_SIZE=6 LOCAL_WORLD_SIZE=2
            for i in 0 1; do LOCAL_RANK=$i RANK=$((2 * SLURM_NODEID + i)) '$plain' & done
            wait'
        run "distrun in srun --mpi=$mpi" 0 "rank 5 of 6: 21" "${start[@]}" --mpi=$mpi -n 3 /bin/sh -c \
            'exec build/bin/distrun -n 6 --nodes 3 --node $SLURM_NODEID --at h0:29500 '$plain
        command -v python3 >/dev/null || continue # (for a terminal)
        BACKEND=shm run "a shell, --mpi=$mpi" 0 "rank 3 holds 72" python3 -c "$pty" srun -Q --mpi=$mpi --pty /bin/sh -c $chain
    done
}

has()
{
    [ -e "build/plugins/dist-$1.so" ] && srun --mpi=list 2>&1 | grep -qw "$2"
}

engine_works()
{
    by "$1"
    layouts "$1"
    run "$1, a deadlock" 45 "6 ranks wait for each other in a cycle" "${start[@]}" -n 6 build/chapters/06_deadlocks/ring_of_sends
    once "$1, a deadlock" "6 ranks wait for each other in a cycle"
    all_ends "$1"
    [ "$1" = gloo ] || run "$1, a rank does not come" 44 "has not brought all ranks together within 22 s" env DIST_INIT_TIMEOUT=1 \
        "${start[@]}" -n 6 /bin/sh -c '[ $SLURM_PROCID -ge 4 ] || exec '$plain
}

shopt -s extglob
c=build/chapters
if has gloo none; then
    chapters gloo $(programs $c/02_* $c/03_* $c/05_* $c/06_* $c/09_*/two_levels)
    engine_works gloo
    forgotten
    within
fi
for engine in "mpich pmi2" "openmpi pmix"; do
    has $engine || { echo "left out: ${engine% *}, or srun's --mpi=${engine#* }"; continue; }
    chapters "${engine% *}" $(programs $c/02_* $c/03_*/ring $c/05_*)
    engine_works "${engine% *}"
done
BACKEND=mpi
run "mpi by a plain srun" 46 "over several machines its ranks are started by srun --mpi=" "${start[@]}" --mpi=none -n 6 $chain
echo "$runs runs, $wrong wrong"
[ $wrong = 0 ]
