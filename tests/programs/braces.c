/*
 * braces.c: every call with a compound literal, and so with commas, in each place where an argument can stand. The macros must
 * hand all of it through. It ends with an error where a call got something else than what stands there.
 */
#include "dist.h"

#include <stdlib.h>

/* assert(), which cannot be switched off. */
#define expect(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "braces.c:%d: not so: %s\n", __LINE__, #what); \
            exit(1); \
        } \
    } while (0)

static void making(void)
{
    tensor *z =
        tensor_zeros((enum dist_type[]){ DIST_F64, DIST_F32 }[1], (int[]){ 1, 2 }[1], (int[]){ 1, 3 }[1]);
    tensor *f = tensor_full((enum dist_type[]){ DIST_F64, DIST_F32 }[1], (double[]){ 1, 7 }[1],
                            (int[]){ 1, 2 }[1], (int[]){ 1, 3 }[1], (int[]){ 1, 4 }[1], (int[]){ 2, 1 }[1]);
    tensor *a =
        tensor_arange((enum dist_type[]){ DIST_F64, DIST_I32 }[1], (int[]){ 0, 2 }[1], (int[]){ 0, 5 }[1]);
    tensor *v = tensor_from(DIST_F32, (float[]){ 1, 2, 3 }, 3);
    tensor *m = tensor_from((enum dist_type[]){ DIST_F64, DIST_I64 }[1], (int64_t[]){ 1, 2, 3, 4 },
                            (int[]){ 0, 2 }[1], (int[]){ 0, 2 }[1]);
    expect(tensor_numel((tensor *[]){ a, z }[1]) == 6 &&
           tensor_size((tensor *[]){ a, z }[1], (int[]){ 0, 1 }[1]) == 3);
    expect(tensor_numel(f) == 24 && tensor_size(f, 2) == 4 &&
           tensor_item((tensor *[]){ z, f }[1], (int[]){ 0, 23 }[1]) == 7);
    expect(tensor_numel(a) == 3 && tensor_item(a, 2) == 4 &&
           tensor_type((tensor *[]){ z, a }[1]) == DIST_I32);
    expect(tensor_item(v, 2) == 3 && tensor_item(m, 3) == 4 && tensor_size(m, 1) == 2);

    tensor *c = tensor_clone((tensor *[]){ z, v }[1]);
    tensor *h = tensor_to((tensor *[]){ z, v }[1], (enum dist_device[]){ DIST_GPU, DIST_HOST }[1]);
    tensor *s = tensor_slice((tensor *[]){ z, v }[1], (int[]){ 0, 1 }[1], (int[]){ 0, 3 }[1]);
    expect(tensor_equal((tensor *[]){ z, v }[1], (tensor *[]){ z, c }[1]) && tensor_equal(v, h));
    expect(tensor_item(s, 0) == 2 && tensor_device((tensor *[]){ h, v }[1]) == tensor_device(z));
    expect(((float *)tensor_data((tensor *[]){ z, h }[1]))[1] == 2);
    tensor *all[] = { z, f, a, v, m, c, h };
    for (int i = 0; i < 7; i++)
        tensor_free(all[(int[]){ 0, i }[1]]);
    tensor_free((tensor *[]){ NULL, s }[1]);
}

