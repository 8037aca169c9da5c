#!/bin/sh
# grade_submission.sh FOLDER OUT: grade what one student has handed in, whatever it is, and harm nobody else by it.
#
#   FOLDER   the files bear the exercises' names: 03_ring/1_once_round.c, or 1_once_round.c, as deep as they like
#   OUT      results.tsv has a line for each test from the start; what is not graded yet, or was not handed in, has no points.
#            03_ring/1_once_round/ and so on: what grade_one.sh leaves behind
#
# In the environment: CC; GRADE_BUDGET, seconds for all exercises together; FORMAT and RESULT: a file for another program
# (convert.c), complete and valid after each exercise; GRADE_USER, GRADE_MEMORY: as for grade_one.sh.
#
# How one student's file is kept from harming others. A limit on processes binds no root, and most containers let nobody make
# control groups. So root runs each student's file as a user of its own, GRADE_USER: its processes can be counted, all be killed
# at once, signal nobody else, and write nowhere else. Who is not root is bound by the limit anyway. Where the system allows
# it there are namespaces in addition: no network, and a world of processes that ends with this script.

. tests/tools/exercises.sh
export LC_ALL=C CC
umask 022
unset FROM GRADE_SOLUTION

PROCESSES=150     # at a time; a sitting has ten, and the grader says something from 64 on
FILE_BYTES=134217728
SOURCE_SIZE=512k

