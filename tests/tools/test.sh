#!/bin/sh
# test.sh: run everything that `make test` has built, and count. The Makefile says what there is:
#
#   SUITES  ASAN_SUITES   Criterion programs, plain and under AddressSanitizer and UBSan
#   CHAPTERS ASAN_CHAPTERS TSAN_PROGRAMS LESSONS
#   ASAN_WORKS TSAN_WORKS empty: the compiler has no such sanitizer here
#
# The last line is "N passed, N failed" (", N skipped" where there were any).

. tests/tools/count.sh

# A launcher around us must not look like the launcher of the ranks.
unset RANK WORLD_SIZE LOCAL_RANK OMPI_COMM_WORLD_RANK PMI_RANK SLURM_STEP_ID DIST_OUTPUT DIST_WORLD_FD
unset DIST_TRACE DIST_CHECK DIST_BUFFERING DIST_ALGORITHM DIST_RANKS
export LC_ALL=C

rm -rf build/results
mkdir -p build/results
RESULTS=$PWD/build/results/all
export RESULTS
: >$RESULTS

started=$(date +%s)

# Criterion exits 0 when it found nothing to run, and forgets what it could not finish: so its TAP report is read.
# $1: the report, $2: the suite's name; prints a line for each test, as count.sh does.
read_tap()
{
    awk -v name="$2" '
        /^1\.\./ { split($0, plan, /\.\./) }
        /^(not )?ok / { ended++ }
        /^ok .*# SKIP/ { print "skip " name ": " $3; next }
        /^ok / { print "pass " name ": " $3 }
        /^not ok / { sub(/^not ok - /, ""); print "fail " name ": " $0 }
        END { while (ended++ < plan[2]) print "fail " name ": a test that did not end" }' "$1"
}

# run_suite PROGRAM SECONDS NAME
run_suite()
{
    out=build/results/$3
    from=$(date +%s)
    timeout -k 5 "$2" "$1" --tap="$out.tap" --short-filename >"$out.log" 2>&1 </dev/null
    status=$?
    took=$(($(date +%s) - from))

    : >>"$out.tap"
    read_tap "$out.tap" "$3" >"$out.part"
    cat "$out.part" >>$RESULTS
    passed=$(grep -c '^pass' "$out.part")
    failed=$(grep -c '^fail' "$out.part")
    printf '  %-28s %4d passed %3d failed   %3d s\n' "$3" "$passed" "$failed" $took
    sed -n 's/^fail /  FAILED  /p' "$out.part"

    if [ $status -eq 124 ] || [ $status -eq 137 ]; then
        fail "$3: ran into its limit of $2 s"
    elif [ $((passed + failed)) -eq 0 ]; then
        fail "$3: ran no test (exit status $status)"
    elif [ $status -ne 0 ] && [ "$failed" -eq 0 ]; then
        fail "$3: exit status $status, though no test failed"
    fi
    if [ $status -ne 0 ]; then tail -n 60 "$out.log" | sed 's/^/    /'; fi
}

# A sanitizer's report counts wherever it comes from: a leak in a rank leaves the exit status alone. UBSan writes to
# stderr, the others write files; a file without a summary holds only a remark.
no_reports()
{
    out=build/results/$1
    reports=$(grep -l '^SUMMARY' "$out".report.* 2>/dev/null)
    if [ "$reports" ]; then
        fail "$1: the sanitizer reports, first in $(echo "$reports" | head -n 1)"
        grep -h -v '^$' $reports | head -n 40 | sed 's/^/    /'
    elif grep 'runtime error:' "$out.log"; then
        fail "$1: the sanitizer reports ($out.log)"
    else
        pass "$1: no report of the sanitizer"
    fi
}

# A rank that ends by an error leaves its tensors lying, which is no leak: suites that are about errors look for none. (So is
# test_order; there Criterion 2.4.1 itself loses 48 bytes, if all of its tests run, and none if they run one by one.)
run_asan()
{
    report=log_path=$PWD/build/results/$1.report
    case $1 in
    *_misuse* | *_launch | *_errors | *_order | *_diagnose*) leaks=0 ;;
    *) leaks=1 ;;
    esac
    ASAN_OPTIONS=$report:detect_leaks=$leaks UBSAN_OPTIONS=$report:print_stacktrace=1
    export ASAN_OPTIONS UBSAN_OPTIONS
    shift
    "$@"
    unset ASAN_OPTIONS UBSAN_OPTIONS
}

