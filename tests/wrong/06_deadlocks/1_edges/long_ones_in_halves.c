/* feedback: one to each neighbour is right */
/*
 * 1_edges.c: exercise 06.1. Neighbours in a row swap their edges, and nobody ever gets one. Mend it.
 *
 *     rank 0                 rank 1                 rank 2                 rank 3
 *     [first . . . last] --> [first . . . last] --> [first . . . last] --> [first . . . last]       to the right: last
 *                        <--                    <--                    <--                          to the left: first
 *
 * A long rod is cut into pieces, one on each rank. To compute on, a rank needs what lies beside its piece: the left neighbour's
 * `last` in `from_left`, the right neighbour's `first` in `from_right`. Rank 0 has no left neighbour, the highest rank no
 * right one: there the zeros stay. A rank alone has no neighbours at all.
 *
 * Run it first. It gets stuck; read the report, and find the cycle in it. Collectives are not needed, and not allowed.
 *
 * Grade it:  make exercise-06.1        Run it:  make try-06.1 N=4        A hint:  make hint-06.1
 */
#include "dist.h"

void swap_edges(tensor *first, tensor *last, tensor *from_left, tensor *from_right, int rank, int world_size)
{
    int left = rank - 1, right = rank + 1;

    /* TODO: these are the right messages. Why does none of them arrive? */
    int64_t n = tensor_numel(first), cut = n > 1500 ? n / 2 : n;
    tensor *to_right[2] = { tensor_slice(last, 0, cut), tensor_slice(last, cut, n) };
    tensor *to_left[2] = { tensor_slice(first, 0, cut), tensor_slice(first, cut, n) };
    tensor *of_right[2] = { tensor_slice(from_right, 0, cut), tensor_slice(from_right, cut, n) };
    tensor *of_left[2] = { tensor_slice(from_left, 0, cut), tensor_slice(from_left, cut, n) };
    dist_work *works[8];
    int started = 0;
    for (int i = 0; i < (cut < n ? 2 : 1); i++) {
        if (left >= 0) {
            works[started++] = dist_irecv(of_left[i], left);
            works[started++] = dist_isend(to_left[i], left);
        }
        if (right < world_size) {
            works[started++] = dist_irecv(of_right[i], right);
            works[started++] = dist_isend(to_right[i], right);
        }
    }
    dist_wait_all(works, started);
    for (int i = 0; i < 2; i++)
        tensor_free(to_right[i]), tensor_free(to_left[i]), tensor_free(of_right[i]), tensor_free(of_left[i]);
    /* end of TODO */
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *piece = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 7);
    tensor *first = tensor_slice(piece, 0, 2), *last = tensor_slice(piece, 4, 6);
    tensor *from_left = tensor_zeros(DIST_F32, 2), *from_right = tensor_zeros(DIST_F32, 2);
    swap_edges(first, last, from_left, from_right, rank, world_size);
    tensor_print(from_left, "rank %d has on its left ", rank);
    tensor_print(from_right, "rank %d has on its right", rank);
    tensor_free(from_right);
    tensor_free(from_left);
    tensor_free(last);
    tensor_free(first);
    tensor_free(piece);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
