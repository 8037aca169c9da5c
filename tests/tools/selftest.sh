#!/bin/sh
# selftest.sh: do the tools see what they are there to see? Each is given something wrong, made in a scratch copy.

. tests/tools/count.sh

here=$PWD
tools=$here/tests/tools
work=$(mktemp -d) || exit 1
trap 'rm -rf $work' EXIT
failed=0

# expect WANTED NAME COMMAND...: the exit status must be 0 (yes) or not (no). What the command counts is not ours.
expect()
{
    wanted=$1
    name="tools: $2"
    shift 2
    if RESULTS=/dev/null "$@" >$work/say 2>&1; then got=yes; else got=no; fi
    if [ $got = $wanted ]; then
        pass "$name"
    else
        fail "$name"
        sed 's/^/    /' $work/say
        failed=1
    fi
}

# A small tree of its own: one chapter, whose program is a shell script, and a lesson.
cd $work || exit 1
mkdir -p tests chapters/01_x/expected build/chapters/01_x lib/backends/a lib/backends/b
ln -s "$tools" tests/tools

cat >chapters/01_x/hi.c <<'END'
#include <stdio.h>

/* Says how many. */
static void run(int n)
{
    printf("%d ranks\n", n);
}

int main(void)
{
    run(1);
}
END
cat >build/chapters/01_x/hi <<'END'
#!/bin/sh
echo "$WORLD_SIZE ranks  took 1.5e-3 s"
END
chmod +x build/chapters/01_x/hi
cat >chapters/01_x/README.md <<'END'
# One
<!-- insert: hi.c run -->
```c
```
and
<!-- insert: expected/hi.4.txt -->
```
```
END

outputs="tests/tools/outputs.sh build/chapters/01_x/hi"
expected=chapters/01_x/expected/hi
expect no "missing expected output fails" $outputs
expect yes "expected output is written" tests/tools/outputs.sh --write build/chapters/01_x/hi
expect yes "the same output passes" $outputs
sed 's/4/5/' $expected.4.txt >$expected.4.shape
cp $expected.4.txt keep
rm $expected.4.txt
expect yes "a shape lets numbers differ" $outputs
sed 's/ranks/ranks?/' keep >$expected.4.shape
expect no "a shape holds the words" $outputs
rm $expected.4.shape
echo "4 ranks  took 9 s" >$expected.4.txt
expect no "text compares numbers too" $outputs
cp keep $expected.4.txt
echo 3 >$expected.4.exit
expect no "a wrong exit status fails" $outputs
expect no "a wrong exit status is not written down" tests/tools/outputs.sh --write build/chapters/01_x/hi
rm $expected.4.exit
echo 'echo oops >&2' >>build/chapters/01_x/hi
expect no "words on stderr fail" $outputs

# ---- what make shows: a line for each chapter, and where a program differs

mkdir -p build/chapters/02_y chapters/02_y/expected
printf '#!/bin/sh\necho "$WORLD_SIZE ranks"\necho done\n' >build/chapters/02_y/chain
chmod +x build/chapters/02_y/chain
chapters="tests/tools/chapters.sh build/chapters/02_y/chain"
says()
{
    $chapters 2>&1 | tee said | grep -q -x -e "$1" || { cat said; return 1; }
}

