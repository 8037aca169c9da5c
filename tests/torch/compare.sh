#!/bin/sh
# compare.sh: what `make test-torch` runs: chapter 10's training and PyTorch's, step by step, on one rank and on four; then chapter
# 11's transformer (transformer.py): loss, logits and gradients within 1e-5.
#
#   compare.sh           50 losses each: relative difference below 1e-5; and the lesson's table (chapters/10_data_parallel/
#                        recorded/torch.txt) says what was seen, to the same precision
#   compare.sh --write   write that table anew
#
# PyTorch is looked for in python3, then in build/torch, and is installed there from PyPI where it is in neither. That takes
# about 3 GB from the network and 6 GB of disk, since PyPI's PyTorch for Linux comes with its CUDA libraries. TORCH_PYTHON=
# names another Python that has it. Where it cannot be installed: the command that would, and exit status 77.

unset RANK WORLD_SIZE LOCAL_RANK DIST_RANKS DEVICE BACKEND DIST_ALGORITHM
export LC_ALL=C DIST_OUTPUT=ordered
program=build/chapters/10_data_parallel/naive
table=chapters/10_data_parallel/recorded/torch.txt
work=build/torch.losses
mkdir -p $work

has_torch()
{
    "$1" -c 'import torch.distributed as d; assert d.is_available() and d.is_gloo_available()' 2>/dev/null
}

leave_out()
{
    echo "LEFT OUT  $1"
    echo "          install it with:  python3 -m venv build/torch && build/torch/bin/pip install torch numpy"
    exit 77
}

install_torch()
{
    command -v python3 >/dev/null 2>&1 || leave_out "PyTorch is missing, and so is Python"
    [ "$(df -Pk build | awk 'NR == 2 { print int($4 / 1048576) }')" -ge 8 ] || leave_out "PyTorch is missing, and there are no 8 GB left on the disk"
    echo "  installing PyTorch from PyPI into build/torch (3 GB; log: build/torch.log)"
    { python3 -m venv build/torch && build/torch/bin/pip install --no-cache-dir torch numpy; } >build/torch.log 2>&1 </dev/null ||
        leave_out "PyTorch could not be installed: $(tail -n 1 build/torch.log)"
}

for python in $TORCH_PYTHON python3 build/torch/bin/python; do
    has_torch $python && break
    python=
done
if [ ! "$python" ]; then
    install_torch
    python=build/torch/bin/python
    has_torch $python || leave_out "PyTorch was installed, and cannot be imported with gloo"
fi

# run FILE COMMAND...
run()
{
    out=$1
    shift
    timeout -k 5 300 "$@" >$work/"$out" 2>$work/err </dev/null && [ "$(wc -l <$work/"$out")" -eq 50 ] && return
    echo "FAILED  $*: no 50 losses"
    tail -n 10 $work/err
    exit 1
}

run ours.1 env WORLD_SIZE=1 $program losses
run ours.4 env WORLD_SIZE=4 $program losses
run torch.1 $python tests/torch/train.py
run torch.4 $python -m torch.distributed.run --standalone --nproc-per-node 4 tests/torch/train.py
version=$($python -c 'import torch; print(torch.__version__.split("+")[0])')

paste -d ' ' $work/ours.1 $work/ours.4 $work/torch.1 $work/torch.4 | awk -v version="$version" '
    function apart(a, b) { return a > b ? (a - b) / b : (b - a) / b }
    function look(a) { if (apart(a, $2) > most) most = apart(a, $2) }
    BEGIN { print "         this library           PyTorch " version
            print "step     1 rank    4 ranks      1 rank    4 ranks (DDP, gloo)" }
    { look($4); look($6); look($8) }
    NR == 1 || NR % 10 == 0 { printf "%4d  %9.6f  %9.6f   %9.6f  %9.6f\n", $1, $2, $4, $6, $8 }
    END { printf "all 50 steps: equal to within %s\n", most < 1e-6 ? "1e-6" : most < 1e-5 ? "1e-5" : most }' >$work/table

cat $work/table
if [ "$1" = --write ]; then
    cp $work/table $table && echo "wrote $table"
elif ! grep -q 'within 1e-[56]$' $work/table; then
    echo "FAILED  the losses differ by more than 1e-5"
    exit 1
elif ! paste -d ' ' $table $work/table | awk '
    $1 + 0 > 0 { for (i = 2; i <= 5; i++) { d = $i / $(i + 5) - 1; if (d > 1e-5 || d < -1e-5) wrong = 1 } rows++ }
    END { exit wrong || rows != 6 }'; then
    echo "FAILED  $table says something else: tests/torch/compare.sh --write makes it anew"
    exit 1
fi
echo "passed: the losses are those of PyTorch, and the table in the lesson says so"

# Chapter 11: the same weights, the same sample.
env WORLD_SIZE=1 build/tests/torch/transformer >$work/transformer || exit 1
$python tests/torch/transformer.py $work/transformer
