/* span.c: dist_span, the program's own marks. */
#include "wrap.h"

#include <stdarg.h>
#include <string.h>

#define NAME_BYTES 64

/* The spans that a thread is in. One that was left by break or return ends when a span around it does. */
static _Thread_local struct {
    uint64_t opened; /* in which record */
    int depth;
    uint32_t open[TRACE_DEPTH];
} here;

struct dist_span_mark dist_span_begin(struct dist_at at, const char *format, ...)
{
    struct launch_self *self = launch_self_if_any();
    struct trace *trace = self ? self->trace : NULL;
    struct dist_span_mark mark = { .inside = true, .depth = -1 };
    char name[NAME_BYTES];
    if (!trace)
        return mark;
    if (here.opened != trace->record->opened) {
        here.opened = trace->record->opened;
        here.depth = 0;
    }
    if (here.depth == TRACE_DEPTH)
        return mark;
    /* Most names need no formatting, which would cost more than all the rest. */
    bool plain = strlen(format) < sizeof name && !strchr(format, '%');
    va_list words;
    va_start(words, format);
    if (!plain)
        vsnprintf(name, sizeof name, format, words);
    va_end(words);
    struct event as = { .kind = EVENT_SPAN, .peer = -1, .from = -1, .other = TRACE_NONE };
    as.site = world_site(&self->world, self->env.rank, at);
    as.values = record_name(trace->record, plain ? format : name);
    mark.depth = here.depth++;
    here.open[mark.depth] = record_begin(trace->record, as);
    return mark;
}

void dist_span_end(struct dist_span_mark *mark)
{
    struct launch_self *self = launch_self_if_any();
    struct trace *trace = self ? self->trace : NULL;
    mark->inside = false;
    if (mark->depth < 0 || !trace || here.opened != trace->record->opened)
        return;
    while (here.depth > mark->depth)
        record_end(trace->record, here.open[--here.depth]);
}
