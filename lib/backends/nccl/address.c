/*
 * address.c: where rank 0 waits for ranks on other machines.
 *
 * NCCL brings its own meeting: rank 0 listens at the address in NCCL_COMM_ID, all others call there. So no server of ours is
 * needed, only the same address everywhere. It comes from MASTER_ADDR and MASTER_PORT, which torchrun sets, and for which
 * mpirun and srun must be asked. torchrun's agent listens at MASTER_PORT itself; then we take the port above it.
 */
#define _GNU_SOURCE
#include "state.h"

#include <stdio.h>
#include <stdlib.h>

#define USUAL_PORT 29500 /* torchrun's */
#define LAST_PORT 65535

static int nccl_read_port(int *port, char *why, size_t why_size)
{
    const char *text = getenv("MASTER_PORT"), *agent = getenv("TORCHELASTIC_USE_AGENT_STORE");
    char *end;
    long value = text ? strtol(text, &end, 10) : USUAL_PORT;
    if (text && (end == text || *end || value < 1 || value > LAST_PORT))
        return text_why(DIST_ERR_ENVIRONMENT, why, why_size,
                        "MASTER_PORT is \"%.40s\"; it must be a port, a number from 1 to %d", text,
                        LAST_PORT);
    if (agent && strcmp(agent, "True") == 0)
        value = value < LAST_PORT ? value + 1 : value - 1;
    *port = (int)value;
    return DIST_OK;
}

int nccl_address_set(const struct launch_env *env, char *why, size_t why_size)
{
    const char *host = getenv("MASTER_ADDR");
    char text[300];
    int port = USUAL_PORT;
    if (getenv("NCCL_COMM_ID"))
        return DIST_OK;
    if (!host || !*host)
        return text_why(
            DIST_ERR_ENVIRONMENT, why, why_size,
            "only %d of the %d ranks run on this machine, and MASTER_ADDR is not set; set it on all to "
            "the address of "
            "rank 0's machine, and MASTER_PORT to a free port there",
            env->local_size, env->world_size);
    int status = nccl_read_port(&port, why, why_size);
    if (status != DIST_OK)
        return status;
    bool six = strchr(host, ':') && host[0] != '['; /* an IPv6 address needs brackets */
    snprintf(text, sizeof text, six ? "[%.250s]:%d" : "%.250s:%d", host, port);
    return setenv("NCCL_COMM_ID", text, 1) == 0 ? DIST_OK : DIST_ERR_MEMORY;
}
