/* What each rank does in 10.2. */
#include "../../grader/desk.h"

void sum_in_buckets(tensor *flat, const int64_t *begin, int layers, int64_t full,
                    void (*backward)(int layer));

enum { MOST = 8 };

/* Of this rank; ranks may be threads. */
static _Thread_local tensor *flat, *computed;
static _Thread_local int64_t begin[MOST + 1];

static void backward(int layer)
{
    dist_span("desk: backward %d", layer) {
        desk_late();
        tensor *to = tensor_slice(flat, begin[layer], begin[layer + 1]);
        tensor *from = tensor_slice(computed, begin[layer], begin[layer + 1]);
        tensor_copy(to, from);
        tensor_free(from);
        tensor_free(to);
    }
}

void desk(int rank, int world_size)
{
    (void)rank, (void)world_size;
    tensor *begins = desk_tensor("begin");
    int layers = (int)tensor_numel(begins) - 1;
    for (int l = 0; l <= layers && l <= MOST; l++)
        begin[l] = (int64_t)tensor_item(begins, l);
    computed = desk_tensor("gradients");
    flat = desk_room(DIST_F32, begin[layers]);
    sum_in_buckets(flat, begin, layers, (int64_t)desk_number("full"), backward);
    desk_hand_in("gradients", flat);
}
