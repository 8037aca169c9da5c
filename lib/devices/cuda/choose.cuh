/*
 * choose.cuh: from struct kernel to the loop that does it. The loop is handed to run(loop, count): which starts it on a
 * GPU (kernels.cu), or on the host, where one is emulated (tests/gpu/emulate.hh).
 */
#ifndef DEVICES_CUDA_CHOOSE_CUH
#define DEVICES_CUDA_CHOOSE_CUH

#include "loops.cuh"
#include "rows.cuh"

/* act(T()), where T is the struct of element.cuh for that type. Of the types that have fractions: */
template <class Act> static void with_float(dist_type type, Act act)
{
    switch (type) {
    case DIST_F32:
        return act(f32());
    case DIST_F64:
        return act(f64());
    case DIST_F16:
        return act(f16());
    case DIST_BF16:
        return act(bf16());
    default:
        return;
    }
}

/* and of all. */
template <class Act> static void with_type(dist_type type, Act act)
{
    switch (type) {
    case DIST_I32:
        return act(i32());
    case DIST_I64:
        return act(i64());
    case DIST_U8:
        return act(u8());
    default:
        return with_float(type, act);
    }
}

template <class T, dist_op OP, class Run> static void choose_reduce(const struct kernel *k, Run &run)
{
    reduce<T, OP> loop = {};
    loop.out = (typename T::element *)k->out;
    for (int i = 0; i < k->inputs; i++)
        loop.in[i] = (const typename T::element *)k->in[i];
    for (int i = 0; i < k->copies; i++)
        loop.copy[i] = (typename T::element *)k->copy[i];
    loop.inputs = k->inputs;
    loop.copies = k->copies;
    loop.ways = k->op != DIST_AVG ? 0 : k->ways ? k->ways : k->inputs;
    run(loop, k->count);
}

template <class T, class Run> static void choose_op(const struct kernel *k, Run &run)
{
    if (k->op == DIST_PRODUCT)
        choose_reduce<T, DIST_PRODUCT>(k, run);
    else if (k->op == DIST_MIN)
        choose_reduce<T, DIST_MIN>(k, run);
    else if (k->op == DIST_MAX)
        choose_reduce<T, DIST_MAX>(k, run);
    else if (k->op == DIST_AVG)
        choose_reduce<typename average_of<T>::type, DIST_SUM>(k, run);
    else
        choose_reduce<T, DIST_SUM>(k, run);
}

template <class T, class Run> static void choose_matmul(const struct kernel *k, Run &run)
{
    typedef typename T::element element;
    run(matmul<T>{ (element *)k->out, (const element *)k->in[0], (const element *)k->in[1], k->inner,
                   k->columns },
        k->rows * k->columns);
}

template <class Loop, class Run> static void start_learning(const struct kernel *k, Run &run)
{
    Loop loop;
    (struct kernel &)loop.k = *k;
    run(loop, loop.count());
}

/* In the order of enum kernel_kind. */
template <class T, class Run> static void choose_learning(const struct kernel *k, Run &run)
{
    static void (*const starts[])(const struct kernel *, Run &) = {
        start_learning<softmax<T>>,
        start_learning<gelu<T>>,
        start_learning<gelu_backward<T>>,
        start_learning<softmax_backward<T>>,
        start_learning<causal_mask<T>>,
        start_learning<layer_norm<T>>,
        start_learning<layer_norm_backward<T>>,
        start_learning<add_columns<T>>,
        start_learning<embedding<T>>,
        start_learning<embedding_backward<T>>,
        start_learning<cross_entropy<T>>,
        start_learning<cross_entropy_backward<T>>,
        start_learning<adamw_step<T>>,
    };
    static_assert(sizeof starts / sizeof *starts == KERNEL_ADAMW - KERNEL_SOFTMAX + 1);
    starts[k->kind - KERNEL_SOFTMAX](k, run);
}

template <class To, class From, kernel_kind KIND, class Run>
static void choose_elementwise(const struct kernel *k, const void *x, const void *y, Run &run)
{
    typedef typename From::element source;
    run(elementwise<To, From, KIND>{ (typename To::element *)k->out, (const source *)x, (const source *)y,
                                     k->value, k->term },
        k->count);
}

/* Everything but sums and transposes, which need threads that work together. */
template <class T, class Run> static void choose_loop(const struct kernel *k, Run &run)
{
    switch (k->kind) {
    case KERNEL_FILL:
        return choose_elementwise<T, T, KERNEL_FILL>(k, k->out, k->out, run);
    case KERNEL_ARANGE:
        return choose_elementwise<T, T, KERNEL_ARANGE>(k, k->out, k->out, run);
    case KERNEL_CONVERT:
        return with_type(k->from, [&](auto from) {
            choose_elementwise<T, decltype(from), KERNEL_CONVERT>(k, k->in[0], k->in[0], run);
        });
    case KERNEL_REDUCE:
        return choose_op<T>(k, run);
    case KERNEL_SUB:
        return choose_elementwise<T, T, KERNEL_SUB>(k, k->in[0], k->in[1], run);
    case KERNEL_SCALE:
        return choose_elementwise<T, T, KERNEL_SCALE>(k, k->out, k->out, run);
    case KERNEL_RELU:
        return choose_elementwise<T, T, KERNEL_RELU>(k, k->out, k->out, run);
    case KERNEL_RELU_BACKWARD:
        return choose_elementwise<T, T, KERNEL_RELU_BACKWARD>(k, k->out, k->in[0], run);
    default:
        return;
    }
}

template <class Run> static void choose(const struct kernel *k, Run &run)
{
    if (k->kind == KERNEL_MATMUL)
        k->type == DIST_F32 ? choose_matmul<f32>(k, run) : choose_matmul<f64>(k, run);
    else if (k->kind >= KERNEL_SOFTMAX && k->kind <= KERNEL_ADAMW)
        with_float(k->type, [&](auto type) { choose_learning<decltype(type)>(k, run); });
    else
        with_type(k->type, [&](auto type) { choose_loop<decltype(type)>(k, run); });
}

#endif
