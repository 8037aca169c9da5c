/*
 * group_again.c: a group is kept while so many others are made and freed that ids come back: what is sent in it comes to no receive of a
 * later one. Exit status 1: it does.
 */
#include "dist.h"
#include "tensor.h"

#include <stdio.h>
#include <stdlib.h>

#define IDS 65535

static void run(int rank, int size)
{
    const int both[] = { 0, 1 };
    double a = 1, b = 2;
    (void)size;
    dist_init_process_group();
    dist_group *kept = dist_new_group(both, 2);
    for (int i = 1; i < IDS; i++)
        dist_group_free(dist_new_group(both, 1));
    dist_group *later = dist_new_group(both, 2);
    tensor *x = tensor_full(DIST_F32, a, 1), *y = tensor_full(DIST_F32, b, 1);
    if (rank == 0) {
        dist_work *works[] = { dist_isend(x, 1, .group = kept), dist_isend(y, 1, .group = later) };
        dist_wait_all(works, 2);
    } else {
        dist_recv(x, 0, .group = later);
        dist_recv(y, 0, .group = kept);
        a = tensor_item(y, 0);
        b = tensor_item(x, 0);
        printf("in the group that was kept %g, in the later one %g\n", a, b);
    }
    dist_destroy_process_group();
    if (a != 1 || b != 2)
        exit(1);
}

int main(void)
{
    return dist_spawn(run, 2);
}