static void arithmetic(void)
{
    tensor *x = tensor_from(DIST_F32, (float[]){ 1, -2, 3, 4 }, 4), *y = tensor_full(DIST_F32, 2, 4);
    float seen[4];
    tensor_set((tensor *[]){ y, x }[1], (int[]){ 0, 3 }[1], (double[]){ 0, 5 }[1]);
    tensor_add((tensor *[]){ y, x }[1], (tensor *[]){ x, y }[1]);
    tensor_sub((tensor *[]){ y, x }[1], (tensor *[]){ x, y }[1]);
    tensor_mul((tensor *[]){ y, x }[1], (tensor *[]){ x, y }[1]);
    tensor_add_scalar((tensor *[]){ y, x }[1], (double[]){ 0, 1 }[1]);
    tensor_mul_scalar((tensor *[]){ y, x }[1], (double[]){ 0, 2 }[1]);
    tensor_read((tensor *[]){ y, x }[1], (float *[]){ NULL, seen }[1]);
    expect(seen[0] == 6 && seen[1] == -6 && seen[2] == 14 && seen[3] == 22);
    tensor_relu((tensor *[]){ y, x }[1]);
    tensor_relu_backward((tensor *[]){ x, y }[1], (tensor *[]){ y, x }[1]);
    expect(tensor_sum((tensor *[]){ y, x }[1]) == 42 && tensor_sum(y) == 6);
    tensor *shares = tensor_view((tensor *[]){ x, y }[1], (int[]){ 0, 2 }[1], (int[]){ 0, 2 }[1]);
    tensor_fill(y, 3);
    tensor_softmax((tensor *[]){ x, shares }[1]);
    expect(tensor_item(y, 3) == 0.5);
    tensor_free(shares);
    tensor_write((tensor *[]){ y, x }[1], (float[]){ 1, 2, 3, 4 });
    tensor_fill((tensor *[]){ x, y }[1], (double[]){ 0, 9 }[1]);
    tensor_copy((tensor *[]){ x, y }[1], (tensor *[]){ y, x }[1]);
    expect(tensor_equal(x, y));
    tensor *a = tensor_from(DIST_F32, (float[]){ 1, 2, 3, 4 }, 2, 2), *b = tensor_clone(a),
           *c = tensor_clone(a);
    tensor_matmul((tensor *[]){ a, c }[1], (tensor *[]){ c, a }[1], (tensor *[]){ c, b }[1]);
    tensor_transpose((tensor *[]){ a, b }[1], (tensor *[]){ b, c }[1]);
    expect(tensor_item(c, 1) == 10 && tensor_item(b, 2) == 10);
    tensor_print((tensor *[]){ a, b }[1], (const char *[]){ "", "%s %d" }[1], (const char *[]){ "", "b" }[1],
                 (int[]){ 0, 1 }[1]);
    tensor *all[] = { x, y, a, b, c };
    for (int i = 0; i < 5; i++)
        tensor_free(all[i]);
}

static void messages(int rank, dist_group *g)
{
    tensor *x = tensor_full(DIST_F32, rank, 2), *y = tensor_zeros(DIST_F32, 2);
    int other = rank ^ 1;
    if (rank % 2 == 0) {
        dist_send((tensor *[]){ y, x }[1], (int[]){ 9, other }[1], (int[]){ 0, 3 }[1],
                  (dist_group *[]){ NULL, g }[1]);
        dist_recv((tensor *[]){ x, y }[1], (int[]){ 9, other }[1], .tag = (int[]){ 0, 4 }[1],
                  .group = (dist_group *[]){ NULL, g }[1]);
    } else {
        dist_recv((tensor *[]){ x, y }[1], (int[]){ 9, other }[1], (int[]){ 0, 3 }[1],
                  (dist_group *[]){ NULL, g }[1]);
        dist_send((tensor *[]){ y, x }[1], .dst = (int[]){ 9, other }[1], .tag = (int[]){ 0, 4 }[1],
                  .group = (dist_group *[]){ NULL, g }[1]);
    }
    expect(tensor_item(y, 1) == other);
    dist_work *in = dist_irecv((tensor *[]){ x, y }[1], (int[]){ 9, other }[1], .tag = (int[]){ 0, 5 }[1]);
    dist_work *out = dist_isend((tensor *[]){ y, x }[1], (int[]){ 9, other }[1], .tag = (int[]){ 0, 5 }[1]);
    (void)dist_is_completed((dist_work *[]){ NULL, in }[1]);
    expect(dist_wait((dist_work *[]){ NULL, in }[1]) == other);
    dist_wait_all((dist_work *[]){ out }, (int[]){ 0, 1 }[1]);
    dist_work *works[2];
    dist_batch_isend_irecv((dist_p2p_op[]){ { DIST_ISEND, x, other, 6, g }, { DIST_IRECV, y, other, 6, g } },
                           (int[]){ 0, 2 }[1], (dist_work * *[]){ NULL, works }[1]);
    expect(dist_wait_any((dist_work *[]){ NULL, works[0] }, (int[]){ 0, 2 }[1]) == 1);
    dist_wait(works[1]);
    tensor_free(x);
    tensor_free(y);
}

