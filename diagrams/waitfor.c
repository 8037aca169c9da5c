/*
 * waitfor.c: who waits for whom, from the report of a run that got stuck (DIST_REPORT=file.json):
 *
 *   { "class": "deadlock", "sentence": "...",
 *     "ranks": [ { "rank": 0, "state": "waiting", "call": "dist_send", "peer": 1 }, ... ],
 *     "waits": [[0, 1], [1, 0]], "cycle": [0, 1] }
 *
 * state is waiting, calling, computing, left or absent; other members are not looked at. This is only the reader:
 * waitfor_draw.c makes the drawing.
 */
#include "draw.h"
#include "waitfor.h"

#include <stdlib.h>
#include <string.h>

#define DOING 32
#define LETTERS 20 /* of a word that is drawn */

/* The report, as waitfor.h wants it. */
struct report {
    struct waitfor_picture picture;
    char class[LETTERS + 1];
    char text[RUN_RANKS][DOING];
    const char *doing[RUN_RANKS];
    bool finished[RUN_RANKS];
    int cycle[RUN_RANKS];
    bool in_cycle[RUN_RANKS];
};

static bool wrong(char *why, const char *sentence, int number)
{
    snprintf(why, 200, sentence, number);
    return false;
}

/* A short name such as the library writes; anything else is not drawn. */
static const char *name_or(const char *text, const char *otherwise)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return length > 0 && length <= LETTERS && !text[length] ? text : otherwise;
}

/* A list, or an empty one; NULL: it is something else. */
static const struct value *list_of(const struct value *report, const char *name)
{
    static const struct value empty = { .kind = VALUE_ARRAY };
    const struct value *list = value_member(report, name);
    return !list ? &empty : list->kind == VALUE_ARRAY ? list : NULL;
}

/* A number that is a rank of the report; -1: it is none. */
static int rank_of(const struct report *r, const struct value *value)
{
    bool good = value && value->kind == VALUE_NUMBER && value->number >= 0 &&
                value->number < r->picture.count && value->number == (int)value->number;
    return good ? (int)value->number : -1;
}

static void read_doing(const struct value *entry, char *text)
{
    const char *state = name_or(value_text(entry, "state", ""), "unknown");
    const char *call = value_text(entry, "call", state);
    int peer = (int)value_whole(entry, "peer", -1, RUN_RANKS - 1, -2);
    call = name_or(call + (strncmp(call, "dist_", 5) == 0 ? 5 : 0), state);
    bool sends = strcmp(call, "send") == 0 || strcmp(call, "isend") == 0;
    bool receives = strcmp(call, "recv") == 0 || strcmp(call, "irecv") == 0;
    if (strcmp(state, "left") == 0)
        snprintf(text, DOING, "finished");
    else if (peer == -1)
        snprintf(text, DOING, "receive from any");
    else if (peer >= 0 && (sends || receives))
        snprintf(text, DOING, "%s %d", sends ? "send to" : "receive from", peer);
    else
        snprintf(text, DOING, "%s", call);
}

static bool read_ranks(struct report *r, const struct value *report, char *why)
{
    const struct value *list = value_member(report, "ranks");
    int count = 0;
    if (!list || list->kind != VALUE_ARRAY)
        return wrong(why,
                     value_member(report, "traceEvents")
                         ? "it is a trace (DIST_TRACE) and no report; `draw flow` and others draw it"
                         : "it is no report, since it holds no list of ranks; DIST_REPORT=FILE.json makes a "
                           "run that fails write one",
                     0);
    for (const struct value *entry = list->first; entry; entry = entry->next, count++) {
        if (count == RUN_RANKS)
            return wrong(why, "it has more than %d ranks", RUN_RANKS);
        if (value_whole(entry, "rank", 0, RUN_RANKS - 1, -1) != count)
            return wrong(why, "rank %d is not in its place in the list of ranks", count);
        read_doing(entry, r->text[count]);
        r->doing[count] = r->text[count];
        r->finished[count] = strcmp(value_text(entry, "state", ""), "left") == 0;
    }
    r->picture.count = count;
    return count > 0 || wrong(why, "its list of ranks is empty", 0);
}

static bool read_waits(struct report *r, const struct value *report, char *why)
{
    const struct value *list = list_of(report, "waits");
    int count = 0;
    for (const struct value *pair = list ? list->first : NULL; pair; pair = pair->next)
        count++;
    r->picture.edges = calloc((size_t)count + 1, sizeof *r->picture.edges);
    if (!list || !r->picture.edges)
        return wrong(why, list ? "the system gives no memory" : "its `waits` is no list", 0);
    for (const struct value *pair = list->first; pair; pair = pair->next) {
        const struct value *first = pair->kind == VALUE_ARRAY ? pair->first : NULL;
        int *edge = r->picture.edges[r->picture.edge_count];
        edge[0] = rank_of(r, first);
        edge[1] = rank_of(r, first ? first->next : NULL);
        if (edge[0] < 0 || edge[1] < 0 || first->next->next)
            return wrong(why, "number %d of its `waits` is no pair of ranks", r->picture.edge_count);
        r->picture.edge_count++;
    }
    return true;
}

static bool read_cycle(struct report *r, const struct value *report, char *why)
{
    const struct value *list = list_of(report, "cycle");
    if (!list)
        return wrong(why, "its `cycle` is no list", 0);
    for (const struct value *item = list->first; item; item = item->next) {
        int rank = rank_of(r, item);
        if (rank < 0 || r->in_cycle[rank])
            return wrong(why, "number %d of its `cycle` is no rank, or was there before",
                         r->picture.cycle_count);
        r->in_cycle[rank] = true;
        r->cycle[r->picture.cycle_count++] = rank;
    }
    return true;
}

static void read_class(struct report *r, const struct value *report)
{
    const char *class = name_or(value_text(report, "class", ""), "stuck");
    snprintf(r->class, sizeof r->class, "%s", strcmp(class, "peer_lost") == 0 ? "peer left" : class);
}

bool draw_waitfor(struct picture *p, struct json *json, const struct wish *wish, char *why)
{
    struct report *r = calloc(1, sizeof *r);
    if (!r)
        return wrong(why, "the system gives no memory", 0);
    const struct value *report = json_value(json);
    bool good = report && json_ends(json);
    good = good && read_ranks(r, report, why) && read_waits(r, report, why) && read_cycle(r, report, why);
    if (good) {
        read_class(r, report);
        r->picture.class = r->class;
        r->picture.title = wish->title;
        r->picture.doing = r->doing;
        r->picture.finished = r->finished;
        r->picture.cycle = r->cycle;
        good = waitfor_write(&r->picture, p->file) || wrong(why, "the system gives no memory", 0);
    }
    free(r->picture.edges);
    free(r);
    return good;
}
