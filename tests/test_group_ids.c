/* test_group_ids.c: the ids of groups are used again, agree on all members, and no group takes what was sent in another. */
#define _GNU_SOURCE
#include "conform_exam.h"
#include "hurry.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define IDS 65535

static _Thread_local char sentence[400];

static void note(const struct dist_report *report, void *context)
{
    int *count = context;
    if (count)
        ++*count;
    snprintf(sentence, sizeof sentence, "%s", report->sentence);
}

static void expect_sum(struct exam *exam, dist_group *group, int value, int sum)
{
    tensor *x = tensor_full(DIST_I32, value, 3);
    dist_all_reduce(x, .group = group);
    exam_check(exam, tensor_item(x, 2) == sum, "a sum in a group is %g, not %d", tensor_item(x, 2), sum);
    tensor_free(x);
}

static long resident(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Three times as many as there are ids; on GPUs, where it takes longer, a little more than there are. In a hurry: fewer. */
static void one_after_the_other(struct exam *exam, int rank, int size)
{
    (void)size;
    double begin = dist_time(), third = 0;
    long before = 0;
    int count = hurry() ? 4000 : exam->given ? IDS + 3000 : 3 * (IDS + 1);
    for (int i = 0; i < count; i++) {
        dist_group *group = dist_new_group(((int[]){ i % 2, !(i % 2) }), 2);
        if (rank < 2 && i % 500 == 0)
            expect_sum(exam, group, i, 2 * i);
        if (!exam_check(exam, group && dist_group_free(group) == 0, "group %d could not be had, or freed", i))
            return;
        if (i == count / 3) {
            third = dist_time() - begin;
            before = resident();
        }
    }
    exam_check(exam, dist_time() - begin < 10 * third + 5, "the first took %g s, three times as many %g s",
               third, dist_time() - begin);
    /* A sanitizer keeps what is freed for a while. */
    exam_check(exam, SANITIZED || resident() - before < 2048, "%ld KiB were lost", resident() - before);
}

/* Of many open groups each has its own messages; all are freed in another order on each rank. */
static void many_at_once(struct exam *exam, int rank, int size)
{
    enum { MANY = 600 };
    dist_group *groups[MANY];
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < MANY; i++)
            groups[i] = dist_new_group(((int[]){ i % size, (i + 1) % size }), 2);
        for (int i = 0; i < MANY; i++)
            if (rank == i % size || rank == (i + 1) % size)
                expect_sum(exam, groups[i], i, 2 * i);
        for (int i = 0; i < MANY; i++)
            dist_group_free(groups[rank % 2 ? i : MANY - 1 - i]);
        exam_check(exam, true, "never");
    }
}

/* All ids: one more is refused, on all ranks alike; and then one is free again. */
static void all_of_them(struct exam *exam, int rank, int size)
{
    dist_group **groups = calloc(IDS + 1, sizeof *groups);
    int count = 0, reports = 0;
    (void)size;
    dist_set_error_handler(note, &reports);
    while (count <= IDS && (groups[count] = dist_new_group(((int[]){ 1 }), 1)))
        count++;
    exam_check(exam, count == IDS, "%d groups could be open", count);
    exam_check(exam,
               reports == 1 && dist_last_error() == -DIST_ERR_MEMORY && strstr(sentence, "65536 groups"),
               "rank %d: %d reports, %d, %s", rank, reports, dist_last_error(), sentence);
    dist_group_free(groups[77]);
    dist_barrier();
    groups[77] = dist_new_group(((int[]){ 1, 0 }), 2);
    exam_check(exam, groups[77] != NULL, "an id that was freed cannot be had");
    if (groups[77] && rank < 2)
        expect_sum(exam, groups[77], 5, 10);
    exam_check(exam, !dist_new_group(((int[]){ 0, 1 }), 2), "one group too many");
    for (int i = 0; i < IDS; i++)
        dist_group_free(groups[i]);
    dist_barrier();
    groups[0] = dist_new_group(((int[]){ 0, 1 }), 2);
    if (rank < 2)
        expect_sum(exam, groups[0], 5, 10);
    dist_group_free(groups[0]);
    free(groups);
}

