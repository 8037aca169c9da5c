/*
 * first_call.c: the first message between two ranks blocks after all, since their connection is being made.
 *
 *     rank 1   host      recv .......... recv  recv
 *     rank 0   host      (late)      send  (late)  send  (late)  send
 *
 * Run it:  make run-07 PROG=first_call N=2
 */
#define _POSIX_C_SOURCE 200809L
#include "dist.h"

#include <stdlib.h>
#include <time.h>

enum { CALLS = 3 };

static void be_late(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 60000000 }, NULL);
}

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    dist_set_device(DIST_GPU);

    tensor *x = tensor_full(DIST_F32, 100 * rank, 4);
    tensor *sent = tensor_zeros(DIST_F64, CALLS); /* when rank 0 called dist_send */
    double returned[CALLS] = { 0 };               /* when rank 1's dist_recv did */
    for (int i = 0; i < CALLS && rank < 2; i++) {
        if (rank == 0) {
            be_late();
            tensor_set(sent, i, dist_time());
            dist_send(x, 1);
        } else {
            dist_recv(x, 0);
            returned[i] = dist_time();
        }
    }
    dist_broadcast(sent, 0);
    for (int i = 0; i < CALLS && rank == 1; i++)
        printf("rank 1: receive %d %s\n", i + 1,
               returned[i] > tensor_item(sent, i) ? "kept the host until rank 0 came" : "returned at once");

    tensor_free(sent);
    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    setenv("DIST_CONNECT", "lazy", 0); /* make connections when they are first needed, as NCCL does */
    return dist_spawn(run, 2);
}
