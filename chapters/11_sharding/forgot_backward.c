/*
 * forgot_backward.c: WRONG, and silent: tensor parallel, whose backward lacks the all_reduce. Forward is right; so is the first loss.
 *
 * Run it:  make run-11 PROG=forgot_backward N=4
 */
#include "compare.h"

/* As model_gradients; only forward is there a join. */
static double gradients(struct model *m, const int *sample)
{
    struct kept kept[MOST_BLOCKS] = { 0 };
    tensor *x = NULL;
    m->cut.join = join_by_all_reduce;
    for (int i = 0; i < m->blocks; i++)
        x = block_forward(m, i, x, sample, &kept[i]);
    double loss = loss_of(m, x, sample);
    m->cut.join = NULL;
    for (int i = m->blocks - 1; i >= 0; i--)
        x = block_backward(m, i, x, sample, &kept[i]);
    return loss;
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    struct text *t = text_read();
    struct config config = config_for(t, world_size);
    struct cut cut = cut_tensor(NULL);
    struct model whole = model_new(config, cut_none(), 0, config.layers + 2);
    struct model part = model_new(config, cut, 0, config.layers + 2);
    for (int step = 1; step <= 6; step++) {
        double right = model_gradients(&whole, text_sample(t, step, 0)),
               loss = gradients(&part, text_sample(t, step, 0));
        double apart = over_all(gradients_apart(&whole, &part), DIST_MAX);
        if (rank == 0)
            printf("step %d: loss %.1f, on one rank %.1f; gradients: %s\n", step, loss, right,
                   apart < 1e-5 ? "equal to within 1e-5" : "OTHERS");
        model_step(&whole, step);
        model_step(&part, step);
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
