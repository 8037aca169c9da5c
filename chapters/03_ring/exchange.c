/*
 * exchange.c: neighbours swap vectors, twice: by taking turns, and all at the same time.
 *
 *     in_turns        rank 0 <---> rank 1      rank 2 <---> rank 3       pairs: even with odd
 *
 *     at_once    ---> rank 0 <---> rank 1 <---> rank 2 <---> rank 3 <--- a ring: 3 and 0 touch
 *
 * Run it:  make run-03 PROG=exchange N=4
 */
#include "dist.h"

enum tag { TO_THE_RIGHT, TO_THE_LEFT };

static void in_turns(tensor *mine, int rank, int world_size)
{
    int partner = rank % 2 == 0 ? rank + 1 : rank - 1;
    if (partner == world_size) {
        printf("rank %d has no partner\n", rank);
        return;
    }
    tensor *theirs = tensor_zeros(DIST_F32, 2);
    if (rank % 2 == 0) {
        dist_send(mine, partner);
        dist_recv(theirs, partner);
    } else {
        dist_recv(theirs, partner);
        dist_send(mine, partner);
    }
    tensor_print(theirs, "rank %d got from its partner", rank);
    tensor_free(theirs);
}

static void at_once(tensor *mine, int rank, int world_size)
{
    int right = (rank + 1) % world_size;
    int left = (rank + world_size - 1) % world_size;
    tensor *from_left = tensor_zeros(DIST_F32, 2);
    tensor *from_right = tensor_zeros(DIST_F32, 2);

    dist_work *works[4];
    works[0] = dist_irecv(from_left, left, .tag = TO_THE_RIGHT);
    works[1] = dist_irecv(from_right, right, .tag = TO_THE_LEFT);
    works[2] = dist_isend(mine, right, .tag = TO_THE_RIGHT);
    works[3] = dist_isend(mine, left, .tag = TO_THE_LEFT);
    dist_wait_all(works, 4);

    tensor_print(from_left, "rank %d got from the left", rank);
    tensor_print(from_right, "rank %d got from the right", rank);
    tensor_free(from_right);
    tensor_free(from_left);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *mine = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    in_turns(mine, rank, world_size);
    at_once(mine, rank, world_size);
    tensor_free(mine);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
