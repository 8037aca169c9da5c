/*
 * element.cuh: the element types as the kernels see them. Each says
 *
 *   element    what lies in a tensor
 *   number     what is compared and divided: element itself, float for the 16-bit floats, or a wider integer
 *   adder      what is added and multiplied: number itself, or its unsigned kind, since only that may wrap
 *   open       the number in an element
 *   close      and back, rounded once
 *   narrow     the element for a double, rounded once; integers stop at the ends of their range, and NaN gives 0
 *
 * They round as dtype.h and dtype.c do. What is marked BOTH runs on a GPU and on the host, where
 * tests/gpu/kernels_test.cu compares it with host_kernels.c. (A NaN may have other bits than the host's: GPUs know only one.)
 */
#ifndef DEVICES_CUDA_ELEMENT_CUH
#define DEVICES_CUDA_ELEMENT_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>

extern "C" {
#include "../kernel.h"
}

#define BOTH __host__ __device__ inline

template <class Float> struct floating {
    typedef Float element, number, adder;
    static BOTH number open(element x)
    {
        return x;
    }
    static BOTH element close(number x)
    {
        return x;
    }
    static BOTH element narrow(double x)
    {
        return (element)x;
    }
};
typedef floating<float> f32;
typedef floating<double> f64;

/* CUDA's own conversions: one instruction each, where the masks of dtype.h would cost more time than the memory. */
struct f16 {
    typedef uint16_t element;
    typedef float number, adder;
    static BOTH number open(element x)
    {
        return __half2float(__ushort_as_half(x));
    }
    static BOTH element close(number x)
    {
        return __half_as_ushort(__float2half_rn(x));
    }
    static BOTH element narrow(double x)
    {
        return __half_as_ushort(__double2half(x));
    }
};

struct bf16 {
    typedef uint16_t element;
    typedef float number, adder;
    static BOTH number open(element x)
    {
        return __bfloat162float(__ushort_as_bfloat16(x));
    }
    static BOTH element close(number x)
    {
        return __bfloat16_as_ushort(__float2bfloat16_rn(x));
    }
    static BOTH element narrow(double x)
    {
        return __bfloat16_as_ushort(__double2bfloat16(x));
    }
};

/* The bounds are powers of two: the largest I64 itself is no double. `past` is the first value too large. */
template <class Element, class Adder, class Number = Element> struct integer {
    typedef Element element;
    typedef Number number;
    typedef Adder adder;
    static BOTH number open(element x)
    {
        return x;
    }
    static BOTH element close(number x)
    {
        return (element)x;
    }
    static BOTH element narrow(double x)
    {
        const bool is_signed = (Element)-1 < 0;
        const int bits = 8 * (int)sizeof(Element) - is_signed;
        const element largest = (element)(~(uint64_t)0 >> (64 - bits));
        const element smallest = is_signed ? (element)(-largest - 1) : (element)0;
        const double past = 2.0 * (double)((uint64_t)1 << (bits - 1)), whole = rint(x);
        if (whole >= past)
            return largest;
        if (whole <= (double)smallest)
            return smallest;
        return whole == whole ? (element)whole : (element)0;
    }
};
typedef integer<int32_t, uint32_t> i32;
typedef integer<int64_t, uint64_t> i64;
typedef integer<uint8_t, unsigned> u8;

/* In which averages are added up, as on the host. */
template <class T> struct average_of {
    typedef T type;
};
template <> struct average_of<u8> {
    typedef integer<uint8_t, int32_t, int32_t> type;
};
template <> struct average_of<i32> {
    typedef integer<int32_t, int64_t, int64_t> type;
};

/* The lower and the higher of two, as lib/devices/host_ends.h has it: of floats what is not a number stays so, and -0 lies below +0. */
template <class Number> BOTH Number lower(Number a, Number b)
{
    if constexpr ((Number)0.5 == 0)
        return a < b ? a : b;
    else if (a != a || b != b)
        return a + b;
    else
        return a < b || (a == b && signbit(a)) ? a : b;
}

template <class Number> BOTH Number higher(Number a, Number b)
{
    if constexpr ((Number)0.5 == 0)
        return a > b ? a : b;
    else
        return -lower(-a, -b);
}

/* a op b. */
template <class T, dist_op OP> BOTH typename T::number combine(typename T::number a, typename T::number b)
{
    typedef typename T::number number;
    typedef typename T::adder adder;
    if (OP == DIST_PRODUCT)
        return (number)((adder)a * (adder)b);
    if (OP == DIST_MIN)
        return lower(a, b);
    if (OP == DIST_MAX)
        return higher(a, b);
    return (number)((adder)a + (adder)b);
}

/* N neighbours, moved by one instruction: where they take 16 bytes, the widest that there is. */
template <int BYTES> struct bytes;
template <> struct bytes<1> {
    typedef uint8_t type;
};
template <> struct bytes<2> {
    typedef uint16_t type;
};
template <> struct bytes<4> {
    typedef uint32_t type;
};
template <> struct bytes<8> {
    typedef uint2 type;
};
template <> struct bytes<16> {
    typedef uint4 type;
};

template <class Element, int N> union pack {
    Element at[N];
    typename bytes<N * sizeof(Element)>::type whole;
};

template <int N, class Element> BOTH pack<Element, N> load(const Element *from)
{
    pack<Element, N> what;
    what.whole = *(const decltype(what.whole) *)from;
    return what;
}

/* An assignment would be taken apart by the compiler: into four stores of 4 bytes. */
template <int N, class Element> BOTH void store(Element *to, const pack<Element, N> &what)
{
    typedef decltype(what.whole) whole;
#ifdef __CUDA_ARCH__
    __stwb((whole *)to, what.whole);
#else
    *(whole *)to = what.whole;
#endif
}

#endif
