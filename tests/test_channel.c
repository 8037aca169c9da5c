/*
 * test_channel.c: many messages under way between two ranks: more than a channel holds, with a sender that computes meanwhile, of all
 * sizes, unexpected ones, to oneself; and more than a slot's number can tell apart.
 */
#define _GNU_SOURCE
#include "backends/shm/channel.h"
#include "conform_exam.h"
#include "context.h"
#include "dist.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

TestSuite(channel, .timeout = 200);

#define MANY 300 /* channels hold RING_CELLS */
_Static_assert(MANY > 3 * RING_CELLS, "it must overflow");

static void run_on(const char *name, int size, void (*body)(struct exam *exam, int rank, int size))
{
    struct exam *exam = exam_new(name, size);
    cr_assert(exam_run(exam, body), "%s", exam_words(exam));
    exam_free(exam);
}

#define CHANNEL_TESTS(name, size) \
    Test(channel, name) \
    { \
        run_on(#name, size, name); \
    } \
    Test(channel, name##_eager) \
    { \
        setenv("DIST_BUFFERING", "eager:4096", 1); \
        run_on(#name ", eager", size, name); \
    } \
    Test(channel, name##_threads) \
    { \
        setenv("DIST_RANKS", "threads", 1); \
        run_on(#name " of threads", size, name); \
    }

/* Elements of the k-th message: in the slot, in a cell, elsewhere; too long for an eager one; copied by the progress thread. */
static int64_t count_of(int k)
{
    static const int64_t counts[] = { 2, 3, 4, 8, 9, 0, 100, 1, 1000, 7, 2000, 20000 };
    return counts[k % 12];
}

static tensor *message(int k, int from)
{
    return tensor_full(DIST_I32, 1000 * from + k, count_of(k) ? count_of(k) : 1);
}

/* All that it says is the k-th message of `from`. */
static void see(struct exam *exam, const tensor *t, int k, int from)
{
    int32_t value = 1000 * from + k;
    int64_t count = count_of(k) ? count_of(k) : 1;
    exam_check(exam, tensor_item(t, 0) == value && tensor_item(t, count - 1) == value,
               "message %d of %d begins with %g, ends with %g", k, from, tensor_item(t, 0),
               tensor_item(t, count - 1));
}

/* Each to its neighbour, all at once, before anybody receives; the sender computes while the receiver takes them, in another order
 * in every second round. */
static void flood(struct exam *exam, int rank, int size)
{
    static _Thread_local dist_work *works[2 * MANY];
    static _Thread_local tensor *sent[MANY], *came[MANY];
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (int round = 0; round < 4; round++) {
        for (int k = 0; k < MANY; k++)
            works[k] = dist_isend(sent[k] = message(k, rank), to, .tag = round % 2 ? k : 0);
        if (rank % 2 == 0)
            usleep(20000);
        for (int i = 0; i < MANY; i++) {
            int k = round % 2 ? MANY - 1 - i : i;
            works[MANY + k] = dist_irecv(came[k] = tensor_zeros(DIST_I32, count_of(k) ? count_of(k) : 1),
                                         from, .tag = round % 2 ? k : 0);
        }
        exam_check(exam, dist_wait_all(works, 2 * MANY) == 0, "dist_wait_all failed");
        for (int k = 0; k < MANY; k++) {
            see(exam, came[k], k, from);
            tensor_free(came[k]);
            tensor_free(sent[k]);
        }
    }
}
CHANNEL_TESTS(flood, 3)

static void to_oneself(struct exam *exam, int rank, int size)
{
    flood(exam, rank, size);
}
CHANNEL_TESTS(to_oneself, 1)

/* The sender posts more than there are places, and then does nothing for the library until the receiver has them all: its
 * progress thread is told of every place. */
static void sender_computes(struct exam *exam, int rank, int size)
{
    static _Thread_local dist_work *works[MANY];
    static _Thread_local tensor *sent[MANY];
    for (int k = 0; rank == 0 && k < MANY; k++)
        works[k] = dist_isend(sent[k] = message(k, 0), 1);
    for (int k = 0; rank == 1 && k < MANY; k++) {
        tensor *t = tensor_zeros(DIST_I32, count_of(k) ? count_of(k) : 1);
        exam_check(exam, dist_recv(t, 0) == 0, "dist_recv failed");
        see(exam, t, k, 0);
        tensor_free(t);
    }
    if (rank == 1)
        atomic_store(&exam->board[0], 1);
    if (rank == 0) {
        exam_await(exam, 0, 1);
        exam_check(exam, dist_wait_all(works, MANY) == 0, "dist_wait_all failed");
        for (int k = 0; k < MANY; k++)
            tensor_free(sent[k]);
    }
    (void)size;
}
CHANNEL_TESTS(sender_computes, 2)

/* Messages that go into cells only. The slot's number stays, until it is moved along. As if 2^30 messages had
 * been sent since it was: without that it would be taken for one that comes soon. The count comes round, too. */
static void one_way(struct exam *exam, int rank, int size)
{
    enum { WINDOW = 32, TURNS = SLOT_STALE + SLOT_STALE / 4 };
    struct shm_state *shm = context_get()->state;
    struct peer *peer = &shm->peers[1 - rank];
    uint64_t before = (UINT64_C(1) << 30) - 20224; /* a multiple of 256, as the acknowledgement is */
    if (rank == 0) {                               /* nothing is under way: both may say that more was */
        peer->sent = peer->known = peer->slotted = before;
        atomic_store(&peer->out->seq, ((before + SLOT_STALE + 100) & SEQ_COUNT) | SEQ_RING);
    } else {
        peer->taken = peer->acked = before;
    }
    dist_barrier();
    dist_work *works[WINDOW] = { 0 };
    tensor *t[WINDOW];
    int wrong = 0;
    for (int i = 0; i < WINDOW; i++)
        t[i] = tensor_zeros(DIST_I32, 4); /* too long for a slot, and not long enough to lie elsewhere */
    for (int i = 0; i < TURNS; i++) {
        int32_t *value = tensor_data(t[i % WINDOW]);
        if (works[i % WINDOW])
            dist_wait(works[i % WINDOW]);
        wrong += rank == 1 && i >= WINDOW && *value != i - WINDOW;
        *value = rank == 0 ? i : -1;
        works[i % WINDOW] = rank == 0 ? dist_isend(t[i % WINDOW], 1) : dist_irecv(t[i % WINDOW], 0);
    }
    exam_check(exam, dist_wait_all(works, WINDOW) == 0 && wrong == 0, "%d of %d are wrong", wrong, TURNS);
    for (int i = 0; i < WINDOW; i++)
        tensor_free(t[i]);
    (void)size;
}
Test(channel, one_way)
{
    run_on("one way", 2, one_way);
}
