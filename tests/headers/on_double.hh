/*
 * on_double.hh: enough of CUDA's language for a lesson's program, NAME.cu, to run on the double of CUDA (tests/doubles/cuda). It is
 * compiled as C++, with this in front, and each launch rewritten: kernel<<<b, t, m, s>>>(...) as on_double(kernel, b, t, m, s)(...).
 * A launch is put into the stream, like any of the double's kernels; and runs there, one thread after the other, the last first.
 */
#ifndef ON_DOUBLE_H
#define ON_DOUBLE_H

#include <functional>

extern "C" {
#include "../doubles/cuda/cuda_runtime_api.h"
void *memory_open(const void *address); /* the double's: a GPU's memory, which the host must not touch */
}

#define __global__

struct on_double_place {
    unsigned x;
};
static thread_local on_double_place blockIdx, threadIdx, blockDim;

static void on_double_run(void *argument)
{
    std::function<void()> *launch = static_cast<std::function<void()> *>(argument);
    (*launch)();
    delete launch;
}

template <class T> static T on_double_open(T value)
{
    return value;
}
template <class T> static T *on_double_open(T *address)
{
    return static_cast<T *>(memory_open(address));
}

template <class... Parameters>
static auto on_double(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, unsigned,
                      cudaStream_t stream)
{
    return [=](Parameters... given) {
        auto launch = [=] {
            blockDim.x = threads;
            for (blockIdx.x = blocks; blockIdx.x-- > 0;)
                for (threadIdx.x = threads; threadIdx.x-- > 0;)
                    kernel(on_double_open(given)...);
        };
        cudaLaunchHostFunc(stream, on_double_run, new std::function<void()>(launch));
    };
}

#endif
