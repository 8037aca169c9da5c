/* cuda_fp16.h: what kernels.cu uses of CUDA's headers of this name and of cuda_bf16.h, on HIP, which has only a part of it. */
#ifndef AMD_CUDA_FP16_H
#define AMD_CUDA_FP16_H

#ifdef __HIPCC__
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <stdint.h>
#include <string.h>

#define __grid_constant__

/* HIP's are classes, which a union cannot hold. */
typedef uint32_t amd_uint2 __attribute__((ext_vector_type(2)));
typedef uint32_t amd_uint4 __attribute__((ext_vector_type(4)));
#define uint2 amd_uint2
#define uint4 amd_uint4

#define AMD_BOTH static __host__ __device__ inline

/* Cut off, with the last bit set where anything was: then it can be rounded again, to half as many bits, and is rounded once. */
AMD_BOTH float amd_odd(double x)
{
    float near = (float)x;
    uint32_t bits;
    memcpy(&bits, &near, sizeof bits);
    if (x == x && (double)near != x) {
        bits -= fabs((double)near) > fabs(x);
        bits |= 1;
        memcpy(&near, &bits, sizeof near);
    }
    return near;
}

AMD_BOTH __half __double2half(double x)
{
    return __float2half_rn(amd_odd(x));
}

struct amd_bf16 {
    uint16_t bits;
};

AMD_BOTH amd_bf16 __ushort_as_bfloat16(uint16_t bits)
{
    return { bits };
}

AMD_BOTH uint16_t __bfloat16_as_ushort(amd_bf16 x)
{
    return x.bits;
}

AMD_BOTH float __bfloat162float(amd_bf16 x)
{
    uint32_t bits = (uint32_t)x.bits << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

AMD_BOTH amd_bf16 __float2bfloat16_rn(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint32_t rounded = x != x ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1);
    return { (uint16_t)(rounded >> 16) };
}

AMD_BOTH amd_bf16 __double2bfloat16(double x)
{
    return __float2bfloat16_rn(amd_odd(x));
}

template <class Kernel> static hipError_t cudaFuncGetAttributes(hipFuncAttributes *attributes, Kernel *kernel)
{
    return hipFuncGetAttributes(attributes, (const void *)kernel);
}
#endif

#endif
