/*
 * kernels_test.cu: every kernel, type and reduction against host_kernels.c, bit by bit, but for the bits of a NaN.
 *
 *   kernels_test         on the host: the loops and element functions that kernels.cu runs on GPUs
 *   kernels_test gpu     on GPU 0
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
        if (on_gpu && k.rows * k.columns > 0)
            run(&k);
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
    bool gpu = count > 1 && strcmp(words[1], "gpu") == 0;
    if (gpu)
        check_cuda(cudaMalloc((void **)&on_gpu, ARENA + SUM_BLOCKS * sizeof(double)));
    for (int type = 0; type < DTYPE_COUNT; type++) {
        for (int i = 0; i < 6; i++)
            test_one((enum dist_type)type, simple[i]);
        for (int op = 0; op < OP_COUNT; op++)
            test_reduce((enum dist_type)type, (enum dist_op)op);
        for (int from = 0; from < DTYPE_COUNT; from++)
            test_convert((enum dist_type)type, (enum dist_type)from);
        test_matrices((enum dist_type)type);
        if (gpu)
            test_sum((enum dist_type)type);
    }
    printf("kernels on %s: %ld cases agree with the host's\n", gpu ? "the GPU" : "the host", cases);
}
