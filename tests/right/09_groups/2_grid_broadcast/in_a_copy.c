/* Passes a copy on, and has its own loop over the two steps, with spans of its own. */
#include "dist.h"

#include <stdlib.h>

void grid_broadcast(tensor *x, int root, dist_group *row, dist_group *column, int columns, int rank)
{
    const struct step {
        const char *where;
        bool part;
        int from;
        dist_group *group;
    } steps[] = { { "desk's call: row", rank / columns == root / columns, root, row },
                  { "desk's call: column", true, root / columns * columns + rank % columns, column } };
    tensor *copy = tensor_clone(x);
    for (const struct step *s = steps; s < steps + 2; s++) {
        if (!s->part)
            continue;
        dist_span("%s", s->where) {
            dist_broadcast(copy, s->from, s->group);
        }
    }
    tensor_copy(x, copy);
    tensor_free(copy);
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
