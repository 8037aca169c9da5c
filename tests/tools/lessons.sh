#!/bin/sh
# lessons.sh LESSON...: put programs and their output into the lessons (lessons.awk says how).
# With --check nothing is written: a lesson that would change counts as failed.

. tests/tools/count.sh

check=
if [ "$1" = --check ]; then
    check=yes
    shift
fi

new=$(mktemp) || exit 1
trap 'rm -f $new' EXIT

failed=0
for lesson in "$@"; do
    if ! awk -v folder="$(dirname "$lesson")" -f tests/tools/lessons.awk "$lesson" >$new; then
        fail "$lesson cannot be made"
        failed=1
    elif cmp -s $new "$lesson"; then
        pass "$lesson is fresh"
    elif [ $check ]; then
        fail "$lesson shows old text: run \`make lessons\`, and read what changed"
        diff -u --label "$lesson" --label "what it should show" "$lesson" $new | head -n 40 | sed 's/^/    /'
        failed=1
    else
        cat $new >"$lesson"
        echo "  wrote $lesson"
    fi
done
exit $failed
