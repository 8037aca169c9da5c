/*
 * test_wanted.c: sends whose receive was there first (lib/backends/shm/wanted.h): they are over at once, no other is, and what the program writes
 * into its tensor afterwards reaches nobody.
 */
#define _GNU_SOURCE
#include "dist.h"
#include "quick_talk.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

TestSuite(wanted, .timeout = 100);

#define ROUNDS 400
#define MOST 6 /* messages of a round */

/* Around what fits into the envelope of a slot, of a cell, and into the stage; and around the tags that a want can name. */
static const int64_t sizes[] = { 0, 4, 12, 16, 32, 36, 64, 512, 2044, 2048, 2052, 4096 };
static const int tags[] = { 0, 1, 31, 32, 1 << 30 };
#define SIZES (int64_t)(sizeof sizes / sizeof *sizes)
#define TAGS (int64_t)(sizeof tags / sizeof *tags)
#define STAGED 2048

static tensor *filled(int64_t bytes, double first)
{
    tensor *t = tensor_zeros(DIST_F32, bytes / 4);
    for (int64_t i = 0; i < bytes / 4; i++)
        tensor_set(t, i, first + (double)(i % 1000));
    return t;
}

static void holds(struct exam *exam, const tensor *t, double first)
{
    for (int64_t i = 0; i < tensor_numel(t); i++)
        exam_check(exam, tensor_item(t, i) == first + (double)(i % 1000), "element %lld is %g, not %g",
                   (long long)i, tensor_item(t, i), first + (double)(i % 1000));
}

/* Rank 1's receive is begun before rank 0 sends, and rank 1 does nothing for it before rank 0 has asked. */
static void over_at_once(struct exam *exam, int rank, int size)
{
    (void)size;
    for (int i = 0; i < (int)SIZES; i++) {
        tensor *t = filled(sizes[i], rank == 0 ? 10 * i : -1);
        dist_work *work = rank == 1 ? dist_irecv(t, 0, .tag = i) : NULL;
        dist_barrier();
        if (rank == 0) {
            work = dist_isend(t, 1, .tag = i);
            bool over = dist_is_completed(work);
            exam_check(exam, over || sizes[i] > STAGED, "an isend of %lld bytes is not over",
                       (long long)sizes[i]);
            if (over)
                tensor_fill(t, -2);
        }
        dist_barrier();
        dist_wait(work);
        if (rank == 1)
            holds(exam, t, 10 * i);
        tensor_free(t);
    }
}
TALK_TESTS(wanted, over_at_once, 2, over_at_once)

/* One receive is open, for another tag, from somebody else, in another group: no send is over. */
static void not_before(struct exam *exam, int rank, int size)
{
    int both[] = { 0, 1 };
    dist_group *pair = dist_new_group(both, 2);
    for (int i = 0; i < (int)SIZES && rank < 2; i++) {
        tensor *t = filled(sizes[i], 7), *other = filled(sizes[i], -1), *longer = filled(sizes[i] + 4, -1);
        dist_work *wrong = NULL, *work = NULL;
        if (rank == 1)
            wrong = i % 3 == 0   ? dist_irecv(other, 0, .tag = 1)
                    : i % 3 == 1 ? dist_irecv(longer, 0, .tag = 1)
                                 : dist_irecv(other, 0, .tag = 2, .group = pair);
        dist_barrier(.group = pair);
        if (rank == 0) {
            work = dist_isend(t, 1, .tag = 2);
            exam_check(exam, !dist_is_completed(work), "an isend of %lld bytes is over, and has no receive",
                       (long long)sizes[i]);
        }
        dist_barrier(.group = pair);
        if (rank == 1)
            dist_recv(t, 0, .tag = 2);
        else
            dist_wait(work);
        if (rank == 0)
            dist_send(i % 3 == 1 ? longer : other, 1, .tag = i % 3 == 2 ? 2 : 1,
                      .group = i % 3 == 2 ? pair : NULL);
        if (wrong)
            dist_wait(wrong);
        tensor_free(longer);
        tensor_free(other);
        tensor_free(t);
    }
    dist_group_free(pair);
    (void)size;
}
TALK_TESTS(wanted, not_before, 2, not_before)
TALK_TESTS(wanted, not_before, 3, not_before)

/* The first message is set aside, and its data wait in the stage; those behind it go on. */
static void set_aside(struct exam *exam, int rank, int size)
{
    (void)size;
    for (int round = 0; round < 40; round++) {
        int64_t bytes = sizes[round % SIZES];
        tensor *t[3];
        dist_work *work[3];
        for (int k = 0; k < 3; k++)
            t[k] = filled(bytes, rank == 0 ? 100 * k + round : -1);
        if (rank == 0) {
            for (int k = 0; k < 3; k++)
                work[k] = dist_isend(t[k], 1, .tag = k);
            for (int k = 3; k-- > 0;) {
                dist_wait(work[k]);
                tensor_fill(t[k], -2);
            }
        } else {
            for (int k = 3; k-- > 0;) {
                dist_recv(t[k], 0, .tag = k);
                usleep(round % 4 == 0 ? 300 : 0);
            }
            for (int k = 0; k < 3; k++)
                holds(exam, t[k], 100 * k + round);
        }
        for (int k = 0; k < 3; k++)
            tensor_free(t[k]);
    }
}
TALK_TESTS(wanted, set_aside, 2, set_aside)

/* Who talks to whom, and what, is drawn; receives begin before or after sends, and all are waited for in any order. */
static void at_random(struct exam *exam, int rank, int size)
{
    uint64_t common = exam->seed, own = exam->seed + (uint64_t)rank + 1;
    for (int round = 0; round < ROUNDS; round++) {
        dist_work *works[2 * MOST];
        tensor *tensors[2 * MOST];
        double firsts[2 * MOST];
        int count = 0, messages = 1 + (int)ref_below(&common, MOST);
        for (int k = 0; k < messages; k++) {
            int from = (int)ref_below(&common, size), to = (int)ref_below(&common, size);
            int64_t bytes = sizes[ref_below(&common, SIZES)];
            int tag = tags[ref_below(&common, TAGS)];
            double first = (double)ref_below(&common, 5000);
            for (int side = 0; side < 2; side++) { /* receives first, in even rounds */
                bool sends = side == round % 2;
                if (rank != (sends ? from : to))
                    continue;
                firsts[count] = sends ? -1 : first;
                tensors[count] = filled(bytes, sends ? first : -1);
                works[count] = sends ? dist_isend(tensors[count], to, .tag = tag)
                                     : dist_irecv(tensors[count], from, .tag = tag);
                count++;
            }
            if (ref_below(&own, 20) == 0)
                usleep((useconds_t)ref_below(&own, 300));
        }
        for (; count > 0; count--) {
            int k = (int)ref_below(&own, count);
            dist_wait(works[k]);
            if (firsts[k] < 0)
                tensor_fill(tensors[k], -2);
            else
                holds(exam, tensors[k], firsts[k]);
            tensor_free(tensors[k]);
            works[k] = works[count - 1];
            tensors[k] = tensors[count - 1];
            firsts[k] = firsts[count - 1];
        }
    }
}
TALK_TESTS(wanted, at_random, 2, at_random)
TALK_TESTS(wanted, at_random, 3, at_random)
