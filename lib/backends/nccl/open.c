/*
 * open.c: joining the job, and leaving it.
 *
 * All ranks need one ncclUniqueId. Within a machine rank 0 makes it and lays it into the world's memory; over several
 * machines it follows from an address that all know.
 */
#define _GNU_SOURCE
#include "state.h"
#include "../../launch/nodes.h"
#include "../../streams/gpu.h"

#include <stdio.h>
#include <stdlib.h>

#define MEET_SECONDS 60  /* as DIST_INIT_TIMEOUT, where no launcher has read it */
#define USUAL_LIMIT 600  /* seconds; what others in the field wait */
#define LEAVE_SECONDS 10 /* that NCCL gets for tidying up */

/* ---- what the environment asks for ----------------------------------------------------- */

/* NCCL takes ranks with different host ids for ranks on different machines, and so does not notice that they share a GPU.
 * What it would try first between neighbours must be off then. */
static int nccl_open_share_gpu(const struct launch_self *self, struct why *why)
{
    char id[32];
    if (self->threads)
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "DIST_NCCL_SHARE_GPU=1 needs ranks that are processes; unset DIST_RANKS");
    snprintf(id, sizeof id, "rank%d", self->env.rank);
    setenv("NCCL_HOSTID", id, 1);
    setenv("NCCL_NET", "Socket", 1);
    setenv("NCCL_P2P_DISABLE", "1", 1);
    setenv("NCCL_SHM_DISABLE", "1", 1);
    return DIST_OK;
}

/* Over several machines NCCL brings its own meeting: rank 0 listens at the address in NCCL_COMM_ID, all others call there. So no
 * server of ours is needed, only the same address everywhere. It comes from MASTER_ADDR and MASTER_PORT, which torchrun sets, and
 * for which mpirun and srun must be asked. */
static int nccl_open_set_address(const struct launch_env *env, struct why *why)
{
    char host[256], text[300];
    int port;
    if (getenv("NCCL_COMM_ID"))
        return DIST_OK;
    int status = bootstrap_find_master(env, host, sizeof host, &port, why);
    if (status != DIST_OK)
        return status;
    snprintf(text, sizeof text, strchr(host, ':') ? /* of IPv6 */ "[%.250s]:%d" : "%.250s:%d", host, port);
    return setenv("NCCL_COMM_ID", text, 1) == 0 ? DIST_OK : DIST_ERR_MEMORY;
}

static int nccl_open_read_environment(struct nccl_state *nccl, struct why *why)
{
    const struct launch_env *env = &nccl->self->env;
    nccl->spread = launch_is_far(env);
    nccl->checked = setting_is("DIST_CHECK", "1");
    nccl->plain = setting_is("DIST_NCCL_PLAIN", "1");
    nccl->lazy = setting_is("DIST_CONNECT", "lazy");
    if (nccl->self->algorithms)
        return why_fail(
            DIST_ERR_ENVIRONMENT, why,
            "DIST_ALGORITHM adds up on the host, and NCCL's tensors lie on GPUs; unset it (NCCL_ALGO "
            "chooses among NCCL's own)");
    if (nccl->self->trace && nccl->spread)
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "DIST_TRACE writes down the ranks of one machine only; unset it");
    nccl->limit = (double)setting_number("DIST_TIMEOUT", USUAL_LIMIT);
    int status = setting_check("DIST_TIMEOUT", why);
    if (status == DIST_OK)
        status = launch_read_buffering(&nccl->eager_bytes, why);
    if (status == DIST_OK && setting_is("DIST_NCCL_SHARE_GPU", "1"))
        status = nccl_open_share_gpu(nccl->self, why);
    if (status == DIST_OK && nccl->spread)
        status = nccl_open_set_address(env, why);
    return status;
}

/* ---- joining ----------------------------------------------------------------------------- */

ncclConfig_t nccl_config(void)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0; /* else a rank that is missing would hold us inside NCCL for ever */
    return config;
}

static int nccl_open_take_device(struct nccl_state *nccl, struct why *why)
{
    const struct gpu *gpu = nccl->self->gpu;
    if (!gpu || !gpu->device || (!nccl_double && strcmp(gpu->device->name, "cuda") != 0))
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "NCCL moves only the memory of GPUs; set DEVICE=cuda, or take BACKEND=shm");
    nccl->device = gpu->device;
    nccl->state = gpu->state;
    nccl->stream = gpu->device->stream_new(gpu->state, -1);
    nccl->scratch = gpu->device->alloc(gpu->state, 2 * (size_t)nccl->size * sizeof(int32_t));
    if (nccl->stream)
        nccl->calls->use(nccl->stream);
    if (nccl->stream && nccl->scratch)
        return DIST_OK;
    return why_fail(DIST_ERR_MEMORY, why, "the GPU has no memory left for communication");
}

