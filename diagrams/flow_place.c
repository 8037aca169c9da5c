/* flow_place.c: a place for every node, and the arrows between them. */
#include "flow.h"

#include <math.h>

#define NODE 43.0   /* radius of a node, and a gap */
#define PAGE 1000.0 /* how wide a chain may be before it takes another row */
#define PI 3.14159265358979323846

static int out_degree(const struct flow *flow, int node)
{
    int degree = 0;
    for (int dst = 0; dst < flow->nodes; dst++)
        degree += dst != node && flow->links[node * flow->nodes + dst].count > 0;
    return degree;
}

static int in_degree(const struct flow *flow, int node)
{
    int degree = 0;
    for (int src = 0; src < flow->nodes; src++)
        degree += src != node && flow->links[src * flow->nodes + node].count > 0;
    return degree;
}

/* The one node that `node` sends to, or -1. */
static int follow(const struct flow *flow, int node)
{
    for (int dst = 0; dst < flow->nodes; dst++)
        if (dst != node && flow->links[node * flow->nodes + dst].count > 0)
            return dst;
    return -1;
}

/* ---- which shape? ------------------------------------------------------------------- */

static bool is_ring(const struct flow *flow)
{
    int node = 0;
    for (int i = 0; i < flow->nodes; i++)
        if (out_degree(flow, i) != 1 || in_degree(flow, i) != 1)
            return false;
    for (int steps = 1; steps < flow->nodes; steps++) {
        node = follow(flow, node);
        if (node == 0)
            return false;
    }
    return flow->nodes > 1;
}

static bool is_chain(const struct flow *flow)
{
    for (int i = 0; i < flow->nodes; i++)
        if (follow(flow, i) != (i + 1 < flow->nodes ? i + 1 : -1) || out_degree(flow, i) > 1)
            return false;
    return true;
}

/* How far a node is from the root of its tree, going against the arrows; -1: that never ends. */
static int depth_of(const struct flow *flow, int node)
{
    for (int depth = 0; depth <= flow->nodes; depth++) {
        int above = -1;
        for (int src = 0; src < flow->nodes; src++)
            if (src != node && flow->links[src * flow->nodes + node].count > 0)
                above = src;
        if (above < 0)
            return depth;
        node = above;
    }
    return -1;
}

static bool is_tree(const struct flow *flow)
{
    int roots = 0;
    for (int i = 0; i < flow->nodes; i++) {
        if (in_degree(flow, i) > 1 || depth_of(flow, i) < 0)
            return false;
        roots += in_degree(flow, i) == 0;
    }
    return roots == 1 && flow->nodes > 2;
}

/* ---- places ------------------------------------------------------------------------- */

/* Tags must fit between two neighbours. */
static double widest_tag(const struct flow *flow)
{
    double widest = 60;
    for (int i = 0; i < flow->nodes * flow->nodes; i++)
        if (flow->links[i].count > 0)
            widest = fmax(widest, text_width(flow->links[i].text, 12.5) + 12);
    return widest;
}

/* Rows go to and fro, like an ox that ploughs. */
static void place_chain(struct flow *flow)
{
    double across = 2 * NODE + widest_tag(flow) + 50, down = 150;
    int in_row = (int)fmax(2, fmin(8, PAGE / across + 1));
    for (int i = 0; i < flow->nodes; i++) {
        int row = i / in_row, column = row % 2 ? in_row - 1 - i % in_row : i % in_row;
        flow->at[i] = (struct point){ across * column, -down * row };
    }
}

/* Leaves from left to right; whoever has children stands above their middle. Gives the next free place. */
static double place_tree(struct flow *flow, int node, int depth, double next)
{
    double across = fmax(110, widest_tag(flow) + 20), first = NAN, last = NAN;
    for (int child = 0; child < flow->nodes; child++) {
        if (child == node || flow->links[node * flow->nodes + child].count == 0)
            continue;
        next = place_tree(flow, child, depth + 1, next);
        first = isnan(first) ? flow->at[child].x : first;
        last = flow->at[child].x;
    }
    if (isnan(first)) {
        flow->at[node] = (struct point){ next, -150.0 * depth };
        return next + across;
    }
    flow->at[node] = (struct point){ (first + last) / 2, -150.0 * depth };
    return next;
}

