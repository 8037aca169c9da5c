#!/bin/sh
# watch.sh: grade an exercise again whenever its file is saved. Ends with Ctrl-C.

. tests/tools/exercises.sh

# The exercises whose files are newer than the mark, as numbers.
saved()
{
    find exercises -name '[0-9]*.c' -newer build/watch.mark | sed -e 's|^exercises/||' -e 's|\.c$||' | while read -r one; do
        number_of "$one"
    done
}

# Until something may have changed: told by the system where inotifywait is there, else a look every second.
pause()
{
    if command -v inotifywait >/dev/null 2>&1; then
        inotifywait -q -r -t 5 -e close_write -e moved_to exercises >/dev/null 2>&1
    else
        sleep 1
    fi
}

touch build/watch.mark
echo "watching exercises/: save a file, and it is graded. Ctrl-C ends this."
while :; do
    touch build/watch.next # before the look: what is saved meanwhile is found by the next one
    numbers=$(saved)
    mv build/watch.next build/watch.mark
    for number in $numbers; do
        printf '\n%s  ' "$(date +%H:%M:%S)"
        tests/tools/exercise.sh grade "$number"
    done
    pause
done
