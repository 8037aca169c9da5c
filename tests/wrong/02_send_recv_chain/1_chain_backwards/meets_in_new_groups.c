/* feedback: Your file calls dist_new_group */
#include "dist.h"
void chain_backwards(tensor *x, tensor *mine, int rank, int world_size)
{
    for (int r = world_size - 1; r > 0; r--) {
        dist_work *w = NULL;
        if (rank == r)
            w = dist_isend(x, r - 1);
        if (rank == r - 1) {
            dist_recv(x, r);
            tensor_add(x, mine);
        }
        if (w)
            dist_wait(w);
        dist_group_free(dist_new_group((int[]){ 0 }, 1)); /* a barrier */
    }
}
