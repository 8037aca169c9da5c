/*
 * wrong_size.c: rank 0 sends a question of 8 numbers; rank 1 has room for 5.
 *
 *     rank 0 --[1 ... 8]--> rank 1 [. . . . .]
 *            <--- answer ---
 *
 * It ends with a report, on purpose. Run it:  make run-06 PROG=wrong_size N=4
 */
#include "dist.h"

static void ask(tensor *answer)
{
    tensor *question = tensor_arange(DIST_F32, 1, 9);
    dist_work *sending = dist_isend(question, 1);
    dist_recv(answer, 1);
    dist_wait(sending);
    tensor_print(answer, "rank 0 hears that the sum is");
    tensor_free(question);
}

static void reply(tensor *answer)
{
    tensor *question = tensor_zeros(DIST_F32, 5); /* should be 8 */
    dist_recv(question, 0);
    tensor_set(answer, 0, tensor_sum(question));
    dist_send(answer, 0);
    tensor_free(question);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    (void)world_size;
    tensor *answer = tensor_zeros(DIST_F32, 1);
    if (rank == 0)
        ask(answer);
    if (rank == 1)
        reply(answer);
    tensor_free(answer);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
