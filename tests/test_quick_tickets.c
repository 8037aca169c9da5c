/*
 * test_quick_tickets.c: the quick way of a message needs a ticket (lib/backends/shm/shm.h): many in a row, none to spare, and
 * none lost.
 */
#define _GNU_SOURCE
#include "backends/shm/shm.h"
#include "context.h"
#include "dist.h"
#include "quick_talk.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(quick_tickets, .timeout = 100);

/* More than a rank has tickets, each with one, since it cannot be wanted: they are used again. Where others keep the machine busy this
 * is ended early. */
static void more_than_tickets(struct exam *exam, int rank, int size)
{
    tensor *t = tensor_zeros(DIST_I32, 1);
    int32_t *value = tensor_data(t), wrong = 0;
    double until = dist_time() + 20;
    for (int32_t i = 0; *value >= 0 && size == 2; i++) {
        *value = rank == 0 && i < 70000 && dist_time() < until ? i : -1;
        if (rank == 0)
            dist_send(t, 1, .tag = 20000);
        else
            dist_recv(t, 0, .tag = 20000);
        wrong += *value >= 0 && *value != i;
    }
    exam_check(exam, wrong == 0, "%d letters of 70000 are wrong", wrong);
    tensor_free(t);
}
Test(quick_tickets, more_than_tickets)
{
    talk_run("more letters than tickets", 2, more_than_tickets);
}

/* As if all tickets were with unexpected messages: messages go the long way, which gives the quick way a ticket again. */
static void none_spare(struct exam *exam, int rank, int size)
{
    struct shm_state *shm = context_get()->state;
    for (int i = 0; i < 300; i++) {
        struct word word = { DIST_F32, 1 + i % 4, i % 3, exam->seed + (uint64_t)i, NULL };
        if (i % 3 == 0)
            shm->spare = NO_TICKET;
        if (rank == i % size)
            talk_send(exam, rank, (i + 1) % size, word);
        else
            talk_recv(exam, rank, i % size, word);
        if (rank == i % size)
            exam_check(exam, shm->spare != NO_TICKET, "message %d has brought no ticket", i);
    }
}
Test(quick_tickets, none_spare)
{
    talk_run("no ticket to spare", 2, none_spare);
}

/* With nothing open each ticket that was ever taken is free, but the one that lies ready; and none is there twice. */
static void all_are_there(struct exam *exam, const struct shm_state *shm)
{
    static _Thread_local bool seen[TICKETS];
    int spare = shm->spare != NO_TICKET;
    exam_check(exam, shm->free_ticket_count + (uint32_t)spare == shm->tickets_used,
               "%u tickets are free, %d is spare, and %u were taken", shm->free_ticket_count, spare,
               shm->tickets_used);
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < shm->free_ticket_count; i++) {
        uint32_t ticket = shm->free_tickets[i];
        exam_check(exam, !seen[ticket] && ticket != shm->spare, "ticket %u is there twice", ticket);
        seen[ticket] = true;
    }
}

#define OPEN 20000 /* sends whose messages are unexpected; as many tickets are left */
#define BETWEEN 15000

/* One more is open than there are tickets. The receiver takes one from the middle, whose ticket the last then gets, though nobody waits for
 * the one that had it. */
static void none_left(struct exam *exam, int rank, int size)
{
    static _Thread_local dist_work *works[OPEN + 1];
    struct shm_state *shm = context_get()->state;
    tensor *t = tensor_full(DIST_I32, 7, 4);
    if (rank == 0)
        shm->tickets_used = TICKETS - OPEN;
    for (int i = 0; i <= OPEN && rank == 0; i++)
        works[i] = dist_isend(t, 1, .tag = i);
    if (rank == 0)
        exam_check(exam, dist_wait(works[OPEN]) == 0 && dist_wait_all(works, OPEN) == 0, "the sends");
    if (rank == 1 && size == 2) {
        dist_work *last = dist_irecv(t, 0, .tag = OPEN); /* so those before it are unexpected */
        usleep(500000);                                  /* rank 0 is asleep by then */
        dist_recv(t, 0, .tag = BETWEEN);
        double start = dist_time();
        dist_wait(last);
        exam_check(exam, dist_time() - start < 10, "it came after %g s", dist_time() - start);
        for (int i = 0; i < OPEN; i++)
            if (i != BETWEEN)
                dist_recv(t, 0, .tag = i);
    }
    tensor_free(t);
}
TALK_TESTS(quick_tickets, none_left, 2, none_left)

