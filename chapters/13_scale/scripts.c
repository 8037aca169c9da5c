/*
 * scripts.c: what rank 0 would send and receive in each algorithm. Nothing is sent: the algorithms write it down by themselves.
 *
 *     lib/algorithms/ring.c ---> a communicator that only writes ---> to 1, from 3: 2 elements there, 2 here; 6 times
 *
 * Run it:  make run-13 PROG=scripts N=4
 */
#include "script.h"
#include "table.h"

enum { ELEMENTS = 8 };

static int ranks; /* for rank 0, which tells */

/* "4 to 2", or nothing where nobody is sent to. */
static void print_half(int64_t count, const char *way, int peer)
{
    char text[40] = "";
    if (peer >= 0)
        snprintf(text, sizeof text, "%lld %s %d", (long long)count, way, peer);
    printf("   %-8s", text);
}

static void print_script(const char *name)
{
    unsigned char x[ELEMENTS] = { 0 }; /* what is in it does not matter */
    struct script script = script_of(name, 0, ranks, 1, x, ELEMENTS);
    for (int i = 0; i < script.count; i++) {
        const struct swap *s = &script.swaps[i];
        printf("%-8s", i == 0 ? name : "");
        print_half(s->out, "to", s->to);
        print_half(s->in, "from", s->from);
        printf("   %lld time%s\n", (long long)s->times, s->times == 1 ? "" : "s");
    }
    free(script.swaps);
}

static void tell(void)
{
    printf("rank 0 of %d, and %d elements:\n", ranks, ELEMENTS);
    print_script("tree");
    print_script("ring");
    print_script("halving");
}

static void run(int rank, int world_size)
{
    if (rank == 0)
        ranks = world_size;
    rank_0_tells(rank, tell);
}

int main(void)
{
    return dist_spawn(run, 4);
}
