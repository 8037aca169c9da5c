/*
 * leftover.c: what the learner's file has made and never freed. The library lists that when a rank leaves the job, in checked mode: here
 * the first such line of a run is kept. Where a text asks to free, a test asks nothing_left(); elsewhere it is told and costs nothing.
 */
#include "inside.h"

#include <string.h>

static char found[200]; /* "tensor of 3 F32 (2_ring_all_reduce.c:36)", in the last run; else empty */
static char first[200]; /* of all runs of this test */

void leftover_look(const char *said)
{
    const char *line = strstr(said, "never freed");
    found[0] = '\0';
    if (!line)
        return;
    line += strlen("never freed");
    line += strspn(line, " ");
    snprintf(found, sizeof found, "%.*s", (int)strcspn(line, "\n"), line);
    if (!first[0])
        snprintf(first, sizeof first, "%s", found);
}

void nothing_left(struct sitting *s)
{
    claim(s, !found[0], "What you make you give back; this was never freed: %s", found);
}

const char *leftover_words(void)
{
    static char words[260];
    if (first[0])
        snprintf(words, sizeof words, "Never freed, which this test does not ask for: %s\n", first);
    return words;
}
