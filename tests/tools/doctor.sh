#!/bin/sh
# doctor.sh: what works on this machine, what is missing for the rest, and the one command that installs it (packages.sh).
# Always exits 0: a C compiler and make are enough for the workbook. MPIS, HAS_GLOO: what the Makefile found that compiles and links.

. tests/tools/packages.sh

CC=${CC:-cc}
all_missing=

has()
{
    command -v "$1" >/dev/null 2>&1
}

# The version in the first line that a command says, if it is there.
version()
{
    has "$1" || return 1
    "$1" "${2:---version}" 2>&1 </dev/null | head -n 1 | grep -o -E '[0-9]+(\.[0-9]+)+' | head -n 1
}

# need NAME TEST...: if the test fails the name is missing. For the row to come.
need()
{
    name=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing,$name"
}

# Can it compile a program that includes this? includes HEADER
includes()
{
    echo "#include <$1>" | $CC $(pkg-config --cflags criterion 2>/dev/null) -E - >/dev/null 2>&1
}

# row WHAT WORDS [INSTEAD]: works if nothing is missing; else INSTEAD, if that is given, is what works. Collects what is missing.
row()
{
    list=$(echo "${missing#,}" | sed 's/,/, /g')
    if [ ! "$missing" ]; then
        printf '  works   %-18s %s\n' "$1" "$2"
    elif [ "$3" ]; then
        printf '  partly  %-18s %s; missing: %s\n' "$1" "$3" "$list"
    else
        printf '  no      %-18s missing: %s\n' "$1" "$list"
    fi
    all_missing=$all_missing$missing
    missing=
}

# ---- what NVIDIA brings: looked for where the Makefile looks ---------------------------

first_file()
{
    for file in "$@"; do
        [ ! -e "$file" ] || { echo "$file"; return; }
    done
    return 1
}

wheels()
{
    ls -d "$HOME"/.local/lib/python3*/site-packages/nvidia /usr/lib/python3*/*-packages/nvidia \
        /usr/local/lib/python3*/*-packages/nvidia "$VIRTUAL_ENV"/lib/python3*/site-packages/nvidia 2>/dev/null
}

nvcc()
{
    path=$(first_file "${CUDA_HOME:-/nowhere}/bin/nvcc" "$(command -v nvcc 2>/dev/null)" /usr/local/cuda/bin/nvcc \
        "${CONDA_PREFIX:-/nowhere}/bin/nvcc" $(wheels | sed 's|$|/cuda_nvcc/bin/nvcc|')) &&
        "$path" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/nvcc \1/p'
}

nccl()
{
    header=$(first_file "${NCCL_HOME:-/nowhere}/include/nccl.h" "${CUDA_HOME:-/nowhere}/include/nccl.h" /usr/include/nccl.h \
        /usr/local/cuda/include/nccl.h "${CONDA_PREFIX:-/nowhere}/include/nccl.h" $(wheels | sed 's|$|/nccl/include/nccl.h|')) &&
        awk '/^#define NCCL_(MAJOR|MINOR|PATCH) / { v = v "." $3 } END { print "NCCL " substr(v, 2) }' "$header"
}

driver()
{
    if has nvidia-smi; then
        nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1 | grep . && return
    fi
    [ -e /dev/dxg ] || sed -n '1s/.*Kernel Module[^0-9]*\([0-9.]*\).*/driver \1/p' /proc/driver/nvidia/version 2>/dev/null | grep .
}

launchers()
{
    for launcher in torchrun mpirun srun; do
        ! has $launcher || echo $launcher
    done | paste -s -d ' ' - | grep .
}

mpi()
{
    for mpirun in "mpirun.$1" mpirun; do
        if has $mpirun && $mpirun --version 2>&1 </dev/null | grep -q "$2"; then return; fi
    done
    return 1
}

# An MPI with its compiler.
has_mpi()
{
    case " $MPIS " in *" $1 "*) return ;; esac
    return 1
}

mpis()
{
    { ! has_mpi openmpi || echo Open MPI; ! has_mpi mpich || echo MPICH; } | paste -s -d ' ' - | grep . || echo none
}

# ---- the rows ---------------------------------------------------------------------------

memory=$(awk '/MemTotal/ { printf ", %.1f GiB", $2 / 1048576 }' /proc/meminfo 2>/dev/null)
echo "what works on this machine ($(nproc) processors$memory):"

missing=
need make has make
need compiler includes stdio.h
need binutils has objcopy
need diff has diff
need awk has awk
need timeout has timeout
basis=$missing
row "run the chapters" "with ${CC##*/} $(version "${CC%% *}"), make $(version make)"
missing=$basis
row "grade exercises" "with the same"

need compiler includes stdio.h
need Criterion includes criterion/criterion.h
need pkg-config has pkg-config
need Graphviz has dot
row "make test" "with Criterion, Graphviz"

need clang has clang
need clang-format has clang-format
row "make check" "with gcc, clang, clang-format" "with what is there"

need Graphviz has neato
row "draw pictures" "with Graphviz, as .svg" "as .dot files"

need "Open MPI" mpi openmpi 'Open MPI'
need MPICH mpi mpich HYDRA
need Gloo test "$HAS_GLOO"
need gnuplot has gnuplot
optional=$missing
row "compare, and plot" "make bench: with Open MPI, MPICH, Gloo, gnuplot" "make bench"
all_missing=${all_missing%"$optional"}

need "Open MPI" has_mpi openmpi
need MPICH has_mpi mpich
wished=$missing
row "BACKEND=mpi" "with Open MPI, MPICH" "with $(mpis)"
all_missing=${all_missing%"$wished"} optional=$optional$wished

need Gloo test "$HAS_GLOO"
wished=$missing
row "BACKEND=gloo" "with Gloo" "not built"
all_missing=${all_missing%"$wished"} optional=$optional$wished

need "a GPU with its driver" driver
need "nvcc (https://developer.nvidia.com/cuda-downloads)" nvcc
row "a GPU" "$(driver), $(nvcc)" "simulated, as in chapter 07"

need "a GPU with its driver" driver
need "NCCL (https://developer.nvidia.com/nccl)" nccl
need "torchrun or mpirun" launchers
row "many machines" "with $(nccl), $(launchers)"
[ "$(driver)" ] || all_missing=${all_missing%",torchrun or mpirun"}

# ---- and the command ---------------------------------------------------------------------

# for_system NAME SYSTEM MISSING: nothing where nothing that it has is missing.
for_system()
{
    command=$(how_to_get "$2" "$3")
    [ ! "$command" ] || printf '  %-9s %s\n' "$1" "$command"
}

[ "$(called_there debian "$all_missing$optional")" ] || exit 0
echo
echo "to get what is missing:"
if [ "$system" ]; then
    for_system "$system:" "$system" "$all_missing"
    for_system "to compare:" "$system" "$optional"
    none=$(not_packaged "$system" "$all_missing")
    [ ! "$none" ] || echo "  We know of no package of $none for $system; Criterion is at https://github.com/Snaipe/Criterion"
else
    for_system Debian: debian "$all_missing"
    for_system Ubuntu: debian "$all_missing"
    for_system Fedora: fedora "$all_missing"
    for_system Arch: arch "$all_missing"
    for_system Alpine: alpine "$all_missing"
fi
