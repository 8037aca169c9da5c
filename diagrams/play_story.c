/* play_story.c: which message carries on which block, and what each rank then holds. */
#include "play_story.h"
#include "draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tale {
    struct story *story;
    const struct run *run;
    const struct order *order;
    int *sent;   /* per act: the message that it sends; -1 */
    int *done;   /* per act: the message that its rank has from then on; -1 */
    int *before; /* per message: the one that its sender received last before it; -1: none */
    int *after;  /* per message: the first that its receiver sent from then on; -1: none */
    int *block;  /* per message */
};

double story_width(const char *text)
{
    return fmax(text_width(text, 16.5) + 14, 44);
}

static int sender(const struct tale *t, int message)
{
    return t->run->acts[t->run->messages[message].send].rank;
}

static int receiver(const struct tale *t, int message)
{
    return t->run->acts[t->run->messages[message].recv].rank;
}

/* A long text ends in "...". */
static void note_text(const struct tale *t, int message, char *text)
{
    char whole[160];
    words_message(t->run, message, whole, sizeof whole);
    if (strlen(whole) < STORY_TEXT)
        strcpy(text, whole);
    else
        snprintf(text, STORY_TEXT, "%.*s...", STORY_TEXT - 4, whole);
}

/* Acts stand rank by rank in their order, so the last message that was done before a send is found in one pass. */
static void link_messages(struct tale *t)
{
    const struct run *run = t->run;
    for (int i = 0; i < run->count; i++)
        t->sent[i] = t->done[i] = -1;
    for (int m = 0; m < run->message_count; m++) {
        t->sent[run->messages[m].send] = m;
        t->done[run->messages[m].done] = m;
        t->after[m] = -1;
    }
    for (int rank = 0; rank < run->ranks; rank++)
        for (int i = run->first[rank], last = -1; i < run->first[rank + 1]; i++) {
            if (t->sent[i] >= 0)
                t->before[t->sent[i]] = last;
            if (t->sent[i] >= 0 && last >= 0 && t->after[last] < 0)
                t->after[last] = t->sent[i];
            last = t->done[i] >= 0 ? t->done[i] : last;
        }
}

/* The message that begins what this one carries on. A trace that is no real run might go round in a circle. */
static int first_of(const struct tale *t, int message)
{
    for (int steps = 0; t->before[message] >= 0 && steps < t->run->message_count; steps++)
        message = t->before[message];
    return message;
}

/* Blocks are numbered by the rank that they start from. The count; 1: the blocks do not fit, or nobody asked. */
static int number_blocks(struct tale *t, bool wanted)
{
    int blocks = 0, count = t->run->message_count;
    double widest = 0;
    char text[STORY_TEXT];
    for (int i = 0; i < t->run->count; i++)
        if (t->sent[i] >= 0 && t->before[t->sent[i]] < 0)
            t->block[t->sent[i]] = blocks++;
    for (int m = 0; m < count; m++) {
        note_text(t, m, text);
        widest = fmax(widest, story_width(text));
    }
    if (!wanted || blocks > STORY_BLOCKS || blocks * widest > STORY_WIDTH)
        blocks = 1;
    for (int m = 0; m < count; m++) {
        int first = first_of(t, m);
        t->block[m] = blocks > 1 && t->before[first] < 0 ? t->block[first] : 0;
    }
    return blocks > 0 ? blocks : 1;
}

/* What a rank did to a block between receiving and sending it: "+101", where that is one number. */
static void note_added(const struct tale *t, int came, int went, char *added)
{
    const struct elements *a = &t->run->acts[t->run->messages[came].send].in;
    const struct elements *b = &t->run->acts[t->run->messages[went].send].in;
    if (a->count != b->count || a->count == 0)
        return;
    double difference = b->value[0] - a->value[0];
    for (int i = 0; i < a->count; i++)
        if (!(b->value[i] - a->value[i] == difference))
            return;
    if (difference != 0)
        snprintf(added, STORY_TEXT, "%+.6g", difference);
}

