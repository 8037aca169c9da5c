/* cuda_runtime.h: for nccl.h, which asks for it. */
#include "cuda_runtime_api.h"
