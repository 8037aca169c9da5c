/* Starts all of its sends, with a tag, and waits in the end. */
#include "dist.h"

/* The last 1 of a place; of place 0 the first power of two that is n or more. */
static int last_one(int place, int n)
{
    int bit = place & -place;
    if (place == 0)
        for (bit = 1; bit < n;)
            bit += bit;
    return bit;
}

void tree_broadcast(tensor *x, int root, int rank, int n)
{
    enum { TAG = 31, MOST_CHILDREN = 16 };
    int place = ((rank - root) % n + n) % n, far = last_one(place, n), count = 0;
    dist_work *sends[MOST_CHILDREN];
    if (place)
        dist_wait(dist_irecv(x, (place - far + root) % n, .tag = TAG));
    while (far >>= 1)
        if (place + far < n)
            sends[count++] = dist_isend(x, (place + far + root) % n, .tag = TAG);
    dist_wait_all(sends, count);
}

static void run(int rank, int world_size)
{
    int root = 3 % world_size;
    dist_init_process_group();
    tensor *x = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 4);
    tree_broadcast(x, root, rank, world_size);
    tensor_print(x, "rank %d has", rank);
    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 5);
}
