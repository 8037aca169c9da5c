/* asked.c: what may be asked of a communicator, and when. */
#include "double.h"
#include "../../../lib/dist.h"

#include <stdio.h>
#include <stdlib.h>

void comms_expect_open(ncclComm_t comm, const char *call)
{
    char name[32];
    if (!comm->ended)
        return;
    fprintf(stderr, "nccl%s: %s was destroyed or aborted\n", call, comm_name(comm, name, sizeof name));
    abort();
}

bool comms_is_ready(ncclComm_t comm)
{
    pthread_mutex_lock(&double_lock);
    bool ready = comm->later_count == 0 && comm->polls == 0 && dist_time() >= comm->ready_at;
    pthread_mutex_unlock(&double_lock);
    return ready;
}

/* Without `moves` the others are thought: the script says how many are in a split. */
ncclResult_t double_comm_count(ncclComm_t comm, int *count)
{
    if (comm->parent)
        comm->size = script.moves ? comm->place->size : script.split_size;
    *count = comm->size;
    return ncclSuccess;
}

ncclResult_t double_comm_user_rank(ncclComm_t comm, int *rank)
{
    *rank = comm->rank;
    return ncclSuccess;
}
