/*
 * test_quick.c: short blocking messages in every pattern that goes into the quick way (lib/backends/shm/quick.c), and out of it.
 *
 * A rank that has started anything asynchronous has a helper, and goes the long way from then on: so most of this is blocking, and
 * what is not comes last.
 */
#define _GNU_SOURCE
#include "dist.h"
#include "quick_talk.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

TestSuite(quick, .timeout = 100);

#define LATE 1000        /* us: whoever waits is through with its back-off, and sleeps */
#define VERY_LATE 200000 /* longer than a nap */
#define LETTERS 2500     /* in a row: more than ack can count */
#define ROUNDS 1500      /* of random messages */

/* Around the message that fits into a slot (12 bytes), and into the stage (2048); the tag that fits into a want (5 bits), and the group (3 bits). */
static const int64_t sizes[] = { 0, 1, 2, 3, 4, 8, 11, 12, 13, 14, 16, 200, 2048, 2056 };
static const int tags[] = { 0, 1, 31, 32, 1 << 30 };
#define SIZES (sizeof sizes / sizeof *sizes)
#define TAGS (sizeof tags / sizeof *tags)

/* From one to the other, and back. late: how long the sender waits before; less than 0: the receiver. */
static void there_and_back(struct exam *exam, int rank, int from, int to, struct word word, int late)
{
    if (late != 0 && rank == (late > 0 ? from : to))
        usleep((useconds_t)abs(late));
    if (rank == from) {
        talk_send(exam, rank, to, word);
        talk_recv(exam, rank, to, word);
    } else if (rank == to) {
        talk_recv(exam, rank, from, word);
        talk_send(exam, rank, from, word);
    }
}

/* Every type, size and tag; wanted, and not. */
static void every_kind(struct exam *exam, int rank, int size)
{
    static const int lates[] = { LATE, -LATE, 0 };
    uint64_t seed = exam->seed;
    for (int type = 0; type < REF_TYPES; type++)
        for (size_t i = 0; i < SIZES * TAGS * 3; i++) {
            int64_t bytes = sizes[i / 3 / TAGS], element = (int64_t)ref_bytes(type);
            int from = (int)(seed++ % (uint64_t)size), to = (from + 1) % size;
            struct word word = { type, bytes / element, tags[i / 3 % TAGS], seed, NULL };
            if (bytes % element == 0)
                there_and_back(exam, rank, from, to, word, lates[i % 3]);
        }
    for (int i = 0; i < 6; i++)
        there_and_back(exam, rank, i % size, (i + 1) % size,
                       (struct word){ DIST_I32, i % 3, i, seed + (uint64_t)i, NULL },
                       i < 3 ? VERY_LATE : -VERY_LATE);
}
TALK_TESTS(quick, every_kind, 2, every_kind)
TALK_TESTS(quick, every_kind, 3, every_kind)

#define GROUPS 70
#define TALKING 4 /* of these groups, and the world is one */

/* All ranks, in another order, again and again; the ids of some are large. */
static void groups_of_all(dist_group **groups, int size)
{
    int ranks[TALK_RANKS];
    for (int i = 0; i < size; i++)
        ranks[i] = size - 1 - i;
    for (int i = 0; i < GROUPS; i++)
        groups[i] = dist_new_group(ranks, size);
}

/* Who talks to whom, and what, and in which group, is drawn; and everybody dawdles now and then. */
static void at_random(struct exam *exam, int rank, int size)
{
    uint64_t common = exam->seed, own = exam->seed + (uint64_t)rank + 1;
    dist_group *groups[GROUPS];
    groups_of_all(groups, size);
    dist_group *const talking[TALKING] = { NULL, groups[0], groups[1], groups[GROUPS - 1] };
    for (int round = 0; round < ROUNDS; round++) {
        int from = (int)ref_below(&common, size), to = (from + 1 + (int)ref_below(&common, size - 1)) % size;
        int64_t bytes = sizes[ref_below(&common, (int64_t)SIZES)];
        enum dist_type type = (enum dist_type)ref_below(&common, REF_TYPES);
        struct word word = { type, bytes / (int64_t)ref_bytes(type), tags[ref_below(&common, (int64_t)TAGS)],
                             common, NULL };
        word.group = talking[ref_below(&common, TALKING)];
        if (ref_below(&own, 12) == 0)
            usleep((useconds_t)ref_below(&own, 300));
        if (rank == from)
            talk_send(exam, rank, to, word);
        if (rank == to)
            talk_recv(exam, rank, from, word);
    }
    for (int i = 0; i < GROUPS; i++)
        dist_group_free(groups[i]);
}
TALK_TESTS(quick, at_random, 2, at_random)
TALK_TESTS(quick, at_random, 3, at_random)

/* Many in a row, passed on from rank to rank; now this one is slow, now that one. */
static void in_a_row(struct exam *exam, int rank, int size)
{
    uint64_t own = exam->seed + (uint64_t)rank;
    for (int i = 0; i < LETTERS; i++) {
        struct word word = { DIST_I64, 1, 3, exam->seed + (uint64_t)i, NULL };
        if (i / 100 % size == rank && ref_below(&own, 10) == 0)
            usleep((useconds_t)ref_below(&own, 200));
        if (rank > 0)
            talk_recv(exam, rank, rank - 1, word);
        if (rank + 1 < size)
            talk_send(exam, rank, rank + 1, word);
    }
}
TALK_TESTS(quick, in_a_row, 2, in_a_row)
TALK_TESTS(quick, in_a_row, 3, in_a_row)

/* ---- letters that do not fit, though one is wanted -------------------------------------------------- */

