/*
 * test_cuda_fails.c: each call of CUDA fails once, the n-th of its name: is that told in one sentence, which says what CUDA has said, and
 * does nobody go on with numbers that are not there? On the double of CUDA, as in test_cuda_ranks.c.
 */
#define _GNU_SOURCE
#include "device_program.h"
#include "devices/device.h"
#include "doubles/cuda/held.h"
#include "misuse.h"
#include "tensor.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(cuda_fails, .timeout = 120);

static void expect(tensor *x, double value)
{
    double last = tensor_item(x, tensor_numel(x) - 1);
    if (last != value)
        fprintf(stderr, "wrong: %g, and not %g\n", last, value);
}

/* Some of all that gives CUDA something to do. */
static void program(int rank, int size)
{
    dist_init_process_group();
    tensor *small = tensor_full(DIST_F32, rank, 100), *large = tensor_full(DIST_F32, rank, 300000);
    double sum = size * (size - 1) / 2.0;
    dist_all_reduce(small);
    dist_all_reduce(large);
    expect(small, sum);
    expect(large, sum);
    dist_stream *stream = dist_stream_new();
    dist_event *begin = dist_event_record();
    dist_wait(dist_all_reduce(small, .async_op = true));
    expect(small, size * sum);
    if (rank == 0)
        dist_send(small, 1);
    else
        dist_recv(small, 0);
    tensor_free(small);
    dist_event_free(begin);
    dist_stream_free(stream);
    dist_synchronize();
    tensor_free(large);
    dist_destroy_process_group();
}

static void fails(const char *call, int n, const char *error, enum dist_error status,
                  const char *const *words)
{
    char variable[100];
    snprintf(variable, sizeof variable, "DOUBLE_FAIL=%s %d", call, n);
    cr_assert_str_eq(device_cuda.name, "cuda"); /* the double stands in because it is named here */
    setenv("BACKEND", "cuda", 1);
    setenv("DOUBLE_GPUS", "1", 1);
    setenv("DOUBLE_ERROR", error, 1);
    struct misuse misuse = {
        .run = program, .ranks = 2, .error = status, .words = words, .variable = variable, .device = "cuda"
    };
    struct misuse_outcome outcome;
    bool told = misuse_run(&misuse, &outcome),
         not_reached = outcome.status == 0 && !strstr(outcome.said, "wrong: ");
    cr_expect(told || not_reached, "%s: %s. It said: %s", variable, outcome.wrong, outcome.said);
}

/* 2 ranks: so the first two are those that open the GPU. */
static void each_fails(const char *const *calls)
{
    static const char *const words[] = { "GPU 0 (double of GPU 0): ", "some error (CUDA error 999)", NULL };
    for (; *calls; calls++)
        for (int n = 1; n <= 5; n++)
            fails(*calls, n, "999", DIST_ERR_SYSTEM, words);
}

Test(cuda_fails, what_makes_something)
{
    each_fails((const char *const[]){ "cudaSetDevice", "kernels_fit", "cudaStreamCreateWithFlags",
                                      "cudaStreamCreateWithPriority", "cudaDeviceGetStreamPriorityRange",
                                      "cudaEventCreateWithFlags", "cudaHostAlloc", "cudaMalloc", NULL });
}

Test(cuda_fails, what_gives_it_work)
{
    each_fails((const char *const[]){ "kernels_start", "cudaMemcpyAsync", "cudaStreamWaitEvent",
                                      "cudaEventRecord", "cudaEventQuery", "cudaLaunchHostFunc", NULL });
}

Test(cuda_fails, and_what_has_no_memory_left_says_so)
{
    static const char *const words[] = { "the device \"cuda\" has no memory left", NULL };
    for (int n = 5; n <= 6; n++) /* dist_stream_new */
        fails("cudaStreamCreateWithFlags", n, "2", DIST_ERR_MEMORY, words);
    for (int n = 1; n <= 6; n++)
        fails("cudaEventCreateWithFlags", n, "2", DIST_ERR_MEMORY, words);
}

/* A kernel that reads where nothing is: of that CUDA tells some time later, whatever it is asked. */
Test(cuda_fails, a_kernel_that_fails)
{
    static const char *const words[] = { "GPU 0 (double of GPU 0): ",
                                         "an illegal memory access was encountered (CUDA error 700)", NULL };
    for (int n = 1; n <= 8; n++) {
        char number[12];
        snprintf(number, sizeof number, "%d", n);
        setenv("DOUBLE_BREAK", number, 1);
        fails("nothing", 1, "0", DIST_ERR_SYSTEM, words);
    }
}

/* ---- the device alone --------------------------------------------------------------------------- */

/* An error is told once: CUDA remembers it, and the next launch would seem to be refused. */
Test(cuda_fails, what_was_told_is_not_told_again)
{
    const struct device *device = &device_cuda;
    void *state;
    setenv("DOUBLE_ERROR", "2", 1);
    cr_assert_eq(device->open(&test_ranks()[0], &state), DIST_OK, "%s", device_why());
    struct stream *stream = device->stream_new(state, 0);
    struct kernel kernel = { .kind = KERNEL_FILL, .type = DIST_I64, .count = 1 };
    kernel.out = device->alloc(state, 8);
    setenv("DOUBLE_FAIL", "cudaStreamCreateWithFlags 1", 1);
    cr_assert(!device->stream_new(state, 1));
    cr_expect_eq(device->launch(stream, &kernel), DIST_OK, "after a stream: %s", device_why());
    cr_assert(!device->alloc(state, (size_t)1 << 40));
    cr_expect_eq(device->launch(stream, &kernel), DIST_OK, "after memory: %s", device_why());
    device->stream_free(stream);
    device->close(state);
}

static void hear(const struct dist_report *report, void *heard)
{
    cr_expect(strstr(report->sentence, "the device \"cuda\" has no memory left"), "%s", report->sentence);
    ++*(int *)heard;
}

/* With a handler the program goes on, and asks once more. */
Test(cuda_fails, a_device_without_its_first_stream_is_closed)
{
    int heard = 0;
    cr_assert_str_eq(device_cuda.name, "cuda");
    setenv("DEVICE", "cuda", 1);
    setenv("DOUBLE_ERROR", "2", 1);
    setenv("DOUBLE_FAIL", "cudaStreamCreateWithFlags 2", 1);
    dist_set_error_handler(hear, &heard);
    cr_expect(!tensor_zeros(DIST_F32, 1));
    cr_expect_eq(heard, 1);
    cr_expect_eq(held_devices(), 0);
    tensor *x = tensor_zeros(DIST_F32, 1);
    cr_assert(x);
    cr_expect_eq(held_devices(), 1);
    tensor_free(x);
}

/* Each counts its own calls: so the first that is made fails. */
Test(cuda_fails, a_copy_that_was_refused_is_not_told_again)
{
    const struct device *device = &device_cuda;
    void *state;
    cr_assert_eq(device->open(&test_ranks()[0], &state), DIST_OK, "%s", device_why());
    struct stream *stream = device->stream_new(state, 0);
    char *memory = device->alloc(state, 2000);
    struct kernel kernel = { .kind = KERNEL_FILL, .type = DIST_I64, .count = 1, .out = memory };
    setenv("DOUBLE_FAIL", "cudaMemcpyAsync 1", 1);
    cr_assert_eq(device->copy(stream, memory + 1000, memory, 8, COPY_INSIDE), DIST_ERR_SYSTEM);
    cr_expect_eq(device->launch(stream, &kernel), DIST_OK, "%s", device_why());
    device->stream_free(stream);
    device->close(state);
}
