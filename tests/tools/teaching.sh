#!/bin/sh
# teaching.sh: do the teachers' tools keep what tests/TEACHING.md promises? Everything happens in scratch copies; what was built is
# taken over, so that hardly anything is compiled again.

. tests/tools/count.sh

work=$(mktemp -d) || exit 1
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
failed=0
export CC LC_ALL=C
unset MAKEFLAGS MAKELEVEL MFLAGS FROM FORCE OUT FORMAT ONLY GRADE_UNSEALED

# expect NAME COMMAND...: it must end well; else what it said is shown.
expect()
{
    name="teaching: $1"
    shift
    if "$@" >"$work/said" 2>&1 </dev/null; then
        pass "$name"
    else
        fail "$name"
        tail -n 12 "$work/said" | sed 's/^/    /'
        failed=1
    fi
}

valid_json()
{
    if command -v python3 >/dev/null 2>&1; then python3 -m json.tool "$@" >/dev/null; fi
}

# What make has built, for a copy of the tree: take_build TREE
take_build()
{
    mkdir -p "$1/build"
    (cd build && cp -a lib diagrams tests double cuda bin flags dist.o lib*.a "$1/build/")
    rm -rf "$1/build/tests/tsan"
}

# ---- a zip for Gradescope, unpacked where and as Gradescope does ------------------------

autograder=$work/autograder
result=$autograder/results/results.json

unpack()
{
    tests/tools/gradescope.sh || return 1
    mkdir -p "$autograder/source" "$autograder/submission" "$autograder/results"
    (cd "$autograder/source" && unzip -q -o "$OLDPWD/build/autograder.zip") && take_build "$autograder/source/workbook"
}

# Root in a container may do less than root: without this nothing there would be as it is on Gradescope.
as_in_a_container()
{
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --bounding-set=-sys_admin,-sys_resource,-sys_ptrace,-net_admin --inh-caps=-all "$@"
    else
        "$@"
    fi
}

run_autograder()
{
    (cd "$autograder" && AUTOGRADER=$autograder GRADE_BUDGET=40 as_in_a_container source/run_autograder)
}

# submit FILE POINTS WORDS: it gets these points, and is told the words; whoever looks at any time finds whole results.
submit()
{
    rm -rf "$autograder/submission" "$result" "$work"/seen.*
    mkdir -p "$autograder/submission/what I did"
    [ ! -e "$1" ] || cp "$1" "$autograder/submission/what I did/1_once_round.c"
    run_autograder &
    for look in 1 2 3 4 5; do
        sleep 0.4
        [ ! -e "$result" ] || cp "$result" "$work/seen.$look"
    done
    wait $!
    for seen in "$work"/seen.* "$result"; do
        [ ! -e "$seen" ] || valid_json "$seen" || return 1 # a busy machine may not have come to it at the first looks
    done
    grep '"number": "03.1"' -A 1 "$result"
    grep -q "^  \"score\": $2,\$" "$result" && grep -q -e "$3" "$result" && ! pgrep -U 60600 -l
}

if command -v zip >/dev/null 2>&1 && command -v unzip >/dev/null 2>&1; then
    expect "the zip for Gradescope" unpack
    expect "no solution is in it" sh -c "! unzip -l build/autograder.zip | grep -E 'solutions/|tests/wrong/|tests/right/'"
    expect "setup.sh" env AUTOGRADER="$autograder" "$autograder/source/setup.sh"
    expect "a right answer, in a folder with blanks" submit solutions/03_ring/1_once_round.c 10 '"passed"'
    expect "nothing was handed in" submit none 0 'There is no 1_once_round.c'
    for name in sleeps:'had not ended' crashes:'It crashed' floods:'printed without an end' fork_bomb:'machine code in it' asks_the_system:'asked the system for what no exercise needs'; do
        expect "a submission that ${name%%:*}" submit "tests/hostile/${name%%:*}.c" 0 "${name#*:}"
    done
    if [ "$(id -u)" -eq 0 ]; then expect "a submission that forges" submit tests/gradescope/forges.c 0 'machine code in it'; fi
else
    skip "teaching: zip or unzip is not there, so no zip for Gradescope was tried"
fi

# ---- a grading that is stopped ----------------------------------------------------------

# The session in which the grading that process $1 has started runs (tied.sh).
session_of()
{
    ps -eo pid=,ppid=,sid= | awk -v starter="$1" '$2 == starter { outer = $1 } outer && $2 == outer && $1 == $3 { print $1 }'
}

# stopped SIGNAL COMMAND: whoever has started it gets the signal, and nothing runs on.
stopped()
{
    setsid sh -c "$2; true" &
    starter=$!
    for _ in $(seq 300); do
        session=$(session_of $starter)
        [ "$session" ] && [ "$(ps -o pid= -s "$session" | wc -l)" -gt 3 ] && break
        sleep 0.1
    done
    [ "$session" ] || { echo "it has not begun"; return 1; }
    if [ "$1" = KILL ]; then kill -s KILL $starter; else kill -s "$1" -- -$starter; fi
    for _ in $(seq 300); do
        [ "$(ps -o pid= -s "$session" | wc -l)" -gt 0 ] || return 0
        sleep 0.1
    done
    echo "these run on:"
    ps -o pid=,args= -s "$session"
    return 1
}

if command -v setsid >/dev/null 2>&1 && setpriv --pdeathsig TERM true 2>/dev/null; then
    mkdir -p "$work/asleep/anna"
    cp tests/hostile/sleeps.c "$work/asleep/anna/1_once_round.c"
    chmod -R go+rX "$work/asleep"
    expect "a grading that gets SIGTERM ends with all that it runs" stopped TERM "FROM=solutions tests/tools/grade.sh"
    expect "and so does one whose starter was killed" stopped KILL "FROM=solutions tests/tools/grade.sh"
    expect "and that of a folder" stopped KILL "tests/tools/grade_all.sh $work/asleep"
