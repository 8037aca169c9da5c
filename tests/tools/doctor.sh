#!/bin/sh
# doctor.sh: what this machine has, what it is for, and the command that installs what is missing. Always exits 0:
# only a C compiler and make are needed.

# The name of a package for this machine's package manager.
if command -v apt-get >/dev/null 2>&1; then
    get="sudo apt-get install" system=debian
elif command -v dnf >/dev/null 2>&1; then
    get="sudo dnf install" system=fedora
elif command -v pacman >/dev/null 2>&1; then
    get="sudo pacman -S" system=arch
elif command -v zypper >/dev/null 2>&1; then
    get="sudo zypper install" system=suse
elif command -v apk >/dev/null 2>&1; then
    get="sudo apk add" system=alpine
else
    get="brew install" system=brew
fi

# show NAME FOR VERSION HOW: one line; an empty version means that it is missing, and how is the way to get it.
show()
{
    if [ "$3" ]; then
        printf '  %-13s %-34s %-46s\n' "$1" "$2" "$3"
    else
        printf '  %-13s %-34s missing: %s\n' "$1" "$2" "$4"
    fi | sed 's/ *$//'
}

first_line()
{
    "$@" 2>&1 </dev/null | head -n 1 | cut -c 1-46
}

# The first line of COMMAND's version; nothing where it is not there: version COMMAND [OPTION]
version()
{
    if command -v "$1" >/dev/null 2>&1; then first_line "$1" "${2:---version}"; fi
}

# package DEBIAN FEDORA ARCH SUSE ALPINE BREW: the command for this system.
package()
{
    case $system in
    fedora) name=$2 ;;
    arch) name=$3 ;;
    suse) name=$4 ;;
    alpine) name=$5 ;;
    brew) name=$6 ;;
    *) name=$1 ;;
    esac
    echo "$get $name"
}

same()
{
    package "$1" "$1" "$1" "$1" "$1" "$1"
}

criterion()
{
    if pkg-config --exists criterion 2>/dev/null; then
        echo "criterion $(pkg-config --modversion criterion)"
    elif echo '#include <criterion/criterion.h>' | ${CC:-cc} -E - >/dev/null 2>&1; then
        echo "found by ${CC:-cc}"
    fi
}

# The first existing file of a list.
first_file()
{
    for file in "$@"; do
        if [ -e "$file" ]; then
            echo "$file"
            return
        fi
    done
}

wheels()
{
    ls -d "$HOME"/.local/lib/python3*/site-packages/nvidia /usr/lib/python3*/*-packages/nvidia \
        /usr/local/lib/python3*/*-packages/nvidia "$VIRTUAL_ENV"/lib/python3*/site-packages/nvidia 2>/dev/null
}

nvcc()
{
    path=$(first_file "${CUDA_HOME:-/nowhere}/bin/nvcc" "$(command -v nvcc 2>/dev/null)" /usr/local/cuda/bin/nvcc \
        "${CONDA_PREFIX:-/nowhere}/bin/nvcc" $(wheels | sed 's|$|/cuda_nvcc/bin/nvcc|'))
    if [ "$path" ]; then
        echo "$("$path" --version 2>/dev/null | sed -n 's/.*\(release [0-9.]*\).*/\1/p') $path"
    fi
}

nccl()
{
    header=$(first_file "${NCCL_HOME:-/nowhere}/include/nccl.h" "${CUDA_HOME:-/nowhere}/include/nccl.h" /usr/include/nccl.h \
        /usr/local/cuda/include/nccl.h "${CONDA_PREFIX:-/nowhere}/include/nccl.h" $(wheels | sed 's|$|/nccl/include/nccl.h|'))
    if [ "$header" ]; then
        awk '/^#define NCCL_(MAJOR|MINOR|PATCH) / { v = v "." $3 } END { printf "%s ", substr(v, 2) }' "$header"
        echo "$header"
    fi
}

gloo()
{
    awk '/define GLOO_VERSION_M/ { v = v "." $3 } END { if (v) print "Gloo " substr(v, 2) }' /usr/include/gloo/config.h 2>/dev/null
}

driver()
{
    if command -v nvidia-smi >/dev/null 2>&1; then
        nvidia-smi --query-gpu=driver_version,name --format=csv,noheader 2>/dev/null | head -n 1
    elif [ -e /proc/driver/nvidia/version ]; then
        head -n 1 /proc/driver/nvidia/version | cut -c 1-46
    fi
}

mpi()
{
    for mpirun in "mpirun.$1" mpirun; do
        if command -v $mpirun >/dev/null 2>&1 && $mpirun --version 2>&1 </dev/null | grep -q "$2"; then
            $mpirun --version 2>&1 </dev/null | grep -m 1 -E 'Open MPI|Version' | sed 's/^ *//; s/  */ /g'
            return
        fi
    done
}

echo "needed"
show make "builds everything" "$(version make)" "$(same make)"
show "${CC:-cc}" "the C compiler in use" "$(version "${CC:-cc}")" "$(same gcc)"

echo "for make test and make check"
show gcc "one of the two compilers of check" "$(version gcc)" "$(same gcc)"
show clang "the other one" "$(version clang)" "$(same clang)"
show Criterion "the test suites" "$(criterion)" \
    "$(package libcriterion-dev 'pkgconfig(criterion)' criterion 'pkgconfig(criterion)' criterion-dev criterion)"
show pkg-config "finds Criterion" "$(version pkg-config)" \
    "$(package pkg-config pkgconf-pkg-config pkgconf pkgconf-pkg-config pkgconf pkg-config)"
show Graphviz "draws the diagrams" "$(version dot -V)" "$(same graphviz)"
show clang-format "compares the format" "$(version clang-format)" \
    "$(package clang-format clang-tools-extra clang clang-tools clang-extra-tools clang-format)"
show spin "checks the model of the protocol" "$(version spin -V)" "$(same spin)"

echo "to compare with, and to plot"
show "Open MPI" "launcher; make bench compares" "$(mpi openmpi 'Open MPI')" \
    "$(package 'openmpi-bin libopenmpi-dev' openmpi-devel openmpi openmpi-devel openmpi-dev open-mpi)"
show MPICH "launcher; make bench compares" "$(mpi mpich HYDRA)" \
    "$(package 'mpich libmpich-dev' mpich-devel mpich mpich-devel mpich-dev mpich)"
show Gloo "make bench compares" "$(gloo)" "apt-get install g++ libgloo-dev (Debian has it)"
show gnuplot "plots measurements" "$(version gnuplot)" \
    "$(package gnuplot-nox gnuplot gnuplot gnuplot gnuplot gnuplot)"
show pandoc "lessons as web pages" "$(version pandoc)" "$(same pandoc)"

echo "for real GPUs (everything runs without)"
show "GPU driver" "talks to the GPU" "$(driver)" "see https://www.nvidia.com/drivers"
show nvcc "the CUDA compiler" "$(nvcc)" "see https://developer.nvidia.com/cuda-downloads"
show NCCL "NVIDIA's collectives" "$(nccl)" "see https://developer.nvidia.com/nccl"

echo
echo "$(nproc) processors; $(awk '/MemTotal/ { printf "%.1f GiB of memory", $2 / 1048576 }' /proc/meminfo 2>/dev/null)"
