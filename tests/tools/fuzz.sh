#!/bin/sh
# fuzz.sh SECONDS [TARGET...]: run clang's fuzzer for so many seconds on each target of tests/fuzz_one.h, from the inputs in tests/fuzz and
# traces of real runs. CLANG_FLAGS and SOURCES come from the Makefile.

. tests/tools/whole_number.sh
whole_number TIME "$1"
seconds=$1
shift
for name in "$@"; do
    [ -d "tests/fuzz/$name" ] || { echo "TARGET is \"$name\"; the targets are $(cd tests/fuzz && echo */ | tr -d /)" >&2; exit 2; }
done
work=$PWD/build/fuzz
mkdir -p $work
if ! echo 'int LLVMFuzzerTestOneInput(const char *a, long b) { return a[0] && b; }' |
    clang -x c -fsanitize=fuzzer,address - -o $work/works 2>/dev/null; then
    echo "  LEFT OUT  the fuzzer: this needs clang and its runtime (Debian: clang libclang-rt-dev)"
    exit 0
fi
# An archive: of the library only what is needed.
checked="$CLANG_FLAGS -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all"
rm -rf $work/objects
mkdir -p $work/objects
for source in $LIB_SOURCES; do echo "$source $work/objects/$(echo "$source" | tr / _).o"; done |
    xargs -P "$(nproc)" -L 1 sh -c "exec clang $checked -c \$0 -o \$1" || exit 1
rm -f $work/lib.a
ar rcs $work/lib.a $work/objects/*.o
clang $checked $SOURCES $work/lib.a -lm -ldl -o $work/fuzz || exit 1

for name in ${@:-draw judge environment words topology}; do
    mkdir -p $work/$name
    for n in 2 3; do
        case $name in draw | judge) DIST_TRACE=$work/$name/real.$n.json WORLD_SIZE=$n build/tests/programs/traced mixed ;; esac
    done
    if (cd $work && FUZZ=$name ./fuzz -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=20000 -close_fd_mask=3 \
        -artifact_prefix=$work/found.$name. $name "$OLDPWD/tests/fuzz/$name" >$work/$name.log 2>&1); then
        echo "pass  $name: $(sed -n 's/^Done //p' $work/$name.log)"
    else
        echo "FAIL  $name: see build/fuzz/$name.log; the input is build/fuzz/found.$name.*: mend it, and keep it in tests/fuzz/$name"
        failed=1
    fi
done
exit ${failed:-0}
