#!/bin/sh
# chapters.sh PROGRAM...: what `make` shows. Each program is run with four ranks, and compared with what it should print (compare.sh):
# a line for each chapter, and for each program that differs the first line in which it does. All that they print goes to a file.
#
# A program that came with no expected output, such as a learner's own, must only end well.

. tests/tools/compare.sh

all=build/chapters.txt
n=4

# What is set for other runs must not reach these.
for name in $(env | sed -n 's/^\(DIST_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done
unset RANK LOCAL_RANK OMPI_COMM_WORLD_RANK PMI_RANK SLURM_STEP_ID DEVICE BACKEND
export LC_ALL=C

# Of what compare says: the first line that differs, or else the first few words.
first_difference()
{
    awk -v end="(no such line)" '
        !hunk && /^--- / { file = $2; sub(/,$/, "", file); next }
        !hunk && /^\+\+\+ / { next }
        /^@@ / { hunk = 1; line = substr($2, 2) + 0; next }
        !hunk { if (words++ < 4) print "        " $0; next }
        /^[-+]/ && !minus && !plus { where = line }
        /^-/ { if (!minus++) wanted = substr($0, 2); line++; next }
        /^\+/ { if (!plus++) got = substr($0, 2); next }
        minus || plus { exit }
        { line++ }
        END {
            if (!hunk) exit
            printf "        line %d of %s%s\n", where, file, file ~ /\.shape$/ ? " (# is any number)" : ""
            print "          expected: " (minus ? wanted : end)
            print "          printed:  " (plus ? got : end)
        }' "$work/say"
}

# Everything that it printed, as `make run-NN` would show it.
keep()
{
    {
        printf '\n==== %s: %s ====\n' "${lesson#chapters/}" "$name"
        cat "$work/out" "$work/err"
    } >>$all
}

# One program: counts it as good, own or wrong, and says in $work/wrong what is the matter.
one()
{
    lesson=$(dirname "${program#build/}")
    name=$(basename "$program")
    base=$lesson/expected/$name.$n
    run processes
    keep
    if ls "$lesson/expected/$name".[0-9]* >/dev/null 2>&1; then
        if compare >$work/say; then good=$((good + 1)); return; fi
        programs_wrong="$programs_wrong ${number}/$name"
        printf '      %s does not print what it should:\n' "$name" >>$work/wrong
        first_difference >>$work/wrong
    elif [ $status -eq 0 ]; then
        own="$own $name" count=$((count - 1))
    else
        programs_wrong="$programs_wrong ${number}/$name"
        { printf '      %s ended with exit status %d\n' "$name" $status; head -n 3 $work/err | sed 's/^/        /'; } >>$work/wrong
    fi
}

# chapter NN_TOPIC PROGRAM...: its line.
chapter()
{
    topic=$1
    number=${topic%%_*}
    good=0
    own=
    : >$work/wrong
    shift
    began=$(date +%s.%N)
    count=$#
    for program in "$@"; do one; done
    own=${own:+; no output is expected of:$own}
    awk -v from="$began" -v to="$(date +%s.%N)" -v topic="$topic" -v good=$good -v all=$count -v own="$own" 'BEGIN {
        printf "  %-26s %2d of %2d programs printed what they should %6.1f s%s\n", topic, good, all, to - from, own }'
    cat $work/wrong
}

if [ -e build/steps/done ]; then
    echo "built $(wc -l <build/steps/done) files in $(($(date +%s) - $(cat build/steps/began))) s"
fi
: >$all

for program in "$@"; do
    case $program in */02_*/chain)
        run processes
        echo
        echo "${program#build/}.c, with four ranks:"
        head -n 8 $work/out | sed 's/^/  /'
        echo ;;
    esac
done

programs_wrong=
for topic in $(printf '%s\n' "$@" | sed 's|^build/chapters/\([^/]*\)/.*|\1|' | uniq); do
    chapter "$topic" $(printf '%s\n' "$@" | grep "/$topic/")
done

echo "What they printed is in $all; make run-02 runs one chapter and shows it."
if [ ! "$programs_wrong" ]; then
    echo "Next: $(ls chapters/*/README.md | head -n 1), then \`make next\`"
    exit
fi
first=${programs_wrong# }
first=${first%% *}
echo "Have you changed it? Then that is as it should be: make run-${first%/*} PROG=${first#*/} shows all that it prints now." >&2
exit 1