static int nccl_open_join(struct nccl_state *nccl, double seconds, struct why *why)
{
    ncclUniqueId id;
    ncclResult_t result = ncclSuccess;
    if (nccl->rank == 0 || nccl->spread)
        result = nccl->calls->get_unique_id(&id);
    if (result != ncclSuccess)
        return nccl_explain(nccl->calls, result, why);
    int status = nccl->spread ? DIST_OK : nccl_agree_open(nccl, &id, seconds, why);
    if (status != DIST_OK)
        return status;
    if (nccl->plain)
        nccl->shared = NULL;
    ncclConfig_t config = nccl_config();
    result = nccl->calls->comm_init_rank_config(&nccl->world.comm, nccl->size, id, nccl->rank, &config);
    if (!nccl_went_well(result))
        return nccl_explain(nccl->calls, result, why);
    status = nccl_watch_settle(nccl, nccl->world.comm, seconds, why);
    if (status == DIST_ERR_TIMEOUT)
        why_say(why,
                "NCCL could not bring all %d ranks together within %g s; see whether all have started and "
                "can reach each other (NCCL_DEBUG=INFO tells more, DIST_INIT_TIMEOUT=SECONDS waits longer)",
                nccl->size, seconds);
    return status;
}

/* NCCL connects two ranks when they first have to do with each other, and holds up the host for it: let that be now, by a byte from
 * everybody to all others. */
static int nccl_open_connect_all(struct nccl_state *nccl, double seconds, struct why *why)
{
    int64_t one_each[2 * WORLD_MAX_RANKS];
    struct dist_work op = { .call = CALL_ALL_TO_ALL,
                            .group = nccl->world.group,
                            .in = { nccl->scratch, nccl->size },
                            .out = { (char *)nccl->scratch + nccl->size, nccl->size },
                            .splits = one_each,
                            .type = DIST_U8 };
    double limit = nccl->limit;
    if (nccl->lazy || nccl->size == 1)
        return DIST_OK;
    for (int i = 0; i < 2 * nccl->size; i++)
        one_each[i] = i % nccl->size != nccl->rank;
    nccl->limit = seconds;
    if (nccl_launch_now(nccl, &op, nccl_collect) == DIST_OK)
        nccl_watch_wait(nccl, &op, 0);
    nccl->limit = limit;
    *why = op.why;
    return op.status;
}

static void nccl_open_free(struct nccl_state *nccl)
{
    if (nccl->world.comm)
        nccl->calls->comm_abort(nccl->world.comm);
    if (nccl->scratch)
        nccl->device->free(nccl->state, nccl->scratch);
    if (nccl->stream)
        nccl->device->stream_free(nccl->stream);
    pthread_mutex_destroy(&nccl->lock);
    free(nccl);
}

int nccl_open(struct launch_self *self, struct dist_group *world, void **out, struct why *why)
{
    struct nccl_state *nccl = calloc(1, sizeof *nccl);
    double seconds = self->env.meet_seconds;
    if (!nccl)
        return DIST_ERR_MEMORY;
    nccl->self = self;
    nccl->rank = self->env.rank;
    nccl->size = self->world.header->size;
    pthread_mutex_init(&nccl->lock, NULL);
    nccl->groups = &nccl->world;
    nccl->world.group = world;
    world->state = &nccl->world;
    static pthread_mutex_t environment =
        PTHREAD_MUTEX_INITIALIZER; /* threads share it, and some is set here */
    pthread_mutex_lock(&environment);
    int status = nccl_open_read_environment(nccl, why);
    if (seconds <= 0)
        seconds = (double)setting_number("DIST_INIT_TIMEOUT", MEET_SECONDS);
    pthread_mutex_unlock(&environment);
    if (status == DIST_OK && !(nccl->calls = nccl_library(why)))
        status = DIST_ERR_ENVIRONMENT;
    if (status == DIST_OK)
        status = nccl_open_take_device(nccl, why);
    if (status == DIST_OK)
        status = nccl_open_join(nccl, seconds, why);
    if (status == DIST_OK)
        status = nccl_open_connect_all(nccl, seconds, why);
    if (status != DIST_OK)
        nccl_open_free(nccl);
    else
        *out = nccl;
    return status;
}

/* ---- leaving ------------------------------------------------------------------------------ */

void nccl_leave(void *state)
{
    struct nccl_state *nccl = state;
    if (nccl->shared)
        nccl_leave_wait(nccl);
    nccl->asked = true;
    nccl_launch_agreed(nccl);
    while (nccl->flying.first)
        nccl_watch_wait(nccl, nccl->flying.first, 0);
}

int nccl_close(void *state)
{
    struct nccl_state *nccl = state;
    int status = DIST_OK;
    struct why why;
    launch_has_left(nccl->self); /* NCCL may wait now until the others tidy up, who may wait for each other */
    nccl_groups_sweep(nccl, true);
    if (nccl->world.comm && nccl_went_well(nccl->calls->comm_finalize(nccl->world.comm)))
        status = nccl_watch_settle(nccl, nccl->world.comm, LEAVE_SECONDS, &why);
    if (nccl->world.comm && status == DIST_OK) {
        nccl->calls->comm_destroy(nccl->world.comm);
        nccl->world.comm = NULL;
    }
    status = nccl->failed;
    nccl_open_free(nccl);
    return status;
}
