/* chains.c: see chains.h. */
#define _GNU_SOURCE
#include "chains.h"

#include <stdlib.h>
#include <unistd.h>

#define LANES 3
#define PENDING 8
#define SIDE 48 /* of the matrices that take a GPU some time */

struct chains {
    struct exam *exam;
    int rank, size, step;
    uint64_t common, own;                /* dice: everybody's, this rank's */
    int64_t count;                       /* elements of every tensor, all alike */
    uint64_t model[CHAINS_RANKS][LANES]; /* what they are */
    dist_stream *streams[LANES];
    tensor *held[LANES], *product[LANES], *one, *matrix;
    dist_work *works[PENDING]; /* sends that are under way, and their tensors */
    tensor *sent[PENDING];
    int pending;
};

/* Which lane a rank takes in this step: known to all. */
static int lane_of(const struct chains *c, int rank)
{
    uint64_t dice = c->exam->seed ^ (uint64_t)c->step << 8 ^ (uint64_t)rank;
    return (int)ref_below(&dice, LANES);
}

static int my_lane(const struct chains *c)
{
    return lane_of(c, c->rank);
}

static void wait_for(struct chains *c, int which)
{
    exam_check(c->exam, dist_wait(c->works[which]) == 0, "dist_wait of a send did not give 0");
    tensor_free(c->sent[which]);
    c->works[which] = c->works[--c->pending];
    c->sent[which] = c->sent[c->pending];
}

/* ---- the steps: each is called with the lane's stream as the current one ---------------------- */

static void tell(struct chains *c, int to, int tag, bool later)
{
    tensor *mine = c->held[my_lane(c)];
    if (!later) {
        dist_send(mine, to, .tag = tag);
        return;
    }
    if (c->pending == PENDING)
        wait_for(c, (int)ref_below(&c->own, PENDING));
    tensor *copy = tensor_clone(mine);
    c->sent[c->pending] = copy;
    c->works[c->pending++] = dist_isend(copy, to, .tag = tag);
}

static void hear(struct chains *c, int from, int tag, bool later)
{
    tensor *heard = tensor_zeros(DIST_I64, c->count);
    if (later)
        dist_wait(dist_irecv(heard, from, .tag = tag));
    else
        dist_recv(heard, from, .tag = tag);
    tensor_add(c->held[my_lane(c)], heard);
    tensor_free(heard);
}

static void message(struct chains *c)
{
    int src = (int)ref_below(&c->common, c->size), dst = (int)ref_below(&c->common, c->size);
    bool later = ref_below(&c->common, 2), unknown = ref_below(&c->common, 10) == 0;
    int tag = unknown ? 100 + c->step : (int)ref_below(&c->common, 3);
    if (src == dst)
        return;
    if (c->rank == src)
        tell(c, dst, tag, later);
    if (c->rank == dst)
        hear(c, unknown ? DIST_ANY_SOURCE : src, tag, later);
    c->model[dst][lane_of(c, dst)] += c->model[src][lane_of(c, src)];
}

static void all_reduce(struct chains *c)
{
    uint64_t sum = 0;
    for (int i = 0; i < c->size; i++)
        sum += c->model[i][lane_of(c, i)];
    for (int i = 0; i < c->size; i++)
        c->model[i][lane_of(c, i)] = sum;
    if (ref_below(&c->common, 2))
        dist_wait(dist_all_reduce(c->held[my_lane(c)], .async_op = true));
    else
        dist_all_reduce(c->held[my_lane(c)]);
}

static void broadcast(struct chains *c)
{
    int root = (int)ref_below(&c->common, c->size);
    for (int i = 0; i < c->size; i++)
        c->model[i][lane_of(c, i)] = c->model[root][lane_of(c, root)];
    dist_broadcast(c->held[my_lane(c)], root);
}

static void compute(struct chains *c)
{
    for (int i = 0; i < c->size; i++)
        c->model[i][lane_of(c, i)]++;
    tensor_matmul(c->product[my_lane(c)], c->matrix, c->matrix);
    tensor_add(c->held[my_lane(c)], c->one);
}

/* A lane waits for another of its rank. */
static void meet(struct chains *c)
{
    dist_event *event = dist_event_record();
    dist_stream *here = dist_stream_use(c->streams[ref_below(&c->own, LANES)]);
    dist_event_wait(event);
    dist_event_free(event);
    dist_stream_use(here);
}

static void together(struct chains *c)
{
    (void)c;
    dist_barrier();
}

static void take_step(struct chains *c, bool dawdle)
{
    static void (*const steps[])(struct chains *) = { message, message, message,   message, message,
                                                      message, meet,    broadcast, compute, all_reduce };
    static const int kinds = sizeof steps / sizeof steps[0];
    dist_stream_use(c->streams[my_lane(c)]);
    if (ref_below(&c->common, 100) == 0)
        together(c);
    else
        steps[ref_below(&c->common, kinds)](c);
    if (c->pending > 0 && ref_below(&c->own, 4) == 0)
        wait_for(c, (int)ref_below(&c->own, c->pending));
    if (dawdle && ref_below(&c->own, 30) == 0)
        usleep((useconds_t)ref_below(&c->own, 2000));
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void begin(struct chains *c)
{
    c->count = 1 + ref_below(&c->common, ref_below(&c->common, 2) ? 30 : 40000);
    for (int i = 0; i < c->size; i++)
        for (int lane = 0; lane < LANES; lane++)
            c->model[i][lane] = (uint64_t)(10 * i + lane);
    c->one = tensor_full(DIST_I64, 1, c->count);
    c->matrix = tensor_full(DIST_F32, 1, SIDE, SIDE);
    for (int lane = 0; lane < LANES; lane++) {
        c->held[lane] = tensor_full(DIST_I64, 10 * c->rank + lane, c->count);
        c->product[lane] = tensor_zeros(DIST_F32, SIDE, SIDE);
    }
    dist_synchronize();
    for (int lane = 1; lane < LANES; lane++)
        c->streams[lane] = dist_stream_new();
}

static void look(struct chains *c, int lane)
{
    int64_t *data = malloc((size_t)c->count * sizeof *data), i = 0, right = (int64_t)c->model[c->rank][lane];
    dist_stream_use(c->streams[lane]);
    tensor_read(c->held[lane], data);
    while (i < c->count && data[i] == right)
        i++;
    exam_check(c->exam, i == c->count, "rank %d, lane %d: element %lld is %lld and must be %lld", c->rank,
               lane, (long long)i, i < c->count ? (long long)data[i] : 0, (long long)right);
    free(data);
    tensor_free(c->held[lane]);
    tensor_free(c->product[lane]);
}

void chains_body(struct exam *exam, int rank, int size)
{
    const struct chains_plan *plan = exam->given;
    struct chains c = { .exam = exam, .rank = rank, .size = size, .common = exam->seed };
    c.own = exam->seed + (uint64_t)rank + 1;
    begin(&c);
    for (c.step = 0; c.step < plan->steps; c.step++)
        take_step(&c, plan->dawdle);
    while (c.pending > 0)
        wait_for(&c, 0);
    for (int lane = 0; lane < LANES; lane++)
        look(&c, lane);
    dist_stream_use(NULL);
    for (int lane = 1; lane < LANES; lane++)
        dist_stream_free(c.streams[lane]);
    tensor_free(c.one);
    tensor_free(c.matrix);
}