/* Rank 0 waits for rank 2, from anybody, and so parks what rank 1 sends, who looks until that has happened: its ticket is in use
 * then, and the next message must not end by what was stamped on it. Every other letter lies elsewhere. */
static void parked_while_looking(struct exam *exam, int rank, int size)
{
    struct shm_state *shm = context_get()->state;
    shm->looks = 1u << 20;
    all_are_there(exam, shm);
    for (int round = 0; round < 20 * (size > 2); round++) {
        struct word early = { DIST_F32, round % 2 ? 20 : 1, 20000, exam->seed + (uint64_t)round, NULL };
        if (rank == 1) {
            talk_send(exam, rank, 0, early);
        } else if (rank == 2) {
            usleep(3000);
            tensor *t = tensor_full(DIST_I32, round, 1);
            dist_send(t, 0, .tag = 2);
            tensor_free(t);
        } else {
            tensor *t = tensor_zeros(DIST_I32, 1);
            int from = dist_recv(t, DIST_ANY_SOURCE, .tag = 2);
            exam_check(exam, from == 2, "from %d", from);
            tensor_free(t);
            usleep(round % 3 ? 0 : 1000);
            talk_recv(exam, rank, 1, early);
        }
        all_are_there(exam, shm);
    }
}
TALK_TESTS(quick_tickets, parked_while_looking, 3, parked_while_looking)

/* ---- a short send while its channel is full of messages whose verdicts nobody has read --------------------------- */

#define FULL 64 /* what a channel holds (RING_CELLS) */
#define FLOATS 25
#define MOMENT 20000 /* us: so long until the other has come to its next line */

/* The quick way knows the place of a call from the second time on: so all come from one. */
static void full_send(tensor *message, int tag)
{
    dist_send(message, 1, .tag = tag);
}

/* Rank 0: message 2 stays unexpected, and the channel is full; the receiver has taken one more since, so a short send looks at ack. */
static void full_sends(struct exam *exam, tensor **messages)
{
    dist_work *works[FULL + 2];
    for (int i = 1; i <= 2; i++)
        works[i] = dist_isend(messages[i], 1, .tag = i);
    dist_wait(works[1]);
    for (int i = 3; i <= FULL + 1; i++)
        works[i] = dist_isend(messages[i], 1, .tag = i);
    usleep(2 * MOMENT);
    full_send(messages[FULL + 2], FULL + 2);
    dist_wait(works[2]);
    tensor_fill(messages[2], -1); /* it is ours again */
    for (int i = 3; i <= FULL + 1; i++)
        dist_wait(works[i]);
    exam_check(exam, true, "all are sent");
}

static void full_receive(struct exam *exam, tensor *into, int message, int later)
{
    usleep((useconds_t)later);
    dist_recv(into, 0, .tag = message);
    exam_check(exam, tensor_item(into, 0) == message, "message %d holds %g", message, tensor_item(into, 0));
}

static void full_channel(struct exam *exam, int rank, int size)
{
    tensor *messages[FULL + 3];
    for (int i = 0; i < FULL + 3; i++)
        messages[i] = tensor_full(DIST_F32, rank == 0 ? i : 0, FLOATS);
    for (int i = 0; i < 2 && size == 2; i++) /* so that the channel is in use */
        rank == 0 ? full_send(messages[0], 0) : (void)dist_recv(messages[0], 0);
    if (rank == 0) {
        full_sends(exam, messages);
    } else {
        full_receive(exam, messages[1], 1, 0);
        full_receive(exam, messages[3], 3, MOMENT);
        full_receive(exam, messages[FULL + 2], FULL + 2, 3 * MOMENT);
        full_receive(exam, messages[2], 2, 5 * MOMENT);
        for (int i = 4; i <= FULL + 1; i++)
            full_receive(exam, messages[i], i, 0);
    }
    for (int i = 0; i < FULL + 3; i++)
        tensor_free(messages[i]);
}
TALK_TESTS(quick_tickets, full_channel, 2, full_channel)
