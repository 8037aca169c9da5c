/* feedback: Your file calls dist_set_error_handler */
/* A handler that says nothing: the buffer is touched while it is sent, and nobody would hear of it. */
#include "dist.h"

static void say_nothing(const struct dist_report *report, void *context)
{
    (void)report, (void)context;
}

void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    dist_set_error_handler(say_nothing, NULL);
    if (rank == 0) {
        dist_work *under_way = dist_isend(traveller, (rank + 1) % world_size);
        ((float *)tensor_data(traveller))[0] += 0;
        dist_wait(under_way);
        dist_recv(traveller, world_size - 1);
    } else {
        dist_recv(traveller, rank - 1);
        tensor_mul_scalar(traveller, 2);
        tensor_add(traveller, mine);
        dist_send(traveller, (rank + 1) % world_size);
    }
}
