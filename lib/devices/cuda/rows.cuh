/*
 * rows.cuh: the kernels of learning (../learn.inc.h) as loops like those of loops.cuh: a step is one thread's, and goes in the host's
 * order, with the GPU's exp, erf and log.
 */
#ifndef DEVICES_CUDA_ROWS_CUH
#define DEVICES_CUDA_ROWS_CUH

#include "element.cuh"

/* A kernel on elements of this type. */
template <class T> struct learning : kernel {
};

template <class T> BOTH double learn_load(const learning<T> *, const void *array, int64_t i)
{
    return (double)T::open(((const typename T::element *)array)[i]);
}

template <class T> BOTH void learn_store(const learning<T> *, void *array, int64_t i, double value)
{
    ((typename T::element *)array)[i] = T::narrow(value);
}

template <class T> BOTH void *learn_row_of(const learning<T> *k, const void *matrix, int64_t row)
{
    return (typename T::element *)matrix + row * k->columns;
}

template <class T> BOTH void learn_copy_row(const learning<T> *k, void *to, const void *from)
{
    for (int64_t j = 0; j < k->columns; j++)
        ((typename T::element *)to)[j] = ((const typename T::element *)from)[j];
}

#define KERNEL const learning<T>
#define HELPER(result) template <class T> BOTH result
#define LEARN(name, steps) \
    template <class T> BOTH void learn_##name(const learning<T> *k, int64_t i); \
    template <class T> struct name { \
        enum { WIDTH = 1 }; \
        learning<T> k; \
        int64_t lead() const \
        { \
            return 0; \
        } \
        int64_t count() const \
        { \
            return k.steps; \
        } \
        template <int N> BOTH void step(int64_t i) const \
        { \
            learn_##name(&k, i); \
        } \
    }; \
    template <class T> BOTH void learn_##name(const learning<T> *k, int64_t i)
#include "../learn.inc.h"

#endif
