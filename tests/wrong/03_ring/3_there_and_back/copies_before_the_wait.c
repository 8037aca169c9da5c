/* feedback: It touched a tensor that a message or a stream still needed */
/*
 * 3_there_and_back.c: exercise 03.3. How long does a message take, and how do two go at the same time?
 *
 *     there_and_back                            both_at_once
 *     rank 0  --- ball ---> rank 1              rank 0  --- mine ---> rank 1
 *             <-- ball + 1 --                           <-- mine ---
 *     a round: two messages, in turns           a round: two messages, side by side
 *
 * there_and_back: the ball goes from rank 0 to rank 1, which adds 1 to every element and sends it back; that is a round. It
 * returns how many seconds one message took: the time of all rounds, divided by the number of messages. Use blocking calls.
 *
 * both_at_once: in each round ranks 0 and 1 send each other what they have, and both messages are under way at the same
 * time. After a round each has what the other had, plus 1.
 *
 * Ranks from 2 on do nothing and return 0.
 *
 * Grade it:  make exercise-03.3        Run it:  make try-03.3 N=2        A hint:  make hint-03.3
 */
#include "dist.h"

double there_and_back(tensor *ball, int rounds, int rank)
{
    double seconds = 0;

    /* TODO: play all rounds, and measure them with dist_time(). */
    if (rank > 1)
        return 0;
    double start = dist_time();
    for (int i = 0; i < rounds; i++) {
        if (rank == 0) {
            dist_send(ball, 1);
            dist_recv(ball, 1);
        } else {
            dist_recv(ball, 0);
            tensor_add_scalar(ball, 1);
            dist_send(ball, 0);
        }
    }
    seconds = (dist_time() - start) / (2 * rounds);
    /* end of TODO */

    return seconds;
}

/* `theirs` is room for what arrives, as large as `mine`. In the end `mine` holds the result. */
void both_at_once(tensor *mine, tensor *theirs, int rounds, int rank)
{
    /* TODO: in each round start both transfers, wait for both, then copy `theirs` to `mine` and add 1. */
    if (rank > 1)
        return;
    for (int i = 0; i < rounds; i++) {
        dist_work *arriving = dist_irecv(theirs, 1 - rank);
        dist_work *leaving = dist_isend(mine, 1 - rank);
        tensor_copy(mine, theirs);
        dist_wait(arriving);
        dist_wait(leaving);
        tensor_add_scalar(mine, 1);
    }
    /* end of TODO */
}

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    tensor *mine = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    tensor *theirs = tensor_zeros(DIST_F32, 2);
    double seconds = there_and_back(theirs, 1000, rank);
    both_at_once(mine, theirs, 3, rank);
    tensor_print(mine, "rank %d holds", rank);
    if (rank == 0)
        printf("a message took %.2f us\n", seconds * 1e6);
    tensor_free(theirs);
    tensor_free(mine);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 2);
}
