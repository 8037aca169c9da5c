/* no_cuda.c: the device "cuda" where the library was built without CUDA: it says so. */
#include "device.h"

static int no_cuda_open(struct launch_self *self, void **state)
{
    (void)self, (void)state;
    return device_fail(
        DIST_ERR_ENVIRONMENT,
        "DEVICE is \"cuda\", but this library was built without CUDA; on a machine with a GPU install "
        "the CUDA toolkit and run make again, or run with DEVICE=sim, which needs no GPU");
}

const struct device device_cuda = { .name = "cuda", .open = no_cuda_open };
