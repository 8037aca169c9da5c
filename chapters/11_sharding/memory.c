/*
 * memory.c: what does each stage of ZeRO keep? Counted by the library, beside what formulas say: the table of the ZeRO paper.
 *
 *     numbers on a rank     weights   gradients   AdamW        P: parameters of the model, n: ranks; 4 bytes each (F32)
 *     stage 0                  P          P         2 P
 *     stage 1                  P          P         2 P / n
 *     stage 2                  P         P / n      2 P / n
 *     stage 3                 P / n      P / n      2 P / n
 *
 * Run it:  make run-11 PROG=memory N=4
 */
#include "shards.h"

/* What forward keeps of one sample: 16 matrices a layer (x, n1, x1, n2, q, k, v, o; h and a count four times), each head's
 * shares, two matrices more in the last block, and the logits. */
static long long activations(const struct config *c)
{
    long long matrix = (long long)c->length * c->width, shares = (long long)c->heads * c->length * c->length;
    return 4 * (c->layers * (16 * matrix + shares) + 2 * matrix + (long long)c->length * c->kinds);
}

/* Forward alone: the bytes that it leaves. */
static long long left_by_forward(const struct sharded *s, const int *sample)
{
    struct kept kept[MOST_BLOCKS] = { 0 };
    int64_t before = tensor_memory_allocated();
    tensor *x = NULL;
    for (int i = 0; i < s->m.blocks; i++)
        x = block_forward(&s->m, i, x, sample, &kept[i]);
    long long left = tensor_memory_allocated() - before;
    for (int i = 0; i < s->m.blocks; i++)
        kept_free(&kept[i]);
    tensor_free(x);
    return left;
}

/* A step in one stage: what is kept between steps, and what there was at most. */
static void measure(const struct text *t, struct config config, int stage)
{
    int64_t before = tensor_memory_allocated();
    struct sharded *s = sharded_new(config, stage);
    long long counted = tensor_memory_allocated() - before, all = 0;
    const int *sample = text_sample(t, 1, s->rank);
    if (stage == 0 && s->rank == 0)
        printf("activations of a sample: computed %lld bytes, counted %lld\nbytes on each of %d rank%s\n"
               "stage    weights  gradients      AdamW   together    counted  at most in a step\n",
               activations(&config), left_by_forward(s, sample), s->size, s->size > 1 ? "s" : "");
    tensor_reset_peak_memory();
    sharded_gradients(s, sample);
    sharded_step(s, 1);
    long long most = tensor_max_memory_allocated() - before;
    for (int i = 0; i < s->m.blocks; i++)
        all += 4 * (long long)s->m.block[i].length;
    long long share = all / s->size, weights = stage < 3 ? all : share, gradients = stage < 2 ? all : share,
              state = 2 * (stage < 1 ? all : share);
    if (s->rank == 0)
        printf("%5d %10lld %10lld %10lld %10lld %10lld %16lld\n", stage, weights, gradients, state,
               weights + gradients + state, counted, most);
    sharded_free(s);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    struct text *t = text_read();
    (void)rank, (void)world_size;
    for (int stage = 0; stage <= 3; stage++)
        measure(t, config_for(t, 1), stage);
    free(t);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
