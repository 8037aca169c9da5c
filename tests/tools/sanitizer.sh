#!/bin/sh
# sanitizer.sh CC FLAGS: print the words to put before a program so that it runs with the sanitizer in FLAGS. Nothing:
# the compiler has no such sanitizer. Old ThreadSanitizers only work without address randomisation.

work=$(mktemp -d) || exit 1
trap 'rm -rf $work' EXIT

echo 'int main(void) { return 0; }' >$work/try.c
$1 $2 $work/try.c -o $work/try 2>/dev/null || exit 0
for before in env "setarch $(uname -m) -R"; do
    if $before $work/try >/dev/null 2>&1; then
        echo "$before"
        exit 0
    fi
done
