#!/bin/sh
# check.sh: what `make check` looks at. Everything is looked at, even where something was found before.
# FLAGS are the Makefile's, INCLUDE_RULES its table.

export LC_ALL=C
work=build/check
mkdir -p $work
status=0
left_out=

left_out()
{
    left_out="$left_out
  LEFT OUT: $1"
}

# judge NAME COMMAND...: run, and show what it says only where it fails.
judge()
{
    name=$1
    shift
    if "$@" >$work/say 2>&1; then
        echo "  good   $name"
    else
        echo "  WRONG  $name"
        head -n 60 $work/say | sed 's/^/    /'
        status=1
    fi
}

# All files of ours that end so: ours c h
ours()
{
    for ending in "$@"; do
        find lib chapters exercises solutions diagrams tests -name "*.$ending" 2>/dev/null
    done | sort
}

has_criterion()
{
    echo '#include <criterion/criterion.h>' | $1 -E - >/dev/null 2>&1
}

# The suites are built on the small runner only late, for other machines: a name of Criterion's that it lacks is found here.
small_has_all()
{
    lacks=0
    for macro in $(cat tests/*.c tests/*.h | grep -oE '\bcr_[a-z_]+\b' | sort -u); do
        grep -q "#define $macro(" tests/doubles/criterion/criterion.h && continue
        grep -n "\<$macro\>" tests/*.c tests/*.h
        lacks=1
    done
    return $lacks
}

# xargs calls us back once for each file, so that all cores work: each CC FILE...
each()
{
    compiler=$1
    shift
    printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} tests/tools/check_one.sh "$compiler" {} $work
}

compile_with()
{
    sources=$(ours c | xargs grep -L -e '<mpi\.h>' -e '<cuda_runtime_api\.h>')
    headers=$(ours h | grep -v -e '\.inc\.h$' -e '^lib/devices/amd/' -e '^lib/backends/gloo/missing/') # HIP's (make check-amd), and C++
    if ! echo '#include <nccl.h>' | $1 $FLAGS -E - >/dev/null 2>&1; then
        left_out "the nccl backend and its double, with $1: nccl.h is missing"
        sources=$(echo "$sources" | grep -v -e '/nccl/' -e /play_nccl -e /bench_nccl)
        headers=$(echo "$headers" | grep -v '/nccl/')
    fi
    if ! has_criterion $1; then
        left_out "the suites, with $1: Criterion is missing (\`make test\` installs it)"
        sources=$(grep -L '<criterion/' $sources)
    fi
    if [ $1 = clang ]; then sources=$(echo "$sources" | grep -v -e '^tests/wrong/' -e '^tests/right/'); fi # nobody is given them
    judge "every source is looked at by $1" each $1 $sources
    judge "every header compiles alone, and twice, with $1" each $1 $headers
}

echo "who includes whom, and style"
judge "includes follow the table in the Makefile" awk -f tests/tools/includes.awk $(ours c h cu cuh)
judge "each name of CUDA's has its HIP name in lib/devices/amd" tests/tools/amd_names.sh
judge "the small runner has what the suites use of Criterion" small_has_all
judge "lengths, tabs, blanks, reminders" awk -f tests/tools/style.awk \
    Makefile README.md $(ours c h cu cuh sh awk md) $(ls .ci/run 2>/dev/null)

if command -v clang-format >/dev/null 2>&1; then
    judge "clang-format has nothing to change" clang-format --dry-run -Werror $(ours c h cu cuh)
else
    left_out "the format: there is no clang-format"
fi

echo "compilers"
for compiler in gcc clang; do
    if command -v $compiler >/dev/null 2>&1; then
        compile_with $compiler
    else
        left_out "everything with $compiler: it is not installed"
    fi
done

echo "${left_out#?}"
exit $status
