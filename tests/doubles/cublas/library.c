/*
 * library.c: a shared library that passes for cuBLAS: lib/devices/cuda/blas.c opens one by its name, and takes this one where a suite has
 * opened it before. It hands everything to what the suite has put into cublas_double (doubles/cuda/blas.c).
 */
#include "library.h"

const struct cublas_double *cublas_double;

int cublasCreate_v2(void **handle)
{
    return cublas_double->create(handle);
}

int cublasDestroy_v2(void *handle)
{
    return cublas_double->destroy(handle);
}

int cublasSetStream_v2(void *handle, void *stream)
{
    return cublas_double->set_stream(handle, stream);
}

int cublasSgemm_v2(void *handle, int turn_a, int turn_b, int m, int n, int k, const float *alpha,
                   const float *a, int row_a, const float *b, int row_b, const float *beta, float *c,
                   int row_c)
{
    (void)turn_a, (void)turn_b, (void)row_a, (void)row_b, (void)row_c;
    return cublas_double->multiply(handle, m, n, k, *alpha, a, b, *beta, c, 0);
}

int cublasDgemm_v2(void *handle, int turn_a, int turn_b, int m, int n, int k, const double *alpha,
                   const double *a, int row_a, const double *b, int row_b, const double *beta, double *c,
                   int row_c)
{
    (void)turn_a, (void)turn_b, (void)row_a, (void)row_b, (void)row_c;
    return cublas_double->multiply(handle, m, n, k, *alpha, a, b, *beta, c, 1);
}
