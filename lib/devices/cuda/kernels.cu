/*
 * kernels.cu: starts the loops of loops.cuh, and the two kernels whose threads work together: sums and transposes.
 */
#include "choose.cuh"

extern "C" {
#include "kernels.h"
}

#define THREADS 256 /* of a block */
#define TILE 32     /* a transpose goes by squares of so many elements */
#define TILE_ROWS 8 /* rows of a tile that its threads move at a time */

#ifndef LAUNCH /* tests/gpu/emulate.hh has another, for the host */
#define LAUNCH(kernel, blocks, threads, stream) kernel<<<blocks, threads, 0, stream>>>
#endif

template <class Loop>
__global__ void __launch_bounds__(THREADS)
    each(const __grid_constant__ Loop loop, int64_t count, int64_t head)
{
    share(loop, count, head, blockIdx.x * (int64_t)THREADS + threadIdx.x, gridDim.x * (int64_t)THREADS);
}

/* Sums of the threads, halved until one is left. The same order on every run and every GPU. */
template <class T>
__global__ void __launch_bounds__(THREADS) add_up(sum<T> mine, int64_t count, int64_t head, double *out)
{
    __shared__ double totals[THREADS];
    share(mine, count, head, blockIdx.x * (int64_t)THREADS + threadIdx.x, gridDim.x * (int64_t)THREADS);
    totals[threadIdx.x] = mine.total;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half)
            totals[threadIdx.x] += totals[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = totals[0];
}

/* Through shared memory, so that reads and writes both go along rows. One column more than needed: so the elements of a
 * column lie in different banks. */
template <class Element>
__global__ void __launch_bounds__(TILE *TILE_ROWS)
    turn(Element *out, const Element *in, int64_t rows, int64_t columns)
{
    __shared__ Element tile[TILE][TILE + 1];
    int64_t across = (columns + TILE - 1) / TILE, tiles = across * ((rows + TILE - 1) / TILE);
    for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        int64_t row = t / across * TILE, column = t % across * TILE;
        for (int y = threadIdx.y; y < TILE; y += TILE_ROWS)
            if (row + y < rows && column + threadIdx.x < columns)
                tile[y][threadIdx.x] = in[(row + y) * columns + column + threadIdx.x];
        __syncthreads();
        for (int y = threadIdx.y; y < TILE; y += TILE_ROWS)
            if (column + y < columns && row + threadIdx.x < rows)
                out[(column + y) * rows + row + threadIdx.x] = tile[threadIdx.x][y];
        __syncthreads();
    }
}

/* ---- starting them --------------------------------------------------------------------- */

/* At least one, whatever it is told: a GPU refuses to start none. */
static unsigned blocks_for(int64_t work, int64_t each, int64_t most)
{
    int64_t blocks = (work + each - 1) / each;
    blocks = blocks < most ? blocks : most;
    return (unsigned)(blocks < 1 ? 1 : blocks);
}

/* What choose.cuh hands loops to. Blocks enough to fill the GPU, and no more: each then goes on to its next share. */
struct launcher {
    cudaStream_t stream;
    int64_t most;
    template <class Loop> void operator()(const Loop &loop, int64_t count) const
    {
        int64_t lead = loop.lead(), head = lead < count ? lead : count;
        int64_t work = (count - head) / Loop::WIDTH + head;
        LAUNCH(each, blocks_for(work, THREADS, most), THREADS, stream)(loop, count, head);
    }
};

/* Into partial sums, and those into one. */
static void start_sum(const struct kernel *k, cudaStream_t stream, double *partial)
{
    with_type(k->type, [&](auto type) {
        typedef decltype(type) T;
        sum<T> loop = { (const typename T::element *)k->in[0], 0 };
        int64_t lead = loop.lead(), head = lead < k->count ? lead : k->count;
        unsigned blocks = blocks_for(k->count, THREADS * sum<T>::WIDTH, SUM_BLOCKS);
        LAUNCH(add_up<T>, blocks, THREADS, stream)(loop, k->count, head, partial);
        LAUNCH(add_up<f64>, 1, THREADS, stream)(sum<f64>{ partial, 0 }, blocks, 0, (double *)k->out);
    });
}

static void start_transpose(const struct kernel *k, cudaStream_t stream, int64_t most)
{
    int64_t tiles = ((k->rows + TILE - 1) / TILE) * ((k->columns + TILE - 1) / TILE);
    with_type(k->type, [&](auto type) {
        typedef typename decltype(type)::element Element;
        LAUNCH(turn, blocks_for(tiles, 1, most), dim3(TILE, TILE_ROWS), stream)
        ((Element *)k->out, (const Element *)k->in[0], k->rows, k->columns);
    });
}

cudaError_t kernels_start(const struct kernel *k, cudaStream_t stream, int multiprocessors, double *partial)
{
    launcher launcher = { stream, 8 * (int64_t)multiprocessors };
    if (k->kind == KERNEL_SUM)
        start_sum(k, stream, partial);
    else if (k->kind == KERNEL_TRANSPOSE)
        start_transpose(k, stream, launcher.most);
    else
        choose(k, launcher);
    return cudaGetLastError();
}

cudaError_t kernels_fit(void)
{
    struct cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, each<elementwise<u8, u8, KERNEL_FILL>>);
}
