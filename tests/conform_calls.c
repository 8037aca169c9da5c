/* conform_calls.c: each collective called once, and everything that it wrote, and must not have written, looked at. */
#include "conform.h"

#include <stdlib.h>
#include <string.h>

/* The numbers of a member of the group, from the trial's window plus `skip` elements on. */
static const void *numbers(const struct trial *t, int member, int64_t skip)
{
    return pool_in(t->pool, t->ranks[member], t->at + skip);
}

static const void *answer(const struct trial *t, int64_t skip)
{
    return (const char *)t->answer + (size_t)skip * ref_bytes(t->type);
}

/* End a call: wait for it where it was started only. */
static void settle(const struct trial *t, dist_work *work, const char *name)
{
    if (!t->async) {
        exam_check(t->exam, work == NULL, "%s: a blocking call gave a work", name);
        return;
    }
    if (exam_check(t->exam, work != NULL, "%s: an async call gave no work", name))
        exam_check(t->exam, dist_wait(work) == 0, "%s: dist_wait did not give 0", name);
}

static void check_near(const struct trial *t, const struct box *box, const void *expected, int inputs,
                       const char *name)
{
    char what[160];
    snprintf(what, sizeof what, "%s %s of %lld, rank %d of %d, root %d%s%s%s", name, ref_op_name(t->op),
             (long long)t->count, t->me, t->n, t->root, t->group ? ", sub-group" : "",
             t->async ? ", async" : "", t->in_place ? ", in place" : "");
    box_check_near(t->exam, box, expected, t->op, inputs, what);
}

static void check(const struct trial *t, const struct box *box, const void *expected, const char *name)
{
    check_near(t, box, expected, 0, name);
}

/* What was reduced. */
static void check_answer(const struct trial *t, const struct box *box, int64_t skip, const char *name)
{
    const struct conform *conform = t->exam->given;
    check_near(t, box, answer(t, skip), conform->any_order ? t->n : 0, name);
}

/* Every member's `count` numbers from `skip` on, one after the other; freed by the caller. */
static void *all_numbers(const struct trial *t, int64_t skip)
{
    size_t bytes = (size_t)t->count * ref_bytes(t->type);
    char *all = malloc((size_t)t->n * bytes + 1);
    for (int i = 0; all != NULL && i < t->n && bytes > 0; i++)
        memcpy(all + (size_t)i * bytes, numbers(t, i, skip), bytes);
    return all;
}

/* The small tensor of a call in place: block `me` of the big one. */
static tensor *own_block(const struct trial *t, const struct box *big)
{
    return tensor_slice(big->view, t->me * t->count, (t->me + 1) * t->count);
}

static void call_broadcast(const struct trial *t)
{
    struct box box = box_new(t->type, t->count, t->margin);
    box_put(&box, numbers(t, t->me, 0));
    settle(t, dist_broadcast(box.view, t->ranks[t->root], .group = t->group, .async_op = t->async),
           "broadcast");
    check(t, &box, numbers(t, t->root, 0), "broadcast");
    box_free(&box);
}

static void call_reduce(const struct trial *t)
{
    struct box box = box_new(t->type, t->count, t->margin);
    box_put(&box, numbers(t, t->me, 0));
    settle(t, dist_reduce(box.view, t->ranks[t->root], .op = t->op, .group = t->group, .async_op = t->async),
           "reduce");
    if (t->me == t->root)
        check_answer(t, &box, 0, "reduce");
    else
        check(t, &box, numbers(t, t->me, 0), "reduce");
    box_free(&box);
}

static void call_all_reduce(const struct trial *t)
{
    struct box box = box_new(t->type, t->count, t->margin);
    box_put(&box, numbers(t, t->me, 0));
    settle(t, dist_all_reduce(box.view, .op = t->op, .group = t->group, .async_op = t->async), "all_reduce");
    check_answer(t, &box, 0, "all_reduce");
    box_free(&box);
}

static void call_scatter(const struct trial *t)
{
    bool root = t->me == t->root, in_place = root && t->in_place;
    struct box in = box_new(t->type, root ? t->n * t->count : 0, root ? t->margin : 0);
    struct box out = box_new(t->type, in_place ? 0 : t->count, in_place ? 0 : t->margin);
    tensor *own = in_place ? own_block(t, &in) : NULL;
    if (root)
        box_put(&in, numbers(t, t->root, 0));
    settle(t,
           dist_scatter(own ? own : out.view, root ? in.view : NULL, t->ranks[t->root], .group = t->group,
                        .async_op = t->async),
           "scatter");
    if (root)
        check(t, &in, numbers(t, t->root, 0), "scatter (its input)");
    if (!in_place)
        check(t, &out, numbers(t, t->root, t->me * t->count), "scatter");
    tensor_free(own);
    box_free(&in);
    box_free(&out);
}

static void call_gather(const struct trial *t)
{
    bool root = t->me == t->root, in_place = root && t->in_place;
    struct box out = box_new(t->type, root ? t->n * t->count : 0, root ? t->margin : 0);
    struct box in = box_new(t->type, t->count, t->margin);
    tensor *own = in_place ? own_block(t, &out) : NULL;
    void *all = all_numbers(t, 0);
    box_put(&in, numbers(t, t->me, 0));
    if (own)
        tensor_copy(own, in.view);
    settle(t,
           dist_gather(own ? own : in.view, root ? out.view : NULL, t->ranks[t->root], .group = t->group,
                       .async_op = t->async),
           "gather");
    if (root)
        check(t, &out, all, "gather");
    check(t, &in, numbers(t, t->me, 0), "gather (its input)");
    free(all);
    tensor_free(own);
    box_free(&in);
    box_free(&out);
}

