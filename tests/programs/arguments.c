/*
 * arguments.c: every mistake that one rank alone can see, one after the other: a handler says what was told, and the program goes on.
 * (test_sentences.c reads it.) Of two ranks the second only lends its name.
 */
#include "dist.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static tensor *made_before; /* the ranks were started */

static void say(const struct dist_report *told, void *nothing)
{
    (void)nothing;
    fprintf(stderr, "%s\n", told->sentence);
}

static void ranks_and_tags(tensor *x, dist_group *other, dist_group *freed)
{
    dist_send(x, 2);
    dist_recv(x, -1);
    dist_send(x, DIST_ANY_SOURCE);
    dist_send(x, 1, .tag = -1);
    dist_send(x, 1, .group = other);
    dist_send(x, 1, .group = freed);
    dist_send(made_before, 1);
    dist_group_free(freed);
}

static void works(tensor *x, dist_group *own)
{
    dist_p2p_op odd[] = { { (enum dist_p2p_kind)7, x, 1, .tag = 0 } };
    dist_work *got[1];
    dist_batch_isend_irecv(odd, 1, got);
    dist_batch_isend_irecv(NULL, 1, got);
    dist_wait(NULL);
    dist_wait_all(NULL, 2);
    dist_wait_any(NULL, 2);
    dist_work *work = dist_isend(x, 0);
    dist_recv(tensor_zeros(DIST_F32, tensor_numel(x)), 0);
    dist_wait(work);
    dist_wait(work);
    work = dist_all_reduce(x, .group = own, .async_op = true);
    dist_group_free(own);
    dist_wait(work);
}

static void groups(dist_group *of_the_other)
{
    dist_new_group(NULL, 1);
    dist_new_group(((int[]){ 0, 9 }), 2);
    dist_new_group(((int[]){ 0, 0 }), 2);
    dist_barrier(.group = of_the_other);
    dist_monitored_barrier(.timeout = -1);
}

static void collectives(tensor *x, tensor *whole, tensor *integers, tensor *far)
{
    const int64_t negative[] = { -1, 9 }, few[] = { 1, 1 };
    tensor *three = tensor_zeros(DIST_F32, 3);
    dist_all_gather(three, x);
    dist_all_gather(x, x);
    dist_all_gather(whole, tensor_slice(whole, 2, 6));
    dist_all_gather(integers, x);
    dist_all_to_all(three, tensor_clone(three));
    dist_all_to_all(whole, tensor_clone(whole), .input_splits = negative);
    dist_all_to_all(whole, tensor_clone(whole), .input_splits = few);
    dist_all_to_all(whole, whole);
    dist_all_reduce(x, .op = (enum dist_op)17);
    dist_all_gather(whole, far);
    dist_gather(x, NULL, 0);
    tensor *gone = tensor_clone(x);
    tensor_free(gone);
    dist_all_reduce(gone);
}

static void making(tensor *x)
{
    tensor_zeros((enum dist_type)77, 3);
    tensor_zeros(DIST_F32);
    tensor_zeros(DIST_F32, -3);
    tensor_zeros(DIST_F32, INT64_MAX / 64);
    tensor_from(DIST_F32, NULL, 3);
    tensor_arange(DIST_F32, 5, 1);
    tensor_slice(x, 3, 9);
    tensor_view(x, 5);
    tensor_free(NULL);
    tensor_item(NULL, 0);
    tensor *gone = tensor_clone(x);
    tensor_free(gone);
    tensor_free(gone);
    tensor_item(made_before, 0);
}

static void elements(tensor *x, tensor *integers)
{
    tensor_item(x, 4);
    tensor_item(tensor_zeros(DIST_F32, 0), 0);
    tensor_size(x, 3);
    tensor_read(x, NULL);
    tensor_add(x, integers);
    tensor_add(tensor_slice(x, 0, 3), tensor_slice(x, 1, 4));
    tensor_copy(x, tensor_slice(x, 0, 3));
}