else
    skip "teaching: setsid or setpriv is not there, so no grading was stopped"
fi

# ---- a folder of submissions, graded side by side ---------------------------------------

grade_all()
{
    mkdir -p "$work/all/Bea, \"B\"" "$work/all/bomb/03_ring" "$work/all/=1+1"
    cp solutions/03_ring/1_once_round.c "$work/all/Bea, \"B\""
    cp tests/hostile/fork_bomb.c "$work/all/bomb/03_ring/1_once_round.c"
    cp tests/hostile/crashes.c "$work/all/=1+1/1_once_round.c"
    mkdir -p "$work/all/in folders/build/tests/solutions" "$work/all/large" "$work/all/odd"
    cp solutions/03_ring/1_once_round.c "$work/all/in folders/build/tests/solutions"
    { cat solutions/03_ring/1_once_round.c && head -c 600000 /dev/zero | tr '\0' ' '; } >"$work/all/large/1_once_round.c"
    cp solutions/03_ring/1_once_round.c "$work/all/odd/1_once
round.c"
    JOBS=3 OUT=$work/grades.csv tests/tools/grade_all.sh "$work/all"
}

grades_are()
{
    cat "$work/grades.csv"
    cut -d , -f 1-3 "$work/grades.csv" | grep -q '^"bomb",0,' && grep -q '^"bomb",0,.*,"03.1"' "$work/grades.csv" && grep -q "^\"'=1+1\",0," "$work/grades.csv" &&
        grep -q '^"Bea, ""B""",10,' "$work/grades.csv" && grep -q '^"in folders",10,' "$work/grades.csv" &&
        grep -q '^"large",0,.*,"03.1"' "$work/grades.csv" && grep -q '^"odd",0,' "$work/grades.csv" &&
        grep -r -q 'larger than 512k' build/grade-all/*/03_ring && grep -r -q 'line break' build/grade-all/*/03_ring &&
        [ "$(wc -l <"$work/grades.csv")" -eq 7 ]
}

if [ "$(id -u)" -ne 0 ] || setpriv --reuid 60600 --clear-groups test -r lib/dist.h -a -x build; then
    expect "a folder of submissions" grade_all
    expect "its csv has a line for each" grades_are
else
    skip "teaching: user 60600 cannot read $PWD, so no folder of submissions was graded"
fi

# ---- the students' copy ------------------------------------------------------------------

handout()
{
    FORCE=1 tests/tools/handout.sh && tar -xzf build/handout.tar.gz -C "$work" && take_build "$work/workbook"
}

# No file of it is a solution or a wrong answer, under whatever name.
tells_nothing()
{
    find solutions tests/wrong tests/right -name '*.c' -exec sha256sum {} + | cut -c 1-64 | sort -u >"$work/ours"
    find "$work/workbook" -name '*.c' -exec sha256sum {} + | grep -F -f "$work/ours" && return 1
    ! find "$work/workbook" -path '*/build' -prune -o -name '*TEACHING*' -print | grep .
}

in_students_copy()
{
    (cd "$work/workbook" && make CC="${CC:-cc}" "$@")
}

solved_in_students_copy()
{
    cp solutions/01_first_program/1_who_is_everyone.c "$work/workbook/exercises/01_first_program/"
    in_students_copy exercise-01.1 && in_students_copy reset-01.1 &&
        cmp exercises/01_first_program/1_who_is_everyone.c "$work/workbook/exercises/01_first_program/1_who_is_everyone.c"
}

expect "the students' copy" handout
expect "it holds no solutions, no wrong answers, nothing for teachers" tells_nothing
expect "it grades by itself, and resets" solved_in_students_copy
expect "teachers' commands say that they are not there" sh -c "! (cd $work/workbook && make gradescope) 2>$work/e; grep -q teacher $work/e"

# ---- a new exercise ----------------------------------------------------------------------

new_exercise()
{
    mkdir -p "$work/teacher/tests"
    cp -rp Makefile lib diagrams exercises solutions "$work/teacher/"
    cp -rp tests/*.[ch] tests/doubles tests/grader tests/graders tests/wrong tests/right tests/tools "$work/teacher/tests/"
    take_build "$work/teacher"
    (cd "$work/teacher" && export RESULTS=/dev/null && make new-exercise NAME=03_ring/99_thing &&
        make CC="${CC:-cc}" gates ONLY=03.99 TIMES=2)
}

expect "a new exercise, and all four gates hold" new_exercise
expect "not a second one of that number" sh -c "! (cd $work/teacher && tests/tools/new_exercise.sh 03_ring/99_other)"

# ---- results for other programs -----------------------------------------------------------

formats()
{
    printf 'a "b" <c> & ]]> \\ \001\033\377 \355\240\200\n' >"$work/words.txt"
    printf '03_ring/1_a\tb_c\t0\t6\tfailed\t3\t7\t%s\n' "$work/words.txt" >"$work/results.tsv"
    for format in gradescope exercism; do
        build/tests/tools/convert $format "$work/results.tsv" >"$work/json" && valid_json "$work/json" || return 1
    done
    build/tests/tools/convert junit "$work/results.tsv" >"$work/xml" || return 1
    command -v python3 >/dev/null 2>&1 || return 0
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$work/xml"
}

expect "results for other programs are valid, whatever was said" formats

exit $failed
