/* report.c: the diagnosis as text: class and sentence, every rank's call, the cycle, the suggestion, the lesson. */
#include "diagnose.h"
#include "../launch/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 78       /* columns of prose; */
#define PREFIX 6       /* "[1023] " stands before what a rank prints itself */
#define COLUMNS 80     /* of any line */
#define INDENT 11      /* of what is told further of a rank */
#define ALTERNATIVES 6 /* of dist_wait_any are shown */
#define STEPS 10       /* of a cycle are named */
#define SHOWN 16       /* above that many ranks those that all wait alike are counted, not listed */

static const struct {
    const char *name;
    int status;
} classes[] = {
    [CAUSE_DEADLOCK] = { "deadlock", DIST_ERR_DEADLOCK },
    [CAUSE_MISMATCH] = { "mismatch", DIST_ERR_MISMATCH },
    [CAUSE_PEER_LEFT] = { "peer left", DIST_ERR_PEER_LOST },
    [CAUSE_LUCK] = { "warning", DIST_OK },
    [CAUSE_POLLS] = { "warning", DIST_OK },
};

int exit_status_of(enum cause_class class)
{
    return classes[class].status;
}

const char *class_name(enum cause_class class)
{
    return classes[class].name;
}

int describe_place(const struct diagnosis *d, int rank, uint32_t site, char *text, size_t size)
{
    const struct site *at = world_site_at(d->world, rank, site);
    return snprintf(text, size, "%s:%d", at->file, at->line);
}

bool brings_nothing(const struct note_op *op)
{
    return op->call == CALL_BARRIER || op->call == CALL_MONITORED_BARRIER || op->call == CALL_NEW_GROUP;
}

int describe_op(const struct diagnosis *d, int rank, const struct note_op *op, char *text, size_t size)
{
    char peer[32] = "", tag[32] = "", count[48] = "", group[32] = "";
    bool collective = in_collective(op);
    const char *word = collective ? NULL : op->kind == NOTE_SEND ? " to " : " from ";
    if (word && op->peer == DIST_ANY_SOURCE)
        snprintf(peer, sizeof peer, "%sanybody", word);
    else if (word)
        snprintf(peer, sizeof peer, "%s%d", word, op->peer);
    if (word && op->tag > 0)
        snprintf(tag, sizeof tag, ", tag %d", op->tag);
    if (op->kind == NOTE_COLLECTIVE ? !brings_nothing(op) : !collective) /* else it is the message's count */
        snprintf(count, sizeof count, ", %lld %s", (long long)op->count, dtype_name(op->type));
    if (op->group != 0)
        snprintf(group, sizeof group, ", group %d", op->group);
    const struct site *at = world_site_at(d->world, rank, op->site);
    return snprintf(text, size, "%s%s%s%s%s (%s:%d)", call_name(op->call), peer, tag, count, group, at->file,
                    at->line);
}

/* The whole report is built here and written at once, so that no other output tears it. */
struct page {
    char text[16384];
    size_t used;
    int width;
};

static void add(struct page *page, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(page->text + page->used, sizeof page->text - page->used, format, list);
    va_end(list);
    if (length > 0)
        page->used += (size_t)length;
    if (page->used >= sizeof page->text)
        page->used = sizeof page->text - 1;
}

static void add_prose(struct page *page, const char *first, const char *text)
{
    char line[512], wrapped[600];
    snprintf(line, sizeof line, "%s%s.", first, text);
    text_wrap(line, page->width, wrapped, sizeof wrapped);
    add(page, "%s\n", wrapped);
}

static bool in_cycle(const struct diagnosis *d, int rank)
{
    for (int i = 0; i < d->cycle_length; i++)
        if (d->cycle[i] == rank)
            return true;
    return false;
}

