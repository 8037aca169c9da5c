/*
 * flow.c: which ranks talk to which, and what they say.
 *
 * The shape follows the messages: a chain stands in a line, a tree in layers, everything else on a circle. An arrow is
 * one pair of ranks; its tag holds the messages with their places in the logical order.
 */
#include "flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINES 3 /* messages that a tag lists; more are counted */

/* ---- gathering -------------------------------------------------------------------- */

/* Messages in logical order: by Lamport clock, then by rank. */
struct turn {
    int clock, src, message;
};

static int by_turn(const void *left, const void *right)
{
    const struct turn *a = left, *b = right;
    if (a->clock != b->clock)
        return a->clock < b->clock ? -1 : 1;
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    return a->message < b->message ? -1 : a->message > b->message;
}

static struct turn *find_turns(const struct run *run)
{
    const struct order_style style = { .step = 1, .travel = 1, .width = flow_no_width };
    struct order order;
    struct turn *turns = calloc((size_t)run->message_count + 1, sizeof *turns);
    if (!turns || !order_find(&order, run, &style)) {
        free(turns);
        return NULL;
    }
    for (int i = 0; i < run->message_count; i++) {
        int send = run->messages[i].send;
        turns[i] = (struct turn){ order.spot[send].clock, run->acts[send].rank, i };
    }
    order_free(&order);
    qsort(turns, (size_t)run->message_count, sizeof *turns, by_turn);
    return turns;
}

double flow_no_width(const struct act *span)
{
    (void)span;
    return 0;
}

/* Ranks that are drawn as one node. */
static int node_of(const struct flow *flow, int rank)
{
    return rank / flow->each;
}

static void add_message(struct flow *flow, int turn, int message)
{
    const struct run *run = flow->run;
    const struct act *send = &run->acts[run->messages[message].send];
    int src = node_of(flow, send->rank), dst = node_of(flow, send->peer);
    struct link *link = &flow->links[src * flow->nodes + dst];
    char words[120];
    link->bytes += send->bytes;
    if (link->count++ < LINES) {
        size_t used = strlen(link->text);
        words_message(run, message, words, sizeof words);
        snprintf(link->text + used, sizeof link->text - used, "%s%d: %s", used ? "\n" : "", turn + 1, words);
    }
}

static void finish_links(struct flow *flow)
{
    char words[40];
    for (int i = 0; i < flow->nodes * flow->nodes; i++) {
        struct link *link = &flow->links[i];
        if (link->count > LINES || (link->count > 0 && flow->each > 1))
            snprintf(link->text, sizeof link->text, "%d message%s\n%s", link->count,
                     link->count == 1 ? "" : "s", words_bytes(link->bytes, words, sizeof words));
    }
}

/* What a rank does first and last says what it is. */
static void find_parts(struct flow *flow)
{
    const struct run *run = flow->run;
    for (int i = 0; i < run->count; i++) {
        const struct act *act = &run->acts[i];
        flow->parts[node_of(flow, act->rank)].stuck |= act->unfinished && act->kind <= ACT_WAIT;
        if (act->kind > ACT_IRECV || act->message < 0)
            continue;
        bool sends = act->kind == ACT_SEND || act->kind == ACT_ISEND;
        struct part *part = &flow->parts[node_of(flow, act->rank)];
        if (part->sends + part->receives == 0)
            part->sends_first = sends;
        part->starts |= act->kind == ACT_ISEND || act->kind == ACT_IRECV;
        *(sends ? &part->sends : &part->receives) += 1;
    }
}

/* ---- drawing ---------------------------------------------------------------------- */

static const char *role(const struct flow *flow, int node)
{
    const struct part *part = &flow->parts[node];
    if (part->stuck)
        return "stuck";
    if (part->sends + part->receives == 0)
        return "silent";
    if (flow->shape == SHAPE_CHAIN || flow->shape == SHAPE_TREE)
        return !part->receives ? "source" : !part->sends ? "sink" : "relay";
    if (part->starts)
        return "both at once";
    return !part->receives     ? "sends"
           : !part->sends      ? "receives"
           : part->sends_first ? "sends first"
                               : "receives first";
}

