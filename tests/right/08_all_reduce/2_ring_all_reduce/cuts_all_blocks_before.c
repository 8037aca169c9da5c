/* Cuts x into all blocks before, and frees everything in one place. */
#include "dist.h"

#include <stdlib.h>

static tensor *block(tensor *x, int i, int n)
{
    int64_t count = tensor_numel(x), k = (i % n + n) % n;
    return tensor_slice(x, count * k / n, count * (k + 1) / n);
}

struct ring {
    tensor **blocks;
    int n, next, previous;
};

static tensor *at(const struct ring *ring, int i)
{
    return ring->blocks[(i + 2 * ring->n) % ring->n];
}

static void turn(const struct ring *ring, tensor *out, tensor *in)
{
    dist_work *in_work = dist_irecv(in, ring->previous);
    dist_send(out, ring->next);
    dist_wait(in_work);
}

void ring_all_reduce(tensor *x, int rank, int n)
{
    struct ring ring = { calloc((size_t)n, sizeof(tensor *)), n, (rank + 1) % n, (rank + n - 1) % n };
    if (!ring.blocks)
        goto done;
    for (int i = 0; i < n; i++)
        ring.blocks[i] = block(x, i, n);
    for (int k = n - 1; k > 0; k--) { /* rank + 1 + k leaves, rank + k grows */
        tensor *inbox = tensor_clone(at(&ring, rank + k));
        turn(&ring, at(&ring, rank + 1 + k), inbox);
        tensor_add(at(&ring, rank + k), inbox);
        tensor_free(inbox);
    }
    for (int k = n; k > 1; k--)
        turn(&ring, at(&ring, rank + 1 + k), at(&ring, rank + k));
    for (int i = 0; i < n; i++)
        tensor_free(ring.blocks[i]);
done:
    free(ring.blocks);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *x = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 11);
    ring_all_reduce(x, rank, world_size);
    tensor_print(x, "rank %d ends with", rank);
    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
