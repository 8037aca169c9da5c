/* order_words.c: the words for two streams that touch the same data with nothing that orders them. */
#include "order.h"
#include "../launch/lesson.h"
#include "../launch/text.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *does;   /* "rank 0 <writes to> a tensor that ..." */
    const char *place;  /* "<written at> two.c:31" */
    const char *before; /* "<first written> two.c:27" */
    const char *still;  /* "... may still be <writing>" */
} deeds[] = {
    [DEED_READ] = { "reads", "read at", "first read", "reading" },
    [DEED_WRITE] = { "writes to", "written at", "first written", "writing" },
    [DEED_SEND] = { "sends", "sent at", "first sent", "sending" },
    [DEED_RECEIVE] = { "receives into", "received at", "first received", "receiving" },
};

struct words {
    char now[24], before[24];               /* "stream 1" */
    char now_place[160], before_place[160]; /* "two.c:31, by tensor_add, in stream 1" */
};

static void order_words_say_stream(int number, char *text, size_t size)
{
    if (number == 0)
        snprintf(text, size, "the default stream");
    else
        snprintf(text, size, "stream %d", number);
}

static void order_words_say_place(const struct touched *touch, const char *stream, char *text, size_t size)
{
    snprintf(text, size, "%s:%d, by %s, %s %s", text_file(touch->at.file), touch->at.line, touch->call,
             touch->waited ? "waited for in" : "in", stream);
}

/* The line alone, where both are in one file. */
static void order_words_say_line(const struct touched *touch, const struct touched *other, char *text,
                                 size_t size)
{
    if (touch->at.file && other->at.file && strcmp(touch->at.file, other->at.file) == 0)
        snprintf(text, size, "line %d", touch->at.line);
    else
        snprintf(text, size, "%s:%d", text_file(touch->at.file), touch->at.line);
}

static void order_words_say_advice(const struct touched *before, const struct touched *now,
                                   const struct words *words, char *text, size_t size)
{
    char first[80], second[80];
    order_words_say_line(before, now, first, sizeof first);
    order_words_say_line(now, before, second, sizeof second);
    snprintf(text, size,
             "record an event in %s after %s (dist_event_record), and let %s wait for it before %s "
             "(dist_event_wait)",
             words->before, before->waited ? "that wait" : first, words->now, second);
}

void order_tell(const struct gpu *gpu, const struct touched *before, const struct touched *now)
{
    struct words words;
    char advice[400], line[480], wrapped[520], sentence[480], text[1200];
    const char *does = deeds[now->deed].does, *still = deeds[before->deed].still;
    order_words_say_stream(now->stream, words.now, sizeof words.now);
    order_words_say_stream(before->stream, words.before, sizeof words.before);
    order_words_say_place(now, words.now, words.now_place, sizeof words.now_place);
    order_words_say_place(before, words.before, words.before_place, sizeof words.before_place);
    order_words_say_advice(before, now, &words, advice, sizeof advice);
    snprintf(line, sizeof line, "try: %s.", advice);
    text_wrap(line, TEXT_WIDTH, wrapped, sizeof wrapped);
    snprintf(sentence, sizeof sentence, "%s a tensor that %s may still be %s (%s:%d); %s", does, words.before,
             still, text_file(before->at.file), before->at.line, advice);
    snprintf(text, sizeof text,
             "buffer: rank %d %s a tensor that %s may still be %s.\n  %-14s %s\n  %-14s %s\n  %-14s an event "
             "that lets %s wait for %s\n%s\n%s",
             gpu->self->env.rank, does, words.before, still, deeds[now->deed].place, words.now_place,
             deeds[before->deed].before, words.before_place, "missing", words.now, words.before, wrapped,
             lesson_line(LESSON_NO_EVENT));
    report_block(now->call, now->at, DIST_ERR_BUFFER, sentence, text);
}