static void call_all_gather(const struct trial *t)
{
    struct box out = box_new(t->type, t->n * t->count, t->margin);
    struct box in = box_new(t->type, t->count, t->margin);
    tensor *own = t->in_place ? own_block(t, &out) : NULL;
    void *all = all_numbers(t, 0);
    box_put(&in, numbers(t, t->me, 0));
    if (own)
        tensor_copy(own, in.view);
    settle(t, dist_all_gather(out.view, own ? own : in.view, .group = t->group, .async_op = t->async),
           "all_gather");
    check(t, &out, all, "all_gather");
    check(t, &in, numbers(t, t->me, 0), "all_gather (its input)");
    free(all);
    tensor_free(own);
    box_free(&in);
    box_free(&out);
}

static void call_reduce_scatter(const struct trial *t)
{
    struct box in = box_new(t->type, t->n * t->count, t->margin);
    struct box out = box_new(t->type, t->count, t->margin);
    tensor *own = t->in_place ? own_block(t, &in) : NULL;
    box_put(&in, numbers(t, t->me, 0));
    settle(t,
           dist_reduce_scatter(own ? own : out.view, in.view, .op = t->op, .group = t->group,
                               .async_op = t->async),
           "reduce_scatter");
    if (own) { /* the other blocks of the input are not the call's to change */
        tensor_copy(out.view, own);
        tensor_write(own, numbers(t, t->me, t->me * t->count));
    }
    check_answer(t, &out, t->me * t->count, "reduce_scatter");
    check(t, &in, numbers(t, t->me, 0), "reduce_scatter (its input)");
    tensor_free(own);
    box_free(&in);
    box_free(&out);
}

static void call_all_to_all(const struct trial *t)
{
    struct box in = box_new(t->type, t->n * t->count, t->margin);
    struct box out = box_new(t->type, t->n * t->count, t->margin);
    void *all = all_numbers(t, t->me * t->count);
    box_put(&in, numbers(t, t->me, 0));
    settle(t, dist_all_to_all(out.view, in.view, .group = t->group, .async_op = t->async), "all_to_all");
    check(t, &out, all, "all_to_all");
    check(t, &in, numbers(t, t->me, 0), "all_to_all (its input)");
    free(all);
    box_free(&in);
    box_free(&out);
}

/* How many elements member i sends to member j: by chance, often none. All members work out the same. */
static int64_t split(const struct trial *t, int i, int j)
{
    uint64_t dice = (uint64_t)t->at * 64 + (uint64_t)i * 8 + (uint64_t)j;
    return ref_below(&dice, 3) == 0 ? 0 : ref_below(&dice, t->count + 1);
}

static void call_all_to_all_splits(const struct trial *t)
{
    int64_t sends[8], takes[8], in_count = 0, out_count = 0;
    for (int i = 0; i < t->n; i++) {
        in_count += sends[i] = split(t, t->me, i);
        out_count += takes[i] = split(t, i, t->me);
    }
    struct box in = box_new(t->type, in_count, t->margin), out = box_new(t->type, out_count, t->margin);
    size_t bytes = ref_bytes(t->type);
    char *wanted = malloc((size_t)out_count * bytes + 1), *to = wanted;
    for (int i = 0; i < t->n; to += (size_t)takes[i++] * bytes) {
        int64_t skip = 0;
        for (int j = 0; j < t->me; j++)
            skip += split(t, i, j);
        memcpy(to, numbers(t, i, skip), (size_t)takes[i] * bytes);
    }
    box_put(&in, numbers(t, t->me, 0));
    dist_work *work = dist_all_to_all(out.view, in.view, .group = t->group, .async_op = t->async,
                                      .input_splits = sends, .output_splits = takes);
    sends[0] = takes[0] = INT64_MAX; /* the call has a copy */
    settle(t, work, "all_to_all with splits");
    check(t, &out, wanted, "all_to_all with splits");
    check(t, &in, numbers(t, t->me, 0), "all_to_all with splits (its input)");
    free(wanted), box_free(&in), box_free(&out);
}

static void call_barrier(const struct trial *t)
{
    settle(t, dist_barrier(.group = t->group, .async_op = t->async), "barrier");
    int status = dist_monitored_barrier(.group = t->group, .timeout = 30);
    exam_check(t->exam, status == 0, "monitored_barrier gave %d", status);
}

const struct collective conform_calls[] = {
    { "broadcast", call_broadcast, .reduces = false },
    { "reduce", call_reduce, .reduces = true },
    { "all_reduce", call_all_reduce, .reduces = true },
    { "scatter", call_scatter, .blocks = true, .in_place = true },
    { "gather", call_gather, .blocks = true, .in_place = true },
    { "all_gather", call_all_gather, .blocks = true, .in_place = true },
    { "reduce_scatter", call_reduce_scatter, .reduces = true, .blocks = true, .in_place = true },
    { "all_to_all", call_all_to_all, .blocks = true },
    { "all_to_all with splits", call_all_to_all_splits, .blocks = true },
    { "barrier", call_barrier, .reduces = false },
};
const int conform_call_count = sizeof conform_calls / sizeof conform_calls[0];
