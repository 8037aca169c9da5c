/*
 * bench_checks.c: what the checks cost that are always on: the same ping-pong through dist_send and dist_recv, and
 *   - checks: through a call that does all that a call must do (describe the message to the room), but checks nothing and notes
 *     nothing for reports. The difference to this is what the checks cost.
 *   - calls: straight through the slots of the room, with ops that were filled in long before: what any call costs.
 * Two ways take turns, each turn so short that the machine is the same for both; a ratio is taken inside each pair of turns,
 * and the row shows the medians.
 *
 * It looks inside the library, so it is linked with build/libinside.a.
 */
#define _GNU_SOURCE
#include "context.h"
#include "dist.h"
#include "timing.h"

#include <sched.h>

enum { MOST_TURNS = 1001 };

/* One side of the ping-pong. */
struct player {
    int rank;
    const struct backend *backend;
    void *room;
    struct dist_work send, recv; /* filled in but for what the room writes */
    tensor *ball;
    float *x;      /* its elements, */
    int64_t count; /* so many */
};

static struct dist_work filled_in(struct context *context, const tensor *t, bool sends)
{
    struct dist_work op = { .call = sends ? CALL_SEND : CALL_RECV,
                            .group = &context->world,
                            .type = DIST_F32 };
    struct span span = { t->data, t->numel };
    op.at = (struct dist_at){ __FILE__, __LINE__ };
    op.site = world_site(&context->self->world, context->self->env.rank, op.at);
    op.peer = 1 - context->self->env.rank;
    op.p2p = true;
    op.sends = sends;
    *(sends ? &op.in : &op.out) = span;
    return op;
}

static void must(int status)
{
    if (status == DIST_OK)
        return;
    fprintf(stderr, "the room ended a message with status %d\n", status);
    exit(1);
}

static void through_slot(struct player *p, bool sends)
{
    struct dist_work *op = sends ? &p->send : &p->recv;
    atomic_store_explicit(&op->done, 0, memory_order_relaxed);
    op->status = DIST_OK;
    op->from = -1;
    must(sends ? p->backend->send(p->room, op) : p->backend->recv(p->room, op));
}

/* What dist_send and dist_recv are without their checks. */
__attribute__((noinline)) static void bare_call(struct player *p, bool sends, tensor *t, int peer, int tag)
{
    struct dist_work op;
    work_begin(&op);
    op.call = sends ? CALL_SEND : CALL_RECV;
    op.at.file = __FILE__;
    op.at.line = __LINE__;
    op.site = 1;
    op.group = p->send.group;
    op.type = t->type;
    op.peer = peer;
    op.tag = tag;
    op.p2p = true;
    op.sends = sends;
    op.op = DIST_SUM;
    op.block = 0;
    op.timeout = 0;
    op.from = -1;
    op.async = false;
    op.in.data = sends ? t->data : NULL;
    op.in.count = sends ? t->numel : 0;
    op.out.data = sends ? NULL : t->data;
    op.out.count = sends ? 0 : t->numel;
    must(sends ? p->backend->send(p->room, &op) : p->backend->recv(p->room, &op));
}

static void through_bare(struct player *p, bool sends)
{
    bare_call(p, sends, p->ball, 1 - p->rank, 0);
}

static void through_call(struct player *p, bool sends)
{
    if (sends)
        dist_send(p->ball, 1 - p->rank);
    else
        dist_recv(p->ball, 1 - p->rank);
}

/* There and back, so many times. Both ends change with every message, and are looked at. */
static inline void rally(struct player *p, void (*way)(struct player *, bool), int calls)
{
    for (int i = 0; i < calls; i++) {
        float value = (float)(i % 1000);
        if (p->rank == 0) {
            p->x[0] = p->x[p->count - 1] = value;
            way(p, true);
            way(p, false);
            if (p->x[0] != value + 1 || p->x[p->count - 1] != value + 1)
                must(DIST_ERR_MISMATCH);
        } else {
            way(p, false);
            p->x[0] = p->x[p->count - 1] = value + 1;
            way(p, true);
        }
    }
}

/* One turn; gives microseconds a message. */
static double turn(struct player *p, void (*way)(struct player *, bool), int calls)
{
    double start = now();
    rally(p, way, calls);
    return (now() - start) / calls / 2;
}

static void compare(struct context *context, const char *name, void (*bare)(struct player *, bool),
                    long bytes, int calls, int turns)
{
    struct player p = { .rank = context->self->env.rank, .backend = context->backend, .room = context->room };
    double with[MOST_TURNS], without[MOST_TURNS], ratio[MOST_TURNS];
    p.count = bytes / (long)sizeof(float);
    p.ball = tensor_zeros(DIST_F32, p.count);
    p.x = tensor_data(p.ball);
    p.send = filled_in(context, p.ball, true);
    p.recv = filled_in(context, p.ball, false);
    turn(&p, through_call, calls);
    turn(&p, bare, calls);
    for (int t = 0; t < turns; t++) {
        bool first = t % 2 == 0; /* neither way is always the one that comes later */
        double one = turn(&p, first ? through_call : bare, calls);
        double other = turn(&p, first ? bare : through_call, calls);
        with[t] = first ? one : other;
        without[t] = first ? other : one;
        ratio[t] = with[t] / without[t];
    }
    if (p.rank == 0)
        printf("# %s, %ld bytes: %.4f us, without %.4f us\n", name, bytes, median(with, turns),
               median(without, turns));
    if (p.rank == 0)
        tell(name, 2, bytes, median(ratio, turns), "x");
    tensor_free(p.ball);
}

/* Each rank on a core of its own, where there are two. */
static void pin(int rank)
{
    cpu_set_t mine, one;
    int seen = 0;
    sched_getaffinity(0, sizeof mine, &mine);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && seen <= rank; cpu++)
        if (CPU_ISSET(cpu, &mine) && seen++ == rank)
            CPU_SET(cpu, &one);
    if (CPU_COUNT(&one) == 1)
        sched_setaffinity(0, sizeof one, &one);
}

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    pin(rank); /* after init, which counts the cores */
    compare(context_get(), "checks", through_bare, 8, 100, MOST_TURNS);
    compare(context_get(), "checks", through_bare, 1 << 20, 4, 101);
    compare(context_get(), "calls", through_slot, 8, 100, MOST_TURNS);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 2);
}
