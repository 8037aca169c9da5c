#!/bin/sh
# mutants.sh: does the grader of an exercise catch every small mistake? Each solution is changed in every small way, one at a time
# (mutate.c), and graded. What passes is the same program, and stands with the reason in tests/graders/SAME; or it is a wrong
# answer, and fails here.
#
#   mutants.sh EXERCISE     tell what passes without being the same, and what SAME says of places that are no more
#
# A mutant that does not compile is none. One that passes must pass MUTANT_TIMES times (3): its calls are late by chance.

. tests/tools/whole_number.sh
whole_number MUTANT_TIMES "$MUTANT_TIMES"
exercise=$1
work=build/grade/mutants/$exercise
same=tests/graders/SAME
mutate=build/tests/tools/mutate
export GRADE_UNSEALED=1 GRADE_ONE_FAILURE=1 GRADE_TIMES="${MUTANT_TIMES:-3}"

known()
{
    awk -v exercise="$exercise.c" -F ' \\| ' '{ split($1, place, ":") } place[1] == exercise { print place[2] ":" place[3] }' $same
}

status=0
rm -rf "$work"
mkdir -p "$work"
$mutate "solutions/$exercise.c" >"$work/all" || exit 2
known >"$work/known"
: >"$work/passed"
: >"$work/none"
while read -r mistake; do
    file=$work/mutant.c
    $mutate "solutions/$exercise.c" "$mistake" >"$file"
    tests/tools/grade_one.sh "$exercise" "$file" "$work/out" </dev/null
    case $? in
    0) echo "$mistake" >>"$work/passed" ;;
    1) ! grep -q not_built "$work/out/results.tsv" || echo "$mistake" >>"$work/none" ;;
    *) echo "$exercise.c:$mistake could not be graded"; status=1 ;;
    esac
done <"$work/all"

for mistake in $(grep -v -x -F -f "$work/known" "$work/passed"); do
    echo "a mistake passes, and $same does not say why: $exercise.c:$mistake"
    $mutate "solutions/$exercise.c" "$mistake" | diff "solutions/$exercise.c" - | grep '^[<>]'
    status=1
done
for mistake in $(grep -v -x -F -f "$work/all" "$work/known"); do
    echo "$same tells of $exercise.c:$mistake, which is no more"
    status=1
done
caught=$(($(wc -l <"$work/all") - $(wc -l <"$work/none") - $(wc -l <"$work/passed")))
echo "mutants of $exercise: $caught caught, $(wc -l <"$work/passed") pass, $(wc -l <"$work/none") do not compile"
exit $status
