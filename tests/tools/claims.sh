#!/bin/sh
# claims.sh: does tests/graders/CLAIMS fit the exercises, the graders and the wrong answers? Nothing is run; `make gates` does that.
#
#   claims.sh                      hold the table against the files
#   claims.sh --tests NUMBER WRONG   the tests in which this wrong answer must fail

. tests/tools/count.sh
. tests/tools/exercises.sh

claims=tests/graders/CLAIMS

# The lines of the table for one exercise: WORDS | TEST | WRONG
lines_of()
{
    sed -n "s/^$1 | //p" $claims
}

if [ "$1" = --tests ]; then
    lines_of "$2" | awk -F ' \\| ' -v wrong="$3" '$2 != "-" && $3 == wrong { print $2 }'
    exit
fi

# A file as one line, without the stars in front of a comment's.
text_of()
{
    sed 's/^ \* \{0,1\}//' "$1" | tr -s ' \n' '  '
}

# One exercise: a sentence for each thing that is missing.
look()
{
    text=$(text_of "exercises/$exercise.c")
    lines_of "$number" | awk -F ' \\| ' -v text="$text" '
        index(text, $1) == 0 { print "the text does not say: " $1 }
        NF != 3 { print "a line needs four columns: " $0 }'
    lines_of "$number" | awk -F ' \\| ' '$2 != "-" { print $2, $3 }' | while read -r test wrong; do
        grep -q "^GRADED($test," "tests/graders/$exercise.c" || echo "there is no test $test"
        [ -e "tests/wrong/$exercise/$wrong.c" ] || echo "there is no wrong answer $wrong"
    done
    lines_of "$number" | awk -F ' \\| ' -v text="$text" '
        { while (at = index(text, $1)) text = substr(text, 1, at - 1) " # " substr(text, at + length($1)) }
        END {
            gsub(/[^A-Za-z_]+/, " ", text)
            words = split(text, word, " ")
            for (i = 1; i <= words; i++)
                if (tolower(word[i]) ~ /^(must|only|not)$/)
                    print "no line for: ..." word[i - 2], word[i - 1], word[i], word[i + 1], word[i + 2] "..."
        }'
    $grader --tell 2>/dev/null | awk -F '\t' '$1 == "test" { print $2 }' | while read -r test; do
        lines_of "$number" | awk -F ' \\| ' -v test="$test" '$2 == test { found = 1 } END { exit !found }' ||
            echo "test $test looks at nothing that the table has"
    done
}

status=0
for exercise in $(all_exercises); do
    number=$(number_of "$exercise")
    grader=build/tests/graders/$exercise
    said=$(look)
    if [ "$said" ]; then
        fail "claims of $number"
        echo "$said" | sed 's/^/    /'
        status=1
    else
        pass "claims of $number"
    fi
done
for number in $(sed -n 's/^\([0-9][0-9.]*\) | .*/\1/p' $claims | sort -u); do
    all_exercises | sed 's|^\([0-9]*\)_[^/]*/\([0-9]*\)_.*|\1.\2|' | grep -q -x "$number" || { echo "    $claims: there is no exercise $number"; status=1; }
done
exit $status
