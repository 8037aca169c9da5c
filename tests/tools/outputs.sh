#!/bin/sh
# outputs.sh PROGRAM...: run each chapter program with 2, 4 and 7 ranks, as processes, as threads, and on simulated GPUs, and
# compare what it prints with chapters/NN_topic/expected/ (compare.sh).
#
# OUTPUT_MODES and OUTPUT_SIZES: not all of them. With --write these files are made from the run instead. A program that fails is written down only where
# a .exit file says that it should: so no crash becomes the rule by accident.

. tests/tools/count.sh
. tests/tools/compare.sh

write()
{
    mkdir -p "$(dirname $base)"
    wanted=$(cat $base.exit 2>/dev/null || echo 0)
    if [ $status -ne "$wanted" ]; then
        echo "$program with $n ranks ended with $status, not $wanted: nothing written. If it should: echo $status >$base.exit"
        cat $work/err
        return 1
    fi
    if [ -e $base.shape ]; then
        cp $work/out $base.shape
    elif [ -s $work/out ] || [ "$wanted" -eq 0 ]; then
        cp $work/out $base.txt
    fi
    if [ "$wanted" -ne 0 ] || [ -e $base.stderr.txt ]; then
        same_report $base.stderr.txt $work/err >/dev/null 2>&1 ||
            sed 's|^report: [^;]*|report: /tmp/dist-1000/deadlock.json|' $work/err >$base.stderr.txt
    fi
}

mode=compare
if [ "$1" = --write ]; then
    mode=write
    shift
fi

failed=0
for program in "$@"; do
    lesson=$(dirname "${program#build/}")
    for n in ${OUTPUT_SIZES:-2 4 7}; do
        base=$lesson/expected/$(basename "$program").$n
        if [ $mode = write ]; then
            run processes
            write || failed=1
            continue
        fi
        for ranks in ${OUTPUT_MODES:-processes threads sim room}; do
            run $ranks
            if compare >$work/say; then
                pass "$base as $ranks"
            else
                fail "$base as $ranks"
                sed 's/^/    /' $work/say
                failed=1
            fi
        done
    done
done
exit $failed
