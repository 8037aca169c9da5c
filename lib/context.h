/*
 * context.h: everything that dist_*.c keeps for one rank. Nothing here is global, so ranks can be threads.
 */
#ifndef CONTEXT_H
#define CONTEXT_H

#include "backend.h"

struct context {
    struct launch_self *self;
    struct rank_slot *slot;        /* its slot in the world */
    const struct backend *backend; /* NULL: outside init .. destroy */
    void *state;
    bool left; /* destroy was called */

    /* Blocking calls on tensors whose `reach` is this may go the backend's quick way: the world, where it has one and nobody
     * needs to see an op; else the context's own address, which is no tensor's reach. */
    const void *quick_reach;
    struct dist_group world;
    int groups_made;   /* by all ranks together, */
    int groups_met;    /* and how often all met for one, also in vain */
    int last_group_id; /* rank 0: that it chose */
    dist_error_handler *handler;
    void *handler_context;

    struct entry entry;   /* several threads may call: guards these three, and storage.users */
    struct handles works; /* open: not yet waited for */
    struct handles
        groups; /* all but the world; those in the queue also until the backend has forgotten them */
    struct handles tensors;
    struct leaks *leaks; /* inside destroy: what was left undone (leaks.c); NULL: nobody wants to know */
    bool checked;        /* DIST_CHECK=1: the tensors of messages are watched (checked.c) */
    struct gpu *gpu;     /* NULL: nothing was communicated on streams yet (streams/) */
    _Atomic int64_t allocated, most_allocated; /* bytes of tensors: now, and at most (tensor.c) */
    struct call_log *log;                      /* what was called (noted.c); NULL: nobody wants to know */
    _Atomic uint64_t shuffle; /* DIST_SHUFFLE: the next random number; 0: messages come as they come */
};

static inline void context_lock(struct context *context)
{
    entry_take(&context->entry, &context->self->bias_calling);
}
static inline void context_unlock(struct context *context)
{
    entry_give(&context->entry, &context->self->bias_calling);
}

/* What the calling thread's present call, or its last, has come to. */
struct call_note {
    int error;              /* the first error that was reported: dist_last_error() */
    int entry;              /* 1 + the entry of a batch that is being checked: a report names it; 0: none */
    struct dist_work *made; /* its works that are not started yet: a report forgets them */
};
extern _Thread_local struct call_note call_note;

/* The calling rank's context; made on first need. Never NULL (where no world can be had it reports and exits). */
struct context *context_get(void);
struct context *context_get_in(enum call call, struct dist_at at); /* reports of this call */

/* What is remembered of a call's place; NULL: nothing. And its number, looked up where it must be. */
static inline const struct site_memo *context_memo(const char *file, int line)
{
    const struct site_memo *memo = &launch_memos[(uint32_t)line % SITE_MEMOS];
    return memo->file == file && memo->line == line ? memo : NULL;
}
uint32_t context_find_site(struct context *context, const char *file, int line);
static inline uint32_t context_site(struct context *context, const char *file, int line)
{
    const struct site_memo *memo = context_memo(file, line);
    return memo ? memo->site : context_find_site(context, file, line);
}

/* For the watcher: where this rank is. */
static inline void context_note(struct context *context, enum call call, uint32_t site)
{
    uint32_t word = (uint32_t)call << 16 | site;
    atomic_store_explicit(&context->slot->call, word, memory_order_relaxed);
    atomic_store_explicit(&context->slot->last_call, word, memory_order_relaxed);
}

/* Enter a call: notes it for the watcher, checks that init was called. NULL: an error was reported. context_enter_from
 * also gives the call's place as a number; file and line come one by one, because gcc passes the two in a struct
 * through memory, which costs messages 5 ns. */
struct context *context_enter(enum call call, struct dist_at at);
struct context *context_refuse(struct context *context, enum call call, struct dist_at at);
static inline struct context *context_enter_from(enum call call, const char *file, int line, uint32_t *site)
{
    struct launch_self *self = launch_self_if_any();
    struct context *context = self ? atomic_load_explicit(&self->context, memory_order_acquire) : NULL;
    if (!context)
        context = context_get_in(call, (struct dist_at){ file, line });
    call_note.error = 0;
    *site = context_site(context, file, line);
    context_note(context, call, *site);
    return context->backend ? context : context_refuse(context, call, (struct dist_at){ file, line });
}

/* The same for a call that may go the quick way. NULL: it may not, or its place was never looked up. Nothing is reported, and what is
 * noted is the call as the last one: it is over in a moment, or will be entered. */
static inline struct context *context_quick(enum call call, const char *file, int line, uint32_t *site)
{
    struct launch_self *self = launch_self_of_thread;
    struct context *context = self ? atomic_load_explicit(&self->context, memory_order_acquire) : NULL;
    const struct site_memo *memo = context_memo(file, line);
    if (!context || !memo)
        return NULL;
    *site = memo->site;
    call_note.error = 0;
    atomic_store_explicit(&context->slot->last_call, (uint32_t)call << 16 | *site, memory_order_relaxed);
    return context;
}