static void place_circle(struct flow *flow)
{
    double between = 2 * NODE + widest_tag(flow) + 38;
    flow->radius =
        flow->nodes < 2 ? 0 : fmax(flow->nodes == 2 ? 120 : 150, between / 2 / sin(PI / flow->nodes));
    for (int i = 0, node = 0; i < flow->nodes; i++) {
        double angle = PI / 2 - 2 * PI * i / flow->nodes;
        flow->at[node] = (struct point){ flow->radius * cos(angle), flow->radius * sin(angle) };
        node = flow->shape == SHAPE_RING ? follow(flow, node) : i + 1;
    }
}

void flow_place(struct flow *flow)
{
    flow->shape = SHAPE_CIRCLE;
    if (is_chain(flow))
        flow->shape = SHAPE_CHAIN;
    else if (is_ring(flow))
        flow->shape = SHAPE_RING;
    else if (is_tree(flow))
        flow->shape = SHAPE_TREE;
    if (flow->shape == SHAPE_CHAIN)
        place_chain(flow);
    else if (flow->shape != SHAPE_TREE)
        place_circle(flow);
    for (int i = 0; flow->shape == SHAPE_TREE && i < flow->nodes; i++)
        if (in_degree(flow, i) == 0)
            place_tree(flow, i, 0, 0);
}

/* ---- arrows -------------------------------------------------------------------------- */

static struct point on_circle(double radius, double angle)
{
    return (struct point){ radius * cos(angle), radius * sin(angle) };
}

/* Along the circle, clockwise. */
static struct curve arc(const struct flow *flow, int src, int dst)
{
    double from = atan2(flow->at[src].y, flow->at[src].x), to = atan2(flow->at[dst].y, flow->at[dst].x);
    double gap = 2 * asin(NODE / 2 / flow->radius), r = flow->radius;
    while (to >= from)
        to -= 2 * PI;
    struct curve curve = { .tag = on_circle(r, (from + to) / 2) };
    from -= gap;
    to += gap;
    double handle = 4.0 / 3 * tan((from - to) / 4) * r;
    curve.a = on_circle(r, from);
    curve.b = on_circle(r, to);
    curve.c = (struct point){ curve.a.x + handle * sin(from), curve.a.y - handle * cos(from) };
    curve.d = (struct point){ curve.b.x - handle * sin(to), curve.b.y + handle * cos(to) };
    return curve;
}

static bool answers(const struct flow *flow, int src, int dst)
{
    return flow->links[dst * flow->nodes + src].count > 0;
}

/* Straight, or bent to the left where an arrow comes back on the other side. */
static struct curve bow(const struct flow *flow, int src, int dst)
{
    struct point a = flow->at[src], b = flow->at[dst];
    double length = hypot(b.x - a.x, b.y - a.y), ux = (b.x - a.x) / length, uy = (b.y - a.y) / length;
    double bend = answers(flow, src, dst) ? fmin(0.18 * length, 40) : 0;
    struct point from = { a.x + NODE * ux - bend / 2.5 * uy, a.y + NODE * uy + bend / 2.5 * ux };
    struct point to = { b.x - NODE * ux - bend / 2.5 * uy, b.y - NODE * uy + bend / 2.5 * ux };
    double part = length / 3 - NODE / 2;
    struct curve curve = { .a = from, .b = to };
    curve.c = (struct point){ from.x + part * ux - bend * uy, from.y + part * uy + bend * ux };
    curve.d = (struct point){ to.x - part * ux - bend * uy, to.y - part * uy + bend * ux };
    double t = flow->shape == SHAPE_CIRCLE && flow->nodes > 2 ? 0.37 : 0.5, s = 1 - t;
    curve.tag.x =
        s * s * s * from.x + 3 * s * s * t * curve.c.x + 3 * s * t * t * curve.d.x + t * t * t * to.x;
    curve.tag.y =
        s * s * s * from.y + 3 * s * s * t * curve.c.y + 3 * s * t * t * curve.d.y + t * t * t * to.y;
    return curve;
}

struct curve flow_curve(const struct flow *flow, int src, int dst)
{
    return flow->shape == SHAPE_RING ? arc(flow, src, dst) : bow(flow, src, dst);
}
