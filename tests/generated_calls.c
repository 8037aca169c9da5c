/* generated_calls.c: one step as a call. Every call says that it stands at a line of its own. */
#include "generated_run.h"

#include <sched.h>
#include <stdlib.h>

struct dist_at run_here(const struct performer *me)
{
    return (struct dist_at){ "program", me->line };
}

/* ---- tensors ------------------------------------------------------------------------------------ */

tensor *run_make(struct performer *me, enum dist_type type, int64_t count, int value)
{
    return tensor_full_with((struct tensor_full_args){
        .at = run_here(me), .type = type, .value = value, .size0 = count, .size1 = TENSOR_END });
}

/* The tensor of a message. */
static tensor *message_tensor(struct performer *me, struct slot *slot)
{
    const struct gen_step *step = slot->step;
    int value = step->op == GEN_SEND || step->op == GEN_ISEND ? step->value : 0;
    if (step->share)
        return slot[-1].out;
    if (!step->slice)
        return run_make(me, step->type, step->count, value);
    slot->whole = run_make(me, step->type, step->count + 2, value);
    return tensor_slice_at(run_here(me), slot->whole, 1, step->count + 1);
}

static void make_tensors(struct performer *me, struct slot *slot)
{
    const struct gen_step *step = slot->step;
    int n = me->p->groups[step->group].n, in = step->count, out = step->count;
    bool root = step->peer == me->rank;
    if (step->op == GEN_SCATTER)
        in = root ? in * n : -1;
    if (step->op == GEN_GATHER)
        out = root ? out * n : -1;
    if (step->op == GEN_ALL_GATHER || step->op == GEN_ALL_TO_ALL)
        out *= n;
    if (step->op == GEN_REDUCE_SCATTER || step->op == GEN_ALL_TO_ALL)
        in *= n;
    slot->in = in < 0 ? NULL : run_make(me, step->type, in, 1);
    bool one = step->op == GEN_BROADCAST || step->op == GEN_REDUCE || step->op == GEN_ALL_REDUCE;
    slot->out = out < 0 ? NULL : one ? slot->in : run_make(me, step->type, out, 0);
}

/* Give back what a slot has, once it is over. A message has to hold what was sent. */
static void settle(struct performer *me, struct slot *slot)
{
    const struct gen_step *step = slot->step;
    if (slot->out && !gen_is_collective(step->op))
        for (int i = 0; i < 2; i++)
            if (tensor_item_at(run_here(me), slot->out, i * (step->count - 1)) != step->value) {
                fprintf(stderr, "wrong data in what was received at program:%d\n", me->line);
                exit(GEN_WRONG_DATA);
            }
    if (slot->out != slot->in)
        tensor_free_at(run_here(me), slot->out);
    tensor_free_at(run_here(me), slot->in);
    tensor_free_at(run_here(me), slot->whole);
    *slot = (struct slot){ 0 };
}

/* ---- calls ------------------------------------------------------------------------------------------ */

static dist_work *call_collective(struct performer *me, const struct slot *s)
{
    const struct gen_step *c = s->step;
    dist_group *g = me->groups[c->group];
    struct dist_at here = run_here(me);
    struct dist_exchange_args exchange = { here, s->out, s->in, g, c->async };
    switch (c->op) {
    case GEN_BROADCAST:
        return dist_broadcast_with((struct dist_broadcast_args){ here, s->in, c->peer, g, c->async });
    case GEN_REDUCE:
        return dist_reduce_with((struct dist_reduce_args){ here, s->in, c->peer, c->reduction, g, c->async });
    case GEN_ALL_REDUCE:
        return dist_all_reduce_with((struct dist_all_reduce_args){ here, s->in, c->reduction, g, c->async });
    case GEN_SCATTER:
        return dist_scatter_with((struct dist_scatter_args){ here, s->out, s->in, c->peer, g, c->async });
    case GEN_GATHER:
        return dist_gather_with((struct dist_gather_args){ here, s->in, s->out, c->peer, g, c->async });
    case GEN_ALL_GATHER:
        return dist_all_gather_with(exchange);
    case GEN_ALL_TO_ALL:
        return dist_all_to_all_with(
            (struct dist_all_to_all_args){ here, s->out, s->in, g, c->async, NULL, NULL });
    case GEN_REDUCE_SCATTER:
        return dist_reduce_scatter_with(
            (struct dist_reduce_scatter_args){ here, s->out, s->in, c->reduction, g, c->async });
    case GEN_BARRIER:
        return dist_barrier_with((struct dist_barrier_args){ here, g, c->async });
    default:
        dist_monitored_barrier_with((struct dist_monitored_barrier_args){ here, g, 0 });
        return NULL;
    }
}

