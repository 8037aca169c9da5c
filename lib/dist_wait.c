/* dist_wait.c: waiting for works. */
#include "checked.h"
#include "noted.h"
#include "streams/order.h"

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
    int result = ops_follow(context, gpu, call, work);
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
    noted_over(context, work, true);
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
    int result = wait_for(&(struct waiting){ context, CALL_WAIT, at, false }, work);
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
    struct waiting waiting = { context, CALL_WAIT_ALL, at, false };
    for (int i = 0; i < count && works; i++) {
        hold(&waiting, i + 1 < count && first_error == 0);
        int result = wait_for(&waiting, works[i]);
        if (result < 0 && first_error == 0)
            first_error = result;
    }
    context_exit(context);
    return first_error;
}

bool dist_is_completed_at(struct dist_at at, dist_work *work)
{
    struct context *context = context_enter(CALL_IS_COMPLETED, at);
    if (!context)
        return false;
    bool done =
        check_work(CALL_IS_COMPLETED, at, work) &&
        (work->refused || (work->gpu ? ops_is_over(work) : context->backend->test(context->room, work)));
    if (done) {
        noted_over(context, work, false);
        noted_source(context, work);
        checked_end(work);
    }
    if (done && work->gpu && !work->refused)
        order_over(work->gpu, work);
    context_exit(context);
    return done;
}
