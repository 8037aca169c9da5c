/* way.c: the way on which the data went, read from the trace. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

static bool sends(const struct act *act)
{
    return act->kind == ACT_SEND || act->kind == ACT_ISEND;
}

static bool receives(const struct act *act)
{
    return act->kind == ACT_RECV || act->kind == ACT_IRECV;
}

/* The acts of one rank: each_act(act, s, rank) { ... } */
#define each_act(act, s, rank) \
    for (const struct act *act = (s)->run ? &(s)->run->acts[(s)->run->first[rank]] : NULL, \
                          *end = (s)->run ? &(s)->run->acts[(s)->run->first[(rank) + 1]] : NULL; \
         act < end; act++)

int way_sends(const struct sitting *s, int rank)
{
    int count = 0;
    each_act(act, s, rank)
        count += sends(act);
    return count;
}

int way_sends_to(const struct sitting *s, int rank, int peer)
{
    int count = 0;
    each_act(act, s, rank)
        count += sends(act) && act->peer == peer;
    return count;
}

int way_receives(const struct sitting *s, int rank)
{
    int count = 0;
    each_act(act, s, rank)
        count += receives(act);
    return count;
}

int64_t way_bytes(const struct sitting *s, int rank)
{
    int64_t bytes = 0;
    each_act(act, s, rank)
        bytes += sends(act) ? act->bytes : 0;
    return bytes;
}

int64_t way_largest(const struct sitting *s, int rank)
{
    int64_t bytes = 0;
    each_act(act, s, rank)
        bytes = sends(act) && act->bytes > bytes ? act->bytes : bytes;
    return bytes;
}

int way_calls(const struct sitting *s, int rank, const char *name)
{
    int count = 0;
    each_act(act, s, rank)
        count += act->kind != ACT_SPAN && strcmp(act->name, name) == 0;
    return count;
}

int64_t way_call_bytes(const struct sitting *s, int rank, const char *name)
{
    int64_t bytes = 0;
    each_act(act, s, rank)
        bytes += act->kind != ACT_SPAN && strcmp(act->name, name) == 0 ? act->bytes : 0;
    return bytes;
}

int way_collectives(const struct sitting *s, int rank)
{
    int count = 0;
    each_act(act, s, rank)
        count += act->kind == ACT_COLLECTIVE;
    return count;
}

bool way_waits(const struct run *run, int act)
{
    const struct act *wait = &run->acts[act];
    bool first = wait->started < 0 || run->acts[wait->started].finished == act;
    return wait->kind == ACT_WAIT && first && strcmp(wait->name, "is_completed") != 0;
}

bool way_carries(struct sitting *s, int rank, int64_t bytes)
{
    int64_t carried = way_bytes(s, rank);
    each_act(act, s, rank)
        carried += act->kind == ACT_COLLECTIVE ? act->bytes : 0;
    return claim(s, carried >= bytes, "rank %d sent %lld bytes; what others need from it has %lld", rank,
                 (long long)carried, (long long)bytes);
}

void way_alone(struct sitting *s)
{
    int calls = s->ranks == 1 ? way_sends(s, 0) + way_receives(s, 0) + way_collectives(s, 0) : 0;
    claim(s, calls == 0, "A rank alone has nobody to talk to, and yet made %d sends, receives or collectives",
          calls);
}

/* ---- steps ---------------------------------------------------------------------- */

/* Had `act` ended when `later`, of the same rank, began? What was started ends with the wait for it. */
static bool over_before(const struct run *run, int act, int later)
{
    const struct act *a = &run->acts[act];
    bool started = a->kind == ACT_ISEND || a->kind == ACT_IRECV;
    return started ? a->finished >= 0 && a->finished < later : act < later;
}

/* The latest step that must be over before this half of a message can begin. */
static int step_before(const struct run *run, const int *step, int half)
{
    const struct act *mine = &run->acts[half];
    int latest = 0;
    for (int i = run->first[mine->rank]; i < run->first[mine->rank + 1]; i++) {
        const struct act *other = &run->acts[i];
        if (i == half || other->message < 0)
            continue;
        bool same_way = sends(other) == sends(mine);
        if ((over_before(run, i, half) || (same_way && i < half)) && step[other->message] > latest)
            latest = step[other->message];
    }
    return latest;
}

int way_steps(const struct sitting *s)
{
    const struct run *run = s->run;
    int most = 0;
    int *step = run ? calloc((size_t)run->message_count + 1, sizeof *step) : NULL;
    for (bool changed = step != NULL; changed;) {
        changed = false;
        for (int m = 0; m < run->message_count; m++) {
            int sender = step_before(run, step, run->messages[m].send);
            int receiver = step_before(run, step, run->messages[m].recv);
            int mine = 1 + (sender > receiver ? sender : receiver);
            changed |= mine != step[m];
            step[m] = mine;
            most = mine > most ? mine : most;
            if (most > run->message_count) /* no order at all: cannot be */
                changed = false;
        }
    }
    free(step);
    return most;
}
