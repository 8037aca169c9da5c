/* Halves the places that are left: another tree of the same depth. */
#include "dist.h"

void tree_broadcast(tensor *x, int root, int rank, int n)
{
    int place = (rank + n - root) % n, low = 0, high = n;
    while (high - low > 1) {
        int middle = (low + high + 1) / 2;
        if (place == low)
            dist_send(x, (middle + root) % n);
        else if (place == middle)
            dist_recv(x, (low + root) % n);
        if (place < middle)
            high = middle;
        else
            low = middle;
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
