/* What each rank does in 07.2, on a GPU or on the host. The gradients lie one behind the other; that of layer i is i + 1 numbers. */
#include "../../grader/desk.h"

enum { MOST = 8 };

void backward_and_sum(tensor **gradient, int layers, void (*backward)(int layer), void (*update)(int layer));

static tensor *given, *gradients[MOST], *weights[MOST], *note;
static int layers, me, held;

/* Held: rank 1 is one layer behind rank 0. Who waits for a sum before the next backward, in whatever way, waits for ever. */
static void keep_behind(int layer)
{
    enum { TAG = 77 };
    if (held && me == 0 && layer + 1 < layers)
        dist_send(note, 1, .tag = TAG);
    if (held && me == 1 && layer > 0)
        dist_recv(note, 0, .tag = TAG);
}

static tensor *of_layer(const tensor *all, int layer)
{
    int64_t first = layer * (layer + 1) / 2;
    return tensor_slice(all, first, first + layer + 1);
}

static void backward(int layer)
{
    dist_span("desk: backward %d", layer) {
        desk_late();
        keep_behind(layer);
        tensor *mine = of_layer(given, layer);
        tensor_copy(gradients[layer], mine);
        tensor_free(mine);
    }
}

static void update(int layer)
{
    dist_span("desk: update %d", layer) {
        tensor_add(weights[layer], gradients[layer]);
    }
}

void desk(int rank, int world_size)
{
    layers = (int)desk_number("layers");
    me = rank;
    held = world_size > 1 && desk_number("held") > 0;
    note = held ? desk_room(DIST_U8, 1) : NULL;
    enum dist_device where = desk_number("gpu") > 0 ? DIST_GPU : DIST_HOST;
    dist_set_device(where);
    given = tensor_to(desk_tensor("gradients"), where);
    tensor *all = tensor_zeros(DIST_F32, tensor_numel(given));
    for (int i = 0; i < layers; i++) {
        gradients[i] = tensor_zeros(DIST_F32, i + 1);
        weights[i] = of_layer(all, i);
    }
    for (int call = 0; call < (int)desk_number("calls"); call++)
        backward_and_sum(gradients, layers, backward, update);
    tensor *host = tensor_to(all, DIST_HOST);
    desk_hand_in("weights", host);
    dist_synchronize();
    for (int i = 0; i < layers; i++) {
        tensor_free(weights[i]);
        tensor_free(gradients[i]);
    }
    tensor_free(host);
    tensor_free(all);
    tensor_free(given);
}
