/* generated_run.c: a rank carries out its steps. */
#define _GNU_SOURCE
#include "generated_run.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* dist_spawn hands no argument to its ranks: they find their program here, by fork or as threads. */
static const struct gen_program *current;
static int current_schedules;
static struct gen_many current_many;

/* A random while, short or nothing. */
static void dawdle(struct performer *me)
{
    int64_t way = me->dawdles ? ref_below(&me->dice, 8) : 0;
    if (way == 1)
        usleep((useconds_t)ref_below(&me->dice, 150));
    else if (way < 4)
        for (int64_t i = way; i > 0; i--)
            sched_yield();
}

/* ---- touching ------------------------------------------------------------------------------------------ */

static void do_neighbour(const struct slot *slot)
{
    size_t bytes = ref_bytes(slot->step->type);
    volatile char *before = slot->data - bytes, *after = slot->data + (size_t)slot->step->count * bytes;
    before[0] = (char)(after[0] + 1);
    after[bytes - 1] = before[0];
}

static void do_look(struct performer *me, const struct slot *slot)
{
    if (!me->p->where.on_device)
        me->dice += (uint64_t) * (volatile char *)slot->data;
    tensor_item_at(run_here(me), slot->in, 0);
}

static void do_touch(struct performer *me, const struct gen_step *step)
{
    struct slot *slot = &me->slots[step->slot];
    volatile char *data = slot->data;
    if (step->op == GEN_FREE)
        tensor_free_at(run_here(me), slot->in ? slot->in : slot->out);
    else if (step->op == GEN_WRITE && step->raw)
        data[0] = 1;
    else if (step->op == GEN_WRITE)
        tensor_set_at(run_here(me), slot->in, 0, 1);
    else if (step->raw)
        me->dice += (uint64_t)data[0];
    else
        me->dice += (uint64_t)tensor_item_at(run_here(me), slot->out, 0);
}

static void compute(const struct gen_step *step)
{
    double until = dist_time() + step->count * 1e-6;
    while (dist_time() < until)
        ;
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

/* One step; gives how many steps that were. */
static int take_step(struct performer *me, const struct gen_step *step, int most)
{
    struct slot *slot = &me->slots[step->slot];
    if (step->batch > 0)
        return run_batch(me, step, most);
    if (step->op <= GEN_IRECV || gen_is_collective(step->op)) {
        *slot = (struct slot){ .step = step };
        if (gen_is_collective(step->op))
            run_collective(me, slot);
        else
            run_message(me, slot);
    } else if (step->op == GEN_WAIT) {
        run_wait(me, slot);
    } else if (step->op == GEN_WAIT_ALL) {
        run_wait_all(me);
    } else if (step->op == GEN_WAIT_ANY) {
        run_wait_any(me);
    } else if (step->op == GEN_POLL) {
        run_poll(me);
    } else if (step->op == GEN_COMPUTE) {
        compute(step);
    } else if (step->op == GEN_NEIGHBOUR) {
        do_neighbour(slot);
    } else if (step->op == GEN_LOOK) {
        do_look(me, slot);
    } else if (step->op == GEN_LEAK) {
        run_make(me, DIST_F32, step->count, 0);
    } else {
        do_touch(me, step);
    }
    return 1;
}

static void take_steps(struct performer *me)
{
    const struct gen_step *steps = me->p->steps[me->rank];
    int count = me->p->step_count[me->rank];
    for (int i = 0; i < count;) {
        me->line = gen_line(me->rank, i);
        dawdle(me);
        i += take_step(me, &steps[i], count - i);
    }
}

static struct dist_at at(int line)
{
    return (struct dist_at){ "program", line };
}

/* One program, so often. Else a receive from anybody could take a message of the next time, and the program would be wrong: so all
 * meet before it. */
static void perform_program(struct performer *me, int schedules, bool dawdles)
{
    const struct gen_program *p = me->p;
    me->dice = p->seed + (uint64_t)me->rank;
    for (int g = 1; g < p->group_count; g++)
        me->groups[g] = dist_new_group_at(at(GEN_GROUP_LINE(g)), p->groups[g].ranks, p->groups[g].n);
    for (int i = 0; i < schedules; i++) {
        if (dawdles || i > 0)
            dist_barrier_with((struct dist_barrier_args){ .at = at(4) });
        me->dawdles = dawdles || i > 0;
        take_steps(me);
    }
    for (int g = 1; g < p->group_count && me->rank != p->forgets; g++)
        dist_group_free_at(at(2), me->groups[g]);
}

static void perform(int rank, int size)
{
    (void)size;
    struct performer *me = calloc(1, sizeof *me);
    me->p = current;
    me->rank = rank;
    dist_init_process_group_with((struct dist_init_args){ .at = at(1), .backend = current->where.backend });
    perform_program(me, current_schedules, false);
    dist_destroy_process_group_at(at(3));
    free(me);
}

int gen_spawn(const struct gen_program *p, int schedules)
{
    current = p;
    current_schedules = schedules;
    return dist_spawn(perform, p->size);
}

/* ---- many programs, one after another ------------------------------------------------------------- */

static void perform_many(int rank, int size)
{
    const struct gen_many *many = &current_many;
    struct gen_program *p = calloc(1, sizeof *p);
    struct performer *me = calloc(1, sizeof *me);
    me->p = p;
    me->rank = rank;
    dist_init_process_group_with(
        (struct dist_init_args){ .at = at(1), .backend = current_many.where.backend });
    for (int i = 0; i < many->programs; i++) {
        gen_make_right(p, many->seed + (uint64_t)i, size, &many->where);
        if (rank == 0 && many->now)
            *many->now = p->seed;
        perform_program(me, many->schedules, true);
    }
    dist_destroy_process_group_at(at(3));
    free(me);
    free(p);
}

int gen_spawn_many(const struct gen_many *many)
{
    current_many = *many;
    return dist_spawn(perform_many, many->size);
}
