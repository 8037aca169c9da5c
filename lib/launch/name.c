/*
 * name.c: a name that the ranks of one job have in common, and no other job has.
 *
 * Where the launcher numbers its jobs, that is the name. Else the process that started the ranks stands for the
 * job; not simply the parent, since `mpirun sh -c './a; ./b'` gives each rank a parent of its own.
 */
#define _GNU_SOURCE
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* MPICH gives each rank a socket to the process manager. Who made it is the same for all. */
static long name_manager_pid(void)
{
    const char *fd = getenv("PMI_FD");
    struct ucred maker = { 0 };
    socklen_t size = sizeof maker;
    if (fd && getsockopt(atoi(fd), SOL_SOCKET, SO_PEERCRED, &maker, &size) == 0 && maker.pid > 0)
        return maker.pid;
    return getppid();
}

static const char *name_or_empty(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

void launch_name_job(struct launch_env *env)
{
    char *key = env->key;
    size_t size = sizeof env->key;
    const char *id = getenv("PMIX_NAMESPACE");
    id = id ? id : getenv("OMPI_MCA_ess_base_jobid");
    if (env->launcher == LAUNCH_TORCHRUN && getenv("MASTER_PORT"))
        snprintf(key, size, "torchrun:%.40s:%.8s:%.8s:%.40s", name_or_empty("MASTER_ADDR"),
                 name_or_empty("MASTER_PORT"), name_or_empty("TORCHELASTIC_RESTART_COUNT"),
                 name_or_empty("TORCHELASTIC_RUN_ID"));
    else if (env->launcher == LAUNCH_OPENMPI && id)
        snprintf(key, size, "openmpi:%.80s", id);
    else if (env->launcher == LAUNCH_MPICH)
        snprintf(key, size, "mpich:%.20s:%ld", name_or_empty("PMI_PORT"), name_manager_pid());
    else if (env->launcher == LAUNCH_SLURM)
        snprintf(key, size, "slurm:%.20s.%.20s", name_or_empty("SLURM_JOB_ID"),
                 name_or_empty("SLURM_STEP_ID"));
    else
        snprintf(key, size, "parent:%ld", (long)getppid());
}
