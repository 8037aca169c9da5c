/* nodes_rounds.c: the words that ranks say to all, by which their machines' watchers meet. */
#define _GNU_SOURCE
#include "handshake.h"
#include "job.h"
#include "nodes_rounds.h"

#include <stdio.h>
#include <string.h>

static bool nodes_rounds_say(struct round *r)
{
    bool said = r->gather(r->argument, &r->own, r->all, sizeof r->own);
    memset(&r->own, 0, sizeof r->own);
    return said;
}

/* All have said their machine's first rank. */
static void nodes_rounds_number_nodes(struct nodes *nodes, const struct word *words, int rank)
{
    for (int i = 0; i < nodes->size; i++)
        nodes->node_of[i] = (short)(words[i].number == i ? nodes->count++ : nodes->node_of[words[i].number]);
    nodes->number = nodes->node_of[rank];
}

/* Rounds 1 and 2. */
int rounds_find_node_0(struct round *r, struct nodes *nodes, char *name, size_t name_size, struct why *why)
{
    int rank = r->self->env.rank, first = 0;
    while (atomic_load(&r->self->world.header->slots[first].state) == RANK_ABSENT)
        first++;
    r->own.number = first;
    r->own.traced = control_is_traced();
    if (rank == 0)
        handshake_own_name(r->own.text, sizeof r->own.text);
    if (!nodes_rounds_say(r))
        return -1;
    snprintf(name, name_size, "%s", r->all[0].text);
    nodes_rounds_number_nodes(nodes, r->all, rank);
    for (int i = 1; i < nodes->size; i++)
        if (r->all[i].traced != r->all[0].traced)
            return why_fail(DIST_ERR_ENVIRONMENT, why,
                            "DIST_TRACE is set for rank %d, but not for rank %d; set it for all "
                            "(mpirun.openmpi -x DIST_TRACE=..., mpirun.mpich -genv DIST_TRACE ...)",
                            r->all[0].traced ? 0 : i, r->all[0].traced ? i : 0);
    int asked = nodes_first(nodes, 1);
    if (rank == asked && r->host)
        snprintf(r->own.text, sizeof r->own.text, "%s", r->host);
    else if (rank == asked)
        handshake_find(name, r->own.text, sizeof r->own.text);
    if (!nodes_rounds_say(r))
        return -1;
    snprintf(nodes->host, sizeof nodes->host, "%.255s", r->all[asked].text);
    if (*nodes->host)
        return 0;
    return why_fail(
        DIST_ERR_ENVIRONMENT, why,
        "rank 0's machine is called %.60s, by which others do not find it; set MASTER_ADDR to its address "
        "in the job's network (mpirun.openmpi -x MASTER_ADDR=..., mpirun.mpich -genv MASTER_ADDR ...)",
        name);
}

/* Round 3. Gives where node 0 listens. */
int rounds_open_listener(struct round *r, struct nodes *nodes, int *listener, struct why *why)
{
    int status = 0;
    strcpy(nodes->port, "0"); /* one that is free */
    if (r->self->env.rank == 0) {
        status = nodes_listen(nodes, listener, why);
        if (status == 0 && !secret_random(r->own.key, sizeof r->own.key))
            status = why_fail(DIST_ERR_SYSTEM, why, "the system gives no random bytes for a secret");
        snprintf(r->own.text, sizeof r->own.text, "%s", status ? why->text : nodes->port);
        r->own.number = status;
    }
    if (!nodes_rounds_say(r))
        return -1;
    if (r->all[0].number != 0)
        return why_fail(r->all[0].number, why, "%s", r->all[0].text);
    memcpy(nodes->key, r->all[0].key, sizeof nodes->key);
    snprintf(nodes->port, sizeof nodes->port, "%.7s", r->all[0].text);
    return 0;
}

/* Round 4: all end with the first status that is not 0. */
int rounds_agree(struct round *r, int status, struct why *why)
{
    r->own.number = status;
    snprintf(r->own.text, sizeof r->own.text, "%s", status ? why->text : "");
    if (!nodes_rounds_say(r))
        return -1;
    for (int i = 0; i < r->self->env.world_size; i++)
        if (r->all[i].number != 0)
            return why_fail(r->all[i].number, why, "%s", r->all[i].text);
    return 0;
}
