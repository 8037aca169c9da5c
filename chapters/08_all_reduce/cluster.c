/*
 * cluster.c: the same four algorithms on a cluster that we do not have, where every rank has a link of its own.
 *
 *     a message of n bytes takes  5 us + n x 0.08 ns        as a good network of 100 Gbit/s would
 *
 * No data travels. Each rank keeps a clock, and two ranks that have a message for each other tell each other what time it
 * is. The message can start when both are there, and both are busy until it has arrived:
 *
 *     rank 0  it is 10 us here  --->
 *                               <---  it is 12 us here  rank 1        so it is 12 + 5 us on both when it is there
 *
 * Run it:  make run-08 PROG=cluster N=4, or WORLD_SIZE=64 build/chapters/08_all_reduce/cluster
 */
#include "cost.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST = 1 << 22 };

static const struct cost network = { .alpha = 5e-6, .beta = 0.08e-9 };

static double time_of_message(int64_t elements)
{
    return network.alpha + network.beta * (double)elements * sizeof(float);
}

struct clock_comm {
    struct communicator comm; /* first, so that a pointer to it is one to the whole */
    double now;
    void *rooms[4];
    int count;
};

enum { SENDER, RECEIVER }; /* tags: who tells the time */

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
    tensor *times[2] = { tensor_full(DIST_F64, 0, 1), tensor_full(DIST_F64, 0, 1) };
    dist_work *works[4];
    int count = 0;
    if (out_count >= 0)
        count += ask(works + count, mine, times[SENDER], to, SENDER);
    if (in_count >= 0)
        count += ask(works + count, mine, times[RECEIVER], from, RECEIVER);
    dist_wait_all(works, count);

    double start = c->now;
    if (out_count >= 0)
        c->now = fmax(start, tensor_item(times[SENDER], 0)) + time_of_message(out_count);
    if (in_count >= 0)
        c->now = fmax(c->now, fmax(start, tensor_item(times[RECEIVER], 0)) + time_of_message(in_count));
    tensor_free(times[RECEIVER]);
    tensor_free(times[SENDER]);
    tensor_free(mine);
}

static void *give_scratch(struct communicator *comm, int64_t count)
{
    struct clock_comm *c = (struct clock_comm *)comm;
    return c->rooms[c->count++] = calloc((size_t)count + 1, sizeof(float));
}

/* When is the last rank done, if all begin at 0? */
static double time_of(int way, void *x, int64_t bytes, int rank, int world_size)
{
    struct clock_comm c = { .comm = { .rank = rank,
                                      .size = world_size,
                                      .type = DIST_F32,
                                      .swap = swap_times,
                                      .scratch = give_scratch } };
    algorithm_named(names[way])(&c.comm, x, bytes / (int64_t)sizeof(float));
    while (c.count > 0)
        free(c.rooms[--c.count]);
    tensor *last = tensor_full(DIST_F64, c.now, 1);
    dist_all_reduce(last, .op = DIST_MAX);
    double result = tensor_item(last, 0);
    tensor_free(last);
    return result;
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    void *x = calloc(1, LARGEST);
    if (rank == 0) {
        printf("%d rank%s, each with a link of its own: alpha 5 us, beta 0.08 ns a byte\n", world_size,
               world_size > 1 ? "s" : "");
        printf("%10s %10s %10s %10s %10s   fastest\n", "us:", names[0], names[1], names[2], names[3]);
    }
    for (int64_t bytes = 64; bytes <= LARGEST; bytes *= 16) {
        double times[WAYS];
        int best = 0;
        for (int way = 0; way < WAYS; way++) {
            times[way] = time_of(way, x, bytes, rank, world_size);
            best = times[way] < times[best] * (1 - 1e-9) ? way : best;
        }
        if (rank == 0)
            printf("%8.0f B %10.1f %10.1f %10.1f %10.1f   %s\n", (double)bytes, 1e6 * times[0],
                   1e6 * times[1], 1e6 * times[2], 1e6 * times[3], names[best]);
    }
    if (rank == 0 && world_size > 1)
        printf("by the formulas the ring beats the tree from %.0f B on; with 64 ranks from %.0f B on\n",
               crossing(network, world_size), crossing(network, 64));
    free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
