/*
 * touches.c: who touches a tensor while a message needs it (DIST_CHECK=1), one case a run, by name: through slices, from another
 * thread, and through each call of tensor.h; and who writes behind its end. A mark stands on each line that a report must name (test_touches.c).
 */
#define _GNU_SOURCE
#include "dist.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *what;

static bool is(const char *name)
{
    return strcmp(what, name) == 0;
}

/* ---- beside it on the same page -------------------------------------------------------------------- */

static void beside(int rank)
{
    tensor *whole = tensor_zeros(DIST_F32, 64), *part = tensor_slice(whole, 8, 16);
    float *x = tensor_data(whole);
    dist_work *work = is("read-behind") ? dist_irecv(part, 1 - rank)  /* mark part-in */
                                        : dist_isend(part, 1 - rank); /* mark part-out */
    for (int i = 0; i < (is("often") ? 100000 : 500); i++)
        x[i % 8] += 1;
    for (int i = 16; i < 64; i++)
        x[i] += 1;
    if (rank == 0 && is("write-behind"))
        x[8] = 1; /* mark write-behind */
    if (rank == 0 && is("write-last"))
        x[15] = 1; /* mark write-last */
    if (rank == 0 && is("read-behind"))
        x[7] = x[15]; /* mark read-behind */
    tensor *other = tensor_zeros(DIST_F32, 8);
    if (is("read-behind"))
        dist_send(other, 1 - rank);
    else
        dist_recv(other, 1 - rank);
    dist_wait(work);
    x[8] = 1;
    tensor_free(other);
    tensor_free(part);
    tensor_free(whole);
}

/* ---- behind the last element, on its page or on the next ------------------------------------------------ */

static void behind_the_end(int rank)
{
    int64_t count = is("end-free") ? 512 : 3;
    tensor *x = tensor_zeros(DIST_F64, count); /* mark end-made */
    tensor *part = tensor_slice(x, 0, 1);
    double *values = tensor_data(x);
    dist_work *work = is("end-flies") ? dist_isend(x, 1 - rank, .tag = 1) : NULL;
    tensor *in = tensor_zeros(DIST_F64, count);
    if (rank == 0)
        values[count + 1] = 0;
    if (is("end-slice"))
        tensor_fill(part, 1); /* mark end-slice */
    if (is("end-sum"))
        dist_all_reduce(x); /* mark end-sum */
    if (is("end-flies")) {
        dist_recv(in, 1 - rank, .tag = 1);
        dist_wait(work);
        if (rank == 0)
            dist_send(part, 1); /* mark end-flies */
        else
            dist_recv(part, 0);
    }
    tensor_free(part); /* mark end-free */
    tensor_free(x);
    tensor_free(in);
}

/* ---- from another thread ----------------------------------------------------------------------------- */

static void *touch(void *argument)
{
    tensor *x = argument;
    usleep(20000); /* the other one is in its call by then, or will be: what it needs is not there yet */
    if (is("thread-set"))
        tensor_set(x, 1, 2); /* mark thread-set */
    else
        ((volatile float *)tensor_data(x))[1] = 2; /* mark thread-write */
    return NULL;
}

/* Rank 0 blocks until rank 1 comes, which is later than the touch. */
static void from_a_thread(int rank)
{
    tensor *x = tensor_zeros(DIST_F32, 8);
    pthread_t thread;
    if (rank == 1)
        sleep(2);
    else if (pthread_create(&thread, NULL, touch, x) != 0)
        abort();
    if (is("thread-sum"))
        dist_all_reduce(x); /* mark blocking-sum */
    else if (rank == 0)
        dist_send(x, 1); /* mark blocking-send */
    else
        dist_recv(x, 0);
    if (rank == 0)
        pthread_join(thread, NULL);
    tensor_free(x);
}

/* ---- through each call of tensor.h ---------------------------------------------------------------------- */

static _Thread_local int told;

static void count(const struct dist_report *report, void *context)
{
    told += report->error == DIST_ERR_BUFFER;
    (void)context;
}

static _Thread_local tensor *all, *flying, *other, *ids;
#define MUST(call, times) must(#call, ((void)(call), 0), times)

static void must(const char *call, int nothing, int times)
{
    (void)nothing;
    if (told != times) {
        fprintf(stderr, "%s was told %d times, not %d\n", call, told, times);
        exit(1);
    }
    told = 0;
}

