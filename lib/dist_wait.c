/* dist_wait.c: waiting for works, for one, for all, or for whichever is first; and asking for them. */
#include "checked.h"
#include "diagnose/diagnose.h"
#include "streams/order.h"
#include "trace/trace.h"

#define NAP 100 /* ms after which who waits for whichever is first looks whether the job still stands */

/* Held: the backend goes on by itself, while several works are waited for. Let go of before a report: a handler may leave by longjmp. */
struct waiting {
    struct context *context;
    enum call call;
    struct dist_at at;
    bool held;
    bool may; /* the work is over, and in another run another one might have been first: dist_wait_any */
};

static bool wait_check(enum call call, struct dist_at at, const dist_work *work)
{
    return (work && work->live == WORK_LIVE) ||
           !report(call, at, work ? DIST_ERR_STATE : DIST_ERR_ARGUMENT, "%s",
                   work ? "the work was waited for already; wait exactly once for each"
                        : "the work is NULL; only calls that start something give one");
}

static bool wait_check_array(enum call call, struct dist_at at, dist_work **works, int count)
{
    return count == 0 || (count > 0 && works) ||
           !report(call, at, DIST_ERR_ARGUMENT, "count is %d and works is %s; pass an array of count works",
                   count, works ? "given" : "NULL");
}

/* Where its tensor lies; NULL: on the host, or it was never begun there. */
static struct gpu *wait_gpu_of(const dist_work *work)
{
    return work->refused ? NULL : work->gpu;
}

/* Asked once; it does not block. */
static bool wait_is_over(struct context *context, dist_work *work)
{
    return work->refused || (work->gpu ? ops_is_over(work) : context->backend->test(context->state, work));
}

/* A rank that looked like computing between two waits would be notified of each message. */
static void wait_hold(struct waiting *waiting, bool held)
{
    const struct backend *backend = waiting->context->backend;
    if (backend->hold && waiting->held != held)
        backend->hold(waiting->context->state, held);
    waiting->held = held;
}

/* What it has come to is the stream's, until the host follows. */
static int wait_for_stream(const struct waiting *waiting, dist_work *work)
{
    struct gpu *gpu = work->gpu;
    checked_end(work);
    gpu_range_begin(gpu, call_name(waiting->call));
    int followed = ops_follow(waiting->context, call_name(waiting->call), work);
    gpu_range_end(gpu);
    return followed;
}

/* Wait for one, and give it back: 0, who sent, or what report() gave. */
static inline int wait_for(struct waiting *waiting, dist_work *work)
{
    struct context *context = waiting->context;
    if (!work || work->live != WORK_LIVE || work->gpu)
        wait_hold(waiting, false);
    if ((!work || work->live != WORK_LIVE) && !wait_check(waiting->call, waiting->at, work))
        return work ? -DIST_ERR_STATE : -DIST_ERR_ARGUMENT;
    noted_over(context, work, !waiting->may);
    if (wait_gpu_of(work))
        return wait_for_stream(waiting, work);
    int status = work->refused ? work->status : context->backend->wait(context->state, work);
    noted_source(context, work);
    checked_end(work);
    if (!work_free(context, work))      /* into the quarantine (handles.h), where it can still be read */
        return wait_for(waiting, work); /* another thread was first: that is told */
    wait_hold(waiting, waiting->held && status == DIST_OK);
    return status != DIST_OK ? report_op(work) : work->from >= 0 ? work->from : 0;
}

/* The first error; else what the last has given. */
static int wait_for_all(enum call call, struct dist_at at, dist_work **works, int count)
{
    struct context *context = context_enter(call, at);
    if (!context)
        return -DIST_ERR_STATE;
    int first_error = wait_check_array(call, at, works, count) ? 0 : -DIST_ERR_ARGUMENT, last = 0;
    struct waiting waiting = { .context = context, .call = call, .at = at };
    for (int i = 0; i < count && works; i++) {
        wait_hold(&waiting, i + 1 < count && first_error == 0);
        last = wait_for(&waiting, works[i]);
        first_error = first_error == 0 && last < 0 ? last : first_error;
    }
    context_exit(context);
    return first_error ? first_error : last;
}

int dist_wait_at(struct dist_at at, dist_work *work)
{
    return wait_for_all(CALL_WAIT, at, &work, 1);
}

int dist_wait_all_at(struct dist_at at, dist_work **works, int count)
{
    int result = wait_for_all(CALL_WAIT_ALL, at, works, count);
    return result < 0 ? result : 0;
}

/* ---- whichever is first ------------------------------------------------------------- */

struct any {
    struct context *context;
    dist_work **works;
    int count;
    int first; /* the index of the first that is there; */
    int found; /* of one that is over; before: `first` */
};

static bool wait_any_one_is_over(void *argument)
{
    struct any *any = argument;
    for (int i = 0; i < any->count; i++)
        if (any->works[i] && wait_is_over(any->context, any->works[i]))
            return any->found = i, true;
    return false;
}