static void draw_node(const struct flow *flow, int node)
{
    char text[64], name[32];
    int first = node * flow->each, last = first + flow->each - 1;
    last = last < flow->run->ranks ? last : flow->run->ranks - 1;
    if (first == last)
        snprintf(name, sizeof name, "rank %d", first);
    else
        snprintf(name, sizeof name, "%d to %d", first, last);
    snprintf(text, sizeof text, "%s\n%s", name, role(flow, node));
    struct node circle = {
        .shape = "circle", .style = "filled", .pen = 2.5, .width = 80, .height = 80, .size = 12
    };
    circle.fill = rank_pale(node);
    circle.color = rank_strong(node);
    dot_node(flow->p, "r", node, flow->at[node], circle, text);
}

static void draw_links(const struct flow *flow)
{
    for (int src = 0; src < flow->nodes; src++)
        for (int dst = 0; dst < flow->nodes; dst++) {
            const struct link *link = &flow->links[src * flow->nodes + dst];
            if (link->count == 0 || src == dst)
                continue;
            struct curve curve = flow_curve(flow, src, dst);
            dot_curve(flow->p, curve.a, curve.c, curve.d, curve.b,
                      (struct stroke){ .color = rank_strong(src) });
        }
    for (int src = 0; src < flow->nodes; src++)
        for (int dst = 0; dst < flow->nodes; dst++) {
            const struct link *link = &flow->links[src * flow->nodes + dst];
            if (link->count > 0 && src != dst)
                dot_tag(flow->p, flow_curve(flow, src, dst).tag, rank_strong(src), 12.5, link->text);
        }
}

static void draw_all(const struct flow *flow, const struct wish *wish)
{
    static const char *const titles[] = { "A chain", "A ring", "A tree", "Who talks to whom" };
    char line[160], title[80];
    snprintf(title, sizeof title, "%s of %d rank%s", titles[flow->shape], flow->run->ranks,
             flow->run->ranks > 1 ? "s" : "");
    snprintf(line, sizeof line, "%s",
             flow->each > 1 ? "neighbouring ranks are drawn as one"
                            : "an arrow is a message; its number tells the order, then what it carries");
    double top = -INFINITY, left = INFINITY, right = -INFINITY;
    for (int i = 0; i < flow->nodes; i++) {
        top = fmax(top, flow->at[i].y);
        left = fmin(left, flow->at[i].x);
        right = fmax(right, flow->at[i].x);
    }
    dot_begin(flow->p, "flow");
    dot_title(flow->p, (struct point){ (left + right) / 2, top + 73 },
              wish->title                   ? wish->title
              : flow->shape == SHAPE_CIRCLE ? titles[3]
                                            : title,
              line);
    for (int node = 0; node < flow->nodes; node++)
        draw_node(flow, node);
    draw_links(flow);
    dot_end(flow->p);
}

bool draw_flow(struct picture *p, const struct run *run, const struct wish *wish, char *why)
{
    struct flow flow = { .p = p, .run = run, .each = (run->ranks + MOST_RANKS - 1) / MOST_RANKS };
    flow.nodes = (run->ranks + flow.each - 1) / flow.each;
    flow.links = calloc((size_t)(flow.nodes * flow.nodes), sizeof *flow.links);
    struct turn *turns = find_turns(run);
    bool good = flow.links && turns;
    if (good) {
        for (int i = 0; i < run->message_count; i++)
            add_message(&flow, i, turns[i].message);
        finish_links(&flow);
        find_parts(&flow);
        flow_place(&flow);
        draw_all(&flow, wish);
    } else {
        snprintf(why, 200, "the system gives no memory");
    }
    free(flow.links);
    free(turns);
    return good;
}
