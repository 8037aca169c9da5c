/*
 * run.c: one collective by messages: the crew whose messages go through a backend, and which algorithm does what.
 *
 * The messages of a collective have a tag of their own, below zero: no message of the program can match them, nor can
 * those of another collective that is under way in the same group.
 *
 * In a program's own thread a message is waited for with the inner room's `wait`, so that the watcher sees a sleeping
 * rank as one. The thread of an asynchronous collective must not pin up what the rank waits for: it asks the inner room,
 * and sleeps on the rank's bell in between, with a note of its own (a "hand"). With a time limit, or where
 * there are more of them than notes, it naps instead.
 */
#define _GNU_SOURCE
#include "run.h"
#include "../backends/common/splits.h"
#include "../devices/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SHORT_NAP 20000L /* ns */
#define LONG_NAP 1000000L
#define LONG_SLEEP 1000 /* ms; nobody depends on it */

/* ---- messages ------------------------------------------------------------------------- */

void run_fill(struct run *run, struct dist_work *message, int peer, bool sends, struct span span)
{
    const struct dist_work *op = run->op;
    *message = (struct dist_work){ .call = op->call,
                                   .at = op->at,
                                   .site = op->site,
                                   .group = op->group,
                                   .type = run->crew.type,
                                   .peer = op->group->ranks[peer],
                                   .tag = run->tag,
                                   .p2p = true,
                                   .sends = sends,
                                   .async = true,
                                   .from = -1 };
    *(sends ? &message->in : &message->out) = span;
}

static bool has_left(const struct run *run, int rank)
{
    return atomic_load(&run->room->self->world.header->slots[rank].state) >= RANK_LEFT;
}

struct hope {
    struct run *run;
    struct dist_work *message;
    int status; /* why it is given up */
};

/* Nobody will come for it any more: the rank is closing, and its peer or the whole job is over. */
static bool is_alone(const struct run *run, const struct dist_work *message)
{
    return atomic_load(&run->room->closing) &&
           (has_left(run, message->peer) || world_over(&run->room->self->world));
}

/* Has it come, or is it hopeless? Whether the peer has gone is read first: a rank leaves only once what it has sent and taken is
 * settled, so what the test does not find then was never there. Read after the test, it could have come and gone in between. */
static bool news(void *argument)
{
    struct hope *hope = argument;
    struct algorithms_room *room = hope->run->room;
    double deadline = hope->run->deadline;
    bool alone = is_alone(hope->run, hope->message);
    if (room->inner->test(room->room, hope->message) || world_failed(&room->self->world))
        return true; /* in both cases wait knows more, and at once */
    if (deadline > 0 && dist_time() > deadline)
        hope->status = DIST_ERR_TIMEOUT;
    else if (alone)
        hope->status = DIST_ERR_PEER_LOST;
    return hope->status != DIST_OK;
}

static int wait_by_asking(struct run *run, struct dist_work *message)
{
    struct hope hope = { run, message, DIST_OK };
    struct timespec nap = { .tv_nsec = SHORT_NAP };
    while (!news(&hope)) {
        if (run->hand) {
            bell_sleep(&run_slot(run)->bell, news, &hope, LONG_SLEEP, run->hand);
            continue;
        }
        nanosleep(&nap, NULL);
        if (nap.tv_nsec < LONG_NAP)
            nap.tv_nsec += nap.tv_nsec / 4;
    }
    return hope.status != DIST_OK ? hope.status : run->room->inner->wait(run->room->room, message);
}

static void finish(struct run *run, struct dist_work *message)
{
    struct algorithms_room *room = run->room;
    bool asks = run->op->async || run->deadline > 0;
    int status = asks ? wait_by_asking(run, message) : room->inner->wait(room->room, message);
    if (status == DIST_OK || run->crew.status != DIST_OK)
        return;
    run->crew.status = status;
    snprintf(run->op->why, sizeof run->op->why, "%s", message->why);
}

static void swap_by_backend(struct crew *crew, int to, const void *out, int64_t out_count, int from, void *in,
                            int64_t in_count)
{
    struct run *run = (struct run *)crew;
    struct algorithms_room *room = run->room;
    int comes = DIST_OK, leaves = DIST_OK;
    if (in_count >= 0) {
        run_fill(run, &run->in, from, false, (struct span){ in, in_count });
        comes = room->inner->recv(room->room, &run->in);
    }
    if (out_count >= 0 && comes == DIST_OK) {
        run_fill(run, &run->out, to, true, (struct span){ (void *)(uintptr_t)out, out_count });
        leaves = room->inner->send(room->room, &run->out);
    }
    if (comes != DIST_OK || leaves != DIST_OK) {
        crew->status = comes != DIST_OK ? comes : leaves;
        snprintf(run->op->why, sizeof run->op->why, "%s", comes != DIST_OK ? run->in.why : run->out.why);
        return;
    }
    if (in_count >= 0)
        finish(run, &run->in);
    if (out_count >= 0)
        finish(run, &run->out);
}

