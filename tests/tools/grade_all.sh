#!/bin/sh
# grade_all.sh FOLDER: grade a folder of submissions; in it each student has a folder with files in it. Each is graded apart, under limits
# of time, memory, processes and output (grade_submission.sh), JOBS at a time. A line for each as it comes, and grades.csv.
#
# build/grade-all/grades.csv   submission, points, the points of each exercise, and in which of them something was refused
# build/grade-all/001/         what grade_submission.sh left: results.tsv, the feedback of each test, say.txt
#
# In the environment: JOBS, OUT (where the csv goes), GRADE_BUDGET (seconds for one submission), GRADE_MEMORY (megabytes).

[ "$2" = --one ] || . tests/tools/tied.sh

. tests/tools/whole_number.sh
whole_number JOBS "$JOBS"
whole_number GRADE_BUDGET "$GRADE_BUDGET"
whole_number GRADE_MEMORY "$GRADE_MEMORY"
can_be_written OUT "$OUT"
work=build/grade-all
export GRADE_BUDGET="${GRADE_BUDGET:-600}" GRADE_MEMORY="${GRADE_MEMORY:-1024}"

# timeout has a group of processes of its own, which no signal to ours reaches; it passes one on to what it has started.
dies_with_us=$(setpriv --pdeathsig TERM true 2>/dev/null && echo setpriv --pdeathsig TERM)

# One submission, by its number in the list. Each has a user of its own (where root grades): 60600 and on belong to nobody.
one()
{
    name=$(sed -n "$1p" $work/list)
    place=$work/$(printf '%03d' "$1")
    said=$work/said.$1
    GRADE_USER=$((60600 + $1 % 500)) $dies_with_us timeout -k 10 $((GRADE_BUDGET + 60)) \
        tests/tools/grade_submission.sh "$submissions/$name" "$place" >"$said" 2>&1 </dev/null
    status=$?
    mkdir -p "$place"
    mv "$said" "$place/say.txt"
    if [ $status -ne 0 ]; then
        printf '  %-40s could not be graded: %s\n' "$name" "$(tail -n 1 "$place/say.txt")"
        return 1
    fi
    printf '  %-40s %s\n' "$name" "$(tail -n 1 "$place/say.txt")"
}

submissions=$1
[ "$2" = --one ] && { one "$3"; exit; }
if [ ! -d "$submissions" ]; then
    [ ! "$submissions" ] || echo "$submissions is no folder" >&2
    echo "usage: make grade-all SUBMISSIONS=folder   (in it a folder for each student)" >&2
    exit 2
fi

rm -rf $work
mkdir -p $work
(cd "$submissions" && find . -mindepth 1 -maxdepth 1 -type d ! -name '*[[:cntrl:]]*' ! -name '.*' -printf '%f\n' | sort) >$work/list
count=$(wc -l <$work/list)
aside=$(find "$submissions" -mindepth 1 -maxdepth 1 ! -name '.*' | wc -l)
[ "$aside" -le "$count" ] || echo "Left aside: $((aside - count)) in $submissions that are no folders (unpack archives first), or have a line break in their name."
[ "$count" -gt 0 ] || { echo "There is no folder in $submissions, so nothing to grade." >&2; exit 2; }

seq "$count" | xargs -P "${JOBS:-$(nproc)}" -I{} "$0" "$submissions" --one {}
status=$?

set --
number=0
while IFS= read -r name; do
    number=$((number + 1))
    set -- "$@" "$name" "$work/$(printf '%03d' $number)/results.tsv"
done <$work/list
build/tests/tools/convert grades "$@" >"${OUT:-$work/grades.csv}" || status=1
echo "$count submissions: ${OUT:-$work/grades.csv}"
[ $status -eq 0 ]
