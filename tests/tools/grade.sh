#!/bin/sh
# grade.sh: grade all exercises, as many at a time as there are processors. A table, and exit status 0 only if all tests of
# all exercises have passed. build/grade/FROM/results.tsv has a line for each test, as grade_one.sh writes them.
#
# FROM: where the files lie; exercises, if nothing else is said. FORMAT and OUT: the results for another program too (convert.c).

. tests/tools/tied.sh
. tests/tools/exercises.sh

case $FORMAT in
'' | gradescope | junit | exercism | csv) ;;
*)
    echo "FORMAT=$FORMAT is none of gradescope, junit, exercism and csv" >&2
    exit 2
    ;;
esac
can_be_written OUT "$OUT"
[ -d "$from" ] || { echo "FROM=$from is no folder here; it is exercises, solutions, or one laid out like them" >&2; exit 2; }
results=build/grade/$from/results.tsv
export CC

# A line of the table: one EXERCISE
one()
{
    number=$(number_of "$1")
    line=build/grade/$from/$1/results.tsv
    state=$(awk -F '\t' '$5 != "passed" && state != "not_built" && state != "touched" { state = $5 }
                         END { print state ? state : "passed" }' "$line")
    printf '  %-5s %-32s %6s   %s\n' "$number" "${1#*_*/*_}" "$(points_of "$line")" "$state"
    [ "$from" != exercises ] || record "$number" "$([ "$state" = passed ] && echo passed || echo failed)" "$(points_of "$line")"
}

mkdir -p "build/grade/$from"
all_exercises | xargs -P "$(nproc)" -I{} tests/tools/grade_one.sh {} "$from/{}.c" "build/grade/$from/{}"

for exercise in $(all_exercises); do
    cat "build/grade/$from/$exercise/results.tsv"
done >"$results"

for exercise in $(all_exercises); do
    one "$exercise"
done
if [ "$FORMAT" ] && ! build/tests/tools/convert "$FORMAT" "$results" >"${OUT:-/dev/stdout}"; then exit 2; fi
awk -F '\t' '{ points += $3; max += $4; wrong += $5 != "passed" }
     END { printf "%d of %d points\n", points, max; exit wrong > 0 || max == 0 }' "$results"
