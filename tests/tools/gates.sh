#!/bin/sh
# gates.sh: do the graders judge right? Five gates for each exercise:
#
#   stub       it compiles and gets no point
#   solution   it passes TIMES times (20), its calls late by chance, with every number of ranks from 1 to 8, and leaves nothing behind
#   wrong      at least four wrong answers, tests/wrong/NN_topic/NAME/WHY.c, fail, and the feedback says the words in their first line;
#              each is tried TRIES times (2), its calls late by chance. Its second line may name the seconds after which it is stopped, or words that
#              would be false ("unsaid"): these must not be said. A claim that it breaks (tests/graders/CLAIMS) is missed by the test
#              named there
#   right      answers of other kinds, tests/right/NN_topic/NAME/*.c, pass too, each RIGHT times (1), and print what the solution prints:
#              ranks as processes, as threads, with sends that return early, and on simulated GPUs. A file without a main gets the solution's
#   regions    stub and solution differ only between their marks, of which there are one to three pairs
#   mutants    with MUTATE=1: the solution with any small mistake in it fails, or is the same program (mutants.sh)
#
# ONLY=03.1 or ONLY=03: not all. WRONG=4: of each exercise's wrong answers so many, and one right one, as processes only. EVERY=2: of the wrong and
# the right ones every second, and the others on the next day (count.sh). Exit status 0 only if all hold.

. tests/tools/count.sh
. tests/tools/exercises.sh

whole_number TIMES "$TIMES" && whole_number TRIES "$TRIES" && whole_number RIGHT "$RIGHT" && whole_number WRONG "$WRONG"
whole_number MUTANT_TIMES "$MUTANT_TIMES"
unset DIST_RANKS DIST_BUFFERING DEVICE BACKEND WORLD_SIZE
export LC_ALL=C
export CC GRADE_UNSEALED=1 TIMES="${TIMES:-20}" TRIES="${TRIES:-2}" WRONG EVERY
work=build/grade/gates
gates="stub solution wrong right regions"
[ ! "$MUTATE" ] || gates=mutants

# gate NAME COMMAND...: what the command says is shown where it fails.
gate()
{
    name=$1
    shift
    if "$@" >"$said" 2>&1; then
        pass "exercise $number: $name"
        good="$good $name"
    else
        fail "exercise $number: $name"
        head -n 20 "$said" | sed 's/^/    /'
        bad=yes
    fi
}

feedback_of()
{
    cat "$1"/build.txt "$1"/*.txt 2>/dev/null
}

stub()
{
    tests/tools/grade_one.sh "$exercise" "exercises/$exercise.c" "$work/$exercise/stub"
    if grep -q 'not_built\|error' "$work/$exercise/stub/results.tsv"; then
        echo "the stub cannot be graded:"
        feedback_of "$work/$exercise/stub"
        return 1
    fi
    points=$(points_of "$work/$exercise/stub/results.tsv")
    [ "${points%/*}" = 0 ] || echo "the stub gets $points points: $(cut -f 2-5 "$work/$exercise/stub/results.tsv")"
    [ "${points%/*}" = 0 ]
}

solution()
{
    GRADE_TIMES=$TIMES tests/tools/grade_one.sh "$exercise" "solutions/$exercise.c" "$work/$exercise/solution" &&
        ! feedback_of "$work/$exercise/solution" | grep "^Never freed" && return 0
    cut -f 2- "$work/$exercise/solution/results.tsv"
    feedback_of "$work/$exercise/solution"
    return 1
}

# One wrong answer. Late by chance, or not: it fails all the same, and says so.
wrong_one()
{
    why=$(basename "$1" .c)
    words=$(sed -n '1s|^/\* feedback: \(.*\) \*/$|\1|p' "$1")
    [ "$words" ] || { echo "$1: its first line must be /* feedback: WORDS */"; return 1; }
    unsaid=$(sed -n '2s|^/\* unsaid: \(.*\) \*/$|\1|p' "$1")
    seconds=$(sed -n '2s|^/\* seconds: \([0-9]*\) \*/$|\1|p' "$1")
    for _ in $(seq "$TRIES"); do
        if GRADE_SECONDS=$seconds tests/tools/grade_one.sh "$exercise" "$1" "$work/$exercise/$why"; then
            echo "$1 passes"
            return 1
        elif ! feedback_of "$work/$exercise/$why" | grep -q -F -e "$words"; then
            echo "$1: the feedback does not say \"$words\", but:"
            feedback_of "$work/$exercise/$why"
            return 1
        elif [ "$unsaid" ] && feedback_of "$work/$exercise/$why" | grep -F -e "$unsaid"; then
            echo "$1: and that is not so"
            return 1
        fi
        breaks_its_claims || return 1
    done
}

# It fails in every test that tests/graders/CLAIMS names.
breaks_its_claims()
{
    for test in $(tests/tools/claims.sh --tests "$number" "$why"); do
        if cut -f 2,5 "$work/$exercise/$why/results.tsv" | grep -q "^$test$tab\(passed\|error\)"; then
            echo "$exercise/$why.c does not fail in the test $test, as tests/graders/CLAIMS says"
            return 1
        fi
    done
}

