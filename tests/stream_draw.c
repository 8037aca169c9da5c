/* stream_draw.c: draws a program in which nothing races. All ranks draw the same one. */
#include "stream_program.h"

#include <string.h>

#define DRAWN 30   /* steps, before what is missing was added */
#define WORKS 5    /* not waited for at a time */
#define RESERVE 90 /* steps that one drawn step, and the program's end, may add */

struct draft {
    struct program *program;
    struct clocks *clocks;
    uint64_t dice;
};

static int below(struct draft *d, int limit)
{
    return (int)ref_below(&d->dice, limit);
}

static bool chance(struct draft *d, int of)
{
    return below(d, of) == 0;
}

struct step *program_add(struct program *program, enum step_kind kind, int rank, int stream)
{
    struct step *step = &program->steps[program->count++];
    *step = (struct step){ .kind = kind, .rank = rank, .peer = -1 };
    step->value = 1000 * program->count + rank;
    step->parts[rank].stream = stream;
    return step;
}

static void pass(struct draft *d)
{
    clocks_pass(d->clocks, d->program, d->program->count - 1);
}

/* ---- places --------------------------------------------------------------------------- */

static struct place any_place(struct draft *d, int count)
{
    return (struct place){ below(d, TENSORS), below(d, GRAINS - count + 1), count };
}

/* One that shares nothing with that one. */
static struct place other_place(struct draft *d, int count, struct place apart)
{
    struct place place = any_place(d, count);
    while (places_meet(place, apart))
        place.tensor = (place.tensor + 1) % TENSORS;
    return place;
}

/* ---- calls of one rank -------------------------------------------------------------------- */

static void kernel(struct draft *d, int rank, int stream)
{
    static const enum step_kind kinds[] = { STEP_FILL, STEP_ADD, STEP_ADD, STEP_SUB, STEP_COPY, STEP_COPY };
    enum step_kind kind = kinds[below(d, 6)];
    struct part part = { .stream = stream, .out = any_place(d, 1 + below(d, GRAINS)) };
    if (kind != STEP_FILL)
        part.in = other_place(d, part.out.count, part.out);
    clocks_prepare(d->clocks, d->program, &d->dice, rank, &part);
    program_add(d->program, kind, rank, stream)->parts[rank] = part;
    pass(d);
}

/* The host reads or writes, or a tensor is freed and made anew. */
static void by_the_host(struct draft *d, int rank, int stream)
{
    static const enum step_kind kinds[] = { STEP_READ, STEP_READ, STEP_WRITE, STEP_REMAKE };
    enum step_kind kind = kinds[below(d, 4)];
    struct place place = any_place(d, 1 + below(d, GRAINS));
    struct part part = { .stream = stream };
    if (kind == STEP_REMAKE)
        place = (struct place){ below(d, TENSORS), 0, GRAINS };
    *(kind == STEP_READ ? &part.in : &part.out) = place;
    if (kind ==
        STEP_REMAKE) { /* what streams still have to do with the old one needs no order, but works do */
        while (clocks_works(d->clocks, rank) > 0) {
            program_add(d->program, STEP_WAIT, rank, stream)->other = clocks_work(d->clocks, &d->dice, rank);
            pass(d);
        }
    } else {
        clocks_prepare(d->clocks, d->program, &d->dice, rank, &part);
    }
    program_add(d->program, kind, rank, stream)->parts[rank] = part;
    pass(d);
}

/* Something that orders, whether it is needed or not. */
static void order(struct draft *d, int rank, int stream)
{
    static const enum step_kind kinds[] = {
        STEP_RECORD, STEP_FOLLOW, STEP_RECORD,      STEP_FOLLOW,
        STEP_ORDER,  STEP_NAP,    STEP_SYNCHRONIZE, STEP_SYNCHRONIZE_ALL
    };
    enum step_kind kind = kinds[below(d, chance(d, 3) ? 8 : 6)];
    struct step *step = program_add(d->program, kind, rank, stream);
    step->other = below(d, kind == STEP_ORDER ? d->program->streams : EVENTS);
    pass(d);
}

static void wait(struct draft *d, int rank, int stream)
{
    int work = clocks_work(d->clocks, &d->dice, rank);
    if (work < 0)
        return;
    program_add(d->program, STEP_WAIT, rank, stream)->other = work;
    pass(d);
}

