/*
 * kernels_test.cu: every kernel, type and reduction against host_kernels.c, bit by bit, but for the bits of a NaN.
 *
 *   kernels_test         on GPU 0; or on the host, where it was built so (kernels_emulated.cc)
 *   kernels_test name    says which that is, or why there is none, and exits with 77
 *
 * The last line says how many cases there were. DIST_TEST_SEED repeats a run that failed.
 */
#include "kernels_run.cuh"

#include <time.h>

static const int64_t counts[] = { 0, 1, 7, 64, 1000, 3500 };
#define EACH_COUNT (int c = 0; c < (int)(sizeof counts / sizeof *counts); c++)

static struct kernel kernel_of(enum kernel_kind kind, enum dist_type type)
{
    struct kernel k = {};
    k.kind = kind;
    k.type = type;
    return k;
}

static int some(int limit)
{
    return (int)(draw() % (unsigned)limit);
}

/* Arrays lie alike, or each somewhere else. */
static void test_one(enum dist_type type, enum kernel_kind kind)
{
    for
        EACH_COUNT
        {
            int off = some(4), other = c % 2 ? off : some(4);
            struct kernel k = kernel_of(kind, type);
            k.count = counts[c];
            k.inputs = 2;
            k.out = array_of(type, 0, off, k.count, WILD);
            k.in[0] = some(3) ? array_of(type, 1, other, k.count, WILD) : k.out;
            k.in[1] = some(3) ? array_of(type, 2, off, k.count, WILD) : k.out;
            k.value = edges[some(28)] + (double)some(100) / 8;
            k.term = some(2) ? edges[some(12)] : 0;
            run(&k);
        }
}

static void test_reduce(enum dist_type type, enum dist_op op)
{
    for
        EACH_COUNT
    for (int inputs = 1; inputs <= KERNEL_INPUTS; inputs += 1 + some(3)) {
        int off = some(4), copies = some(inputs);
        struct kernel k = kernel_of(KERNEL_REDUCE, type);
        k.count = counts[c];
        k.op = op;
        k.inputs = inputs;
        k.ways = some(2) ? inputs + some(3) : 0;
        for (int i = 0; i < inputs; i++)
            k.in[i] = array_of(type, i, some(5) ? off : some(4), k.count, some(2) ? WILD : TAME);
        k.out = some(2) ? (void *)k.in[0] : array_of(type, 31, off, k.count, WILD);
        k.copies = copies < inputs ? copies : 0;
        for (int i = 0; i < k.copies; i++)
            k.copy[i] = some(2) ? (void *)k.in[i + 1] : array_of(type, KERNEL_INPUTS + i, off, k.count, WILD);
        run(&k);
    }
}

static void test_convert(enum dist_type type, enum dist_type from)
{
    for
        EACH_COUNT
        {
            struct kernel k = kernel_of(KERNEL_CONVERT, type);
            k.from = from;
            int off = some(4);
            k.count = counts[c];
            k.in[0] = array_of(from, 1, some(2) ? off : some(4), k.count, WILD);
            k.out = array_of(type, 0, off, k.count, WILD);
            if (type != from)
                run(&k);
        }
}

static void test_matrices(enum dist_type type)
{
    for (int turn = 0; turn < 6; turn++) {
        struct kernel k = kernel_of(KERNEL_MATMUL, type);
        k.rows = some(40), k.inner = some(20), k.columns = some(70);
        k.in[0] = array_of(type, 1, some(4), k.rows * k.inner, TAME);
        k.in[1] = array_of(type, 2, some(4), k.inner * k.columns, TAME);
        k.out = array_of(type, 0, some(4), k.rows * k.columns, WILD);
        if (type == DIST_F32 || type == DIST_F64)
            run(&k);
        k.kind = KERNEL_TRANSPOSE;
        k.in[0] = array_of(type, 3, some(4), k.rows * k.columns, WILD);
        if (k.rows * k.columns > 0)
            run(&k);
    }
}

/* GPUs have an exp of their own, whose last bit may be another: `step` apart, relative to what is right or to 1, and nothing beside
 * the tensors that the kernel writes. */
static void compare_near(const struct kernel *k, double step)
{
    const char *outs[3] = { (const char *)k->out, (const char *)k->copy[0], (const char *)k->copy[1] };
    for (int64_t i = 0; i < (int64_t)(ARENA / dtype_size(k->type)); i++) {
        double got = dtype_load(k->type, arena, i), right = dtype_load(k->type, wanted, i);
        const char *here = arena + (size_t)i * dtype_size(k->type);
        bool inside = false;
        for (int o = 0; o < 1 + k->copies; o++)
            inside |= here >= outs[o] && here < outs[o] + (size_t)k->count * dtype_size(k->type);
        if (same(k->type, arena, wanted, i) || (inside && fabs(got - right) <= step * fmax(1, fabs(right))))
            continue;
        printf("%s of %s: element %lld of the arena is %.17g, should be %.17g (DIST_TEST_SEED=%llu)\n",
               kinds[k->kind], dtype_name(k->type), (long long)i, got, right, (unsigned long long)seed);
        exit(1);
    }
}

static void run_near(const struct kernel *k)
{
    memcpy(before, arena, ARENA);
    host_launch(k);
    memcpy(wanted, arena, ARENA);
    memcpy(arena, before, ARENA);
    run_on_gpu(*k);
    compare_near(k, k->type == DIST_F64 ? 1e-12 : k->type == DIST_F32 ? 1e-6 : 2e-2);
    cases++;
}

