/*
 * open.c: joining the job, and leaving it.
 *
 * All ranks need one ncclUniqueId. Within a machine rank 0 makes it and lays it into the world's memory; over several
 * machines it follows from an address that all know (address.c).
 */
#define _GNU_SOURCE
#include "room.h"
#include "../../streams/gpu.h"

#include <stdio.h>
#include <stdlib.h>

#define MEET_SECONDS 60  /* as DIST_INIT_TIMEOUT, where no launcher has read it */
#define USUAL_LIMIT 600  /* seconds; what others in the field wait */
#define LEAVE_SECONDS 10 /* that NCCL gets for tidying up */

/* ---- what the environment asks for ----------------------------------------------------- */

static int read_seconds(const char *name, int usual, double *seconds, char *why, size_t why_size)
{
    const char *text = getenv(name);
    char *end;
    long value = text ? strtol(text, &end, 10) : usual;
    if (text && (end == text || *end || value < 1 || value > 86400)) {
        snprintf(why, why_size, "%s is \"%.40s\"; it must be a number of seconds from 1 to 86400", name,
                 text);
        return DIST_ERR_ENVIRONMENT;
    }
    *seconds = (double)value;
    return DIST_OK;
}

static bool is(const char *name, const char *value)
{
    const char *text = getenv(name);
    return text && strcmp(text, value) == 0;
}

/* NCCL takes ranks with different host ids for ranks on different machines, and so does not notice that they share a GPU.
 * What it would try first between neighbours must be off then. */
static int share_gpu(const struct launch_self *self, char *why, size_t why_size)
{
    char id[32];
    if (self->threads) {
        snprintf(why, why_size, "DIST_NCCL_SHARE_GPU=1 needs ranks that are processes; unset DIST_RANKS");
        return DIST_ERR_ENVIRONMENT;
    }
    snprintf(id, sizeof id, "rank%d", self->env.rank);
    setenv("NCCL_HOSTID", id, 1);
    setenv("NCCL_NET", "Socket", 1);
    setenv("NCCL_P2P_DISABLE", "1", 1);
    setenv("NCCL_SHM_DISABLE", "1", 1);
    return DIST_OK;
}

static int read_environment(struct nccl_room *room, char *why, size_t why_size)
{
    const struct launch_env *env = &room->self->env;
    room->spread = env->local_size >= 0 && env->local_size != env->world_size;
    room->checked = is("DIST_CHECK", "1");
    room->lazy = is("DIST_CONNECT", "lazy");
    room->plain = is("DIST_NCCL_PLAIN", "1");
    if (room->self->algorithms) {
        snprintf(why, why_size,
                 "DIST_ALGORITHM adds up on the host, and NCCL's tensors lie on GPUs; unset it (NCCL_ALGO "
                 "chooses among NCCL's own)");
        return DIST_ERR_ENVIRONMENT;
    }
    if (room->self->trace && room->spread) {
        snprintf(why, why_size, "DIST_TRACE writes down the ranks of one machine only; unset it");
        return DIST_ERR_ENVIRONMENT;
    }
    int status = read_seconds("DIST_TIMEOUT", USUAL_LIMIT, &room->limit, why, why_size);
    if (status == DIST_OK)
        status = launch_read_buffering(&room->eager_bytes, why, why_size);
    if (status == DIST_OK && is("DIST_NCCL_SHARE_GPU", "1"))
        status = share_gpu(room->self, why, why_size);
    if (status == DIST_OK && room->spread)
        status = address_set(env, why, why_size);
    return status;
}

/* ---- joining ----------------------------------------------------------------------------- */

ncclConfig_t nccl_config(void)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0; /* else a rank that is missing would hold us inside NCCL for ever */
    return config;
}

static int take_device(struct nccl_room *room, char *why, size_t why_size)
{
    const struct gpu *gpu = room->self->gpu;
    if (!gpu || !gpu->device || (!nccl_double && strcmp(gpu->device->name, "cuda") != 0)) {
        snprintf(why, why_size, "NCCL moves only the memory of GPUs; set DEVICE=cuda, or take BACKEND=shm");
        return DIST_ERR_ENVIRONMENT;
    }
    room->device = gpu->device;
    room->state = gpu->state;
    room->stream = gpu->device->stream_new(gpu->state, -1);
    room->scratch = gpu->device->alloc(gpu->state, 2 * (size_t)room->size * sizeof(int32_t));
    if (room->stream)
        room->nccl->use(room->stream);
    if (room->stream && room->scratch)
        return DIST_OK;
    snprintf(why, why_size, "the GPU has no memory left for communication");
    return DIST_ERR_MEMORY;
}

