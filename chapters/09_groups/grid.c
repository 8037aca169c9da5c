/*
 * grid.c: the world cut into rows and columns, with a group for each. Sums along the rows, then down the columns.
 *
 *               column 0   column 1
 *     row 0      rank 0     rank 1       4 ranks: 2 x 2
 *     row 1      rank 2     rank 3
 *
 * Run it:  make run-09 PROG=grid N=4
 */
#include "dist.h"

#include <stdlib.h>

/* As near to a square as n allows: as many rows as divide it without being more than the columns. */
static int rows_for(int n)
{
    int rows = 1;
    for (int i = 2; i * i <= n; i++)
        rows = n % i == 0 ? i : rows;
    return rows;
}

/* Ranks first, first + step, ... as a group. The whole world makes it; who is not in it gives it back at once. */
static dist_group *make_line(int first, int step, int count)
{
    int *ranks = calloc((size_t)count, sizeof *ranks);
    for (int i = 0; ranks && i < count; i++)
        ranks[i] = first + i * step;
    dist_group *group = dist_new_group(ranks, count);
    free(ranks);
    if (dist_get_rank(.group = group) >= 0)
        return group;
    dist_group_free(group);
    return NULL;
}

/* Every rank makes all rows and all columns, in the same order, and keeps its own two. */
static void make_grid(int rows, int columns, dist_group **row, dist_group **column)
{
    *row = *column = NULL;
    for (int r = 0; r < rows; r++) {
        dist_group *group = make_line(r * columns, 1, columns);
        *row = group ? group : *row;
    }
    for (int c = 0; c < columns; c++) {
        dist_group *group = make_line(c, columns, rows);
        *column = group ? group : *column;
    }
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int rows = rows_for(world_size), columns = world_size / rows;
    dist_group *row, *column;
    make_grid(rows, columns, &row, &column);

    tensor *x = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    tensor *all = tensor_clone(x);
    tensor_print(x, "rank %d of %d x %d sits in row %d, column %d and brings", rank, rows, columns,
                 dist_get_rank(.group = column), dist_get_rank(.group = row));
    dist_all_reduce(x, .group = row);
    tensor_print(x, "rank %d has the sum of its row", rank);
    dist_all_reduce(x, .group = column);
    dist_all_reduce(all);
    tensor_print(x, "rank %d has the sum of all rows, %s:", rank,
                 tensor_equal(x, all) ? "as if all had met" : "WRONG");

    tensor_free(all);
    tensor_free(x);
    dist_group_free(column);
    dist_group_free(row);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
