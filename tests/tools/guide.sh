#!/bin/sh
# guide.sh: does the guide lead a learner through? Chapter 01 is worked through in a scratch copy, with nothing but what make calls.

. tests/tools/count.sh

here=$PWD
work=$(mktemp -d) || exit 1
trap 'rm -rf $work' EXIT
failed=0
export CC
unset FORCE FROM

mkdir -p $work/tests/graders $work/build $work/exercises $work/tests/stubs
cp -r exercises/01_first_program $work/exercises/
cp -r exercises/01_first_program $work/tests/stubs/
cp -r tests/graders/01_first_program $work/tests/graders/
grep -E 'tests/grader/|tests/graders/01_' tests/graders/SEAL >$work/tests/graders/SEAL
for name in lib solutions tests/tools tests/grader build/bin build/libdist.a build/tests build/flags; do
    ln -s "$here/$name" $work/$name
done
cd $work || exit 1
guide=tests/tools/exercise.sh
first=01_first_program/1_who_is_everyone

# expect STATUS WORDS NAME COMMAND...: it ends like that, and says the words.
expect()
{
    status=$1
    words=$2
    name="guide: $3"
    shift 3
    "$@" >said 2>&1 </dev/null
    got=$?
    if [ $got -eq "$status" ] && grep -q -e "$words" said; then
        pass "$name"
    else
        fail "$name: exit status $got, and it said:"
        head -n 20 said | sed 's/^/    /'
        failed=1
    fi
}

expect 0 "make exercise-01.1" "next shows the first exercise" $guide next
expect 0 "0 of 2 exercises solved" "progress of a beginner" $guide progress
expect 1 "^exercise 01.1, .*: FAILED, 0 of 10 points" "a stub has no points, and the first line says so" $guide grade 01.1
[ "$(wc -l <said)" -le 20 ] || { fail "guide: $(wc -l <said) lines of feedback are too many"; failed=1; }
expect 1 "yours .*svg\|yours .*dot" "a run that failed is drawn" $guide grade 01.1
expect 1 "expected .*svg\|expected .*dot" "and beside it what was expected" $guide grade 01.1
mkdir bin
printf '#!/bin/sh\nexit 1\n' >bin/neato
chmod +x bin/neato
expect 1 "Graphviz would make pictures" "without Graphviz there are .dot files, and a word on how to get it" env PATH="$work/bin:$PATH" $guide grade 01.1
expect 0 "^Next" "which is said once" sh -c "PATH=$work/bin:\$PATH $guide grade 01.1 >again; ! grep Graphviz again && cat again"
expect 0 "^hint 1 of 3" "the first hint" $guide hint 01.1
expect 0 "^hint 2 of 3" "the second hint" $guide hint 01.1
expect 0 "hints seen: 2" "progress counts hints" $guide progress
expect 1 "FORCE=1" "no solution before it is solved" $guide solution 01.1
expect 0 "dist_all_gather" "but by force" env FORCE=1 $guide solution 01.1
expect 2 "no exercise 01.7" "an exercise that is not there" $guide grade 01.7

echo 'int broken' >exercises/$first.c
expect 1 "could not be built" "a file that does not compile is named so" $guide grade 01.1
expect 1 "error" "what the compiler says is shown" $guide grade 01.1
cp solutions/$first.c exercises/$first.c
expect 0 "^exercise 01.1, .*: passed, 10 of 10 points" "a right answer passes" $guide grade 01.1
expect 0 "make exercise-01.2" "next goes on" $guide next
expect 1 "^exercise 01.2" "a chapter's number means its first unsolved exercise" $guide grade 01
expect 0 "1 of 2 exercises solved" "progress has moved" $guide progress
expect 0 "who_is_everyone .* passed .* 10/10" "and it knows the points" $guide progress
expect 0 "^hint 1 of 3 for exercise 01.2" "a hint without a number is for the next exercise" $guide hint
expect 2 "did you mean 01.2" "a number without its zero" $guide grade 1.2
expect 0 "One possible answer" "the solution, after passing" $guide solution 01.1
expect 1 "10 of 20 points" "all of them in a table" tests/tools/grade.sh
expect 0 "20 of 20 points" "the solutions have all points" env FROM=solutions tests/tools/grade.sh

echo '/* a friendlier grader */' >>tests/graders/$first.c
expect 1 "not what came with the workbook" "a changed grader gives no points" $guide grade 01.1
cp "$here/tests/graders/$first.c" tests/graders/$first.c
expect 0 "passed, 10 of 10" "put back, it does" $guide grade 01.1
expect 0 "build/kept" "reset says where the old file is" $guide reset 01.1
expect 0 "nothing to reset" "reset once more" $guide reset 01.1
expect 0 "dist_all_gather" "the old file is there" sh -c 'cat build/kept/*/*'
expect 0 "0 of 2 exercises solved" "what was reset is open again" $guide progress
rm exercises/$first.c
for command in next "grade 01.1" "solution 01.1"; do
    expect 2 "is not there; make reset-01.1 brings it back" "a file that is gone: $command" env FORCE=1 $guide $command
done
expect 0 "It is as it came" "and reset brings it back" $guide reset 01.1
rm exercises/$first.c && mkdir exercises/$first.c
expect 2 "is no file; put it aside" "a folder in its place is not reset" $guide reset 01.1
exit $failed
