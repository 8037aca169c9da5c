#!/bin/sh
# elsewhere.sh arm|musl: the library with another compiler: for ARM, run by qemu on this machine, or with musl as libc.
#
#   arm    chapters 01 to 06, the event count's litmus tests and the conformance suite, on processors with pages of 4 KiB; the second
#          chapter once more with pages of 64 KiB
#   musl   all chapters, and the suites that need neither Criterion's own features nor what only glibc has
#
# The build is apart, in build/elsewhere/NAME: a tree of links to ours. The suites run on a small runner of ours (RUNNER=small), since
# there is no Criterion for these. What is missing is named, with Debian's package of it; with INSTALL=1 root installs it, and says so.
#
# What qemu does not do as ARM does: it runs each rank's loads and stores in the order of the x86 below, so it finds a missing
# fence between a store and a look, and none between two stores or two looks; and it lets a seq_cst load (ldar) overtake a
# seq_cst store (stlr), which ARM does not: there a wake-up can come late, at the end of a nap. So nothing here is about time.

. tests/tools/count.sh
. tests/tools/suites.sh

name=$1
here=build/elsewhere/$name
case $name in
arm)
    compiler=aarch64-linux-gnu-gcc
    packages="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"
    commands="$compiler qemu-aarch64"
    RUN="qemu-aarch64 -L /usr/aarch64-linux-gnu"
    # overlap computes by the clock, for longer under qemu than a program may run here
    chapters=$(ls chapters/0[1-6]_*/*.c | grep -v '/overlap\.c$')
    suites="eventcount backends"
    modes=processes ;;
musl)
    compiler=musl-gcc
    packages=musl-tools
    commands=musl-gcc
    RUN=
    chapters=$(ls chapters/*/*.c)
    suites="eventcount backends tensor dtype reduce quick order launch_settings launch_names misuse"
    modes="processes sim" ;;
*)
    echo "usage: elsewhere.sh arm|musl" >&2
    exit 2 ;;
esac

missing()
{
    for command in $commands; do
        command -v "$command" >/dev/null 2>&1 || echo "$command"
    done
}

install()
{
    [ "$(missing)" ] && [ "$INSTALL" ] && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1 || return
    echo "  installing $packages with apt-get"
    { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends $packages; } \
        >build/install.log 2>&1 </dev/null
}

tree()
{
    mkdir -p "$here/build/results"
    for file in Makefile README.md chapters diagrams exercises lib solutions tests; do
        ln -sfn "../../../$file" "$here/$file"
    done
}

# What is built of our sources, as make calls it.
wanted()
{
    printf '%s\n' $chapters | sed 's|\(.*\)\.c$|build/\1|'
    printf 'build/tests/test_%s\n' $suites
    if [ "$name" = musl ]; then
        printf '%s\n' build/bin/distrun tests/programs/*.c | grep -v '/short\.c$' | sed 's|^\(tests.*\)\.c$|build/\1|'
    fi
}

run_all()
{
    OUTPUT_MODES=$modes OUTPUT_SIZES=4 tests/tools/outputs.sh $(wanted | grep ^build/chapters)
    TEST_HURRY=1
    export TEST_HURRY
    for suite in $suites; do
        run_suite build/tests/test_"$suite" 240 "${name}_$suite"
    done
}

# Pages of 64 KiB, as some ARM kernels have them.
large_pages()
{
    program=build/chapters/02_send_recv_chain/chain
    if [ "$(qemu-aarch64 -p 65536 -L /usr/aarch64-linux-gnu $program 2>build/results/pages.log | sed 's/^\[[0-9]\] //' | sort)" = \
        "$(sort chapters/02_send_recv_chain/expected/chain.4.txt)" ]; then
        pass "arm: pages of 64 KiB"
    else
        fail "arm: pages of 64 KiB"
        head -n 5 build/results/pages.log | sed 's/^/    /'
    fi
}

# The GPU's objects would be this machine's.
no_gpu()
{
    if make -n CC=$compiler CUDA_FOR=here lib 2>&1 | grep -q "CUDA_FOR=here compiles for .*, and CC=$compiler for"; then
        pass "$name: CUDA_FOR=here is refused"
    else
        fail "$name: CUDA_FOR=here is not refused"
    fi
}

mkdir -p build
install
if [ "$(missing)" ]; then
    skip "make test-$name: $(missing | paste -s -d ' ' -) is missing (Debian: apt-get install $packages)"
    [ "$RESULTS" != /dev/null ] || echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
echo "with $compiler${RUN:+, run by ${RUN%% *}}"
tree
cd "$here" || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS
export RUN LC_ALL=C CUDA_FOR=nothing SMALL_PATIENCE=${RUN:+5}
export SMALL_PATIENCE="${SMALL_PATIENCE:-1}"
# qemu keeps a note of every page that is mapped, touched or not: 400 MB and seconds for each process, where a rank's memory may grow
# to 16 GiB. No file above 512 MiB, and the library takes less.
[ "$name" != arm ] || ulimit -f 1048576
# Called by test.sh we add to its results, and it adds them up.
alone=
if [ "$RESULTS" = /dev/null ]; then
    alone=yes
    RESULTS=$PWD/build/results/all
    : >"$RESULTS"
fi
export RESULTS
if [ "$name" = arm ]; then
    skip "arm: 03_ring/overlap, which measures time"
    skip "arm: the conformance suite's tests on simulated GPUs, which take minutes under qemu"
    export SMALL_WITHOUT='*gpu*'
else
    skip "musl: tests/programs/short, which takes the place of glibc's own calloc"
fi
if ! make CC=$compiler RUNNER=small $(wanted) >build/results/make.log 2>&1; then
    fail "$name: it does not build: see $here/build/results/make.log"
    grep -E 'error|undefined' build/results/make.log | head -n 10 | sed 's/^/    /'
    [ ! "$alone" ]
    exit
fi
if grep -q 'warning:' build/results/make.log; then
    fail "$name: the compiler warns: $(grep -m 1 'warning:' build/results/make.log)"
else
    pass "$name: everything compiles without a warning"
fi
run_all
if [ "$name" = arm ]; then
    large_pages
    no_gpu
fi
[ "$alone" ] || exit 0
awk '{ count[$1]++ }
     END { printf "%d passed, %d failed, %d skipped\n", count["pass"], count["fail"], count["skip"]
           exit count["fail"] > 0 || !count["pass"] }' "$RESULTS"
