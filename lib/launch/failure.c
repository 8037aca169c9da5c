/* failure.c: the record of what made a job fail, and who tells the user. */
#define _GNU_SOURCE
#include "world.h"

#include <stdio.h>
#include <unistd.h>

/* header->failed: 1 + the author of the record that holds; 1 + who tells, if somebody does; and whether he has. */
#define AUTHOR 0x7fffu
#define TELLER 15
#define TOLD 0x80000000u

#define LET_TELL_LOOKS 10000 /* of a millisecond: the launcher gives up first */

/* Wherever each rank sleeps. Its own event count is notified; where it sleeps on another it is only woken. */
void world_wake(struct world *world)
{
    for (int i = 0; i < world->header->size; i++) {
        struct rank_slot *slot = &world->header->slots[i];
        eventcount_notify(&slot->eventcount);
        if (atomic_load(&slot->sleep.epoch) % 2 != 0)
            eventcount_wake(world_at(world, atomic_load(&slot->sleep.eventcount)));
    }
}

void world_give_up(struct world *world)
{
    atomic_store(&world->header->given_up, 1);
    world_wake(world);
}

static struct world_failure *failure_record_of(const struct world *world, int author)
{
    return author >= 0 && author < world->header->size ? &world_notes(world, author)->failure
                                                       : &world->header->failure;
}

const struct world_failure *world_failure(const struct world *world)
{
    static const struct world_failure none;
    uint32_t failed = atomic_load(&world->header->failed);
    return failed ? failure_record_of(world, (int)(failed & AUTHOR) - 1) : &none;
}

/* Nobody waits for anybody here: who finds the record begun is a thread beside the one that writes it, and dies with it. */
static bool failure_fail(struct world *world, int rank, enum rank_end end, int code, const char *cause,
                         bool tells)
{
    struct world_failure *failure = failure_record_of(world, world->author);
    uint32_t not_begun = 0, not_failed = 0, author = (uint32_t)world->author + 1;
    if (world_failed(world) || !atomic_compare_exchange_strong(&failure->begun, &not_begun, 1))
        return false;
    failure->rank = rank;
    failure->end = (int32_t)end;
    failure->code = code;
    snprintf(failure->cause, sizeof failure->cause, "%s", cause);
    bool first = atomic_compare_exchange_strong(&world->header->failed, &not_failed,
                                                author | (tells ? author << TELLER : 0));
    if (first && !tells)
        world_wake(world);
    return first;
}

bool world_fail(struct world *world, int rank, enum rank_end end, int code, const char *cause)
{
    return failure_fail(world, rank, end, code, cause, false);
}

/* Threads of this process that tell, are about to know whether they do, or end the process in their own way. */
static _Atomic int telling;

void world_tell_begins(void)
{
    atomic_fetch_add(&telling, 1);
}

bool world_fail_and_tell(struct world *world, int rank, int code, const char *cause)
{
    world_tell_begins(); /* before others can see that the job has failed, and end this process */
    bool first = failure_fail(world, rank, END_ERROR, code, cause, true);
    if (!first)
        world_tell_over();
    return first;
}

void world_tell_over(void)
{
    atomic_fetch_sub(&telling, 1);
}

void world_let_tell(void)
{
    for (int look = 0; look < LET_TELL_LOOKS && atomic_load(&telling) > 0; look++)
        usleep(1000);
}

int world_teller(const struct world *world, bool *told)
{
    uint32_t failed = atomic_load(&world->header->failed);
    *told = (failed & TOLD) != 0;
    return (int)(failed >> TELLER & AUTHOR) - 1;
}

bool world_tell_instead(struct world *world, int teller)
{
    uint32_t failed = atomic_load(&world->header->failed), mask = AUTHOR << TELLER;
    uint32_t own = (uint32_t)world->author + 1;
    world_tell_begins();
    bool mine =
        failed && !(failed & TOLD) && (int)(failed >> TELLER & AUTHOR) - 1 == teller &&
        atomic_compare_exchange_strong(&world->header->failed, &failed, (failed & ~mask) | own << TELLER);
    if (!mine)
        world_tell_over();
    return mine;
}

void world_told(const struct world *world)
{
    atomic_fetch_or(&world->header->failed, TOLD);
}
