/*
 * fast_and_slow.c: when do two levels win? Chapter 08's cluster with two kinds of links: fast ones inside a node, slow ones
 * between nodes. Again each rank has a clock, and ranks that have a message for each other only tell each other the time.
 *
 *     inside a node     2 us + n x 0.005 ns      as NVLink, 200 GB/s
 *     between nodes     5 us + n x 0.08 ns       as a network of 100 Gbit/s
 *
 * Run it:  make run-09 PROG=fast_and_slow N=4, or WORLD_SIZE=64 build/chapters/09_groups/fast_and_slow
 */
#include "levels.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST = 1 << 20, SENDER = 0, RECEIVER = 1 }; /* bytes; tags: who tells the time */

static const struct cost inside = { .alpha = 2e-6, .beta = 0.005e-9 };
static const struct cost between = { .alpha = 5e-6, .beta = 0.08e-9 };

struct clock_comm {
    struct communicator comm; /* first, so that a pointer to it is one to the whole */
    double now;
    void *rooms[4];
    int count;
};

static double time_of_message(const struct communicator *comm, int peer, int64_t elements)
{
    struct cost link = levels_same_node(comm->rank, peer, comm->size) ? inside : between;
    return link.alpha + link.beta * (double)elements * sizeof(float);
}

/* Tell a peer my time, and ask for its. */
static int ask(dist_work *works[2], tensor *mine, tensor *theirs, int peer, int me)
{
    works[0] = dist_irecv(theirs, peer, .tag = me == SENDER ? RECEIVER : SENDER);
    works[1] = dist_isend(mine, peer, .tag = me);
    return 2;
}

static void swap_times(struct communicator *comm, int to, const void *out, int64_t out_count, int from,
                       void *in, int64_t in_count)
{
    struct clock_comm *c = (struct clock_comm *)comm;
    (void)out, (void)in;
    tensor *mine = tensor_full(DIST_F64, c->now, 1);
    tensor *times[2] = { tensor_zeros(DIST_F64, 1), tensor_zeros(DIST_F64, 1) };
    dist_work *works[4];
    int count = 0;
    if (out_count >= 0)
        count += ask(works + count, mine, times[SENDER], to, SENDER);
    if (in_count >= 0)
        count += ask(works + count, mine, times[RECEIVER], from, RECEIVER);
    dist_wait_all(works, count);

    double start = c->now;
    if (out_count >= 0)
        c->now = fmax(start, tensor_item(times[SENDER], 0)) + time_of_message(comm, to, out_count);
    if (in_count >= 0)
        c->now = fmax(c->now,
                      fmax(start, tensor_item(times[RECEIVER], 0)) + time_of_message(comm, from, in_count));
    tensor_free(times[RECEIVER]);
    tensor_free(times[SENDER]);
    tensor_free(mine);
}

static void *give_scratch(struct communicator *comm, int64_t count)
{
    struct clock_comm *c = (struct clock_comm *)comm;
    return c->rooms[c->count++] = calloc((size_t)count + 1, sizeof(float));
}

/* When is the last rank done, if all begin at 0? In microseconds. */
static double time_of(const char *name, void *x, int64_t bytes, int rank, int world_size)
{
    struct clock_comm c = { .comm = { .rank = rank,
                                      .size = world_size,
                                      .type = DIST_F32,
                                      .swap = swap_times,
                                      .scratch = give_scratch } };
    levels_named(name)(&c.comm, x, bytes / (int64_t)sizeof(float));
    while (c.count > 0)
        free(c.rooms[--c.count]);
    tensor *last = tensor_full(DIST_F64, c.now, 1);
    dist_all_reduce(last, .op = DIST_MAX);
    double result = 1e6 * tensor_item(last, 0);
    tensor_free(last);
    return result;
}

static void compare(void *x, int64_t bytes, int rank, int world_size)
{
    const char *const ways[3] = { "ring", "tree", "levels" };
    double times[3];
    int best = 0;
    for (int way = 0; way < 3; way++) {
        times[way] = time_of(ways[way], x, bytes, rank, world_size);
        best = times[way] < times[best] * (1 - 1e-9) ? way : best;
    }
    if (rank == 0)
        printf("%8.0f B %8.1f %8.1f %8.1f   %-6s %8.1f %8.1f\n", (double)bytes, times[0], times[1], times[2],
               ways[best], 1e6 * predict(RING, between, (double)bytes, world_size),
               1e6 * levels_predict(inside, between, (double)bytes, world_size));
}

/* By the formulas alone, so for any number of ranks. */
static void say_border(int n)
{
    double border = levels_crossing(inside, between, n);
    printf("by the formulas, with %d rank%s: the ring ", n, n > 1 ? "s" : "");
    if (border < 0)
        printf("never beats two levels\n");
    else
        printf("beats two levels from %.0f B on\n", border);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    void *x = calloc(1, LARGEST);
    if (rank == 0)
        printf("%d rank%s, %d on a node\n%10s %8s %8s %8s   %-6s %17s\n%10s %8s %8s %8s   %-6s %8s %8s\n",
               world_size, world_size > 1 ? "s" : "", levels_per_node(world_size), "", "by the", "clocks", "",
               "", "by the formulas", "us:", "ring", "tree", "levels", "best", "ring", "levels");
    for (int64_t bytes = 64; bytes <= LARGEST; bytes *= 4)
        compare(x, bytes, rank, world_size);
    if (rank == 0) {
        say_border(world_size);
        if (world_size != 64)
            say_border(64);
    }
    free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