/* Rank 0 waits for rank 2, from anybody, and so parks what rank 1 has sent; the next of that kind is sent when 0 is elsewhere. */
static void parked_meanwhile(struct exam *exam, int rank, int size)
{
    for (int round = 0; round < 60 * (size > 2); round++) {
        struct word first = { DIST_F32, 2, 1, exam->seed + (uint64_t)round, NULL }, second = first;
        second.seed += 1000;
        if (rank == 1) {
            talk_send(exam, rank, 0, first);
            talk_send(exam, rank, 0, second);
        } else if (rank == 2) {
            usleep(round % 2 ? 200 : LATE);
            tensor *t = tensor_full(DIST_F64, round, 1);
            dist_send(t, 0, .tag = 2);
            tensor_free(t);
        } else {
            usleep(round % 3 ? 0 : LATE);
            tensor *t = tensor_zeros(DIST_F64, 1);
            int from = dist_recv(t, DIST_ANY_SOURCE, .tag = 2);
            exam_check(exam, from == 2 && tensor_item(t, 0) == round, "from %d came %g", from,
                       tensor_item(t, 0));
            tensor_free(t);
            talk_recv(exam, rank, 1, first);
            usleep(round % 4 ? 300 : LATE);
            talk_recv(exam, rank, 1, second);
        }
    }
}
TALK_TESTS(quick, parked_meanwhile, 3, parked_meanwhile)

static void put(tensor *t, int to, double value, int tag, dist_group *group)
{
    tensor_fill(t, value);
    dist_send(t, to, .tag = tag, .group = group);
}

static void get(struct exam *exam, tensor *t, int from, double value, int tag, dist_group *group)
{
    tensor_fill(t, -1);
    int result = dist_recv(t, from, .tag = tag, .group = group);
    exam_check(exam, (result == from || from == DIST_ANY_SOURCE) && tensor_item(t, 0) == value,
               "tag %d%s: from %d came %g, and must be %g", tag, group ? " in the group" : "", result,
               tensor_item(t, 0), value);
}

/* Rank 0 sends what rank 1 does not wait for yet, and then what it waits for. group: told apart by that; else by the tag. */
static void other_first(struct exam *exam, int rank, dist_group *group)
{
    tensor *t = tensor_zeros(DIST_I32, 1), *early = tensor_zeros(DIST_I32, 1);
    int tag = 5, other = group ? tag : 6;
    for (int round = 0; round < 200; round++) {
        if (rank == 0) {
            tensor_fill(early, 1000 + round);
            usleep(round % 20 ? 0 : LATE);
            dist_work *work = dist_isend(early, 1, .tag = other, .group = group);
            put(t, 1, round, tag, NULL);
            exam_check(exam, dist_wait(work) == 0, "round %d: the isend failed", round);
        } else if (rank == 1) {
            usleep(round % 7 ? 0 : 300);
            get(exam, t, 0, round, tag, NULL);
            get(exam, t, 0, 1000 + round, other, group);
        }
    }
    tensor_free(t);
    tensor_free(early);
}

static void another_tag_first(struct exam *exam, int rank, int size)
{
    exam_check(exam, size >= 2, "too few ranks");
    other_first(exam, rank, NULL);
}
TALK_TESTS(quick, another_tag_first, 2, another_tag_first)

/* In turns in the world and in a group, with one tag; at the end in another order. */
static void in_a_group(struct exam *exam, int rank, int size)
{
    dist_group *group = dist_new_group(((int[]){ 1, 0 }), 2);
    tensor *t = tensor_zeros(DIST_I32, 1);
    for (int round = 0; round < 300 && rank < 2; round++) {
        dist_group *of_this = round % 3 == 0 ? group : NULL;
        int from = round / 2 % 2;
        usleep(round % 20 == rank ? LATE : 0);
        if (rank == from)
            put(t, 1 - from, round, 5, of_this);
        else
            get(exam, t, from, round, 5, of_this);
    }
    tensor_free(t);
    exam_check(exam, size >= 2, "too few ranks");
    other_first(exam, rank, group);
    if (rank < 2)
        dist_group_free(group);
}
TALK_TESTS(quick, in_a_group, 2, in_a_group)
TALK_TESTS(quick, in_a_group, 3, in_a_group)

/* All send to rank 0, which sometimes says from whom it wants to hear. */
static void from_anybody(struct exam *exam, int rank, int size)
{
    enum { EACH = 400 };
    uint64_t own = exam->seed + (uint64_t)rank;
    int next[TALK_RANKS] = { 0 };
    tensor *t = tensor_zeros(DIST_I32, 1);
    for (int i = 0; i < EACH && rank > 0; i++) {
        usleep(ref_below(&own, 40) ? 0 : 200);
        put(t, 0, i, 7, NULL);
    }
    for (int left = rank == 0 ? EACH * (size - 1) : 0; left > 0; left--) {
        int from = 1 + (int)ref_below(&own, size - 1);
        bool anybody = next[from] == EACH || ref_below(&own, 2);
        usleep(ref_below(&own, 40) ? 0 : 200);
        int came = dist_recv(t, anybody ? DIST_ANY_SOURCE : from, .tag = 7);
        exam_check(exam, came == from || anybody, "asked for %d, came %d", from, came);
        exam_check(exam, tensor_item(t, 0) == next[came], "letter %g of rank %d in place of %d",
                   tensor_item(t, 0), came, next[came]);
        next[came]++;
    }
    exam_check(exam, true, "-");
    tensor_free(t);
}
TALK_TESTS(quick, from_anybody, 2, from_anybody)
TALK_TESTS(quick, from_anybody, 3, from_anybody)
