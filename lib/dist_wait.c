/* dist_wait.c: waiting for works. */
#include "checked.h"
#include "diagnose/poll.h"
#include "noted.h"
#include "streams/order.h"

#define NAP 100 /* ms after which a sleeper looks whether the job still stands */

static bool check_work(enum call call, struct dist_at at, const dist_work *work)
{
    if (!work)
        report(call, at, DIST_ERR_ARGUMENT, "the work is NULL; only calls that start something give one");
    else if (work->live != WORK_LIVE)
        report(call, at, DIST_ERR_STATE, "the work was waited for already; wait exactly once for each");
    return work && work->live == WORK_LIVE;
}

static int follow(struct context *context, struct gpu *gpu, const char *call, dist_work *work)
{
    gpu_range_begin(gpu, call);
    int result = comm_follow(context, gpu, call, work);
    gpu_range_end(gpu);
    return result;
}

/* While several works are waited for, one after another, the room is told to go on by itself until all are: a rank that looked
 * like computing between two waits would be rung for each message. Let go of before a report: a handler may leave by longjmp. */
struct waiting {
    struct context *context;
    enum call call;
    struct dist_at at;
    bool held;
    bool may; /* the work is over, and in another run another one might have been first: dist_wait_any */
};

static void hold(struct waiting *waiting, bool held)
{
    const struct backend *backend = waiting->context->backend;
    if (backend->hold && waiting->held != held)
        backend->hold(waiting->context->room, held);
    waiting->held = held;
}

static int wait_for(struct waiting *waiting, dist_work *work)
{
    struct context *context = waiting->context;
    if (!work || work->live != WORK_LIVE || work->gpu)
        hold(waiting, false);
    if (!check_work(waiting->call, waiting->at, work))
        return work ? -DIST_ERR_STATE : -DIST_ERR_ARGUMENT;
    noted_over(context, work, !waiting->may);
    if (work->gpu && !work->refused) {
        checked_end(work);
        work->group->pending--;
        return follow(context, work->gpu, call_name(waiting->call), work);
    }
    int status = work->refused ? work->status : context->backend->wait(context->room, work);
    noted_source(context, work);
    checked_end(work);
    int result = work->from >= 0 ? work->from : 0;
    work->group->pending--;
    work_free(context, work); /* where it waits, and can still be read */
    if (status != DIST_OK)
        hold(waiting, false);
    return status != DIST_OK ? report_op(work) : result;
}

int dist_wait_at(struct dist_at at, dist_work *work)
{
    struct context *context = context_enter(CALL_WAIT, at);
    if (!context)
        return -DIST_ERR_STATE;
    int result = wait_for(&(struct waiting){ .context = context, .call = CALL_WAIT, .at = at }, work);
    context_exit(context);
    return result;
}

int dist_wait_all_at(struct dist_at at, dist_work **works, int count)
{
    struct context *context = context_enter(CALL_WAIT_ALL, at);
    if (!context)
        return -DIST_ERR_STATE;
    int first_error = 0;
    if (count < 0 || (count > 0 && !works))
        first_error = report(CALL_WAIT_ALL, at, DIST_ERR_ARGUMENT,
                             "count is %d and works is %s; pass an array of count works", count,
                             works ? "given" : "NULL");
    struct waiting waiting = { .context = context, .call = CALL_WAIT_ALL, .at = at };
    for (int i = 0; i < count && works; i++) {
        hold(&waiting, i + 1 < count && first_error == 0);
        int result = wait_for(&waiting, works[i]);
        if (result < 0 && first_error == 0)
            first_error = result;
    }
    context_exit(context);
    return first_error;
}

static bool is_over(struct context *context, dist_work *work)
{
    return work->refused || (work->gpu ? comm_is_over(work) : context->backend->test(context->room, work));
}

/* Was the rank's last call another one? Then it is no poller yet. */
static bool asks_anew(void)
{
    const struct launch_self *self = launch_self_if_any();
    const struct context *context = self ? atomic_load(&self->context) : NULL;
    return !context ||
           atomic_load_explicit(&context->slot->last_call, memory_order_relaxed) >> 16 != CALL_IS_COMPLETED;
}

/* A poller is no sleeper: where all others are, it is told by itself. What a real GPU is at, nobody knows. */
static void asked_in_vain(struct context *context, const dist_work *work, bool anew)
{
    static _Thread_local struct polling polling;
    struct launch_self *self = context->self;
    if ((work->gpu && context->backend->on_streams) ||
        !poll_ask(&polling, &self->world, self->env.rank, anew))
        return;
    if (!work->gpu)
        context->backend->note(context->room, work);
    else if (comm_may_note(work->gpu))
        context->backend->note(context->room, comm_stuck(work->gpu, NULL));
    poll_tell(&polling, &self->world, self->env.rank);
}

