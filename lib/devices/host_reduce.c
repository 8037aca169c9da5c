/*
 * host_reduce.c: many tensors combined into one, element by element, in the order in which they are given.
 *
 * That order is a promise: F32 sums depend on it in their last bits, and all ranks must get the same. So each
 * element is combined strictly from first to last; the compiler finds its parallel work across elements.
 */
#include "host.h"
#include "host_ends.h"

#define BLOCK_BYTES 4096
#define REDUCE_FEW 10 /* elements; of so few a call costs more than the adding */
#define JOIN(a, b) a##_##b
#define NAMED(a, b) JOIN(a, b)
#define SAME(x) (x)

#define REDUCE reduce_f32
#define element float
#include "host_reduce.inc.h"

#define REDUCE reduce_f64
#define element double
#include "host_reduce.inc.h"

#define REDUCE reduce_f16
#define element uint16_t
#define number float
#define OPEN dtype_f32_from_f16
#define CLOSE dtype_f16_from_f32
#include "host_reduce.inc.h"

#define REDUCE reduce_bf16
#define element uint16_t
#define number float
#define OPEN dtype_f32_from_bf16
#define CLOSE dtype_bf16_from_f32
#include "host_reduce.inc.h"

#define REDUCE reduce_i32
#define element int32_t
#define adder uint32_t
#include "host_reduce.inc.h"

#define REDUCE reduce_i64
#define element int64_t
#define adder uint64_t
#include "host_reduce.inc.h"

#define REDUCE reduce_u8
#define element uint8_t
#define adder unsigned
#include "host_reduce.inc.h"

/* For averages: the sum of 1024 bytes needs 18 bits, that of as many I32 42. (That of I64 wraps.) */
#define REDUCE average_u8
#define element uint8_t
#define number int32_t
#define CLOSE (uint8_t)
#include "host_reduce.inc.h"

#define REDUCE average_i32
#define element int32_t
#define number int64_t
#define CLOSE (int32_t)
#include "host_reduce.inc.h"

void host_reduce_part(void *out, const void *const *in, int inputs, int ways, int64_t count,
                      enum dist_type type, enum dist_op op)
{
    static void (*const kernels[DTYPE_COUNT])(void *, const void *const *, int, int, int64_t,
                                              enum dist_op) = {
        [DIST_F32] = reduce_f32, [DIST_F64] = reduce_f64, [DIST_F16] = reduce_f16, [DIST_BF16] = reduce_bf16,
        [DIST_I32] = reduce_i32, [DIST_I64] = reduce_i64, [DIST_U8] = reduce_u8,
    };
    if (inputs == 1 && (ways == 1 || op != DIST_AVG))
        host_copy(out, in[0], (size_t)count * dtype_size(type));
    else if (op == DIST_AVG && type == DIST_U8)
        average_u8(out, in, inputs, ways, count, op);
    else if (op == DIST_AVG && type == DIST_I32)
        average_i32(out, in, inputs, ways, count, op);
    else
        kernels[type](out, in, inputs, ways, count, op);
}

void host_reduce(void *out, const void *const *in, int inputs, int64_t count, enum dist_type type,
                 enum dist_op op)
{
    host_reduce_part(out, in, inputs, inputs, count, type, op);
}
