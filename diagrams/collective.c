/*
 * collective.c: the blocks of a collective before and after, each in the colour of the rank it comes from; what comes
 * from all is striped. The values are those that the run had.
 */
#include "collective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PITCH 42.0

/* ---- drawing ------------------------------------------------------------------------- */

/* With many members the first and the last 8. */
static int shown(int count)
{
    return count < MOST_RANKS ? count : MOST_RANKS;
}

static int member_of(int count, int place)
{
    return count <= MOST_RANKS || place < MOST_RANKS / 2 ? place : count - (MOST_RANKS - place);
}

static void find_width(struct scene *s)
{
    char text[80];
    s->cell = PITCH - 4;
    for (int after = 0; after < 2; after++)
        for (int i = 0; i < shown(s->count); i++)
            for (int j = 0; j < shown(scene_blocks(s, member_of(s->count, i), after)); j++) {
                int member = member_of(s->count, i);
                scene_label(s, member, member_of(scene_blocks(s, member, after), j), after, text,
                            sizeof text);
                s->cell = fmax(s->cell, text_width(text, 13) + 8);
            }
}

/* What is dealt out has the colour of the rank that it goes to; all else that of the rank that it comes from. */
static int hue_of(const struct scene *s, int member, int block, bool after)
{
    if (s->shape->effect == EFFECT_SCATTER)
        return after ? member : block;
    return scene_origin(s, member, block, after);
}

static void draw_block(struct scene *s, struct point at, int from, const char *text)
{
    char stripes[MOST_RANKS * 8 + 1] = "";
    struct node box = { .style = "filled", .pen = -1, .width = s->cell, .height = PITCH - 4, .size = 13 };
    if (from == ALL) {
        for (int i = 0; i < shown(s->count); i++) {
            size_t used = strlen(stripes);
            snprintf(stripes + used, sizeof stripes - used, "%s%s", i ? ":" : "",
                     rank_cell(s->rank[member_of(s->count, i)]));
        }
        box.style = s->count > 1 ? "striped" : "filled";
        box.fill = stripes;
    } else {
        box.fill = rank_cell(s->rank[from]);
    }
    dot_node(s->p, "c", s->p->parts++, at, box, text);
}

static double draw_side(struct scene *s, double left, bool after)
{
    double widest = 0, step = s->cell + 4;
    char text[80];
    for (int i = 0; i < shown(s->count); i++) {
        int member = member_of(s->count, i), parts = scene_blocks(s, member, after);
        snprintf(text, sizeof text, "rank %d", s->rank[member]);
        dot_text(s->p, (struct point){ left - s->cell / 2 - 34, -PITCH * i }, 13, SOFT, text);
        for (int j = 0; j < shown(parts); j++) {
            int block = member_of(parts, j);
            scene_label(s, member, block, after, text, sizeof text);
            draw_block(s, (struct point){ left + step * j, -PITCH * i }, hue_of(s, member, block, after),
                       text);
        }
        widest = fmax(widest, step * (shown(parts) - 1));
    }
    return left + widest + s->cell / 2;
}

static void draw_all(struct scene *s, const struct wish *wish)
{
    char line[160];
    bool reduces = s->shape->effect == EFFECT_REDUCE || s->shape->effect == EFFECT_REDUCE_SCATTER;
    const struct act *first = s->act[0];
    snprintf(line, sizeof line, "colour: the rank a block %s%s%s%s%s",
             s->shape->effect == EFFECT_SCATTER ? "goes to" : "comes from",
             reduces ? "; striped: from all, by " : "", reduces && first ? first->op : "",
             s->shape->rooted ? "; the root is rank " : "",
             s->count > MOST_RANKS ? "; only the first and the last 8" : "");
    if (s->shape->rooted && s->count <= MOST_RANKS)
        snprintf(line + strlen(line), sizeof line - strlen(line), "%d", s->rank[s->root]);
    find_width(s);
    dot_begin(s->p, "collective");
    double middle = -PITCH * (shown(s->count) - 1) / 2;
    double right = draw_side(s, 0, false), begin = right + 9, end = begin + 100;
    dot_line(s->p, (struct point){ begin, middle }, (struct point){ end, middle },
             (struct stroke){ .color = SOFT, .width = 2.4 });
    double last = draw_side(s, end + 72 + s->cell / 2, true);
    dot_title(s->p, (struct point){ (last - s->cell / 2 - 64) / 2, 43 },
              wish->title ? wish->title : s->shape->title, line);
    dot_end(s->p);
}

/* ---- finding it ---------------------------------------------------------------------- */

/* The meeting that was asked for; -1: there is none. */
static int find_meeting(const struct run *run, const struct wish *wish, const struct meeting *meetings,
                        const int *acts, int count)
{
    int nth = wish->nth;
    for (int i = 0; i < count; i++) {
        const char *name = run->acts[acts[meetings[i].first]].name;
        if (scene_shape(name) && (!wish->name || strcmp(wish->name, name) == 0) && nth-- == 0)
            return i;
    }
    return -1;
}

/* The members and what each of them called. Where the trace has no list, those that came stand in for it. */
static bool set_scene(struct scene *s, const struct meeting *meeting, const int *acts)
{
    const struct members *members = run_group(s->run, meeting->group);
    s->count = members ? members->count : meeting->count;
    s->rank = calloc((size_t)s->count, sizeof *s->rank);
    s->act = calloc((size_t)s->count, sizeof *s->act);
    if (!s->rank || !s->act)
        return false;
    for (int member = 0; member < s->count; member++)
        s->rank[member] = members ? members->rank[member] : s->run->acts[acts[meeting->first + member]].rank;
    for (int i = 0; i < meeting->count; i++)
        for (int member = 0; member < s->count; member++)
            if (s->rank[member] == s->run->acts[acts[meeting->first + i]].rank)
                s->act[member] = &s->run->acts[acts[meeting->first + i]];
    return true;
}

static bool draw_meeting(struct scene *s, const struct meeting *meeting, const int *acts,
                         const struct wish *wish, char *why)
{
    const struct act *any = &s->run->acts[acts[meeting->first]];
    s->shape = scene_shape(any->name);
    s->root = any->root;
    bool good = set_scene(s, meeting, acts);
    if (!good)
        snprintf(why, 200, "the system gives no memory");
    if (good && s->shape->rooted && (s->root < 0 || s->root >= s->count)) {
        snprintf(why, 200, "the trace does not tell which rank is the root");
        good = false;
    }
    if (good)
        draw_all(s, wish);
    free(s->rank);
    free(s->act);
    return good;
}

bool draw_collective(struct picture *p, const struct run *run, const struct wish *wish, char *why)
{
    struct scene scene = { .p = p, .run = run };
    struct meeting *meetings;
    int *acts, count = order_meetings(run, &meetings, &acts);
    int found = find_meeting(run, wish, meetings, acts, count);
    bool good = found >= 0 && draw_meeting(&scene, &meetings[found], acts, wish, why);
    if (found < 0)
        snprintf(why, 200, "the run has no such collective%s%s", wish->name ? ": " : "",
                 wish->name ? wish->name : "");
    free(meetings);
    free(acts);
    return good;
}
