/* play_svg.c: the moving picture as text. Without animation it shows the end of the run. */
#include "play_svg.h"

#include <math.h>

#define MARGIN 26.0
#define HEAD 40.0 /* title and caption */

/* The page behind an image may be light or dark whatever the reader's system says: so the picture has a ground of its own. Colours stand
 * in classes: who knows no var(), as librsvg, would draw all of it black. */
static const char *const look[] = {
    ".bg{fill:#fff;stroke:#DDE3E9}.card{fill:#F7F9FB;stroke:#C5CED8}.way,.none{fill:none;stroke:#C5CED8}",
    ".head{fill:#C5CED8}text{fill:#1F2933}.caption{fill:#52606D}.on{fill:#fff}",
    ".h0{color:#0072B2;fill:#DCEBF7}.h1{color:#C77700;fill:#FCEBCB}.h2{color:#00805C;fill:#D5F0E6}",
    ".h3{color:#A8487F;fill:#F7E1EE}.h4{color:#6B5CA5;fill:#E6E2F5}.h5{color:#B4432E;fill:#FBE3DC}",
    ".h6{color:#2E7F8F;fill:#DAEFF2}.h7{color:#6E7A1F;fill:#EFF2D6}",
    "@media (prefers-color-scheme:dark){",
    ".bg{fill:#12181F;stroke:#323F4B}.card{fill:#1B2430;stroke:#3E4C59}.way,.none{stroke:#3E4C59}",
    ".head{fill:#3E4C59}text{fill:#E4E7EB}.caption{fill:#9AA5B1}.on{fill:#12181F}",
    ".h0{color:#56A8DE;fill:#173448}.h1{color:#E9A23B;fill:#44320F}.h2{color:#3DBB94;fill:#123D31}",
    ".h3{color:#DB8AB8;fill:#45263A}.h4{color:#A394E0;fill:#322C4D}.h5{color:#E5826B;fill:#48261E}",
    ".h6{color:#62B8C8;fill:#163B42}.h7{color:#B0BC52;fill:#363B12}}",
    "text{font:15px Helvetica,Arial,'Liberation Sans',sans-serif;text-anchor:middle}",
    ".title{font-size:19px;font-weight:bold}.caption{font-size:13.5px}",
    ".card{stroke-width:1.5}.way{stroke-width:2}.none{stroke-dasharray:3 3}",
    ".value{stroke:currentColor}.whole,.sum{fill:currentColor}.on{font-weight:bold}",
    ".sum{font-size:13px;font-weight:bold}",
    ".hold,.trip,.sum{opacity:0;animation-iteration-count:infinite;animation-timing-function:linear}",
    ".hold{transform-box:fill-box;transform-origin:center}.stays{opacity:1}",
    "@media (prefers-reduced-motion:reduce){.hold,.trip,.sum{animation:none!important}}",
    NULL
};

/* What may not stand in text as itself; what no XML may hold is left out. */
static void print_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '<' || c == '>' || c == '&' || c == '"')
            fprintf(file, "&#%d;", c);
        else if (c >= 0x20 && c != 0x7f)
            putc(c, file);
    }
}

static void print_words(FILE *file, const char *class, struct point at, const char *text)
{
    fprintf(file, "<text class='%s' x='%.1f' y='%.1f'>", class, at.x, at.y);
    print_text(file, text);
    fputs("</text>\n", file);
}

/* ---- what stands still ------------------------------------------------------------------------------ */

static void print_way(FILE *file, const struct ring *ring, int src, int dst)
{
    double leaves, comes;
    ring_gap(ring, src, dst, &leaves, &comes);
    struct point a = ring_card(ring, src), b = ring_card(ring, dst), tip = ring_way(a, b, comes);
    fputs("<path class='way' d='", file);
    for (int i = 0; i <= 16; i++) {
        struct point p = ring_way(a, b, leaves + (comes - 0.02 - leaves) * i / 16);
        fprintf(file, "%c%.1f %.1f", i ? 'L' : 'M', p.x, p.y);
    }
    struct point back = ring_way(a, b, comes - 0.03);
    double length = fmax(hypot(tip.x - back.x, tip.y - back.y), 0.1);
    double x = (tip.x - back.x) / length, y = (tip.y - back.y) / length;
    fprintf(file, "'/><path class='head' d='M%.1f %.1fL%.1f %.1fL%.1f %.1fz'/>\n", tip.x, tip.y,
            tip.x - 11 * x + 5 * y, tip.y - 11 * y - 5 * x, tip.x - 11 * x - 5 * y, tip.y - 11 * y + 5 * x);
}

static void print_ways(FILE *file, const struct ring *ring, const struct story *story)
{
    bool drawn[SVG_RANKS][SVG_RANKS] = { 0 };
    for (int i = 0; i < story->trip_count; i++) {
        const struct trip *trip = &story->trips[i];
        if (!drawn[trip->src][trip->dst])
            print_way(file, ring, trip->src, trip->dst);
        drawn[trip->src][trip->dst] = true;
    }
}

