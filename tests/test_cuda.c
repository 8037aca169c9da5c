/*
 * test_cuda.c: the CUDA device's own code, on a double of CUDA (doubles/cuda/runtime.h): what is given to CUDA, and when; what is
 * said where there is no GPU. DIST_TEST_SEED repeats a run that failed.
 */
#define _GNU_SOURCE
#include "device_program.h"
#include "devices/pool.h"
#include "reference.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

TestSuite(cuda, .timeout = 60);

static uint64_t seed(void)
{
    const char *given = getenv("DIST_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 1000 + (uint64_t)getpid();
    fprintf(stderr, "DIST_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

static void random_streams(const struct device *device, int programs, int steps)
{
    uint64_t first = seed();
    for (int i = 0; i < programs; i++) {
        const char *wrong = device_program(device, first + (uint64_t)i, steps);
        cr_assert(wrong[0] == '\0', "%s (DIST_TEST_SEED=%llu)", wrong,
                  (unsigned long long)first + (unsigned)i);
    }
}

Test(cuda, streams_keep_their_order_on_two_gpus)
{
    random_streams(&device_cuda, 12, 3000);
}

Test(cuda, streams_keep_their_order_where_gpus_do_not_reach_each_other)
{
    setenv("DOUBLE_GPUS", "3", 1);
    setenv("DOUBLE_APART", "1", 1);
    random_streams(&device_cuda, 6, 3000);
}

Test(cuda, streams_keep_their_order_on_one_gpu)
{
    setenv("DOUBLE_GPUS", "1", 1);
    random_streams(&device_cuda, 12, 3000);
}

Test(cuda, the_simulated_gpu_passes_too)
{
    random_streams(&device_sim, 6, 3000);
}

/* ---- one rank ------------------------------------------------------------------------------ */

static void *open_first(void)
{
    void *state = NULL;
    cr_assert_eq(device_cuda.open(&test_ranks()[0], &state), DIST_OK, "%s", device_why());
    return state;
}

static struct kernel fill(void *out, int64_t count)
{
    return (struct kernel){ .kind = KERNEL_FILL, .type = DIST_I64, .count = count, .value = 7, .out = out };
}

struct sleep {
    struct stream *stream;
    struct rank_slot *slot;
};

static bool passed(void *argument)
{
    return device_cuda.stream_passed(((struct sleep *)argument)->stream);
}

/* Sleeps for a minute at a time, unless it is notified. */
Test(cuda, who_sleeps_until_a_stream_is_empty_is_woken)
{
    struct launch_self *self = &test_ranks()[0];
    struct rank_slot *slot = &self->world.header->slots[0];
    launch_become(self);
    void *state = open_first();
    struct sleep sleep = { device_cuda.stream_new(state, 0), slot };
    void *memory = device_cuda.alloc(state, 1 << 20);
    for (int i = 0; i < 300; i++) {
        struct kernel kernel = fill(memory, i % 2 ? 1 << 17 : 1);
        device_cuda.launch(sleep.stream, &kernel);
        while (!passed(&sleep))
            eventcount_sleep(&slot->eventcount, passed, &sleep, 60000, &slot->sleep);
    }
    device_cuda.stream_free(sleep.stream);
    device_cuda.close(state);
    cr_assert_eq(atomic_load(&world_notes(&self->world, 0)->streams[1].epoch), 0, "a ring is still owed");
}

static void *open_later(void *gate)
{
    usleep(100000);
    mark_open(gate);
    return NULL;
}

Test(cuda, who_sleeps_in_front_of_a_gate_is_woken_when_it_opens)
{
    struct launch_self *self = &test_ranks()[0];
    struct rank_slot *slot = &self->world.header->slots[0];
    launch_become(self);
    void *state = open_first();
    struct sleep sleep = { device_cuda.stream_new(state, 0), slot };
    struct event *gate = device_cuda.gate_new(state);
    struct kernel kernel = fill(device_cuda.alloc(state, 8), 1);
    mark_follow(gate, sleep.stream);
    device_cuda.launch(sleep.stream, &kernel);
    cr_assert(mark_held(sleep.stream) == gate);
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, open_later, gate), 0);
    while (!passed(&sleep))
        eventcount_sleep(&slot->eventcount, passed, &sleep, 60000, &slot->sleep);
    pthread_join(thread, NULL);
    cr_assert(mark_passed(gate) && !mark_held(sleep.stream));
    mark_free(gate);
    device_cuda.stream_free(sleep.stream);
    device_cuda.close(state);
}

Test(cuda, a_gate_opens_behind_a_stream_that_is_held_by_another)
{
    void *state = open_first();
    struct stream *a = device_cuda.stream_new(state, 0), *b = device_cuda.stream_new(state, 1);
    struct event *first = device_cuda.gate_new(state), *second = device_cuda.gate_new(state);
    mark_follow(first, a);
    mark_open_behind(second, a);
    mark_follow(second, b);
    cr_assert(!mark_passed(second) && mark_held(b) == second);
    mark_open(first);
    while (!device_cuda.stream_passed(b))
        usleep(10);
    cr_assert(mark_passed(second));
    mark_open(second); /* once more does no harm */
    mark_free(first);
    mark_free(second);
    device_cuda.stream_free(a);
    device_cuda.stream_free(b);
    device_cuda.close(state);
}

/* ---- memory --------------------------------------------------------------------------------- */

Test(cuda, memory_is_used_again_while_the_host_runs_ahead)
{
    setenv("DOUBLE_BYTES", "100000000", 1);
    void *state = open_first();
    struct stream *stream = device_cuda.stream_new(state, 0);
    for (int i = 0; i < 2000; i++) {
        void *memory = device_cuda.alloc(state, 10000000);
        cr_assert(memory, "full after %d rounds", i);
        struct kernel kernel = fill(memory, 1);
        device_cuda.launch(stream, &kernel);
        device_cuda.free(state, memory);
    }
    void *all = device_cuda.alloc(state, 60000000); /* needs the pieces that were cut up */
    cr_assert(all);
    cr_assert(!device_cuda.alloc(state, 60000000) && !device_cuda.alloc(state, SIZE_MAX));
    cr_assert(device_cuda.alloc(state, 0));
}

Test(cuda, blocks_of_a_pool_never_overlap)
{
    static char piece[2][1 << 16];
    static struct pool pool;
    char *at[64] = { NULL };
    size_t bytes[64] = { 0 };
    uint64_t random = seed();
    pool_add(&pool, piece[0], sizeof piece[0]);
    pool_add(&pool, piece[1], sizeof piece[1]);
    for (int i = 0; i < 20000; i++) {
        int k = (int)ref_below(&random, 64);
        for (size_t j = 0; at[k] && j < bytes[k]; j++)
            cr_assert_eq(at[k][j], (char)k, "a block was given twice");
        if (at[k])
            cr_assert(pool_give(&pool, at[k]));
        bytes[k] = (size_t)ref_below(&random, i % 100 == 0 ? 60000 : 3000);
        at[k] = pool_take(&pool, bytes[k]);
        if (at[k])
            memset(at[k], k, bytes[k]);
    }
    for (int k = 0; k < 64; k++)
        cr_assert(!at[k] || pool_give(&pool, at[k]));
    cr_assert(!pool_give(&pool, piece[0] + 1), "what is not in use cannot be given back");
    void *one = pool_drop(&pool), *other = pool_drop(&pool);
    cr_assert(one && other && one != other, "neighbours were not joined");
    cr_assert(!pool_drop(&pool));
}

/* ---- what is said ------------------------------------------------------------------------------ */

static void refuses(const char *name, const char *value, int status, const char *words)
{
    void *state;
    setenv(name, value, 1);
    cr_assert_eq(device_cuda.open(&test_ranks()[0], &state), status);
    cr_assert(strstr(device_why(), words), "it says: %s", device_why());
}

Test(cuda, without_a_driver_it_says_so)
{
    refuses("DOUBLE_GPUS", "-35", DIST_ERR_ENVIRONMENT, "no NVIDIA "); /* driver; or GPU, if there is none */
}

Test(cuda, with_an_old_driver_it_says_so)
{
    setenv("DOUBLE_DRIVER", "12020", 1);
    refuses("DOUBLE_GPUS", "-35", DIST_ERR_ENVIRONMENT, "made for CUDA 12.2, and this library for 13.0");
}

Test(cuda, without_a_gpu_it_says_so)
{
    refuses("DOUBLE_GPUS", "-100", DIST_ERR_ENVIRONMENT, "driver shows no GPU");
}

Test(cuda, a_gpu_that_the_kernels_were_not_built_for_is_named)
{
    refuses("DOUBLE_OLD", "1", DIST_ERR_ENVIRONMENT, "GPU 0 (double of GPU 0) is none of those");
}

Test(cuda, a_gpu_that_fails_ends_the_job_with_a_sentence)
{
    setenv("DOUBLE_BREAK", "3", 1);
    const struct world *world = &test_ranks()[0].world;
    void *state = open_first();
    struct stream *stream = device_cuda.stream_new(state, 0);
    struct kernel kernel = fill(device_cuda.alloc(state, 8), 1);
    for (int i = 0; i < 10; i++)
        device_cuda.launch(stream, &kernel);
    while (!device_cuda.stream_passed(stream))
        usleep(10);
    cr_assert_eq(device_cuda.launch(stream, &kernel), DIST_ERR_SYSTEM);
    const char *cause = world_failure(world)->cause;
    cr_assert(world_failed(world) &&
                  strstr(cause, "an illegal memory access was encountered (CUDA error 700)"),
              "the cause is: %s", cause);
}
