/* One loop for rows and columns, and a line is a struct. */
#include "dist.h"

struct line {
    int first, step, count;
};

static struct line line_of(int i, int rows, int columns)
{
    return i < rows ? (struct line){ i * columns, 1, columns } : (struct line){ i - rows, columns, rows };
}

void make_grid(dist_group **row, dist_group **column, int rows, int columns)
{
    for (int i = 0; i < rows + columns; i++) {
        struct line line = line_of(i, rows, columns);
        int ranks[line.count];
        for (int k = 0; k < line.count; k++)
            ranks[k] = line.first + k * line.step;
        dist_group *group = dist_new_group(ranks, line.count);
        if (dist_get_rank(.group = group) < 0)
            dist_group_free(group);
        else
            *(i < rows ? row : column) = group;
    }
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
