/* generated_program.c: a program as a thing: made empty, added to, printed. */
#include "generated.h"

#include <string.h>

int gen_dice(struct gen_program *p, int limit)
{
    return (int)ref_below(&p->dice, limit);
}

bool gen_chance(struct gen_program *p, int one_in)
{
    return gen_dice(p, one_in) == 0;
}

int gen_line(int rank, int step)
{
    return (rank + 1) * 1000 + step;
}

int gen_add(struct gen_program *p, int rank, struct gen_step step)
{
    int number = p->step_count[rank];
    if (number == GEN_STEPS)
        return 0;
    p->steps[rank][number] = step;
    p->step_count[rank]++;
    return gen_line(rank, number);
}

int gen_start(struct gen_program *p, int rank, struct gen_step step)
{
    if (p->slot_count[rank] == GEN_SLOTS)
        return 0;
    step.slot = p->slot_count[rank]++;
    p->open[rank][step.slot] = step.op == GEN_ISEND || step.op == GEN_IRECV || step.async;
    return gen_add(p, rank, step);
}

bool gen_is_collective(enum gen_op op)
{
    return op >= GEN_BROADCAST && op <= GEN_MONITORED_BARRIER;
}

bool gen_has_root(enum gen_op op)
{
    return op == GEN_BROADCAST || op == GEN_REDUCE || op == GEN_SCATTER || op == GEN_GATHER;
}

void gen_shuffle(struct gen_program *p, int *ranks, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = gen_dice(p, i + 1), kept = ranks[i];
        ranks[i] = ranks[j];
        ranks[j] = kept;
    }
}

static void make_group(struct gen_program *p, struct gen_group *group, int n)
{
    for (int i = 0; i < p->size; i++)
        group->ranks[i] = i;
    if (n < p->size || group != &p->groups[0])
        gen_shuffle(p, group->ranks, p->size);
    group->n = n;
}

void gen_begin(struct gen_program *p, uint64_t seed, int size)
{
    memset(p, 0, sizeof *p);
    p->seed = p->dice = seed;
    p->size = size;
    p->forgets = -1;
    make_group(p, &p->groups[0], size);
    p->group_count = 2 + gen_dice(p, GEN_GROUPS - 1);
    for (int g = 1; g < p->group_count; g++)
        make_group(p, &p->groups[g], 2 + gen_dice(p, size - 1));
}

/* ---- for people ---------------------------------------------------------------------------------- */

static const char *const op_names[] = {
    "send",     "recv",       "isend",          "irecv",      "wait",       "wait_all",
    "wait_any", "poll",       "broadcast",      "reduce",     "all_reduce", "scatter",
    "gather",   "all_gather", "reduce_scatter", "all_to_all", "barrier",    "monitored_barrier",
    "compute",  "neighbour",  "look",           "write",      "read",       "free",
    "leak"
};

static void print_step(const struct gen_step *s, int line)
{
    printf("    %d  %s", line, op_names[s->op]);
    if (s->op <= GEN_IRECV)
        printf(" %d, %d %s, tag %d, group %d, slot %d, batch %d%s%s", s->peer, s->count,
               ref_type_name(s->type), s->tag, s->group, s->slot, s->batch, s->slice ? ", slice" : "",
               s->share ? ", shared" : "");
    else if (gen_is_collective(s->op))
        printf(" root %d, %d %s, %s, group %d, slot %d%s", s->peer, s->count, ref_type_name(s->type),
               ref_op_name(s->reduction), s->group, s->slot, s->async ? ", async" : "");
    else
        printf(" slot %d%s", s->slot, s->raw ? ", raw" : "");
    printf("\n");
}

void gen_print(const struct gen_program *p)
{
    printf("program of seed %llu, %d ranks: %s, must end with %d, settings %s %s\n",
           (unsigned long long)p->seed, p->size, gen_fault_name(p->fault), p->status,
           p->settings[0] ? p->settings[0] : "", p->settings[1] ? p->settings[1] : "");
    for (int g = 1; g < p->group_count; g++) {
        printf("  group %d:", g);
        for (int i = 0; i < p->groups[g].n; i++)
            printf(" %d", p->groups[g].ranks[i]);
        printf("\n");
    }
    for (int rank = 0; rank < p->size; rank++) {
        printf("  rank %d\n", rank);
        for (int i = 0; i < p->step_count[rank]; i++)
            print_step(&p->steps[rank][i], gen_line(rank, i));
    }
}