# $1: the program; $2: _traced, or nothing. A rank's threads write one trace.
run_tsan()
{
    name=tsan_$(basename "$1")$2
    trace=${2:+$PWD/build/results/$name.json}
    DIST_TRACE=$trace DIST_RANKS=threads \
        TSAN_OPTIONS="log_path=$PWD/build/results/$name.report halt_on_error=0 exitcode=66" \
        timeout -k 5 120 $TSAN_WORKS "$1" >build/results/"$name".log 2>&1 </dev/null
    status=$?
    if [ $status -eq 0 ]; then
        pass "$name"
        echo "  $name passed"
    else
        fail "$name: exit status $status"
        tail -n 30 build/results/"$name".log | sed 's/^/    /'
    fi
    no_reports "$name"
    rm -f $trace
}

echo "suites"
for suite in $SUITES; do
    run_suite "$suite" 240 "$(basename "$suite")"
done

echo "mistakes once more, in the CUDA room on simulated GPUs"
for suite in $SUITES; do
    case $suite in
    *_misuse | *_misuse_peers | *_misuse_state)
        export BACKEND=cuda DEVICE=sim
        run_suite "$suite" 240 "room_$(basename "$suite")"
        unset BACKEND DEVICE
        ;;
    esac
done

echo "every interleaving of the protocol's model"
if timeout -k 5 120 build/tests/model/model >build/results/model.log 2>&1; then
    tail -n 1 build/results/model.log
    sed -n 's/^\([0-9]*\) passed.*/\1/p' build/results/model.log | awk '{ for (i = 1; i <= $1; i++) print "pass model " i }' >>$RESULTS
else
    fail "tests/model: see build/results/model.log"
    tail -n 20 build/results/model.log | sed 's/^/    /'
fi

echo "the GPU's kernels, on the host"
if [ ! "$HAS_CUDA" ]; then
    skip "the GPU's kernels: nvcc is missing, they were not compiled"
elif timeout -k 5 60 build/any/kernels_test >build/results/kernels.log 2>&1; then
    pass "the GPU's kernels, on the host"
    cat build/results/kernels.log
else
    fail "the GPU's kernels, on the host: $(tail -n 1 build/results/kernels.log)"
fi
if [ ! -e /dev/nvidiactl ]; then skip "make test-gpu: there is no GPU here"; fi

echo "what the chapters print, with 2, 4 and 7 ranks: as processes, as threads, on simulated GPUs, in the CUDA room"
tests/tools/outputs.sh $CHAPTERS
tests/tools/lessons.sh --check $LESSONS
tests/tools/links.sh $LESSONS chapters/STYLE.md

echo "the pictures, drawn anew from a run"
tests/tools/pictures.sh --check
tests/tools/play.sh

echo "the README's example, and the tools themselves"
tests/tools/example.sh
tests/tools/selftest.sh

echo "the exercises: four gates for each, the guide, files that try to cheat, and the teachers' tools"
if [ -d solutions ] && [ -d tests/wrong ]; then
    tests/tools/gates.sh
    tests/tools/guide.sh
    tests/tools/hostile.sh
    tests/tools/teaching.sh
    if tests/tools/seal.sh --check; then pass "the graders are sealed"; else fail "the seal of the graders is old: run \`make seal\`"; fi
else
    skip "the gates of the exercises: there are no solutions and wrong answers here"
fi

echo "AddressSanitizer and UBSan"
if [ "$ASAN_WORKS" ]; then
    for suite in $ASAN_SUITES; do
        name=asan_$(basename "$suite")
        run_asan "$name" run_suite "$suite" 300 "$name"
        no_reports "$name"
    done
    for program in $ASAN_CHAPTERS; do
        name=asan_$(basename "$program")
        run_asan "$name" timeout -k 5 60 tests/tools/run.sh "$program" >build/results/"$name".log 2>&1 </dev/null ||
            fail "$name: see build/results/$name.log"
        no_reports "$name"
    done
else
    skip "$CC has no AddressSanitizer on this machine: nothing was run under it"
fi

echo "ThreadSanitizer, ranks as threads"
if [ "$TSAN_WORKS" ]; then
    for program in $TSAN_PROGRAMS; do
        run_tsan "$program" ""
        run_tsan "$program" _traced
    done
else
    skip "$CC has no ThreadSanitizer that works on this machine: nothing was run under it"
fi

if grep -q '^fail' $RESULTS; then
    echo
    echo "what failed:"
    sed -n 's/^fail /  /p' $RESULTS
fi
echo
echo "after $(($(date +%s) - started)) s; all results: build/results/all"
awk '{ count[$1]++ }
     END { printf "%d passed, %d failed%s\n", count["pass"], count["fail"],
                  count["skip"] ? ", " count["skip"] " skipped" : ""
           exit count["fail"] > 0 || count["pass"] == 0 }' $RESULTS
