/*
 * monitored.c: a barrier that gives up: rank 0 hears from all, then tells all. So rank 0 knows who has not come.
 */
#define _GNU_SOURCE
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Ask everybody at once: one who does not come must not hide others. */
static bool ask_all(struct run *run)
{
    struct algorithms_room *room = run->room;
    run->asked = calloc((size_t)run->crew.size, sizeof *run->asked);
    if (!run->asked)
        run->crew.status = DIST_ERR_MEMORY;
    for (int i = 1; run->crew.status == DIST_OK && i < run->crew.size; i++) {
        run_fill(run, &run->asked[i], i, false, (struct span){ 0 });
        run->crew.status = room->inner->recv(room->room, &run->asked[i]);
    }
    return run->crew.status == DIST_OK;
}

/* How many have not answered; the first of them as a list. */
static int missing(struct run *run, char *list, size_t size)
{
    struct algorithms_room *room = run->room;
    int count = 0;
    size_t used = 0;
    for (int i = 1; i < run->crew.size; i++)
        if (!room->inner->test(room->room, &run->asked[i])) {
            int rank = run->op->group->ranks[i];
            if (used < size)
                used += (size_t)snprintf(list + used, size - used, "%s%d", count ? ", " : "", rank);
            count++;
        }
    return count;
}

static void hear_all(struct run *run)
{
    char list[160] = "";
    while (missing(run, list, sizeof list) > 0) {
        if (dist_time() > run->deadline || world_failed(&run->room->self->world)) {
            run->crew.status = DIST_ERR_TIMEOUT;
            snprintf(run->op->why, sizeof run->op->why, "after %g s these ranks had not come: %s",
                     run->op->timeout, list);
            return;
        }
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    }
}

void run_monitored_barrier(struct run *run)
{
    struct crew *crew = &run->crew;
    if (crew->rank == 0) {
        if (ask_all(run))
            hear_all(run);
        for (int i = 1; i < crew->size; i++)
            crew_send(crew, i, NULL, 0);
        return;
    }
    crew_send(crew, 0, NULL, 0);
    crew_recv(crew, 0, NULL, 0);
    if (crew->status == DIST_ERR_TIMEOUT)
        snprintf(run->op->why, sizeof run->op->why, "after %g s somebody had not come; rank %d knows who",
                 run->op->timeout, run->op->group->ranks[0]);
}