static int join(struct nccl_room *room, double seconds, char *why, size_t why_size)
{
    ncclUniqueId id;
    ncclResult_t result = ncclSuccess;
    if (room->rank == 0 || room->spread)
        result = room->nccl->get_unique_id(&id);
    if (result != ncclSuccess)
        return nccl_explain(room->nccl, result, why, why_size);
    int status = room->spread ? DIST_OK : agree_open(room, &id, seconds, why, why_size);
    if (status != DIST_OK)
        return status;
    if (room->plain)
        room->shared = NULL;
    ncclConfig_t config = nccl_config();
    result = room->nccl->comm_init_rank_config(&room->world.comm, room->size, id, room->rank, &config);
    if (!went_well(result))
        return nccl_explain(room->nccl, result, why, why_size);
    status = watch_settle(room, room->world.comm, seconds, why, why_size);
    if (status == DIST_ERR_TIMEOUT)
        snprintf(why, why_size,
                 "NCCL could not bring all %d ranks together within %g s; see whether all have started and "
                 "can reach "
                 "each other (NCCL_DEBUG=INFO tells more, DIST_INIT_TIMEOUT=SECONDS waits longer)",
                 room->size, seconds);
    return status;
}

/* A byte from everybody to everybody. */
static ncclResult_t call_connect(struct nccl_room *room, const struct dist_work *op)
{
    ncclResult_t result = ncclSuccess;
    char *out = room->scratch, *in = out + room->size;
    for (int i = 0; i < room->size && went_well(result); i++) {
        if (i == room->rank)
            continue;
        result = room->nccl->send(out + i, 1, ncclUint8, i, comm_of(op), room->nccl->stream_of(room->stream));
        if (went_well(result))
            result =
                room->nccl->recv(in + i, 1, ncclUint8, i, comm_of(op), room->nccl->stream_of(room->stream));
    }
    return result;
}

/* NCCL connects two ranks when they first have to do with each other, and holds up the host for it: let that be now. */
static int connect_all(struct nccl_room *room, double seconds, char *why, size_t why_size)
{
    struct dist_work op = { .call = CALL_INIT, .group = room->world.group };
    double limit = room->limit;
    if (room->lazy || room->size == 1)
        return DIST_OK;
    room->limit = seconds;
    if (launch_now(room, &op, call_connect) == DIST_OK)
        watch_wait(room, &op, 0);
    room->limit = limit;
    snprintf(why, why_size, "%s", op.why);
    return op.status;
}

static void room_free(struct nccl_room *room)
{
    if (room->world.comm)
        room->nccl->comm_abort(room->world.comm);
    if (room->scratch)
        room->device->free(room->state, room->scratch);
    if (room->stream)
        room->device->stream_free(room->stream);
    pthread_mutex_destroy(&room->lock);
    free(room);
}

int nccl_open(struct launch_self *self, struct dist_group *world, void **out, char *why, size_t why_size)
{
    struct nccl_room *room = calloc(1, sizeof *room);
    double seconds = self->env.meet_seconds;
    if (!room)
        return DIST_ERR_MEMORY;
    room->self = self;
    room->rank = self->env.rank;
    room->size = self->world.header->size;
    room->slot = &self->world.header->slots[room->rank];
    room->notes = world_notes(&self->world, room->rank);
    pthread_mutex_init(&room->lock, NULL);
    struct op_queue *const queues[] = { &room->off, &room->posted, &room->shown, &room->agreed,
                                        &room->flying };
    for (int i = 0; i < 5; i++)
        queue_reset(queues[i]);
    room->world.group = world;
    world->room = &room->world;
    static pthread_mutex_t environment =
        PTHREAD_MUTEX_INITIALIZER; /* threads share it, and some is set here */
    pthread_mutex_lock(&environment);
    int status = read_environment(room, why, why_size);
    pthread_mutex_unlock(&environment);
    if (status == DIST_OK && seconds <= 0)
        status = read_seconds("DIST_INIT_TIMEOUT", MEET_SECONDS, &seconds, why, why_size);
    if (status == DIST_OK && !(room->nccl = nccl_library(why, why_size)))
        status = DIST_ERR_ENVIRONMENT;
    if (status == DIST_OK)
        status = take_device(room, why, why_size);
    if (status == DIST_OK)
        status = join(room, seconds, why, why_size);
    if (status == DIST_OK)
        status = connect_all(room, seconds, why, why_size);
    if (status != DIST_OK)
        room_free(room);
    else
        *out = room;
    return status;
}

/* ---- leaving ------------------------------------------------------------------------------ */

void nccl_leave(void *state)
{
    struct nccl_room *room = state;
    if (room->shared)
        leave_wait(room);
    launch_flush(room);
    while (room->flying.first)
        watch_wait(room, room->flying.first, 0);
}

int nccl_close(void *state)
{
    struct nccl_room *room = state;
    int status = DIST_OK;
    char why[200];
    groups_sweep(room, true);
    if (room->world.comm && went_well(room->nccl->comm_finalize(room->world.comm)))
        status = watch_settle(room, room->world.comm, LEAVE_SECONDS, why, sizeof why);
    if (room->world.comm && status == DIST_OK) {
        room->nccl->comm_destroy(room->world.comm);
        room->world.comm = NULL;
    }
    status = room->failed;
    room_free(room);
    return status;
}
