/*
 * grid.c: data x tensor x pipeline at once, on the mesh of chapter 09, with 1F1B of chapter 04 along the pipeline.
 *
 *     dp: replicas, each with its samples of the batch; gradients are summed once a step
 *     tp: a part of every layer; activations are summed twice a layer, forward and backward
 *     pp: some of the layers; activations go to the next stage, their gradients come back
 *
 * Run it:  make run-11 PROG=grid N=8
 * Or build/chapters/11_sharding/grid DP TP PP STEPS: any shape that divides. After 200 steps and more it writes a text. With
 * the word csv behind: every step's loss, for other programs; with f64: the same, and all numbers are F64.
 */
#include "../words.h"
#include "pipeline.h"

enum { WRITTEN = 300 }; /* characters */

/* What is wished for; set before the ranks start. dp = 0: as the number of ranks has it. */
static struct {
    int dp, tp, pp, steps;
    bool csv, f64;
} wish = { .steps = 10 };

/* 1F1B, then the sum over the replicas, then AdamW. The result is the loss of the whole batch. */
static double train(struct grid *g, int step)
{
    g->loss = 0;
    one_forward_one_backward(g, step);
    dist_span("sum over replicas")
        for (int b = g->begin; b < g->end; b++)
            dist_all_reduce(g->m.block[b].gradients, .group = mesh_get_group(g->mesh, "dp"));
    model_step(&g->m, step);
    return over_all(g->m.cut.rank == 0 ? g->loss : 0, DIST_SUM);
}

/* A character, by chance, as often as its share says. */
static int pick(const struct grid *g, tensor *shares, int row, uint32_t *seed)
{
    tensor_softmax(shares);
    double left = draw(seed) / 4294967296.0;
    int kinds = g->m.config.kinds, c = 0;
    while (c < kinds - 1 && (left -= tensor_item(shares, (int64_t)row * kinds + c)) > 0)
        c++;
    return c;
}

/* The text goes on from a beginning, character by character: all stages forward, the last one picks, and tells all. */
static void write_text(struct grid *g, const char *beginning)
{
    int written[WRITTEN + 1], count = 0, length = g->m.config.length, last = dist_get_world_size() - 1;
    uint32_t seed = 1611;
    for (; beginning[count]; count++)
        written[count] = g->text->number_of[(unsigned char)beginning[count]];
    for (; count < WRITTEN; count++) {
        int from = count > length ? count - length : 0, window[LENGTH] = { 0 };
        memcpy(window, written + from, (size_t)(count - from) * sizeof *window);
        struct kept kept[MOST_BLOCKS] = { 0 };
        tensor *y = stage_forward(g, window, kept), *next = tensor_zeros(DIST_I32, 1);
        if (g->behind >= 0)
            dist_send(y, g->behind);
        else
            tensor_set(next, 0, pick(g, y, count - from - 1, &seed));
        dist_broadcast(next, last);
        written[count] = (int)tensor_item(next, 0);
        for (int b = g->begin; b < g->end; b++)
            kept_free(&kept[b]);
        tensor_free(next);
        tensor_free(y);
    }
    for (int i = 0; i < WRITTEN && dist_get_rank() == 0; i++)
        putchar(g->text->letters[written[i]]);
    if (dist_get_rank() == 0)
        putchar('\n');
}

/* 2 if that divides what is left, else 1. */
static int take_two(int *left)
{
    int two = *left % 2 == 0 ? 2 : 1;
    *left /= two;
    return two;
}

/* A shape that this model cannot be cut into ends the program with one sentence, on rank 0. */
static void check(int dp, int tp, int pp)
{
    if (dp <= BATCH && 4 % tp == 0 && pp <= 4)
        return;
    if (dist_get_rank() == 0)
        fprintf(stderr,
                "grid: dp %d x tp %d x pp %d cannot be: %d samples, 4 heads, 4 layers; take dp up to %d, tp "
                "1, 2 or "
                "4, pp up to 4\n",
                dp, tp, pp, BATCH, BATCH);
    dist_barrier();
    exit(DIST_ERR_ARGUMENT);
}

/* Rank 0: the mean loss of the last 50 steps, of the last 5 in a short run; or every step's. */
static void tell(struct grid *g, int step, double loss)
{
    int every = wish.steps < 100 ? 5 : 50, first = step - (step - 1) % every;
    g->sum = step == first ? loss : g->sum + loss;
    if (dist_get_rank() != 0)
        return;
    if (wish.csv)
        printf("%d,%d,%d,%d,%.9g\n", mesh_size(g->mesh, "dp"), mesh_size(g->mesh, "tp"),
               mesh_size(g->mesh, "pp"), step, loss);
    else if (step == first + every - 1 || step == wish.steps)
        printf("steps %3d to %3d: loss %.4f\n", first, step, g->sum / (step - first + 1));
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int left = world_size, pp = take_two(&left), tp = take_two(&left), dp = left;
    if (wish.dp)
        dp = wish.dp, tp = wish.tp, pp = wish.pp;
    check(dp, tp, pp);
    struct grid *g = grid_new(dp, tp, pp, wish.f64 ? DIST_F64 : DIST_F32);
    if (rank == 0 && !wish.csv)
        printf("dp %d x tp %d x pp %d: blocks %d to %d of 6, %d of %d samples, %d of 4 heads on rank 0\n", dp,
               tp, pp, g->begin, g->end - 1, g->pieces, BATCH, 4 / tp);
    for (int step = 1; step <= wish.steps; step++)
        tell(g, step, train(g, step));
    if (wish.steps >= 200 && !wish.csv)
        write_text(g, "And ");
    grid_free(g);
    dist_destroy_process_group();
}

int main(int count, char **words)
{
    int *number[] = { &wish.dp, &wish.tp, &wish.pp, &wish.steps };
    bool right = count == 1 || (count >= 4 && count <= 6);
    for (int i = 1; i < count && i <= 4; i++) {
        *number[i - 1] = (int)whole_number(words[i], i < 4 ? 1024 : 1000000);
        right = right && *number[i - 1] > 0;
    }
    wish.f64 = count == 6 && strcmp(words[5], "f64") == 0;
    wish.csv = wish.f64 || (count == 6 && strcmp(words[5], "csv") == 0);
    if (!right || (count == 6 && !wish.csv)) {
        fprintf(stderr, "usage: grid [DP TP PP [STEPS [csv | f64]]]: numbers from 1 on\n");
        return 2;
    }
    return dist_spawn(run, wish.dp ? wish.dp * wish.tp * wish.pp : 4);
}
