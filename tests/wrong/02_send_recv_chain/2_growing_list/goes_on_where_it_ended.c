/* feedback: called twice */
/*
 * 2_growing_list.c: exercise 02.2. A list that really grows: a message holds what is known so far, and no more.
 *
 *     rank 0 --[1]--> rank 1 --[1, 101]--> rank 2 --[1, 101, 201]--> rank 3
 *
 *     rank      0        1             2                  3
 *     mine     [1]     [101]         [201]              [301]                        before
 *     list     [1]   [1, 101]   [1, 101, 201]   [1, 101, 201, 301]                  after
 *
 * In the lesson's chain_vector.c every message is as long as the finished list. Here rank r sends r + 1 entries: those
 * that it has received, in their order, and its own after them. A send and its receive must agree in size, and what
 * arrives is one shorter than the list. A chain of one sends nothing. Collectives are not allowed.
 *
 * Grade it:  make exercise-02.2        Run it:  make try-02.2 N=4        A hint:  make hint-02.2
 */
#include "dist.h"

/* `mine` has one element, `list` has rank + 1, which are 0 at first. It may be called again in the same run. */
void growing_list(tensor *list, tensor *mine, int rank, int world_size)
{
    /* TODO: if there is a rank before this one: receive its list, and copy it into `list` (tensor_item, tensor_set). */
    if (rank > 0) {
        tensor *before = tensor_zeros(DIST_F32, rank);
        dist_recv(before, rank - 1);
        for (int i = 0; i < rank; i++)
            tensor_set(list, i, tensor_item(before, i));
        tensor_free(before);
    }
    /* end of TODO */

    /* TODO: write the rank's own entry after the others, and send the list on. */
    static int next; /* the first place that is free */
    next += rank;
    tensor_set(list, next++, tensor_item(mine, 0));
    if (rank < world_size - 1)
        dist_send(list, rank + 1);
    /* end of TODO */
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *mine = tensor_full(DIST_F32, 100 * rank + 1, 1);
    tensor *list = tensor_zeros(DIST_F32, rank + 1);
    growing_list(list, mine, rank, world_size);
    tensor_print(list, "rank %d holds", rank);
    tensor_free(list);
    tensor_free(mine);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
