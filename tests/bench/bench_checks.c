/*
 * bench_checks.c: what the checks cost that are always on: the same ping-pong through dist_send and dist_recv, and through calls
 * that do all that a call must do (find out which rank calls, and describe the message to the backend: its quick way, or else an
 * op), but check nothing and note nothing for reports. The difference is what the checks cost.
 * Two ways take turns, each turn so short that the machine is the same for both; a ratio is taken inside each pair of turns.
 * The row shows the median of medians.
 *
 * It looks inside the library, so it is linked with build/libinside.a.
 */
#define _GNU_SOURCE
#include "context.h"
#include "dist.h"
#include "timing.h"

#include <sched.h>
#include <sys/mman.h>

/* Where the pages of a world come to lie makes a difference, too: so there are several. */
enum { MOST_TURNS = 1001, WORLDS = 9 };

static struct {
    double small[WORLDS], large[WORLDS]; /* ratios */
    int worlds;
} * found;

/* One side of the ping-pong. */
struct player {
    int rank;
    const struct backend *backend;
    void *state;
    struct dist_group *world;
    tensor *ball;
    float *x;      /* its elements, */
    int64_t count; /* so many */
};

static void must(int status)
{
    if (status == DIST_OK)
        return;
    fprintf(stderr, "the backend ended a message with status %d\n", status);
    exit(1);
}

/* Where the backend has no quick way for it. */
static void bare_op(struct player *p, bool sends, tensor *t, int peer, int tag, bool begun)
{
    struct dist_work op = { .call = sends ? CALL_SEND : CALL_RECV, .at = { __FILE__, __LINE__ }, .site = 1 };
    op.group = p->world;
    op.type = t->type;
    op.peer = peer;
    op.tag = tag;
    op.p2p = true;
    op.sends = sends;
    op.begun_quickly = begun;
    op.from = -1;
    *(sends ? &op.in : &op.out) = (struct span){ t->data, t->numel };
    must(sends ? p->backend->send(p->state, &op) : p->backend->recv(p->state, &op));
}

/* What dist_send and dist_recv are without their checks. */
__attribute__((noinline)) static void bare_call(struct player *p, bool sends, tensor *t, int peer, int tag)
{
    const struct context *context = launch_self_if_any()->context; /* who calls? */
    enum quick went = sends ? context->backend->quick_send(context->state, t, peer, tag, &context->world, 1)
                            : context->backend->quick_recv(context->state, t, peer, tag, &context->world, 1);
    if (went != QUICK_DONE)
        bare_op(p, sends, t, peer, tag, went == QUICK_BEGUN);
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

static void compare(struct context *context, long bytes, int calls, int turns, double *result)
{
    struct player p = { .rank = context->self->env.rank,
                        .backend = context->backend,
                        .state = context->state,
                        .world = &context->world };
    double ratio[MOST_TURNS];
    p.count = bytes / (long)sizeof(float);
    p.ball = tensor_zeros(DIST_F32, p.count);
    p.x = tensor_data(p.ball);
    turn(&p, through_call, calls);
    turn(&p, through_bare, calls);
    for (int t = 0; t < turns; t++) {
        bool first = t % 2 == 0; /* neither way is always the one that comes later */
        double one = turn(&p, first ? through_call : through_bare, calls);
        double other = turn(&p, first ? through_bare : through_call, calls);
        ratio[t] = first ? one / other : other / one;
    }
    if (p.rank == 0)
        *result = median(ratio, turns);
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
    compare(context_get(), 8, 100, MOST_TURNS, &found->small[found->worlds]);
    compare(context_get(), 1 << 20, 4, 21, &found->large[found->worlds]);
    dist_destroy_process_group();
}

int main(void)
{
    found = mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    for (; found->worlds < WORLDS; found->worlds++) {
        int status = dist_spawn(run, 2);
        if (status != 0)
            return status;
    }
    tell("checks", 2, 8, median(found->small, WORLDS), "x");
    tell("checks", 2, 1 << 20, median(found->large, WORLDS), "x");
    return 0;
}
