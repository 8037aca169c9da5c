/* context.c: one rank's state, and the checks that every call begins with. */
#include "checked.h"
#include "devices/host.h"
#include "tensor_tail.h"

#include <stdlib.h>

static void *context_make(struct launch_self *self)
{
    struct context *context = calloc(1, sizeof *context);
    if (!context)
        return NULL;
    context->quick_reach = context;
    context->self = self;
    context->slot = launch_slot(self);
    return context;
}

struct context *context_get_in(enum call call, struct dist_at at)
{
    int status = DIST_OK;
    struct why why = { "" };
    struct launch_self *self = launch_self(&status, &why);
    if (!self) {
        report(call, at, (enum dist_error)status, "%s", why.text);
        exit(status); /* no rank, so no handler */
    }
    struct context *context = launch_once(&self->context, context_make, self);
    if (!context) {
        report(call, at, DIST_ERR_MEMORY, "the system gives no memory for this rank's state");
        exit(DIST_ERR_MEMORY);
    }
    return context;
}

struct context *context_get(void)
{
    return context_get_in(CALL_INIT, (struct dist_at){ 0 });
}

uint32_t context_find_site(struct context *context, const char *file, int line)
{
    uint32_t site =
        world_site(&context->self->world, context->self->env.rank, (struct dist_at){ file, line });
    launch_memos[(uint32_t)line % SITE_MEMOS] = (struct site_memo){ file, line, site };
    return site;
}

struct context *context_enter(enum call call, struct dist_at at)
{
    uint32_t site;
    return context_enter_from(call, at.file, at.line, &site);
}

struct context *context_refuse(struct context *context, enum call call, struct dist_at at)
{
    if (context->left)
        report(call, at, DIST_ERR_STATE, "called after dist_destroy_process_group; move it before that call");
    else
        report(call, at, DIST_ERR_STATE, "called before dist_init_process_group; call that first");
    context_exit(context);
    return NULL;
}

struct words context_ranks(const struct context *context)
{
    return context->world.size == 1
               ? words_of("this job has only rank 0; start more, or name that")
               : words_of("the ranks of this job are 0 to %d; name one of them", context->world.size - 1);
}

/* Who counts beyond an end mostly walks round a ring. */
int context_rank(struct context *context, enum call call, struct dist_at at, const char *name, int rank,
                 const struct dist_group *group)
{
    int size = context->world.size, index = group_index(group, rank);
    if (index < 0 && rank >= 0 && rank < size)
        report(call, at, DIST_ERR_ARGUMENT,
               "%s is %d, and rank %d is not a member of this group; name a member by its world rank", name,
               rank, rank);
    else if (index < 0 && rank == DIST_ANY_SOURCE)
        report(call, at, DIST_ERR_ARGUMENT, "%s is DIST_ANY_SOURCE, which only a receive can name, and %s",
               name, context_ranks(context).text);
    else if (index < 0)
        report(call, at, DIST_ERR_ARGUMENT, "%s is %d, but %s%s", name, rank, context_ranks(context).text,
               rank == -1     ? ": in a ring the previous is (rank + world_size - 1) % world_size"
               : rank == size ? ": in a ring the next is (rank + 1) % world_size"
                              : "");
    return index;
}

struct dist_group *context_group(struct context *context, enum call call, struct dist_at at,
                                 dist_group *group, bool member)
{
    if (!group)
        return &context->world;
    if (group->live != GROUP_LIVE)
        return report(call, at, DIST_ERR_ARGUMENT, "the group was freed; free it after its last use"), NULL;
    if (member && group->rank < 0)
        return report(call, at, DIST_ERR_ARGUMENT,
                      "rank %d is not a member of this group; only members may call this (dist_get_rank "
                      "gives -1 to others)",
                      context->self->env.rank),
               NULL;
    return group;
}

bool context_tensor(struct context *context, enum call call, struct dist_at at, const char *name,
                    const tensor *t)
{
    if (!t || t->live != TENSOR_LIVE)
        return !report(call, at, DIST_ERR_ARGUMENT,
                       "the %s %s; pass a tensor that was made and not yet freed", name,
                       t ? "was freed" : "is NULL");
    bool far = t->gpu ? t->gpu != context->self->gpu
                      : t->numel > 0 && world_offset(&context->self->world, t->data) == UINT64_MAX;
    if (far)
        return !report(
            call, at, DIST_ERR_ARGUMENT,
            "the %s was made before the ranks were started, out of their reach; make it inside run()", name);
    return tensor_tail_is_whole(call_name(call), at, t);
}

/* ---- works --------------------------------------------------------------------- */

struct dist_work *work_new(struct context *context, struct dist_group *group)
{
    context_lock(context);
    struct handle *again = handle_again(&context->works, false);
    struct dist_work *work = again ? HANDLE_OF(struct dist_work, again) : malloc(sizeof *work);
    if (work) {
        work->live = WORK_LIVE;
        work->group = group;
        work->refused = work->async = work->begun_quickly = false;
        work->splits = NULL;
        work->guarded = NULL;
        work->made = call_note.made;
        call_note.made = work;
        handle_open(&context->works, &work->handle);
    }
    context_unlock(context);
    return work;
}

struct dist_work *work_lacks_memory(enum call call, struct dist_at at)
{
    return report(call, at, DIST_ERR_MEMORY, "the system gives no memory for one more work"), NULL;
}

/* Of this group, those that were not waited for yet. Counted when it is asked, which is seldom: not on the way of every message. */
int works_open(struct context *context, const struct dist_group *group)
{
    int open = 0;
    context_lock(context);
    for (struct handle *at = context->works.newest; at; at = at->older)
        open += HANDLE_OF(struct dist_work, at)->group == group;
    context_unlock(context);
    return open;
}

/* Both under one lock: each locked instruction waits until earlier stores have reached memory. False: another thread has waited for it,
 * too, and was first. */
static inline bool context_leave_work(struct context *context, struct dist_work *work, bool forget,
                                      bool recycle)
{
    context_lock(context);
    bool first = !forget || work->live == WORK_LIVE;
    if (first && recycle && work->splits) {
        host_free(context->self, work->splits);
        work->splits = NULL;
    }
    if (first && forget) {
        handle_close(&context->works, &work->handle);
        work->live = 0;
    }
    if (first && recycle)
        handle_queue(&context->works, &work->handle);
    context_unlock(context);
    return first;
}

void work_forget(struct context *context, struct dist_work *work)
{
    context_leave_work(context, work, true, false);
}

void work_recycle(struct context *context, struct dist_work *work)
{
    context_leave_work(context, work, false, true);
}

bool work_free(struct context *context, struct dist_work *work)
{
    return context_leave_work(context, work, true, true);
}

void works_let_go(struct context *context)
{
    for (struct dist_work *work; (work = call_note.made);) {
        call_note.made = work->made;
        checked_end(work);
        work_free(context, work);
    }
}