static void *room_from_device(struct crew *crew, int64_t count)
{
    struct run *run = (struct run *)crew;
    if (run->memory_count == RUN_ROOMS)
        return NULL;
    void *memory = host_alloc(run->room->self, (size_t)count * dtype_size(crew->type));
    if (memory)
        run->memory[run->memory_count++] = memory;
    return memory;
}

void run_free(struct run *run)
{
    while (run->memory_count > 0)
        host_free(run->room->self, run->memory[--run->memory_count]);
    free(run->asked);
    free(run);
}

/* ---- which algorithm does what ----------------------------------------------------------- */

static void perform(struct run *run)
{
    struct dist_work *op = run->op;
    struct crew *crew = &run->crew;
    switch (op->call) {
    case CALL_BROADCAST:
        tree_broadcast(crew, op->out.data, op->block, op->peer);
        break;
    case CALL_REDUCE:
        gather_reduce(crew, op->out.data, op->block, op->peer);
        break;
    case CALL_ALL_REDUCE:
        crew_all_reduce(crew, run->room->forced ? run->room->forced : gather_all_reduce, op->out.data,
                        op->block);
        break;
    case CALL_SCATTER:
        star_scatter(crew, op->out.data, op->in.data, op->block, op->peer);
        break;
    case CALL_GATHER:
        star_gather(crew, op->out.data, op->in.data, op->block, op->peer);
        break;
    case CALL_ALL_GATHER:
        ring_all_gather(crew, op->out.data, op->in.data, op->block);
        break;
    case CALL_REDUCE_SCATTER:
        pairs_reduce_scatter(crew, op->out.data, op->in.data, op->block);
        break;
    case CALL_ALL_TO_ALL:
        op->splits ? pairs_all_to_all_splits(crew, op->out.data, op->in.data, op->splits)
                   : pairs_all_to_all(crew, op->out.data, op->in.data, op->block);
        break;
    case CALL_MONITORED_BARRIER:
        run_monitored_barrier(run);
        break;
    default:
        barrier_spread(crew);
    }
}

/* What all members must have said alike. monitored_barrier is for finding out who has not come: there nobody is asked. */
static void agree(struct run *run)
{
    struct dist_work *op = run->op;
    const int *ranks = op->group->ranks;
    int64_t words[5] = { op->call, op->block, op->type, op->op, op->peer };
    if (op->call == CALL_MONITORED_BARRIER)
        return;
    int place = crew_agree(&run->crew, words, 5);
    if (run->crew.status != DIST_ERR_MISMATCH || op->why[0])
        return;
    snprintf(op->why, sizeof op->why,
             "ranks %d and %d differ in the count, type, reduction or root, or in what they call",
             ranks[ring_previous(place, op->group->size)], ranks[place]);
    op->speaker = ranks[place] + 1;
}

/* Of everybody's lists, one behind the other; before them stands how many there are. */
static const int64_t *splits_of(const void *lists, int member)
{
    const int64_t *all = lists;
    return all + 1 + 2 * member * all[0];
}

/* All hear all splits: so all find the same. */
static void agree_on_splits(struct run *run)
{
    struct crew *crew = &run->crew;
    enum dist_type type = crew->type;
    struct clash clash;
    crew->type = DIST_I64;
    int64_t *all = crew_room(crew, 1 + 2 * (int64_t)crew->size * crew->size);
    if (all)
        *all = crew->size;
    ring_all_gather(crew, all ? all + 1 : NULL, run->op->splits, 2 * crew->size);
    crew->type = type;
    if (crew->status == DIST_OK && splits_clash(run->op->group, splits_of, all, &clash))
        crew->status = splits_tell(run->op, &clash);
}

void run_to_end(struct run *run)
{
    struct dist_work *op = run->op;
    run->crew = (struct crew){ .rank = op->group->rank,
                               .size = op->group->size,
                               .type = op->type,
                               .op = op->op,
                               .swap = swap_by_backend,
                               .room = room_from_device };
    agree(run);
    if (op->splits)
        agree_on_splits(run);
    perform(run);
    if (run->crew.status == DIST_ERR_MEMORY && !op->why[0])
        snprintf(op->why, sizeof op->why, "there is no memory left for the messages of this collective");
    op->status = run->crew.status;
    atomic_store(&op->done, 1);
}
