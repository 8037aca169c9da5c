/*
 * launch.c: from ops to NCCL calls.
 *
 * NCCL works in the background (config.blocking = 0): ncclGroupEnd may return before anything stands in the stream. Only when
 * the communicator says that it is through with the group may something else be put behind it, such as the opening of a gate.
 */
#include "agree.h"

#define WINDOW 50e-6 /* seconds in which a message waits for others, to go with them */
#define MOST 64      /* messages that go together */

int nccl_launch_end(struct nccl_state *nccl, struct dist_work *op, int status)
{
    if (op->step == STEP_EAGER_COPY) { /* nobody waits for it */
        nccl_eager_free(nccl, op);
        return status;
    }
    if (nccl->failed && !op->why.text[0])
        op->why = nccl->why;
    op->status = status;
    atomic_store(&op->begun, 1);
    if (op->gate)
        mark_open(op->gate);
    atomic_store(&op->done, 1);
    return status;
}

/* All NCCL calls of these ops. */
static ncclResult_t nccl_launch_call_all(struct nccl_state *nccl, const struct dist_work *first,
                                         nccl_caller *call)
{
    ncclResult_t result = nccl->calls->group_start();
    if (result != ncclSuccess)
        return result;
    for (const struct dist_work *op = first; op && nccl_went_well(result); op = op->next)
        result = call(nccl, op);
    ncclResult_t ended = nccl->calls->group_end();
    return nccl_went_well(result) ? ended : result;
}

/* As one group, until NCCL is through with it. */
static int nccl_launch_group(struct nccl_state *nccl, const struct dist_work *first, nccl_caller *call,
                             struct why *why)
{
    ncclResult_t result = nccl_launch_call_all(nccl, first, call);
    int status = nccl_went_well(result) ? DIST_OK : nccl_explain(nccl->calls, result, why);
    ncclComm_t before = NULL;
    for (const struct dist_work *op = first; op && status == DIST_OK; op = op->next) {
        ncclComm_t comm = nccl->shared && op->p2p ? nccl->world.comm : nccl_comm_of(op);
        if (comm != before)
            status = nccl_watch_settle(nccl, comm, 0, why);
        before = comm;
    }
    return status;
}

/* Let it be seen when the stream has passed the op: by its gate, or where it has none by an event. */
static void nccl_launch_mark(struct nccl_state *nccl, struct dist_work *op)
{
    const struct device *device = nccl->device;
    atomic_store(&op->begun, 1);
    if (!op->gate && !(op->mark = device->event_new(nccl->state, false))) {
        nccl_watch_fail(nccl, DIST_ERR_MEMORY, "there is no memory left for an event");
        return;
    }
    int status = op->gate ? mark_open_behind(op->gate, nccl->stream) : mark_record(op->mark, nccl->stream);
    if (status != DIST_OK)
        nccl_watch_fail(nccl, status, device_why());
}

/* The ops fly from the beginning, so that a failure on the way ends them as it ends all others. */
static void nccl_launch_them(struct nccl_state *nccl, struct op_queue *ops, nccl_caller *call)
{
    struct dist_work *first = ops->first, *next;
    struct why why;
    int status = DIST_OK;
    queue_append(&nccl->flying, ops);
    for (struct dist_work *op = first; op; op = op->next) {
        if (!nccl->shared)
            op->ticket = ++nccl->tickets;
        op->mark = NULL;
        if (op->ready && status == DIST_OK)
            status = mark_follow(op->ready, nccl->stream);
    }
    if (status != DIST_OK)
        why_say(&why, "%s", device_why());
    else if (!nccl->calls->stream_of(nccl->stream))
        status = why_fail(DIST_ERR_SYSTEM, &why, "a GPU's stream waits for something that nobody has begun");
    else
        status = nccl_launch_group(nccl, first, call, &why);
    if (status != DIST_OK)
        nccl_watch_fail(nccl, status, why.text);
    for (struct dist_work *op = first; op && !nccl->failed; op = next) {
        next = op->next;
        nccl_launch_mark(nccl, op);
    }
}

int nccl_launch_now(struct nccl_state *nccl, struct dist_work *op, nccl_caller *call)
{
    struct op_queue one = { 0 };
    queue_add(&one, op);
    nccl_launch_them(nccl, &one, call);
    return nccl->failed; /* the op may be over by now, and gone */
}

/* ---- what was agreed on ------------------------------------------------------------------------ */

void nccl_launch_later(struct nccl_state *nccl, struct dist_work *op)
{
    if (!nccl->agreed.first)
        nccl->agreed_since = dist_time();
    queue_add(&nccl->agreed, op);
}

/* Is there one in this direction, between the same two? */
static bool nccl_launch_has_alike(const struct op_queue *run, const struct dist_work *op)
{
    for (const struct dist_work *other = run->first; other; other = other->next)
        if (other->sends == op->sends && (op->sends ? other->peer == op->peer : other->from == op->from))
            return true;
    return false;
}

/* The second half of a message to this rank itself: it must not go without the first, which is the last of the run. */
static bool nccl_launch_is_other_half(const struct nccl_state *nccl, const struct dist_work *op)
{
    return !op->sends && op->from == nccl->rank;
}

/* What is at the head of the queue: a collective, or the messages that may go together. agree.h says which, where that was agreed on;
 * else all do. */
static void nccl_launch_take_run(struct nccl_state *nccl, struct op_queue *run)
{
    int count = 0, most = nccl->lazy ? 1 : MOST;
    *run = (struct op_queue){ 0 };
    for (struct dist_work *op; (op = nccl->agreed.first) && (count == 0 || op->p2p); count++) {
        bool full = nccl->shared && (count >= most || nccl_launch_has_alike(run, op));
        if (full && !nccl_launch_is_other_half(nccl, op))
            break;
        queue_add(run, queue_take(&nccl->agreed, &nccl->agreed.first));
        if (!op->p2p)
            break;
    }
}

/* Messages wait a moment for others of this rank that are not agreed on yet: in one group they travel at the same time. Where nothing is
 * shared they wait until somebody asks. */
static bool nccl_launch_is_due(const struct nccl_state *nccl)
{
    bool others = nccl->shown.first || nccl->posted.first;
    for (const struct dist_work *op = nccl->agreed.first; op; op = op->next)
        if (!op->p2p)
            return true;
    return (nccl->asked && !others) || (nccl->shared && nccl_launch_wait_left(nccl) <= 0);
}

double nccl_launch_wait_left(const struct nccl_state *nccl)
{
    return nccl->agreed.first ? nccl->agreed_since + WINDOW - dist_time() : 0;
}

/* NCCL splits no communicator that is at work. What flies comes to its end by itself. */
static bool nccl_launch_must_wait(struct nccl_state *nccl)
{
    if (nccl->agreed.first->call != CALL_NEW_GROUP)
        return false;
    nccl_watch_progress(nccl);
    return nccl->flying.first;
}

bool nccl_launch_agreed(struct nccl_state *nccl)
{
    struct op_queue run;
    bool moved = false;
    if (!nccl->agreed.first || nccl->launching || !nccl_launch_is_due(nccl))
        return false;
    nccl->launching = true;
    while (nccl->agreed.first && !nccl->failed && !nccl_launch_must_wait(nccl)) {
        moved = true;
        nccl_launch_take_run(nccl, &run);
        nccl_check_agree(nccl, &run);
        if (run.first && run.first->call == CALL_NEW_GROUP)
            nccl_launch_end(nccl, run.first, nccl_groups_form(nccl, run.first));
        else if (run.first)
            nccl_launch_them(nccl, &run, nccl_collect);
    }
    nccl->launching = false;
    return moved;
}
