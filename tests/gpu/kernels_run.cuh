/*
 * kernels_run.cuh: random arrays in an arena; a kernel on them, here and on the host; and whether the two agree.
 */
#ifndef TESTS_GPU_KERNELS_RUN_CUH
#define TESTS_GPU_KERNELS_RUN_CUH

extern "C" {
#include "devices/cuda/kernels.h"
}

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ARENA ((size_t)1 << 20)
#define PART (ARENA / 32) /* of the arena: for one array */

/* The kernels work in the arena; what was in it before, and what the host makes of that, are kept beside it. */
static char arena[ARENA], before[ARENA], wanted[ARENA];
static char *on_gpu;
static uint64_t seed, state;
static long cases;
static const char *const kinds[KERNEL_KINDS] = { "fill",
                                                 "arange",
                                                 "convert",
                                                 "reduce",
                                                 "sub",
                                                 "scale",
                                                 "relu",
                                                 "relu_backward",
                                                 "softmax",
                                                 "gelu",
                                                 "gelu_backward",
                                                 "softmax_backward",
                                                 "causal_mask",
                                                 "layer_norm",
                                                 "layer_norm_backward",
                                                 "add_columns",
                                                 "embedding",
                                                 "embedding_backward",
                                                 "cross_entropy",
                                                 "cross_entropy_backward",
                                                 "adamw",
                                                 "sum",
                                                 "matmul",
                                                 "transpose" };

static uint64_t draw(void)
{
    uint64_t x = state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* ---- values --------------------------------------------------------------------------- */

static const double edges[] = { 0.0,
                                -0.0,
                                1,
                                -1,
                                0.5,
                                1.5,
                                2.5,
                                -2.5,
                                127,
                                255,
                                256,
                                65504,
                                65519.99,
                                65520,
                                2147483647.0,
                                -2147483648.0,
                                4294967296.0,
                                1e300,
                                1e-300,
                                0x1p-24,
                                0x1p-25,
                                0x1.8p-25,
                                0x1p-14,
                                0x1p-126,
                                0x1p-149,
                                0x1p63,
                                -0x1p63,
                                0x1.fffffep127,
                                INFINITY,
                                -INFINITY,
                                NAN,
                                2049,
                                4097,
                                0x1.01p0,
                                0x1.0080001p0,
                                0x1.00201p0 };

enum wild { TAME, WILD }; /* numbers between -2 and 2; or edges, and any bits at all */

static void put(enum dist_type type, void *array, int64_t i, enum wild wild)
{
    uint64_t bits = draw();
    if (wild == TAME)
        dtype_store(type, array, i, type == DIST_U8 ? (double)(bits % 200) : (double)(int64_t)bits * 0x1p-62);
    else if (bits % 4 == 0)
        dtype_store(type, array, i, edges[bits / 4 % (sizeof edges / sizeof *edges)]);
    else
        memcpy((char *)array + (size_t)i * dtype_size(type), &(bits = draw()), dtype_size(type));
}

/* An array in the arena that begins `off` elements behind a border. */
static void *array_of(enum dist_type type, int part, int off, int64_t count, enum wild wild)
{
    char *array = arena + (size_t)part * PART + (size_t)off * dtype_size(type);
    for (int64_t i = -off; i < count + 4; i++)
        put(type, array, i, wild);
    return array;
}

static bool same(enum dist_type type, const void *a, const void *b, int64_t i)
{
    size_t size = dtype_size(type);
    if (memcmp((const char *)a + (size_t)i * size, (const char *)b + (size_t)i * size, size) == 0)
        return true;
    double x = dtype_load(type, a, i), y = dtype_load(type, b, i);
    return x != x && y != y;
}

/* ---- running ---------------------------------------------------------------------------- */

static void check_cuda(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    printf("CUDA: %s\n", cudaGetErrorString(error));
    exit(1);
}

static void *there(const void *address)
{
    return address ? on_gpu + ((const char *)address - arena) : NULL;
}

static void run_on_gpu(struct kernel k)
{
    check_cuda(cudaMemcpy(on_gpu, arena, ARENA, cudaMemcpyHostToDevice));
    k.out = there(k.out);
    for (int i = 0; i < KERNEL_INPUTS; i++)
        k.in[i] = there(k.in[i]);
    for (int i = 0; i < k.copies; i++)
        k.copy[i] = there(k.copy[i]);
    int multiprocessors = draw() % 2 ? 0 : 8; /* 0: one block does it all */
    check_cuda(kernels_start(&k, 0, multiprocessors, (double *)(on_gpu + ARENA)));
    check_cuda(cudaMemcpy(arena, on_gpu, ARENA, cudaMemcpyDeviceToHost));
}

/* The whole arena must be as the host leaves it: so nothing beside the arrays may be touched. */
static void compare(const struct kernel *k, enum dist_type out)
{
    bool all = memcmp(arena, wanted, ARENA) == 0;
    for (int64_t i = 0; !all && i < (int64_t)(ARENA / dtype_size(out)); i++)
        if (!same(out, arena, wanted, i)) {
            printf("%s of %s (from %s, %s, %d inputs, %lld elements): element %lld from the arena's begin is "
                   "%.17g, should "
                   "be %.17g; it was %.17g (DIST_TEST_SEED=%llu)\n",
                   kinds[k->kind], dtype_name(k->type), dtype_name(k->from), op_name(k->op), k->inputs,
                   (long long)k->count, (long long)i, dtype_load(out, arena, i), dtype_load(out, wanted, i),
                   dtype_load(out, before, i), (unsigned long long)seed);
            exit(1);
        }
}

static void run(const struct kernel *k)
{
    memcpy(before, arena, ARENA);
    host_launch(k);
    memcpy(wanted, arena, ARENA);
    memcpy(arena, before, ARENA);
    run_on_gpu(*k);
    compare(k, k->type);
    cases++;
}

#endif
