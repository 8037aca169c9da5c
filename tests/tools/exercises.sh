# exercises.sh: which exercises there are, what is known of each, and how one is graded. To be read by other scripts.

. tests/tools/whole_number.sh
whole_number GRADE_SEED "$GRADE_SEED"
whole_number GRADE_BUDGET "$GRADE_BUDGET"
whole_number GRADE_MEMORY "$GRADE_MEMORY"
whole_number GRADE_SECONDS "$GRADE_SECONDS"
whole_number GRADE_LIMIT "$GRADE_LIMIT"
whole_number GRADE_TIMES "$GRADE_TIMES"

tab=$(printf '\t')
from=${FROM:-exercises}
progress_file=exercises/progress.txt
mkdir -p build/grade

# All of them, as NN_topic/K_name, in order.
all_exercises()
{
    ls tests/graders/*/*.c 2>/dev/null | sed -e '/\.desk\.c$/d' -e 's|^tests/graders/||' -e 's|\.c$||' | sort -t_ -k1,1n -k2,2
}

# 03_ring/1_once_round is 03.1.
number_of()
{
    echo "$1" | sed 's|^\([0-9]*\)_[^/]*/\([0-9]*\)_.*|\1.\2|'
}

# Set number, exercise, source and out from a number such as 03.1.
choose()
{
    number=$1
    exercise=
    meant=
    for one in $(all_exercises); do
        case $(number_of "$one") in "$1") exercise=$one ;; "0$1") meant=0$1 ;; esac
    done
    if [ ! "$exercise" ]; then
        echo "There is no exercise $1; ${meant:+did you mean $meant? }make progress lists them all." >&2
        exit 2
    fi
    source=$from/$exercise.c
    out=build/grade/$from/$exercise
}

# Points of all tests of a results.tsv together: 4/10.
points_of()
{
    awk -F '\t' '{ points += $3; max += $4 } END { printf "%d/%d", points, max }' "$1"
}

# ---- progress: lines "03.1 passed 10/10 2" of number, state, points, hints seen -------------------

recorded()
{
    [ ! -e $progress_file ] || awk -v number="$1" -v column="$2" '$1 == number { print $column }' $progress_file
}

# record NUMBER STATE POINTS [HINTS]; what is left out stays.
record()
{
    hints=${4:-$(recorded "$1" 4)}
    {
        [ ! -e $progress_file ] || awk -v number="$1" '$1 != number' $progress_file
        echo "$1 ${2:-open} ${3:-0/10} ${hints:-0}"
    } | sort >build/progress.$$ && mv build/progress.$$ $progress_file
}

progress()
{
    for one in $(all_exercises); do
        number=$(number_of "$one")
        state=$(recorded "$number" 2)
        hints=$(recorded "$number" 4)
        printf '  %-5s %-32s %-7s %6s%s\n' "$number" "${one#*_*/*_}" "${state:-open}" "$(recorded "$number" 3)" \
            "$([ "${hints:-0}" -eq 0 ] || echo "   hints seen: $((hints < 3 ? hints : 3))")"
    done
    total=$(all_exercises | wc -l)
    solved=$([ ! -e $progress_file ] || grep -c ' passed ' $progress_file)
    echo "${solved:-0} of $total exercises solved"
}

# ---- grading -----------------------------------------------------------------------------------

# The solution's program, for the drawing beside: built once.
build_solution()
{
    GRADE_SOLUTION=build/grade/beside/$exercise/program
    if [ ! -e "$GRADE_SOLUTION" ] || [ "$(find "solutions/$exercise.c" build/libdist.a build/tests/grader/libdesk.a -newer "$GRADE_SOLUTION")" ]; then
        GRADE_BUILD_ONLY=1 tests/tools/grade_one.sh "$exercise" "solutions/$exercise.c" "build/grade/beside/$exercise" || GRADE_SOLUTION=
    fi
    export GRADE_SOLUTION
}

grade_file()
{
    tests/tools/grade_one.sh "$exercise" "$1" "$out"
}
