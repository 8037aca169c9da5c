/*
 * generated_hosts.c: generated programs (generated.h) whose ranks are started by something else, and whether what is told of each is what
 * its label says.
 *
 *     generated_hosts judge COUNT COMMAND...    COUNT wrong programs, and after each a right one, of seeds from DIST_TEST_SEED on. COUNT 0:
 *                                               two for each label. COMMAND starts WORLD_SIZE ranks of a program, and ends with the job's status.
 *     generated_hosts judge_mpich ...           the same by MPICH's mpirun: of its status only counts whether it is 0
 *     generated_hosts perform SEED RANKS LABEL PLACE SCHEDULES      one rank of such a program
 *
 * The last line says "N runs, N wrong". Exit status 0: none was.
 */
#define _GNU_SOURCE
#include "../generated.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEADLINE 60.0 /* seconds for one program; it needs less than one */
#define CHECKED "DIST_CHECK=1"
#define EAGER "DIST_BUFFERING=eager:4096"
enum { RANKS = 7, WORDS = 30, NUMBERS = 5 };

static char **command;

/* Collectives between hosts are in part made of messages. */
#define PLACE(name, first, second, ...) \
    { \
        name, { first, second }, { .mixed = true, __VA_ARGS__ }, NULL \
    }
static const struct gen_place places[] = {
    PLACE("on the host", NULL, NULL, .checked = false),
    PLACE("checked", CHECKED, NULL, .checked = true),
    PLACE("eager", EAGER, NULL, .eager = true),
    PLACE("eager, checked", EAGER, CHECKED, .eager = true, .checked = true),
    PLACE("simulated GPUs", "DEVICE=sim", NULL, .on_device = true),
    PLACE("simulated GPUs, checked", "DEVICE=sim", CHECKED, .on_device = true, .checked = true),
};
enum { PLACES = sizeof places / sizeof *places };

/* Each rank makes the same program again, of the same numbers. */
static void start(const struct gen_place *place, const struct gen_program *p, int schedules)
{
    uint64_t numbers[NUMBERS] = { p->seed, (uint64_t)p->size, (uint64_t)p->fault, (uint64_t)(place - places),
                                  (uint64_t)schedules };
    char text[NUMBERS][24], *words[WORDS + NUMBERS + 3];
    int used = 0;
    while (command[used] && used < WORDS) {
        words[used] = command[used];
        used++;
    }
    words[used++] = "build/tests/transport/generated_hosts";
    words[used++] = "perform";
    for (int i = 0; i < NUMBERS; i++) {
        snprintf(text[i], sizeof text[i], "%llu", (unsigned long long)numbers[i]);
        words[used++] = text[i];
    }
    words[used] = NULL;
    setenv("WORLD_SIZE", text[1], 1);
    execvp(words[0], words);
    _exit(127);
}

static struct gen_program program;

static int perform(char **numbers)
{
    int place = atoi(numbers[3]) % PLACES;
    gen_make(&program, strtoull(numbers[0], NULL, 10), atoi(numbers[1]), (enum gen_fault)atoi(numbers[2]),
             &places[place].where);
    return gen_spawn(&program, atoi(numbers[4]));
}

/* A right one three times, twice of these with random delays. False: what came of it is not what the label says. */
static bool judge_one(enum gen_fault fault, uint64_t seed)
{
    static struct gen_verdict verdict;
    const struct gen_place *place = &places[seed % PLACES];
    int size = gen_size_for(fault, seed);
    gen_make(&program, seed, size < RANKS ? size : RANKS, fault, &place->where);
    gen_judge(&program, place, fault == FAULT_NONE ? 3 : 1, DEADLINE, &verdict);
    if (verdict.right)
        return true;
    gen_print(&program);
    printf("%s: %s. It said:\n%s\n", place->name, verdict.wrong, verdict.said);
    fflush(stdout);
    return false;
}

static int judge(int count)
{
    uint64_t seed = gen_first_seed();
    gen_starter = start;
    int labels = FAULT_COUNT - 1, wanted = count ? count : 2 * labels, found = 0, let_be = 0;
    for (int i = 0; i < wanted; i++, seed += 2) {
        int label = count ? (int)(seed * 2654435761u % (uint64_t)labels) : i % labels;
        found += judge_one((enum gen_fault)(label + 1), seed);
        let_be += judge_one(FAULT_NONE, seed + 1);
    }
    printf("%d wrong programs, %d found out; %d right ones, %d let be\n", wanted, found, wanted, let_be);
    printf("%d runs, %d wrong\n", 2 * wanted, 2 * wanted - found - let_be);
    return found + let_be < 2 * wanted;
}

int main(int count, char **words)
{
    command = words + 3;
    gen_any_failure = count > 3 && strcmp(words[1], "judge_mpich") == 0;
    if (gen_any_failure || (count > 3 && strcmp(words[1], "judge") == 0))
        return judge(atoi(words[2]));
    return count == 2 + NUMBERS && strcmp(words[1], "perform") == 0 ? perform(words + 2) : 2;
}