/* The program went on when the operation was put into a stream; where did it stop? */
static void add_host(struct page *page, const struct diagnosis *d, int rank)
{
    const struct view *view = &d->views[rank];
    uint32_t stream = view->count > 0 ? view->open[0].stream : 0;
    char place[80];
    describe_place(d, rank, view->host_site, place, sizeof place);
    char stands[64], line[200];
    if (stream > 1)
        snprintf(stands, sizeof stands, "stands in stream %u; the host waits in", stream - 1);
    else
        snprintf(stands, sizeof stands, "stands in the stream; the host waits in");
    int length = snprintf(line, sizeof line, "%s %s (%s)", stands, view->host_call, place);
    if (length <= COLUMNS - INDENT)
        add(page, "%*s%s\n", INDENT, "", line);
    else
        add(page, "%*s%s\n%*s%s (%s)\n", INDENT, "", stands, INDENT, "", view->host_call, place);
}

/* Any of several will do: where it waits, then what for. */
static void add_alternatives(struct page *page, const struct diagnosis *d, int rank)
{
    const struct view *view = &d->views[rank];
    char what[200];
    int shown = 0, hidden = 0;
    if ((view->call >> 16) == CALL_WAIT_ANY) {
        describe_place(d, rank, view->call & 0xffff, what, sizeof what);
        add(page, "  rank %-3d %s (%s), for any of:\n", rank, call_name(CALL_WAIT_ANY), what);
    } else {
        add(page, "  rank %-3d %s, for any of:\n", rank, call_name(CALL_WAIT_ANY));
    }
    for (int i = -1; (i = next_awaited(view, i)) >= 0;) {
        if (shown++ >= ALTERNATIVES) {
            hidden++;
            continue;
        }
        describe_op(d, rank, &view->open[i], what, sizeof what);
        add(page, "%*s%s\n", INDENT, "", what);
    }
    if (hidden > 0)
        add(page, "%*sand %d more\n", INDENT, "", hidden);
}

static void add_rank(struct page *page, const struct diagnosis *d, int rank)
{
    const struct view *view = &d->views[rank];
    char what[200];
    if (has_left(view)) {
        add(page, "  rank %-3d has left the job\n", rank);
        return;
    }
    if (view->count == 0 && !view->host_call[0]) {
        add(page, "  rank %-3d in %s\n", rank, call_name((enum call)(view->call >> 16)));
        return;
    }
    if (waits_for_any(view)) {
        add_alternatives(page, d, rank);
    } else if (view->count > 0) {
        describe_op(d, rank, &view->open[0], what, sizeof what);
        add(page, "  rank %-3d %s\n", rank, what);
    }
    if (view->host_call[0])
        add_host(page, d, rank);
}

static void add_cycle(struct page *page, const struct diagnosis *d)
{
    if (d->cycle_length < 2)
        return;
    add(page, "  cycle: ");
    for (int i = 0; i < d->cycle_length && i < STEPS; i++)
        add(page, "%d > ", d->cycle[i]);
    add(page, "%s%d\n", d->cycle_length > STEPS ? "... > " : "", d->cycle[0]);
}

void report_text(const struct diagnosis *d)
{
    struct page page;
    page.used = 0;
    page.width = d->class == CAUSE_POLLS ? WIDTH - PREFIX : WIDTH;
    char first[32];
    snprintf(first, sizeof first, "%s: ", class_name(d->class));
    add_prose(&page, first, d->sentence);
    int shown = 0, hidden = 0;
    for (int rank = 0; rank < d->size; rank++) {
        if (d->class == CAUSE_LUCK && has_left(&d->views[rank]))
            continue;
        if (d->size > SHOWN && shown >= SHOWN && !(in_cycle(d, rank) && shown < 2 * SHOWN)) {
            hidden++;
            continue;
        }
        add_rank(&page, d, rank);
        shown++;
    }
    if (hidden > 0)
        add(&page, "  and %d more ranks\n", hidden);
    add_cycle(&page, d);
    add_prose(&page, "try: ", d->advice);
    add(&page, "%s\n", lesson_line(d->lesson));
    text_tell(page.text, page.used);
}
