/* order_words.c: the words for two streams that touch the same data with nothing that orders them. */
#include "order.h"
#include "../launch/text.h"

#include <stdio.h>

static const struct {
    const char *does;   /* "rank 0 <writes to> a tensor that ..." */
    const char *place;  /* "<written at> two.c:31" */
    const char *before; /* "<first written> two.c:27" */
    const char *still;  /* "... may still be <writing>" */
} deeds[] = {
    [TOUCH_READ] = { "reads", "read at", "first read", "reading" },
    [TOUCH_WRITE] = { "writes to", "written at", "first written", "writing" },
    [TOUCH_SEND] = { "sends", "sent at", "first sent", "sending" },
    [TOUCH_RECEIVE] = { "receives into", "received at", "first received", "receiving" },
};

static struct words order_words_stream(const struct touched *touch)
{
    return touch->stream == 0 ? words_of("the default stream") : words_of("stream %d", touch->stream);
}

/* "two.c:31, by tensor_add, in stream 1" */
static struct words order_words_place(const struct touched *touch)
{
    return words_of("%s:%d, by %s, %s %s", text_file(touch->at.file), touch->at.line, touch->call,
                    touch->waited ? "waited for in" : "in", order_words_stream(touch).text);
}

void order_tell(const struct gpu *gpu, const struct touched *before, const struct touched *now)
{
    char line[480], wrapped[520], sentence[800], text[1600];
    struct why advice;
    const char *does = deeds[now->touch].does, *still = deeds[before->touch].still;
    struct words stream = order_words_stream(now), other = order_words_stream(before);
    why_say(&advice,
            "record an event in %s after %s (dist_event_record), and let %s wait for it before %s "
            "(dist_event_wait)",
            other.text, before->waited ? "that wait" : misuse_line(before->at, now->at).text, stream.text,
            misuse_line(now->at, before->at).text);
    snprintf(line, sizeof line, "try: %s.", advice.text);
    text_wrap(line, TEXT_WIDTH, wrapped, sizeof wrapped);
    snprintf(sentence, sizeof sentence, "%s a tensor that %s may still be %s (%s:%d); %s", does, other.text,
             still, text_file(before->at.file), before->at.line, advice.text);
    snprintf(text, sizeof text,
             "buffer: rank %d %s a tensor that %s may still be %s.\n  %-14s %s\n  %-14s %s\n  %-14s an event "
             "that lets %s wait for %s\n%s\n%s",
             gpu->self->env.rank, does, other.text, still, deeds[now->touch].place,
             order_words_place(now).text, deeds[before->touch].before, order_words_place(before).text,
             "missing", stream.text, other.text, wrapped, LESSON_NO_EVENT);
    report_block(now->call, now->at, DIST_ERR_BUFFER, sentence, text);
}
