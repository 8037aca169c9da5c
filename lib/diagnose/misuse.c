/* misuse.c: the words for a tensor that was touched while a message still needed it. */
#include "guard.h"
#include "../launch/lesson.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *does;  /* "rank 0 <writes to> a tensor that ..." */
    const char *place; /* "<written> at" */
} touches[] = {
    [TOUCH_READ] = { "reads", "read at" },
    [TOUCH_WRITE] = { "writes to", "written at" },
    [TOUCH_FREE] = { "frees", "freed at" },
    [TOUCH_SEND] = { "sends", "sent at" },
    [TOUCH_RECEIVE] = { "receives into", "posted at" },
    [TOUCH_UNKNOWN] = { "touches", "touched at" },
};

static bool misuse_is_collective(const struct guarded *range)
{
    return range->peer == -2;
}

/* "a tensor that is being sent" */
static void misuse_say_tensor(const struct misuse *misuse, char *text, size_t size)
{
    const struct guarded *range = &misuse->range;
    char whose[40] = "";
    if (misuse->rank != range->rank)
        snprintf(whose, sizeof whose, " of rank %d", range->rank);
    if (misuse_is_collective(range))
        snprintf(text, size, "a tensor%s that %s still %s", whose, call_name(range->call),
                 range->written ? "works on" : "reads");
    else
        snprintf(text, size, "a tensor%s that is %sbeing %s", whose,
                 range->written && misuse->touch == TOUCH_RECEIVE ? "already " : "",
                 range->written ? "received" : "sent");
}

static void misuse_say_place(const struct misuse *misuse, char *text, size_t size)
{
    if (misuse->at.file && misuse->call)
        snprintf(text, size, "%s:%d, by %s", text_file(misuse->at.file), misuse->at.line, misuse->call);
    else if (misuse->at.file)
        snprintf(text, size, "%s:%d", text_file(misuse->at.file), misuse->at.line);
    else if (misuse->function[0])
        snprintf(text, size, "%s(); compile with -g to see the line", misuse->function);
    else
        snprintf(text, size, "code address 0x%lx, after the call below", (unsigned long)misuse->address);
}

/* "dist_isend to 1 (overlap.c:27)" */
static void misuse_say_post(const struct guarded *range, char *text, size_t size)
{
    char peer[32] = "";
    const char *word = range->written ? "from" : "to";
    if (range->peer >= 0)
        snprintf(peer, sizeof peer, " %s %d", word, range->peer);
    else if (range->peer == DIST_ANY_SOURCE)
        snprintf(peer, sizeof peer, " %s anybody", word);
    snprintf(text, size, "%s%s (%s:%d)", call_name(range->call), peer, text_file(range->at.file),
             range->at.line);
}

static const char *misuse_post_label(const struct guarded *range)
{
    if (misuse_is_collective(range))
        return "started by";
    return range->written ? "received by" : "being sent by";
}

static const char *misuse_advice_for(const struct misuse *misuse)
{
    if (misuse->range.blocks)
        return "wait until that call has returned, or use another tensor";
    if (misuse->touch == TOUCH_FREE)
        return "wait first, then free it";
    if (misuse->touch == TOUCH_RECEIVE)
        return "receive into a tensor of its own, or wait in between";
    if (misuse->touch == TOUCH_SEND)
        return "wait for the data before you send it on";
    if (misuse->range.written && misuse->touch == TOUCH_WRITE)
        return "wait first: until then other values may still come in";
    if (misuse->range.written)
        return "wait before you look; until then the elements may be old or new";
    return "wait before you change it, or change a copy (tensor_clone)";
}

static void misuse_say_missing(const struct misuse *misuse, char *text, size_t size)
{
    const struct guarded *range = &misuse->range;
    if (range->blocks)
        snprintf(text, size, "a lock, or a join: another thread is still in that call");
    else if (!misuse->at.file)
        snprintf(text, size, "dist_wait on that work, before the touch");
    else if (strcmp(text_file(misuse->at.file), text_file(range->at.file)) == 0)
        snprintf(text, size, "dist_wait on that work, before line %d", misuse->at.line);
    else
        snprintf(text, size, "dist_wait on that work, before %s:%d", text_file(misuse->at.file),
                 misuse->at.line);
}

static void misuse_say_who(const struct misuse *misuse, char *text, size_t size)
{
    if (misuse->rank >= 0)
        snprintf(text, size, "rank %d", misuse->rank);
    else
        snprintf(text, size, "a thread or child");
}

#define CLOSED "a GPU's memory from plain C"
#define CLOSED_ADVICE "copy it to the host first, with tensor_to(t, DIST_HOST) or tensor_read"

static void misuse_device_text(const struct misuse *misuse, char *text, size_t size)
{
    char who[32], place[160];
    const struct guarded *range = &misuse->range;
    misuse_say_who(misuse, who, sizeof who);
    misuse_say_place(misuse, place, sizeof place);
    snprintf(text, size, "buffer: %s %s " CLOSED ".\n  %-14s %s\n  %-14s %s:%d\ntry: " CLOSED_ADVICE ".\n%s",
             who, touches[misuse->touch].does, touches[misuse->touch].place, place, "tensor made at",
             text_file(range->at.file), range->at.line, lesson_line(LESSON_ON_GPU));
}

void misuse_text(const struct misuse *misuse, char *text, size_t size)
{
    if (misuse->range.device) {
        misuse_device_text(misuse, text, size);
        return;
    }
    char who[32], tensor[120], place[160], post[160], missing[120];
    misuse_say_who(misuse, who, sizeof who);
    misuse_say_tensor(misuse, tensor, sizeof tensor);
    misuse_say_place(misuse, place, sizeof place);
    misuse_say_post(&misuse->range, post, sizeof post);
    misuse_say_missing(misuse, missing, sizeof missing);
    snprintf(text, size, "buffer: %s %s %s.\n  %-14s %s\n  %-14s %s\n  %-14s %s\ntry: %s.\n%s", who,
             touches[misuse->touch].does, tensor, touches[misuse->touch].place, place,
             misuse_post_label(&misuse->range), post, "missing", missing, misuse_advice_for(misuse),
             lesson_line(LESSON_IN_FLIGHT));
}

void misuse_words(const struct misuse *misuse, char *text, size_t size)
{
    if (misuse->range.device) {
        snprintf(text, size, "%s " CLOSED "; " CLOSED_ADVICE, touches[misuse->touch].does);
        return;
    }
    char tensor[120], post[160];
    misuse_say_tensor(misuse, tensor, sizeof tensor);
    misuse_say_post(&misuse->range, post, sizeof post);
    snprintf(text, size, "%s %s, %s; %s", touches[misuse->touch].does, tensor, post,
             misuse_advice_for(misuse));
}