static void collectives(int rank, int size, dist_group *g)
{
    tensor *x = tensor_full(DIST_F32, rank, 4), *y = tensor_zeros(DIST_F32, 4),
           *n = tensor_zeros(DIST_F32, 4 * size);
    dist_wait(dist_all_reduce((tensor *[]){ y, x }[1], (enum dist_op[]){ DIST_SUM, DIST_MAX }[1],
                              .group = (dist_group *[]){ NULL, g }[1],
                              .async_op = (bool[]){ false, true }[1]));
    expect(tensor_item(x, 0) == size - 1);
    tensor_fill(x, rank);
    dist_broadcast((tensor *[]){ y, x }[1], (int[]){ 0, 1 }[1], .group = (dist_group *[]){ NULL, g }[1]);
    expect(tensor_item(x, 3) == 1);
    dist_reduce((tensor *[]){ y, x }[1], .dst = (int[]){ 0, 1 }[1],
                .op = (enum dist_op[]){ DIST_MAX, DIST_SUM }[1]);
    expect(tensor_item(x, 0) == (rank == 1 ? size : 1));
    tensor_fill(x, rank);
    dist_all_gather((tensor *[]){ x, n }[1], (tensor *[]){ n, x }[1],
                    .group = (dist_group *[]){ NULL, g }[1]);
    dist_reduce_scatter((tensor *[]){ x, y }[1], (tensor *[]){ x, n }[1],
                        .op = (enum dist_op[]){ DIST_SUM, DIST_AVG }[1]);
    expect(tensor_item(y, 2) == rank);
    dist_scatter((tensor *[]){ x, y }[1], (tensor *[]){ NULL, rank == 1 ? n : NULL }[1], (int[]){ 0, 1 }[1]);
    expect(tensor_item(y, 0) == rank);
    dist_gather((tensor *[]){ x, y }[1], (tensor *[]){ NULL, rank == 1 ? n : NULL }[1],
                .dst = (int[]){ 0, 1 }[1]);
    tensor *t = tensor_clone(n);
    dist_all_to_all((tensor *[]){ n, t }[1], (tensor *[]){ t, n }[1],
                    .group = (dist_group *[]){ NULL, g }[1]);
    expect(tensor_item(t, 0) == rank);
    tensor_fill(t, -1);
    dist_all_to_all((tensor *[]){ n, t }[1], (tensor *[]){ t, n }[1],
                    .input_splits = (int64_t[]){ 4, 4, 4, 4 }, .output_splits = (int64_t[]){ 4, 4, 4, 4 });
    expect(tensor_item(t, 0) == rank);
    dist_barrier(.group = (dist_group *[]){ NULL, g }[1], .async_op = (bool[]){ true, false }[1]);
    dist_monitored_barrier((dist_group *[]){ NULL, g }[1], (double[]){ 0, 5 }[1]);
    tensor *all[] = { x, y, n, t };
    for (int i = 0; i < 4; i++)
        tensor_free(all[i]);
}

