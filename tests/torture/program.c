/* program.c: a rank takes its steps, and notes what it sees. */
#define _GNU_SOURCE
#include "program.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* dist_spawn hands no argument to its ranks. */
static const struct plan *current;
static struct board *current_board;

/* A stack that cannot grow is a crash, and no fault of the library: so it grows before there is a limit. Ranks inherit it. */
static void grow_stack(void)
{
    volatile char stack[300000];
    for (size_t i = 0; i < sizeof stack; i += 4096)
        stack[i] = 0;
}

void program_start(const struct plan *plan, struct board *board)
{
    current = plan;
    current_board = board;
    grow_stack();
}

int64_t common(struct program *p, int64_t limit)
{
    return ref_below(&p->common, limit);
}

int64_t own(struct program *p, int64_t limit)
{
    return ref_below(&p->own, limit);
}

void program_wrong(struct program *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (atomic_fetch_add(&p->board->wrong, 1) == 0) {
        char *words = p->board->words;
        int used = snprintf(words, 60, "rank %d, step %d: ", p->rank, p->step);
        vsnprintf(words + used, sizeof p->board->words - (size_t)used, format, list);
    }
    va_end(list);
}

/* ---- tensors and what is under way ----------------------------------------------- */

void *program_speech(const struct program *p, int rank, int salt, enum dist_type type, int64_t count)
{
    void *elements = own_memory((size_t)count * ref_bytes(type));
    uint64_t seed = p->plan->seed * 31 + (uint64_t)(p->step * 1000003 + rank * 8191 + salt * 131);
    ref_fill(type, elements, count, seed);
    return elements;
}

tensor *program_tensor(struct program *p, struct pending *pending, enum dist_type type, int64_t count,
                       const void *elements)
{
    tensor *t;
    if (own(p, 3) == 0) {
        int which = pending->wholes[0] != NULL;
        pending->wholes[which] = tensor_zeros(type, count + 2);
        t = tensor_slice(pending->wholes[which], 1, count + 1);
    } else {
        t = tensor_zeros(type, count);
    }
    if (elements)
        tensor_write(t, elements);
    return t;
}

static void look(struct program *p, struct pending *w)
{
    if (w->expected) {
        void *got = own_memory((size_t)w->count * ref_bytes(w->type));
        tensor_read(w->out, got);
        bool any_order = w->inputs && p->plan->algorithm;
        int64_t at = any_order ? ref_far_off(w->type, w->op, w->inputs, got, w->expected, w->count)
                               : ref_difference(w->type, got, w->expected, w->count);
        if (at >= 0)
            program_wrong(p, "%s of step %d: element %lld of %lld %s, %s of %d, is %.17g, must be %.17g",
                          w->what, w->step, (long long)at, (long long)w->count, ref_type_name(w->type),
                          ref_op_name(w->op), w->inputs, ref_item(w->type, got, at),
                          ref_item(w->type, w->expected, at));
        free(got);
        free(w->expected);
    }
    if (w->in != w->out)
        tensor_free(w->in);
    tensor_free(w->out);
    tensor_free(w->wholes[0]);
    tensor_free(w->wholes[1]);
}

static void finish(struct program *p, int which)
{
    struct pending w = p->pending[which];
    p->pending[which] = p->pending[--p->count];
    int from = dist_wait(w.work);
    p->operations++;
    if (from != w.from)
        program_wrong(p, "%s of step %d: dist_wait gave %d, must give %d", w.what, w.step, from, w.from);
    look(p, &w);
}

void program_finish_all(struct program *p)
{
    if (p->count > 1 && own(p, 2)) {
        dist_work *works[PENDING];
        for (int i = 0; i < p->count; i++)
            works[i] = p->pending[i].work;
        dist_wait_all(works, p->count);
        p->operations++;
        for (int i = 0; i < p->count; i++)
            look(p, &p->pending[i]);
        p->count = 0;
    }
    while (p->count > 0)
        finish(p, (int)own(p, p->count));
}

