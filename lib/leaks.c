/*
 * leaks.c: what a rank has left undone, told once, when it leaves the job. It is no error: the status stays.
 *
 * That a message was never received is told by the rank that sent it. Only the sender knows for certain: it waits in
 * destroy until each message was taken or its receiver has left, while a receiver may leave before the message comes.
 */
#include "context.h"
#include "diagnose/guard.h"
#include "launch/text.h"

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

void leaks_untaken(struct launch_self *self, const struct dist_work *op)
{
    const struct context *context = self->context;
    if (context && context->leaks)
        leaks_add_work(context->leaks, "never received    ", op);
}

static void leaks_memory(struct leaks *leaks, const struct context *context)
{
    char shape[100];
    for (struct handle *open = leaks_oldest(&context->tensors); open; open = open->newer) {
        const struct tensor *t = HANDLE_OF(struct tensor, open);
        leaks_add(leaks, "never freed       tensor of %s %s (%s:%d)",
                  tensor_shape_words(t, shape, sizeof shape), dtype_name(t->type), text_file(t->made_at.file),
                  t->made_at.line);
    }
    for (struct handle *open = context->groups.newest; open; open = open->older) {
        const struct dist_group *group = HANDLE_OF(struct dist_group, open);
        leaks_add(leaks, "never freed       group of %d rank%s (%s:%d)", group->size,
                  group->size == 1 ? "" : "s", text_file(group->made_at.file), group->made_at.line);
    }
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
