#!/bin/sh
# coverage.sh: what `make coverage` runs: which lines of lib/ do the tests reach?
#
# Everything is built once more with gcov's counters, in a tree of its own (build/coverage/tree: links to the sources, and a build
# folder), so that every tool and path is as always. Then come the suites as in `make test`, the slow ones in their short form, and
# the chapters' programs. SUITES and CHAPTERS are the Makefile's. KEEP=1: only count again what ran last time.
#
# tests/coverage/left.txt says which functions no test enters, and why. Fails: another one, one that is entered after all, or fewer lines
# than LEAST percent. (A failed test is told, and fails `make test`; a program with counters is slower.)

. tests/tools/whole_number.sh
whole_number LEAST "$LEAST" 0
LEAST=${LEAST:-90}
here=$PWD
tree=build/coverage/tree
export LC_ALL=C
unset RANK WORLD_SIZE LOCAL_RANK DIST_TRACE DIST_CHECK DIST_BUFFERING DIST_ALGORITHM DIST_RANKS BACKEND DEVICE MAKEFLAGS MAKELEVEL

if ! gcc --version >/dev/null 2>&1 || ! gcov --version >/dev/null 2>&1; then
    echo "make coverage needs gcc and gcov (Debian: gcc)." >&2
    exit 2
fi

build()
{
    # Nobody's rule says that programs are made of dump.c.
    if [ tests/coverage/dump.c -nt build/coverage/dump.o ]; then rm -rf $tree; fi
    mkdir -p $tree/build
    for entry in *; do
        if [ "$entry" != build ]; then ln -sfn "$here/$entry" $tree/; fi
    done
    COVERAGE_CC=${COVERAGE_CC:-gcc} COVERAGE_DUMP=$here/build/coverage/dump.o
    export COVERAGE_CC COVERAGE_DUMP
    $COVERAGE_CC -O1 -Wall -Wextra -c tests/coverage/dump.c -o $COVERAGE_DUMP || exit 1
    # A GPU's kernels have no counters: what drives them runs on the double of CUDA.
    make -C $tree CC=tests/coverage/cc.sh CFLAGS="-O1 -g" CUDA_FOR=nothing suites programs || exit 1
}

run()
{
    cd $tree || exit 1
    find build -name '*.gcda' -delete
    mkdir -p build/results
    RESULTS=$PWD/build/results/all
    TEST_HURRY=1
    GCOV_ERROR_FILE=$PWD/build/results/gcov.log # not on stderr, where tests look
    export RESULTS TEST_HURRY GCOV_ERROR_FILE
    : >"$RESULTS"
    . tests/tools/count.sh
    . tests/tools/suites.sh
    for suite in $SUITES; do
        run_suite "$suite" 400 "$(basename "$suite")"
    done
    # Mistakes once more, over the CUDA backend on simulated GPUs.
    export BACKEND=cuda DEVICE=sim
    for suite in $SUITES; do
        case $suite in
        *_misuse | *_misuse_peers | *_misuse_state) run_suite "$suite" 400 "room_$(basename "$suite")" ;;
        esac
    done
    unset BACKEND DEVICE
    OUTPUT_MODES=processes OUTPUT_SIZES=4 tests/tools/outputs.sh $CHAPTERS
    cd "$here" || exit 1
}

if [ "$KEEP" ] && [ ! -e $tree/build/results/all ]; then
    echo "KEEP=1 counts the last run again, and there was none here: make coverage" >&2
    exit 2
fi
if [ ! "$KEEP" ]; then
    build
    run
fi

# The counters lie beside each object: in the library, for the CUDA device over its double, and for headers in the suites, too.
find $tree/build/lib $tree/build/double/lib $tree/build/tests -name '*.gcno' | sort | while read -r notes; do
    (cd $tree && gcov -b -c -t "${notes#"$tree"/}" 2>/dev/null)
done | awk -v least="$LEAST" -v list=tests/coverage/left.txt -v lines=build/coverage/lines.txt -f tests/coverage/report.awk >build/coverage/report.txt
status=$?
cat build/coverage/report.txt
echo "(each line that was not reached: build/coverage/lines.txt)"
exit $status
