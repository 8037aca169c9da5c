/*
 * test_views.c: is a slice, or a view of another shape, sent and received as what it is: so many elements from there, and nothing
 * beside them? On the other side is a tensor that has just as many, so that two wrongs cannot make a right.
 */
#define _GNU_SOURCE
#include "conform_exam.h"
#include "dist.h"
#include "tensor_impl.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(views, .timeout = 60);

#define MOST 200000

/* Are the elements first, first + 1, ... times `times`? */
static void expect(struct exam *exam, const tensor *t, int64_t first, double times, const char *what)
{
    double *values = malloc((size_t)tensor_numel(t) * sizeof *values);
    bool right = true;
    tensor_read(t, values);
    for (int64_t i = 0; i < tensor_numel(t) && right; i++)
        right = exam_check(exam, values[i] == times * (double)(first + i), "%s: element %lld is %g", what,
                           (long long)i, values[i]);
    free(values);
}

/* The middle third of `whole` goes to rank 1, comes back doubled, and is summed over both. Short messages take quick ways only
 * after some others: so more than once. */
static void talk(struct exam *exam, tensor *whole, tensor *part, int64_t count, int rank)
{
    tensor *other = tensor_zeros(DIST_F64, count), *mine = rank == 0 ? part : other;
    exam_check(exam, part->bytes == (size_t)count * sizeof(double), "a view of %lld elements has %zu bytes",
               (long long)count, part->bytes);
    for (int round = 0; round < (count > 1000 ? 1 : 20); round++) {
        if (rank == 0) {
            dist_send(mine, 1);
            dist_recv(mine, 1);
        } else {
            dist_recv(mine, 0);
            dist_send(mine, 0);
        }
    }
    if (rank == 0) {
        dist_wait(dist_isend(mine, 1));
        dist_wait(dist_irecv(mine, 1));
    } else {
        dist_wait(dist_irecv(mine, 0));
        tensor_add(mine, mine);
        dist_wait(dist_isend(mine, 0));
    }
    dist_all_reduce(mine);
    expect(exam, mine, count, 4, "what was sent");
    if (rank == 0) {
        tensor *before = tensor_slice(whole, 0, count), *after = tensor_slice(whole, 2 * count, 3 * count);
        expect(exam, before, 0, 1, "before it");
        expect(exam, after, 2 * count, 1, "after it");
        tensor_free(before);
        tensor_free(after);
    }
    tensor_free(other);
}

static void body(struct exam *exam, int rank, int size)
{
    static const int64_t counts[] = { 1, 2, 5, 8, 100, 1000, 5000, MOST };
    (void)size;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        int64_t count = counts[c];
        tensor *whole = tensor_arange(DIST_F64, 0, (double)(3 * count));
        tensor *slice = tensor_slice(whole, count, 2 * count);
        talk(exam, whole, slice, count, rank);
        tensor_free(slice);
        tensor_free(whole);

        whole = tensor_arange(DIST_F64, 0, (double)(3 * count));
        tensor *rows = tensor_view(whole, 3, count), *row = tensor_slice(rows, 1, 2),
               *flat = tensor_view(row, count);
        talk(exam, whole, flat, count, rank);
        tensor_free(flat);
        tensor_free(row);
        tensor_free(rows);
        tensor_free(whole);
    }
}

static void examine(const char *title)
{
    struct exam *exam = exam_new(title, 2);
    cr_assert(exam_run(exam, body), "%s", exam_words(exam));
    exam_free(exam);
}

Test(views, between_processes)
{
    examine("views");
}

Test(views, between_threads)
{
    setenv("DIST_RANKS", "threads", 1);
    examine("views of threads");
}

Test(views, copied_aside)
{
    setenv("DIST_BUFFERING", "eager:4096", 1);
    examine("eager views");
}

Test(views, on_simulated_gpus)
{
    setenv("DEVICE", "sim", 1);
    examine("views on GPUs");
}

Test(views, in_the_cuda_backend)
{
    setenv("DEVICE", "sim", 1);
    setenv("BACKEND", "cuda", 1);
    examine("views in the CUDA room");
}
