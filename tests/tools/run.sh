#!/bin/sh
# run.sh PROGRAM...: run programs one after another, each under a heading. RUN: what starts them, if something does.
# Some programs end with an error on purpose: the exit status to expect stands in expected/NAME.N.exit.

failed=0
for program in "$@"; do
    lesson=chapters/$(basename "$(dirname "$program")")
    name=$(basename "$program")
    expected=$(cat "$lesson/expected/$name.${WORLD_SIZE:-4}.exit" 2>/dev/null || echo 0)

    printf '\n==== %s: %s' "$(basename "$lesson")" "$name"
    case $WORLD_SIZE in
    1) echo ' with 1 rank ====' ;;
    *) echo "${WORLD_SIZE:+ with $WORLD_SIZE ranks} ====" ;;
    esac
    $RUN "$program"
    status=$?
    [ $status -eq 0 ] || echo "exit status $status"
    if [ $status -ne "$expected" ]; then
        echo "$program ended with exit status $status, expected was $expected" >&2
        failed=1
    fi
done
exit $failed
