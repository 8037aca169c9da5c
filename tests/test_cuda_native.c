/*
 * test_cuda_native.c: a program's own kernels on the streams of the library (dist_stream_native): do they come where they were
 * put, and does everybody wait for them? On the double of CUDA, as in test_cuda_ranks.c.
 */
#define _GNU_SOURCE
#include "conform_exam.h"
#include "device_program.h"
#include "devices/device.h"
#include "doubles/cuda/own.h"
#include "misuse.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

TestSuite(cuda_native, .timeout = 60);

#define COUNT 1000

/* value * 2 + 1 */
static void own(tensor *x)
{
    own_kernel(dist_stream_native(), tensor_data(x), tensor_numel(x), 2, 1);
}

static void expect(struct exam *exam, const char *what, tensor *x, double value)
{
    double first = tensor_item(x, 0), last = tensor_item(x, tensor_numel(x) - 1);
    exam_check(exam, first == value && last == value, "%s: %g .. %g, and not %g", what, first, last, value);
}

static void between_collectives(struct exam *exam, int rank, int size)
{
    for (int turn = 0; turn < 20; turn++) {
        tensor *x = tensor_full(DIST_F32, rank + turn, COUNT);
        double sum = size * (size - 1) / 2.0 + size * turn;
        dist_all_reduce(x);
        own(x);
        own(x);
        tensor_add_scalar(x, 1);
        own(x);
        dist_all_reduce(x, .op = DIST_AVG);
        expect(exam, "between two sums", x, ((sum * 2 + 1) * 2 + 1 + 1) * 2 + 1);
        tensor_free(x);
    }
}

/* The receive stands in the stream long before the message is sent. */
static void behind_a_late_message(struct exam *exam, int rank, int size)
{
    tensor *x = tensor_full(DIST_F32, rank, COUNT);
    if (rank == 0) {
        own(x);
        for (int to = 1; to < size; to++) {
            usleep(20000);
            dist_send(x, to);
        }
    } else {
        dist_recv(x, 0);
        own(x);
    }
    expect(exam, "behind a message", x, rank == 0 ? 1 : 3);
    dist_barrier();
    tensor_free(x);
}

/* Asked for once, used for many: who waits for the stream waits for all that is in it, counted or not. */
static void all_wait_for_it(struct exam *exam, int rank, int size)
{
    (void)rank;
    tensor *x = tensor_zeros(DIST_F32, COUNT);
    dist_stream *mine = dist_stream_new();
    dist_barrier();
    for (int turn = 0; turn < 10; turn++) {
        void *stream = dist_stream_native(.stream = mine);
        dist_stream_synchronize(mine);
        for (int i = 0; i < 3; i++)
            own_kernel(stream, tensor_data(x), COUNT, 1, 1);
        turn % 2 ? (void)dist_stream_synchronize(mine) : (void)dist_synchronize();
        expect(exam, "after a wait for the stream", x, 3 * turn + 3);
    }
    dist_barrier();
    exam_check(exam, size > 1 || own_pending() == 0, "%d kernels were not waited for", own_pending());
    tensor_free(x);
    dist_stream_free(mine);
}

/* Memory that was freed goes to others only when the program's kernel is past it. */
static void freed_memory_waits(struct exam *exam, int rank, int size)
{
    (void)rank, (void)size;
    dist_stream *mine = dist_stream_new();
    for (int turn = 0; turn < 20; turn++) {
        tensor *x = tensor_zeros(DIST_F32, COUNT);
        void *stream = dist_stream_native(mine);
        dist_synchronize();
        own_kernel(stream, tensor_data(x), COUNT, 1, 1);
        tensor_free(x);
        tensor *y = tensor_full(DIST_F32, 5, COUNT);
        dist_synchronize();
        expect(exam, "memory of a tensor that a kernel still wrote into", y, 5);
        tensor_free(y);
    }
    dist_stream_free(mine);
}

static void on(int size, const char *gpus)
{
    static void (*const parts[])(struct exam *, int, int) = { between_collectives, behind_a_late_message,
                                                              all_wait_for_it, freed_memory_waits };
    cr_assert_str_eq(device_cuda.name, "cuda"); /* the double stands in because it is named here */
    setenv("DEVICE", "cuda", 1);
    setenv("BACKEND", "cuda", 1);
    setenv("DOUBLE_GPUS", gpus, 1);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct exam *exam = exam_new("kernels of its own", size);
        bool passed = exam_run(exam, parts[i]);
        cr_assert(passed, "part %zu: %s", i, exam_words(exam));
        exam_free(exam);
    }
}

Test(cuda_native, one_rank)
{
    on(1, "1");
}

Test(cuda_native, four_ranks_share_a_gpu)
{
    on(4, "1");
}

