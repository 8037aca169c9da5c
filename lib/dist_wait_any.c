/* dist_wait_any.c: waiting for whichever of several works is done first. */
#include "noted.h"
#include "streams/order.h"
#include "waiting.h"

#define NAP 100 /* ms after which a sleeper looks whether the job still stands */

struct any {
    struct context *context;
    dist_work **works;
    int count;
    int found; /* the index of one that is over */
};

static bool wait_any_one_is_over(void *argument)
{
    struct any *any = argument;
    for (int i = 0; i < any->count; i++)
        if (any->works[i] && wait_is_over(any->context, any->works[i])) {
            any->found = i;
            return true;
        }
    return false;
}

static bool wait_any_news(void *argument)
{
    const struct any *any = argument;
    return wait_any_one_is_over(argument) || world_failed(&any->context->self->world);
}

/* Each backend knows how to wait for one op. That several will do is said in the notes, and the rest is the same for all:
 * who brings an op to its end rings the bell of its rank. */
static void wait_any_sleep_for(struct any *any, const dist_work *first)
{
    struct context *context = any->context;
    struct bell *bell = &context->slot->bell;
    struct sleep_note *note = launch_note_on(context->self, bell, false);
    if (context->backend->note)
        context->backend->note(context->room, first); /* one whose GPU is at work may say `timed` */
    bell_sleep(bell, wait_any_news, any, NAP, note);
    launch_look_around(context->self);
}

/* Until one is over; where the job has failed it is the first, and dist_wait's way tells. */
static void wait_any_await_host(struct any *any, int first)
{
    struct patience patience = { 0 };
    while (!wait_any_one_is_over(any)) {
        if (world_failed(&any->context->self->world)) {
            any->found = first;
            return;
        }
        if (!patience_spin(&patience))
            wait_any_sleep_for(any, any->works[first]);
    }
}

/* How many are not NULL; *first: the index of the first of them; *gpu: where the tensor of one lies, if one is there. */
static int wait_any_count_live(const struct any *any, int *first, struct gpu **gpu)
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

static void wait_any_mark(const struct any *any, bool among)
{
    for (int i = 0; i < any->count; i++)
        if (any->works[i])
            atomic_store_explicit(&any->works[i]->among, among, memory_order_relaxed);
}

static int wait_any(struct any *any, const struct dist_wait_any_args *args)
{
    struct gpu *gpu = NULL;
    int first = -1, live = wait_any_count_live(any, &first, &gpu);
    if (live == 0)
        return -1;
    wait_any_mark(any, live > 1);
    any->found = first;
    if (gpu)
        gpu_await(gpu, "dist_wait_any", args->at, wait_any_one_is_over, any, NULL);
    else
        wait_any_await_host(any, first);
    wait_any_mark(any, false);
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
    int failed = on_gpu ? ops_settle(gpu) : 0; /* the host has waited: it is told now */
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
        if (args.works[i] && !wait_check(CALL_WAIT_ANY, args.at, args.works[i]))
            result = -DIST_ERR_STATE;
    if (result == 0)
        result = wait_any(&(struct any){ context, args.works, args.count, 0 }, &args);
    context_exit(context);
    return result;
}
