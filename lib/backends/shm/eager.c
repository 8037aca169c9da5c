/*
 * eager.c: messages that are over as soon as they were copied aside. The copy travels on as any send does, and nobody waits for it.
 *
 * Copies are used again; those of more than an envelope holds keep a page of the arena.
 */
#include "channel.h"
#include "../../devices/host.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define EAGER_PAGE 4096  /* an eager message up to this long is copied into memory that is used again */
#define EAGER_YIELDS 200 /* for a place, before one is copied aside */

/* Somewhere to copy this many bytes; NULL: there is no memory left. */
static struct eager *eager_copy(struct shm_state *shm, size_t bytes)
{
    struct eager **kept = &shm->eager_kept[bytes > CELL_INLINE], *eager = bytes <= EAGER_PAGE ? *kept : NULL;
    if (eager) {
        *kept = eager->next;
        return eager;
    }
    eager = calloc(1, sizeof *eager);
    if (eager && bytes > CELL_INLINE &&
        !(eager->page = host_alloc(shm->self, bytes > EAGER_PAGE ? bytes : EAGER_PAGE))) {
        free(eager);
        eager = NULL;
    }
    return eager;
}

/* Lock held, so without a locked instruction. */
static void eager_count(struct dist_group *group, int change)
{
    int untaken = atomic_load_explicit(&group->untaken, memory_order_relaxed);
    atomic_store_explicit(&group->untaken, untaken + change, memory_order_release);
}

bool eager_forget(struct shm_state *shm, struct dist_work *op)
{
    if (!op->aside)
        return false;
    struct eager *eager = (struct eager *)op;
    eager_count(op->group, -1);
    if (bytes_of(op, op->in) > EAGER_PAGE) {
        host_free(shm->self, eager->page);
        free(eager);
        return true;
    }
    struct eager **kept = &shm->eager_kept[eager->page != NULL];
    eager->next = *kept;
    *kept = eager;
    return true;
}

void eager_close(struct shm_state *shm)
{
    for (int i = 0; i < 2; i++)
        for (struct eager *eager; (eager = shm->eager_kept[i]);) {
            shm->eager_kept[i] = eager->next;
            host_free(shm->self, eager->page);
            free(eager);
        }
}

/* All places are taken: give the receiver a moment. If that was in vain, the next need not try it. */
static void eager_await_place(struct shm_state *shm, struct peer *peer)
{
    for (int i = 0; i < EAGER_YIELDS && !peer->stuck && channel_is_full(peer); i++) {
        engine_progress(shm, true);
        if (!sends_read_acks(shm, peer)) {
            engine_unlock(shm);
            sched_yield();
            engine_lock(shm);
        }
    }
    peer->stuck = channel_is_full(peer);
}

/* An eager message: copy it aside and let the copy travel on; the caller's op is over. */
int eager_send(struct shm_state *shm, struct dist_work *op)
{
    size_t bytes = bytes_of(op, op->in);
    struct peer *peer = &shm->peers[op->peer];
    if (channel_is_full(peer))
        eager_await_place(shm, peer);
    struct eager *copy = eager_copy(shm, bytes);
    if (!copy)
        return engine_refuse(shm, op, DIST_ERR_MEMORY, "there is no memory left to copy the message aside");
    memcpy(&copy->op, op,
           offsetof(struct dist_work, live)); /* not its links among the works, which other threads change */
    copy->op.aside = copy->op.in.data = copy->page ? copy->page : copy->data;
    copy->op.async = true;
    host_copy(copy->op.aside, op->in.data, bytes);
    eager_count(op->group, +1);
    shm->open++;
    engine_done(shm, op, DIST_OK);
    sends_line_up(shm, &copy->op);
    progress_takes_over(shm, false);
    engine_unlock(shm);
    return DIST_OK;
}
