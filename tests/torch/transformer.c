/*
 * transformer.c: chapter 11's transformer on one sample, for tests/torch/transformer.py: a line with the shape, one with the
 * characters, then a number a line: logits, and all weights and gradients, block by block, as model.h has them.
 */
#include "../../chapters/11_sharding/model.h"

static void tell(const tensor *t)
{
    for (int64_t i = 0; i < tensor_numel(t); i++)
        printf("%.9g\n", tensor_item(t, i));
}

static void tell_all(const struct model *m)
{
    for (int b = 0; b < m->blocks; b++)
        for (int p = 0; p < m->block[b].parameters; p++) {
            tell(m->block[b].w[p]);
            tell(m->block[b].g[p]);
        }
}

static void run(int rank, int world_size)
{
    (void)rank, (void)world_size;
    dist_init_process_group();
    struct text *t = text_read();
    struct config c = config_for(t, 1);
    struct model m = model_new(c, (struct cut){ .size = 1 }, 0, c.layers + 2);
    const int *sample = text_sample(t, 0, 0);
    struct kept kept[MOST_BLOCKS] = { 0 };
    tensor *x = NULL;
    for (int i = 0; i < m.blocks; i++)
        x = block_forward(&m, i, x, sample, &kept[i]);
    printf("%d %d %d %d %d\n", c.layers, c.width, c.heads, c.length, c.kinds);
    for (int i = 0; i <= c.length; i++)
        printf("%d ", sample[i]);
    printf("\n%.9g\n", loss_of(&m, x, sample));
    tell(x);
    for (int i = m.blocks - 1; i >= 0; i--)
        x = block_backward(&m, i, x, sample, &kept[i]);
    tell_all(&m);
    model_free(&m);
    free(t);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 1);
}