/* ---- calls of several ------------------------------------------------------------------------ */

/* May this part be asynchronous? */
static void decide(struct draft *d, int rank, struct part *part)
{
    part->stream = below(d, d->program->streams);
    part->starts = chance(d, 2) && clocks_works(d->clocks, rank) < WORKS;
    clocks_prepare(d->clocks, d->program, &d->dice, rank, part);
}

static void message(struct draft *d)
{
    struct part parts[RANKS] = { 0 };
    int from = below(d, d->program->ranks),
        to = (from + 1 + below(d, d->program->ranks - 1)) % d->program->ranks;
    int count = 1 + below(d, GRAINS);
    bool any = chance(d, 8);
    parts[from].in = any_place(d, count);
    parts[to].out = any_place(d, count);
    decide(d, from, &parts[from]);
    decide(d, to, &parts[to]);
    struct step *step = program_add(d->program, STEP_MESSAGE, from, 0);
    step->peer = to;
    step->any = any;
    memcpy(step->parts, parts, sizeof parts);
    pass(d);
}

/* Which of the two tensors a rank has, and how many grains they hold: `one`, or one for each rank. */
static void shape(struct draft *d, enum stream_collective collective, bool root, int one, struct part *part)
{
    int all = one * d->program->ranks;
    bool wide_in = collective == REDUCE_SCATTER || collective == ALL_TO_ALL || collective == SCATTER;
    bool wide_out = collective == ALL_GATHER || collective == ALL_TO_ALL || collective == GATHER;
    bool has_in =
        collective >= ALL_GATHER || (collective == BROADCAST && root) || (collective == REDUCE && !root);
    bool has_out = collective >= ALL_GATHER || !has_in;
    if (!root)
        has_in &= collective != SCATTER, has_out &= collective != GATHER;
    if (has_in && !has_out)
        part->in = any_place(d, one);
    if (has_out)
        part->out = any_place(d, wide_out ? all : one);
    if (has_in && has_out)
        part->in = other_place(d, wide_in ? all : one, part->out);
}

static void collective(struct draft *d)
{
    struct part parts[RANKS] = { 0 };
    enum stream_collective which = (enum stream_collective)below(d, COLLECTIVES);
    int root = below(d, d->program->ranks);
    int one = 1 + below(d, which >= ALL_GATHER ? GRAINS / d->program->ranks : GRAINS);
    for (int rank = 0; rank < d->program->ranks; rank++) {
        if (which != BARRIER)
            shape(d, which, rank == root, one, &parts[rank]);
        decide(d, rank, &parts[rank]);
        parts[rank].starts &= which != BARRIER;
    }
    struct step *step = program_add(d->program, STEP_COLLECTIVE, root, 0);
    step->collective = which;
    memcpy(step->parts, parts, sizeof parts);
    pass(d);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void draw_step(struct draft *d)
{
    int rank = below(d, d->program->ranks), stream = below(d, d->program->streams);
    switch (below(d, 10)) {
    case 0:
    case 1:
        message(d);
        break;
    case 2:
        collective(d);
        break;
    case 3:
        order(d, rank, stream);
        break;
    case 4:
        by_the_host(d, rank, stream);
        break;
    case 5:
        wait(d, rank, stream);
        break;
    case 6:
        program_add(d->program, STEP_BUSY, rank, stream);
        break;
    default:
        kernel(d, rank, stream);
    }
}

void program_draw(struct program *program, uint64_t seed, int ranks)
{
    struct draft d = { program, clocks_new(), seed };
    program->seed = seed;
    program->ranks = ranks;
    program->count = 0;
    program->streams = 2 + below(&d, STREAMS - 1);
    for (int i = 0; i < DRAWN && program->count < STEPS - RESERVE; i++)
        draw_step(&d);
    for (int rank = 0; rank < ranks; rank++)
        while (clocks_works(d.clocks, rank) > 0)
            wait(&d, rank, below(&d, program->streams));
    clocks_free(d.clocks);
}

bool program_spoil(struct program *program)
{
    for (int i = 0; i < program->count; i++) {
        struct step *step = &program->steps[(i + (int)(program->seed % STEPS)) % program->count];
        if (step->kind != STEP_ORDER)
            continue;
        step->kind = STEP_NAP;
        if (program_race(program) >= 0)
            return true;
        step->kind = STEP_ORDER;
    }
    return false;
}
