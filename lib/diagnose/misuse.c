/* misuse.c: the words for a tensor that was touched while a message still needed it. */
#include "guard.h"
#include "../launch/text.h"

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
static struct words misuse_tensor(const struct misuse *misuse)
{
    const struct guarded *range = &misuse->range;
    struct words whose = { "" };
    if (misuse->rank != range->rank)
        whose = words_of(" of rank %d", range->rank);
    if (misuse_is_collective(range))
        return words_of("a tensor%s that %s still %s", whose.text, call_name(range->call),
                        range->written ? "works on" : "reads");
    return words_of("a tensor%s that is %sbeing %s", whose.text,
                    range->written && misuse->touch == TOUCH_RECEIVE ? "already " : "",
                    range->written ? "received" : "sent");
}

static struct words misuse_place(const struct misuse *misuse)
{
    if (misuse->at.file)
        return words_of(misuse->call ? "%s:%d, by %s" : "%s:%d", text_file(misuse->at.file), misuse->at.line,
                        misuse->call);
    if (misuse->function[0])
        return words_of("%s(); compile with -g to see the line", misuse->function);
    return words_of("code address 0x%lx, after the call below", (unsigned long)misuse->address);
}

struct words misuse_post(enum call call, bool sends, int peer, struct dist_at at)
{
    struct words whom = { "" };
    if (peer >= 0)
        whom = words_of(" %s %d", sends ? "to" : "from", peer);
    else if (peer == DIST_ANY_SOURCE)
        whom = words_of(" from anybody");
    return words_of("%s%s (%s:%d)", call_name(call), whom.text, text_file(at.file), at.line);
}

struct words misuse_line(struct dist_at at, struct dist_at other)
{
    bool same = strcmp(text_file(at.file), text_file(other.file)) == 0;
    return same ? words_of("line %d", at.line) : words_of("%s:%d", text_file(at.file), at.line);
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

static struct words misuse_missing(const struct misuse *misuse)
{
    const struct guarded *range = &misuse->range;
    if (range->blocks)
        return words_of("a lock, or a join: another thread is still in that call");
    if (!misuse->at.file)
        return words_of("dist_wait on that work, before the touch");
    return words_of("dist_wait on that work, before %s", misuse_line(misuse->at, range->at).text);
}

#define CLOSED "a GPU's memory from plain C"
#define CLOSED_ADVICE "copy it to the host first, with tensor_to(t, DIST_HOST) or tensor_read"

void misuse_say(const struct misuse *misuse, char *sentence, size_t room, char *block, size_t size)
{
    const struct guarded *range = &misuse->range;
    const char *does = touches[misuse->touch].does, *touched = touches[misuse->touch].place;
    struct words place = misuse_place(misuse), tensor = misuse_tensor(misuse),
                 post = misuse_post(range->call, !range->written, range->peer, range->at);
    struct words who = misuse->rank >= 0 ? words_of("rank %d", misuse->rank) : words_of("a thread or child");
    if (range->device) {
        snprintf(sentence, room, "%s " CLOSED "; " CLOSED_ADVICE, does);
        snprintf(block, size,
                 "buffer: %s %s " CLOSED ".\n  %-14s %s\n  %-14s %s:%d\ntry: " CLOSED_ADVICE ".\n%s",
                 who.text, does, touched, place.text, "tensor made at", text_file(range->at.file),
                 range->at.line, LESSON_ON_GPU);
        return;
    }
    const char *advice = misuse_advice_for(misuse);
    const char *posted = misuse_is_collective(range) ? "started by"
                         : range->written            ? "received by"
                                                     : "being sent by";
    snprintf(sentence, room, "%s %s, %s; %s", does, tensor.text, post.text, advice);
    snprintf(block, size, "buffer: %s %s %s.\n  %-14s %s\n  %-14s %s\n  %-14s %s\ntry: %s.\n%s", who.text,
             does, tensor.text, touched, place.text, posted, post.text, "missing",
             misuse_missing(misuse).text, advice, LESSON_IN_FLIGHT);
}
