/*
 * forgot_wait.c: what you see if you forget to wait: the stream does not know that a message is on its way.
 *
 *     default stream    [ print: old ]   wait . . . . .[ print: new ]
 *     communication     [ recv . . . . . . . . . . . .]
 *
 * Run it:  make run-07 PROG=forgot_wait N=2
 */
#define _POSIX_C_SOURCE 200809L
#include "dist.h"

#include <time.h>

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    dist_set_device(DIST_GPU);

    tensor *x = tensor_arange(DIST_F32, 100 * rank, 100 * rank + 4);
    if (rank == 0) {
        nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL); /* the message comes late */
        dist_send(x, 1);
    } else if (rank == 1) {
        dist_work *arriving = dist_irecv(x, 0);
        tensor_print(x, "without a wait rank %d sees", rank);
        dist_wait(arriving); /* the stream waits from here on; the host goes on at once */
        tensor_print(x, "after the wait rank %d sees", rank);
    }

    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 2);
}
