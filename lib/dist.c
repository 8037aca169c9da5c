/* dist.c: joining and leaving the job. The calls themselves are in dist_p2p.c, dist_collectives.c, dist_groups.c. */
#include "algorithms/run.h"
#include "checked.h"
#include "diagnose/diagnose.h"
#include "launch/nodes.h"
#include "streams/gpu.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

static const struct backend *const backends[] = { &backend_shm, &backend_cuda, &backend_nccl, &backend_mpi,
                                                  &backend_gloo };

/* Tensors on a real GPU are out of the reach of a backend that knows nothing of GPUs. NULL: reported. (What BACKEND and DEVICE say
 * together was looked at before the ranks were started; that NCCL needs a GPU its backend says.) */
static const struct backend *dist_check_reach(const struct backend *backend, struct dist_at at)
{
    if (backend->on_streams || strcmp(launch_device(), "cuda") != 0)
        return backend;
    report(CALL_INIT, at, DIST_ERR_ENVIRONMENT,
           "the %s backend cannot reach the memory of a GPU; take BACKEND=cuda, or DEVICE=sim",
           backend->name);
    return NULL;
}

static const struct backend *dist_choose_backend(struct dist_init_args args)
{
    const char *wish = args.backend ? args.backend : launch_backend();
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
        if (strcmp(backends[i]->name, wish) == 0)
            return dist_check_reach(backends[i], args.at);
    struct why why;
    if (args.backend)
        report(CALL_INIT, args.at, DIST_ERR_ARGUMENT,
               "there is no backend \"%.40s\"; it must be shm, cuda, nccl, mpi or gloo", wish);
    else if (setting_check("BACKEND", &why) != DIST_OK)
        report(CALL_INIT, args.at, DIST_ERR_ENVIRONMENT, "%s", why.text);
    return NULL;
}

static int dist_make_world(struct context *context)
{
    int size = context->self->world.header->size;
    int *ranks = malloc((size_t)size * sizeof *ranks);
    if (!ranks)
        return DIST_ERR_MEMORY;
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    free(context->world.ranks); /* of a try that failed */
    context->world = (struct dist_group){
        .live = GROUP_LIVE, .size = size, .rank = context->self->env.rank, .ranks = ranks
    };
    return DIST_OK;
}

/* The barrier at the end of init: nobody is inside before all are. */
static int dist_meet_everyone(struct context *context, struct dist_at at)
{
    struct dist_work op = { .call = CALL_BARRIER, .at = at, .group = &context->world };
    op.site = context_site(context, at.file, at.line);
    int status = context->backend->collective(context->state, &op);
    op.call = CALL_INIT;
    return status == DIST_OK ? 0 : report_op(&op);
}

int dist_init_process_group_with(struct dist_init_args args)
{
    struct context *context = context_get();
    call_note.error = 0;
    if (context->backend || context->left)
        return report(CALL_INIT, args.at, DIST_ERR_STATE,
                      "called a second time; a rank joins the job once and leaves it once");
    const struct backend *chosen = dist_choose_backend(args), *backend = trace_wrap(context->self, chosen);
    struct gpu *gpu; /* a backend that works on streams finds it opened */
    if (!backend || !checked_open(context, args.at) ||
        (backend->on_streams && !gpu_for_tensors(call_name(CALL_INIT), args.at, &gpu)))
        return call_note.error;
    struct why why = { "the system gives no memory for the job's tables" };
    int status = dist_make_world(context);
    if (status == DIST_OK)
        backend = algorithms_wrap(context->self, backend, &status, &why);
    context_note(context, CALL_INIT, context_site(context, args.at.file, args.at.line));
    context->slot->alike = alike_of(chosen->name, setting_is("DIST_FLAT", "1"));
    atomic_store(&context->slot->state, RANK_JOINING);
    if (status == DIST_OK)
        status = alike_check(&context->self->world, context->self->env.rank, &why);
    if (status == DIST_OK)
        status = backend->open(context->self, &context->world, &context->state, &why);
    if (status != DIST_OK) {
        int told = report(CALL_INIT, args.at, (enum dist_error)status, "%s", why.text);
        context_exit(context);
        return told;
    }
    guard_stand_first(); /* UCX, under MPICH, takes SIGSEGV for itself */
    context->backend = backend;
    context->self->look = diagnose_look;
    context->self->untaken = leaks_untaken;
    noted_open(context);
    if (backend->quick_send && !context->checked && !context->log)
        context->quick_reach = context->self->world.header;
    atomic_store(&context->slot->state, RANK_JOINED);
    int result = dist_meet_everyone(context, args.at);
    context_exit(context);
    return result;
}

