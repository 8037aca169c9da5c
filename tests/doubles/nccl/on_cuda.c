/*
 * on_cuda.c: kernels of the double of NCCL on the double of CUDA. A kernel is at work in its stream and in the hardware queue
 * below it, as long as it waits for other ranks' kernels: who waits for this GPU, or for what is behind it, waits for them, too.
 */
#include "double.h"
#include "../cuda/own.h"

extern cudaStream_t cuda_stream_of(struct stream *stream);
extern void cuda_use(struct stream *stream);

static void run_kernel(void *argument)
{
    move_kernel(argument);
    kernel_free(argument);
}

static void launch_on_cuda(struct kernel_run *run)
{
    for (int i = 0; i < run->count; i++) {
        run->steps[i].in = own_memory(run->steps[i].in);
        run->steps[i].out = own_memory(run->steps[i].out);
    }
    own_launch(run->steps[0].stream, run_kernel, run);
}

const struct double_gpu double_cuda = {
    .stream_of = cuda_stream_of,
    .use = cuda_use,
    .launch = launch_on_cuda,
};