printf '4 ranks\ndone\n' >chapters/02_y/expected/chain.4.txt
expect yes "make: a program that prints what it should" $chapters
expect yes "make: its line" says '  02_y  *1 of  1 programs printed what they should .*'
expect yes "make: what the chain prints is shown" says '  4 ranks'
expect yes "make: all of it is in a file" grep -q -x done build/chapters.txt
expect yes "make: settings for other runs do not reach it" env WORLD_SIZE=9 DIST_TRACE=x DEVICE=none $chapters
expect no "make: where no file can be written, it fails" env TMPDIR=/dev/null $chapters
expect yes "make: and one sentence says so" sh -c "TMPDIR=/dev/null $chapters 2>&1 | grep -q -x 'No file can be written in /dev/null: .*'"
expect no "make: no control characters" sh -c "$chapters | grep '[[:cntrl:]]'"
printf '4 ranks\nready\n' >chapters/02_y/expected/chain.4.txt
expect no "make: a program that differs fails it" $chapters
expect yes "make: the line that differs is named" says '        line 2 of chapters/02_y/expected/chain.4.txt'
expect yes "make: and what it should be" says '          expected: ready'
expect yes "make: and how to see it" says '.*make run-02 PROG=chain.*'
echo '4 ranks' >chapters/02_y/expected/chain.4.txt
expect yes "make: a line too much" says '          printed:  done'
rm chapters/02_y/expected/*
expect yes "make: a program of one's own must only end well" $chapters
echo 'exit 5' >>build/chapters/02_y/chain
expect no "make: and fails otherwise" $chapters

step="tests/tools/step.sh CC this"
expect yes "a step passes on what it did" sh -c "$step echo words 2>&1 | grep -q -x words"
expect no "and how it ended" $step false
expect yes "where a command is missing it names make doctor" sh -c "$step no-such-compiler 2>&1 | grep -q 'make doctor.* looks'"
expect no "but once" sh -c "$step no-such-compiler 2>&1 | grep -q 'make doctor'"
expect no "a step has no control characters, but on a terminal" sh -c "$step echo words 2>&1 | grep '[[:cntrl:]]'"

. "$tools/selftest_typed.sh"

# Makes differ in what they do with either; each has stopped `make` on a whole kind of machine.
expect no "the Makefile has no \\# within \$(shell)" grep -n 'shell.*\\#' "$here/Makefile"
expect no "nor a command -v that make might call without a shell" grep -n '(shell command -v [^ )]*)' "$here/Makefile"

# ---- doctor: each system's own command, where hardly anything is there

mkdir few
for tool in sh awk sed head grep id cat paste nproc ls; do ln -s "$(command -v $tool)" few/$tool; done
for pair in debian:'apt-get install gcc libc6-dev make' ubuntu:'apt-get install gcc libc6-dev make' fedora:'dnf install gcc make' \
    arch:'pacman -S --needed gcc make' alpine:'apk add gcc musl-dev linux-headers make'; do
    echo "ID=${pair%%:*}" >os-release
    expect yes "doctor: the command for ${pair%%:*}" sh -c "OS_RELEASE=$work/os-release PATH=$work/few tests/tools/doctor.sh | grep -q '${pair#*:}'"
done
expect yes "doctor: where the system is unknown, all of them" sh -c \
    "[ \$(OS_RELEASE=$work/none PATH=$work/few tests/tools/doctor.sh | grep -c ' gcc.* make ') -eq 5 ]"

# ---- graders: each test in a process of its own, with an end

cat >grader.c <<END
#include "$here/tests/grader/grader.h"
const struct exercise exercise = { .title = "a grader that is broken" };
GRADED(crashes, 5) { abort(); }
GRADED(never_ends, 5) { for (;;) continue; }
GRADED(looks_at_nothing, 5) {}
END
expect yes "a grader can be linked" ${CC:-cc} -I"$here/lib" grader.c "$here"/build/tests/grader/libgrader.a \
    "$here"/build/tests/reference.o "$here"/build/diagrams/libdraw.a -pthread -lm -o grader
expect no "a grader that is broken passes nobody" env GRADE_OUT="$work" GRADE_LIMIT=1 GRADE_CALLS=/dev/null ./grader
expect yes "a test that crashes is an error of the grader" grep -q "crashes.0.5.error" results.tsv
expect yes "a test that does not end has failed" grep -q "never_ends.0.5.failed" results.tsv
expect yes "the test after it was run" grep -q "looks_at_nothing.0.5.failed" results.tsv

lessons="tests/tools/lessons.sh --check chapters/01_x/README.md"
expect no "an empty insert is stale" $lessons
expect yes "lessons are written" tests/tools/lessons.sh chapters/01_x/README.md
expect yes "a written lesson is fresh" $lessons
expect yes "the comment above a function comes along" grep -q 'Says how many' chapters/01_x/README.md
expect no "what follows the function does not" grep -q main chapters/01_x/README.md
sed -i 's/Says how/Tells how/' chapters/01_x/hi.c
expect no "a changed program makes a lesson stale" $lessons
tests/tools/lessons.sh chapters/01_x/README.md >/dev/null
sed -i 's/4 ranks/6 ranks/' chapters/01_x/README.md
expect no "a lesson changed by hand is stale" $lessons
echo '<!-- insert: gone.c -->' >chapters/01_x/README.md
expect no "an insert of a missing file fails" $lessons
printf 'a    1  7.6 times\n' >chapters/01_x/out.txt
echo '<!-- said: out.txt: 7.6 times | a 1 -->' >chapters/01_x/README.md
expect yes "numbers that stand in the file may be named" $lessons
echo '<!-- said: out.txt: 7.6 times | 2.6 times -->' >chapters/01_x/README.md
expect no "a sentence with a number that is no longer there fails" $lessons
echo '<!-- said: out.txt: 7.6 time -->' >chapters/01_x/README.md
expect no "half a word is not found" $lessons

touch lib/dist.h lib/context.h lib/backends/a/a.h
includes="awk -f tests/tools/includes.awk chapters/01_x/hi.c lib/backends/b/b.c lib/dist.h lib/context.h lib/backends/a/a.h"
echo '#include "../../dist.h"' >lib/backends/b/b.c
expect yes "arrows that point down pass" $includes
echo '#include "../a/a.h"' >lib/backends/b/b.c
expect no "a backend must not look into another" $includes
echo '#include "../../context.h"' >lib/backends/b/b.c
expect no "a backend must not see the context" $includes
: >lib/backends/b/b.c
sed -i '1i #include "context.h"' chapters/01_x/hi.c
expect no "a chapter must not look inside" $includes

awk 'BEGIN { for (i = 0; i < 251; i++) print "int x;" }' >long.c
expect no "251 lines are too long" awk -f tests/tools/style.awk long.c
sed -i '1i /* Longer than usual: a table. */' long.c
expect yes "a reason allows it" awk -f tests/tools/style.awk long.c
printf '/* TO%s */\n' DO >short.c
expect no "a reminder is seen" awk -f tests/tools/style.awk short.c

