/* feedback: messages were sent; 5 ranks in a row need 8 */
#include "dist.h"
static void pieces(tensor *x, int peer, bool sends)
{
    int64_t n = tensor_numel(x);
    for (int64_t i = 0; i < n; i += 64) {
        tensor *part = tensor_slice(x, i, i + 64 < n ? i + 64 : n);
        if (sends)
            dist_send(part, peer);
        else
            dist_recv(part, peer);
        tensor_free(part);
    }
}
void swap_with_neighbours(tensor *from_left, tensor *from_right, tensor *mine, int rank, int world_size)
{
    int left = rank - 1, right = rank + 1;
    for (int round = 0; round < 2; round++) {
        if (rank % 2 == round && right < world_size) {
            pieces(mine, right, true);
            pieces(from_right, right, false);
        } else if (rank % 2 != round && left >= 0) {
            pieces(from_left, left, false);
            pieces(mine, left, true);
        }
    }
}