static void print_card(FILE *file, const struct ring *ring, int rank)
{
    struct point at = ring_card(ring, rank);
    fprintf(file, "<rect class='card' x='%.1f' y='%.1f' width='%.1f' height='%.1f' rx='12'/>\n",
            at.x - ring->card.x, at.y - ring->card.y, 2 * ring->card.x, 2 * ring->card.y);
    fprintf(file, "<text x='%.1f' y='%.1f'>rank %d</text>\n", at.x - ring->card.x + 36, at.y + 5, rank);
    for (int block = 0; block < ring->slots; block++) {
        struct point slot = ring_slot(ring, rank, block);
        fprintf(file, "<rect class='none' x='%.1f' y='%.1f' width='%.1f' height='30' rx='7'/>\n",
                slot.x - ring->slot / 2, slot.y - 15, ring->slot);
    }
}

/* ---- what moves -------------------------------------------------------------------------------------- */

/* A value in its box, around 0, 0: pale while it grows, strong when it is what all wait for. */
static void print_value(FILE *file, const struct ring *ring, int hue, bool whole, const char *text)
{
    fprintf(file, "<rect class='h%d value%s' x='%.1f' y='-15' width='%.1f' height='30' rx='7'/>", hue % 8,
            whole ? " whole" : "", -ring->slot / 2, ring->slot);
    fprintf(file, "<text y='5'%s>", whole ? " class='on'" : "");
    print_text(file, text);
    fputs("</text></g>", file);
}

/* Where there are several blocks, each has a colour; one block takes that of the rank that has it. */
static int hue_of(const struct story *story, int block, int rank)
{
    return story->blocks > 1 ? block : rank;
}

static void print_hold(FILE *file, const struct ring *ring, const struct story *story,
                       const struct hold *hold)
{
    struct point at = ring_slot(ring, hold->rank, hold->block);
    int hue = hue_of(story, hold->block, hold->rank);
    fprintf(file, "<g transform='translate(%.1f %.1f)'><g class='hold%s' style='animation-name:k%d'>", at.x,
            at.y, hold->to < 0 ? " stays" : "", hold->move);
    print_value(file, ring, hue, hold->whole, hold->text);
    if (hold->added[0])
        fprintf(file, "<text class='h%d sum' y='-32' style='animation-name:k%d'>%s</text>", hue % 8,
                hold->rise, hold->added);
    fputs("</g>\n", file);
}

static void print_trip(FILE *file, const struct ring *ring, const struct story *story,
                       const struct trip *trip)
{
    fprintf(file, "<g class='trip' style='animation-name:k%d'>", trip->move);
    print_value(file, ring, hue_of(story, trip->block, trip->src), trip->whole, trip->text);
    putc('\n', file);
}

static void print_look(FILE *file, struct story *story, const struct ring *ring)
{
    fputs("<style>\n", file);
    for (int i = 0; look[i]; i++)
        fprintf(file, "%s\n", look[i]);
    double seconds = moves_print(file, story, ring);
    fprintf(file, ".hold,.trip,.sum{animation-duration:%.1fs}\n</style>\n", seconds);
}

static void print_picture(FILE *file, struct story *story, const char *title, const char *caption)
{
    struct ring ring = ring_of(story);
    double x = fmax(ring.radius.x * (story->ranks > 2) + ring.card.x, 230) + MARGIN;
    double above = ring.radius.y + ring.card.y + 14 + MARGIN + HEAD,
           below = ring.radius.y + ring.card.y + MARGIN;
    fprintf(file,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='%.1f %.1f %.1f %.1f' width='%.0f' "
            "role='img'>\n<title>",
            -x, -above, 2 * x, above + below, 2 * x);
    print_text(file, title);
    fputs("</title>\n", file);
    print_look(file, story, &ring);
    fprintf(file, "<rect class='bg' x='%.1f' y='%.1f' width='%.1f' height='%.1f' rx='14'/>\n", -x + 1,
            -above + 1, 2 * x - 2, above + below - 2);
    print_words(file, "title", (struct point){ 0, -above + MARGIN + 10 }, title);
    print_words(file, "caption", (struct point){ 0, -above + MARGIN + 31 }, caption);
    print_ways(file, &ring, story);
    for (int rank = 0; rank < story->ranks; rank++)
        print_card(file, &ring, rank);
    for (int i = 0; i < story->hold_count; i++)
        print_hold(file, &ring, story, &story->holds[i]);
    for (int i = 0; i < story->trip_count; i++)
        print_trip(file, &ring, story, &story->trips[i]);
    fputs("</svg>\n", file);
}

bool play_svg(FILE *file, const struct run *run, const struct order *order, const struct command *command)
{
    struct story story;
    bool good = story_tell(&story, run, order, command->blocks);
    if (good)
        print_picture(file, &story, command->title, command->caption);
    story_free(&story);
    return good;
}
