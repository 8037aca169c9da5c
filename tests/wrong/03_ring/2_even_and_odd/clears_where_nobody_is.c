/* feedback: first wrong element of from_left */
/*
 * 2_even_and_odd.c: exercise 03.2. Neighbours in a row swap vectors, in few steps, with blocking calls only.
 *
 *     rank 0 <---> rank 1 <---> rank 2 <---> rank 3 <---> rank 4            a row, not a ring: 0 and 4 do not touch
 *
 *     on rank 2 in the end:   from_left  = mine of rank 1
 *                             from_right = mine of rank 3
 *
 * The first rank has nobody on its left, the last one nobody on its right: there the tensor stays as it is. Everybody may
 * call dist_send and dist_recv, nothing else. However many ranks there are, no more than four messages may have to wait for one another: a
 * wave that runs from one end of the row to the other is too slow.
 *
 * Grade it:  make exercise-03.2        Run it:  make try-03.2 N=5        A hint:  make hint-03.2
 */
#include "dist.h"

void swap_with_neighbours(tensor *from_left, tensor *from_right, tensor *mine, int rank, int world_size)
{
    int left = rank - 1;
    int right = rank + 1;

    /* TODO: swap with both neighbours. Even ranks and odd ranks do the same things, in another order. */
    if (left < 0)
        tensor_mul_scalar(from_left, 0);
    if (right >= world_size)
        tensor_mul_scalar(from_right, 0);
    for (int round = 0; round < 2; round++) {
        if (rank % 2 == round && right < world_size) {
            dist_send(mine, right);
            dist_recv(from_right, right);
        } else if (rank % 2 != round && left >= 0) {
            dist_recv(from_left, left);
            dist_send(mine, left);
        }
    }
    /* end of TODO */
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *mine = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    tensor *from_left = tensor_zeros(DIST_F32, 2);
    tensor *from_right = tensor_zeros(DIST_F32, 2);
    swap_with_neighbours(from_left, from_right, mine, rank, world_size);
    tensor_print(from_left, "rank %d got from the left", rank);
    tensor_print(from_right, "rank %d got from the right", rank);
    tensor_free(from_right);
    tensor_free(from_left);
    tensor_free(mine);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