static const void *draw_ids(int part, int64_t count, int64_t least, int64_t limit)
{
    int64_t *ids = (int64_t *)array_of(DIST_I64, part, 0, count, TAME);
    for (int64_t i = 0; i < count; i++)
        ids[i] = least + (int64_t)(draw() % (uint64_t)(limit - least + 1));
    return ids;
}

/* Where each finds its rows, columns and numbers: kernel.h says. ids below 0 and beyond the last are among them. */
static struct kernel draw_learning(enum kernel_kind kind, enum dist_type type)
{
    struct kernel k = kernel_of(kind, type);
    bool from_rows = kind == KERNEL_CROSS_ENTROPY, to_rows = kind == KERNEL_EMBEDDING_BACKWARD;
    k.rows = some(40), k.columns = 1 + some(70), k.inner = 1 + some(20), k.value = 1e-5;
    k.count = from_rows                    ? k.rows
              : kind == KERNEL_ADD_COLUMNS ? k.columns
                                           : (to_rows ? k.inner : k.rows) * k.columns;
    k.out = array_of(type, 0, some(4), k.count, some(2) && kind == KERNEL_SOFTMAX ? WILD : TAME);
    for (int i = 0; i < 3; i++)
        k.in[i] = array_of(type, 1 + i, some(4), (k.rows + k.inner) * k.columns, TAME);
    if (kind == KERNEL_LAYER_NORM && some(2))
        k.in[1] = k.in[2] = NULL;
    if (kind == KERNEL_ADD_COLUMNS && some(2))
        k.in[1] = NULL;
    if (kind == KERNEL_EMBEDDING || to_rows)
        k.in[1] = draw_ids(4, k.rows, -1, k.inner);
    if (from_rows)
        k.in[1] = draw_ids(4, k.rows, -1, k.columns);
    if (kind == KERNEL_CROSS_ENTROPY_BACKWARD)
        k.in[0] = draw_ids(4, k.rows, -1, k.columns - 1);
    if (kind == KERNEL_CAUSAL_MASK) {
        k.inner = some(9) - 4;
        k.rows = 1 + some(7); /* of several matrices, the last of which may be cut */
    }
    return k;
}

static void test_learning(enum dist_type type)
{
    for (int kind = KERNEL_SOFTMAX; kind <= KERNEL_ADAMW; kind++)
        for (int turn = 0; turn < 6; turn++) {
            struct kernel k = draw_learning((enum kernel_kind)kind, type);
            if (kind == KERNEL_ADAMW) {
                k.copies = 2;
                k.copy[0] = array_of(type, 5, some(4), k.count, TAME);
                k.copy[1] = array_of(type, 6, some(4), k.count, TAME);
                for (int64_t i = 0; i < k.count; i++) /* a mean of squares */
                    dtype_store(type, k.copy[1], i, fabs(dtype_load(type, k.copy[1], i)));
                k.adamw = (struct adamw){ 0.99, 0.001, 0.9, 0.999, 0.3, 1e-8 };
            }
            run_near(&k);
        }
}

/* Sums are added up in another order than the host's: they agree but for roundings of the whole. */
static void test_sum(enum dist_type type)
{
    for
        EACH_COUNT
        {
            struct kernel k = kernel_of(KERNEL_SUM, type);
            k.count = counts[c];
            k.in[0] = array_of(type, 1, some(4), k.count, TAME);
            k.out = arena;
            run_on_gpu(k);
            double got = *(double *)arena;
            host_launch(&k);
            if (fabs(got - *(double *)arena) > 1e-12 * (1 + fabs(got))) {
                printf("the sum of %lld %s is %.17g, should be %.17g\n", (long long)k.count, dtype_name(type),
                       got, *(double *)arena);
                exit(1);
            }
            cases++;
        }
}

static int tell_name(void)
{
    cudaDeviceProp properties;
    int runtime = 0, driver = 0;
    cudaError_t error = cudaGetDeviceProperties(&properties, 0);
    if (error == cudaSuccess)
        error = kernels_fit();
    if (error != cudaSuccess) {
        printf("no GPU can be used here: %s (CUDA error %d)\n", cudaGetErrorString(error), (int)error);
        return 77;
    }
    cudaRuntimeGetVersion(&runtime);
    cudaDriverGetVersion(&driver);
    printf("%s, CUDA %d.%d, driver for %d.%d\n", properties.name, runtime / 1000, runtime % 1000 / 10,
           driver / 1000, driver % 1000 / 10);
    return 0;
}

int main(int count, char **words)
{
    static const enum kernel_kind simple[] = { KERNEL_FILL,  KERNEL_ARANGE, KERNEL_SUB,
                                               KERNEL_SCALE, KERNEL_RELU,   KERNEL_RELU_BACKWARD };
    const char *given = getenv("DIST_TEST_SEED");
    seed = state = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    if (count > 1 && strcmp(words[1], "name") == 0)
        return tell_name();
    check_cuda(cudaMalloc((void **)&on_gpu, ARENA + SUM_BLOCKS * sizeof(double)));
    for (int type = 0; type < DTYPE_COUNT; type++) {
        for (int i = 0; i < 6; i++)
            test_one((enum dist_type)type, simple[i]);
        for (int op = 0; op < OP_COUNT; op++)
            test_reduce((enum dist_type)type, (enum dist_op)op);
        for (int from = 0; from < DTYPE_COUNT; from++)
            test_convert((enum dist_type)type, (enum dist_type)from);
        test_matrices((enum dist_type)type);
        test_sum((enum dist_type)type);
        if (type == DIST_F32 || type == DIST_F64 || type == DIST_F16 || type == DIST_BF16)
            test_learning((enum dist_type)type);
    }
    cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, 0));
    printf("kernels on %s: %ld cases agree with those in C\n", properties.name, cases);
}
