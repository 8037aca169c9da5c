/* A recursion makes line after line and comes back with the one that this rank is in; prints what it makes. */
#include "dist.h"

#include <stdlib.h>

static dist_group *lines(int first, int step, int count, int apart, int left)
{
    if (left == 0)
        return NULL;
    int *ranks = malloc((size_t)count * sizeof(int)), *end = ranks;
    if (!ranks)
        exit(1);
    while (end - ranks < count) {
        *end = first + (int)(end - ranks) * step;
        end++;
    }
    dist_group *group = dist_new_group(ranks, count);
    fprintf(stderr, "%d members from rank %d on\n", dist_get_world_size(.group = group), ranks[0]);
    free(ranks);
    if (dist_get_rank(.group = group) == -1) {
        dist_group_free(group);
        group = NULL;
    }
    dist_group *other = lines(first + apart, step, count, apart, left - 1);
    return group ? group : other;
}

void make_grid(dist_group **row, dist_group **column, int rows, int columns)
{
    *row = lines(0, 1, columns, columns, rows);
    *column = lines(0, columns, rows, 1, columns);
}
