/*
 * kernels.h: what kernels.cu gives to C.
 */
#ifndef DEVICES_CUDA_KERNELS_H
#define DEVICES_CUDA_KERNELS_H

#include "../kernel.h"

#include <cuda_runtime_api.h>

#define SUM_BLOCKS 1024 /* partial sums of KERNEL_SUM, at most */

/* Start a kernel on the current GPU, which has so many multiprocessors. `partial`: room for SUM_BLOCKS doubles, that only
 * this stream uses. */
cudaError_t kernels_start(const struct kernel *kernel, cudaStream_t stream, int multiprocessors,
                          double *partial);

/* Were they built for the current GPU? cudaErrorNoKernelImageForDevice: they were not. */
cudaError_t kernels_fit(void);

#endif
