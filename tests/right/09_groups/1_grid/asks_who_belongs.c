/* Goes through all ranks and asks of each whether it belongs to the line. */
#include "dist.h"

static bool in_row(int rank, int line, int columns)
{
    return rank / columns == line;
}

static bool in_column(int rank, int line, int columns)
{
    return rank % columns == line;
}

static dist_group *make_one(bool (*belongs)(int rank, int line, int columns), int line, int columns)
{
    enum { MOST = 1024 };
    int ranks[MOST], count = 0;
    for (int r = 0; r < dist_get_world_size(); r++)
        if (belongs(r, line, columns))
            ranks[count++] = r;
    dist_group *group = dist_new_group(ranks, count);
    if ((*belongs)(dist_get_rank(), line, columns))
        return group;
    dist_group_free(group);
    return NULL;
}

void make_grid(dist_group **row, dist_group **column, int rows, int columns)
{
    dist_group *mine;
    *row = *column = NULL;
    for (int r = 0; r < rows; r++)
        *row = (mine = make_one(in_row, r, columns)) ? mine : *row;
    for (int c = 0; c < columns; c++)
        *column = (mine = make_one(in_column, c, columns)) ? mine : *column;
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
