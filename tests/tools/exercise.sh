#!/bin/sh
# exercise.sh WHAT [NUMBER]: the guide through the exercises. `make help` shows the same as make's targets.
#
#   grade 03.1      build and grade one, say what is wrong, and where the drawings are; 03: the first unsolved one of chapter 03
#   hint 03.1       the next of three hints; 03: for the first unsolved one of chapter 03; without a number: for the first of all
#   reset 03.1      the exercise as it came; what was there is kept, and it says where
#   solution 03.1   our solution beside yours: after passing, or with FORCE=1
#   next            the first exercise that is not solved, with its picture
#   progress        all of them
#
# FROM=solutions grades the files there instead, and leaves the progress alone.

. tests/tools/exercises.sh

# The first failed test in full, of the others a few lines. $1: lines, $2: file.
show_feedback()
{
    fold -s -w 96 "$2" | head -n "$1" | sed 's/^/    /'
    [ "$(fold -s -w 96 "$2" | wc -l)" -le "$1" ] || echo "    ... all of it: $2"
}

# The run of the failed test, and the same by the solution: draw TEST
draw()
{
    kind=$(build/tests/graders/"$exercise" --tell | sed -n 's/^drawing.//p')
    picture=
    for run in yours expected; do
        trace=$out/$1.$run.json
        [ -s "$trace" ] || continue
        for kind in $kind spacetime; do
            build/bin/draw "$kind" "$trace" -o "$out/$run.dot" --title $run >/dev/null 2>&1 && break
        done || continue
        picture=$out/$run.dot
        if neato -n2 -Tsvg "$out/$run.dot" -o "$out/$run.svg" 2>/dev/null; then picture=$out/$run.svg; fi
        printf '  %-9s %s\n' $run "$picture"
    done
    case $picture in *.dot) tell_of_graphviz ;; esac
}

# Once in this tree: drawings can be had without it, and looked at elsewhere.
tell_of_graphviz()
{
    [ ! -e build/grade/told ] || return
    touch build/grade/told
    . tests/tools/packages.sh
    command=$(how_to_get "$system" Graphviz)
    echo "  Graphviz would make pictures of these drawings: ${command:-https://graphviz.org/download}"
}

# What the grader has left, in words.
show_tests()
{
    lines=9
    heading=
    while IFS="$tab" read -r _ test got max status ranks seed file; do
        case $status in
        passed)
            printf '  passed  %-24s %2d of %2d\n' "$test" "$got" "$max"
            [ ! -s "$file" ] || show_feedback 2 "$file" ;;
        failed)
            case $ranks in 0) with= ;; 1) with=", with 1 rank (GRADE_SEED=$seed)" ;; *) with=", with $ranks ranks (GRADE_SEED=$seed)" ;; esac
            printf '  FAILED  %-24s %2d of %2d%s\n' "$test" "$got" "$max" "$with"
            show_feedback $lines "$file"
            lines=3 ;;
        *)
            printf '  FAILED  %-24s %2d of %2d\n' "$test" "$got" "$max"
            [ "$status" != not_built ] || heading="    Your file could not be built:"
            why=$file ;;
        esac
    done <"$out/results.tsv"
    [ ! -s "$why" ] || { [ ! "$heading" ] || echo "$heading"; show_feedback 16 "$why"; }
}

must_be_there()
{
    [ ! -f "$source" ] || return 0
    echo "$source is not there$([ "$from" != exercises ] || echo "; make reset-$number brings it back")." >&2
    exit 2
}

what_next()
{
    if [ $result -eq 0 ]; then
        echo "Next: make next     To compare with ours: make solution-$number"
    else
        seen=$(recorded "$number" 4)
        echo "Next: change $source, then make exercise-$number again.  make hint-$number: hint $((${seen:-0} % 3 + 1)) of 3"
    fi
}

