# test_all.sh: the steps that only `make test-all` takes. It is read by test.sh, after count.sh and suites.sh.

teachers()
{
    echo "files that try to cheat, and the teachers' tools"
    if [ -d solutions ] && [ -d tests/wrong ]; then
        tests/tools/hostile.sh
        tests/tools/teaching.sh
    fi
}

kernels()
{
    echo "the GPU's kernels, on the host"
    if [ ! "$HAS_CUDA" ]; then
        skip "the GPU's kernels: nvcc is missing, they were not compiled"
    elif timeout -k 5 60 build/any/kernels_test >build/results/kernels.log 2>&1; then
        pass "the GPU's kernels, on the host"
        cat build/results/kernels.log
    else
        fail "the GPU's kernels, on the host: $(tail -n 1 build/results/kernels.log)"
    fi
    echo "the GPU's sources, compiled for AMD's"
    if tests/tools/amd.sh >build/results/amd.log 2>&1; then
        pass "the GPU's sources, compiled for AMD's"
        cat build/results/amd.log
    elif [ "$HIPCC" ]; then
        fail "the GPU's sources, compiled for AMD's: see build/results/amd.log"
        tail -n 20 build/results/amd.log | sed 's/^/    /'
    else
        skip "$(sed 's/^LEFT OUT *//' build/results/amd.log)"
    fi
    if [ ! -e /dev/nvidiactl ]; then skip "make test-gpu: there is no GPU here"; fi
}

long_suites()
{
    local suite number=0
    echo "the long suites as a whole, and mistakes once more, over the CUDA backend on simulated GPUs"
    for suite in $LONG_SUITES $SLOW_SUITES; do
        number=$((number + 1))
        ! is_its_turn $number || run_suite "$suite" 600 "whole_$(basename "$suite")"
    done
    for suite in $SUITES; do
        case $suite in
        *_misuse | *_misuse_peers | *_misuse_state)
            export BACKEND=cuda DEVICE=sim
            run_suite "$suite" 600 "room_$(basename "$suite")"
            unset BACKEND DEVICE
            ;;
        esac
    done
}

other_modes()
{
    sizes=
    if is_its_turn 1 || is_its_turn 4 || is_its_turn 5; then sizes=2; fi
    ! is_its_turn 2 || sizes="$sizes 7"
    ! is_its_turn 3 || sizes="$sizes 4"
    chapters "threads sim room" "$sizes"
}

installed()
{
    echo "make install: programs outside the tree, gcc, clang and CMake, shared and static"
    tests/tools/installed.sh
}

model()
{
    echo "every interleaving of the protocol's model"
    if timeout -k 5 120 build/tests/model/model >build/results/model.log 2>&1; then
        tail -n 1 build/results/model.log
        sed -n 's/^\([0-9]*\) passed.*/\1/p' build/results/model.log | awk '{ for (i = 1; i <= $1; i++) print "pass model " i }' >>"$RESULTS"
    else
        fail "tests/model: see build/results/model.log"
        tail -n 20 build/results/model.log | sed 's/^/    /'
    fi
}

# Another seed each time, which the last line tells.
kills()
{
    echo "ranks and launchers killed wherever they are, for $1 s"
    build/tests/kills/kills "$1" "$(date +%s)" >build/results/kills.log 2>&1
    case $? in
    0) echo "pass kills" >>"$RESULTS"; tail -n 1 build/results/kills.log ;;
    77) skip "tests/kills: $(tail -n 1 build/results/kills.log)" ;;
    *) fail "tests/kills: see build/results/kills.log"; tail -n 30 build/results/kills.log | sed 's/^/    /' ;;
    esac
}

# Ranks, launchers and cables of three hosts; `make test-nodes RUNS=200` is the long run.
nodes()
{
    echo "what goes wrong on three hosts"
    if [ ! -e build/plugins/dist-gloo.so ]; then
        skip "faults on three hosts: BACKEND=gloo is not built here"
        return
    fi
    on_three_hosts "faults on three hosts" tests/tools/nodes_faults.sh 17
    for engine in openmpi mpich; do
        [ -e build/plugins/dist-$engine.so ] || continue
        on_three_hosts "faults on three hosts, started by mpirun of $engine" tests/tools/nodes_faults.sh 13 $engine
    done
    on_three_hosts "each engine's promises over three hosts" tests/tools/hosts_conform.sh 2
    # Not under an mpirun: Open MPI's may lose what a rank has printed last, and MPICH's puts the statuses of ranks together.
    on_three_hosts "mistakes are told over three hosts as on one machine" env ENGINES="gloo mpi" tests/tools/hosts_misuse.sh 4
}

