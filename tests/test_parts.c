/*
 * test_parts.c: the others do a long collective's work for a member that stands still: large parts, and small ones of a member
 * that shares their core.
 *
 * Rank 1 begins, and is stopped by rank 0 before any other member calls. Then the others call; they must come back with all
 * results, rank 1's among them, overwrite what they had, and only then is rank 1 continued. It finds its own tensor whole, and
 * must touch nobody's any more. Nobody is measured: were rank 1 waited for, nobody would ever continue it.
 */
#define _GNU_SOURCE
#include "dist.h"
#include "conform_exam.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <unistd.h>

TestSuite(parts, .timeout = 60);

#define SIZE 4
/* Elements of a block. */
static const struct sizes {
    int64_t whole,
        block;     /* where that is all of a tensor; where one of the tensors has a block for each member */
    bool one_core; /* on which all ranks run */
} large = { 70000, 25000, false }, /* parts that are taken from everybody (parts.c, FAR_PART) */
    small = { 5000, 600,
              true }; /* only from those who wait for the taker's core; yet not through the slots */

/* Words of the board. */
enum { PID, BEGUN, STOPPED, OVER };

/* ---- the collectives, in one form -------------------------------------------------------------- */

static dist_work *all_reduce(tensor *out, tensor *in, int root, bool async)
{
    (void)in, (void)root;
    return dist_all_reduce(out, .async_op = async);
}

static dist_work *reduce(tensor *out, tensor *in, int root, bool async)
{
    (void)in;
    return dist_reduce(out, root, .async_op = async);
}

static dist_work *broadcast(tensor *out, tensor *in, int root, bool async)
{
    (void)in;
    return dist_broadcast(out, root, .async_op = async);
}

static dist_work *scatter(tensor *out, tensor *in, int root, bool async)
{
    return dist_scatter(out, in, root, .async_op = async);
}

static dist_work *gather(tensor *out, tensor *in, int root, bool async)
{
    return dist_gather(in, out, root, .async_op = async);
}

static dist_work *all_gather(tensor *out, tensor *in, int root, bool async)
{
    (void)root;
    return dist_all_gather(out, in, .async_op = async);
}

static dist_work *reduce_scatter(tensor *out, tensor *in, int root, bool async)
{
    (void)root;
    return dist_reduce_scatter(out, in, .async_op = async);
}

static dist_work *all_to_all(tensor *out, tensor *in, int root, bool async)
{
    (void)root;
    return dist_all_to_all(out, in, .async_op = async);
}

static const struct form {
    const char *name;
    dist_work *(*call)(tensor *out, tensor *in, int root, bool async);
    bool in_place, sums;
    bool many_in, many_out;           /* a block for each member */
    bool only_root_in, only_root_out; /* the others have no such tensor, or nothing to look at */
} forms[] = {
    { "all_reduce", all_reduce, .in_place = true, .sums = true },
    { "reduce", reduce, .in_place = true, .sums = true, .only_root_out = true },
    { "broadcast", broadcast, .in_place = true },
    { "scatter", scatter, .many_in = true, .only_root_in = true },
    { "gather", gather, .many_out = true, .only_root_out = true },
    { "all_gather", all_gather, .many_out = true },
    { "reduce_scatter", reduce_scatter, .sums = true, .many_in = true },
    { "all_to_all", all_to_all, .many_in = true, .many_out = true },
};
enum { FORMS = sizeof forms / sizeof forms[0] };

/* One collective, in this rank. */
struct turn {
    const struct form *form;
    int rank, root;
    int64_t count; /* elements of a block */
    tensor *in, *out;
};

/* Element i: the value, and 10 more in each block. */
static tensor *blocks(int64_t block, bool many, double value)
{
    int64_t count = many ? SIZE * block : block;
    tensor *t = tensor_full(DIST_F32, value, count);
    for (int64_t i = 0; i < count; i++)
        ((float *)tensor_data(t))[i] += (float)(i / block * 10);
    return t;
}

static void prepare(struct turn *t)
{
    const struct form *form = t->form;
    bool root = t->rank == t->root;
    t->in =
        form->in_place || (form->only_root_in && !root) ? NULL : blocks(t->count, form->many_in, t->rank + 1);
    t->out = form->in_place                 ? blocks(t->count, false, t->rank + 1)
             : form->only_root_out && !root ? NULL
                                            : blocks(t->count, form->many_out, -1);
}

/* Look at every element; then overwrite all. */
static void look(struct exam *exam, struct turn *t)
{
    const struct form *form = t->form;
    bool has = t->out && (t->rank == t->root || !form->only_root_out);
    for (int64_t i = 0; has && i < tensor_numel(t->out); i++) {
        int from = form->many_out ? (int)(i / t->count) : t->root, all = SIZE * (SIZE + 1) / 2;
        int more = form->many_in ? 10 * t->rank : 0;
        double wanted = form->sums ? all + SIZE * more : from + 1 + more, got = tensor_item(t->out, i);
        if (!exam_check(exam, got == wanted, "%s with root %d: element %lld is %g, not %g", form->name,
                        t->root, (long long)i, got, wanted))
            break;
    }
    if (t->in)
        tensor_fill(t->in, -7);
    if (t->out)
        tensor_fill(t->out, -7);
}

/* ---- who stands still ------------------------------------------------------------------------------ */

/* Rank 1. It is stopped while it awaits the others. */
static void begin_and_stand(struct exam *exam, struct turn *t, uint32_t number)
{
    dist_work *work = t->form->call(t->out, t->in, t->root, true);
    atomic_store(&exam->board[BEGUN], number);
    exam_await(exam, OVER, number * (SIZE - 1));
    exam_check(exam, dist_wait(work) == 0, "%s failed", t->form->name);
}

static void do_without(struct exam *exam, struct turn *t, uint32_t number)
{
    if (t->rank == 0) {
        exam_await(exam, BEGUN, number);
        exam_stop((int)atomic_load(&exam->board[PID]));
        atomic_store(&exam->board[STOPPED], number);
    }
    exam_await(exam, STOPPED, number);
    t->form->call(t->out, t->in, t->root, false);
}

static void one_stands_still(struct exam *exam, int rank, int size)
{
    (void)size;
    const struct sizes *sizes = exam->given;
    uint32_t number = 0;
    if (sizes->one_core)
        exam_stay_on(0);
    if (rank == 1)
        atomic_store(&exam->board[PID], (uint32_t)getpid());
    for (int root = 0; root < 2; root++)
        for (int i = 0; i < FORMS; i++) {
            struct turn turn = { .form = &forms[i], .rank = rank, .root = root };
            turn.count = forms[i].in_place ? sizes->whole : sizes->block;
            prepare(&turn);
            number++;
            (rank == 1 ? begin_and_stand : do_without)(exam, &turn, number);
            look(exam, &turn);
            if (rank != 1 && atomic_fetch_add(&exam->board[OVER], 1) + 1 == number * (SIZE - 1))
                kill((pid_t)atomic_load(&exam->board[PID]), SIGCONT);
            tensor_free(turn.in);
            tensor_free(turn.out);
        }
}

static void stands_still(const char *name, const struct sizes *sizes)
{
    struct exam *exam = exam_new(name, SIZE);
    exam->given = sizes;
    cr_assert(exam_run(exam, one_stands_still), "%s", exam_words(exam));
    exam_free(exam);
}

Test(parts, the_others_do_large_ones_for_one_who_stands_still)
{
    stands_still("one stands still", &large);
}

Test(parts, and_small_ones_for_one_on_their_core)
{
    stands_still("one stands still, on one core", &small);
}
