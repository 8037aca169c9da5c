/*
 * blas.c: large matrix products, by cuBLAS.
 *
 * It is opened when a product is large enough to be worth it: its libraries are hundreds of megabytes, which no program
 * should need in order to start. Small products, and all where there is no cuBLAS, are done by a kernel of our own,
 * which adds in the host's order and gives the host's bits.
 */
#include "cuda.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>

#define WORTH_IT (1 << 21) /* multiplications */
#define MAJOR (CUDART_VERSION / 1000)

/* A matrix is stored row by row here, and column by column there: where it looks like its transpose. */
typedef int gemm_f32(void *handle, int turn_a, int turn_b, int m, int n, int k, const float *alpha,
                     const float *a, int row_a, const float *b, int row_b, const float *beta, float *c,
                     int row_c);
typedef int gemm_f64(void *handle, int turn_a, int turn_b, int m, int n, int k, const double *alpha,
                     const double *a, int row_a, const double *b, int row_b, const double *beta, double *c,
                     int row_c);

static struct {
    bool tried;
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, cudaStream_t stream);
    gemm_f32 *f32;
    gemm_f64 *f64;
} blas;

static void *blas_open_library(void)
{
    char name[512];
    snprintf(name, sizeof name, "libcublas.so.%d", MAJOR);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
#ifdef CUBLAS_FOLDER
    if (!library) {
        snprintf(name, sizeof name, "%s/libcublas.so.%d", CUBLAS_FOLDER, MAJOR);
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
#endif
    return library;
}

/* ISO C knows no way from an object's address to a function's; POSIX does. */
static bool blas_find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    *(void **)function = address;
    return address != NULL;
}

static bool blas_open_blas(void)
{
    void *library = blas.tried ? NULL : blas_open_library();
    if (library &&
        !(blas_find(library, "cublasCreate_v2", &blas.create) &&
          blas_find(library, "cublasDestroy_v2", &blas.destroy) &&
          blas_find(library, "cublasSetStream_v2", &blas.set_stream) &&
          blas_find(library, "cublasSgemm_v2", &blas.f32) && blas_find(library, "cublasDgemm_v2", &blas.f64)))
        blas.create = NULL;
    blas.tried = true;
    return blas.create != NULL;
}

/* A handle for each stream: it has a workspace, which two streams must not use at once. */
static void blas_open_handle(struct stream *stream)
{
    void *handle = NULL;
    if (blas.create(&handle) == 0 && blas.set_stream(handle, stream->cuda) == 0)
        stream->blas = handle;
    else if (handle)
        blas.destroy(handle);
}

static bool blas_is_wanted(const struct kernel *k)
{
    bool fits = k->rows <= INT_MAX && k->inner <= INT_MAX && k->columns <= INT_MAX && k->inner > 0;
    return k->kind == KERNEL_MATMUL && fits &&
           (double)k->rows * (double)k->inner * (double)k->columns >= WORTH_IT;
}

/* Streams are their rank's own, cuBLAS is everybody's. */
void blas_begin(struct stream *stream, const struct kernel *k)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (stream->blas || !blas_is_wanted(k))
        return;
    pthread_mutex_lock(&lock);
    bool there = blas_open_blas();
    pthread_mutex_unlock(&lock);
    cuda_use_gpu(stream->rank->gpu);
    if (there)
        blas_open_handle(stream);
}

/* By default cuBLAS multiplies F32 in F32: TF32 would have to be asked for. */
bool blas_multiply(struct stream *stream, const struct kernel *k, cudaError_t *error)
{
    int status;
    if (!stream->blas || !blas_is_wanted(k))
        return false;
    int m = (int)k->columns, n = (int)k->rows, i = (int)k->inner;
    if (k->type == DIST_F32)
        status = blas.f32(stream->blas, 0, 0, m, n, i, &(float){ 1 }, k->in[1], m, k->in[0], i, &(float){ 0 },
                          k->out, m);
    else
        status = blas.f64(stream->blas, 0, 0, m, n, i, &(double){ 1 }, k->in[1], m, k->in[0], i,
                          &(double){ 0 }, k->out, m);
    *error = status == 0 ? cudaSuccess : cudaErrorUnknown;
    return true;
}

void blas_end(struct stream *stream)
{
    if (stream->blas)
        blas.destroy(stream->blas);
}
