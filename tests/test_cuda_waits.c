/*
 * test_cuda_waits.c: one rank's GPU is busy with what only another rank can end, as with NCCL; and the first rank makes a call that
 * waits for that GPU. Can the other one still go on? On the double of CUDA, whose calls for memory wait as CUDA's may.
 */
#define _GNU_SOURCE
#include "device_program.h"
#include "doubles/cuda/blas.h"
#include "doubles/cuda/held.h"
#include "started.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct device *const device = &device_cuda;
static void *states[2];
static struct stream *busy, *free_one;
static atomic_bool through;

static void set_up(void)
{
    setenv("DOUBLE_GPUS", "2", 1);
    setenv("CUDA_MODULE_LOADING", "EAGER", 1); /* as dist_spawn does */
    for (int i = 0; i < 2; i++)
        cr_assert_eq(device->open(&test_ranks()[i], &states[i]), DIST_OK, "%s", device_why());
    busy = device->stream_new(states[0], 0);
    free_one = device->stream_new(states[1], 0);
}

TestSuite(cuda_waits, .timeout = 60, .init = set_up);

static struct kernel fill(void *out, enum kernel_kind kind)
{
    return (struct kernel){ .kind = kind, .type = DIST_I64, .count = 9, .value = 7, .out = out };
}

/* The call is in the first rank's thread. The other goes on meanwhile, in every way; then the GPU is let go. */
static void expect_both(void *(*call)(void *))
{
    pthread_t thread;
    struct event *event = device->event_new(states[1], false);
    struct kernel kernel = fill(device->alloc(states[1], 1000), KERNEL_FILL);
    held_up(busy);
    cr_assert_eq(pthread_create(&thread, NULL, call, NULL), 0);
    usleep(100000);
    cr_assert(!atomic_load(&through), "the call did not wait, so nothing is shown");
    alarm(20); /* instead of hanging on */
    device->launch(free_one, &kernel);
    mark_record(event, free_one);
    while (!device->stream_passed(free_one))
        usleep(10);
    cr_assert(mark_passed(event));
    cr_assert(!atomic_load(&through));
    held_release();
    pthread_join(thread, NULL);
    cr_assert(atomic_load(&through));
    mark_free(event);
    for (int i = 0; i < 2; i++)
        if (states[i])
            device->close(states[i]);
}

static void *take_memory(void *nothing)
{
    launch_become(&test_ranks()[0]);
    cr_expect(device->alloc(states[0], 100000000));
    atomic_store(&through, true);
    return nothing;
}

Test(cuda_waits, for_memory)
{
    expect_both(take_memory);
}

static void *take_staging(void *nothing)
{
    launch_become(&test_ranks()[0]);
    cr_expect(device->staging(states[0], 100000));
    atomic_store(&through, true);
    return nothing;
}

Test(cuda_waits, for_memory_of_the_host)
{
    expect_both(take_staging);
}

/* Its memory is full: it waits for what was freed, and gives pieces back. */
static void *fill_up(void *nothing)
{
    launch_become(&test_ranks()[0]);
    for (int i = 0; i < 30; i++)
        device->free(states[0], device->alloc(states[0], 20000000));
    cr_expect(device->alloc(states[0], 90000000));
    atomic_store(&through, true);
    return nothing;
}

Test(cuda_waits, for_memory_that_is_full)
{
    setenv("DOUBLE_BYTES", "150000000", 1);
    expect_both(fill_up);
}

/* The same where cudaMalloc itself does not wait: then our own waiting for the streams is the first to do so. */
Test(cuda_waits, for_its_streams_when_memory_is_full)
{
    setenv("DOUBLE_BYTES", "150000000", 1);
    setenv("DOUBLE_KIND", "1", 1);
    expect_both(fill_up);
}

/* cudaFree waits, too. */
static void *leave(void *nothing)
{
    launch_become(&test_ranks()[0]);
    device->close(states[0]);
    states[0] = NULL;
    atomic_store(&through, true);
    return nothing;
}

Test(cuda_waits, for_memory_that_is_given_back)
{
    expect_both(leave);
}

