/* feedback: It used an element of an array that the array does not have. */
#include "dist.h"

static dist_group *make_line(int first, int step, int count)
{
    int ranks[8];
    for (int i = 0; i < count; i++)
        ranks[i] = first + i * step;
    dist_group *group = dist_new_group(ranks, count);
    if (dist_get_rank(.group = group) >= 0)
        return group;
    dist_group_free(group);
    return NULL;
}

void make_grid(dist_group **row, dist_group **column, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        dist_group *group = make_line(r * columns, 1, columns);
        *row = group ? group : *row;
    }
    for (int c = 0; c < columns; c++) {
        dist_group *group = make_line(c, columns, rows);
        *column = group ? group : *column;
    }
}
