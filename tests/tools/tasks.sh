#!/bin/sh
# tasks.sh [NN]: the answers to the tasks that lessons give without a grader, solutions/NN_topic/tasks/K.txt: is there one for each, and
# does each do what it says? An answer is text; then perhaps, once or more,
#
#     try: [VARIABLE=VALUE...] PROGRAM     a program of the chapter, with
#     status: 45                           the exit status, where it is not 0
#     says: WORDS                          words of a line that it must say
#
# and last, perhaps, a diff: what to change in the chapter's programs or headers first.

. tests/tools/count.sh

work=build/tasks
unset DIST_BUFFERING DIST_RANKS DIST_CHECK WORLD_SIZE

# How many tasks a lesson numbers under "Try it yourself".
tasks_of()
{
    sed -n '/^## Try it yourself/,/^## Key/p' "$1" | grep -c '^[0-9][0-9]*\. '
}

# The programs that the diff changes, and those that are tried, built in $here beside all headers of the chapter: one of them may be what
# the diff changes. By git, as whoever has the workbook has that; it shall not look for a repository above, which may be another user's.
build()
{
    grep -q '^+++ ' "$answer" || return 0
    cp "$chapter"/*.[ch] "$here/" || return 1
    for data in "$chapter"/*.txt; do
        [ ! -e "$data" ] || cp "$data" "$here/" || return 1
    done
    (cd "$here" && GIT_CEILING_DIRECTORIES="$(cd .. && pwd -P)" git apply -p0 -) <"$answer" || return 1
    for program in $(sed -n -e 's/^+++ \(.*\)\.c$/\1/p' -e '/^--- /,$d' -e 's/^try: \(.* \)*//p' "$answer" | sort -u); do
        # shellcheck disable=SC2046 # what the chapter's programs are linked with, or nothing
        ${CC:-cc} -std=c11 -g -O1 -Wall -Werror -Ilib -I"$chapter" "$here/$program.c" $(ls "build/$chapter"/*.a 2>/dev/null) \
            build/libdist.a -pthread -lm -ldl -o "$here/$program" ||
            return 1
    done
}

# try ENVIRONMENT... PROGRAM: leaves what it said, and its exit status.
try()
{
    for program in "$@"; do :; done
    command=$here/$program
    [ -x "$command" ] || command=build/$chapter/$program
    settings=$(echo "$*" | sed "s| *$program\$||")
    # shellcheck disable=SC2086 # variables, one word each
    env TMPDIR="$PWD/$here" $settings timeout -k 2 60 "$command" >"$here/said" 2>&1 </dev/null
    status=$?
}

# One answer: all its lines, in their order.
answer()
{
    here=$work/$(basename "$chapter").$(basename "$answer" .txt)
    rm -rf "$here" && mkdir -p "$here"
    build >"$here/built" 2>&1 || { head -n 5 "$here/built"; return 1; }
    status=0
    wanted=0
    sed '/^--- /,$d' "$answer" >"$here/lines"
    while IFS= read -r line; do
        case $line in
        try:*)
            [ "$status" -eq "$wanted" ] || { echo "exit status $status, not $wanted"; return 1; }
            wanted=0
            try ${line#try: }
            ;;
        status:*) wanted=${line#status: } ;;
        says:*) grep -q -F -e "${line#says: }" "$here/said" || { echo "it does not say: ${line#says: }"; head -n 8 "$here/said"; return 1; } ;;
        esac
    done <"$here/lines"
    [ "$status" -eq "$wanted" ] || { echo "exit status $status, not $wanted"; return 1; }
}

failed=0
for chapter in chapters/"$1"*_*; do
    if [ ! -d "solutions/$(basename "$chapter")/tasks" ]; then
        skip "$chapter: nobody has answered its tasks"
        continue
    fi
    tasks=$(tasks_of "$chapter/README.md")
    number=1
    while [ $number -le "$tasks" ]; do
        answer=solutions/$(basename "$chapter")/tasks/$number.txt
        if [ ! -s "$answer" ]; then
            fail "$chapter/README.md: task $number has no answer; it belongs into $answer"
            failed=1
        elif answer; then
            pass "$answer does what it says"
        else
            fail "$answer does not do what it says"
            failed=1
        fi
        number=$((number + 1))
    done
    [ ! -e "solutions/$(basename "$chapter")/tasks/$number.txt" ] || { fail "$chapter has no task $number, but an answer to it"; failed=1; }
done
exit $failed
