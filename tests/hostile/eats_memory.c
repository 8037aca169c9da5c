/* feedback: ended with exit status 134 */
/* Asks for memory until there is none. */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    (void)traveller, (void)mine, (void)world_size;
    for (char *more; rank == 0 && (more = malloc(1 << 20));)
        memset(more, 1, 1 << 20);
    abort();
}
