/* conform_progress.c: an operation goes on while its ranks compute and call nothing. */
#define _GNU_SOURCE
#include "conform.h"

#include <time.h>
#include <unistd.h>

/* Long after a quick machine: where the cores have much else to do, a transfer is late, and still not stuck. */
#define SECONDS 25

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Multiply until `done` or for `seconds`, without a call into the library. */
static bool compute_until(bool (*done)(const void *), const void *arg, double seconds)
{
    volatile double x = 1;
    double end = now() + seconds;
    while (!done(arg) && now() < end) {
        for (int i = 0; i < 100000; i++)
            x = x * 1.0000001;
    }
    return done(arg);
}

/* A look at the memory itself: both ends and some places between show the new value. Programs must not do so; a test
 * that must not call the library has no other way to see it. The memory of a GPU cannot be looked at: there the work is
 * asked, which drives nothing. */
struct watched {
    const tensor *t;
    const volatile int32_t *data; /* NULL: it lies on a GPU */
    int64_t count;
    int32_t value;
    dist_work *work;
};

static struct watched watch(tensor *t, int32_t value)
{
    bool host = tensor_device(t) == DIST_HOST;
    return (struct watched){ t, host ? tensor_data(t) : NULL, tensor_numel(t), value, NULL };
}

static bool has_arrived(const void *arg)
{
    const struct watched *watched = arg;
    if (watched->data == NULL)
        return dist_is_completed(watched->work);
    for (int64_t i = 0; i < 16; i++) {
        if (watched->data[i * (watched->count - 1) / 15] != watched->value)
            return false;
    }
    return true;
}

static bool holds_it(const struct watched *watched)
{
    bool right = true;
    for (int64_t i = 0; i < 16; i++)
        right = right && tensor_item(watched->t, i * (watched->count - 1) / 15) == watched->value;
    return right;
}

static bool peer_has_it(const void *arg)
{
    const _Atomic uint32_t *word = arg;
    return atomic_load(word) != 0;
}

/* The data is there; the work must say so soon, without being waited for. */
static void expect_completed(struct exam *exam, dist_work *work, const char *what)
{
    double end = now() + SECONDS;
    while (!dist_is_completed(work) && now() < end)
        usleep(1000);
    exam_check(exam, dist_is_completed(work),
               "%s: the data is there, but %d s later the work is not completed", what, SECONDS);
    dist_wait(work);
}

/* 64 MiB from rank 0 to rank 1. */
static void message(struct exam *exam, int rank)
{
    const int64_t count = 16 << 20;
    tensor *t = tensor_full(DIST_I32, rank == 0 ? 7 : 0, count);
    struct watched watched = watch(t, 7);
    dist_work *work = watched.work = rank == 0 ? dist_isend(t, 1) : dist_irecv(t, 0);
    if (rank == 1) {
        bool came = compute_until(has_arrived, &watched, SECONDS);
        exam_check(exam, came, "64 MiB did not arrive while both ranks computed for %d s", SECONDS);
        atomic_store(&exam->board[0], 1);
    } else {
        compute_until(peer_has_it, &exam->board[0], SECONDS + 1);
    }
    expect_completed(exam, work, rank == 0 ? "isend" : "irecv");
    exam_check(exam, holds_it(&watched), "rank %d does not hold the message", rank);
    tensor_free(t);
}

/* An all_reduce of 32 MiB; every rank computes until it sees its own result. */
static void all_reduce(struct exam *exam, int rank, int size)
{
    const int64_t count = 8 << 20;
    tensor *t = tensor_full(DIST_I32, rank + 1, count);
    struct watched watched = watch(t, size * (size + 1) / 2);
    dist_barrier();
    dist_work *work = watched.work = dist_all_reduce(t, .async_op = true);
    bool came = compute_until(has_arrived, &watched, SECONDS);
    exam_check(exam, came, "an all_reduce did not end while all ranks computed for %d s", SECONDS);
    expect_completed(exam, work, "all_reduce");
    tensor_free(t);
}

/* A barrier that was started goes on though its rank's stream, on a GPU, stands behind messages that come only after it. */
static void barrier_beside(struct exam *exam, int rank)
{
    tensor *first = tensor_full(DIST_I32, rank, 1), *second = tensor_full(DIST_I32, rank, 1);
    if (rank == 1)
        usleep(20000); /* late */
    dist_work *barrier = dist_barrier(.async_op = true);
    if (rank == 0) {
        dist_recv(first, 1);
        dist_recv(second, 1);
    }
    dist_wait(barrier);
    if (rank == 1) {
        dist_send(first, 0);
        dist_send(second, 0);
    }
    exam_check(exam, rank > 1 || tensor_item(second, 0) == 1, "the message after the barrier is wrong");
    tensor_free(first);
    tensor_free(second);
}

