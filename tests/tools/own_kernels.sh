#!/bin/sh
# own_kernels.sh [--write]: lessons' programs with kernels of their own, chapters/*/NAME.cu, on the double of CUDA: with 2, 4 and 7
# ranks they must print chapters/*/expected/NAME.N.txt, which --write makes from such a run. It needs a C++ compiler, but neither
# nvcc nor a GPU, and wants build/tests/libhelpers.a and build/libinside.a.

. tests/tools/count.sh

work=$(mktemp -d) || exit 1
trap 'rm -rf $work' EXIT
failed=0

cxx=$(command -v "${CXX:-g++}" || command -v clang++ || command -v c++)

# build SOURCE: as $work/program; launches are rewritten for tests/headers/on_double.hh
build()
{
    sed -E 's/\b([a-z_0-9]+)<<<(.*)>>>\(/on_double(\1, \2)(/' "$1" >$work/program.cc
    # The device is named, so that the double is taken and not what stands in where there is no CUDA.
    $cxx -std=c++17 -Wall -Wextra -Werror -Ilib -include tests/headers/on_double.hh $work/program.cc -Wl,-u,device_cuda \
        build/tests/libhelpers.a build/libinside.a -pthread -lm -ldl -o $work/program >$work/say 2>&1
}

for source in chapters/*/*.cu; do
    if [ ! -e "$source" ]; then break; fi
    if [ ! "$cxx" ]; then
        skip "$source on the double of CUDA: there is no C++ compiler here"
        continue
    fi
    if ! build "$source"; then
        fail "$source on the double of CUDA: it does not compile"
        head -n 20 $work/say | sed 's/^/    /'
        failed=1
        continue
    fi
    for n in 2 4 7; do
        expected=$(dirname "$source")/expected/$(basename "$source" .cu).$n.txt
        WORLD_SIZE=$n DIST_OUTPUT=ordered timeout -k 2 30 $work/program >$work/out 2>$work/err </dev/null
        status=$?
        if [ "$1" = --write ] && [ $status -eq 0 ]; then
            cp $work/out "$expected"
        elif [ $status -eq 0 ] && cmp -s $work/out "$expected"; then
            pass "$source with $n ranks, on the double of CUDA"
        else
            fail "$source with $n ranks, on the double of CUDA: exit status $status"
            diff -u "$expected" $work/out | head -n 20 | sed 's/^/    /'
            head -n 5 $work/err | sed 's/^/    /'
            failed=1
        fi
    done
done
exit $failed
