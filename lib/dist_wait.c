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
    int result = comm_follow(context, gpu, call, work);
    gpu_range_end(gpu);
    return result;
}

static int wait_for(struct context *context, enum call call, struct dist_at at, dist_work *work)
{
    if (!check_work(call, at, work))
        return work ? -DIST_ERR_STATE : -DIST_ERR_ARGUMENT;
    noted_wait(context, work);
    if (work->gpu) {
        checked_end(work);
        work->group->pending--;
        return follow(context, work->gpu, call_name(call), work);
    }
    int status = context->backend->wait(context->room, work);
    noted_source(context, work);
    checked_end(work);
    int result = work->from >= 0 ? work->from : 0;
    work->group->pending--;
    if (status != DIST_OK)
        result = report_op(work);
    work_free(context, work);
    return result;
}

int dist_wait_at(struct dist_at at, dist_work *work)
{
    struct context *context = context_enter(CALL_WAIT, at);
    if (!context)
        return -DIST_ERR_STATE;
    int result = wait_for(context, CALL_WAIT, at, work);
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
    for (int i = 0; i < count && works; i++) {
        int result = wait_for(context, CALL_WAIT_ALL, at, works[i]);
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
    bool done = check_work(CALL_IS_COMPLETED, at, work) &&
                (work->gpu ? comm_is_over(work) : context->backend->test(context->room, work));
    if (done)
        checked_end(work);
    if (done && work->gpu)
        order_over(work->gpu, work);
    context_exit(context);
    return done;
}