grade()
{
    must_be_there
    why=
    [ -e "solutions/$exercise.c" ] && [ "$from" != solutions ] && build_solution
    grade_file "$source"
    result=$?
    points=$(points_of "$out/results.tsv")
    title=$(build/tests/graders/"$exercise" --tell | sed -n 's/^title.//p')
    [ $result -eq 0 ] && state=passed || state=FAILED
    echo "exercise $number, $title: $state, $(echo "$points" | sed 's|/| of |') points"
    show_tests
    failed=$(awk -F '\t' '$5 == "failed" && $6 > 0 { print $2; exit }' "$out/results.tsv")
    [ ! "$failed" ] || draw "$failed"
    [ "$from" != exercises ] || { record "$number" "$(echo $state | tr A-Z a-z)" "$points"; what_next; }
    return $result
}

hint()
{
    file=exercises/$exercise.hint.md
    seen=$(recorded "$number" 4)
    stage=$((${seen:-0} % 3 + 1))
    echo "hint $stage of 3 for exercise $number"
    awk -v stage=$stage '/^## / { on = $2 == stage; next }
                         on && NF { printf "%s  %s\n", gap, $0; gap = "" }
                         on && !NF && gap == "" { gap = "\n" }' "$file"
    record "$number" "$(recorded "$number" 2)" "$(recorded "$number" 3)" $((${seen:-0} + 1))
    [ $stage -lt 3 ] || echo "That was the last one; after it comes the first again. make solution-$number FORCE=1 shows ours."
}

# The stub as it came: from the copy that a handout has, or from git. (In a student's own git it may be solved.)
reset()
{
    if ! cp "tests/stubs/$exercise.c" build/stub.c 2>/dev/null && ! git show "HEAD:./$source" >build/stub.c 2>/dev/null; then
        echo "There is neither git nor tests/stubs here to take $source from." >&2
        exit 2
    fi
    if [ -e "$source" ] && [ ! -f "$source" ]; then
        echo "$source is no file; put it aside, then make reset-$number brings the exercise back." >&2
        exit 2
    fi
    if [ ! -e "$source" ]; then
        mkdir -p "$(dirname "$source")"
        cp build/stub.c "$source" || exit 2
        echo "$source was not there any more. It is as it came."
        record "$number" open 0/10
        return
    fi
    if cmp -s build/stub.c "$source"; then
        echo "$source is as it came; there is nothing to reset."
        return
    fi
    backup=build/kept/${exercise}.$(date +%Y%m%d-%H%M%S).c
    mkdir -p "$(dirname "$backup")"
    cp "$source" "$backup" && cp build/stub.c "$source" || exit 2
    echo "$source is as it came. What you had is in $backup"
    record "$number" open 0/10
}

solution()
{
    if [ ! -e "solutions/$exercise.c" ]; then
        echo "The solutions are not in this copy of the workbook." >&2
        exit 2
    fi
    if [ "$(recorded "$number" 2)" != passed ] && [ ! "$FORCE" ]; then
        echo "Exercise $number is not solved yet. Try make hint-$number; or, if you want it now: make solution-$number FORCE=1" >&2
        exit 1
    fi
    must_be_there
    echo "One possible answer, solutions/$exercise.c (- yours, + ours):"
    diff -u "$source" "solutions/$exercise.c" | sed -e 1,2d -e 's/^/  /'
}

# The first exercise that is not passed: first_open [CHAPTER]
first_open()
{
    all_exercises | while read -r one; do
        case $(number_of "$one") in "$1"*) ;; *) continue ;; esac
        [ "$(recorded "$(number_of "$one")" 2)" = passed ] || { number_of "$one"; break; }
    done
}

next()
{
    number=$(first_open)
    if [ ! "$number" ]; then
        echo "All exercises are solved. make progress lists them."
        return
    fi
    choose "$number"
    must_be_there
    sed -n '/^\/\*/,/^ \*\//p' "$source" | sed -e 1d -e '/^ \*\/$/,$d' -e 's/^ \* \{0,1\}//'
    echo
    echo "Edit $source between the TO""DO marks, then: make exercise-$number"
}

case $1 in
progress) progress ;;
next) next ;;
grade | hint)
    case $2 in *.*) number=$2 ;; *) number=$(first_open "$2") ;; esac
    choose "${number:-${2:-01}.1}"
    $1 ;;
reset | solution) choose "$2"; $1 ;;
*) echo "usage: exercise.sh grade|hint|reset|solution NUMBER, or next|progress" >&2; exit 2 ;;
esac
