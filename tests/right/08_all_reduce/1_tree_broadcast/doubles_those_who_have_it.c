/* In each step those who have it double. */
#include "dist.h"

void tree_broadcast(tensor *x, int root, int rank, int n)
{
    int place = rank >= root ? rank - root : rank - root + n;
    for (int have = 1; have < n; have <<= 1) {
        if (place < have && place + have < n)
            dist_send(x, (place + have + root) % n);
        else if (place >= have && place < 2 * have)
            dist_recv(x, (place - have + root) % n);
    }
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
