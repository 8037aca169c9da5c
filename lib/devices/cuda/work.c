/* work.c: kernels and copies, given to CUDA. */
#include "cuda.h"
#include "kernels.h"

/* ---- copies ------------------------------------------------------------------------------- */

static cudaError_t work_copy_bytes(const struct stream *stream, void *to, const void *from, size_t bytes)
{
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream->cuda);
}

bool work_overlaps(const void *a, const void *b, size_t bytes)
{
    return a != b && (const char *)a < (const char *)b + bytes && (const char *)b < (const char *)a + bytes;
}

/* CUDA copies between GPUs, too, and by way of the host where they do not reach each other. Regions that overlap it leaves to
 * us: they go by way of a third. */
cudaError_t work_copy(struct stream *stream, const struct item *item)
{
    size_t bytes = item->copy.bytes;
    if (item->copy.to == item->copy.from || bytes == 0)
        return cudaSuccess;
    if (!item->copy.aside)
        return work_copy_bytes(stream, item->copy.to, item->copy.from, bytes);
    cudaError_t error = work_copy_bytes(stream, item->copy.aside, item->copy.from, bytes);
    return error == cudaSuccess ? work_copy_bytes(stream, item->copy.to, item->copy.aside, bytes) : error;
}

/* ---- kernels ------------------------------------------------------------------------------- */

bool work_is_copy(const struct kernel *k)
{
    bool divides = k->op == DIST_AVG && k->ways > 1;
    return (k->kind == KERNEL_CONVERT && k->from == k->type) ||
           (k->kind == KERNEL_REDUCE && k->inputs == 1 && k->copies == 0 && !divides);
}

static bool work_is_empty(const struct kernel *k)
{
    if (k->kind == KERNEL_MATMUL || k->kind == KERNEL_TRANSPOSE)
        return k->rows == 0 || k->columns == 0;
    return k->kind != KERNEL_SUM && k->count == 0;
}

cudaError_t work_kernel(struct stream *stream, const struct kernel *k)
{
    cudaError_t error;
    if (work_is_empty(k))
        return cudaSuccess;
    if (k->kind == KERNEL_MATMUL && blas_multiply(stream, k, &error))
        return error;
    return kernels_start(k, stream->cuda, stream->rank->gpu->multiprocessors, stream->partial);
}
