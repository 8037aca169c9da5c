/*
 * topology_draw.c: the machine as a drawing.
 *
 *     processor 0 ------- processor 1
 *       |      |            |      |          PCIe
 *     switch  GPU 2       GPU 3   eth0
 *      |  |
 *  GPU 0  GPU 1
 *      \__/                                   NVLink
 */
#include "topology.h"

#include <string.h>

#define WIDTH 132.0 /* of a column: a part each */
#define ROW 118.0

struct layout {
    struct picture *p;
    const struct topology *t;
    struct point nodes[TOPO_NODES], parts[TOPO_PARTS];
    double right;   /* where the next column begins */
    double devices; /* how far down they stand: below the switches, if there are any */
};

/* ---- where everything is ------------------------------------------------------------------ */

/* Parts below one switch stand side by side. Gives the middle of their columns. */
static double place_parts(struct layout *l, int node, int above)
{
    double first = l->right, last = l->right;
    for (int i = 0; i < l->t->part_count; i++) {
        const struct topo_part *part = &l->t->parts[i];
        if (part->kind == PART_SWITCH || part->node != node || part->above != above)
            continue;
        last = l->right;
        l->parts[i] = (struct point){ l->right, l->devices };
        l->right += WIDTH;
    }
    return (first + last) / 2;
}

static void place_node(struct layout *l, int node)
{
    double left = l->right;
    for (int i = 0; i < l->t->part_count; i++)
        if (l->t->parts[i].kind == PART_SWITCH && l->t->parts[i].node == node)
            l->parts[i] = (struct point){ place_parts(l, node, i), -ROW };
    place_parts(l, node, -1);
    if (l->right == left)
        l->right += WIDTH;
    l->nodes[node] = (struct point){ (left + l->right - WIDTH) / 2, 0 };
    l->right += WIDTH / 3;
}

/* ---- lines ---------------------------------------------------------------------------------- */

static void draw_lane(struct layout *l, int i)
{
    const struct topo_part *part = &l->t->parts[i];
    struct point from = part->above >= 0 ? l->parts[part->above] : l->nodes[part->node], to = l->parts[i];
    dot_line(l->p, from, to, (struct stroke){ .color = GREY, .head = "none", .width = 2.2 });
    if (part->lane[0])
        dot_tag(l->p, (struct point){ from.x + 0.62 * (to.x - from.x), from.y + 0.62 * (to.y - from.y) },
                GREY, 10.5, part->lane);
}

/* From GPU to GPU below both; further apart, deeper. */
static void draw_link(struct layout *l, const struct topo_link *link)
{
    struct point a = l->parts[link->a], b = l->parts[link->b];
    double depth = 40 + 0.22 * (b.x > a.x ? b.x - a.x : a.x - b.x);
    char text[24];
    a.y -= 24;
    b.y -= 24;
    dot_curve(l->p, a, (struct point){ a.x, a.y - depth * 4 / 3 }, (struct point){ b.x, b.y - depth * 4 / 3 },
              b, (struct stroke){ .color = rank_strong(2), .head = "none", .width = 3 });
    snprintf(text, sizeof text, "NVLink x%d", link->count);
    dot_tag(l->p, (struct point){ (a.x + b.x) / 2, a.y - depth }, rank_strong(2), 10.5, text);
}

/* A switch that joins all: a bar below the GPUs. */
static void draw_nvswitch(struct layout *l)
{
    double first = 1e9, last = -1e9, y = l->devices - 0.85 * ROW;
    char text[24];
    for (int i = 0; i < l->t->link_count; i++) {
        const struct topo_link *link = &l->t->links[i];
        struct point at = l->parts[link->a];
        if (link->b >= 0)
            continue;
        first = at.x < first ? at.x : first;
        last = at.x > last ? at.x : last;
        dot_line(l->p, at, (struct point){ at.x, y },
                 (struct stroke){ .color = rank_strong(2), .head = "none", .width = 3 });
        snprintf(text, sizeof text, "x%d", link->count);
        dot_tag(l->p, (struct point){ at.x, (at.y + y) / 2 - 8 }, rank_strong(2), 10.5, text);
    }
    if (last < first)
        return;
    dot_node(l->p, "nvswitch", 0, (struct point){ (first + last) / 2, y },
             (struct node){ .shape = "box",
                            .style = "rounded,filled",
                            .fill = rank_pale(2),
                            .color = rank_strong(2),
                            .width = last - first + 104,
                            .height = 34,
                            .size = 13 },
             "NVLink switch");
}