Test(cuda_native, three_ranks_on_two_gpus)
{
    on(3, "2");
}

/* ---- where there is none ------------------------------------------------------------------------ */

static void ask(int rank, int size)
{
    (void)rank, (void)size;
    dist_init_process_group();
    dist_stream_native();
    dist_destroy_process_group();
}

/* DEVICE is given to the child. */
static void refused(const char *device, const char *words)
{
    const char *const all[] = { "DEVICE is", words, "run it with DEVICE=cuda", NULL };
    struct misuse misuse = { .run = ask,
                             .ranks = 1,
                             .error = DIST_ERR_ENVIRONMENT,
                             .file = __FILE__,
                             .call = "dist_stream_native",
                             .words = all };
    struct misuse_outcome outcome;
    misuse.device = device;
    bool right = misuse_run(&misuse, &outcome);
    cr_assert(right, "%s: %s. It said: %s", device, outcome.wrong, outcome.said);
}

Test(cuda_native, on_the_host_and_on_the_simulated_gpu_it_is_an_error)
{
    refused("host", "\"host\"");
    refused("sim", "\"sim\"");
}

/* ---- what is asked of CUDA ------------------------------------------------------------------------ */

/* Where the backend communicates others may wait: so its stream goes before the program's. Only events that were wanted so tell the time,
 * not those that the device makes for itself: CUDA's own words are that the others are faster. */
Test(cuda_native, communication_goes_first_and_only_timed_events_tell_the_time)
{
    const struct device *device = &device_cuda;
    void *state;
    cr_assert_eq(device->open(&test_ranks()[0], &state), DIST_OK, "%s", device_why());
    struct stream *ours = device->stream_new(state, -1), *theirs = device->stream_new(state, 0);
    int high = own_priority(device->stream_native(ours)), usual = own_priority(device->stream_native(theirs));
    cr_assert_lt(high, usual, "the backend's stream has priority %d, and the program's %d", high, usual);

    mark_free(device->event_new(state, false));
    struct event *gate = device->gate_new(state);
    mark_follow(gate, theirs);
    mark_open_behind(gate, ours);
    mark_free(gate);
    cr_assert_eq(own_timed_events(), 0);
    mark_free(device->event_new(state, true));
    cr_assert_eq(own_timed_events(), 1);
    struct event *from = device->event_new(state, true), *to = device->event_new(state, true);
    mark_record(from, ours);
    mark_record(to, ours);
    while (!mark_passed(to))
        usleep(10);
    cr_assert_geq(device->event_elapsed(from, to), 0);
    mark_free(from);
    mark_free(to);
    device->close(state);
}

/* CUDA remembers that a stream was not empty, and a launch would say so, as if it had been refused. */
static void wait_for_turn(void *turn)
{
    while (!atomic_load((atomic_bool *)turn))
        usleep(100);
}

Test(cuda_native, a_stream_that_is_not_empty_is_no_error_for_the_next_kernel)
{
    const struct device *device = &device_cuda;
    static atomic_bool turn;
    void *state;
    setenv("CUDA_MODULE_LOADING", "EAGER", 1); /* as dist_spawn does */
    cr_assert_eq(device->open(&test_ranks()[0], &state), DIST_OK, "%s", device_why());
    struct stream *theirs = device->stream_new(state, 0), *other = device->stream_new(state, 1);
    struct kernel kernel = { .kind = KERNEL_FILL, .type = DIST_I64, .count = 1 };
    kernel.out = device->alloc(state, 8);
    void *native = device->stream_native(theirs);
    while (!device->stream_passed(theirs))
        usleep(10);
    own_launch(native, wait_for_turn, &turn);
    cr_expect(!device->stream_passed(theirs)); /* it has asked CUDA */
    int status = device->launch(other, &kernel);
    atomic_store(&turn, true);
    cr_assert_eq(status, DIST_OK, "%s", device_why());
    device->close(state);
}

/* Kernels must not be loaded when they are launched first (devices/cuda/cuda.h): dist_spawn says so to CUDA, before it is late. */
static int *is_eager;

static void look(int rank, int world_size)
{
    const char *loading = getenv("CUDA_MODULE_LOADING");
    (void)rank, (void)world_size;
    *is_eager = loading && strcmp(loading, "EAGER") == 0;
}

Test(cuda_native, kernels_are_loaded_at_once)
{
    is_eager = mmap(NULL, sizeof *is_eager, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    setenv("DIST_RANKS", "threads", 1);
    unsetenv("CUDA_MODULE_LOADING");
    cr_assert_eq(dist_spawn(look, 1), 0);
    cr_expect(*is_eager, "CUDA would load a kernel when it is launched first, and wait for the GPU then");
}
