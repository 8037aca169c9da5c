/* plain.c [END]: a rank without dist_spawn; whoever starts it tells it its place. END: leave, exit (without leaving), kill. */
#define _GNU_SOURCE
#include "dist.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *end = argc > 1 ? argv[1] : "leave";
    dist_init_process_group();
    int rank = dist_get_rank(), size = dist_get_world_size();
    tensor *x = tensor_full(DIST_I32, rank + 1, 1);
    dist_all_reduce(x);
    printf("rank %d of %d: %g\n", rank, size, tensor_item(x, 0));
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("plain");
        return 3;
    }
    if (rank == size - 1 && strcmp(end, "exit") == 0)
        return 0;
    if (rank == size - 1 && strcmp(end, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(end, "leave") != 0)
        dist_barrier();
    tensor_free(x);
    dist_destroy_process_group();
    return 0;
}
