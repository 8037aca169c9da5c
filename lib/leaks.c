/*
 * leaks.c: what a rank has left undone, told once, when it leaves the job. It is no error: the status stays.
 * But two calls that met and do not fit are one, also where nobody waits to hear of it.
 *
 * That a message was never received is told by the rank that sent it. Only the sender knows for certain: it waits in
 * destroy until each message was taken or its receiver has left, while a receiver may leave before the message comes.
 */
#include "context.h"
#include "diagnose/guard.h"
#include "launch/text.h"
#include "streams/gpu.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LEAKS_SHOWN 8

/* The lines of the report. */
struct leaks {
    int count; /* different ones; the first LEAKS_SHOWN have a line, */
    char lines[LEAKS_SHOWN][120];
    int times[LEAKS_SHOWN]; /* and how often they were found */
};

static void leaks_add(struct leaks *leaks, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void leaks_add(struct leaks *leaks, const char *format, ...)
{
    char line[sizeof leaks->lines[0]];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    for (int i = 0; i < leaks->count && i < LEAKS_SHOWN; i++)
        if (strcmp(line, leaks->lines[i]) == 0) {
            leaks->times[i]++;
            return;
        }
    if (leaks->count++ >= LEAKS_SHOWN)
        return;
    memcpy(leaks->lines[leaks->count - 1], line, sizeof line);
    leaks->times[leaks->count - 1] = 1;
}

static void leaks_add_work(struct leaks *leaks, const char *what, const struct dist_work *op)
{
    struct words post = misuse_post(op->call, op->sends, op->p2p ? op->peer : -2, op->at);
    leaks_add(leaks, "%s%s", what, post.text);
}

static struct handle *leaks_oldest(const struct handles *all)
{
    struct handle *open = all->newest;
    while (open && open->older)
        open = open->older;
    return open;
}

void leaks_begin(struct context *context)
{
    context->leaks = calloc(1, sizeof *context->leaks);
    for (struct handle *open = leaks_oldest(&context->works); context->leaks && open; open = open->newer)
        leaks_add_work(context->leaks, "never waited for  ", HANDLE_OF(struct dist_work, open));
}

bool leaks_mismatch(const struct context *context, struct dist_work *found)
{
    struct handle *open = leaks_oldest(&context->works);
    while (open && HANDLE_OF(struct dist_work, open)->status != DIST_ERR_MISMATCH)
        open = open->newer;
    if (open)
        *found = *HANDLE_OF(struct dist_work, open);
    return open != NULL;
}

/* Not of a collective by messages, which has told itself how it ended. */
void leaks_untaken(struct launch_self *self, const struct dist_work *op)
{
    const struct context *context = self->context;
    if (context && context->leaks && op->tag >= 0)
        leaks_add_work(context->leaks, "never received    ", op);
}

static void leaks_add_memory(struct leaks *leaks, struct words what, struct dist_at made_at)
{
    leaks_add(leaks, "never freed       %s (%s:%d)", what.text, text_file(made_at.file), made_at.line);
}

static void leaks_memory(struct leaks *leaks, const struct context *context)
{
    char shape[100];
    const struct gpu *gpu = gpu_if_open(context->self);
    for (struct handle *open = leaks_oldest(&context->tensors); open; open = open->newer) {
        const struct tensor *t = HANDLE_OF(struct tensor, open);
        leaks_add_memory(
            leaks,
            words_of("tensor of %s %s", tensor_shape_words(t, shape, sizeof shape), dtype_name(t->type)),
            t->made_at);
    }
    for (struct handle *open = context->groups.newest; open; open = open->older) {
        const struct dist_group *group = HANDLE_OF(struct dist_group, open);
        leaks_add_memory(leaks, words_of("group of %d rank%s", group->size, group->size == 1 ? "" : "s"),
                         group->made_at);
    }
    for (int i = 1; gpu && i < DEVICE_STREAMS; i++) /* the first is always there */
        if (gpu->streams[i].live == STREAM_LIVE)
            leaks_add_memory(leaks, words_of("stream"), gpu->streams[i].made_at);
    for (struct handle *open = gpu ? leaks_oldest(&gpu->events) : NULL; open; open = open->newer)
        leaks_add_memory(leaks, words_of("event"), HANDLE_OF(struct dist_event, open)->made_at);
}

static void leaks_tell(const struct leaks *leaks, const struct context *context)
{
    struct text text = { 0 };
    text_add(&text, "note: rank %d leaves something behind:\n", context->self->env.rank);
    for (int i = 0; i < leaks->count && i < LEAKS_SHOWN; i++)
        text_add(&text, leaks->times[i] > 1 ? "  %s, %d times\n" : "  %s\n", leaks->lines[i],
                 leaks->times[i]);
    if (leaks->count > LEAKS_SHOWN)
        text_add(&text, "  and %d more\n", leaks->count - LEAKS_SHOWN);
    fputs(text.bytes, stderr);
    fflush(stderr);
}

void leaks_end(struct context *context)
{
    struct leaks *leaks = context->leaks;
    context->leaks = NULL;
    if (leaks && context->checked)
        leaks_memory(leaks, context);
    if (leaks && leaks->count > 0 && !world_failed(&context->self->world))
        leaks_tell(leaks, context);
    free(leaks);
}
