/*
 * advice.c: mistakes of which a report has once said something that was not so, by name. A mark stands on each line that a report must
 * name (test_advice.c).
 */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

static const char *what;

static bool is(const char *name)
{
    return strcmp(what, name) == 0;
}

/* Rank 0 has the number of its receiver wrong; rank 2 of 3 has no part in it. */
static void wrong_receiver(int rank, tensor *x)
{
    if (rank == 0)
        dist_send(x, 2); /* mark wrong-send */
    else if (rank == 1)
        dist_recv(x, 0); /* mark wrong-send-recv */
}

static void wrong_sender(int rank, tensor *x)
{
    if (rank == 0)
        dist_recv(x, 2); /* mark wrong-recv */
    else if (rank == 1)
        dist_send(x, 0); /* mark wrong-recv-send */
}

/* A receive from anybody with another tag has nothing to do with a send to another rank. */
static void not_for_anybody(int rank, tensor *x)
{
    if (rank == 0)
        dist_send(x, 2); /* mark not-for-anybody */
    else if (rank == 1)
        dist_recv(x, DIST_ANY_SOURCE, .tag = 9);
}

static void itself(int rank, tensor *x)
{
    tensor *y = tensor_zeros(DIST_I32, 1);
    if (is("self-irecv") && rank == 0)
        dist_wait(dist_irecv(x, 0)); /* mark self-irecv */
    if (is("self-isend") && rank == 0)
        dist_wait(dist_isend(x, 0)); /* mark self-isend */
    if (is("self-recv") && rank == 0)
        dist_recv(x, 0); /* mark self-recv */
    if (is("self-tag") && rank == 0) {
        dist_work *out = dist_isend(y, 0, .tag = 3); /* mark self-tag-send */
        dist_recv(x, 0, .tag = 4);                   /* mark self-tag */
        dist_wait(out);
    }
    if (is("self-hides") && rank == 0)
        dist_wait(dist_irecv(x, rank)); /* mark self-hides */
    if (is("self-hides") && rank == 1)
        dist_send(x, 0); /* mark self-hides-send */
    if (is("self-good")) {
        dist_work *in = dist_irecv(x, rank);
        dist_send(y, rank);
        dist_wait(in);
    }
    tensor_free(y);
}

/* Rank 1 is in a collective of its group, which is made of messages with DIST_ALGORITHM; that is none for rank 0's receive. */
static void not_a_message(int rank, tensor *x, dist_group *group)
{
    if (rank == 0)
        dist_recv(x, 1); /* mark not-a-message */
    else if (rank == 1)
        dist_all_reduce(x, .group = group); /* mark not-a-message-other */
}

/* Different collectives of one group, one of which may be made of messages; or the same in the same order, and one is held up. */
static void two_calls(int rank, tensor *x)
{
    bool behind = is("two-calls-behind");
    dist_work *sum = NULL;
    if (rank == 2 && behind)
        dist_recv(x, 1); /* mark two-calls-behind */
    else if (rank != 1 || behind)
        sum = dist_all_reduce(x, .async_op = rank == 1); /* mark two-calls */
    if (rank == 1)
        dist_barrier(); /* mark two-calls-other */
    if (sum)
        dist_wait(sum);
}

/* The same, and rank 0 has gone on to where all meet. */
static void calls_elsewhere(int rank, tensor *x, dist_group *group)
{
    dist_work *sum = NULL;
    bool messages = is("elsewhere");
    if (rank == !messages)
        sum = dist_all_reduce(x, .group = group, .async_op = messages); /* mark elsewhere-sum */
    else if (rank == messages)
        sum = dist_broadcast(x, 1, .group = group, .async_op = !messages); /* mark elsewhere */
    dist_barrier();
    if (sum)
        dist_wait(sum);
}

/* Started without waiting, but waited for before the other half is started; a message where a collective is meant; two messages in
 * another order. */
