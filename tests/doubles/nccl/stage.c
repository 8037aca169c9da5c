/* stage.c: see stage.h. */
#define _GNU_SOURCE
#include "stage.h"

#include <stdlib.h>
#include <unistd.h>

struct stage *stage_open(int rank, int size, const struct double_script *how)
{
    struct stage *stage = double_keep(sizeof *stage);
    struct launch_self *self = &stage->self;
    if (how != &script)
        double_play(how);
    self->env = (struct launch_env){ .launcher = LAUNCH_SPAWN, .rank = rank, .world_size = size };
    self->env.local_size = how->spread ? 1 : size;
    self->watched = true;
    if (world_create(&self->world, size) != 0 || !world_map_twice(&self->world))
        abort();
    launch_become(self);
    atomic_store(&self->world.header->slots[rank].state, RANK_JOINED);
    stage->world = (struct dist_group){ .live = GROUP_LIVE, .size = size, .rank = rank };
    stage->world.ranks = double_keep((size_t)size * sizeof(int));
    for (int i = 0; i < size; i++)
        stage->world.ranks[i] = i;
    self->gpu = &stage->gpu;
    stage->gpu.self = self;
    stage->gpu.device = &device_sim;
    if (device_sim.open(self, &stage->gpu.state) != DIST_OK)
        abort();
    stage->stream = device_sim.stream_new(stage->gpu.state, 0);
    stage->status = backend_nccl.open(self, &stage->world, &stage->state, &stage->why);
    return stage;
}

/* What the ops are made of is left to the end of the process. */
void stage_close(struct stage *stage)
{
    if (stage->state) {
        backend_nccl.leave(stage->state);
        backend_nccl.close(stage->state);
    }
    double_rest(stage->self.env.rank);
    device_sim.close(stage->gpu.state);
    world_unmap(&stage->self.world);
    launch_become(NULL);
}

struct dist_work *stage_op(struct stage *stage, enum call call, int64_t count)
{
    const struct device *device = stage->gpu.device;
    struct dist_work *op = double_keep(sizeof *op);
    op->call = call;
    op->at = (struct dist_at){ "play.c", 10 };
    op->group = &stage->world;
    op->type = DIST_F32;
    op->async = true;
    op->from = -1;
    op->block = count;
    op->gpu = &stage->gpu;
    op->ready = device->event_new(stage->gpu.state, false);
    op->gate = device->gate_new(stage->gpu.state);
    mark_record(op->ready, stage->stream);
    op->in = op->out = (struct span){ device->alloc(stage->gpu.state, 64 * (size_t)(count + 1)), count };
    return op;
}

struct dist_work *stage_message(struct stage *stage, bool sends, int peer, int64_t count)
{
    struct dist_work *op = stage_op(stage, sends ? CALL_ISEND : CALL_IRECV, count);
    op->p2p = true;
    op->sends = sends;
    op->peer = peer;
    return op;
}

struct dist_group *stage_group(struct stage *stage, const int *ranks, int count)
{
    struct dist_group *group = double_keep(sizeof *group);
    struct dist_work op = { .call = CALL_NEW_GROUP, .group = &stage->world };
    *group = (struct dist_group){ .live = GROUP_LIVE, .id = ++stage->groups, .size = count, .rank = -1 };
    group->ranks = double_keep((size_t)count * sizeof(int));
    for (int i = 0; i < count; i++) {
        group->ranks[i] = ranks[i];
        if (ranks[i] == stage->self.env.rank)
            group->rank = i;
    }
    return backend_nccl.group_new(stage->state, &op, group) == DIST_OK ? group : NULL;
}

bool stage_await(struct stage *stage, struct dist_work *op, double seconds)
{
    for (double end = dist_time() + seconds; dist_time() < end; usleep(200))
        if (backend_nccl.test(stage->state, op))
            return true;
    return false;
}
