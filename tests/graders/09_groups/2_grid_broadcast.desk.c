/* What each rank does in 09.2: a broadcast over each grid that this world can have, from each root. */
#include "left.h"

void grid_broadcast(tensor *x, int root, dist_group *row, dist_group *column, int columns, int rank);

enum { MOST = 9 };

static dist_group *make_line(int first, int step, int count)
{
    int ranks[MOST];
    for (int i = 0; i < count; i++)
        ranks[i] = first + i * step;
    return dist_new_group(ranks, count);
}

/* One broadcast after the other, from every root. */
static void all_roots(tensor *x, dist_group *row, dist_group *column, int columns, int rank)
{
    int world_size = dist_get_world_size();
    for (int root = 0; root < world_size; root++) {
        char name[64];
        tensor *mine = tensor_clone(x);
        desk_times_exactly(mine, DESK_WIDEN);
        dist_span("desk's call of %d x %d, root %d", world_size / columns, columns, root) {
            grid_broadcast(mine, root, row, column, columns, rank);
        }
        desk_times_exactly(mine, DESK_NARROW);
        snprintf(name, sizeof name, "x (%d x %d, root %d)", world_size / columns, columns, root);
        desk_hand_in(name, mine);
        tensor_free(mine);
    }
}

static void one_grid(tensor *x, int rows, int columns, int rank)
{
    dist_group *row[MOST], *column[MOST];
    for (int r = 0; r < rows; r++)
        row[r] = make_line(r * columns, 1, columns);
    for (int c = 0; c < columns; c++)
        column[c] = make_line(c, columns, rows);
    all_roots(x, row[rank / columns], column[rank % columns], columns, rank);
    for (int c = 0; c < columns; c++)
        dist_group_free(column[c]);
    for (int r = 0; r < rows; r++)
        dist_group_free(row[r]);
}

void desk(int rank, int world_size)
{
    tensor *x = desk_tensor("x");
    for (int rows = 1; rows <= world_size; rows++)
        if (world_size % rows == 0)
            one_grid(x, rows, world_size / rows, rank);
    left_watch();
}