if [ $# -ne 2 ] || [ ! -d "$1" ]; then
    echo "usage: grade_submission.sh FOLDER OUT" >&2
    exit 2
fi

submission=$(cd "$1" && pwd)
out=$2
budget=${GRADE_BUDGET:-1200}
end=$(($(date +%s) + budget))
mkdir -p "$out" || exit 2

# ---- a backend of its own, where the system allows it ---------------------------------

# A new folder in place of this one, small, for temporary files, and gone in the end. What we need of the old one shows through.
own()
{
    mount -n -t tmpfs -o size=256m,mode=1777 tmpfs /mnt || exit 2
    for path in "$PWD" "$submission" "$(cd "$out" && pwd)" "${RESULT%/*}"; do
        case $path in "$1"/*) mkdir -p "/mnt${path#"$1"}" && mount -n --rbind "$path" "/mnt${path#"$1"}" ;; esac
    done
    mount -n --move /mnt "$1" || exit 2
}

if [ ! "$GRADE_ROOM" ]; then
    room="unshare --mount --net --ipc --pid --fork --kill-child --mount-proc"
    [ "$(id -u)" -eq 0 ] || room="$room --user --map-current-user --keep-caps"
    export GRADE_ROOM=none
    if $room sh -c 'mount -n -t tmpfs tmpfs /mnt && mount -n --move /mnt /tmp' 2>/dev/null; then
        GRADE_ROOM=bare exec $room "$0" "$@"
    fi
fi
# What a submission has no business with is not there at all: answers, other submissions, and what was made of these.
hide()
{
    for folder in "$@"; do
        [ ! -d "$folder" ] || mount -n -t tmpfs -o size=4k,mode=555 tmpfs "$folder" || exit 2
    done
}

# Of a folder with many, only ours: the others' are hidden. Not where the system itself or this tree would be hidden with them.
alone_in()
{
    case $PWD/ in "$1"/*) return ;; esac
    case $1 in / | /usr* | /bin | /lib* | /etc | /opt | /tmp | /var/tmp | /dev* | /proc* | /mnt*) return ;; esac
    own "$1"
}

if [ "$GRADE_ROOM" = bare ]; then
    hide solutions tests/wrong tests/right tests/hostile build/grade build/solutions
    mkdir -p "$out"
    alone_in "$(dirname "$submission")"
    case $out in *build/grade-all/*) own "$(cd "$out/.." && pwd)" ;; esac
    own /tmp
    own /var/tmp
    own /dev/shm
    cd "$PWD" || exit 2
    GRADE_ROOM=furnished exec setpriv --inh-caps=-all --ambient-caps=-all "$0" "$@"
fi

# ---- a user of its own, where root grades -------------------------------------------

as_student()
{
    setpriv --reuid "$GRADE_USER" --regid "$GRADE_USER" --clear-groups -- "$@"
}

# Is there a user to run it as, and does this user get to what it needs?
choose_user()
{
    if [ "$(id -u)" -ne 0 ]; then
        unset GRADE_USER
        mine=$(cat /proc/[0-9]*/status 2>/dev/null | awk -v me="$(id -u)" '
            /^Uid:/ { theirs = $2 } /^Threads:/ && theirs == me { count += $2 } END { print count }')
        PROCESSES=$((mine + PROCESSES))
        return
    fi
    export GRADE_USER="${GRADE_USER:-60600}"
    if ! as_student test -r lib/dist.h -a -x "$out"; then
        echo "Students' files are run as user $GRADE_USER, who cannot read $PWD or $out." >&2
        echo "Put the workbook where everyone can read it, for example into /srv, or run this as yourself and not as root." >&2
        exit 2
    fi
}

# Whatever the student's user has left behind.
sweep()
{
    [ "$GRADE_USER" ] || return
    as_student sh -c 'kill -9 -1' 2>/dev/null
    find /tmp /var/tmp /dev/shm -xdev -user "$GRADE_USER" -delete 2>/dev/null
}

# ---- what was handed in ------------------------------------------------------------

# Ordinary files that find takes by these words, and no names that would upset a list. Each as "DEPTH ./PATH". (What the workbook
# itself keeps in tests/ and build/, where all of it was handed in, is nobody's answer.)
list_files()
{
    (cd "$submission" && find . -maxdepth 8 -type f -name '*.c' "$@" ! -path '*[[:cntrl:]]*' ! -path '*/.*/*' ! -path '*/__MACOSX/*' \
        ! -path '*/tests/stubs/*' ! -path '*/build/kept/*' ! -path '*/build/grade/*' ! -path '*/build/handout/*' -printf '%d %p\n')
}

# Of the files in list $2 whose path ends right the one with most of it, then the one on top. A bare name only if no other exercise has
# it. What lies in a folder called solutions, tests or build is taken where there is nothing else.
path_of()
{
    alone=$(all_exercises | grep -c "/${1##*/}\$")
    awk -v name="$1.c" -v bare="${1##*/}.c" -v alone="$alone" '
        function ends(path, with) { return substr(path, length(path) - length(with)) == "/" with }
        { path = substr($0, index($0, " ") + 1); worth = 0 }
        ends(path, "exercises/" name) { worth = 300 - $1 }
        !worth && ends(path, name) { worth = 200 - $1 }
        !worth && alone == 1 && ends(path, bare) { worth = 100 - $1 }
        path ~ /\/(solutions|tests|build)\// { worth /= 1000 }
        worth > best { best = worth; chosen = path }
        END { print chosen }' "$2"
}

# ---- one exercise ------------------------------------------------------------------

# A line for each test, and no points: no_points STATUS WORDS
no_points()
{
    mkdir -p "$out/$exercise"
    echo "$2" >"$out/$exercise/why.txt"
    build/tests/graders/"$exercise" --tell | awk -F '\t' -v exercise="$exercise" -v status="$1" -v file="$out/$exercise/why.txt" '
        $1 == "test" { printf "%s\t%s\t0\t%d\t%s\t0\t0\t%s\n", exercise, $2, $3, status, file }' >"$out/$exercise/results.tsv"
}

# Each test may hang for its share of what is left, so whoever hangs in one exercise has time for the others. What is not used
# is shared by those that come after. Three seconds for each exercise are for the compiler.
share_time()
{
    tests=$(wc -l <"$out/$exercise/results.tsv")
    GRADE_SECONDS=$(((end - $(date +%s) - 3 * exercises_left) / tests_left))
    [ $GRADE_SECONDS -le 20 ] || GRADE_SECONDS=20
    [ $GRADE_SECONDS -ge 3 ] || GRADE_SECONDS=3
    GRADE_LIMIT=$((tests * (GRADE_SECONDS + 3)))
    export GRADE_SECONDS GRADE_LIMIT
}

grade()
{
    path=$(path_of "$exercise" "$out/files")
    if [ ! "$path" ]; then
        path=$(path_of "$exercise" "$out/too_large")
        if [ "$path" ]; then
            no_points refused "Your ${path#./} is larger than $SOURCE_SIZE bytes and was not looked at: no exercise needs that much."
            return
        fi
        no_points missing "There is no ${exercise##*/}.c in what you handed in. Hand it in under that name; it may lie in a folder ${exercise%/*}.$odd_names"
        return
    fi
    if [ $((end - $(date +%s))) -lt 5 ]; then
        no_points late "There was no time left to grade this one: those before it took all of the $budget seconds."
        return
    fi
    source=$out/handed_in/$exercise.c
    mkdir -p "$(dirname "$source")"
    cp -- "$submission/$path" "$source" && chmod 644 "$source"
    share_time
    began=$(date +%s)
    prlimit --nproc=$PROCESSES --fsize=$FILE_BYTES --core=0 tests/tools/grade_one.sh "$exercise" "$source" "$out/$exercise"
    sweep
    if [ $(($(date +%s) - began)) -ge "$GRADE_LIMIT" ] && cut -f 5 "$out/$exercise/results.tsv" | grep -q error; then
        no_points late "It took more than $GRADE_LIMIT seconds, and was stopped. Does it wait for something, or sleep?"
    fi
}

# Everything known so far, in one place; for others too.
write_results()
{
    all_exercises | sed "s|.*|$out/&/results.tsv|" | tr '\n' '\0' | xargs -0 cat >"$out/results.new" && mv "$out/results.new" "$out/results.tsv"
    [ ! "$RESULT" ] || { build/tests/tools/convert "$FORMAT" "$out/results.tsv" >"$RESULT.new" && mv "$RESULT.new" "$RESULT"; }
}

rm -rf "${out:?}"/*
choose_user
list_files -size -$SOURCE_SIZE >"$out/files"
list_files ! -size -$SOURCE_SIZE >"$out/too_large"
odd_names=
if [ "$(cd "$submission" && find . -maxdepth 8 -name '*[[:cntrl:]]*' -printf x)" ]; then
    odd_names=" (Names with a line break or another such character in them were left out.)"
fi

for exercise in $(all_exercises); do
    no_points late "Not graded: the grader was stopped before it came to this one."
done
write_results

exercises_left=$(all_exercises | wc -l)
tests_left=$(wc -l <"$out/results.tsv")
for exercise in $(all_exercises); do
    grade
    printf '  %-5s %-32s %6s   %s\n' "$(number_of "$exercise")" "${exercise#*_*/*_}" "$(points_of "$out/$exercise/results.tsv")" "$path"
    write_results
    exercises_left=$((exercises_left - 1))
    tests_left=$((tests_left - $(wc -l <"$out/$exercise/results.tsv")))
done
awk -F '\t' '{ points += $3; max += $4; errors += $5 == "error" || $5 == "touched" }
     $5 == "refused" && !($1 in seen) { seen[$1]; split($1, part, "[_/]"); match($1, "/[0-9]+")
         refused = refused " " part[1] "." substr($1, RSTART + 1, RLENGTH - 1) }
     END { printf "%d of %d points%s%s\n", points, max, refused ? "; refused:" refused : "", errors ? "; in " errors " tests the grader itself failed" : "" }' "$out/results.tsv"