/* Again and again there is no id at first, and then one: a rank that comes late to hear of none must not hear of the next one. */
static void none_and_one(struct exam *exam, int rank, int size)
{
    dist_group **groups = calloc(IDS + 1, sizeof *groups);
    int count = 0, reports = 0;
    (void)size;
    dist_set_error_handler(note, &reports);
    while (count <= IDS && (groups[count] = dist_new_group(((int[]){ 0 }), 1)))
        count++;
    for (int i = 0; i < 300; i++) {
        bool none = !dist_new_group(((int[]){ 0 }), 1);
        if (rank == 0) /* its only member, so its id is free at once */
            dist_group_free(groups[i]);
        bool one = dist_new_group(((int[]){ 0 }), 1) != NULL;
        if (rank != 0)
            dist_group_free(groups[i]);
        if (!exam_check(exam, none && one, "of %d groups, turn %d: %s", count, i,
                        none ? "an id that was freed cannot be had" : "one group too many"))
            break;
    }
    dist_barrier();
    free(groups);
}

/* Rank 0's first message is copied aside, and never received in its group: no later group gets it. */
static void what_nobody_took(struct exam *exam, int rank, int size)
{
    tensor *x = tensor_full(DIST_I32, -1, 1);
    dist_group *first = dist_new_group(((int[]){ 0, 1 }), 2);
    (void)size;
    if (rank == 0)
        dist_send(x, 1, .group = first);
    exam_check(exam, dist_group_free(first) == 0, "a group with a message on its way cannot be freed");
    for (int i = 0; i < (hurry() ? 3000 : IDS + 300); i++) {
        dist_group *group = dist_new_group(((int[]){ 0, 1 }), 2);
        if (rank == 0)
            dist_send((tensor_fill(x, i), x), 1, .group = group);
        if (rank == 1 && (dist_recv(x, 0, .group = group) != 0 || tensor_item(x, 0) != i)) {
            exam_check(exam, false, "group %d got %g", i, tensor_item(x, 0));
            break;
        }
        dist_group_free(group);
    }
    tensor_free(x);
}

/* Lists that differ: nobody has a group, and the next one works. */
static void lists_that_differ(struct exam *exam, int rank, int size)
{
    int reports = 0;
    (void)size;
    dist_set_error_handler(note, &reports);
    for (int i = 0; i < 100; i++) {
        exam_check(exam,
                   !dist_new_group(((int[]){ 0, rank == 0 ? 1 : 2 }), 2) &&
                       dist_last_error() == -DIST_ERR_MISMATCH && reports == i + 1,
                   "%d reports, %d", reports, dist_last_error());
        dist_group *group = dist_new_group(((int[]){ 0, 1 }), 2);
        if (rank < 2)
            expect_sum(exam, group, i, 2 * i);
        dist_group_free(group);
    }
}

static void run(const char *name, void (*body)(struct exam *, int, int), int size)
{
    static const char *const modes[] = { "processes", "threads" };
    for (int i = 0; i < 2; i++) {
        setenv("DIST_RANKS", modes[i], 1);
        struct exam *exam = exam_new(name, size);
        exam->seconds = 100;
        cr_expect(exam_run(exam, body), "%s: %s", modes[i], exam_words(exam));
        exam_free(exam);
    }
}

static void run_on_gpus(const char *name, void (*body)(struct exam *, int, int), int size)
{
    setenv("BACKEND", "cuda", 1);
    setenv("DEVICE", "sim", 1);
    setenv("DIST_RANKS", "threads", 1);
    struct exam *exam = exam_new(name, size);
    exam->seconds = 200;
    exam->given = "gpu";
    cr_expect(exam_run(exam, body), "cuda: %s", exam_words(exam));
    exam_free(exam);
}

TestSuite(group_ids, .timeout = 300);

Test(group_ids, a_group_after_the_other_takes_no_more_memory_and_no_more_time)
{
    run("one after the other", one_after_the_other, 2);
    run_on_gpus("one after the other", one_after_the_other, 2);
}

Test(group_ids, many_groups_at_once_keep_apart)
{
    run("many at once", many_at_once, 2);
    run("many at once", many_at_once, 12);
    run_on_gpus("many at once", many_at_once, 3);
}

Test(group_ids, one_more_than_there_can_be_is_refused_on_all_ranks)
{
    run("all of them", all_of_them, hurry() ? 2 : 3);
    if (!hurry())
        run_on_gpus("all of them", all_of_them, 2);
}

Test(group_ids, all_ranks_hear_of_the_same_id_or_of_none)
{
    run("none and one", none_and_one, 8);
}

Test(group_ids, no_group_takes_a_message_of_another_that_had_its_id)
{
    setenv("DIST_BUFFERING", "eager:4096", 1);
    run("what nobody took", what_nobody_took, 2);
    run_on_gpus("what nobody took", what_nobody_took, 2);
}

Test(group_ids, lists_that_differ_leave_nothing_behind)
{
    run("lists that differ", lists_that_differ, 3);
    run_on_gpus("lists that differ", lists_that_differ, 3);
}
