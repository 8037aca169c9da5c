#!/bin/sh
# grade_one.sh EXERCISE SOURCE OUT: build one learner's file, grade it, and leave everything in the folder OUT.
#
#   EXERCISE     03_ring/1_once_round: build/tests/graders/EXERCISE and its .desk.o grade it; make has built these
#   OUT          results.tsv   a line for each test: exercise test points max status ranks seed feedback-file, with tabs between
#                build.txt     what the compiler and the linker said
#                TEST.txt      the feedback, TEST.yours.json and TEST.expected.json the runs to be drawn
#                program       the learner's program at the grader's desk
#   status       passed, failed, error (the grader is broken), not_built, touched (the grader is not ours), refused (the file has
#                tried what no exercise needs: files that it may not see, calls that it may not make, machine code)
#
# In the environment: CC; GRADE_SOLUTION, a program made from the solution; GRADE_SEED; GRADE_SECONDS;
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

# refuse WORDS: it has tried what no exercise needs.
refuse()
{
    [ ! "$GRADE_USER" ] || chown -h 0 "$out" "$out/build.txt"
    echo "$1" >>"$out/build.txt"
    no_points refused "$out/build.txt"
}

# What the exercise's function is called: what the desk wants from outside, and has declared itself.
wanted()
{
    sed -n 's/^[a-z].*[ *]\([a-z][a-z_0-9]*\)(.*/\1/p' "tests/graders/$exercise.desk.c" | sort -u >"$out/declared"
    $nm -u "$desk" | awk '{ print $NF }' | sort -u | comm -12 - "$out/declared"
}

# A file may include what it likes: so the compiler too sees no more than its author may see.
as_learner()
{
    if [ "$GRADE_USER" ]; then
        setpriv --reuid "$GRADE_USER" --regid "$GRADE_USER" --clear-groups -- env CCACHE_DISABLE=1 "$@"
    else
        "$@"
    fi
}

# Only what the desk calls stays visible, so that nothing in a learner's file can take the place of something else; main
# becomes private too. Calls of the library go through tests/grader/late.c, those for memory through heap.c.
seat()
{
    wanted >"$out/wanted"
    $nm build/tests/grader/late.o | sed -n 's/.* T desk_late_\(.*_\(from\|with\|at\)\)$/dist_\1 desk_late_\1/p' >"$out/late"
    $nm build/tests/grader/heap.o | sed -n 's/.* T desk_heap_\(.*\)$/\1 desk_heap_\1/p' >>"$out/late"
    echo "dist_span_begin desk_own_span_begin" >>"$out/late"
    $nm "$out/learner.o" | awk '$(NF - 1) ~ /^[UwvC]$/ { print $NF }' >"$out/calls" # C: whoever else has the name gives it its place
    $objcopy --keep-global-symbols="$out/wanted" --redefine-syms="$out/late" "$out/learner.o" "$out/seated.o"
}

# A compiler, too, can be made to take all memory, or all time, or to write without an end.
compiler()
{
    (
        ulimit -v 1500000 # kilobytes
        ulimit -t 40      # seconds
        ulimit -f 131072  # half kilobytes
        as_learner timeout -k 5 60 $CC "$@" >>"$out/build.txt" 2>&1 </dev/null
    )
}

# What is declared and not set holds no number by luck, where the compiler can do that; arrays are looked at within, and behind.
guards()
{
    echo -fsanitize=bounds -fsanitize-undefined-trap-on-error
    for guard in -fstack-protector-all -ftrivial-auto-var-init=pattern; do
        ! $CC $guard -E -x c /dev/null >/dev/null 2>&1 || echo $guard
    done
}

# By way of the assembler's text, where machine code of the learner's own can be seen. What was read is written down, too.
compile()
{
    : >"$out/build.txt"
    [ ! "$GRADE_USER" ] || chown "$GRADE_USER" "$out" "$out/build.txt" || exit 2
    compiler -std=c11 -Ilib -pthread -O1 -g -fno-common -ffp-contract=off -Wall -Wextra -Wno-unused -Wno-unused-parameter \
        $(guards) -MD -MF "$out/read.d" -S "$source" -o "$out/learner.s" && no_machine_code && compiler -c "$out/learner.s" -o "$out/learner.o"
    compiled=$?
    [ ! "$GRADE_USER" ] || chown -h 0 "$out" "$out/build.txt" "$out/learner.o" "$out/learner.s" "$out/read.d" 2>/dev/null
    if [ $compiled -eq 124 ] || grep -q -i -E 'out of memory|limit exceeded|virtual memory exhausted|cannot allocate|signal terminated' "$out/build.txt"; then
        refuse "The compiler was stopped: your file made it take more than its share of time (40 seconds), memory (1500 MB) or output (64 MB)."
    fi
    [ "$(wc -c <"$out/build.txt")" -lt 20000 ] || { head -c 20000 "$out/build.txt" >"$out/said" && mv "$out/said" "$out/build.txt"; }
    return $compiled
}

