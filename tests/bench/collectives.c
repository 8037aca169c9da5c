/*
 * collectives.c: one plan for all of them. A tensor has one block, or one for each rank; BYTES is the size of a block.
 *
 * Element j of block k of rank r's input is (r + 1) * pattern(j + 5 k + turn). So what an output must hold is known: whose block
 * it is, and which. With each call the ends of all blocks change and are looked at; before and after the timing, every
 * element. (While time is taken the elements inside are zero, because sums of sums would overflow.)
 *
 * The root goes round. An input is what an earlier call has put out, as far as there is so much: else a library that reads
 * the peers' memory in place would find in its cache what nobody has written since.
 */
#define _GNU_SOURCE
#include "bench.h"
#include "timing.h"

#include <stdbool.h>
#include <string.h>

enum { MOST_RANKS = 64 };

struct shape {
    const char *name;
    side_collective *call;
    bool in_place;          /* one tensor is input and output */
    bool many_in, many_out; /* a block for each rank */
    bool sums;              /* over all ranks */
    bool only_root_in, only_root_out;
};

static const struct shape shapes[] = {
    { .name = "broadcast", .call = side_broadcast, .in_place = true, .only_root_in = true },
    { .name = "all_reduce", .call = side_all_reduce, .in_place = true, .sums = true },
    { .name = "all_gather", .call = side_all_gather, .many_out = true },
    { .name = "reduce_scatter", .call = side_reduce_scatter, .many_in = true, .sums = true },
    { .name = "all_to_all", .call = side_all_to_all, .many_in = true, .many_out = true },
    { .name = "scatter", .call = side_scatter, .many_in = true, .only_root_in = true },
    { .name = "gather", .call = side_gather, .many_out = true, .only_root_out = true },
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* Two tensors of as many blocks as there are ranks, which take turns as input and output. */
struct hall {
    const struct shape *shape;
    struct buffer whole[2], block[2][MOST_RANKS];
    struct buffer later; /* in place: a block that begins a rank's share later than the first */
};

static float pattern(long j, int block, int turn)
{
    return (float)((j + 5L * block + turn) & 1023);
}

/* In place, every other call's tensor begins a rank's share later. So a library that always gives the same part of the work to the
 * same rank does not find in that rank's cache what it has put there in the call before. */
static struct buffer *in_place(struct job *job, int turn)
{
    struct hall *hall = job->notes;
    return turn & 1 ? &hall->later : &hall->block[0][0];
}

static struct buffer *part(struct job *job, int side, bool many, int turn)
{
    struct hall *hall = job->notes;
    return many ? &hall->whole[side] : &hall->block[side][turn % job->size];
}

/* Inputs and outputs change roles when all blocks of the output are new. */
static int side_of(const struct job *job, int turn)
{
    const struct shape *shape = ((struct hall *)job->notes)->shape;
    bool new_each_turn = shape->many_out && !shape->only_root_out;
    return (new_each_turn ? turn : turn / job->size) & 1;
}

static struct buffer *input(struct job *job, int turn)
{
    const struct shape *shape = ((struct hall *)job->notes)->shape;
    return shape->in_place ? in_place(job, turn) : part(job, side_of(job, turn), shape->many_in, turn);
}

static struct buffer *output(struct job *job, int turn)
{
    const struct shape *shape = ((struct hall *)job->notes)->shape;
    return shape->in_place ? in_place(job, turn) : part(job, !side_of(job, turn), shape->many_out, turn);
}

/* Elements first, first + step, ... of each block. */
static void set(struct job *job, struct buffer *in, int turn, long step)
{
    for (int k = 0; k < in->count / job->count; k++)
        for (long j = 0; j < job->count; j += step)
            in->x[k * job->count + j] = (float)(job->rank + 1) * pattern(j, k, turn);
}

static void see(struct job *job, const struct buffer *out, int turn, long step)
{
    const struct shape *shape = ((struct hall *)job->notes)->shape;
    int root = turn % job->size, block = shape->many_in ? job->rank : 0;
    for (int k = 0; k < out->count / job->count; k++) {
        int all = job->size * (job->size + 1) / 2, from = shape->many_out ? k : root;
        float weight = (float)(shape->sums ? all : from + 1);
        for (long j = 0; j < job->count; j += step) {
            float got = out->x[k * job->count + j], wanted = weight * pattern(j, block, turn);
            if (got != wanted)
                wrong(job, j == 0 ? "first element" : "another element", got, wanted);
        }
    }
}

static void call_with(struct job *job, int turn, long step)
{
    const struct shape *shape = ((struct hall *)job->notes)->shape;
    int root = turn % job->size;
    struct buffer *in = input(job, turn), *out = output(job, turn);
    if (!shape->only_root_in || job->rank == root)
        set(job, in, turn, step);
    shape->call(out, in, root);
    if (!shape->only_root_out || job->rank == root)
        see(job, out, turn, step);
}

/* Only the ends of each block: two elements, or the one that there is. */
static void call_ends(struct job *job, int turn)
{
    call_with(job, turn, job->count > 1 ? job->count - 1 : 1);
}

static void fill(struct job *job, float value)
{
    struct hall *hall = job->notes;
    for (int side = 0; side < 2; side++)
        for (long i = 0; i < hall->whole[side].count; i++)
            hall->whole[side].x[i] = value;
}

/* With each rank as the root, and with each block as the input: every element is looked at. */
static void see_all(struct job *job)
{
    const struct shape *shape = ((struct hall *)job->notes)->shape;
    int turns = shape->in_place && !shape->only_root_in ? 2 : job->size;
    fill(job, -1);
    for (int turn = 0; turn < turns; turn++)
        call_with(job, turn, 1);
}

static void hall_open(struct job *job, struct hall *hall)
{
    if (hall->shape->in_place) {
        long share = job->count / job->size;
        side_new(&hall->whole[0], job->count + share);
        side_view(&hall->block[0][0], &hall->whole[0], 0, job->count);
        side_view(&hall->later, &hall->whole[0], share, job->count);
        return;
    }
    for (int side = 0; side < 2; side++) {
        side_new(&hall->whole[side], job->count * job->size);
        for (int k = 0; k < job->size; k++)
            side_view(&hall->block[side][k], &hall->whole[side], k * job->count, job->count);
    }
}

static void hall_close(struct job *job, struct hall *hall)
{
    if (hall->shape->in_place) {
        side_free(&hall->later);
        side_free(&hall->block[0][0]);
        side_free(&hall->whole[0]);
        return;
    }
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < job->size; k++)
            side_free(&hall->block[side][k]);
        side_free(&hall->whole[side]);
    }
}

int collectives_run(struct job *job)
{
    struct hall hall = { .shape = NULL };
    for (int i = 0; i < SHAPES; i++)
        if (strcmp(job->name, shapes[i].name) == 0)
            hall.shape = &shapes[i];
    if (!hall.shape)
        return 0;
    if (job->size > MOST_RANKS) /* nor could floats hold the sums */
        bench_has_not();
    job->notes = &hall;
    hall_open(job, &hall);
    see_all(job);
    fill(job, 0);
    double us = pace(job, call_ends);
    see_all(job);
    if (job->rank == 0)
        tell(job->name, job->size, job->bytes, us, "us");
    hall_close(job, &hall);
    return 1;
}
