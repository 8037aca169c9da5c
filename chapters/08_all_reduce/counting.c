/*
 * counting.c: what does each algorithm send? Counted without sending: the algorithms see only a communicator, and this communicator
 * writes down what it is asked for and does nothing.
 *
 *     ring.c ---> comm.swap(to, out, ...) ---> messages++, elements += count
 *
 * Run it:  make run-08 PROG=counting N=4
 */
#include "algorithms/algorithms.h"

#include <stdlib.h>

enum { COUNT = 840 }; /* elements: 2, 3, 4, 5, 6, 7 and 8 ranks can share them evenly */

struct counting_comm {
    struct communicator comm; /* first, so that a pointer to it is one to the whole */
    int messages;             /* sent */
    long elements;
    void *room[4];
    int rooms;
};

static void write_down(struct communicator *comm, int to, const void *out, int64_t out_count, int from,
                       void *in, int64_t in_count)
{
    struct counting_comm *c = (struct counting_comm *)comm;
    (void)to, (void)out, (void)from, (void)in, (void)in_count;
    c->messages += out_count >= 0;
    c->elements += out_count >= 0 ? out_count : 0;
}

static void *give_scratch(struct communicator *comm, int64_t count)
{
    struct counting_comm *c = (struct counting_comm *)comm;
    return c->room[c->rooms++] = calloc((size_t)count + 1, sizeof(float));
}

/* The rank that sends the most, and all of them together. */
static void count(const char *name, int n)
{
    int most = 0, all = 0;
    long most_elements = 0, all_elements = 0;
    for (int rank = 0; rank < n; rank++) {
        float x[COUNT] = { 0 };
        struct counting_comm c = {
            .comm = { .rank = rank, .size = n, .type = DIST_F32, .swap = write_down, .scratch = give_scratch }
        };
        algorithm_named(name)(&c.comm, x, COUNT);
        while (c.rooms > 0)
            free(c.room[--c.rooms]);
        most = c.messages > most ? c.messages : most;
        most_elements = c.elements > most_elements ? c.elements : most_elements;
        all += c.messages;
        all_elements += c.elements;
    }
    printf("%-8s %8d %10ld %12d %10ld\n", name, most, most_elements, all, all_elements);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    if (rank == 0) {
        printf("%d elements on each of %d rank%s\n", COUNT, world_size, world_size > 1 ? "s" : "");
        printf("%-8s %8s %10s %12s %10s\n", "", "messages", "elements", "messages", "elements");
        printf("%-8s %19s %23s\n", "", "busiest rank sends", "all together");
        count("gather", world_size);
        count("tree", world_size);
        count("ring", world_size);
        count("halving", world_size);
    }
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
