/*
 * address.c: where rank 0 waits for ranks on other machines.
 *
 * NCCL brings its own meeting: rank 0 listens at the address in NCCL_COMM_ID, all others call there. So no server of ours is
 * needed, only the same address everywhere. It comes from MASTER_ADDR and MASTER_PORT, which torchrun sets, and for which
 * mpirun and srun must be asked.
 */
#define _GNU_SOURCE
#include "state.h"
#include "../../launch/bootstrap.h"

#include <stdio.h>
#include <stdlib.h>

int nccl_address_set(const struct launch_env *env, char *why, size_t why_size)
{
    char host[256], text[300];
    int port;
    if (getenv("NCCL_COMM_ID"))
        return DIST_OK;
    int status = bootstrap_find_master(env, host, sizeof host, &port, why, why_size);
    if (status != DIST_OK)
        return status;
    snprintf(text, sizeof text, strchr(host, ':') ? /* of IPv6 */ "[%.250s]:%d" : "%.250s:%d", host, port);
    return setenv("NCCL_COMM_ID", text, 1) == 0 ? DIST_OK : DIST_ERR_MEMORY;
}
