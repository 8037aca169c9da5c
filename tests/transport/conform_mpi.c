/*
 * conform_mpi.c: one part of the conformance suite (conform.h) under a launcher that starts the ranks: conform_mpi PART, once for each
 * rank. MPI can be started only once in a process, so each part is a run of its own. DIST_TEST_SEED must be set: all draw the same
 * numbers. Ranks share no memory of ours but the exam's board, in the file that EXAM_BOARD names. Exit status 0: no finding was wrong.
 */
#define _GNU_SOURCE
#include "../conform.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    void (*part)(struct exam *, int, int);
    bool numbers;
} parts[] = {
    { "collectives", conform_world, true },  { "groups", conform_groups, true },
    { "messages", conform_p2p, true },       { "order", conform_order, false },
    { "progress", conform_progress, false },
};

static struct exam *exam;
static int chosen;

static void run(int rank, int size)
{
    struct conform given = { .sparse = false };
    if (parts[chosen].numbers && !conform_new(&given, size, exam->seed))
        exit(1);
    given.sparse = given.any_order = true;
    exam->given = &given;
    dist_init_process_group();
    parts[chosen].part(exam, rank, size);
    dist_destroy_process_group();
    if (rank == 0)
        printf("%s: %d ranks\n", parts[chosen].name, size);
    conform_free(&given);
}

int main(int count, char **words)
{
    while (chosen < (int)(sizeof parts / sizeof *parts) &&
           (count < 2 || strcmp(parts[chosen].name, words[1]) != 0))
        chosen++;
    if (chosen == (int)(sizeof parts / sizeof *parts) || !getenv("DIST_TEST_SEED"))
        return 2;
    exam = exam_new(words[1], 0);
    int status = dist_spawn(run, 2);
    if (atomic_load(&exam->checks) == 0 || atomic_load(&exam->faults) > 0) {
        fprintf(stderr, "%lu wrong of %lu: %s\n", (unsigned long)exam->faults, (unsigned long)exam->checks,
                exam->first);
        return 1;
    }
    return status;
}