/* A copy whose two regions overlap takes memory of its own, and must keep its place in the stream. */
static void *copy_over(void *nothing)
{
    launch_become(&test_ranks()[0]);
    char *memory = device->alloc(states[0], 70000000);
    struct kernel kernel = fill(memory, KERNEL_ARANGE);
    device->launch(busy, &kernel);
    device->copy(busy, memory + 8, memory, 60000000, COPY_INSIDE);
    atomic_store(&through, true);
    return nothing;
}

Test(cuda_waits, for_a_copy_that_overlaps)
{
    expect_both(copy_over);
}

/* Kernels are there before anything is under way: the first launch of one waits for nobody. dist_spawn sees to that
 * (test_cuda_native). */
Test(cuda_waits, for_no_kernel)
{
    struct kernel kernel = fill(device->alloc(states[0], 1000), KERNEL_SCALE);
    held_up(busy);
    alarm(20);
    device->launch(busy, &kernel);
    held_release();
    for (int i = 0; i < 2; i++)
        device->close(states[i]);
}

/* ---- cuBLAS ------------------------------------------------------------------------------------- */

/* Beside the suite. */
static void play_blas(void)
{
    char path[600];
    cr_assert(blas_play(program_path("../doubles/libcublas.so", path, sizeof path)), "there is no %s", path);
}

#define SIDE 160 /* large enough for it */

static struct kernel product(void *state, enum dist_type type)
{
    size_t bytes = (size_t)SIDE * SIDE * 8;
    struct kernel kernel = {
        .kind = KERNEL_MATMUL, .type = type, .rows = SIDE, .inner = SIDE, .columns = SIDE
    };
    kernel.count = SIDE * SIDE;
    kernel.out = device->alloc(state, bytes);
    for (int i = 0; i < 2; i++)
        kernel.in[i] = device->alloc(state, bytes);
    return kernel;
}

/* To open a handle takes memory, and so waits for the GPU. */
static struct kernel asked_for;

static void *multiply(void *nothing)
{
    launch_become(&test_ranks()[0]);
    cr_expect_eq(device->launch(busy, &asked_for), DIST_OK);
    atomic_store(&through, true);
    return nothing;
}

Test(cuda_waits, for_cublas)
{
    play_blas();
    asked_for = product(states[0], DIST_F32);
    expect_both(multiply);
    cr_assert_eq(blas_products(), 1);
}

/* Rows and columns are not the same, so a matrix that was turned shows. */
Test(cuda_waits, and_cublas_multiplies_as_the_host_does)
{
    play_blas();
    for (enum dist_type type = DIST_F32; type <= DIST_F64; type++) {
        struct kernel by_blas = product(states[1], type), fill = by_blas;
        size_t size = dtype_size(type), count = (size_t)128 * 192;
        char *host[3];
        by_blas.rows = 128, by_blas.inner = 100, by_blas.columns = 192, by_blas.count = (int64_t)count;
        for (int i = 0; i < 2; i++) {
            fill = (struct kernel){ .kind = KERNEL_ARANGE, .type = type, .count = 192 * 100, .value = i };
            fill.out = (void *)(uintptr_t)by_blas.in[i];
            device->launch(free_one, &fill);
            host[i] = malloc(192 * 100 * size);
            fill.out = host[i];
            host_launch(&fill);
        }
        host[2] = malloc(count * size);
        char *got = device->staging(states[1], count * size);
        device->launch(free_one, &by_blas);
        device->copy(free_one, got, by_blas.out, count * size, COPY_TO_HOST);
        while (!device->stream_passed(free_one))
            usleep(10);
        by_blas.in[0] = host[0], by_blas.in[1] = host[1], by_blas.out = host[2];
        host_launch(&by_blas);
        cr_assert_eq(memcmp(got, host[2], count * size), 0, "type %d", (int)type);
        for (int i = 0; i < 3; i++)
            free(host[i]);
    }
    cr_assert_eq(blas_products(), 2);
    for (int i = 0; i < 2; i++)
        device->close(states[i]);
}
