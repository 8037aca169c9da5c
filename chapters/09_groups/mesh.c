/*
 * mesh.c: a mesh of three axes, as large training jobs have it: dp copies of the model, each layer cut into tp slices, the
 * layers dealt out to pp stages. Who is my neighbour along which axis?
 *
 *     dp 0:      pp 0  pp 1          dp 1:      pp 0  pp 1          8 ranks: 2 x 2 x 2
 *         tp 0     0     1               tp 0     4     5
 *         tp 1     2     3               tp 1     6     7
 *
 * Run it:  make run-09 PROG=mesh N=8
 */
#include "../mesh.h"

static const char *const names[] = { "dp", "tp", "pp" };

/* 2 if that divides what is left, else 1. */
static int take_two(int *left)
{
    int two = *left % 2 == 0 ? 2 : 1;
    *left /= two;
    return two;
}

/* Each rank brings its number, and gathers along the axis: these are the ones it will talk to there. */
static void show_axis(const struct mesh *mesh, const char *name, int rank)
{
    tensor *mine = tensor_full(DIST_I32, rank, 1), *line = tensor_zeros(DIST_I32, mesh_size(mesh, name));
    int here = mesh_get_local_rank(mesh, name);
    dist_all_gather(line, mine, .group = mesh_get_group(mesh, name));
    tensor_print(line, "rank %d: %s %d, before me %2d, after me %2d, all along %s", rank, name, here,
                 mesh_rank_at(mesh, name, here - 1), mesh_rank_at(mesh, name, here + 1), name);
    tensor_free(line);
    tensor_free(mine);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int tp = take_two(&world_size), dp = take_two(&world_size), pp = world_size;
    struct mesh *mesh = mesh_init(3, (struct mesh_axis[]){ { "dp", dp }, { "tp", tp }, { "pp", pp } });
    if (rank == 0)
        printf("a mesh of dp %d x tp %d x pp %d\n", dp, tp, pp);
    for (int i = 0; i < 3; i++)
        show_axis(mesh, names[i], rank);
    mesh_free(mesh);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
