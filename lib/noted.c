/* noted.c: what diagnose/log.h keeps, as the calls know it. */
#define _GNU_SOURCE
#include "context.h"
#include "devices/host.h"
#include "diagnose/log.h"

#include <string.h>
#include <unistd.h>

/* DIST_SHUFFLE: each send is late by chance, and a receive from anybody waits until all that may come have: so they come in another
 * order each time. */
#define LATE_MOST 1000u /* us */

void noted_open(struct context *context)
{
    long seed = setting_number("DIST_SHUFFLE", 0);
    context->shuffle = seed ? (uint64_t)seed << 16 | (uint64_t)context->self->env.rank : 0;
    const char *buffering = setting_text("DIST_BUFFERING");
    if (!context->checked && !seed && (!buffering || strncmp(buffering, "eager:", 6) != 0))
        return;
    context->log = host_alloc(context->self, sizeof *context->log);
    if (!context->log)
        return;
    atomic_store(&context->log->count, 0);
    atomic_store(&launch_notes(context->self)->log, world_offset(&context->self->world, context->log));
}

static void noted_shuffle(struct context *context, const struct dist_work *op)
{
    if (!atomic_load_explicit(&context->shuffle, memory_order_relaxed) ||
        (!op->sends && op->peer != DIST_ANY_SOURCE))
        return;
    uint64_t dice = atomic_fetch_add(&context->shuffle, UINT64_C(0x9e3779b97f4a7c15));
    dice = (dice ^ dice >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    usleep(op->sends ? (unsigned)(dice >> 40) % LATE_MOST : 2 * LATE_MOST);
}

/* The next entry of the list; NULL: no more is noted. (It counts no further then: after some hours the number would begin anew.) */
static struct log_entry *noted_next(struct call_log *log)
{
    uint32_t number = atomic_load_explicit(&log->count, memory_order_relaxed);
    if (number < LOG_ROOM)
        number = atomic_fetch_add(&log->count, 1);
    return number < LOG_ROOM ? &log->entries[number] : NULL;
}

void noted_add(struct context *context, struct dist_work *op)
{
    struct log_entry *entry = noted_next(context->log);
    op->logged = entry ? (uint32_t)(entry - context->log->entries) + 1 : 0;
    if (entry) {
        *entry = (struct log_entry){ .op = work_note(op), .blocks = !op->async };
        entry->op.seq = op->p2p ? 0 : op->group->logged++;
        entry->peer = entry->op.peer;
    }
    if (op->p2p)
        noted_shuffle(context, op);
}

void noted_add_source(struct context *context, const struct dist_work *op)
{
    struct log_entry *entry = &context->log->entries[op->logged - 1];
    if (op->from >= 0)
        entry->peer = op->from;
    if (op->status == DIST_ERR_TIMEOUT)
        entry->blocks = false; /* it gave up by itself, and nobody would have waited for ever */
}

void noted_add_over(struct context *context, const struct dist_work *work, bool waits)
{
    struct log_entry *entry = noted_next(context->log);
    if (entry)
        *entry = (struct log_entry){ .waits_for = work->logged, .blocks = waits };
}