static void learning(void)
{
    tensor_reset_peak_memory();
    tensor *x = tensor_from(DIST_F32, (float[]){ 1, 3, 2, 6 }, 2, 2), *y = tensor_clone(x),
           *z = tensor_clone(x);
    tensor *w = tensor_full(DIST_F32, 1, 2), *b = tensor_full(DIST_F32, 4, 2), *l = tensor_clone(w);
    tensor *ids = tensor_from(DIST_I64, (int64_t[]){ 1, 1 }, 2);
    tensor_layer_norm((tensor *[]){ x, y }[1], (tensor *[]){ y, x }[1], (tensor *[]){ x, w }[1],
                      (tensor *[]){ x, b }[1]);
    expect(tensor_item(y, 2) < 3.001 && tensor_item(y, 3) > 4.999);
    tensor_layer_norm_backward((tensor *[]){ x, z }[1], (tensor *[]){ x, w }[1], (tensor *[]){ x, b }[1],
                               (tensor *[]){ x, y }[1], (tensor *[]){ y, x }[1], (tensor *[]){ x, l }[1]);
    expect(tensor_item(b, 1) > 13.99);
    tensor_embedding((tensor *[]){ x, z }[1], (tensor *[]){ z, x }[1], (tensor *[]){ x, ids }[1]);
    expect(tensor_item(z, 1) == 6);
    tensor_embedding_backward((tensor *[]){ x, z }[1], (tensor *[]){ z, x }[1], (tensor *[]){ x, ids }[1]);
    expect(tensor_item(z, 3) == 15 && tensor_item(z, 0) == 2);
    tensor_causal_mask((tensor *[]){ x, z }[1], (int[]){ 7, 0 }[1]);
    tensor_cross_entropy((tensor *[]){ x, l }[1], (tensor *[]){ x, z }[1], (tensor *[]){ x, ids }[1]);
    expect(tensor_item(l, 0) > 1e30 && tensor_item(l, 1) < 0.001);
    tensor_softmax_backward((tensor *[]){ z, y }[1], (tensor *[]){ y, x }[1]);
    tensor_cross_entropy_backward((tensor *[]){ x, z }[1], (tensor *[]){ x, ids }[1]);
    expect(tensor_item(z, 0) == 1 && tensor_item(z, 1) == -1);
    tensor_fill(x, 0);
    tensor_gelu((tensor *[]){ y, x }[1]);
    tensor_gelu_backward((tensor *[]){ y, z }[1], (tensor *[]){ y, x }[1]);
    expect(tensor_item(z, 0) == 0.5 && tensor_item(x, 0) == 0);
    tensor_fill(y, 0);
    tensor *v = tensor_clone(y);
    tensor_adamw((tensor *[]){ y, x }[1], (tensor *[]){ x, y }[1], (tensor *[]){ x, v }[1],
                 (tensor *[]){ x, z }[1], (int[]){ 0, 1 }[1], (double[]){ 0, 0.25 }[1],
                 .weight_decay = (double[]){ 7, 0 }[1]);
    expect(tensor_item(x, 0) < -0.249 && tensor_item(x, 1) > 0.249);
    expect(tensor_memory_allocated() <= tensor_max_memory_allocated() &&
           tensor_max_memory_allocated() >= 104);
    tensor *all[] = { x, y, z, w, b, l, ids, v };
    for (int i = 0; i < 8; i++)
        tensor_free(all[i]);
}

/* On the simulated GPU. */
static void streams(void)
{
    dist_set_device((enum dist_device[]){ DIST_HOST, DIST_GPU }[1]);
    dist_stream *s = dist_stream_new(), *before = dist_stream_use((dist_stream *[]){ NULL, s }[1]);
    dist_event *from = dist_event_record();
    tensor *x = tensor_full(DIST_F32, 1, 2);
    dist_event *to = dist_event_record();
    dist_event_wait((dist_event *[]){ NULL, to }[1]);
    dist_stream_synchronize((dist_stream *[]){ NULL, s }[1]);
    expect(dist_event_passed((dist_event *[]){ NULL, to }[1]));
    expect(dist_event_elapsed((dist_event *[]){ NULL, from }[1], (dist_event *[]){ NULL, to }[1]) >= 0);
    dist_synchronize();
    dist_stream_use(before);
    dist_event_free((dist_event *[]){ NULL, from }[1]);
    dist_event_free(to);
    tensor_free(x);
    dist_stream_free((dist_stream *[]){ NULL, s }[1]);
    dist_set_device(DIST_HOST);
}

/* The handler: there are no native streams here. */
static void expected(const struct dist_report *report, void *context)
{
    *(int *)context += report->error == DIST_ERR_ENVIRONMENT;
}

static void run(int rank, int size)
{
    int told = 0;
    dist_init_process_group((const char *[]){ "cuda", "shm" }[1]);
    dist_group *g = dist_new_group((int[]){ 0, 1, 2, 3 }, 4),
               *two = dist_new_group((int[]){ 0, 2 }, (int[]){ 1, 2 }[1]);
    expect(dist_get_rank((dist_group *[]){ NULL, two }[1]) == (rank == 0 ? 0 : rank == 2 ? 1 : -1));
    expect(dist_get_world_size(.group = (dist_group *[]){ NULL, two }[1]) == 2);
    dist_span((const char *[]){ "", "rank %d" }[1], (int[]){ 0, rank }[1]) {
        making();
        arithmetic();
        learning();
        messages(rank, g);
        collectives(rank, size, g);
        streams();
    }
    dist_set_error_handler(expected, &told);
    expect(!dist_stream_native((dist_stream *[]){ NULL, NULL }[1]) && told == 1);
    expect(dist_last_error() < 0);
    dist_set_error_handler(NULL, NULL);
    dist_group_free((dist_group *[]){ NULL, two }[1]);
    dist_group_free(g);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
