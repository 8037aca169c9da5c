/* quick_talk.c: see quick_talk.h. */
#include "quick_talk.h"

#include "dist.h"

#include <criterion/criterion.h>
#include <string.h>

#define MOST_BYTES 2056

/* Receives that `to` has begun, and sends that `from` has ended. */
static _Atomic uint32_t *begun(struct exam *exam, int from, int to)
{
    return &exam->board[from * TALK_RANKS + to];
}

static _Atomic uint32_t *ended(struct exam *exam, int from, int to)
{
    return &exam->board[TALK_RANKS * TALK_RANKS + from * TALK_RANKS + to];
}

void talk_send(struct exam *exam, int rank, int to, struct word word)
{
    unsigned char values[MOST_BYTES];
    ref_fill(word.type, values, word.count, word.seed);
    tensor *t = tensor_from(word.type, values, word.count);
    int result = dist_send(t, to, .tag = word.tag, .group = word.group);
    uint32_t sends = atomic_fetch_add(ended(exam, rank, to), 1) + 1,
             receives = atomic_load(begun(exam, rank, to));
    exam_check(exam, result == 0, "dist_send gave %d", result);
    exam_check(exam, receives >= sends, "%u sends from %d to %d are over, and only %u receives were begun",
               sends, rank, to, receives);
    tensor_fill(t, 0);
    tensor_free(t);
}

void talk_recv(struct exam *exam, int rank, int from, struct word word)
{
    unsigned char values[MOST_BYTES];
    ref_fill(word.type, values, word.count, word.seed);
    tensor *t = tensor_zeros(word.type, word.count);
    uint32_t number = atomic_fetch_add(begun(exam, from, rank), 1);
    int result = dist_recv(t, from, .tag = word.tag, .group = word.group);
    exam_check(exam, result == from, "dist_recv gave %d and must give %d", result, from);
    exam_check(exam, ref_difference(word.type, tensor_data(t), values, word.count) < 0,
               "receive %u from %d at %d: %lld of %s, tag %d: wrong data", number, from, rank,
               (long long)word.count, ref_type_name(word.type), word.tag);
    tensor_free(t);
}

void talk_run(const char *name, int size, void (*body)(struct exam *exam, int rank, int size))
{
    struct exam *exam = exam_new(name, size);
    cr_assert(exam_run(exam, body), "%s", exam_words(exam));
    exam_free(exam);
}
