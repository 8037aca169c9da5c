/*
 * emulate.hh: enough of a GPU for kernels.cu to run on the host, as it is, so that its kernels are tested wherever nvcc is.
 *
 * A launch runs one block after the other, and the threads of a block one after the other, each until it ends or comes to
 * __syncthreads(); there it waits for the rest, on a stack of its own. They go in another order at every barrier: who reads
 * what a neighbour has not written yet is found out, most of the time. A launch that a GPU would refuse is refused.
 *
 * Not emulated: warps, memory that is slow to be seen, a GPU's rounding where it differs from the host's (kernels.cu is compiled
 * so that it does not), and alignment: x86 reads 16 bytes from anywhere. UBSan finds that out (build/any/kernels_test has it).
 */
#ifndef TESTS_GPU_EMULATE_H
#define TESTS_GPU_EMULATE_H

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>

#define MOST_THREADS 1024 /* of a block, on every GPU so far */
#define STACK_BYTES ((size_t)64 << 10)

#undef __shared__
#undef __launch_bounds__
#define __shared__ static
#define __launch_bounds__(threads)
#define LAUNCH(kernel, blocks, threads, stream) \
    emulate((unsigned)(blocks), dim3(threads), stream, [](auto... given) { kernel(given...); })

static dim3 gridDim;
static uint3 blockIdx, threadIdx;

enum thread_state { THREAD_NEW, THREAD_WAITS, THREAD_ENDED };

/* The block that runs now. A stack that has ended one thread goes on with the next new one: so a kernel without barriers needs
 * only one. */
static struct {
    dim3 shape;
    unsigned count, begun, order;
    enum thread_state states[MOST_THREADS];
    ucontext_t contexts[MOST_THREADS], *back; /* of the threads that wait; and the scheduler's */
    unsigned current;
    void (*body)(void *);
    void *argument;
} block;

static cudaError_t launch_error;
static char stacks[MOST_THREADS][STACK_BYTES];

static unsigned thread_in_order(unsigned i)
{
    return (i * (2 * block.order + 1) + block.order * 7) % block.count; /* counts are powers of two */
}

static void become(unsigned thread)
{
    block.current = thread;
    threadIdx.x = thread % block.shape.x;
    threadIdx.y = thread / block.shape.x;
    threadIdx.z = 0;
}

static void run_new_threads(void)
{
    while (block.begun < block.count) {
        become(thread_in_order(block.begun++));
        block.body(block.argument);
        block.states[block.current] = THREAD_ENDED;
    }
}

static void __syncthreads(void)
{
    unsigned me = block.current;
    block.states[me] = THREAD_WAITS;
    swapcontext(&block.contexts[me], block.back);
    become(me);
}

/* Every thread to its next barrier, or to its end. True: they stand at a barrier. */
static bool run_to_barrier(ucontext_t *back)
{
    static ucontext_t fresh;
    static char(*stack)[STACK_BYTES];
    block.back = back;
    for (stack = stacks; block.begun < block.count; stack++) {
        getcontext(&fresh);
        fresh.uc_stack.ss_sp = *stack;
        fresh.uc_stack.ss_size = STACK_BYTES;
        fresh.uc_link = back;
        makecontext(&fresh, run_new_threads, 0);
        swapcontext(back, &fresh);
    }
    unsigned waiting = 0;
    for (unsigned i = 0; i < block.count; i++)
        waiting += block.states[i] == THREAD_WAITS;
    if (waiting > 0 && waiting < block.count) {
        printf("%u of %u threads of a block have ended, and the others wait for them\n",
               block.count - waiting, block.count);
        exit(1);
    }
    return waiting > 0;
}

static void run_block(void)
{
    ucontext_t back;
    block.begun = 0;
    for (unsigned i = 0; i < block.count; i++)
        block.states[i] = THREAD_NEW;
    while (run_to_barrier(&back)) {
        block.order++;
        for (unsigned i = 0; i < block.count; i++) {
            unsigned thread = thread_in_order(i);
            block.states[thread] = THREAD_ENDED; /* unless it comes to a barrier again */
            swapcontext(&back, &block.contexts[thread]);
        }
    }
}

template <class Kernel> struct emulated {
    unsigned blocks;
    dim3 threads;
    Kernel kernel;
    template <class... Given> void operator()(Given... given)
    {
        auto call = [&] { kernel(given...); };
        block.count = threads.x * threads.y * threads.z;
        if (blocks == 0 || blocks > 0x7fffffffu || block.count == 0 || block.count > MOST_THREADS) {
            launch_error = cudaErrorInvalidConfiguration;
            return;
        }
        block.shape = threads;
        block.argument = &call;
        block.body = [](void *argument) { (*(decltype(call) *)argument)(); };
        gridDim = dim3(blocks);
        for (unsigned i = 0; i < blocks; i++) {
            blockIdx.x = block.order % 2 ? i : blocks - 1 - i;
            run_block();
        }
        block.order++;
    }
};

template <class Kernel>
static emulated<Kernel> emulate(unsigned blocks, dim3 threads, cudaStream_t, Kernel kernel)
{
    return { blocks, threads, kernel };
}

/* ---- as much of the runtime as the tests call ------------------------------------------------- */

extern "C" {
cudaError_t cudaGetLastError(void)
{
    cudaError_t error = launch_error;
    launch_error = cudaSuccess;
    return error;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorInvalidConfiguration ? "invalid configuration argument" : "some error";
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
    return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind)
{
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int)
{
    strcpy(properties->name, "the host, in place of a GPU");
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}
}

template <class Kernel> static cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *, Kernel *)
{
    return cudaSuccess;
}

#endif
