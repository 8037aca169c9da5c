/*
 * cured_messages.c: peer, tag and size agree on both sides. The size travels first, so nobody has to guess it.
 *
 *     rank 0 --[8]--> rank 1               how many there will be
 *            --[1 ... 8]-->                the question
 *            <-- [36] --                   the answer
 *
 * Run it:  make run-06 PROG=cured_messages N=4
 */
#include "dist.h"

enum tag { SIZE = 1, QUESTION, ANSWER };

static void ask(tensor *size, tensor *answer)
{
    tensor *question = tensor_arange(DIST_F32, 1, 9);
    tensor_set(size, 0, 8);
    dist_send(size, 1, .tag = SIZE);
    dist_send(question, 1, .tag = QUESTION);
    dist_recv(answer, 1, .tag = ANSWER);
    tensor_print(answer, "rank 0 hears that the sum is");
    tensor_free(question);
}

static void reply(tensor *size, tensor *answer)
{
    dist_recv(size, 0, .tag = SIZE);
    tensor *question = tensor_zeros(DIST_F32, (int64_t)tensor_item(size, 0));
    dist_recv(question, 0, .tag = QUESTION);
    tensor_set(answer, 0, tensor_sum(question));
    dist_send(answer, 0, .tag = ANSWER);
    tensor_free(question);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    (void)world_size;
    tensor *size = tensor_zeros(DIST_I64, 1);
    tensor *answer = tensor_zeros(DIST_F32, 1);
    if (rank == 0)
        ask(size, answer);
    if (rank == 1)
        reply(size, answer);
    tensor_free(answer);
    tensor_free(size);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
