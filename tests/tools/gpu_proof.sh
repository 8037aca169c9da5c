#!/bin/sh
# gpu_proof.sh: what `make gpu-proof` runs, for somebody who has a GPU for ten minutes: tests, measures, records, draws, and packs it
# all into one file. It packs after every step: who is cut off has what was done by then. Without a GPU it says what it
# would do, and ends with 77. The Makefile has built everything; BUILT is empty where the library has no CUDA device.

here=build/proof
steps="machine tests curves benches"
file=$PWD/gpu-proof-$(uname -n)-$(date +%Y-%m-%d-%H%M).tar.gz

would()
{
    echo "LEFT OUT  $1"
    cat <<'END'
With a GPU, nvcc and gcc, make gpu-proof would
  machine   write down GPUs, driver, toolkit, NCCL and processor
  tests     run make test-gpu: kernels, streams, conformance of 1 to 8 ranks, NCCL, chapters, compute-sanitizer
  curves    measure chapter 12's bandwidth over BACKEND=cuda and, with two GPUs or more, over BACKEND=nccl, and plot it
  benches   run make bench-gpu, beside the GPU's limits and NCCL; kept in tests/bench/results
and pack all of it into gpu-proof-MACHINE-TIME.tar.gz: please send us that file. It takes about ten minutes.
END
    exit 77
}

if [ ! "$BUILT" ]; then would "the library is built without CUDA here: a GPU or nvcc is missing (see \`make doctor\`)"; fi
gpu=$(build/tests/gpu/kernels_test name) || would "$gpu"
gpus=$(nvidia-smi --list-gpus 2>/dev/null | grep -c '^GPU')

# What there is by now. A file that is half written is never left in place of a whole one.
pack()
{
    tar -czf "$file.part" $here $(ls -d tests/bench/results build/results/gpu chapters/12_real_gpus/recorded 2>/dev/null) 2>/dev/null &&
        mv "$file.part" "$file"
}

machine()
{
    echo "$gpu"
    uname -srm
    date -u
    git log -1 --format='commit %H' 2>/dev/null
    tests/tools/doctor.sh
    nvidia-smi -q 2>/dev/null | head -n 400
    nvidia-smi topo -m 2>/dev/null
    lscpu 2>/dev/null
}

tests()
{
    tests/tools/gpu.sh
}

curves()
{
    BACKEND=cuda DEVICE=cuda RANKS="2 4" timeout -k 5 120 sh chapters/12_real_gpus/record.sh || return 1
    if [ "$gpus" -ge 2 ]; then
        BACKEND=nccl DEVICE=cuda RANKS="2 $gpus" timeout -k 5 120 sh chapters/12_real_gpus/record.sh
    else
        echo "LEFT OUT  the curve of NCCL: it wants a GPU for each rank, and there is one"
    fi
}

benches()
{
    tests/bench/bench_gpu.sh
}

rm -rf $here
mkdir -p $here || exit 1
trap 'kill $child 2>/dev/null; echo "cut off" >>$here/summary; pack; echo "cut off; what was done by then: $file"; exit 130' INT TERM HUP
echo "on $gpu"
bad=0 child=
for step in $steps; do
    echo "-- $step"
    started=$(date +%s)
    echo "$step began" >>$here/summary
    { $step 2>&1; echo $? >$here/status; } >$here/$step.txt &
    child=$!
    wait $child
    cat $here/$step.txt
    status=$(cat $here/status)
    echo "$step ended with $status after $(($(date +%s) - started)) s" >>$here/summary
    [ "$status" -eq 0 ] || bad=1
    pack
done
echo
cat $here/summary
echo "all of it: $file; please send us that file"
exit $bad
