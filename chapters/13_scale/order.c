/*
 * order.c: how a group orders its ranks decides whether a ring stays on fast links: the same all-reduce, two orders.
 *
 *     node by node   [0 1 2 3 4 5 6 7] [8 9 ...          one of eight messages leaves its node
 *     dealt out      [0 4 8 12 ...]    [1 5 9 ...        all of them do
 *
 * Run it:  make run-13 PROG=order N=1
 */
#include "run.h"
#include "table.h"

enum { RANKS = 32 };

/* Rank i of the group is dealt to node i % nodes. */
static void deal_out(const struct network *n, int order[RANKS])
{
    int nodes = RANKS / n->per_node;
    for (int i = 0; i < RANKS; i++)
        order[i] = i % nodes * n->per_node + i / nodes;
}

static void print_network(const char *name, const struct network *n)
{
    int order[RANKS];
    deal_out(n, order);
    printf("%s\n", name);
    for (double bytes = 64 << 10; bytes <= 1 << 28; bytes *= 64) {
        double well = simulate(n, "ring", bytes, NULL), dealt = simulate(n, "ring", bytes, order);
        printf("%10.0f KiB %14.1f us %14.1f us %9.1f times\n", bytes / 1024, 1e6 * well, 1e6 * dealt,
               dealt / well);
    }
}

static void tell(void)
{
    struct network eight = dgx_h100(RANKS), one = eight, pods = eight;
    one.cards = 1;
    pods.pod = 2;
    pods.spine = 4 * pods.card; /* two nodes have 16 cards, and a quarter of their rate leaves the pod */
    printf("%-14s %17s %17s\n", "a ring of 32", "node by node", "dealt out");
    print_network("8 cards a node", &eight);
    print_network("1 card a node", &one);
    print_network("8 cards, and pods of 2 nodes with a narrow way out", &pods);
}

static void run(int rank, int world_size)
{
    (void)world_size;
    rank_0_tells(rank, tell);
}

int main(void)
{
    return dist_spawn(run, 1);
}