/* Does this tensor lie where the quick way goes? */
static inline bool context_reaches(const struct context *context, const tensor *t)
{
    return t && t->reach == context->quick_reach;
}

static inline void context_exit(struct context *context)
{
    atomic_store_explicit(&context->slot->call, 0, memory_order_relaxed);
}

/* The group that an argument names: the world for NULL. NULL: it was freed, or the caller is not a member, and that
 * was reported. `member` says whether the call needs a member. */
struct dist_group *context_group(struct context *context, enum call call, struct dist_at at,
                                 dist_group *group, bool member);

/* Can this tensor take part in a message? False: it cannot, and that was reported. `name` is the argument's. */
bool context_tensor(struct context *context, enum call call, struct dist_at at, const char *name,
                    const tensor *t);

struct words context_ranks(const struct context *context); /* which there are */
/* group_index; that there is none is reported. `name` is the argument's. */
int context_rank(struct context *context, enum call call, struct dist_at at, const char *name, int rank,
                 const struct dist_group *group);

/* The group of a message that may go the quick way. NULL: it may not. */
static inline const struct dist_group *context_quick_group(const struct context *context,
                                                           const tensor *tensor, int peer, int tag,
                                                           const dist_group *group)
{
    if (!context || !context_reaches(context, tensor) || peer >= context->world.size || (peer | tag) < 0)
        return NULL;
    if (!group)
        return &context->world;
    return group->live == GROUP_LIVE && group->rank >= 0 && group_index(group, peer) >= 0 ? group : NULL;
}

/* Report an error: fill in rank, call and place; call the handler, or print and exit. Returns -error: so a check that fails ends with
 * `return !report(...)`. */
int report(enum call call, struct dist_at at, enum dist_error error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for a report of several lines: `block` is printed in place of the sentence. */
int report_block(const char *call, struct dist_at at, enum dist_error error, const char *sentence,
                 const char *block);

/* The same for an op that ended with a status: its own words, and the advice for such errors. */
int report_op(const struct dist_work *op);

/* The same for a tensor_ call, by its name. Returns only where a handler is installed. */
int report_tensor(const char *call, struct dist_at at, enum dist_error error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for a call whose arguments cannot be right. Always false. */
bool refuse(const char *call, struct dist_at at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A work in a group (NULL: there is no memory for it), one of those in call_note.made until it is started: whatever is reported before that
 * lets them go, since a handler may leave by longjmp. Later work_free gives it back, in two steps: from the first on nobody may wait for it.
 * False: another thread has. */
struct dist_work *work_new(struct context *context, struct dist_group *group);
struct dist_work *work_lacks_memory(enum call call, struct dist_at at); /* reports it; NULL */
int works_open(struct context *context, const struct dist_group *group);
void works_let_go(struct context *context);
bool work_free(struct context *context, struct dist_work *work);
void work_forget(struct context *context, struct dist_work *work);
void work_recycle(struct context *context, struct dist_work *work);

/* noted.c: the rank's list of calls, for diagnose/replay.c. Kept while messages are buffered, and with DIST_CHECK=1. */
void noted_open(struct context *context);                      /* begins a list where one is kept */
void noted_add(struct context *context, struct dist_work *op); /* where one is: context->log */

/* A receive has ended: who sent? And a work was waited for; or it was asked, and is over. */
void noted_add_source(struct context *context, const struct dist_work *op);
void noted_add_over(struct context *context, const struct dist_work *work, bool waits);
static inline void noted_source(struct context *context, const struct dist_work *op)
{
    if (op->logged)
        noted_add_source(context, op);
}
static inline void noted_over(struct context *context, const struct dist_work *work, bool waits)
{
    if (work->logged)
        noted_add_over(context, work, waits);
}

/* leaks.c. While the rank leaves, what it has left undone is collected: works that were not waited for; a message that nobody took (the
 * backend calls it, as launch_self.untaken). In the end it is told, with DIST_CHECK=1 also tensors and groups that were not freed. */
void leaks_begin(struct context *context);
void leaks_untaken(struct launch_self *self, const struct dist_work *op);
void leaks_end(struct context *context);

/* Has a work that was never waited for met a call that does not fit it? A copy of the first. */
bool leaks_mismatch(const struct context *context, struct dist_work *found);

/* start.c. Hand an op on that was checked and filled in: DIST_OK, or its status. */
int start_op(struct context *context, struct dist_work *op);

/* The same, blocking: 0, the rank that sent, or what report() gave. */
int start_and_wait(struct context *context, struct dist_work *op);

/* A work: it is given back if the program asked for one (async). NULL: it failed, and was reported, or its stream waits for it:
 * then *result is as above. */
struct dist_work *start_work(struct context *context, struct dist_work *op, int *result);

#endif
