/* cuda_bf16.h: it is all in the other one. */
#include "cuda_fp16.h"
