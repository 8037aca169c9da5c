/* waitfor_words.c: the words of a drawing. */
#include "waitfor_page.h"

#include <ctype.h>
#include <string.h>

#define NAMED 6 /* so many ranks can be named in a title */
#define TITLE 200

static void name_ranks(const struct waitfor_picture *picture, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "ranks ");
    for (int i = 0; i < picture->cycle_count; i++) {
        const char *before = i == 0 ? "" : i + 1 == picture->cycle_count ? " and " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%d", before, picture->cycle[i]);
    }
    snprintf(text + used, size - used, " wait for each other");
}

static void say_title(const struct waitfor_picture *picture, char *text)
{
    char what[TITLE - 40];
    int n = picture->cycle_count;
    if (strcmp(picture->class, "mismatch") == 0)
        snprintf(what, sizeof what, "two calls nearly fit each other");
    else if (strncmp(picture->class, "peer", 4) == 0)
        snprintf(what, sizeof what, "a rank is waited for that has left");
    else if (n == 0)
        snprintf(what, sizeof what, "who waits for whom");
    else if (n == 1)
        snprintf(what, sizeof what, "rank %d waits for itself", picture->cycle[0]);
    else if (n <= NAMED)
        name_ranks(picture, what, sizeof what);
    else
        snprintf(what, sizeof what, "%d ranks wait for each other", n);
    snprintf(text, TITLE, "%.30s: %s", picture->class, what);
    text[0] = (char)toupper((unsigned char)text[0]);
    for (char *c = text; *c && *c != ':'; c++)
        *c = *c == '_' ? ' ' : *c;
}

void waitfor_head(struct page *page)
{
    const struct waitfor_picture *picture = page->picture;
    char usual[TITLE];
    const char *title = picture->title ? picture->title : usual;
    const char *subtitle =
        picture->cycle_count
            ? "an arrow points at the rank that is waited for; red is the cycle that no rank can leave"
            : "an arrow points at the rank that is waited for";
    struct point at = { (page->left + page->right) / 2, page->top + 115 };
    say_title(picture, usual);
    fprintf(page->file,
            "  title [shape=plaintext, width=%.2f, height=0.36, fontsize=19, fontname=\"Helvetica-Bold\", "
            "label=\"",
            (double)strlen(title) * 0.17);
    dot_put_text(page->file, title);
    dot_point(page->file, "\", pos=\"", at);
    at.y -= 22;
    fprintf(page->file,
            "\"];\n  subtitle [shape=plaintext, width=%.2f, height=0.25, fontsize=12.5, "
            "fontcolor=\"" SOFT "\", label=\"%s",
            (double)strlen(subtitle) * 0.089, subtitle);
    dot_point(page->file, "\", pos=\"", at);
    fputs("\"];\n", page->file);
}

void waitfor_label(struct page *page, const struct box *box)
{
    if (box->rank < 0) {
        fprintf(page->file, "%d more\\nranks", -box->rank);
        return;
    }
    if (box->alike == 0)
        fprintf(page->file, "rank %d\\n", box->rank);
    else if (box->last - box->rank == box->alike)
        fprintf(page->file, "ranks %d to %d\\n", box->rank, box->last);
    else
        fprintf(page->file, "%d ranks\\n", box->alike + 1);
    dot_put_text(page->file, page->picture->doing[box->rank]);
}

void waitfor_cycle_name(struct page *page)
{
    const struct waitfor_picture *picture = page->picture;
    char text[WAITFOR_MOST * 16] = "";
    size_t used = 0;
    if (page->ring < 2 || picture->cycle_count == 0)
        return;
    bool cut = picture->cycle_count > WAITFOR_MOST;
    for (int i = 0; i < (cut ? 3 : picture->cycle_count); i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d > ", picture->cycle[i]);
    snprintf(text + used, sizeof text - used, "%s%d", cut ? "... > " : "", picture->cycle[0]);
    fprintf(page->file,
            "  c [shape=plaintext, label=\"cycle\\n%s\", fontsize=13, fontcolor=\"" RED_INK "\", width=%.2f, "
            "height=0.6, pos=\"0,%d\"];\n",
            text, 0.5 + (double)strlen(text) * 0.09, page->ring == 3 ? 6 : 0);
}