bool dist_is_completed_at(struct dist_at at, dist_work *work)
{
    bool anew = asks_anew();
    struct context *context = context_enter(CALL_IS_COMPLETED, at);
    if (!context)
        return false;
    bool done = check_work(CALL_IS_COMPLETED, at, work) && is_over(context, work);
    if (done) {
        noted_over(context, work, false);
        noted_source(context, work);
        checked_end(work);
    }
    if (done && work->gpu && !work->refused)
        order_over(work->gpu, work);
    if (!done && work && work->live == WORK_LIVE)
        asked_in_vain(context, work, anew);
    context_exit(context);
    return done;
}

/* ---- whichever is first --------------------------------------------------------------------------- */

struct any {
    struct context *context;
    dist_work **works;
    int count;
    int found; /* the index of one that is over */
};

static bool one_is_over(void *argument)
{
    struct any *any = argument;
    for (int i = 0; i < any->count; i++)
        if (any->works[i] && is_over(any->context, any->works[i])) {
            any->found = i;
            return true;
        }
    return false;
}

static bool news(void *argument)
{
    const struct any *any = argument;
    return one_is_over(argument) || world_failed(&any->context->self->world);
}

/* Room after room knows how to wait for one op. That several will do is said in the notes, and the rest is the same for all:
 * who brings an op to its end rings the bell of its rank. */
static void sleep_for(struct any *any, const dist_work *first)
{
    struct context *context = any->context;
    struct launch_self *self = context->self;
    struct sleep_note *note = launch_note(self);
    if (note) {
        atomic_store(&note->bell, world_offset(&self->world, &context->slot->bell));
        atomic_store(&note->timed, 0); /* a room whose GPU is at work may set it */
    }
    if (context->backend->note)
        context->backend->note(context->room, first);
    bell_sleep(&context->slot->bell, news, any, NAP, note);
    launch_look_around(self);
}

/* Until one is over; where the job has failed it is the first, and dist_wait's way tells. */
static void await_host(struct any *any, int first)
{
    struct patience patience = { 0 };
    while (!one_is_over(any)) {
        if (world_failed(&any->context->self->world)) {
            any->found = first;
            return;
        }
        if (!patience_spin(&patience))
            sleep_for(any, any->works[first]);
    }
}

/* How many are not NULL; *first: the index of the first of them; *gpu: where the tensor of one lies, if one is there. */
static int count_live(const struct any *any, int *first, struct gpu **gpu)
{
    int live = 0;
    for (int i = any->count - 1; i >= 0; i--)
        if (any->works[i]) {
            live++;
            *first = i;
            *gpu = any->works[i]->gpu && !any->works[i]->refused ? any->works[i]->gpu : *gpu;
        }
    return live;
}

static void mark(const struct any *any, bool among)
{
    for (int i = 0; i < any->count; i++)
        if (any->works[i])
            atomic_store_explicit(&any->works[i]->among, among, memory_order_relaxed);
}

static int wait_any(struct any *any, const struct dist_wait_any_args *args)
{
    struct gpu *gpu = NULL;
    int first = -1, live = count_live(any, &first, &gpu);
    if (live == 0)
        return -1;
    mark(any, live > 1);
    any->found = first;
    if (gpu)
        gpu_await(gpu, "dist_wait_any", args->at, one_is_over, any, NULL);
    else
        await_host(any, first);
    mark(any, false);
    dist_work *work = any->works[any->found];
    any->works[any->found] = NULL;
    bool on_gpu = work->gpu && !work->refused;
    if (on_gpu) {
        noted_source(any->context, work);
        order_over(work->gpu, work);
    }
    int result = wait_for(
        &(struct waiting){ .context = any->context, .call = CALL_WAIT_ANY, .at = args->at, .may = live > 1 },
        work);
    int failed = on_gpu ? comm_settle(gpu) : 0; /* the host has waited: it is told now */
    if (failed < 0)
        return failed;
    if (result >= 0 && args->source)
        *args->source = result;
    return result < 0 ? result : any->found;
}

int dist_wait_any_with(struct dist_wait_any_args args)
{
    struct context *context = context_enter(CALL_WAIT_ANY, args.at);
    if (!context)
        return -DIST_ERR_STATE;
    int result = 0;
    if (args.count < 0 || (args.count > 0 && !args.works))
        result = report(CALL_WAIT_ANY, args.at, DIST_ERR_ARGUMENT,
                        "count is %d and works is %s; pass an array of count works", args.count,
                        args.works ? "given" : "NULL");
    for (int i = 0; i < args.count && result == 0; i++)
        if (args.works[i] && !check_work(CALL_WAIT_ANY, args.at, args.works[i]))
            result = -DIST_ERR_STATE;
    if (result == 0)
        result = wait_any(&(struct any){ context, args.works, args.count, 0 }, &args);
    context_exit(context);
    return result;
}
