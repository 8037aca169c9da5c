/* matrix.c: who sent how many bytes to whom: senders down, receivers across, the darker the more. */
#include "draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELL 52.0

/* The bytes between groups of neighbouring ranks; up to MOST_RANKS ranks a group is one rank. */
struct matrix {
    struct picture *p;
    const struct run *run;
    int size, each;
    int64_t bytes[MOST_RANKS][MOST_RANKS];
    int64_t most, total;
    int collectives; /* what they move is not in here */
};

static void gather(struct matrix *m)
{
    for (int i = 0; i < m->run->count; i++) {
        const struct act *act = &m->run->acts[i];
        bool sends = act->kind == ACT_SEND || act->kind == ACT_ISEND;
        m->collectives += act->kind == ACT_COLLECTIVE && act->bytes > 0;
        if (!sends || act->message < 0)
            continue;
        int64_t *cell = &m->bytes[act->rank / m->each][act->peer / m->each];
        *cell += act->bytes;
        m->total += act->bytes;
        m->most = *cell > m->most ? *cell : m->most;
    }
}

static void name_of(const struct matrix *m, int group, char *text, size_t size)
{
    int first = group * m->each, last = first + m->each - 1;
    last = last < m->run->ranks ? last : m->run->ranks - 1;
    if (first == last)
        snprintf(text, size, "%d", first);
    else
        snprintf(text, size, "%d-%d", first, last);
}

/* From almost white to the blue of the palette, in steps that the eye can tell apart. */
static const char *shade(int64_t bytes, int64_t most)
{
    static const char *const shades[] = { "#E3EFF8", "#C2DDF1", "#93C3E5", "#5CA3D5", "#2B84C0", "#0072B2" };
    int step = most > 0 ? (int)(5 * (double)bytes / (double)most + 0.5) : 0;
    return bytes == 0 ? GROUND : shades[step];
}

static void draw_cell(const struct matrix *m, int src, int dst)
{
    char text[40] = "";
    int64_t bytes = m->bytes[src][dst];
    struct node box = { .style = "filled", .pen = -1, .width = CELL - 4, .height = CELL - 4, .size = 11 };
    box.fill = shade(bytes, m->most);
    box.ink = (double)bytes > 0.55 * (double)m->most ? "white" : INK;
    if (bytes > 0)
        words_bytes(bytes, text, sizeof text);
    dot_node(m->p, "c", src * m->size + dst, (struct point){ CELL * dst, -CELL * src }, box, text);
}

bool draw_matrix(struct picture *p, const struct run *run, const struct wish *wish, char *why)
{
    struct matrix *m = calloc(1, sizeof *m);
    char line[200], words[40], text[48];
    if (!m)
        return snprintf(why, 200, "the system gives no memory"), false;
    m->p = p;
    m->run = run;
    m->each = (run->ranks + MOST_RANKS - 1) / MOST_RANKS;
    m->size = (run->ranks + m->each - 1) / m->each;
    gather(m);
    snprintf(line, sizeof line, "down: who sends; across: who receives; %s in all%s",
             words_bytes(m->total, words, sizeof words),
             m->collectives ? ", without what collectives move" : "");
    dot_begin(p, "matrix");
    dot_title(p, (struct point){ CELL * (m->size - 1) / 2 - 20, 72 },
              wish->title ? wish->title : "Bytes sent", line);
    for (int i = 0; i < m->size; i++) {
        name_of(m, i, words, sizeof words);
        snprintf(text, sizeof text, "to %s", words);
        dot_text(p, (struct point){ CELL * i, 36 }, m->each > 1 ? 10 : 13, SOFT, text);
        snprintf(text, sizeof text, "rank %s", words);
        dot_text(p, (struct point){ -CELL / 2 - 8 - text_width(text, 13) / 2, -CELL * i }, 13, SOFT, text);
        for (int dst = 0; dst < m->size; dst++)
            draw_cell(m, i, dst);
    }
    dot_end(p);
    free(m);
    return true;
}
