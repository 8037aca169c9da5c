#!/bin/sh
# gpu.sh: what `make test-gpu` runs, on the GPUs of this machine. It needs neither Criterion nor a network. Without a GPU it
# says what is missing, and ends with 77. CHAPTERS are programs; BUILT is empty where the library has no CUDA device.

. tests/tools/count.sh

unset RANK WORLD_SIZE LOCAL_RANK OMPI_COMM_WORLD_RANK PMI_RANK SLURM_STEP_ID DIST_OUTPUT DIST_WORLD_FD DIST_RANKS
export LC_ALL=C
here=build/tests/gpu

leave_out()
{
    echo "LEFT OUT  $1"
    echo "0 passed, 0 failed, 6 skipped (kernels, streams, conformance, NCCL, chapters, compute-sanitizer)"
    exit 77
}

if [ ! "$BUILT" ]; then leave_out "the library is built without CUDA here: a GPU or nvcc is missing (see \`make doctor\`)"; fi
gpu=$($here/kernels_test name) || leave_out "$gpu"

mkdir -p build/results
RESULTS=$PWD/build/results/gpu
: >"$RESULTS"
started=$(date +%s)
echo "on $gpu"

# lines NAME SECONDS COMMAND...: the command prints "pass ..." and "fail ...".
lines()
{
    name=$1 seconds=$2
    shift 2
    timeout -k 5 "$seconds" "$@" >build/results/lines 2>build/results/errors </dev/null
    status=$?
    grep -E '^(pass|fail) ' build/results/lines >>"$RESULTS"
    sed -n 's/^fail /  FAILED  /p' build/results/lines
    if [ $status -ne 0 ] && ! grep -q '^fail ' build/results/lines; then
        fail "$name: exit status $status"
        tail -n 20 build/results/errors | sed 's/^/    /'
    fi
}

# whole NAME SECONDS COMMAND...: the command passes or fails.
whole()
{
    name=$1 seconds=$2
    shift 2
    if timeout -k 5 "$seconds" "$@" >build/results/lines 2>&1 </dev/null; then
        pass "$name"
    else
        fail "$name: exit status $?"
        tail -n 20 build/results/lines | sed 's/^/    /'
    fi
}

echo "kernels, and streams"
whole kernels 60 $here/kernels_test
lines streams 60 $here/streams_gpu

echo "conformance, 1 to 8 ranks"
lines "conformance of 4 ranks" 120 env DEVICE=cuda $here/conform_gpu 4
lines conformance 180 env DEVICE=cuda DIST_TEST_SPARSE=1 $here/conform_gpu 1 2 3 5 6 7 8

# One rank as it is; more by NCCL's sockets, so that they can share a GPU.
echo "conformance over NCCL: 1 rank, and 2 to 4 that share a GPU"
if BACKEND=nccl DIST_TEST_SPARSE=1 timeout -k 5 60 $here/conform_gpu 1 >build/results/lines 2>&1 ||
    ! grep -q 'exit status 46' build/results/lines; then
    lines "NCCL, 1 rank" 60 env BACKEND=nccl $here/conform_gpu 1
    lines "NCCL, shared" 200 env BACKEND=nccl DIST_NCCL_SHARE_GPU=1 DIST_TEST_SPARSE=1 $here/conform_gpu 2 3 4
else
    skip "NCCL: $(grep '^\[0\]' build/results/lines | head -n 3 | tr '\n' ' ')"
fi

# What these show depends on how long something takes, and is written down for the simulated GPU.
for program in $CHAPTERS; do
    case $program in
    */07_streams/ahead | */07_streams/missing_event | */07_streams/waits_too_much | */07_streams/overlap)
        skip "$program: what it prints is a matter of speed" ;;
    */13_scale/survives)
        skip "$program: its ranks are processes, which share no GPU" ;;
    *) compared="$compared $program" ;;
    esac
done
echo "what the chapters print, with 2, 4 and 7 ranks"
rm -f "$RESULTS".[247]
for n in 2 4 7; do
    DEVICE=cuda OUTPUT_MODES=threads OUTPUT_SIZES=$n RESULTS=$RESULTS.$n \
        tests/tools/outputs.sh $compared >build/results/lines.$n &
done
wait
for n in 2 4 7; do
    cat build/results/lines.$n
    cat "$RESULTS.$n" >>"$RESULTS"
done

echo "compute-sanitizer"
if command -v compute-sanitizer >/dev/null 2>&1; then
    for tool in memcheck racecheck; do
        whole "kernels under $tool" 120 compute-sanitizer --tool $tool --error-exitcode 1 $here/kernels_test
    done
    whole "2 ranks under memcheck" 180 env DIST_TEST_SPARSE=1 DEVICE=cuda \
        compute-sanitizer --target-processes all --error-exitcode 1 $here/conform_gpu 2
else
    skip "compute-sanitizer is not installed"
fi

echo
echo "after $(($(date +%s) - started)) s, on $gpu; all results: $RESULTS"
awk '{ count[$1]++ }
     END { printf "%d passed, %d failed%s\n", count["pass"], count["fail"],
                  count["skip"] ? ", " count["skip"] " skipped" : ""
           exit count["fail"] > 0 || count["pass"] == 0 }' "$RESULTS"