wrong()
{
    count=0
    for file in tests/wrong/"$exercise"/*.c; do
        [ -e "$file" ] || continue
        count=$((count + 1))
        [ $count -gt "${WRONG:-$count}" ] || ! is_its_turn $count || wrong_one "$file" || return 1
    done
    [ $count -ge 4 ] || echo "only $count wrong answers; four are the least"
    [ $count -ge 4 ]
}

# A whole program: the file, and where it has no main what stands in the solution behind the function that is asked for.
whole()
{
    cat "$1"
    grep -q 'int main' "$1" && return
    names=$(sed -n -e '/^static/d' -e 's/^[a-z].*[ *]\([a-z][a-z_0-9]*\)(.*/\1/p' "tests/graders/$exercise.desk.c" | paste -s -d '|')
    awk -v begins="^[a-z].*[ *]($names)[(]" '
        { line[NR] = $0 }
        $0 ~ begins { inside = 1 }
        inside && /^}/ { end = NR; inside = 0 }
        END { for (i = end + 1; end && i <= NR; i++) print line[i] }' "solutions/$exercise.c"
}

build_by_hand()
{
    whole "$1" >"$2.c"
    ${CC:-cc} -std=c11 -Ilib -pthread -O1 -ffp-contract=off -w "$2.c" build/libdist.a -lm -ldl -o "$2"
}

# by_hand PROGRAM RANKS [VARIABLE=VALUE...]: what its own main prints, rank by rank. (A time, or memory, that was measured is the
# answer's own.)
by_hand()
{
    program=$1 ranks=$2
    shift 2
    env WORLD_SIZE="$ranks" "$@" timeout 60 "$program" >"$said.out" 2>&1 || return 1
    grep -v -e 'a message took' -e 'bytes at most' "$said.out" | sort
}

# As the solution: each line that it prints is there, with ranks as threads, with sends that return early, and on simulated GPUs, too. Every
# answer is tried with other numbers of ranks in these modes; MODES=all: with all of them. (Some mains are not made for one rank. Who
# takes tensor_data() reads memory of the host: such an answer has no GPU.)
prints_the_same()
{
    turn=$((turn + 3))
    build_by_hand "$1" "$work/$exercise/by_hand" || return 1
    for mode in LATE=1 DIST_RANKS=threads DIST_BUFFERING=eager:4096 "DIST_RANKS=threads DEVICE=sim"; do
        turn=$((turn + 1))
        case $mode in *DEVICE=sim*) ! grep -q 'tensor_data(' "$1" || continue ;; esac
        for ranks in $([ "$MODES" = all ] && seq 8 || echo $((turn % 8 + 1))); do
            [ -e "$said.own.$ranks" ] || by_hand "$work/$exercise/by_solution" "$ranks" >"$said.own.$ranks" || : >"$said.own.$ranks"
            by_hand "$work/$exercise/by_hand" "$ranks" $mode >"$said.mode"
            missing=$(comm -23 "$said.own.$ranks" "$said.mode" | head -n 3)
            [ "$missing" ] || continue
            echo "$1, with $ranks ranks and $mode, does not print:"
            echo "$missing"
            return 1
        done
    done
}

# Unusual, and right: it loses no point, and prints what the solution prints. (One of the solutions gets stuck, as it should.)
right()
{
    turn=0 count=0
    rm -f "$said".own.*
    ends=no
    if [ ! "$WRONG" ] && build_by_hand "solutions/$exercise.c" "$work/$exercise/by_solution" &&
        by_hand "$work/$exercise/by_solution" 4 >"$said.own.4"; then ends=yes; fi
    for file in tests/right/"$exercise"/*.c; do
        [ -e "$file" ] || continue
        count=$((count + 1))
        is_its_turn $count || continue
        out=$work/$exercise/right_$(basename "$file" .c)
        if ! GRADE_TIMES=${RIGHT:-1} tests/tools/grade_one.sh "$exercise" "$file" "$out"; then
            echo "$file does not pass:"
            feedback_of "$out"
            return 1
        fi
        [ ! "$WRONG" ] || return 0
        [ $ends = no ] || prints_the_same "$file" || return 1
    done
}

mutants()
{
    tests/tools/mutants.sh "$exercise"
}

# Everything outside the marks; each region as one line.
outside()
{
    awk '/\/\* TO[D]O/ { inside = 1; print "region" }
         !inside
         /end of TO[D]O \*\// { if (!inside) print "an end without a beginning"; inside = 0 }
         END { if (inside) print "a beginning without an end" }' "$1"
}

regions()
{
    outside "exercises/$exercise.c" >"$said.stub"
    outside "solutions/$exercise.c" >"$said.solution"
    count=$(grep -c '^region$' "$said.stub")
    [ "$count" -ge 1 ] && [ "$count" -le 3 ] || { echo "$count regions; there must be one to three"; return 1; }
    diff -u --label stub --label solution "$said.stub" "$said.solution"
}

# All five for one exercise, as a line: it is told at the end, so that several can run at a time.
one()
{
    exercise=$1
    number=$(number_of "$exercise")
    said=$work/$exercise.said
    good=
    bad=
    mkdir -p "$work/$exercise"
    for gate in $gates; do
        gate $gate $gate
    done >"$said.all"
    printf '  %-5s %-28s good:%s\n' "$number" "${exercise#*_*/*_}" "${good:- none}"
    cat "$said.all"
    [ ! "$bad" ]
}

if [ "$1" = --one ]; then
    one "$2"
    exit
fi

if [ ! -d tests/wrong ] || [ ! -d solutions ]; then
    echo "The gates need the solutions and the wrong answers, which this copy of the workbook does not have." >&2
    exit 2
fi
mkdir -p $work
[ "$ONLY" ] || [ "$MUTATE" ] || tests/tools/claims.sh
claims=$?
for exercise in $(all_exercises); do
    case $(number_of "$exercise") in ${ONLY:-*} | "$ONLY".*) echo "$exercise" ;; esac
done >$work/list
[ -s $work/list ] || { echo "There is no exercise $ONLY." >&2; exit 2; }
xargs -P "$(nproc)" -I{} "$0" --one {} <$work/list && [ $claims -eq 0 ]