/* ---- boxes ------------------------------------------------------------------------------------ */

/* What fits into a box; who makes the GPUs is known. */
static void short_name(const char *name, char *text, size_t size)
{
    if (strncmp(name, "NVIDIA ", 7) == 0 && strcmp(name, "NVIDIA GPU") != 0)
        name += 7;
    snprintf(text, size, "%s", name);
    while (text_width(text, 11.5) > 108 && strlen(text) > 3)
        memcpy(text + strlen(text) - 3, "..", 3);
}

static void draw_part(struct layout *l, int i)
{
    const struct topo_part *part = &l->t->parts[i];
    bool gpu = part->kind == PART_GPU, bridge = part->kind == PART_SWITCH;
    char text[200], name[64];
    struct node box = {
        .shape = "box", .style = "rounded,filled", .width = 118, .height = bridge ? 30 : 48, .size = 11.5
    };
    box.fill = gpu ? rank_pale(0) : bridge ? SIDE : "#FFF6E0";
    box.color = gpu ? BLUE : bridge ? GREY : AMBER;
    short_name(part->name, name, sizeof name);
    if (gpu)
        snprintf(text, sizeof text, "GPU %d\n%s", part->number, name);
    else if (bridge)
        snprintf(text, sizeof text, "%s", name);
    else
        snprintf(text, sizeof text, "%s\n%s", name, part->rate[0] ? part->rate : "network");
    dot_node(l->p, "part", i, l->parts[i], box, text);
}

static void draw_node(struct layout *l, int i)
{
    const struct topo_node *node = &l->t->nodes[i];
    char text[100];
    snprintf(text, sizeof text,
             node->memory > 0 ? "processor %d\n%d core%s, %.0f GiB" : "processor %d\n%d core%s", node->number,
             node->cores, node->cores == 1 ? "" : "s", (double)node->memory / (1 << 30));
    if (i > 0)
        dot_line(l->p, l->nodes[i - 1], l->nodes[i],
                 (struct stroke){ .color = SOFT, .head = "none", .width = 4 });
    dot_node(l->p, "processor", i, l->nodes[i],
             (struct node){ .shape = "box",
                            .style = "rounded,filled",
                            .fill = GROUND,
                            .color = SOFT,
                            .width = 150,
                            .height = 52,
                            .size = 13,
                            .bold = true },
             text);
}

static void draw_title(struct layout *l, const char *title)
{
    char text[160];
    int gpus = topology_count(l->t, PART_GPU), networks = topology_count(l->t, PART_NETWORK);
    if (gpus == 0)
        snprintf(text, sizeof text, "no GPU: ranks share the processor%s and the memory",
                 l->t->node_count > 1 ? "s" : "");
    else
        snprintf(text, sizeof text, "%d GPU%s, %d network%s; %s", gpus, gpus == 1 ? "" : "s", networks,
                 networks == 1 ? "" : "s", l->t->link_count > 0 ? "NVLink in green" : "no NVLink");
    dot_title(l->p, (struct point){ (l->right - 1.33 * WIDTH) / 2, 76 }, title, text);
}

void topology_draw(const struct topology *t, struct picture *p, const char *title)
{
    struct layout l = { .p = p, .t = t };
    l.devices = topology_count(t, PART_SWITCH) > 0 ? -2 * ROW : -1.2 * ROW;
    dot_begin(p, "topology");
    for (int i = 0; i < t->node_count; i++)
        place_node(&l, i);
    draw_title(&l, title);
    for (int i = 0; i < t->part_count; i++)
        draw_lane(&l, i);
    for (int i = 0; i < t->link_count; i++)
        if (t->links[i].b >= 0)
            draw_link(&l, &t->links[i]);
    draw_nvswitch(&l);
    for (int i = 0; i < t->node_count; i++)
        draw_node(&l, i);
    for (int i = 0; i < t->part_count; i++)
        draw_part(&l, i);
    dot_end(p);
}