static void in_turn(int rank, tensor *x, tensor *y)
{
    int size = dist_get_world_size(), next = (rank + 1) % size, before = (rank + size - 1) % size;
    if (is("waits-sends")) {
        dist_wait(dist_isend(x, next)); /* mark waits-sends */
        dist_recv(y, before);
    } else if (is("waits-receives")) {
        dist_wait(dist_irecv(y, before)); /* mark waits-receives */
        dist_send(x, next);
    } else if (is("not-met") && rank == 0) {
        dist_broadcast(x, 0); /* mark not-met */
    } else if (is("not-met")) {
        dist_recv(x, 0); /* mark not-met-message */
    } else if (rank == 0) {
        dist_send(x, 1, .tag = 1); /* mark other-order */
        dist_send(x, 1, .tag = 2);
    } else if (rank == 1) {
        dist_recv(x, 0, .tag = 2); /* mark other-order-recv */
        dist_recv(x, 0, .tag = 1);
    }
}

/* More calls than anybody keeps a list of: in turn, or both at once, which only buffers let pass. */
static void many(int rank, tensor *x)
{
    bool first = rank == 0 || is("many-crossed");
    for (int i = 0; i < 40000 && rank < 2; i++) {
        if (first)
            dist_send(x, 1 - rank); /* mark many-crossed */
        dist_recv(x, 1 - rank);
        if (!first)
            dist_send(x, 1 - rank);
    }
}

/* Two mistakes at one moment. */
static void both_at_once(int rank, tensor *x)
{
    tensor *when = tensor_full(DIST_F64, dist_time() + 0.002, 1);
    dist_broadcast(when, 0);
    while (dist_time() < tensor_item(when, 0))
        ;
    if (rank == 0)
        dist_send(x, 99);
    else if (rank == 1)
        dist_init_process_group();
    tensor_free(when);
}

/* All but rank 0 leave out the group. */
static void two_groups(int rank, tensor *x, dist_group *group)
{
    if (rank == 0)
        dist_all_reduce(x, .group = group); /* mark group */
    else
        dist_all_reduce(x); /* mark world */
}

static void barrier_groups(int rank, dist_group *group)
{
    if (rank == 1)
        dist_barrier(.group = group); /* mark barrier-group */
    else
        dist_barrier(); /* mark barrier-world */
}

/* Rank 0 has freed the group in which rank 1 makes one call more. */
static void freed_early(int rank, tensor *x, dist_group *group)
{
    if (rank == 0)
        dist_group_free(group);
    else if (rank == 1)
        dist_all_reduce(x, .group = group); /* mark freed-early */
    dist_barrier();                         /* mark freed-early-barrier */
}

static void go_on(const struct dist_report *report, void *context)
{
    (void)report, (void)context;
}

/* Rank 0 comes to the barrier only when the others have given up on it: none waits for ever, buffers or not. */
static void given_up(int rank, int world_size, tensor *x)
{
    dist_set_error_handler(go_on, NULL);
    for (int i = 1; rank == 0 && i < world_size; i++)
        dist_recv(x, i);
    dist_monitored_barrier(.timeout = 0.1);
    if (rank > 0)
        dist_send(x, 0);
}

static void run(int rank, int size)
{
    dist_init_process_group();
    tensor *x = tensor_zeros(DIST_I32, 1), *y = tensor_zeros(DIST_I32, 1);
    dist_group *group = dist_new_group(((int[]){ 0, 1 }), 2);
    if (is("wrong-send"))
        wrong_receiver(rank, x);
    else if (is("wrong-recv"))
        wrong_sender(rank, x);
    else if (is("not-for-anybody"))
        not_for_anybody(rank, x);
    else if (is("groups"))
        two_groups(rank, x, group);
    else if (is("many") || is("many-crossed"))
        many(rank, x);
    else if (is("given-up"))
        given_up(rank, size, x);
    else if (is("both"))
        both_at_once(rank, x);
    else if (strncmp(what, "two-calls", 9) == 0)
        two_calls(rank, x);
    else if (is("elsewhere") || is("elsewhere-sum"))
        calls_elsewhere(rank, x, group);
    else if (is("waits-sends") || is("waits-receives") || is("not-met") || is("other-order"))
        in_turn(rank, x, y);
    else if (is("not-a-message"))
        not_a_message(rank, x, group);
    else if (is("barriers"))
        barrier_groups(rank, group);
    else if (is("freed-early"))
        freed_early(rank, x, group);
    else
        itself(rank, x);
    if (is("small-group"))
        dist_new_group(((int[]){ size - 1 }), 1); /* mark small-group */
    tensor_free(x);
    tensor_free(y);
    dist_group_free(group);
    dist_destroy_process_group();
}

int main(int count, char **words)
{
    what = count > 1 ? words[1] : "";
    return dist_spawn(run, 3);
}
