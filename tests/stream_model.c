/* stream_model.c: a program, done step by step, one after the other, in plain arrays. */
#include "stream_program.h"

#include <string.h>

void model_begin(struct model *model, const struct program *program)
{
    for (int rank = 0; rank < program->ranks; rank++)
        for (int t = 0; t < TENSORS; t++)
            for (int i = 0; i < GRAINS * GRAIN; i++)
                model->cells[rank][t][i] = program_first(rank, t);
}

static int64_t *cells(struct model *model, int rank, struct place place)
{
    return &model->cells[rank][place.tensor][place.begin * GRAIN];
}

/* Integers wrap, and unsigned ones may. */
static void add(int64_t *to, const int64_t *from, int count, bool minus)
{
    for (int i = 0; i < count; i++)
        to[i] = (int64_t)(minus ? (uint64_t)to[i] - (uint64_t)from[i] : (uint64_t)to[i] + (uint64_t)from[i]);
}

static void copy(int64_t *to, const int64_t *from, int count)
{
    memmove(to, from, (size_t)count * sizeof *to);
}

static void do_alone(struct model *model, const struct step *step)
{
    const struct part *part = &step->parts[step->rank];
    int64_t *out = cells(model, step->rank, part->out), *in = cells(model, step->rank, part->in);
    int count = part->out.count * GRAIN;
    switch (step->kind) {
    case STEP_FILL:
    case STEP_WRITE:
    case STEP_REMAKE:
        for (int i = 0; i < count; i++)
            out[i] = step->value;
        break;
    case STEP_ADD:
    case STEP_SUB:
        add(out, in, count, step->kind == STEP_SUB);
        break;
    case STEP_COPY:
        copy(out, in, count);
        break;
    default:
        break;
    }
}

/* What each rank brings: its input, or the tensor that is both. */
struct brought {
    int64_t cells[RANKS][GRAINS * GRAIN];
};

/* Block `which` of everybody's, added up. */
static void sum(int64_t *to, const struct brought *brought, int ranks, int which, int count)
{
    memset(to, 0, (size_t)count * sizeof *to);
    for (int rank = 0; rank < ranks; rank++)
        add(to, brought->cells[rank] + which * count, count, false);
}

/* What one rank takes home. */
static void take(int64_t *out, const struct step *step, const struct brought *brought, int ranks, int rank,
                 int count)
{
    int block = count / ranks;
    switch (step->collective) {
    case ALL_REDUCE:
    case REDUCE:
        sum(out, brought, ranks, 0, count);
        break;
    case BROADCAST:
        copy(out, brought->cells[step->rank], count);
        break;
    case REDUCE_SCATTER:
        sum(out, brought, ranks, rank, count);
        break;
    case SCATTER:
        copy(out, brought->cells[step->rank] + rank * count, count);
        break;
    case ALL_GATHER:
    case GATHER:
        for (int i = 0; i < ranks; i++)
            copy(out + i * block, brought->cells[i], block);
        break;
    case ALL_TO_ALL:
        for (int i = 0; i < ranks; i++)
            copy(out + i * block, brought->cells[i] + rank * block, block);
        break;
    default:
        break;
    }
}

static void do_collective(struct model *model, const struct program *program, const struct step *step)
{
    struct brought brought;
    for (int rank = 0; rank < program->ranks; rank++) {
        const struct part *part = &step->parts[rank];
        struct place place = part->in.count > 0 ? part->in : part->out;
        copy(brought.cells[rank], cells(model, rank, place), place.count * GRAIN);
    }
    for (int rank = 0; rank < program->ranks; rank++) {
        struct place out = step->parts[rank].out;
        if (out.count > 0)
            take(cells(model, rank, out), step, &brought, program->ranks, rank, out.count * GRAIN);
    }
}

void model_do(struct model *model, const struct program *program, const struct step *step)
{
    if (step->kind == STEP_MESSAGE)
        copy(cells(model, step->peer, step->parts[step->peer].out),
             cells(model, step->rank, step->parts[step->rank].in), step->parts[step->rank].in.count * GRAIN);
    else if (step->kind == STEP_COLLECTIVE)
        do_collective(model, program, step);
    else
        do_alone(model, step);
}
