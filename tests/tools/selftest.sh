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

touch lib/dist.h lib/context.h lib/backends/a/a.h
includes="awk -f tests/tools/includes.awk chapters/01_x/hi.c lib/backends/b/b.c lib/dist.h lib/context.h lib/backends/a/a.h"
echo '#include "../../dist.h"' >lib/backends/b/b.c
expect yes "arrows that point down pass" $includes
echo '#include "../a/a.h"' >lib/backends/b/b.c
expect no "a room must not look into another" $includes
echo '#include "../../context.h"' >lib/backends/b/b.c
expect no "a room must not see the context" $includes
: >lib/backends/b/b.c
sed -i '1i #include "context.h"' chapters/01_x/hi.c
expect no "a chapter must not look inside" $includes

awk 'BEGIN { for (i = 0; i < 251; i++) print "int x;" }' >long.c
expect no "251 lines are too long" awk -f tests/tools/style.awk long.c
sed -i '1i /* Longer than usual: a table. */' long.c
expect yes "a reason allows it" awk -f tests/tools/style.awk long.c
printf '/* TO%s */\n' DO >short.c
expect no "a reminder is seen" awk -f tests/tools/style.awk short.c

exit $failed
