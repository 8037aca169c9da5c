/* spacetime_arrows.c: messages as arrows between the lines of two ranks. All arrows come first: then their tags find a place where
 * they hide neither a head nor each other. */
#include "spacetime.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TAG 11.0  /* points of a tag's text */
#define HEAD 13.0 /* an arrow's head */
#define MANY 4    /* of more messages that carry the same it is said once */

/* The clock stands on the side where no arrow is. */
static void draw_clock(struct sheet *sheet, int act, bool below)
{
    const struct spot *spot = &sheet->order->spot[act];
    char text[16];
    if (spot->clock == 0 || !sheet->clocks)
        return;
    snprintf(text, sizeof text, "%d", spot->clock);
    struct point at = spacetime_at(sheet, sheet->run->acts[act].rank, spot->at);
    at.y += below ? -14 : 14;
    dot_text(sheet->p, at, TAG, SOFT, text);
    spacetime_take(sheet, at, text_width(text, TAG), TAG);
}

/* A message between two lines that are drawn: its two acts. */
static bool is_drawn(const struct sheet *sheet, const struct message *m)
{
    return spacetime_shows(sheet, m->send) && spacetime_shows(sheet, m->done) &&
           sheet->run->acts[m->send].rank != sheet->run->acts[m->done].rank;
}

/* The part of an arrow that lies in one strip, without what the dots at its ends cover. */
static void part_of(const struct sheet *sheet, const struct message *m, int strip, struct point *from,
                    struct point *to)
{
    const struct spot *send = &sheet->order->spot[m->send], *done = &sheet->order->spot[m->done];
    struct point a = spacetime_in(sheet, strip, sheet->run->acts[m->send].rank, send->at);
    struct point b = spacetime_in(sheet, strip, sheet->run->acts[m->done].rank, done->at);
    double length = hypot(b.x - a.x, b.y - a.y), columns = done->at - send->at;
    double first = 6 / length, last = 1 - 6 / length;
    if (columns > 0 && send->at < sheet->begin[strip])
        first = (sheet->begin[strip] - send->at) / columns;
    if (columns > 0 && done->at >= sheet->begin[strip + 1])
        last = (sheet->begin[strip + 1] - send->at) / columns;
    *from = (struct point){ a.x + first * (b.x - a.x), a.y + first * (b.y - a.y) };
    *to = (struct point){ a.x + last * (b.x - a.x), a.y + last * (b.y - a.y) };
}

static void draw_arrow(struct sheet *sheet, int message)
{
    const struct message *m = &sheet->run->messages[message];
    int src = sheet->run->acts[m->send].rank, dst = sheet->run->acts[m->done].rank;
    int begin = spacetime_strip(sheet, sheet->order->spot[m->send].at);
    int end = spacetime_strip(sheet, sheet->order->spot[m->done].at);
    struct way way = { .message = message };
    struct point near = { 0, 0 }, far;
    for (int strip = begin; strip <= end; strip++) {
        part_of(sheet, m, strip, &way.a, &way.b);
        way.bow = begin == end ? spacetime_bow(sheet, way) : 0;
        /* A Bezier curve through the middle of the bow. */
        double dx = way.b.x - way.a.x, dy = way.b.y - way.a.y,
               aside = 4 * way.bow / 3 / fmax(hypot(dx, dy), 1);
        far = (struct point){ way.a.x + dx / 3 - aside * dy, way.a.y + dy / 3 + aside * dx };
        near = (struct point){ way.b.x - dx / 3 - aside * dy, way.b.y - dy / 3 + aside * dx };
        dot_curve(sheet->p, way.a, far, near, way.b,
                  (struct stroke){ .color = rank_strong(src), .head = strip < end ? "none" : NULL });
        sheet->ways[sheet->way_count++] = way;
    }
    double length = hypot(way.b.x - near.x, way.b.y - near.y), back = HEAD / 2 / fmax(length, 1);
    struct point head = { way.b.x - back * (way.b.x - near.x), way.b.y - back * (way.b.y - near.y) };
    spacetime_take(sheet, head, HEAD, HEAD);
    draw_clock(sheet, m->send, dst < src);
    draw_clock(sheet, m->done, dst > src);
}

