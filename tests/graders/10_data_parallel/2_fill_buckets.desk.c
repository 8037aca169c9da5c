/* What each rank does in 10.2. */
#include "../../grader/desk.h"

void sum_in_buckets(tensor *flat, const int64_t *begin, int layers, int64_t full,
                    void (*backward)(int layer));

enum { MOST = 8 };

/* Of this rank; ranks may be threads. */
static _Thread_local tensor *flat, *computed;
static _Thread_local int64_t begin[MOST + 1];
static _Thread_local dist_group *pair; /* of ranks 0 and 1, where rank 1 is held back; else NULL */
static _Thread_local int layers;

/* Rank 1 is one layer behind rank 0: who waits for a sum before the next backward, in whatever way, waits for ever. */
static void keep_behind(int layer)
{
    int me = pair ? dist_get_rank(.group = pair) : -1;
    if ((me == 0 && layer + 1 < layers) || (me == 1 && layer > 0)) {
        tensor *note = tensor_zeros(DIST_U8, 1);
        dist_all_reduce(note, .group = pair);
        tensor_free(note);
    }
}

static void backward(int layer)
{
    dist_span("desk: backward %d", layer) {
        desk_late();
        keep_behind(layer);
        tensor *to = tensor_slice(flat, begin[layer], begin[layer + 1]);
        tensor *from = tensor_slice(computed, begin[layer], begin[layer + 1]);
        tensor_copy(to, from);
        tensor_free(from);
        tensor_free(to);
    }
}

void desk(int rank, int world_size)
{
    (void)rank;
    tensor *begins = desk_tensor("begin");
    layers = (int)tensor_numel(begins) - 1;
    for (int l = 0; l <= layers && l <= MOST; l++)
        begin[l] = (int64_t)tensor_item(begins, l);
    computed = desk_tensor("gradients");
    pair = world_size > 1 && desk_number("held") > 0 ? dist_new_group((int[]){ 0, 1 }, 2) : NULL;
    for (int call = 0; call < (int)desk_number("calls"); call++) {
        flat = desk_room(tensor_type(computed), begin[layers]);
        sum_in_buckets(flat, begin, layers, (int64_t)desk_number("full"), backward);
    }
    desk_hand_in("gradients", flat);
    dist_group_free(pair);
}
