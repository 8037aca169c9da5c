/* groups.c: a communicator for each group, split off the world's. */
#include "state.h"
#include "../common/members.h"

#include <stdlib.h>

#define TIDY_SECONDS 10

/* NCCL writes down the communicator when it has made it: where the group keeps it. It sorts those that name one colour by their
 * key: ours is the place in the list. */
static int nccl_groups_comm_split(struct nccl_state *nccl, struct dist_work *op, struct nccl_group *g,
                                  bool member)
{
    const struct nccl_calls *calls = nccl->calls;
    const struct dist_group *group = g->group;
    ncclConfig_t config = nccl_config();
    ncclResult_t result = calls->comm_split(nccl->world.comm, member ? 0 : NCCL_SPLIT_NOCOLOR,
                                            member ? group->rank : 0, &g->comm, &config);
    if (!nccl_went_well(result))
        return nccl_explain(calls, result, &op->why);
    int status = nccl_watch_settle(nccl, nccl->world.comm, 0, &op->why);
    if (status != DIST_OK || !member)
        return status;
    status = nccl_watch_settle(nccl, g->comm, 0, &op->why);
    int count = 0, place = -1;
    if (status == DIST_OK && (calls->comm_count(g->comm, &count) != ncclSuccess ||
                              calls->comm_user_rank(g->comm, &place) != ncclSuccess || count != group->size ||
                              place != group->rank)) {
        g->broken = true;
        return why_fail(DIST_ERR_MISMATCH, &op->why,
                        "NCCL made a group of %d of it, not of %d: some rank lists other members, or has no "
                        "memory for it",
                        count, group->size);
    }
    return status;
}

/* With the list that notes name, where they do: without one they would name all ranks. */
static struct nccl_group *nccl_groups_new(struct nccl_state *nccl, struct dist_group *group)
{
    struct nccl_group *g = calloc(1, sizeof *g);
    if (g && (!nccl->shared || group->rank < 0 || members_publish(nccl->self, group)))
        return g;
    free(g);
    return NULL;
}

int nccl_groups_form(struct nccl_state *nccl, struct dist_work *op)
{
    struct dist_group *group = nccl->forming;
    struct nccl_group *own = nccl_groups_new(nccl, group),
                      *g = own ? own : &nccl->spare; /* which takes part */
    g->group = group;
    g->nccl = nccl;
    int status = nccl_groups_comm_split(nccl, op, g, own && group->rank >= 0);
    if (!own) /* the others do not wait for it, and find that a member is missing */
        return why_fail(DIST_ERR_MEMORY, &op->why, "the system gives no memory for a group");
    if (status == DIST_OK && group->rank < 0) {
        free(g);
        return DIST_OK;
    }
    if (status != DIST_OK) { /* kept: NCCL may still write to it */
        members_forget(nccl->self, group);
        g->next = nccl->retired;
        nccl->retired = g;
        return status;
    }
    g->next = nccl->groups;
    nccl->groups = g;
    group->state = g;
    return DIST_OK;
}

/* Agreed on like a collective of the world, since a split is one for NCCL. */
int nccl_group_new(void *state, struct dist_work *op, struct dist_group *group)
{
    struct nccl_state *nccl = state;
    group->apart = !nccl->shared;
    nccl_lock(nccl);
    nccl_groups_sweep(nccl, false);
    nccl->forming = group;
    nccl_unlock(nccl);
    nccl_progress_wait(nccl, op, 0);
    return op->status;
}

/* ---- ending ---------------------------------------------------------------------------------- */

/* NCCL tidies up in the background; nccl_groups_sweep ends it. */
void nccl_group_free(void *state, struct dist_group *group)
{
    struct nccl_state *nccl = state;
    struct nccl_group *g = group->state, **at = &nccl->groups;
    nccl_lock(nccl);
    nccl->asked = true;
    nccl_launch_agreed(nccl);
    while (*at != g)
        at = &(*at)->next;
    *at = g->next;
    if (g->comm)
        g->broken = !nccl_went_well(nccl->calls->comm_finalize(g->comm));
    members_forget(nccl->self, group);
    g->next = nccl->retired;
    nccl->retired = g;
    nccl_unlock(nccl);
}

/* It may wait until the other ranks of this process do the same, each when it comes by: so nobody else may wait for it. */
static void nccl_groups_end_group(void *argument)
{
    struct nccl_group *g = argument;
    const struct nccl_calls *calls = g->nccl->calls;
    calls->use(g->nccl->stream);
    if (g->broken)
        calls->comm_abort(g->comm);
    else
        calls->comm_destroy(g->comm);
    atomic_fetch_sub(&launch_notes(g->nccl->self)->tidying, 1);
    atomic_store(&g->ended, true);
}

/* How is NCCL getting on with its end? True: there is nothing more to wait for. */
static bool nccl_groups_is_tidy(struct nccl_state *nccl, struct nccl_group *g)
{
    ncclResult_t state = ncclSuccess;
    if (!g->comm || g->broken)
        return true;
    if (nccl->calls->comm_get_async_error(g->comm, &state) != ncclSuccess || !nccl_went_well(state))
        g->broken = true;
    return state != ncclInProgress;
}

void nccl_groups_sweep(struct nccl_state *nccl, bool all)
{
    struct why why;
    for (struct nccl_group *g = nccl->retired; g; g = g->next) {
        if (!g->comm || g->end.runs)
            continue;
        if (all && !g->broken)
            g->broken = nccl_watch_settle(nccl, g->comm, TIDY_SECONDS, &why) != DIST_OK;
        if (nccl_groups_is_tidy(nccl, g)) {
            g->end = (struct worker){
                .self = nccl->self, .name = "dist group", .work = nccl_groups_end_group, .argument = g
            };
            /* counted while they surely are there: a thread too few puts a report off, one too many could make it false */
            atomic_fetch_add(&launch_notes(nccl->self)->tidying, worker_start(&g->end));
        }
    }
    for (struct nccl_group **at = &nccl->retired, *g; (g = *at);) {
        if (!all && !atomic_load(&g->ended)) {
            at = &g->next;
            continue;
        }
        worker_join(&g->end);
        *at = g->next;
        free(g);
    }
}

/* ---- failing --------------------------------------------------------------------------------- */

static void nccl_groups_abort_group(struct nccl_state *nccl, struct nccl_group *g)
{
    if (g->end.runs) /* somebody else does it */
        return;
    if (g->comm)
        nccl->calls->comm_abort(g->comm);
    g->comm = NULL;
}

/* All at once: an abort waits until the stream is past its communicator's kernels, and there they may stand behind those of
 * another. In a group NCCL first tells all of them to stop, and waits at its end: from 2.22 on, as PyTorch's pull request 132291
 * has it (see NCCL's issue 1013; in NCCL's own papers no version was found). An older one may wait for ever here. */
void nccl_groups_abort(struct nccl_state *nccl)
{
    nccl->calls->use(nccl->stream);
    nccl->calls->group_start();
    for (struct nccl_group *g = nccl->groups; g; g = g->next)
        nccl_groups_abort_group(nccl, g);
    for (struct nccl_group *g = nccl->retired; g; g = g->next)
        nccl_groups_abort_group(nccl, g);
    nccl->calls->group_end();
}
