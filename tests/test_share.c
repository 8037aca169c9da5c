/* test_share.c: long messages between ranks that both wait for them, so that both copy (lib/backends/shm/share.c). */
#define _GNU_SOURCE
#include "conform_exam.h"
#include "dist.h"

#include <criterion/criterion.h>
#include <unistd.h>

#define CHUNK (128 << 10) /* of share.c; what matters are sizes on both sides of its borders, */
#define LEAST (512 << 10) /* and of the size from which on it is used */
#define ROUNDS 60

static unsigned char byte_at(int round, int64_t i)
{
    return (unsigned char)(i * 7 + i / 251 + round * 13);
}

static void fill(tensor *t, int round)
{
    unsigned char *data = tensor_data(t);
    for (int64_t i = 0; i < tensor_numel(t); i++)
        data[i] = byte_at(round, i);
}

static int64_t first_wrong(tensor *t, int round)
{
    const unsigned char *data = tensor_data(t);
    for (int64_t i = 0; i < tensor_numel(t); i++)
        if (data[i] != byte_at(round, i))
            return i;
    return -1;
}

/* From 0 to 1 to 2 ... to 0. Sometimes the sender comes late, sometimes the receiver; the tensors begin anywhere. */
static void pass_round(struct exam *exam, int rank, int size)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    uint64_t common = exam->seed, own = exam->seed + (uint64_t)rank + 1;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t count = LEAST + (int64_t)ref_below(&common, 8) * CHUNK + (int64_t)ref_below(&common, 3) - 1;
        int64_t margin = (int64_t)ref_below(&own, 3);
        tensor *whole = tensor_full(DIST_U8, 99, count + 2 * margin);
        tensor *t = tensor_slice(whole, margin, margin + count);
        if (ref_below(&own, 2))
            usleep((useconds_t)ref_below(&own, 300));
        if (rank == 0) {
            fill(t, round);
            dist_send(t, next);
            tensor_fill(t, 0);
        }
        int from = dist_recv(t, previous);
        int64_t wrong = first_wrong(t, round);
        exam_check(exam, wrong < 0 && from == previous, "round %d, %lld bytes: element %lld is wrong", round,
                   (long long)count, (long long)wrong);
        for (int64_t i = 0; i < margin; i++) {
            const unsigned char *data = tensor_data(whole);
            exam_check(exam, data[i] == 99 && data[margin + count + i] == 99, "round %d: written beside it",
                       round);
        }
        if (rank != 0)
            dist_send(t, next);
        tensor_free(t);
        tensor_free(whole);
    }
}

static void pass_among(int ranks)
{
    struct exam *exam = exam_new("long messages, both ends wait", ranks);
    cr_assert(exam_run(exam, pass_round), "%s", exam_words(exam));
    exam_free(exam);
}

Test(share, between_two)
{
    pass_among(2);
}

Test(share, among_three)
{
    pass_among(3);
}

Test(share, between_two_threads)
{
    setenv("DIST_RANKS", "threads", 1);
    pass_among(2);
}