# Both compilers mark what an asm statement has said. Names are written down as they are: who puts directives into one is seen, too.
no_machine_code()
{
    if grep -q -E -e '^[[:space:]]*(#|//|@|;)APP' -e 'scope inline assembly' "$out/learner.s" ||
        sed '/^[[:space:]]*\.\(string\|ascii\|asciz\)[[:space:]]/d' "$out/learner.s" |
        grep -q -E '(^|[[:space:];])\.(incbin|include|macro|irpc?|rept|altmacro|symver)([[:space:]]|$)'; then
        refuse "Your file has machine code in it (asm, or directives of the assembler). No exercise needs that, and it is not allowed."
    fi
}

# What the compiler has read besides the file itself, our two headers and what they include, and the toolchain's headers. The paths
# are those of the files themselves, whatever the names were by which the file got at them.
read_more()
{
    {
        echo "$source"
        printf 'lib/%s.h\n' dist dist_base tensor dist_streams
    } | xargs -d '\n' realpath -m >"$out/may_read"
    $CC -E -v -x c /dev/null 2>&1 >/dev/null | sed -n '/^#include </,/^End/s/^ //p' | xargs -d '\n' realpath -m |
        sed 's|$|/|' >"$out/toolchain"
    sed -e 's/^[^ ]*: *//' -e 's/\\$//' -e 's/\\ /\x01/g' "$out/read.d" | tr -s ' ' '\n' | tr '\001' ' ' | grep . |
        xargs -d '\n' realpath -m | awk -v may="$out/may_read" -v toolchain="$out/toolchain" '
            BEGIN {
                while ((getline line <may) > 0) known[line] = 1
                while ((getline line <toolchain) > 0) folders[line] = 1
            }
            {
                good = $0 in known
                for (folder in folders) good = good || index($0, folder) == 1
                if (!good) print
            }'
}

link()
{
    $CC -static-libgcc "$out/seated.o" "$desk" build/tests/grader/libdesk.a build/libdist.a -pthread -lm -ldl -o "$out/program" >"$out/link.txt" 2>&1
}

rm -rf "$out"
mkdir -p "$out" || exit 2
[ -x "$grader" ] || { echo "$grader is missing: start this through make" >&2; exit 2; }

if [ ! "$GRADE_UNSEALED" ] && ! tests/tools/seal.sh --check "$exercise" >"$out/seal.txt" 2>&1; then no_points touched "$out/seal.txt"; fi
if ! compile; then no_points not_built "$out/build.txt"; fi
more=$(read_more)
[ ! "$more" ] || refuse "Your file includes $(echo $more). Include dist.h and headers of the system, nothing else."
if ! seat || ! link; then
    if words=$(GRADE_CALLS="$out/calls" "$grader" --refused); then refuse "$words"; fi
    {
        grep -o "undefined reference to .*" "$out/link.txt" | sort -u | sed 's/^/Your file has no function that is needed: /'
        cat "$out/link.txt"
    } >>"$out/build.txt"
    no_points not_built "$out/build.txt"
fi
if $objdump -h "$out/learner.o" | grep -q -E '\.(preinit_array|init_array|ctors|fini_array|dtors|init |fini )' ||
    $nm "$out/learner.o" | grep -q ' i '; then
    refuse "Your file has code that runs before or after main; no exercise needs that, and it is not allowed."
fi

[ ! "$GRADE_BUILD_ONLY" ] || exit 0

export GRADE_EXERCISE=$exercise GRADE_SOURCE="$source" GRADE_OUT="$out" GRADE_PROGRAM="$out/program" GRADE_CALLS="$out/calls"
times=${GRADE_TIMES:-1}
status=0
while [ $status -eq 0 ] && [ "$times" -gt 0 ]; do
    "$grader" >"$out/grader.log" 2>&1 </dev/null
    status=$?
    times=$((times - 1))
done
rm -f "$out"/*.line "$out/wanted" "$out/declared" "$out/late" "$out/late_once" "$out/learner.s" "$out/read.d" "$out/may_read" "$out/toolchain"
[ -s "$out/results.tsv" ] || no_points error "$out/grader.log"
exit $((status > 1 ? 2 : status))
