#!/bin/sh
# hostile.sh: can a learner's file cheat, stop, crash or outlive the grader? Each of tests/hostile/ tries it with exercise 03.1. None may
# get a point; the feedback must say the words in its first line, and that it was refused only where these words say so; and no process of it
# is left, nor a file in /dev/shm. A second line may name more seconds than 5, for one test. Root tries all of it
# as an ordinary user, too, at the same time and in a small copy of the tree.

. tests/tools/count.sh

exercise=03_ring/1_once_round
work=build/grade/hostile
export CC GRADE_UNSEALED=1 GRADE_SECONDS=5

# Why is this one not as it should be? Nothing: it is.
judge()
{
    seconds=$(sed -n '2s|^/\* seconds: \([0-9]*\) \*/$|\1|p' "$1")
    words=$(sed -n '1s|^/\* feedback: \(.*\) \*/$|\1|p' "$1")
    env ${seconds:+GRADE_SECONDS=$seconds GRADE_ONE_FAILURE=1} tests/tools/grade_one.sh $exercise "$1" $work/"$2"
    if [ "$(cut -f 3 "$work/$2/results.tsv" | sort -u)" != 0 ]; then
        echo "it gets points"
    elif ! cat "$work/$2"/*.txt | grep -q -F -e "$words"; then
        echo "the feedback does not say the words, but:"
        cat "$work/$2"/*.txt
    elif [ "${words#It asked the system}" = "$words" ] && cat "$work/$2"/*.txt | grep -F -e "It asked the system"; then
        echo "it has only made a mistake"
    elif ls -l /proc/[0-9]*/exe 2>/dev/null | grep -F "$PWD/$work/$2/"; then
        echo "is left"
    fi
}

# What it takes to grade this one exercise, in the hands of a user whom nobody is.
as_nobody()
{
    cp -r --parents lib/*.h tests/tools tests/hostile tests/grader tests/graders build/flags build/libdist.a build/tests/grader \
        build/tests/graders/03_ring solutions/$exercise.c "$copy" && chmod 755 "$copy" && chown -R $NOBODY:$NOBODY "$copy" && cd "$copy" &&
        RESULTS=$copy/results HOSTILE_AS=" as an ordinary user" CCACHE_DISABLE=1 \
            setpriv --reuid $NOBODY --regid $NOBODY --clear-groups tests/tools/hostile.sh
}

NOBODY=60700
before=$(ls /dev/shm)
copy=
if [ "$(id -u)" -eq 0 ] && setpriv --reuid $NOBODY true 2>/dev/null; then
    copy=$(mktemp -d) || exit 1
    trap 'rm -rf "$copy"' EXIT
    as_nobody >"$copy.said" 2>&1 &
fi
mkdir -p $work
printf '/* feedback: error */\nvoid once_round(void)\n{\n    this is no C\n}\n' >$work/does_not_compile.c
cat >$work/compiles_without_end.c <<'END'
/* feedback: The compiler was stopped */
#include "dist.h"
#define A(x) x x x x x x x x x x x x x x x x
#define B(x) A(A(A(A(A(x)))))
const char *words = B("much more than a program needs, ") B("again ") B("and again ");
char table[1ul << 31] = { 1, [(1ul << 31) - 1] = 1 };
void once_round(tensor *traveller, tensor *mine, int rank, int world_size) {}
END
failed=0
for file in tests/hostile/*.c $work/does_not_compile.c $work/compiles_without_end.c; do
    name=$(basename "$file" .c)
    if grep -q __asm__ "$file" && [ "$(uname -m)" != x86_64 ]; then
        skip "hostile$HOSTILE_AS: $name is written for x86_64"
        continue
    fi
    why=$(judge "$file" "$name")
    if [ ! "$why" ]; then pass "hostile$HOSTILE_AS: $name"; else
        fail "hostile$HOSTILE_AS: $name"
        echo "$why" | head -n 12 | sed 's/^/    /'
        failed=1
    fi
done
[ ! "$HOSTILE_AS" ] || exit $failed # beside root's
if [ "$copy" ]; then
    wait $! || failed=1
    cat "$copy.said"
    cat "$copy/results" >>"$RESULTS"
    [ -s "$copy/results" ] || { fail "hostile: nothing was tried as an ordinary user"; failed=1; }
    rm -f "$copy.said"
fi
if [ "$(ls /dev/shm)" = "$before" ]; then pass "hostile: /dev/shm is as it was"; else
    fail "hostile: something is left in /dev/shm"
    failed=1
fi
exit $failed
