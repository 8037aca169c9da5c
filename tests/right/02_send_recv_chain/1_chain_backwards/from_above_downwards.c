/* One loop over the arrows, from the highest down; a rank does what concerns it. It prints, and keeps a count. */
#include "dist.h"

static _Thread_local int arrows;

void chain_backwards(tensor *x, tensor *mine, int rank, int world_size)
{
    for (int sender = world_size - 1; sender > 0; sender--) {
        if (rank == sender) {
            dist_send(x, sender - 1);
            printf("arrow %d leaves rank %d\n", ++arrows, rank);
        }
        if (rank == sender - 1) {
            dist_span("receive and add") {
                tensor *sum = tensor_clone(mine);
                dist_recv(x, sender);
                tensor_add(sum, x);
                tensor_copy(x, sum);
                tensor_free(sum);
            }
        }
    }
}