/* What a message carries: of a long one the beginning, so that the tags of a busy picture find room. */
static const char *words_of(const struct sheet *sheet, int message, char *text, size_t size)
{
    const struct elements *carried = &sheet->run->acts[sheet->run->messages[message].send].in;
    return carried->count > 3 ? words_elements(carried, 2, text, size)
                              : words_message(sheet->run, message, text, size);
}

/* What this rank sent directly before, but for waits, if that was a message that is drawn; else -1. */
static int sent_before(const struct sheet *sheet, int send)
{
    const struct act *acts = sheet->run->acts;
    int before = send - 1;
    while (before >= 0 && (acts[before].rank != acts[send].rank || acts[before].kind == ACT_WAIT))
        before--;
    for (int i = 0; before >= 0 && i < sheet->run->message_count; i++)
        if (sheet->run->messages[i].send == before)
            return is_drawn(sheet, &sheet->run->messages[i]) ? i : -1;
    return -1;
}

/* A rank that sends the same once more: the tag and the colour of its last arrow have told already. */
static bool is_again(const struct sheet *sheet, int message)
{
    int before = sent_before(sheet, sheet->run->messages[message].send);
    char text[160], last[160];
    return before >= 0 && strcmp(words_of(sheet, message, text, sizeof text),
                                 words_of(sheet, before, last, sizeof last)) == 0;
}

/* Many messages with one and the same tag: it says more above the picture than nine times in it. */
static bool all_alike(const struct sheet *sheet, char *text, size_t size)
{
    int drawn = 0;
    char other[160];
    for (int i = 0; i < sheet->run->message_count; i++) {
        if (!is_drawn(sheet, &sheet->run->messages[i]))
            continue;
        if (drawn++ == 0)
            snprintf(text, size, "%s", words_of(sheet, i, other, sizeof other));
        else if (strcmp(text, words_of(sheet, i, other, sizeof other)) != 0)
            return false;
    }
    return drawn > MANY;
}

void spacetime_tags(struct sheet *sheet)
{
    sheet->same = all_alike(sheet, sheet->each, sizeof sheet->each);
    for (int i = 0; !sheet->same && !sheet->again && i < sheet->run->message_count; i++)
        sheet->again = is_drawn(sheet, &sheet->run->messages[i]) && is_again(sheet, i);
}

/* On the longer part of an arrow that was cut. */
static void draw_tag(struct sheet *sheet, int message)
{
    const struct way *longest = NULL;
    double most = -1;
    char text[160];
    for (int i = 0; i < sheet->way_count; i++) {
        const struct way *way = &sheet->ways[i];
        double length = hypot(way->b.x - way->a.x, way->b.y - way->a.y);
        if (way->message != message || length <= most)
            continue;
        most = length;
        longest = way;
    }
    if (!longest) /* a trace that was tampered with: it arrives in a strip before that in which it was sent */
        return;
    words_of(sheet, message, text, sizeof text);
    struct point at = spacetime_free(sheet, longest, text_width(text, TAG) + 12, TAG * 1.25 + 6);
    int sender = sheet->run->acts[sheet->run->messages[message].send].rank;
    dot_tag(sheet->p, at, rank_strong(sender), TAG, text);
}

void spacetime_arrows(struct sheet *sheet)
{
    for (int i = 0; i < sheet->run->message_count; i++)
        if (is_drawn(sheet, &sheet->run->messages[i]))
            draw_arrow(sheet, i);
    for (int i = 0; i < sheet->run->message_count && !sheet->same; i++)
        if (is_drawn(sheet, &sheet->run->messages[i]) && !is_again(sheet, i))
            draw_tag(sheet, i);
}
