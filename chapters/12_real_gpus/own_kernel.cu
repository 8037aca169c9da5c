/*
 * own_kernel.cu: a kernel of your own between two collectives.
 *
 *     stream    all_reduce(g)  |  w = w / 2 + g  |  all_reduce(w)  |
 *                the library's       yours          the library's
 *
 * It needs nvcc and a GPU, which the ranks share. Run it:  make run-12 PROG=own_kernel N=4
 */
#include "dist.h"

#include <stdio.h>
#include <stdlib.h>

__global__ void decay_and_add(float *w, const float *g, float decay, int64_t count)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        w[i] = w[i] * decay + g[i];
}

/* w = w * decay + g, in the current stream: after what the library has put in, and before what it puts in later. */
static void step(tensor *w, tensor *g, float decay)
{
    int64_t count = tensor_numel(w);
    float *to = (float *)tensor_data(w), *from = (float *)tensor_data(g);
    cudaStream_t stream = (cudaStream_t)dist_stream_native();
    decay_and_add<<<(unsigned)((count + 255) / 256), 256, 0, stream>>>(to, from, decay, count);
    cudaError_t error = cudaGetLastError(); /* a launch returns nothing */
    if (error != cudaSuccess) {
        fprintf(stderr, "decay_and_add: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *w = tensor_full(DIST_F32, rank, 4);
    tensor *g = tensor_arange(DIST_F32, 100 * rank, 100 * rank + 4);

    dist_all_reduce(g);
    step(w, g, 0.5f);
    dist_all_reduce(w, DIST_MAX);
    tensor_print(w, "rank %d of %d holds", rank, world_size);

    tensor_free(g);
    tensor_free(w);
    dist_destroy_process_group();
}

int main()
{
    setenv("BACKEND", "cuda", 0); /* unless you say otherwise */
    return dist_spawn(run, 4);
}
