/* Asks its groups where it is in them. */
#include "dist.h"

#include <stdlib.h>

struct place {
    int row, column;
};

static struct place place_of(int rank, int columns)
{
    return (struct place){ .row = rank / columns, .column = rank % columns };
}

void grid_broadcast(tensor *x, int root, dist_group *row, dist_group *column, int columns, int rank)
{
    struct place from = place_of(root, columns);
    int mine = dist_get_rank(.group = column), across = dist_get_rank(.group = row);
    (void)rank;
    if (mine == from.row)
        dist_broadcast(x, .group = row, .src = root);
    dist_broadcast(x, .group = column, .src = from.row * columns + across);
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
