/* library.h: what the library that passes for cuBLAS does. */
#ifndef DOUBLE_CUBLAS_H
#define DOUBLE_CUBLAS_H

struct cublas_double {
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, void *stream);
    /* c = alpha a b + beta c, column by column and without gaps, as no matrix is turned and alpha is 1; wide: of F64. */
    int (*multiply)(void *handle, int m, int n, int k, double alpha, const void *a, const void *b,
                    double beta, void *c, int wide);
};
extern const struct cublas_double *cublas_double;

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetStream_v2(void *handle, void *stream);
int cublasSgemm_v2(void *handle, int turn_a, int turn_b, int m, int n, int k, const float *alpha,
                   const float *a, int row_a, const float *b, int row_b, const float *beta, float *c,
                   int row_c);
int cublasDgemm_v2(void *handle, int turn_a, int turn_b, int m, int n, int k, const double *alpha,
                   const double *a, int row_a, const double *b, int row_b, const double *beta, double *c,
                   int row_c);

#endif
