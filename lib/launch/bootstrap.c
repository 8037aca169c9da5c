/*
 * bootstrap.c: words between all ranks of a job on several machines, before an engine can carry them: where torchrun, srun or an mpirun has
 * started the ranks, and BACKEND is gloo.
 *
 * Each rank calls rank 0 at MASTER_ADDR:MASTER_PORT, as a watcher calls node 0 (nodes.c), with the same proof that it knows the job's secret,
 * which nobody but the user can bring to all machines here: DIST_SECRET. A gather is then a word from each rank to rank 0, and all
 * words back. When the watchers have met (nodes_thread.c), they carry what Gloo's ranks want to know of each other, and this ends.
 */
#define _GNU_SOURCE
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAST_PORT 65535
#define ROUND_EXTRA_S 10 /* in which a gather ends, after the watchers had as long as ranks have to come */

int bootstrap_find_master(const struct launch_env *env, char *host, size_t host_size, int *port,
                          struct why *why)
{
    const char *name = getenv("MASTER_ADDR"), *text = getenv("MASTER_PORT");
    const char *agent = getenv("TORCHELASTIC_USE_AGENT_STORE");
    if (!name || !*name)
        return why_fail(
            DIST_ERR_ENVIRONMENT, why,
            "this machine has only %d of the %d ranks, and MASTER_ADDR is not set; set it on all to "
            "the address of rank 0's machine, and MASTER_PORT to a free port there",
            env->local_size, env->world_size);
    if (!setting_read_number(text ? text : NODES_PORT, 1, LAST_PORT, port))
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "MASTER_PORT is \"%.40s\"; it must be a port, a number from 1 to %d", text,
                        LAST_PORT);
    if (agent && strcmp(agent, "True") == 0)
        *port += *port < LAST_PORT ? 1 : -1;
    nodes_read_host(name, host, host_size);
    return DIST_OK;
}

/* ---- a gather ---------------------------------------------------------------------------------------- */

static bool bootstrap_gather(void *argument, const void *own, void *all, size_t bytes)
{
    struct nodes *star = argument;
    int64_t give_up = job_clock() + (2 * star->seconds + ROUND_EXTRA_S) * (int64_t)1000;
    bool well = true;
    memcpy((char *)all + (size_t)star->number * bytes, own, bytes);
    if (star->number > 0)
        return connection_say(&star->links[0], own, bytes, give_up) &&
               connection_hear(&star->links[0], all, bytes * (size_t)star->size, give_up);
    for (int rank = 1; rank < star->size && well; rank++)
        well = connection_hear(&star->links[rank], (char *)all + (size_t)rank * bytes, bytes, give_up);
    for (int rank = 1; rank < star->size && well; rank++)
        well = connection_say(&star->links[rank], all, bytes * (size_t)star->size, give_up);
    return well;
}

/* ---- the job ----------------------------------------------------------------------------------------- */

static int bootstrap_read(struct nodes *star, const struct launch_env *env, struct why *why)
{
    int port, status = bootstrap_find_master(env, star->host, sizeof star->host, &port, why);
    if (status != DIST_OK)
        return status;
    if (env->local_rank < 0)
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "this machine has only %d of the %d ranks, and which one this is its launcher does "
                        "not say; set %s",
                        env->local_size, env->world_size,
                        env->launcher == LAUNCH_SLURM ? "SLURM_LOCALID" : "LOCAL_RANK");
    star->foreign = star->star = true; /* each rank is a node of its own */
    star->seconds = env->meet_seconds;
    star->alike = alike_of(launch_backend(), false);
    snprintf(star->port, sizeof star->port, "%d", port);
    star->number = env->rank;
    star->count = star->size = env->world_size;
    for (int rank = 0; rank < star->size; rank++)
        star->node_of[rank] = (short)rank;
    return nodes_find_secret(star, why);
}

int bootstrap_check(const struct launch_env *env, struct why *why)
{
    struct nodes star = { .count = 0 };
    return bootstrap_read(&star, env, why);
}

int bootstrap_join_machines(struct launch_self *self, const char *version, struct why *why)
{
    struct nodes *star = calloc(1, sizeof *star);
    if (!star)
        return why_fail(DIST_ERR_MEMORY, why, "the system gives no memory for the ranks to meet");
    star->version = version;
    star->self = self;
    int status = bootstrap_read(star, &self->env, why);
    if (status == DIST_OK)
        status = nodes_meet(star, -1, why);
    if (status == DIST_OK)
        status = nodes_join(self, bootstrap_gather, star, star->host, version, why);
    if (status < 0)
        status = why_fail(DIST_ERR_PEER_LOST, why,
                          "a rank has ended before all machines had met; look at that one first");
    nodes_leave(star);
    free(star);
    return status;
}