/* The hold of a rank's block that began last before `from`; NULL: none. */
static struct hold *held_before(const struct story *story, int rank, int block, double from)
{
    struct hold *found = NULL;
    for (int i = 0; i < story->hold_count; i++) {
        struct hold *h = &story->holds[i];
        if (h->rank == rank && h->block == block && h->from <= from && (!found || h->from > found->from))
            found = h;
    }
    return found;
}

/* Put in a hold; what was there before ends with it, and it ends where the next one begins. */
static struct hold *add_hold(struct story *story, int rank, int block, double from)
{
    struct hold *before = held_before(story, rank, block, from);
    struct hold *h = &story->holds[story->hold_count++];
    *h = (struct hold){ .rank = rank, .block = block, .from = from, .to = before ? before->to : -1 };
    if (before)
        before->to = from;
    else
        for (int i = 0; i < story->hold_count - 1; i++) {
            const struct hold *later = &story->holds[i];
            if (later->rank == rank && later->block == block && (h->to < 0 || later->from < h->to))
                h->to = later->from;
        }
    return h;
}

static void tell_message(struct tale *t, int m, bool blocks)
{
    const struct message *message = &t->run->messages[m];
    struct story *story = t->story;
    struct trip *trip = &story->trips[story->trip_count++];
    *trip = (struct trip){ .src = sender(t, m), .dst = receiver(t, m), .block = t->block[m] };
    trip->from = t->order->spot[message->send].at;
    trip->to = t->order->spot[message->done].at;
    note_text(t, m, trip->text);
    if (!blocks || t->before[m] < 0) { /* what a rank begins with it has had since the start */
        bool first = t->before[m] < 0 && !held_before(story, trip->src, trip->block, trip->from);
        strcpy(add_hold(story, trip->src, trip->block, first ? 0 : trip->from)->text, trip->text);
    }
    int next = blocks ? t->after[m] : -1;
    struct hold *h = add_hold(story, trip->dst, trip->block, trip->to);
    note_text(t, next >= 0 ? next : m, h->text);
    if (next >= 0)
        note_added(t, m, next, h->added);
}

/* Which numbers are the last ones of their block? In a story of one block none is: there is nothing to be made whole. */
static void mark_whole(struct story *story)
{
    for (int block = 0; block < story->blocks && story->blocks > 1; block++) {
        const struct hold *last = NULL;
        for (int i = 0; i < story->hold_count; i++)
            if (story->holds[i].block == block && (!last || story->holds[i].from > last->from))
                last = &story->holds[i];
        for (int i = 0; i < story->hold_count; i++)
            if (story->holds[i].block == block)
                story->holds[i].whole = strcmp(story->holds[i].text, last->text) == 0;
        for (int i = 0; i < story->trip_count; i++)
            if (story->trips[i].block == block)
                story->trips[i].whole = strcmp(story->trips[i].text, last->text) == 0;
    }
}

static bool take_memory(struct tale *t)
{
    size_t acts = (size_t)t->run->count + 1, messages = (size_t)t->run->message_count + 1;
    t->sent = malloc(acts * sizeof *t->sent);
    t->done = malloc(acts * sizeof *t->done);
    t->before = malloc(messages * sizeof *t->before);
    t->after = malloc(messages * sizeof *t->after);
    t->block = malloc(messages * sizeof *t->block);
    t->story->trips = calloc(messages, sizeof *t->story->trips);
    t->story->holds = calloc(2 * messages, sizeof *t->story->holds);
    return t->sent && t->done && t->before && t->after && t->block && t->story->trips && t->story->holds;
}

bool story_tell(struct story *story, const struct run *run, const struct order *order, bool blocks)
{
    struct tale t = { .story = story, .run = run, .order = order };
    *story = (struct story){ .ranks = run->ranks, .end = order->end };
    bool good = take_memory(&t);
    if (good) {
        link_messages(&t);
        story->blocks = number_blocks(&t, blocks);
        for (int i = 0; i < run->count; i++)
            if (t.sent[i] >= 0)
                tell_message(&t, t.sent[i], blocks);
        mark_whole(story);
    }
    free(t.sent);
    free(t.done);
    free(t.before);
    free(t.after);
    free(t.block);
    return good;
}

void story_free(struct story *story)
{
    free(story->trips);
    free(story->holds);
    *story = (struct story){ 0 };
}
