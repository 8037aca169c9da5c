/*
 * range.c: NVTX: in Nsight Systems each call of ours lies as a named range above what the GPU does for it.
 *
 * The header does it all: without a profiler a range costs a few nanoseconds, and nothing is linked.
 */
#include "cuda.h"

#if defined(__has_include)
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif
#endif

void cuda_range_begin(const char *call)
{
#ifdef NVTX_VERSION
    nvtxRangePushA(call);
#else
    (void)call;
#endif
}

void cuda_range_end(void)
{
#ifdef NVTX_VERSION
    nvtxRangePop();
#endif
}