void program_keep(struct program *p, struct pending *pending)
{
    pending->step = p->step;
    p->operations++;
    if (!pending->work) {
        look(p, pending);
        return;
    }
    if (p->count == PENDING)
        finish(p, (int)own(p, PENDING));
    p->pending[p->count++] = *pending;
}

/* ---- what goes wrong from inside --------------------------------------------------- */

/* The kernel sends the signal, wherever the process is then. */
static void signal_after(int number, int microseconds)
{
    timer_t timer;
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = number };
    struct itimerspec when = { .it_value.tv_nsec = 1 + 1000L * microseconds };
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
        timer_settime(timer, 0, &when, NULL);
}

static void limit_to(int resource, rlim_t limit)
{
    setrlimit(resource, &(struct rlimit){ limit, limit });
}

static void strike(struct program *p)
{
    const struct plan *plan = p->plan;
    bool later = plan->fault == NO_FAULT || plan->fault == NO_MEMORY || plan->fault == NO_FILES ||
                 plan->fault == NO_THREADS;
    atomic_store(&p->board->struck, !later);
    switch (plan->fault) {
    case KILLED:
        signal_after(SIGKILL, plan->delay);
        break;
    case STOPPED:
        signal_after(SIGSTOP, plan->delay);
        break;
    case SLOW:
        usleep((useconds_t)plan->pause * 1000);
        break;
    case NO_MEMORY:
    case NO_FILES:
    case NO_THREADS:
        broken_begin(p->board, plan->fault, plan->nth, plan->limit, !plan->threads);
        break;
    case NO_SPACE:
        limit_to(RLIMIT_AS, (rlim_t)plan->limit << 20);
        break;
    case FEW_FILES:
        limit_to(RLIMIT_NOFILE, (rlim_t)plan->limit);
        break;
    default:
        break;
    }
}

static void maybe_strike(struct program *p)
{
    if (p->plan->victim == p->rank && !p->plan->timed && p->plan->at_step == p->step)
        strike(p);
}

/* ---- the whole ----------------------------------------------------------------------- */

static void take_step(struct program *p)
{
    static void (*const steps[])(struct program *) = { step_scattered,  step_scattered,  step_ring,
                                                       step_collect,    step_chain,      step_collective,
                                                       step_collective, step_collective, step_collective,
                                                       step_team,       step_streams };
    maybe_strike(p);
    steps[common(p, sizeof steps / sizeof steps[0])](p);
    if (p->count > 0 && own(p, 3) == 0)
        finish(p, (int)own(p, p->count));
    else if (p->count > 0 && own(p, 3) == 0)
        dist_is_completed(p->pending[own(p, p->count)].work);
    if (own(p, 60) == 0)
        usleep((useconds_t)own(p, 500));
}

void program_run(int rank, int world_size)
{
    struct program *p = own_memory(sizeof *p);
    *p = (struct program){ .plan = current, .board = current_board, .rank = rank, .size = world_size };
    p->common = current->seed * 977;
    p->own = current->seed * 1009 + (uint64_t)rank;
    p->teams[0] = (struct team){ .n = world_size, .me = rank };
    for (int i = 0; i < world_size; i++)
        p->teams[0].ranks[i] = i;
    atomic_store(&p->board->pids[rank], getpid());
    maybe_strike(p);
    dist_init_process_group();
    for (int i = 1; i < TEAMS; i++)
        team_make(p, i);
    for (p->step = 1; p->step < current->steps; p->step++)
        take_step(p);
    program_finish_all(p);
    maybe_strike(p);
    for (int i = 1; i < TEAMS; i++)
        dist_group_free(p->teams[i].group);
    dist_synchronize();
    dist_destroy_process_group();
    broken_end();
    atomic_fetch_add(&p->board->operations, p->operations + 10);
    atomic_store(&p->board->returned[rank], 1);
    free(p);
}
