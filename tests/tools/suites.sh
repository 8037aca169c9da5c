# suites.sh: how test.sh runs one Criterion suite or one program under a sanitizer, and counts. It is read by test.sh, after count.sh.

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

# $1: the report, $2: a test; true if one of its ranks saw what is wrong (exam_words in conform_exam.c), or a deadlock was told of the conformance suite,
# which has none. A rank's data are wrong, however seldom, and so is a false alarm.
saw_what_is_wrong()
{
    awk -v test="$2" '/^(not )?ok / { mine = $1 == "not" && $4 == test } mine' "$1" | tr -s '\n ' '  ' |
        grep -q -e 'checks, [1-9][0-9]* wrong' -e 'deadlock: .*(conform_[a-z0-9]*\.c:'
}

# tried_again PROGRAM SECONDS NAME: each test that failed is run alone, three times. A machine that stood still, or that had no time for a
# rank, fails a test once; a fault of ours fails it again. What is right each time is told and counts as left out, not as passed.
tried_again()
{
    sed -n 's/^fail [^:]*: \([^ ]*::[^ ]*\) .*/\1/p' "$out.part" | while read -r test; do
        ! saw_what_is_wrong "$out.tap" "$test" || continue
        right=0
        for try in 1 2 3; do
            timeout -k 5 "$2" $RUN "$1" --filter "${test%%::*}/${test#*::}" >"$out.again" 2>&1 </dev/null || break
            grep -q 'Passing: 1 ' "$out.again" && right=$((right + 1))
        done
        [ $right -eq 3 ] || continue
        cp "$out.log" "$out.once"
        sed -i "s/^fail \([^:]*\): $test .*/skip \1: $test was wrong once, and right three times since; see build\/results\/$3.once/" "$out.part"
    done
}

# run_suite PROGRAM SECONDS NAME
run_suite()
{
    out=build/results/$3
    from=$(date +%s)
    timeout -k 5 "$2" $RUN "$1" --tap="$out.tap" --short-filename >"$out.log" 2>&1 </dev/null
    status=$?
    took=$(($(date +%s) - from))

    : >>"$out.tap"
    read_tap "$out.tap" "$3" >"$out.part"
    tried_again "$@"
    cat "$out.part" >>"$RESULTS"
    passed=$(grep -c '^pass' "$out.part")
    failed=$(grep -c '^fail' "$out.part")
    skipped=$(grep -c '^skip' "$out.part")
    printf '  %-28s %4d passed %3d failed   %3d s\n' "$3" "$passed" "$failed" $took
    sed -n 's/^fail /  FAILED  /p; /wrong once/s/^skip /  UNSURE  /p' "$out.part"

    if [ $status -eq 124 ] || [ $status -eq 137 ]; then
        fail "$3: ran into its limit of $2 s"
    elif [ $((passed + failed)) -eq 0 ] && [ "$skipped" -gt 0 ]; then
        printf '  LEFT OUT  %s: %s\n' "$3" "$(sed -n 's/.*# SKIP *//p' "$out.tap" | head -n 1)"
    elif [ $((passed + failed)) -eq 0 ]; then
        fail "$3: ran no test (exit status $status)"
    elif [ $status -ne 0 ] && [ "$failed" -eq 0 ] && ! grep -q 'wrong once' "$out.part"; then
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
# test_order and test_waiters; there Criterion 2.4.1 itself loses 48 bytes, if all tests run, and none if they run one by one. MPIs leak by themselves.)
run_asan()
{
    report=log_path=$PWD/build/results/$1.report
    case $1 in
    *_misuse* | *_launch | *_errors | *_order | *_diagnose* | *_waiters | *_mpi | *_mpi_ends | *_mpi_long | *_gloo) leaks=0 ;;
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
