/* start.c: how an op that was checked and filled in comes to its backend, or into its stream. */
#include "checked.h"
#include "devices/host.h"
#include "streams/gpu.h"

int start_op(struct context *context, struct dist_work *op)
{
    if (context->log)
        noted_add(context, op);
    return op->gpu ? ops_post(context, op) : backend_start(context->backend, context->state, op);
}

int start_and_wait(struct context *context, struct dist_work *op)
{
    int status = start_op(context, op);
    checked_end(op);
    noted_source(context, op);
    if (op->splits)
        host_free(context->self, op->splits);
    return status != DIST_OK ? report_op(op) : op->from >= 0 ? op->from : 0;
}

/* On its way it failed; or it is on a GPU, and its stream waits for it. */
static __attribute__((noinline)) int start_ended(struct context *context, struct dist_work *op, int status)
{
    if (status == DIST_OK)
        return ops_follow(context, call_name(op->call), op);
    checked_end(op);
    work_free(context, op); /* into the quarantine (handles.h), where it can still be read */
    return report_op(op);
}

struct dist_work *start_work(struct context *context, struct dist_work *op, int *result)
{
    call_note.made = NULL;
    bool async = op->async; /* to the backend all works on a GPU are */
    int status = start_op(context, op);
    if (status == DIST_OK && async)
        return op;
    *result = start_ended(context, op, status);
    return NULL;
}