static bool wait_any_news(void *argument)
{
    const struct any *any = argument;
    return wait_any_one_is_over(argument) || world_failed(&any->context->self->world);
}

/* Until one is over, or the job has failed: then dist_wait's way tells. The notes say that several will do; who ends an op notifies its rank. */
static void wait_any_await_host(struct any *any)
{
    struct context *context = any->context;
    struct eventcount *eventcount = &context->slot->eventcount;
    struct backoff backoff = { 0 };
    while (!wait_any_news(any)) {
        if (backoff_spin(&backoff))
            continue;
        struct sleep_note *note = launch_note_on(context->self, eventcount, false);
        if (context->backend->note) /* one whose GPU is at work may say `timed` */
            context->backend->note(context->state, any->works[any->first]);
        eventcount_sleep(eventcount, wait_any_news, any, NAP, note);
        launch_look_around(context->self);
    }
}

/* Say of each whether it is waited for among others. */
static void wait_any_mark(const struct any *any, bool among)
{
    for (int i = 0; i < any->count; i++)
        if (any->works[i])
            atomic_store_explicit(&any->works[i]->among, among, memory_order_relaxed);
}

static int wait_any(struct any *any, const struct dist_wait_any_args *args)
{
    int live = 0;
    struct gpu *gpu = NULL; /* where the tensor of one lies, if one is there */
    for (int i = any->count - 1; i >= 0; i--)
        if (any->works[i]) {
            live++;
            any->first = any->found = i;
            gpu = wait_gpu_of(any->works[i]) ? any->works[i]->gpu : gpu;
        }
    if (live == 0)
        return -1;
    for (bool over = false; !over;) {
        wait_any_mark(any, live > 1);
        over = gpu ? gpu_await_news(gpu, "dist_wait_any", args->at, wait_any_one_is_over, any, NULL)
                   : (wait_any_await_host(any), true);
        wait_any_mark(any, false);
        if (gpu)
            gpu_tell_news(gpu);
    }
    dist_work *work = any->works[any->found];
    any->works[any->found] = NULL;
    bool on_gpu = wait_gpu_of(work) != NULL;
    if (on_gpu) {
        noted_source(any->context, work);
        order_over(work->gpu, work);
    }
    struct waiting waiting = { any->context, CALL_WAIT_ANY, args->at, .may = live > 1 };
    int result = wait_for(&waiting, work);
    int failed = on_gpu ? ops_settle(gpu) : 0; /* the host has waited: it is told now */
    if (failed < 0 || result < 0)
        return failed < 0 ? failed : result;
    if (args->source)
        *args->source = result;
    return any->found;
}

int dist_wait_any_with(struct dist_wait_any_args args)
{
    struct context *context = context_enter(CALL_WAIT_ANY, args.at);
    if (!context)
        return -DIST_ERR_STATE;
    trace_asks_anew();
    bool good = wait_check_array(CALL_WAIT_ANY, args.at, args.works, args.count);
    for (int i = 0; i < args.count && good; i++)
        good = !args.works[i] || wait_check(CALL_WAIT_ANY, args.at, args.works[i]);
    struct any any = { context, args.works, args.count, 0, 0 };
    int result = good ? wait_any(&any, &args) : call_note.error;
    context_exit(context);
    return result;
}

/* A poller is no sleeper: where all others are, it is told by itself. What a real GPU is at, nobody knows. */
static void wait_asked_in_vain(struct context *context, dist_work *work, bool anew)
{
    struct waiting waiting = { .context = context };
    work->polled = true;
    wait_hold(&waiting, true); /* it looks itself, soon: nobody need wake its progress thread */
    backoff_give_way();
    wait_hold(&waiting, false);
    if ((work->gpu && context->backend->on_streams) ||
        !poll_ask(&context->self->world, context->self->env.rank, anew))
        return;
    context->backend->note(context->state, work->gpu ? ops_stuck(work->gpu, NULL) : work);
    poll_tell(&context->self->world, context->self->env.rank);
}

bool dist_is_completed_at(struct dist_at at, dist_work *work)
{
    uint32_t before = atomic_load_explicit(&context_get()->slot->last_call, memory_order_relaxed);
    bool anew = before >> 16 != CALL_IS_COMPLETED; /* it is no poller yet */
    struct context *context = context_enter(CALL_IS_COMPLETED, at);
    if (!context)
        return false;
    bool done = wait_check(CALL_IS_COMPLETED, at, work) && wait_is_over(context, work);
    if (done) {
        noted_over(context, work, false);
        noted_source(context, work);
        checked_end(work);
        poll_over(&context->self->world, context->self->env.rank);
        work->logged = 0; /* dist_wait will not wait: were it not over, the program might not call that */
        if (wait_gpu_of(work))
            order_over(work->gpu, work);
    } else if (work && work->live == WORK_LIVE)
        wait_asked_in_vain(context, work, anew);
    context_exit(context);
    return done;
}
