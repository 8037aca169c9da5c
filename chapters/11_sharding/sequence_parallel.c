/*
 * sequence_parallel.c: between the parts that are cut, each rank keeps some of the rows only: the all_reduce becomes a
 * reduce_scatter and, half a layer later, an all_gather.
 *
 *     x, my rows --> norm --> all_gather --> [ my heads ] --> reduce_scatter --> + --> norm --> all_gather --> ...
 *
 * Run it:  make run-11 PROG=sequence_parallel N=4
 */
#include "compare.h"

/* What a sample has cost. */
struct cost {
    double loss;
    long long sent; /* bytes that each rank has to send, whatever the algorithm (chapter 08) */
    long long kept; /* bytes of tensors that forward left for backward */
};

/* What is whole on every rank has got only this rank's rows' part of its gradient: sum them. */
static void sum_whole(const struct model *m)
{
    for (int i = 0; i < m->blocks; i++)
        for (int p = 0; p < m->block[i].parameters; p++)
            if (!m->block[i].shape[p].cut)
                dist_all_reduce(m->block[i].g[p], .group = m->cut.group);
}

/* As model_gradients, and looks at the memory in the middle. */
static struct cost measured(const struct model *m, const int *sample)
{
    struct kept kept[MOST_BLOCKS] = { 0 };
    struct cost cost = { 0 };
    int64_t before = tensor_memory_allocated();
    tensor *x = NULL;
    *m->cut.sent = 0;
    for (int i = 0; i < m->blocks; i++)
        x = block_forward(m, i, x, sample, &kept[i]);
    cost.kept = tensor_memory_allocated() - before;
    cost.loss = loss_of(m, x, sample);
    for (int i = m->blocks - 1; i >= 0; i--)
        x = block_backward(m, i, x, sample, &kept[i]);
    cost.sent = *m->cut.sent;
    return cost;
}

static void tell(const char *name, struct cost c)
{
    printf("%-17s loss %.4f, a rank sends %7lld bytes, keeps %7lld bytes for backward\n", name, c.loss,
           c.sent, c.kept);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    struct text *t = text_read();
    struct config config = config_for(t, world_size);
    struct cut tensors = cut_tensor(NULL), rows = cut_sequence(NULL);
    long long sent;
    tensors.sent = rows.sent = &sent;
    struct model whole = model_new(config, tensors, 0, config.layers + 2);
    struct model part = model_new(config, rows, 0, config.layers + 2);
    part.rows = config.length / world_size;
    part.first_row = rank * part.rows;

    struct cost all = measured(&whole, text_sample(t, 0, 0)), mine = measured(&part, text_sample(t, 0, 0));
    mine.loss = over_all(mine.loss, DIST_SUM);
    sum_whole(&part);
    part.cut.rank = 0; /* the same rows of the same parameters as the other model */
    double apart = over_all(gradients_apart(&whole, &part), DIST_MAX);
    if (rank == 0) {
        tell("tensor parallel", all);
        tell("sequence parallel", mine);
        printf("gradients: %s\n", apart < 1e-5 ? "equal to within 1e-5" : "WRONG");
    }
    model_free(&part);
    model_free(&whole);
    free(t);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