static void learning(tensor *x, tensor *integers)
{
    tensor *square = tensor_zeros(DIST_F32, 4, 4), *ids = tensor_zeros(DIST_I64, 4),
           *doubles = tensor_zeros(DIST_F64, 4, 4);
    tensor_softmax(integers);
    tensor_gelu_backward(x, square);
    tensor_gelu_backward(x, tensor_zeros(DIST_F64, 4));
    tensor_layer_norm(square, square, x, x);
    tensor_embedding(square, tensor_slice(square, 0, 2), ids);
    tensor *table = tensor_zeros(DIST_F32, 3, 4), *out = tensor_zeros(DIST_F32, 4, 4);
    tensor_embedding(out, table, integers);
    tensor_embedding(out, table, tensor_zeros(DIST_I64, 3));
    tensor_set(ids, 0, 3);
    tensor_embedding(tensor_to(out, DIST_HOST), tensor_to(table, DIST_HOST), tensor_to(ids, DIST_HOST));
    tensor_embedding(out, x, ids);
    tensor_embedding(out, tensor_zeros(DIST_F32, 3, 5), ids);
    tensor_cross_entropy(tensor_zeros(DIST_F32, 3), out, ids);
    tensor_adamw(x, tensor_clone(x), tensor_clone(x), tensor_clone(x), 0, 0.1);
    tensor_adamw(x, tensor_clone(x), tensor_clone(x), tensor_clone(x), 1, 0.1, .beta1 = 1);
    tensor_causal_mask(x, 0);
    tensor_matmul(out, x, square);
    tensor_matmul(out, doubles, doubles);
    tensor_matmul(square, square, square);
    tensor_matmul(out, square, table);
    tensor_matmul(tensor_zeros(DIST_I32, 4, 4), tensor_zeros(DIST_I32, 4, 4), tensor_zeros(DIST_I32, 4, 4));
    tensor_transpose(out, table);
}

static void on_a_gpu(tensor *x, tensor *far)
{
    tensor_add(x, far);
    tensor_copy(x, tensor_to(tensor_zeros(DIST_F64, 4), DIST_HOST));
    dist_set_device((enum dist_device)9);
    dist_stream *stream = dist_stream_new();
    dist_stream_free(dist_stream_use(stream));
    dist_stream_free(stream);
    dist_stream_free(dist_stream_use(NULL));
    dist_stream_use(NULL);
    dist_stream_free(stream);
    dist_stream_use(stream);
    dist_stream_use((dist_stream *)x);
    dist_stream_native();
    dist_event_wait(NULL);
    dist_event *event = dist_event_record();
    dist_event_free(event);
    dist_event_wait(event);
    while (dist_stream_new())
        ;
}

static void run(int rank, int size)
{
    dist_set_error_handler(say, NULL);
    dist_barrier();
    dist_init_process_group();
    dist_init_process_group();
    dist_group *own = dist_new_group(((int[]){ 0 }), 1), *other = dist_new_group(((int[]){ 1 }), 1);
    dist_group *freed = dist_new_group(((int[]){ 0, 1 }), 2);
    tensor *x = tensor_zeros(DIST_F32, 4), *whole = tensor_zeros(DIST_F32, 4 * size),
           *integers = tensor_zeros(DIST_I32, 4);
    dist_group_free(freed);
    if (rank == 0) {
        tensor *far = tensor_to(x, DIST_HOST);
        ranks_and_tags(x, own, freed);
        works(x, own);
        groups(other);
        collectives(x, whole, integers, far);
        making(x);
        elements(x, integers);
        learning(x, integers);
        on_a_gpu(x, far);
        dist_spawn(run, 2);
        dist_spawn(NULL, 2);
    }
    dist_destroy_process_group();
    dist_barrier();
}

int main(void)
{
    made_before = tensor_zeros(DIST_F32, 4);
    return dist_spawn(run, 2);
}
