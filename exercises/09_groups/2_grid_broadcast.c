/*
 * 2_grid_broadcast.c: exercise 09.2. A broadcast over a grid: along one row, then down all columns at the same time.
 *
 *     2 x 3, root is rank 4        first               then
 *
 *         0   1   2                0   1   2           0   1   2
 *                                                      ^   ^   ^
 *         3 [ 4 ] 5                3 <-4-> 5           3   4   5
 *
 * Before: every rank has its own `x`, of any type. After: all hold the root's. `root` is any rank of the world. `row` and `column` are this
 * rank's groups, made by somebody else: make no group, and free none. Only ranks of the root's row take part in the first step;
 * in the second, every column hears it from its member in that row. So a rank takes part in two broadcasts or in one, each of
 * the whole of `x`, and in no other collective. A group of one needs no broadcast; with or without one is right.
 * The only collective that you need is dist_broadcast, in a row and in a column, not over the world; no messages.
 * What you make beside it you give back (tensor_free).
 *
 * Grade it:  make exercise-09.2        Run it:  make try-09.2 N=6        A hint:  make hint-09.2
 */
#include "dist.h"

#include <stdlib.h>

/* The grid has `columns` columns; rank r sits in row r / columns, column r % columns. */
void grid_broadcast(tensor *x, int root, dist_group *row, dist_group *column, int columns, int rank)
{
    /* TODO: along the root's row, if this rank sits in it. (.src is a rank of the world) */

    /* end of TODO */

    /* TODO: down this rank's column. Who in it has the root's tensor by now? */

    /* end of TODO */
}

static dist_group *make_line(int first, int step, int count)
{
    int *ranks = calloc((size_t)count, sizeof *ranks);
    for (int i = 0; ranks && i < count; i++)
        ranks[i] = first + i * step;
    dist_group *group = dist_new_group(ranks, count);
    free(ranks);
    return group;
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int rows = world_size % 2 == 0 && world_size > 2 ? 2 : 1, columns = world_size / rows;
    dist_group *row[2], **column = calloc((size_t)columns, sizeof(dist_group *));
    for (int r = 0; r < rows; r++)
        row[r] = make_line(r * columns, 1, columns);
    for (int c = 0; c < columns; c++)
        column[c] = make_line(c, columns, rows);

    tensor *x = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 4);
    grid_broadcast(x, world_size * 2 / 3, row[rank / columns], column[rank % columns], columns, rank);
    tensor_print(x, "rank %d holds", rank);

    tensor_free(x);
    for (int c = 0; c < columns; c++)
        dist_group_free(column[c]);
    for (int r = 0; r < rows; r++)
        dist_group_free(row[r]);
    free(column);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 6);
}
