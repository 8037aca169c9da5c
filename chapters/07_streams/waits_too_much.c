/*
 * waits_too_much.c: waiting for one message, and waiting for the whole GPU.
 *
 *     stream 1         [ long computation . . . . . . . . . . . . ]
 *     default stream   wait .[ add ]  <- all that we need
 *     communication    [ recv ]
 *
 * Run it:  make run-07 PROG=waits_too_much N=2
 */
#include "dist.h"

#include <math.h>

enum { SIZE = 500, ROUNDS = 6, TRIES = 3 };

/* Put a long computation into a stream of its own. */
static void compute_aside(dist_stream *aside, tensor *out, tensor *a)
{
    dist_stream_use(aside);
    for (int i = 0; i < ROUNDS; i++)
        tensor_matmul(out, a, a);
    dist_stream_use(NULL);
}

static void swap(tensor *mine, tensor *theirs, int partner)
{
    dist_work *arriving = dist_irecv(theirs, partner), *leaving = dist_isend(mine, partner);
    dist_wait(arriving);
    dist_wait(leaving);
    tensor_add_scalar(theirs, 1);
}

static void run(int rank, int world_size)
{
    int partner = rank % 2 == 0 ? rank + 1 : rank - 1;
    dist_init_process_group();
    dist_set_device(DIST_GPU);

    tensor *a = tensor_full(DIST_F32, 0.01, SIZE, SIZE), *out = tensor_zeros(DIST_F32, SIZE, SIZE);
    tensor *mine = tensor_full(DIST_F32, 100 * rank, 4), *theirs = tensor_zeros(DIST_F32, 4);
    dist_stream *aside = dist_stream_new();

    double share = 1; /* of the GPU's time, until the message is there: at best */
    for (int i = 0; i < TRIES; i++) {
        dist_barrier();
        if (partner >= world_size)
            continue;
        double start = dist_time();
        compute_aside(aside, out, a);
        swap(mine, theirs, partner);
        tensor_item(theirs, 0); /* waits for the default stream */
        double needed = dist_time() - start;
        dist_synchronize(); /* waits for all */
        share = fmin(share, needed / (dist_time() - start));
    }
    if (partner < world_size) {
        tensor_print(theirs, "rank %d has, of its partner's and 1,", rank);
        printf("rank %d: %s\n", rank,
               share < 0.5 ? "the message was there long before the GPU was done"
                           : "the message came no sooner than the GPU was done");
    }

    dist_stream_free(aside);
    tensor_free(theirs);
    tensor_free(mine);
    tensor_free(out);
    tensor_free(a);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 2);
}
