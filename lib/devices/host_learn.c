/* host_learn.c: the kernels of learning (learn.inc.h) on the host: step after step. */
#include "kernel.h"

#include <math.h>
#include <string.h>

/* The two types that programs learn in without a call for each element: the compiler takes the choice out of the loops. */
static inline double learn_load(const struct kernel *k, const void *array, int64_t i)
{
    if (k->type == DIST_F32)
        return ((const float *)array)[i];
    return k->type == DIST_F64 ? ((const double *)array)[i] : dtype_load(k->type, array, i);
}

static inline void learn_store(const struct kernel *k, void *array, int64_t i, double value)
{
    if (k->type == DIST_F32)
        ((float *)array)[i] = (float)value;
    else if (k->type == DIST_F64)
        ((double *)array)[i] = value;
    else
        dtype_store(k->type, array, i, value);
}

static inline void *learn_row_of(const struct kernel *k, const void *matrix, int64_t row)
{
    return (char *)(uintptr_t)matrix + (size_t)(row * k->columns) * dtype_size(k->type);
}

static inline void learn_copy_row(const struct kernel *k, void *to, const void *from)
{
    memcpy(to, from, (size_t)k->columns * dtype_size(k->type));
}

#define KERNEL const struct kernel
/* Inlined, it makes gcc 12 for ARM fail (in vect_transform_reduction). */
#define HELPER(result) static __attribute__((noinline)) result
#define LEARN(name, steps) \
    static inline void learn_##name##_step(const struct kernel *k, int64_t i); \
    static void learn_##name(const struct kernel *k) \
    { \
        for (int64_t i = 0; i < k->steps; i++) \
            learn_##name##_step(k, i); \
    } \
    static inline void learn_##name##_step(const struct kernel *k, int64_t i)
#include "learn.inc.h"

void host_learn(const struct kernel *kernel)
{
    static void (*const kernels[KERNEL_KINDS])(const struct kernel *) = {
        [KERNEL_GELU] = learn_gelu,
        [KERNEL_GELU_BACKWARD] = learn_gelu_backward,
        [KERNEL_SOFTMAX] = learn_softmax,
        [KERNEL_SOFTMAX_BACKWARD] = learn_softmax_backward,
        [KERNEL_CAUSAL_MASK] = learn_causal_mask,
        [KERNEL_LAYER_NORM] = learn_layer_norm,
        [KERNEL_LAYER_NORM_BACKWARD] = learn_layer_norm_backward,
        [KERNEL_ADD_COLUMNS] = learn_add_columns,
        [KERNEL_EMBEDDING] = learn_embedding,
        [KERNEL_EMBEDDING_BACKWARD] = learn_embedding_backward,
        [KERNEL_CROSS_ENTROPY] = learn_cross_entropy,
        [KERNEL_CROSS_ENTROPY_BACKWARD] = learn_cross_entropy_backward,
        [KERNEL_ADAMW] = learn_adamw_step,
    };
    kernels[kernel->kind](kernel);
}
