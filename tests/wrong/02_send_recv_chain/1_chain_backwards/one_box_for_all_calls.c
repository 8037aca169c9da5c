/* feedback: called twice */
/*
 * 1_chain_backwards.c: exercise 02.1. The chain turned round: it begins at the highest rank and ends at rank 0.
 *
 *     rank 0 <--[603, 606]-- rank 1 <--[502, 504]-- rank 2 <--[301, 302]-- rank 3
 *     sink                   relay                  relay                  source
 *
 *     rank        0            1            2            3
 *     mine     [1, 2]     [101, 102]   [201, 202]   [301, 302]         before
 *     x       [604, 608]  [603, 606]   [502, 504]   [301, 302]         after
 *
 * Each rank adds its own vector to what comes from the rank above, and sends the sum to the rank below. One message
 * for each arrow. A chain of one sends nothing. Collectives are not allowed.
 *
 * Grade it:  make exercise-02.1        Run it:  make try-02.1 N=4        A hint:  make hint-02.1
 */
#include "dist.h"

/* At first `x` holds the rank's own vector everywhere. In the end it holds the sum of that and of all vectors above. */
void chain_backwards(tensor *x, tensor *mine, int rank, int world_size)
{
    /* TODO: receive from the rank above, add `mine` (tensor_add), send to the rank below. Who has no rank above? Who none below? */
    static tensor *box;
    if (!box)
        box = tensor_zeros(DIST_F32, tensor_numel(x));
    if (rank < world_size - 1) {
        dist_recv(box, rank + 1);
        tensor_add(x, box);
    }
    if (rank > 0)
        dist_send(x, rank - 1);
    /* end of TODO */
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *mine = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    tensor *x = tensor_clone(mine);
    chain_backwards(x, mine, rank, world_size);
    tensor_print(x, "rank %d holds", rank);
    tensor_free(x);
    tensor_free(mine);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