# A suite of one test, which goes wrong in its suite, and alone if that is wanted.
cat >suite <<'END'
#!/bin/sh
case $* in
*--filter\ s/t*) [ -z "$ALWAYS" ] && echo "Tested: 1 | Passing: 1 | Failing: 0" ;;
*) for word; do
        case $word in --tap=*) printf '1..1\nnot ok - s::t  (0.10s)\n      %s\n' "$SAW" >"${word#--tap=}" ;; esac
    done
    exit 1 ;;
esac
END
chmod +x suite
mkdir -p build/results
suite_says()
{
    RUN='' ALWAYS=$2 SAW=$3 RESULTS=counted
    export RUN ALWAYS SAW RESULTS
    : >counted
    sh -c '. tests/tools/count.sh; . tests/tools/suites.sh; run_suite ./suite 20 s' >/dev/null
    [ "$(grep -c . counted)" = 1 ] && grep -q "^$1 " counted
}
expect yes "a test that is wrong in its suite and right alone is unsure" suite_says skip ""
expect yes "a test that is wrong alone, too, has failed" suite_says fail 1
expect yes "one whose ranks came to no end may be unsure" suite_says skip "" "1 of 2 ranks came to the end, 7 checks, 0 wrong."
expect yes "one whose ranks saw wrong data has failed" suite_says fail "" "2 of 2 ranks came to the end, 7 checks, 1 wrong."

exit $failed