over_hosts()
{
    echo "chapters over three hosts, and ranks that a real Slurm starts"
    tests/tools/hosts_test.sh all
    on_three_hosts "ranks that a real Slurm starts on three hosts" tests/tools/slurm_test.sh
}

on_three_hosts()
{
    local name=$1
    shift
    timeout 600 "$@" >build/results/nodes.log 2>&1
    case $? in
    0) pass "$name"; tail -n 1 build/results/nodes.log ;;
    77) skip "$name: $(tail -n 1 build/results/nodes.log)" ;;
    *) fail "$name"; tail -n 40 build/results/nodes.log | sed 's/^/    /' ;;
    esac
}

torture()
{
    echo "random programs, and what goes wrong from outside: make torture, a minute of it"
    env -u SECONDS -u SEED -u FAULT timeout -k 5 180 build/tests/torture/torture 60 >build/results/torture.log 2>&1
    tail -n 2 build/results/torture.log | head -n 1
    # A seed says what is done, not when. One that was wrong is tried again: wrong again, it fails; else it is told, and `make torture` with
    # some minutes has to find it. Wrong data are wrong, however seldom.
    sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' build/results/torture.log | awk '
        { for (i = 1; i <= $1; i++) print "pass torture " i }
        END { if (!NR) print "fail torture: it did not end; see build/results/torture.log" }' >>"$RESULTS"
    grep -A 1 '^seed' build/results/torture.log | grep -B 1 WRONG | sed -n 's/^\(seed [0-9]*\): .*/\1/p' | while read -r seed; do
        again=0
        for try in 1 2 3; do
            env -u SECONDS SEED="${seed#seed }" timeout -k 5 60 build/tests/torture/torture >build/results/torture.again 2>&1 || again=$((again + try))
        done
        if [ $again -eq 0 ] && ! grep -A 1 "^$seed" build/results/torture.log | grep -q 'WRONG *rank'; then
            skip "torture, $seed: wrong once, and right three times since; see build/results/torture.log"
        else
            fail "torture, $seed: see build/results/torture.log, or make torture SEED=${seed#seed }"
        fi
    done
}

failures()
{
    echo "calls of the system fail, one after another (a part of them: make fuzz-failures)"
    timeout -k 5 240 build/tests/inject/failures -s 40 >build/results/failures.log 2>&1
    if tail -n 1 build/results/failures.log | grep -q ' passed, 0 failed'; then
        pass "failures: $(tail -n 1 build/results/failures.log)"
        tail -n 1 build/results/failures.log
    else
        fail "failing calls: see build/results/failures.log"
        grep -A 12 FAILED build/results/failures.log | tail -n 40
        tail -n 3 build/results/failures.log
    fi
}

elsewhere()
{
    for name in arm musl; do
        echo "make test-$name"
        timeout -k 5 600 tests/tools/elsewhere.sh $name </dev/null || fail "make test-$name: it did not end well ($?; 124: ran into 600 s)"
    done
}

# It counts for itself, in a file of its own, as it can be called alone.
bare()
{
    echo "the README's two commands on a bare machine: make test-bare"
    rm -f build/bare/results
    tests/tools/bare.sh </dev/null
    status=$?
    if [ -e build/bare/results ]; then
        cat build/bare/results >>"$RESULTS"
        [ $status -eq 0 ] || grep -q '^fail' build/bare/results || fail "make test-bare: exit status $status"
    else
        grep -q '^skip make test-bare' "$RESULTS" || fail "make test-bare: it did not begin, exit status $status"
    fi
}

asan()
{
    echo "AddressSanitizer and UBSan"
    if [ ! "$ASAN_WORKS" ]; then
        skip "$CC has no AddressSanitizer on this machine: nothing was run under it"
        return
    fi
    for suite in $ASAN_SUITES; do
        name=asan_$(basename "$suite")
        run_asan "$name" run_suite "$suite" 600 "$name"
        no_reports "$name"
    done
}

asan_chapters()
{
    for program in ${ASAN_WORKS:+$ASAN_CHAPTERS}; do
        name=asan_$(basename "$program")
        run_asan "$name" timeout -k 5 60 tests/tools/run.sh "$program" >build/results/"$name".log 2>&1 </dev/null ||
            fail "$name: see build/results/$name.log"
        no_reports "$name"
    done
}

tsan()
{
    echo "ThreadSanitizer, ranks as threads"
    if [ ! "$TSAN_WORKS" ]; then
        skip "$CC has no ThreadSanitizer that works on this machine: nothing was run under it"
        return
    fi
    for program in $TSAN_PROGRAMS; do
        run_tsan "$program" ""
        run_tsan "$program" _traced
    done
}
