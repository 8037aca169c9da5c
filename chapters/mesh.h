/*
 * mesh.h: the world as a mesh of named axes, with a group along each: what torch.distributed calls a DeviceMesh.
 *
 *     struct mesh *mesh = mesh_init(3, (struct mesh_axis[]){ { "dp", 2 }, { "tp", 2 }, { "pp", 2 } });
 *     dist_all_reduce(gradient, .op = DIST_AVG, .group = mesh_get_group(mesh, "dp"));
 *     int next = mesh_rank_at(mesh, "pp", mesh_get_local_rank(mesh, "pp") + 1);       -1: this is the last stage
 *     mesh_free(mesh);
 *
 * Ranks are counted as in a tensor of that shape: the last axis runs fastest. So 2 x 2 x 2 is
 *
 *     dp 0:      pp 0  pp 1          dp 1:      pp 0  pp 1
 *         tp 0     0     1               tp 0     4     5
 *         tp 1     2     3               tp 1     6     7
 *
 * mesh_init is a collective over the world: every rank calls it, with the same axes. A mesh that cannot be, and an axis that
 * is not there, end the program with one sentence and the exit status of a wrong argument. mesh_free is local.
 */
#ifndef MESH_H
#define MESH_H

#include "dist.h"

#include <stdlib.h>
#include <string.h>

enum { MESH_MOST = 4 }; /* axes */

struct mesh_axis {
    const char *name; /* a literal: it is not copied */
    int size;
};

struct mesh {
    int ndim;
    struct mesh_axis axes[MESH_MOST];
    int coordinate[MESH_MOST]; /* where this rank is, axis by axis */
    dist_group
        *group[MESH_MOST]; /* the ranks that differ from it along that axis only, in the order of the axis */
};

/* Along this axis, how far apart are two ranks that are neighbours? */
static inline int mesh_step(const struct mesh *mesh, int axis)
{
    int step = 1;
    for (int i = axis + 1; i < mesh->ndim; i++)
        step *= mesh->axes[i].size;
    return step;
}

/* The number of the axis with that name. */
static inline int mesh_axis_named(const struct mesh *mesh, const char *name)
{
    for (int i = 0; i < mesh->ndim; i++)
        if (strcmp(mesh->axes[i].name, name) == 0)
            return i;
    fprintf(stderr, "rank %d: mesh: there is no axis \"%s\"; name one of those that mesh_init was given\n",
            dist_get_rank(), name);
    exit(DIST_ERR_ARGUMENT);
}

/* Do the axes make up the world? All ranks find out at the same time; rank 0 tells. */
static inline void mesh_check(int ndim, const struct mesh_axis *axes)
{
    long ranks = ndim >= 1 && ndim <= MESH_MOST;
    for (int i = 0; i < ndim && i < MESH_MOST && ranks > 0 && ranks < 1 << 20; i++)
        ranks *= axes[i].size > 0 ? axes[i].size : 0;
    if (ranks == dist_get_world_size())
        return;
    if (dist_get_rank() == 0) {
        fprintf(stderr, "rank 0: mesh_init: ");
        for (int i = 0; i < ndim && i < MESH_MOST; i++)
            fprintf(stderr, "%s%s %d", i ? " x " : "", axes[i].name, axes[i].size);
        fprintf(stderr, " does not make %d ranks; take 1 to %d axes whose sizes multiply to that\n",
                dist_get_world_size(), MESH_MOST);
    }
    dist_barrier(); /* nobody ends before it is told */
    exit(DIST_ERR_ARGUMENT);
}

/* All groups along one axis, of which this rank keeps the one that it is in. */
static inline dist_group *mesh_make_groups(const struct mesh *mesh, int axis)
{
    int size = mesh->axes[axis].size, step = mesh_step(mesh, axis), world = dist_get_world_size();
    int *ranks = calloc((size_t)size, sizeof *ranks);
    dist_group *mine = NULL;
    for (int first = 0; ranks && first < world; first++) {
        if (first / step % size != 0) /* not the first along this axis */
            continue;
        for (int i = 0; i < size; i++)
            ranks[i] = first + i * step;
        dist_group *group = dist_new_group(ranks, size);
        if (dist_get_rank(.group = group) >= 0)
            mine = group;
        else
            dist_group_free(group);
    }
    free(ranks);
    return mine;
}

static inline struct mesh *mesh_init(int ndim, const struct mesh_axis *axes)
{
    mesh_check(ndim, axes);
    struct mesh *mesh = calloc(1, sizeof *mesh);
    if (!mesh)
        exit(DIST_ERR_MEMORY);
    mesh->ndim = ndim;
    for (int i = 0; i < ndim; i++)
        mesh->axes[i] = axes[i];
    for (int i = 0; i < ndim; i++) {
        mesh->coordinate[i] = dist_get_rank() / mesh_step(mesh, i) % axes[i].size;
        mesh->group[i] = mesh_make_groups(mesh, i);
    }
    return mesh;
}

/* Give everything back, once the last operation in its groups was waited for. NULL is fine. */
static inline void mesh_free(struct mesh *mesh)
{
    for (int i = 0; mesh && i < mesh->ndim; i++)
        dist_group_free(mesh->group[i]);
    free(mesh);
}

/* The ranks that differ from this one along that axis only. It belongs to the mesh: do not free it. */
static inline dist_group *mesh_get_group(const struct mesh *mesh, const char *name)
{
    return mesh->group[mesh_axis_named(mesh, name)];
}

/* Where this rank is along that axis: also its rank in that group. */
static inline int mesh_get_local_rank(const struct mesh *mesh, const char *name)
{
    return mesh->coordinate[mesh_axis_named(mesh, name)];
}

static inline int mesh_size(const struct mesh *mesh, const char *name)
{
    return mesh->axes[mesh_axis_named(mesh, name)].size;
}

/* The rank (of the world, as in all calls) at that place along the axis, and beside this rank along all others. -1: the axis
 * does not reach so far. */
static inline int mesh_rank_at(const struct mesh *mesh, const char *name, int place)
{
    int axis = mesh_axis_named(mesh, name);
    if (place < 0 || place >= mesh->axes[axis].size)
        return -1;
    return dist_get_rank() + (place - mesh->coordinate[axis]) * mesh_step(mesh, axis);
}

#endif
