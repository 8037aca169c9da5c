#!/bin/sh
# example.sh: the program in the README is built outside the tree with the README's command, and run.

. tests/tools/count.sh

work=$(mktemp -d) || exit 1
trap 'rm -rf $work' EXIT

name="README.md: the example builds outside the tree and runs"
awk '/^```c/ { inside = 1; next } /^```/ { inside = 0 } inside' README.md >$work/mine.c
command=$(grep -m 1 '^cc .*libdist\.a' README.md |
    sed "s|^cc|${CC:-cc}|; s|-Ilib|-I$PWD/lib|; s|build/libdist.a|$PWD/build/libdist.a|; s|  *#.*||")
if [ -s $work/mine.c ] && [ "$command" ] && (cd $work && $command) && [ -x $work/mine ] &&
    WORLD_SIZE=3 timeout -k 2 20 $work/mine >$work/out && [ -s $work/out ]; then
    pass "$name"
else
    fail "$name"
    exit 1
fi