void run_collective(struct performer *me, struct slot *slot)
{
    if (slot->step->op < GEN_BARRIER)
        make_tensors(me, slot);
    slot->data = slot->in ? tensor_data_at(run_here(me), slot->in) : NULL;
    slot->work = call_collective(me, slot);
    if (!slot->work)
        settle(me, slot);
}

void run_message(struct performer *me, struct slot *slot)
{
    const struct gen_step *m = slot->step;
    dist_group *g = me->groups[m->group];
    bool sends = m->op == GEN_SEND || m->op == GEN_ISEND;
    tensor *t = *(sends ? &slot->in : &slot->out) = message_tensor(me, slot);
    struct dist_send_args send = { run_here(me), t, m->peer, m->tag, g };
    struct dist_recv_args recv = { run_here(me), t, m->peer, m->tag, g };
    slot->data = m->share ? NULL : tensor_data_at(run_here(me), t);
    if (m->op == GEN_ISEND)
        slot->work = dist_isend_with(send);
    else if (m->op == GEN_IRECV)
        slot->work = dist_irecv_with(recv);
    else if (sends)
        dist_send_with(send);
    else
        dist_recv_with(recv);
    if (!slot->work)
        settle(me, slot);
}

/* The step and those after it that belong to the same batch. Gives how many. */
int run_batch(struct performer *me, const struct gen_step *steps, int most)
{
    dist_p2p_op ops[8] = { { 0 } };
    dist_work *works[8];
    int n = 0;
    for (; n < most && n < 8 && steps[n].batch == steps[0].batch; n++) {
        const struct gen_step *m = &steps[n];
        struct slot *slot = &me->slots[m->slot];
        bool sends = m->op == GEN_ISEND;
        slot->step = m;
        tensor *t = *(sends ? &slot->in : &slot->out) = message_tensor(me, slot);
        slot->data = tensor_data_at(run_here(me), t);
        ops[n] = (dist_p2p_op){ sends ? DIST_ISEND : DIST_IRECV, t, m->peer, m->tag, me->groups[m->group] };
    }
    dist_batch_isend_irecv_at(run_here(me), ops, n, works);
    for (int i = 0; i < n; i++)
        me->slots[steps[i].slot].work = works[i];
    return n;
}

void run_wait(struct performer *me, struct slot *slot)
{
    if (!slot->work)
        return;
    dist_wait_at(run_here(me), slot->work);
    settle(me, slot);
}

/* What is still open, and its slots. Gives how many. */
static int find_open(const struct performer *me, dist_work **works, int *slots)
{
    int n = 0;
    for (int i = 0; i < GEN_SLOTS; i++)
        if (me->slots[i].work && !me->slots[i].step->forgotten) {
            slots[n] = i;
            works[n++] = me->slots[i].work;
        }
    return n;
}

void run_wait_all(struct performer *me)
{
    dist_work *works[GEN_SLOTS];
    int slots[GEN_SLOTS], n = find_open(me, works, slots);
    dist_wait_all_at(run_here(me), works, n);
    for (int i = 0; i < n; i++)
        settle(me, &me->slots[slots[i]]);
}

void run_wait_any(struct performer *me)
{
    dist_work *works[GEN_SLOTS];
    int slots[GEN_SLOTS], n = find_open(me, works, slots);
    struct dist_wait_any_args any = { run_here(me), works, n, NULL };
    for (int i; (i = dist_wait_any_with(any)) >= 0;)
        settle(me, &me->slots[slots[i]]);
}

void run_poll(struct performer *me)
{
    dist_work *works[GEN_SLOTS];
    int slots[GEN_SLOTS], n = find_open(me, works, slots);
    for (int left = n; left > 0;
         sched_yield()) /* eight that only ask would take the cores from those they wait for */
        for (int i = 0; i < n; i++)
            if (works[i] && dist_is_completed_at(run_here(me), works[i])) {
                dist_wait_at(run_here(me), works[i]);
                settle(me, &me->slots[slots[i]]);
                works[i] = NULL;
                left--;
            }
}
