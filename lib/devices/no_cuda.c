/* no_cuda.c: the device "cuda" where the library was built without CUDA: it says so. */
#include "device.h"

static int no_cuda_open(struct launch_self *self, void **state)
{
    (void)self, (void)state;
    return device_fail_without_gpu(
        device_gpu_found(""),
        "this library was built without CUDA, since nvcc or the GPU was not there; run make again here "
        "(make doctor says what it finds)");
}

const struct device device_cuda = { .name = "cuda", .open = no_cuda_open };
