/* blas.h: for suites: cuBLAS, for the CUDA device on the double. */
#ifndef DOUBLE_BLAS_H
#define DOUBLE_BLAS_H

#include "../cublas/library.h"

#include <stdbool.h>

/* From now on the device finds this library where it looks for cuBLAS. */
bool blas_play(const char *path);

/* How many products it was asked for. */
int blas_products(void);

#endif
