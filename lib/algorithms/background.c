/*
 * background.c: asynchronous collectives by messages: a thread for each, and how the watcher learns of it.
 *
 * The thread sleeps on the rank's bell, like the rank's own. Its note, the HAND, is taken before it starts: so there is no
 * moment at which all others sleep and nobody knows that it will go on.
 */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>

#define NAP 100 /* ms after which a sleeper looks whether the job still stands */

static void take_hand(struct run *run)
{
    struct rank_notes *notes = run_notes(run);
    for (int i = 0; i < NOTE_HANDS && !run->hand; i++) {
        uint32_t nobody = 0;
        if (atomic_compare_exchange_strong(&notes->hands[i].epoch, &nobody, 2))
            run->hand = &notes->hands[i];
    }
    if (run->hand)
        atomic_store(&run->hand->bell, world_offset(&run->room->self->world, &run_slot(run)->bell));
    else
        atomic_fetch_add(&notes->more_hands, 1);
}

static void drop_hand(struct run *run)
{
    if (run->hand)
        atomic_store(&run->hand->epoch, 0);
    else
        atomic_fetch_sub(&run_notes(run)->more_hands, 1);
}

static void *run_in_thread(void *argument)
{
    struct run *run = argument; /* whoever waits for it frees it only once this thread has ended */
    launch_become(run->room->self);
    run_to_end(run);
    bell_ring(&run_slot(run)->bell);
    drop_hand(run);
    return NULL;
}

int run_start(struct run *run)
{
    struct algorithms_room *room = run->room;
    pthread_mutex_lock(&room->lock);
    run->next = room->runs;
    room->runs = run;
    pthread_mutex_unlock(&room->lock);
    take_hand(run);
    if (pthread_create(&run->thread, NULL, run_in_thread, run) == 0)
        return DIST_OK;
    drop_hand(run);
    pthread_mutex_lock(&room->lock);
    room->runs = run->next;
    pthread_mutex_unlock(&room->lock);
    snprintf(run->op->why, sizeof run->op->why,
             "the system gives no thread for a collective in the background");
    run->op->aside = NULL;
    run->op->status = DIST_ERR_SYSTEM;
    free(run);
    return DIST_ERR_SYSTEM;
}

static bool is_done(void *argument)
{
    const struct run *run = argument;
    return atomic_load(&run->op->done);
}

/* Where it takes long, sleep where the watcher sees it, with what is open pinned up. */
void run_await(struct run *run)
{
    struct algorithms_room *room = run->room;
    struct rank_slot *slot = run_slot(run);
    struct patience patience = { 0 };
    while (!is_done(run)) {
        if (patience_spin(&patience))
            continue;
        atomic_store(&slot->sleep.bell, world_offset(&room->self->world, &slot->bell));
        atomic_store(&slot->sleep.timed, 0);
        if (room->inner->note)
            room->inner->note(room->room, NULL);
        bell_sleep(&slot->bell, is_done, run, NAP, &slot->sleep);
        launch_look_around(room->self);
    }
    pthread_join(run->thread, NULL);
}
