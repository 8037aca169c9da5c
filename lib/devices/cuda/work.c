/* work.c: kernels and copies, given to CUDA. */
#include "cuda.h"
#include "kernels.h"

/* ---- copies ------------------------------------------------------------------------------- */

static cudaError_t copy(const struct stream *stream, void *to, const void *from, size_t bytes)
{
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream->cuda);
}

/* CUDA copies between GPUs, too, and by way of the host where they do not reach each other. Regions that overlap it leaves to
 * us: they go by way of a third. */
cudaError_t work_copy(struct stream *stream, void *to, const void *from, size_t bytes)
{
    const char *a = to, *b = from;
    if (a == b || bytes == 0)
        return cudaSuccess;
    if (a >= b + bytes || b >= a + bytes)
        return copy(stream, to, from, bytes);
    void *aside = memory_take(stream->rank, bytes);
    if (!aside)
        return cudaErrorMemoryAllocation;
    cudaError_t error = copy(stream, aside, from, bytes);
    if (error == cudaSuccess)
        error = copy(stream, to, aside, bytes);
    memory_retire(stream->rank, aside);
    return error;
}

/* ---- kernels ------------------------------------------------------------------------------- */

static bool is_plain_copy(const struct kernel *k)
{
    bool divides = k->op == DIST_AVG && k->ways > 1;
    return (k->kind == KERNEL_CONVERT && k->from == k->type) ||
           (k->kind == KERNEL_REDUCE && k->inputs == 1 && k->copies == 0 && !divides);
}

static bool is_empty(const struct kernel *k)
{
    if (k->kind == KERNEL_MATMUL)
        return k->rows == 0 || k->columns == 0;
    return k->kind == KERNEL_TRANSPOSE ? k->rows == 0 || k->columns == 0
                                       : k->kind != KERNEL_SUM && k->count == 0;
}

cudaError_t work_kernel(struct stream *stream, const struct kernel *k)
{
    cudaError_t error;
    if (is_empty(k))
        return cudaSuccess;
    if (is_plain_copy(k))
        return work_copy(stream, k->out, k->in[0], (size_t)k->count * dtype_size(k->type));
    if (k->kind == KERNEL_MATMUL && blas_multiply(stream, k, &error))
        return error;
    return kernels_start(k, stream->cuda, stream->rank->card->multiprocessors, stream->partial);
}