static void readers(int times)
{
    float values[16];
    MUST(tensor_free(tensor_clone(flying)), times);
    MUST(tensor_read(flying, values), times);
    MUST(tensor_item(flying, 5), times);
    MUST(tensor_item(all, 3), 0); /* its neighbour */
    MUST(tensor_sum(flying), times);
    MUST(tensor_equal(other, flying), times);
    MUST(tensor_copy(other, flying), times);
    MUST(tensor_add(other, flying), times);
    MUST(tensor_sub(other, flying), times);
    MUST(tensor_mul(other, flying), times);
    MUST(tensor_matmul(other, flying, ids), times);
    MUST(tensor_matmul(other, ids, flying), times);
    MUST(tensor_transpose(other, flying), times);
    MUST(tensor_relu_backward(other, flying), times);
    MUST(tensor_gelu_backward(other, flying), times);
    MUST(tensor_softmax_backward(other, flying), times);
    MUST(tensor_free(tensor_to(flying, DIST_HOST)), times);
}

static void writers(int times)
{
    float values[16] = { 0 };
    MUST(tensor_write(flying, values), times);
    MUST(tensor_set(flying, 5, 1), times);
    MUST(tensor_set(all, 3, 1), 0);
    MUST(tensor_fill(flying, 1), times);
    MUST(tensor_copy(flying, other), times);
    MUST(tensor_add(flying, other), times);
    MUST(tensor_sub(flying, other), times);
    MUST(tensor_mul(flying, other), times);
    MUST(tensor_add_scalar(flying, 1), times);
    MUST(tensor_mul_scalar(flying, 1), times);
    MUST(tensor_relu(flying), times);
    MUST(tensor_relu_backward(flying, other), times);
    MUST(tensor_softmax(flying), times);
    MUST(tensor_gelu(flying), times);
    MUST(tensor_gelu_backward(flying, other), times);
    MUST(tensor_softmax_backward(flying, other), times);
    MUST(tensor_causal_mask(flying, 0), times);
    MUST(tensor_matmul(flying, other, ids), times);
    MUST(tensor_transpose(flying, other), times);
    MUST(tensor_adamw(flying, other, ids, ids, .step = 1), times);
    MUST(dist_irecv(flying, 0, .tag = 9), times);
}

/* Of a tensor that flies, and of a slice of which a part does. */
static void each_call(int rank)
{
    all = tensor_zeros(DIST_F32, 4, 4);
    tensor *row = tensor_slice(all, 1, 2), *in = tensor_zeros(DIST_F32, 1, 4);
    other = tensor_zeros(DIST_F32, 4, 4);
    ids = tensor_zeros(DIST_F32, 4, 4);
    flying = is("part") ? all : tensor_view(all, 4, 4);
    dist_set_error_handler(count, NULL);
    dist_work *work = dist_irecv(row, 1 - rank);
    readers(1);
    writers(1);
    dist_send(in, 1 - rank);
    dist_wait(work);
    work = dist_isend(row, 1 - rank);
    readers(0);
    writers(1);
    dist_recv(in, 1 - rank);
    dist_wait(work);
    readers(0);
    dist_synchronize();
}

/* What a collective in place reads of the larger tensor beside this rank's own block; that of rank 0 begins where the whole does. */
static void in_place(int rank)
{
    tensor *host = tensor_zeros(DIST_F32, 8), *whole = tensor_to(host, DIST_GPU);
    dist_set_error_handler(count, NULL);
    for (int i = 0; i < 2; i++) {
        tensor *big = i ? whole : host, *own = tensor_slice(big, 4 * rank, 4 * rank + 4);
        dist_work *work = dist_reduce_scatter(own, big, .async_op = true);
        MUST(tensor_set(big, 7 - 4 * rank, 1), 1);
        dist_wait(work);
        dist_synchronize();
        for (int src = 0; src < 2; src++) {
            work = dist_scatter(own, big, src, .async_op = true);
            MUST(tensor_set(big, 7 - 4 * rank, 1), src == rank);
            dist_wait(work);
            dist_synchronize();
        }
        tensor_free(own);
        tensor_free(big);
    }
}

static void run(int rank, int size)
{
    (void)size;
    dist_init_process_group();
    if (strncmp(what, "thread-", 7) == 0)
        from_a_thread(rank);
    else if (is("calls") || is("part"))
        each_call(rank);
    else if (is("in-place"))
        in_place(rank);
    else if (strncmp(what, "end-", 4) == 0)
        behind_the_end(rank);
    else
        beside(rank);
    dist_destroy_process_group();
}

int main(int words, char **word)
{
    what = words > 1 ? word[1] : "";
    return dist_spawn(run, 2);
}
