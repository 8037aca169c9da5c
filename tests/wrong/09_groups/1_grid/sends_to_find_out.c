/* feedback: Your file calls dist_isend */
/*
 * 1_grid.c: exercise 09.1. The world as a grid of any size: a group for each row, and a group for each column.
 *
 *                column 0   column 1   column 2
 *     row 0       rank 0     rank 1     rank 2         rows = 2, columns = 3: five groups
 *     row 1       rank 3     rank 4     rank 5
 *
 *     rank 4 gets     *row:  ranks 3, 4, 5 in this order         *column:  ranks 1, 4 in this order
 *
 * There are rows x columns ranks. dist_new_group is a collective over the world: every rank makes every group, in the same
 * order, first all rows and then all columns; that is rows + columns groups, and no more. A rank gives those that it is not in
 * back at once (dist_group_free). Its own two it hands over, also where they have only one member. To make groups nothing
 * has to be sent, and nobody to be met in a collective of yours.
 *
 * Grade it:  make exercise-09.1        Run it:  make try-09.1 N=6        A hint:  make hint-09.1
 */
#include "dist.h"

#include <stdlib.h>

/* The group of `count` ranks: first, first + step, first + 2 step, ... NULL where this rank is not in it. */
static dist_group *make_line(int first, int step, int count)
{
    int *ranks = calloc((size_t)count, sizeof *ranks);
    dist_group *group = NULL;

    /* TODO: fill in the list, make the group, and give it back where this rank is not a member (its rank in it is -1). */
    for (int i = 0; i < count; i++)
        ranks[i] = first + i * step;
    group = dist_new_group(ranks, count);
    if (dist_get_rank(.group = group) < 0) {
        dist_group_free(group);
        group = NULL;
    }
    /* end of TODO */

    free(ranks);
    return group;
}

void make_grid(dist_group **row, dist_group **column, int rows, int columns)
{
    *row = NULL;
    *column = NULL;

    /* TODO: make all rows, and keep your own. */
    for (int r = 0; r < rows; r++) {
        dist_group *group = make_line(r * columns, 1, columns);
        if (group)
            *row = group;
    }
    /* end of TODO */

    /* TODO: make all columns, and keep your own. */
    for (int c = 0; c < columns; c++) {
        dist_group *group = make_line(c, columns, rows);
        if (group)
            *column = group;
    }
    tensor *x = tensor_zeros(DIST_F32, 1), *y = tensor_zeros(DIST_F32, 1);
    int n = rows * columns, next = (dist_get_rank() + 1) % n, previous = (dist_get_rank() + n - 1) % n;
    dist_work *works[] = { dist_isend(x, next), dist_irecv(y, previous) };
    dist_wait_all(works, 2);
    tensor_free(y);
    tensor_free(x);
    /* end of TODO */
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    dist_group *row, *column;
    int rows = world_size % 2 == 0 && world_size > 2 ? 2 : 1;
    make_grid(&row, &column, rows, world_size / rows);
    if (row && column)
        printf("rank %d is in row %d, column %d\n", rank, dist_get_rank(.group = column),
               dist_get_rank(.group = row));
    dist_group_free(column);
    dist_group_free(row);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 6);
}
