/* What each rank does in 09.1: one grid after the other, of all shapes that this world can have. */
#include "left.h"

void make_grid(dist_group **row, dist_group **column, int rows, int columns);

/* Who is in the group, and in which order? Told by those who meet in it. */
static void use(dist_group *group, const char *what, int rows, int columns, int rank)
{
    char name[64];
    int size = group ? dist_get_world_size(.group = group) : 0;
    int me = group ? dist_get_rank(.group = group) : -1;
    snprintf(name, sizeof name, "%d x %d: %s place", rows, columns, what);
    desk_hand_in_number(name, me);
    if (me < 0)
        return;
    tensor *mine = tensor_full(DIST_F32, rank, 1), *all = tensor_zeros(DIST_F32, size);
    dist_all_gather(all, mine, .group = group);
    snprintf(name, sizeof name, "%d x %d: %s", rows, columns, what);
    desk_hand_in(name, all);
    tensor_free(all);
    tensor_free(mine);
}

void desk(int rank, int world_size)
{
    for (int rows = 1; rows <= world_size; rows++) {
        if (world_size % rows != 0)
            continue;
        dist_group *row = NULL, *column = NULL;
        make_grid(&row, &column, rows, world_size / rows);
        use(row, "row", rows, world_size / rows, rank);
        use(column, "column", rows, world_size / rows, rank);
        dist_group_free(column);
        dist_group_free(row);
    }
    left_watch();
}
