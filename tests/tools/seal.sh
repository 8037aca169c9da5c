#!/bin/sh
# seal.sh: are the graders the ones that came with the workbook? tests/graders/SEAL holds a checksum of every file of theirs.
#
#   --write              make it anew: for whoever has changed a grader on purpose
#   --check [EXERCISE]   compare the files that all graders share, and those of one exercise (03_ring/1_once_round) or of all
#
# Points are worth something only where nobody has moved the posts.

seal=tests/graders/SEAL
export LC_ALL=C

sums()
{
    find -L tests/grader tests/graders -name '*.[ch]' | sort | xargs sha256sum
}

# The lines that count for $1, of those that come in.
for_exercise()
{
    grep -E "  tests/(grader/|graders/$1|graders/[^/]*/[^0-9/]*$)"
}

case $1 in
--write)
    sums >$seal
    echo "  sealed $(wc -l <$seal) files in $seal" ;;
--check)
    [ -e $seal ] || { echo "$seal is missing: without it nobody can tell whether the graders are as they were."; exit 1; }
    changed=$({ sums; cat $seal; } | for_exercise "$2" | sort | uniq -u | sed 's/^[^ ]*  //' | sort -u)
    [ "$changed" ] || exit 0
    echo "$changed" | sed 's/$/ is not what came with the workbook./'
    echo "Put it back (git checkout tests/grader tests/graders), or, if you are its author, run: make seal"
    exit 1 ;;
*)
    echo "usage: seal.sh --write | --check [EXERCISE]" >&2
    exit 2 ;;
esac
