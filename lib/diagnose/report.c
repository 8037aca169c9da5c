/* report.c: the diagnosis as text: class and sentence, every rank's call, the cycle, the suggestion, the lesson. */
#include "diagnose.h"

#include <unistd.h>

#define WIDTH 78       /* columns of prose; */
#define PREFIX 6       /* "[1023] " stands before what a rank prints itself */
#define COLUMNS 80     /* of any line */
#define INDENT 11      /* of what is told further of a rank */
#define ALTERNATIVES 6 /* of dist_wait_any are shown */
#define STEPS 10       /* of a cycle are named */
#define SHOWN 16       /* above that many ranks the further ones are counted, but for those of the cycle */

struct words place_of(const struct diagnosis *d, int rank, uint32_t site)
{
    const struct site *at = world_site_at(d->world, rank, site);
    return words_of("%s:%d", at->file, at->line);
}

bool brings_nothing(const struct note_op *op)
{
    return op->call == CALL_BARRIER || op->call == CALL_MONITORED_BARRIER || op->call == CALL_NEW_GROUP ||
           (in_collective(op) && op->kind != NOTE_COLLECTIVE); /* there it is the message's count */
}

/* "dist_recv from 2, tag 7, 4 elements of F32 (chain.c:17)" */
static void report_op_line(struct text *page, const struct diagnosis *d, int rank, const struct note_op *op)
{
    text_add(page, "%s", call_name(op->call));
    if (!in_collective(op)) {
        text_add(page, op->kind == NOTE_SEND ? " to " : " from ");
        text_add(page, op->peer == DIST_ANY_SOURCE ? "anybody" : "%d", op->peer);
        if (op->tag > 0)
            text_add(page, ", tag %d", op->tag);
    }
    if (!brings_nothing(op))
        text_add(page, ", %lld %s", (long long)op->count, dtype_name(op->type));
    if (op->group != 0)
        text_add(page, ", group %d", op->group);
    text_add(page, " (%s)\n", place_of(d, rank, op->site).text);
}

static void report_prose(struct text *page, const struct diagnosis *d, const char *first, const char *text)
{
    char line[512], wrapped[600];
    snprintf(line, sizeof line, "%s: %s.", first, text);
    text_wrap(line, d->polls ? WIDTH - PREFIX : WIDTH, wrapped, sizeof wrapped);
    text_add(page, "%s\n", wrapped);
}

/* The program went on when the operation was put into a stream; where did it stop? */
static void report_host(struct text *page, const struct diagnosis *d, int rank)
{
    const struct view *view = &d->views[rank];
    uint32_t stream = view->count > 0 ? view->open[0].stream : 0;
    struct words stands = words_of(stream > 1 ? "stands in stream %u; the host waits in"
                                              : "stands in the stream; the host waits in",
                                   stream - 1);
    struct words host = words_of("%s (%s)", view->host_call, place_of(d, rank, view->host_site).text);
    bool fits = strlen(stands.text) + 1 + strlen(host.text) <= COLUMNS - INDENT;
    text_add(page, "%*s%s%s%*s%s\n", INDENT, "", stands.text, fits ? " " : "\n", fits ? 0 : INDENT, "",
             host.text);
}

/* Any of several will do: where it waits, then what for. */
static void report_alternatives(struct text *page, const struct diagnosis *d, int rank)
{
    const struct view *view = &d->views[rank];
    int count = 0;
    text_add(page, "%s", call_name(CALL_WAIT_ANY));
    if (view->call >> 16 == CALL_WAIT_ANY)
        text_add(page, " (%s)", place_of(d, rank, view->call & 0xffff).text);
    text_add(page, ", for any of:\n");
    for (int i = -1; (i = next_awaited(view, i)) >= 0;)
        if (count++ < ALTERNATIVES) {
            text_add(page, "%*s", INDENT, "");
            report_op_line(page, d, rank, &view->open[i]);
        }
    if (count > ALTERNATIVES)
        text_add(page, "%*sand %d more\n", INDENT, "", count - ALTERNATIVES);
}

static void report_rank(struct text *page, const struct diagnosis *d, int rank)
{
    const struct view *view = &d->views[rank];
    bool elsewhere = view->count == 0 && view->host_call[0]; /* only its host waits */
    if (!elsewhere)
        text_add(page, "  rank %-3d ", rank);
    if (has_left(view))
        text_add(page, "has left the job\n");
    else if (waits_for_any(view))
        report_alternatives(page, d, rank);
    else if (view->count > 0)
        report_op_line(page, d, rank, &view->open[0]);
    else if (!elsewhere)
        text_add(page, "in %s\n", call_name((enum call)(view->call >> 16)));
    if (view->host_call[0])
        report_host(page, d, rank);
    else if (view->count > 0 &&
             view->call >> 16 == CALL_DESTROY) /* it has made all its calls, and this one is open */
        text_add(page, "%*sholds up %s (%s)\n", INDENT, "", call_name(CALL_DESTROY),
                 place_of(d, rank, view->call & 0xffff).text);
}

/* Written at once, so that no other output tears it. */
void report_text(const struct diagnosis *d)
{
    struct text page = { .used = 0 };
    int shown = 0, hidden = 0;
    bool luck = d->error == DIST_OK && !d->polls;
    report_prose(&page, d,
                 d->error == DIST_ERR_DEADLOCK    ? "deadlock"
                 : d->error == DIST_ERR_MISMATCH  ? "mismatch"
                 : d->error == DIST_ERR_PEER_LOST ? "peer left"
                                                  : "warning",
                 d->sentence.text);
    for (int rank = 0; rank < d->size; rank++) {
        if (luck && has_left(&d->views[rank]))
            continue;
        if (shown >= SHOWN && !(in_cycle(d, rank) && shown < 2 * SHOWN)) {
            hidden++;
            continue;
        }
        report_rank(&page, d, rank);
        shown++;
    }
    if (hidden > 0)
        text_add(&page, "  and %d more rank%s\n", hidden, hidden == 1 ? "" : "s");
    if (d->cycle_length > 1) {
        text_add(&page, "  cycle: ");
        for (int i = 0; i < d->cycle_length && i < STEPS; i++)
            text_add(&page, "%d > ", d->cycle[i]);
        text_add(&page, "%s%d\n", d->cycle_length > STEPS ? "... > " : "", d->cycle[0]);
    }
    report_prose(&page, d, "try", d->advice);
    text_add(&page, "%s\n", d->lesson);
    text_write(STDERR_FILENO, page.bytes, page.used);
}
