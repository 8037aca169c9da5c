#!/bin/sh
# grade_one.sh EXERCISE SOURCE OUT: build one learner's file, grade it, and leave everything in the folder OUT.
#
#   EXERCISE     03_ring/1_once_round: build/tests/graders/EXERCISE and its .desk.o grade it; make has built these
#   OUT          results.tsv   a line for each test: exercise test points max status ranks seed feedback-file, with tabs between
#                build.txt     what the compiler and the linker said
#                TEST.txt      the feedback, TEST.yours.json and TEST.expected.json the runs to be drawn
#                program       the learner's program at the grader's desk
#   status       passed, failed, error (the grader is broken), not_built, touched (the grader is not ours)
#
# In the environment: CC; GRADE_SOLUTION, a program made from the solution; GRADE_SIZES=all; GRADE_SEED; GRADE_SECONDS;
# GRADE_TIMES, how often it must pass; GRADE_BUILD_ONLY; GRADE_UNSEALED, for whoever is writing a grader; GRADE_LIMIT, seconds for
# all tests together; GRADE_MEMORY, megabytes for the program; GRADE_USER, a number: root grades, and the learner's file is
# compiled and run as that user.
# Exit status: 0 all tests passed, 1 not all, 2 it could not be graded.

exercise=$1
source=$2
out=$3
grader=build/tests/graders/$exercise
desk=$grader.desk.o
CC=${CC:-$(sed 's/ -std=c11 .*//' build/flags)} # what the library was built with
nm=$($CC -print-prog-name=nm) objcopy=$($CC -print-prog-name=objcopy) objdump=$($CC -print-prog-name=objdump)
unset RANK WORLD_SIZE LOCAL_RANK OMPI_COMM_WORLD_RANK PMI_RANK SLURM_STEP_ID
export LC_ALL=C

# A line for each test, with no points: no_points STATUS FEEDBACK-FILE
no_points()
{
    $grader --tell | awk -F '\t' -v exercise="$exercise" -v status="$1" -v file="$2" '
        $1 == "test" { printf "%s\t%s\t0\t%d\t%s\t0\t0\t%s\n", exercise, $2, $3, status, file }' >"$out/results.tsv"
    exit 1
}

# What the exercise's function is called: all that the desk wants from outside and that no library has.
wanted()
{
    $nm -u "$desk" | awk '{ print $NF }' | grep -v -E '^(dist|tensor|desk)_|^_'
}

# A file may include what it likes: so the compiler too sees no more than its author may see.
as_learner()
{
    if [ "$GRADE_USER" ]; then
        setpriv --reuid "$GRADE_USER" --regid "$GRADE_USER" --clear-groups -- "$@"
    else
        "$@"
    fi
}

# Only what the desk calls stays visible, so that nothing in a learner's file can take the place of something else; main
# becomes private too. Calls of the library go through tests/grader/late.c.
seat()
{
    wanted >"$out/wanted"
    $nm build/tests/grader/late.o | sed -n 's/.* T late_\(.*_\(from\|with\|at\)\)$/dist_\1 late_\1/p' >"$out/late"
    $nm -u "$out/learner.o" | awk '{ print $NF }' >"$out/calls"
    $objcopy --keep-global-symbols="$out/wanted" --redefine-syms="$out/late" "$out/learner.o" "$out/seated.o"
}

compile()
{
    [ ! "$GRADE_USER" ] || chown "$GRADE_USER" "$out" || exit 2
    as_learner timeout -k 5 60 $CC -std=c11 -Ilib -pthread -O1 -g -ffp-contract=off -Wall -Wextra -Wno-unused -Wno-unused-parameter \
        -c "$source" -o "$out/learner.o" >"$out/build.txt" 2>&1 </dev/null
    compiled=$?
    [ ! "$GRADE_USER" ] || chown -h 0 "$out" "$out/learner.o" 2>/dev/null
    [ $compiled -ne 124 ] || echo "The compiler had not ended after 60 seconds." >>"$out/build.txt"
    return $compiled
}

# What the file includes of ours, besides the two headers; nobody may include an answer.
includes_more()
{
    as_learner $CC -std=c11 -Ilib -MM "$source" 2>/dev/null | tr -s ' \\' '\n' | sed '1d' |
        grep -v -E -e '^lib/(dist|dist_base|tensor|dist_streams)\.h$' -e '^$' -e "^$source\$"
}

link()
{
    $CC "$out/seated.o" "$desk" build/tests/grader/libdesk.a build/libdist.a -pthread -lm -o "$out/program" >"$out/link.txt" 2>&1
}

rm -rf "$out"
mkdir -p "$out" || exit 2
[ -x "$grader" ] || { echo "$grader is missing: start this through make" >&2; exit 2; }

if [ ! "$GRADE_UNSEALED" ] && ! tests/tools/seal.sh --check "$exercise" >"$out/seal.txt" 2>&1; then no_points touched "$out/seal.txt"; fi
if ! compile; then no_points not_built "$out/build.txt"; fi
if more=$(includes_more); then
    echo "Your file includes $(echo $more). Include dist.h and headers of the system, nothing else." >>"$out/build.txt"
    no_points not_built "$out/build.txt"
fi
if ! seat || ! link; then
    {
        grep -o "undefined reference to .*" "$out/link.txt" | sort -u | sed 's/^/Your file has no function that is needed: /'
        cat "$out/link.txt"
    } >>"$out/build.txt"
    no_points not_built "$out/build.txt"
fi
if $objdump -h "$out/learner.o" | grep -q -E '\.(preinit_array|init_array|ctors|fini_array|dtors)'; then
    echo "Your file has code that runs before or after main; no exercise needs that, and it is not allowed." >>"$out/build.txt"
    no_points not_built "$out/build.txt"
fi

[ ! "$GRADE_BUILD_ONLY" ] || exit 0

export GRADE_EXERCISE=$exercise GRADE_OUT="$out" GRADE_PROGRAM="$out/program" GRADE_CALLS="$out/calls"
times=${GRADE_TIMES:-1}
status=0
while [ $status -eq 0 ] && [ "$times" -gt 0 ]; do
    timeout -k 5 "${GRADE_LIMIT:-240}" "$grader" >"$out/grader.log" 2>&1 </dev/null
    status=$?
    times=$((times - 1))
done
rm -f "$out"/*.line "$out/wanted" "$out/late" "$out/late_once"
[ -s "$out/results.tsv" ] || no_points error "$out/grader.log"
exit $((status > 1 ? 2 : status))
