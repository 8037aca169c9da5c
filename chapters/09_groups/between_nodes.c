/*
 * between_nodes.c: what has to leave a node? Counted without sending, as in chapter 08: the algorithms see a communicator that only
 * writes down what it is asked for, on which side of the wall the other rank is.
 *
 *     node 0            |  node 1
 *     0 --inside--> 1 --between--> 2 --inside--> 3
 *
 * It counts for the ranks that there are, and then for 64: whoever only counts needs no more ranks than one.
 *
 * Run it:  make run-09 PROG=between_nodes N=4
 */
#include "levels.h"

#include <stdlib.h>

enum { COUNT = 840 }; /* elements */

struct counting_comm {
    struct communicator comm; /* first, so that a pointer to it is one to the whole */
    long inside, between, between_elements;
    void *room[4];
    int rooms;
};

static void write_down(struct communicator *comm, int to, const void *out, int64_t out_count, int from,
                       void *in, int64_t in_count)
{
    struct counting_comm *c = (struct counting_comm *)comm;
    (void)out, (void)from, (void)in, (void)in_count;
    if (out_count < 0)
        return;
    bool near = levels_same_node(comm->rank, to, comm->size);
    c->inside += near;
    c->between += !near;
    c->between_elements += near ? 0 : out_count;
}

static void *give_scratch(struct communicator *comm, int64_t count)
{
    struct counting_comm *c = (struct counting_comm *)comm;
    return c->room[c->rooms++] = calloc((size_t)count + 1, sizeof(float));
}

/* All ranks together. */
static void count(const char *name, int n)
{
    long inside = 0, between = 0, elements = 0;
    for (int rank = 0; rank < n; rank++) {
        float x[COUNT] = { 0 };
        struct counting_comm c = {
            .comm = { .rank = rank, .size = n, .type = DIST_F32, .swap = write_down, .scratch = give_scratch }
        };
        levels_named(name)(&c.comm, x, COUNT);
        while (c.rooms > 0)
            free(c.room[--c.rooms]);
        inside += c.inside;
        between += c.between;
        elements += c.between_elements;
    }
    printf("%-8s %8ld %10ld %12ld\n", name, inside, between, elements);
}

static void table(int n)
{
    printf("%d elements on each of %d rank%s, %d on a node\n", COUNT, n, n > 1 ? "s" : "",
           levels_per_node(n));
    printf("%-8s %8s %10s %12s\n%-8s %8s %10s %12s\n", "", "inside", "between", "between", "", "messages",
           "messages", "elements");
    for (int way = 0; way < WAYS; way++)
        count(names[way], n);
    count("levels", n);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    if (rank == 0) {
        table(world_size);
        table(64);
    }
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
