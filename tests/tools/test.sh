#!/bin/sh
# test.sh quick|all: run what `make test` or `make test-all` has built, and count. The Makefile says what there is:
#
#   SUITES                Criterion programs
#   LONG_SUITES           those of them that try a part of all combinations in the quick part
#   SLOW_SUITES           those of them that the quick part leaves out
#   SUITES_LEFT_OUT       NAME:WHY, where a suite cannot be built here; blanks in WHY are written _
#   ASAN_SUITES           the same programs under AddressSanitizer and UBSan
#   CHAPTERS ASAN_CHAPTERS TSAN_PROGRAMS LESSONS
#   ASAN_WORKS TSAN_WORKS empty: the compiler has no such sanitizer here
#
# quick is over in some minutes; all goes on where quick ends, with the long suites as a whole, every mode of the chapters, the models
# and the sanitizers. Of the long suites, those under AddressSanitizer, the exercises' answers and the modes it takes a seventh a day, in a week
# all; EVERY=1 takes all at once. The last line is "N passed, N failed" (", N skipped" where there were any).

. tests/tools/room.sh
. tests/tools/count.sh
. tests/tools/suites.sh
. tests/tools/test_all.sh

# A launcher around us must not look like the launcher of the ranks.
unset RANK WORLD_SIZE LOCAL_RANK OMPI_COMM_WORLD_RANK PMI_RANK SLURM_STEP_ID DIST_OUTPUT DIST_WORLD_FD
unset DIST_TRACE DIST_CHECK DIST_BUFFERING DIST_ALGORITHM DIST_RANKS TEST_HURRY
export LC_ALL=C

RESULTS=$PWD/build/results/all
export RESULTS
started=$(date +%s)
if [ "$1" = all ]; then EVERY=${EVERY:-7}; fi
export EVERY

suites()
{
    echo "suites"
    TEST_HURRY=1
    export TEST_HURRY
    for suite in $SUITES; do
        case " $SLOW_SUITES " in *" $suite "*) continue ;; esac
        run_suite "$suite" 600 "$(basename "$suite")"
    done
    unset TEST_HURRY
    for suite in $SUITES_LEFT_OUT; do
        skip "${suite%%:*}: $(echo "${suite#*:}" | tr _ ' ')"
    done
}

# chapters MODES SIZES: outputs.sh knows them
chapters()
{
    echo "what the chapters print, with $2 ranks, as: $1"
    OUTPUT_MODES=$1 OUTPUT_SIZES=$2 tests/tools/outputs.sh $CHAPTERS
}

lessons()
{
    echo "lessons, pictures, drawn anew from a run, the README's example, and the tools themselves"
    tests/tools/lessons.sh --check $LESSONS
    tests/tools/links.sh $LESSONS chapters/STYLE.md lib/REFERENCE.md *.md
    tests/tools/reference.sh
    tests/tools/quiz.sh
    tests/tools/tasks.sh
    tests/tools/pictures.sh --check
    tests/tools/play.sh
    tests/tools/example.sh
    tests/tools/headers.sh
    tests/tools/own_kernels.sh
    tests/tools/selftest.sh
}

# exercises TIMES WRONG EVERY: solutions are tried so many times, and of the wrong answers so many, or every EVERY-th (gates.sh)
exercises()
{
    echo "the exercises: four gates for each"
    if [ -d solutions ] && [ -d tests/wrong ]; then
        TIMES=$1 TRIES=1 WRONG=$2 EVERY=$3 tests/tools/gates.sh
    else
        skip "the gates of the exercises: there are no solutions and wrong answers here"
    fi
}

learners()
{
    echo "the guide through the exercises"
    if [ ! -d solutions ] || [ ! -d tests/wrong ]; then
        skip "the guide and the teachers' tools: there are no solutions and wrong answers here"
        return
    fi
    tests/tools/guide.sh
    if tests/tools/seal.sh --check; then pass "the graders are sealed"; else fail "the seal of the graders is old: run \`make seal\`"; fi
}

# Two steps at a time, for those that do not ask how long something takes: each of them leaves half of two processors idle. What the second
# prints comes when both have ended.
side_by_side()
{
    (eval "$2") >build/results/beside.log 2>&1 </dev/null &
    eval "$1"
    wait $!
    cat build/results/beside.log
}

case $1 in
quick)
    rm -rf build/results
    mkdir -p build/results
    : >"$RESULTS"
    side_by_side suites "chapters processes '2 4 7'; lessons; exercises 1 2; learners"
    echo "a cluster of namespaces"
    tests/tools/hosts_test.sh quick
    ;;
all)
    [ -s "$RESULTS" ] || { echo "test.sh all goes on where test.sh quick has ended" >&2; exit 2; }
    side_by_side "long_suites; other_modes" "exercises 2 '' $EVERY; teachers; installed"
    side_by_side "model; kills 60; torture; failures; kernels; nodes; over_hosts" bare
    side_by_side "asan; tsan" "elsewhere; asan_chapters"
    ;;
*)
    echo "usage: test.sh quick|all" >&2
    exit 2
    ;;
esac

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
