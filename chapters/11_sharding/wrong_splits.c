/*
 * wrong_splits.c: WRONG: tokens are sent to experts, and every rank guesses how many will come: as many as it sends itself.
 *
 * Run it:  make run-11 PROG=wrong_splits N=4
 */
#include "dist.h"

enum { WIDTH = 4, MOST_RANKS = 1024 };

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int64_t splits[MOST_RANKS] = { 0 }, rows = 0;
    for (int i = 0; i < world_size && i < MOST_RANKS; i++) {
        splits[i] = WIDTH * (1 + (rank + 2 * i) % 3);
        rows += splits[i] / WIDTH;
    }
    tensor *tokens = tensor_full(DIST_F32, rank, rows, WIDTH), *came = tensor_zeros(DIST_F32, rows, WIDTH);
    dist_all_to_all(came, tokens, .input_splits = splits, .output_splits = splits);
    printf("rank %d has its tokens\n", rank);
    tensor_free(came);
    tensor_free(tokens);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