/* The next of those that are there, open or not, taken out; NULL: there are no more. */
static struct handle *dist_take_any(struct handles *all)
{
    struct handle *one = all->newest;
    if (one)
        handle_close(all, one);
    return one ? one : handle_again(all, true);
}

static void dist_free_everything(struct context *context)
{
    struct handle *one;
    while ((one = dist_take_any(&context->groups))) {
        free(HANDLE_OF(struct dist_group, one)->ranks);
        free(HANDLE_OF(struct dist_group, one));
    }
    while ((one = dist_take_any(&context->works))) {
        checked_end(HANDLE_OF(struct dist_work, one));
        free(HANDLE_OF(struct dist_work, one));
    }
    free(context->world.ranks);
    context->world = (struct dist_group){ 0 };
}

static void dist_leave_group(struct context *context, struct dist_group *group)
{
    if (!group->settled)
        context->backend->group_free(context->state, group);
}

static void dist_leave_groups(struct context *context)
{
    for (struct handle *open = context->groups.newest; open; open = open->older)
        dist_leave_group(context, HANDLE_OF(struct dist_group, open));
    for (struct handle *freed = context->groups.first; freed; freed = freed->newer)
        dist_leave_group(context, HANDLE_OF(struct dist_group, freed));
}

int dist_destroy_process_group_at(struct dist_at at)
{
    struct context *context = context_enter(CALL_DESTROY, at);
    if (!context)
        return -DIST_ERR_STATE;
    if (context->gpu) {
        gpu_await_streams(context->gpu, call_name(CALL_DESTROY), at);
        ops_flush(context->gpu, call_name(CALL_DESTROY), at);
        ops_stop(context->gpu);
    }
    context->quick_reach = context;
    atomic_store(&launch_notes(context->self)->leaving, 1);
    leaks_begin(context);
    context->backend->leave(context->state);
    if (context->gpu)
        ops_drain(context->gpu);
    dist_leave_groups(context);
    context->backend->close(context->state);
    if (context->gpu)
        ops_close(context->gpu);
    leaks_end(context);
    struct dist_work failed;
    bool mismatch = leaks_mismatch(context, &failed);
    dist_free_everything(context);
    context->backend = NULL;
    context->state = NULL;
    context->left = true;
    context_exit(context);
    launch_has_left(context->self);
    struct world *world = &context->self->world;
    struct why why;
    /* Where nobody watches, the last to leave writes the trace, and looks back. */
    if (atomic_fetch_add(&world->header->leavers, 1) + 1 == (uint32_t)world->header->size &&
        !context->self->watched) {
        if (trace_write(world, NULL, &why) != DIST_OK)
            fprintf(stderr, "%s\n", why.text);
        replay_check(world);
    }
    nodes_part(context->self);
    return mismatch ? report_op(&failed) : 0;
}

static const struct dist_group *dist_asked_group(enum call call, const struct dist_group_args *args)
{
    struct context *context = context_enter(call, args->at);
    if (!context)
        return NULL;
    const struct dist_group *group = context_group(context, call, args->at, args->group, false);
    context_exit(context);
    return group;
}

int dist_get_rank_with(struct dist_group_args args)
{
    const struct dist_group *group = dist_asked_group(CALL_GET_RANK, &args);
    return group ? group->rank : call_note.error;
}

int dist_get_world_size_with(struct dist_group_args args)
{
    const struct dist_group *group = dist_asked_group(CALL_GET_WORLD_SIZE, &args);
    return group ? group->size : call_note.error;
}

void dist_set_error_handler(dist_error_handler *handler, void *handler_context)
{
    struct context *context = context_get();
    context->handler = handler;
    context->handler_context = handler_context;
}

double dist_time(void)
{
    return (double)launch_clock_ns() * 1e-9;
}
