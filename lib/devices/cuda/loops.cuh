/*
 * loops.cuh: the kernels that go over elements one by one, each as a struct that knows its arrays:
 *
 *   WIDTH        elements of one step
 *   lead()       elements before the first at which steps of WIDTH may begin; NONE: its arrays lie too differently
 *   step<N>(i)   do elements i .. i + N - 1; N is WIDTH or 1
 *
 * Every step reads all that it needs before it writes: so out may be one of the inputs.
 */
#ifndef DEVICES_CUDA_LOOPS_CUH
#define DEVICES_CUDA_LOOPS_CUH

#include "element.cuh"

#define NONE INT64_MAX

/* One thread's share of a loop:   head, one by one | steps of WIDTH ... | the rest, one by one */
template <class Loop>
BOTH void share(Loop &loop, int64_t count, int64_t head, int64_t thread, int64_t threads)
{
    int64_t steps = (count - head) / Loop::WIDTH, wide = steps * Loop::WIDTH;
    for (int64_t s = thread; s < steps; s += threads)
        loop.template step<Loop::WIDTH>(head + s * Loop::WIDTH);
    for (int64_t i = thread; i < count - wide; i += threads)
        loop.template step<1>(i < head ? i : i + wide);
}

/* Elements of this array before the next border of `width` elements; and of two arrays, if they agree. */
template <class Element> static int64_t lead_of(const Element *array, int width)
{
    int64_t behind = (int64_t)((uintptr_t)array / sizeof(Element) % (unsigned)width);
    return behind == 0 ? 0 : width - behind;
}

static inline int64_t agree(int64_t a, int64_t b)
{
    return a == b ? a : NONE;
}

/* ---- element by element ---------------------------------------------------------------- */

/* The kernels of which element i depends on those at i alone, and on two numbers. What has fewer inputs names one twice, or out, which it
 * may be: what is not used is not loaded. */
template <class To, class From, kernel_kind KIND> struct elementwise {
    typedef typename To::element element;
    typedef typename From::element source;
    typedef typename From::adder adder;
    enum { WIDTH = 16 / (sizeof(element) > sizeof(source) ? sizeof(element) : sizeof(source)) };
    element *out;
    const source *x, *y;
    double value, term;
    BOTH element at(int64_t i, source x, source y) const
    {
        if constexpr (KIND == KERNEL_FILL)
            return To::narrow(value);
        else if constexpr (KIND == KERNEL_ARANGE)
            return To::narrow(value + (double)i);
        else if constexpr (KIND == KERNEL_CONVERT)
            return To::narrow((double)From::open(x));
        else if constexpr (KIND == KERNEL_SCALE)
            return To::narrow((double)From::open(x) * value + term);
        else if constexpr (KIND == KERNEL_RELU)
            return (double)From::open(x) < 0 ? (source)0 : x;
        else if constexpr (KIND == KERNEL_RELU_BACKWARD)
            return (double)From::open(y) > 0 ? x : (source)0;
        else
            return To::close((typename To::number)((adder)From::open(x) - (adder)From::open(y)));
    }
    int64_t lead() const
    {
        return agree(lead_of(out, WIDTH), agree(lead_of(x, WIDTH), lead_of(y, WIDTH)));
    }
    template <int N> BOTH void step(int64_t i) const
    {
        auto from = load<N>(x + i), other = load<N>(y + i);
        pack<element, N> to;
        for (int j = 0; j < N; j++)
            to.at[j] = at(i + j, from.at[j], other.at[j]);
        store<N>(out + i, to);
    }
};

/* ---- more than that ---------------------------------------------------------------------- */

/* Three inputs are on their way at once, beside the first: no load waits for the sums of those before it. */
template <class T, dist_op OP> struct reduce {
    typedef typename T::element element;
    typedef typename T::number number;
    enum { WIDTH = 16 / sizeof(element), AT_ONCE = 3 };
    element *out, *copy[KERNEL_INPUTS - 1];
    const element *in[KERNEL_INPUTS];
    int inputs, copies, ways; /* ways: what an average divides by; 0: it is none */
    int64_t lead() const
    {
        int64_t lead = lead_of(out, WIDTH);
        for (int k = 0; k < inputs; k++)
            lead = agree(lead, lead_of(in[k], WIDTH));
        for (int k = 0; k < copies; k++)
            lead = agree(lead, lead_of(copy[k], WIDTH));
        return lead;
    }
    template <int N> BOTH void step(int64_t i) const
    {
        number all[N];
        auto first = load<N>(in[0] + i);
        for (int j = 0; j < N; j++)
            all[j] = T::open(first.at[j]);
        for (int k = 1; k < inputs; k += AT_ONCE) {
            pack<element, N> next[AT_ONCE];
            for (int n = 0; n < AT_ONCE; n++)
                if (k + n < inputs)
                    next[n] = load<N>(in[k + n] + i);
            for (int n = 0; n < AT_ONCE; n++)
                for (int j = 0; j < N && k + n < inputs; j++)
                    all[j] = combine<T, OP>(all[j], T::open(next[n].at[j]));
        }
        for (int j = 0; j < N && ways > 0; j++)
            all[j] = (number)(all[j] / ways);
        for (int j = 0; j < N; j++)
            first.at[j] = T::close(all[j]);
        store<N>(out + i, first);
#pragma unroll 1
        for (int k = 0; k < copies; k++)
            store<N>(copy[k] + i, first);
    }
};

/* One thread's sum. The kernel adds up the threads'. */
template <class T> struct sum {
    enum { WIDTH = 16 / sizeof(typename T::element) };
    const typename T::element *in;
    double total;
    int64_t lead() const
    {
        return lead_of(in, WIDTH);
    }
    template <int N> BOTH void step(int64_t i)
    {
        auto all = load<N>(in + i);
        for (int j = 0; j < N; j++)
            total += (double)T::open(all.at[j]);
    }
};

/* Each element of out by itself, its products added in order: as many roundings as on the host, and the same ones. */
template <class T> struct matmul {
    enum { WIDTH = 1 };
    typename T::element *out;
    const typename T::element *a, *b;
    int64_t inner, columns;
    int64_t lead() const
    {
        return 0;
    }
    template <int N> BOTH void step(int64_t i) const
    {
        int64_t row = i / columns, column = i % columns;
        typename T::number total = 0;
        for (int64_t k = 0; k < inner; k++)
            total += a[row * inner + k] * b[k * columns + column];
        out[i] = total;
    }
};

#endif
