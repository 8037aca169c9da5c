/* Gathers into a tensor of its own, and copies that. */
/*
 * 1_who_is_everyone.c: exercise 01.1. Who am I, and who is everyone?
 *
 *     rank              0                1                2                3
 *     writes a card     [0, 4, s0]       [1, 4, s1]       [2, 4, s2]       [3, 4, s3]
 *                             \               |                |               /
 *     all_gather             [0, 4, s0, 1, 4, s1, 2, 4, s2, 3, 4, s3]    the same list, on every rank
 *
 * Every rank writes a card with three numbers: its rank, how many ranks there are, and its secret, which nobody else knows. Then
 * the cards are gathered, so that everybody has all of them, in the order of the ranks. Your function is not told the first two
 * numbers: ask for them (dist_get_rank, dist_get_world_size). One collective is enough.
 *
 * Grade it:  make exercise-01.1        Run it:  make try-01.1 N=4        A hint:  make hint-01.1
 */
#include "dist.h"

/* `secret` has one element, `list` three for each rank. */
void who_is_everyone(tensor *list, tensor *secret)
{
    tensor *card = tensor_zeros(DIST_F32, 3);

    /* TODO: write the card: tensor_set(card, 0, ...), and so on. tensor_item(secret, 0) reads the secret. */
    tensor_set(card, 2, tensor_item(secret, 0));
    tensor_set(card, 1, dist_get_world_size());
    tensor_set(card, 0, dist_get_rank());
    /* end of TODO */

    /* TODO: one collective, and everybody has all cards. */
    tensor *all = tensor_zeros(DIST_F32, tensor_numel(list));
    dist_all_gather(all, card);
    tensor_copy(list, all);
    tensor_free(all);
    /* end of TODO */

    tensor_free(card);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *secret = tensor_full(DIST_F32, 100 * rank + 7, 1);
    tensor *list = tensor_zeros(DIST_F32, 3 * world_size);
    who_is_everyone(list, secret);
    tensor_print(list, "rank %d knows", rank);
    tensor_free(list);
    tensor_free(secret);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