/* Two ranks take turns, until one computes: what it was sent last is taken, and the sender need not wait for its turn. */
static void turns(struct exam *exam, int rank)
{
    tensor *t = tensor_full(DIST_I32, rank, 1);
    for (int turn = 0; turn < 500; turn++) {
        if (rank == 0)
            dist_send(t, 1);
        dist_recv(t, 1 - rank);
        if (rank == 1)
            dist_send(t, 0);
    }
    if (rank == 0) {
        dist_send(t, 1);
        atomic_store(&exam->board[1], 1);
    } else {
        dist_recv(t, 0);
        exam_check(exam, compute_until(peer_has_it, &exam->board[1], SECONDS),
                   "a send was not over while its receiver computed for %d s", SECONDS);
    }
    tensor_free(t);
}

/* Both start a message to each other, and wait: often enough to be taken for their habit. */
static void exchanges(int rank)
{
    tensor *mine = tensor_full(DIST_I32, rank, 1), *theirs = tensor_full(DIST_I32, rank, 1);
    for (int i = 0; i < 500; i++) {
        dist_work *works[] = { dist_isend(mine, 1 - rank), dist_irecv(theirs, 1 - rank) };
        dist_wait_all(works, 2);
    }
    tensor_free(mine);
    tensor_free(theirs);
}

/* Sends are started at once, and then their rank computes: the last one leaves, too. */
static void burst(struct exam *exam, int rank, int sends, int board)
{
    dist_work *works[8];
    tensor *t = tensor_full(DIST_I32, rank == 0 ? 7 : 0, sends);
    for (int i = 0; i < sends; i++) {
        tensor *part = tensor_slice(t, i, i + 1);
        works[i] = rank == 0 ? dist_isend(part, 1) : dist_irecv(part, 0);
        tensor_free(part);
    }
    if (rank == 0) {
        exam_check(exam, compute_until(peer_has_it, &exam->board[board], SECONDS),
                   "not all of %d isends arrived while their sender computed for %d s", sends, SECONDS);
        dist_wait_all(works, sends);
    } else {
        dist_wait_all(works, sends);
        atomic_store(&exam->board[board], 1);
        exam_check(exam, tensor_item(t, sends - 1) == 7, "the last of %d isends is wrong", sends);
    }
    tensor_free(t);
}

/* Four messages are there, two are asked for, and then their receiver computes: those two sends are over. */
static void some_of(struct exam *exam, int rank)
{
    dist_work *works[4];
    tensor *t[4];
    for (int i = 0; i < 4; i++) {
        if (rank == 1 && i % 2 == 0)
            exam_check(exam, compute_until(peer_has_it, &exam->board[7 + i / 2], SECONDS),
                       "after %d of 4 receives their sender did not go on for %d s", i, SECONDS);
        t[i] = tensor_full(DIST_I32, rank, 1);
        works[i] = rank == 0 ? dist_isend(t[i], 1) : dist_irecv(t[i], 0);
    }
    for (int i = 0; i < 4; i++) {
        if (rank == 0 && i % 2 == 0)
            atomic_store(&exam->board[7 + i / 2], 1);
        dist_wait(works[i]);
        tensor_free(t[i]);
    }
}

/* A blocking send whose message was copied aside (DIST_BUFFERING=eager) is over, and the message arrives all the same. */
static void copies(struct exam *exam, int rank)
{
    static const int64_t counts[] = { 10, 1000, 20000 };
    for (int i = 0; i < 3; i++) {
        tensor *t = tensor_full(DIST_I32, rank == 0 ? 8 : 0, counts[i]);
        if (rank == 0) {
            dist_send(t, 1);
            exam_check(exam, compute_until(peer_has_it, &exam->board[3 + i], SECONDS),
                       "%d elements did not arrive while their sender computed for %d s", (int)counts[i],
                       SECONDS);
        } else {
            dist_recv(t, 0);
            atomic_store(&exam->board[3 + i], 1);
            exam_check(exam, tensor_item(t, counts[i] - 1) == 8, "the last of %d elements is wrong",
                       (int)counts[i]);
        }
        tensor_free(t);
    }
}

void conform_progress(struct exam *exam, int rank, int size)
{
    if (size >= 2 && rank < 2) {
        copies(exam, rank); /* first: what is started later may leave a thread behind that drives */
        turns(exam, rank);
        burst(exam, rank, 8, 2);
        exchanges(rank);
        burst(exam, rank, 1, 6);
        some_of(exam, rank);
    }
    if (size >= 2)
        barrier_beside(exam, rank);
    if (size >= 2 && rank < 2)
        message(exam, rank);
    all_reduce(exam, rank, size);
}
