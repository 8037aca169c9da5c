#!/bin/sh
# headers.sh: what a program may do with lib/dist.h, lib/tensor.h and lib/dist_streams.h, tried with every compiler that is here.
#
#   tests/programs/braces.c     every call, with braces in each place where an argument can stand
#   tests/headers/mistakes.txt  what compilers say of mistakes, and where
#   tests/headers/calls.cc      every call from C++17, C++20 and CUDA
#
# It wants build/libdist.a and build/tests/programs/braces.

. tests/tools/count.sh

work=$(mktemp -d) || exit 1
trap 'rm -rf $work' EXIT
warnings="-Wall -Wextra -Wpedantic"
failed=0

# told NAME: the last command's result, and what it said where it failed.
told()
{
    if [ $? -eq 0 ]; then
        pass "$1"
    else
        fail "$1"
        head -n 30 $work/say | sed 's/^/    /'
        failed=1
    fi
}

# ---- is every call tried? -------------------------------------------------------------------

headers="lib/dist.h lib/tensor.h lib/dist_streams.h"
macros=$(sed -n 's/^#define \([a-z_]*\)(.*/\1/p' $headers)
functions=$(sed -n 's/^[a-z].*[ *]\(dist_[a-z_]*\)(.*;$/\1/p' $headers |
    grep -v -e '^dist_error_handler$' -e '_at$' -e '_with$' -e '_from$' -e '_begin$' -e '_end$')

# not_in FILE NAME...: those that it does not call
not_in()
{
    file=$1
    shift
    for name in "$@"; do
        grep -q "\b$name(" "$file" || echo "$file has no $name()"
    done
}

not_in tests/programs/braces.c $macros >$work/say
[ ! -s $work/say ]
told "braces.c has every macro"
not_in tests/headers/calls.cc $macros $functions >$work/say
[ ! -s $work/say ]
told "calls.cc has every call"
echo '#include "dist.h"' | ${CXX:-c++} -std=c++17 -Ilib -x c++ -dM -E - >$work/seen 2>&1
for name in $macros; do
    grep -q "^#define $name(" $work/seen && echo "$name is still a macro in C++"
done | grep -v -e '^dist_span ' -e '^tensor_print ' >$work/say
grep -q '^#define dist_span(' $work/seen || cat $work/seen >>$work/say
[ ! -s $work/say ]
told "every macro is a function in C++"

for ranks in processes threads; do
    DIST_RANKS=$ranks timeout -k 2 30 build/tests/programs/braces >$work/say 2>&1
    told "braces in every argument, ranks as $ranks"
done

# ---- mistakes -------------------------------------------------------------------------------

# mistake COMPILER STATEMENT PATTERN
mistake()
{
    cat >$work/mine.c <<END
#include "dist.h"
void mine(tensor *x, tensor *y, dist_group *g, dist_work *w, float *v, int rank);
void mine(tensor *x, tensor *y, dist_group *g, dist_work *w, float *v, int rank)
{
    (void)x, (void)y, (void)g, (void)w, (void)v, (void)rank;
    $2
}
END
    if [ "$3" = - ]; then
        (cd $work && $1 -std=c11 $warnings -Werror -I"$lib" -c mine.c) >$work/said 2>&1
        return
    fi
    (cd $work && $1 -std=c11 -Wall -I"$lib" -c mine.c) >$work/said 2>&1
    first=$(grep -m 1 -E '(error|warning):' $work/said)
    echo "$first" | grep -q '^mine\.c:6:' && echo "$first" | grep -q -E -- "$3"
}

lib=$PWD/lib
for compiler in gcc clang; do
    if ! command -v $compiler >/dev/null 2>&1; then
        skip "what $compiler says of mistakes: it is not installed"
        continue
    fi
    : >$work/say
    grep -v -e '^#' -e '^$' tests/headers/mistakes.txt | sed 's/ *| */|/g' >$work/list
    while IFS='|' read -r statement gcc clang; do
        pattern=$gcc
        if [ $compiler = clang ]; then pattern=$clang; fi
        if ! mistake $compiler "$statement" "$pattern"; then
            echo "$statement   should be told with: $pattern" >>$work/say
            cat $work/said >>$work/say
        fi
    done <$work/list
    [ ! -s $work/say ]
    told "$compiler tells $(wc -l <$work/list) mistakes with the line of the call"
done

# ---- a small message is over in 0.1 us: the macro may not cost an instruction -------------------

cat >$work/site.c <<'END'
#include "dist.h"
int by_macro(tensor *x);
int by_hand(tensor *x);
int by_macro(tensor *x) { return dist_send(x, 1); }
int by_hand(tensor *x) { return dist_send_from(__FILE__, __LINE__, x, 1, 0, NULL); }
END
${CC:-cc} -std=c11 -O2 -Ilib -c $work/site.c -o $work/site.o >$work/say 2>&1 &&
    [ "$(nm -S $work/site.o | awk '$4 ~ /^by_/ { print $2 }' | sort -u | tee -a $work/say | wc -l)" -eq 1 ]
told "dist_send puts its arguments where a function call would"

# ---- C++ ------------------------------------------------------------------------------------------

# cpp NAME COMMAND...: compile and link, and run with 4 ranks
cpp()
{
    name=$1
    shift
    "$@" >$work/say 2>&1 && DIST_OUTPUT=ordered timeout -k 2 30 $work/calls >$work/say 2>&1 &&
        [ "$(grep -c 'of C++ \[\[35, 40\], \[40, 56\]\]$' $work/say)" -eq 4 ]
    told "calls.cc, $name"
}

for compiler in g++ clang++; do
    for standard in c++17 c++20; do
        if echo 'int x;' | $compiler -std=$standard -x c++ -fsyntax-only - >/dev/null 2>&1; then
            # Once with the headers' own warnings.
            cpp "$compiler -std=$standard" $compiler -std=$standard $warnings -Werror -DDIST_OWN_WARNINGS -Ilib \
                tests/headers/calls.cc build/libdist.a -pthread -lm -ldl -o $work/calls
        else
            skip "calls.cc, $compiler -std=$standard: there is no such compiler here"
        fi
    done
done

nvcc=$(command -v nvcc || ls "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" 2>/dev/null)
if [ "$nvcc" ]; then
    cp tests/headers/calls.cc $work/calls.cu
    cpp "nvcc" "$nvcc" -std=c++17 -Werror all-warnings -Xcompiler -Wall,-Wextra,-pthread -Ilib $work/calls.cu build/libdist.a -lm -ldl \
        -o $work/calls
else
    skip "calls.cc as CUDA: there is no nvcc here"
fi
exit $failed
