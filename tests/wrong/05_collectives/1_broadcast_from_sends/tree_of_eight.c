/* feedback: first wrong element of x */
#include "dist.h"

void broadcast(tensor *x, int src, int rank, int world_size)
{
    int place = (rank - src + world_size) % world_size;
    for (int far = 4; far > 0; far /= 2) {
        if (place % (2 * far) == far)
            dist_recv(x, (place - far + src) % world_size);
        else if (place % (2 * far) == 0 && place + far < world_size)
            dist_send(x, (place + far + src) % world_size);
    }
}
