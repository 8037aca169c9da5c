/*
 * stream_clocks.c: what orders the streams of a program.
 *
 * A stream's touches are numbered. `known[s][t]`: all that is put into s from now on comes behind touch number so of t;
 * `host[t]`: so does all that is put in anywhere. A work in flight is behind what its stream knew when it was started.
 */
#include "stream_account.h"

#include <stdlib.h>
#include <string.h>

struct clocks *clocks_new(void)
{
    struct clocks *clocks = calloc(1, sizeof *clocks);
    if (clocks == NULL)
        abort();
    return clocks;
}

void clocks_free(struct clocks *clocks)
{
    free(clocks);
}

static void learn(int *known, const int *more)
{
    for (int i = 0; i < STREAMS; i++)
        if (known[i] < more[i])
            known[i] = more[i];
}

/* ---- what steps do ------------------------------------------------------------------------- */

static bool is_free(const struct account *a, int stream, struct place place, bool writes)
{
    return !flight_in_the_way(a, place, writes) && stream_in_the_way(a, stream, place, writes) < 0;
}

static void touch(struct account *a, int stream, struct place place, bool writes)
{
    int number = ++a->known[stream][stream];
    for (int i = 0; i < place.count; i++) {
        struct grain *grain = &a->grains[place.tensor][place.begin + i];
        if (writes)
            *grain = (struct grain){ .writer = stream, .written = number };
        else
            grain->read[stream] = number;
    }
}

static bool take_part(struct account *a, const struct part *part, int step, bool any)
{
    bool good = is_free(a, part->stream, part->in, false) && is_free(a, part->stream, part->out, true);
    if (part->starts) {
        struct flight *flight = &a->flights[a->in_flight++];
        *flight = (struct flight){ .step = step, .any = any, .part = *part };
        memcpy(flight->behind, a->known[part->stream], sizeof flight->behind);
        return good;
    }
    touch(a, part->stream, part->in, false);
    touch(a, part->stream, part->out, true);
    if (any)
        learn(a->host, a->known[part->stream]);
    return good;
}

static void wait_for(struct account *a, int stream, int step)
{
    int i = 0;
    while (a->flights[i].step != step)
        i++;
    struct flight flight = a->flights[i];
    a->flights[i] = a->flights[--a->in_flight];
    learn(a->known[stream], flight.behind);
    if (flight.any)
        learn(a->host, flight.behind);
    if (flight.over || flight.any)
        return;
    touch(a, stream, flight.part.in, false);
    touch(a, stream, flight.part.out, true);
}

static bool remake(struct account *a, const struct part *part)
{
    bool good = !flight_in_the_way(a, part->out, true);
    memset(a->grains[part->out.tensor], 0, sizeof a->grains[0]);
    touch(a, part->stream, part->out, true);
    return good;
}

static void synchronize_all(struct account *a)
{
    for (int s = 0; s < STREAMS; s++)
        learn(a->host, a->known[s]);
    for (int i = 0; i < a->in_flight; i++) {
        a->flights[i].over = true;
        learn(a->host, a->flights[i].behind);
    }
}

static bool pass_alone(struct account *a, const struct step *step, int index)
{
    const struct part *part = &step->parts[step->rank];
    int *known = a->known[part->stream];
    bool good = true;
    if (step->kind <= STEP_WRITE)
        good = take_part(a, part, index, step->kind >= STEP_READ);
    else if (step->kind == STEP_REMAKE)
        good = remake(a, part);
    else if (step->kind == STEP_ORDER)
        learn(known, a->known[step->other]);
    else if (step->kind == STEP_RECORD)
        memcpy(a->events[step->other], known, sizeof a->events[0]);
    else if (step->kind == STEP_FOLLOW)
        learn(known, a->events[step->other]);
    else if (step->kind == STEP_SYNCHRONIZE)
        learn(a->host, known);
    else if (step->kind == STEP_SYNCHRONIZE_ALL)
        synchronize_all(a);
    else if (step->kind == STEP_WAIT)
        wait_for(a, part->stream, step->other);
    return good;
}

bool clocks_pass(struct clocks *clocks, const struct program *program, int index)
{
    const struct step *step = &program->steps[index];
    bool good = true;
    if (step->kind < STEP_MESSAGE)
        return pass_alone(&clocks->accounts[step->rank], step, index);
    for (int rank = 0; rank < program->ranks; rank++) {
        bool barrier = step->kind == STEP_COLLECTIVE && step->collective == BARRIER;
        bool any = step->kind == STEP_MESSAGE && step->any && rank == step->peer;
        if (step->kind == STEP_COLLECTIVE || rank == step->rank || rank == step->peer)
            good &= take_part(&clocks->accounts[rank], &step->parts[rank], index, barrier || any);
    }
    return good;
}

int program_race(const struct program *program)
{
    struct clocks *clocks = clocks_new();
    int race = -1;
    for (int i = 0; i < program->count && race < 0; i++)
        if (!clocks_pass(clocks, program, i))
            race = i;
    clocks_free(clocks);
    return race;
}
