/* What each rank does in 11.3. */
#include "../../grader/desk.h"

void forward(tensor **y, tensor **shares, int layers, int64_t width);
void backward(tensor **gradients, tensor *dy, tensor **y, tensor **shares, int layers, int64_t width);

enum { MOST = 8 };

static const char *name_of(const char *what, int layer)
{
    static _Thread_local char name[40];
    snprintf(name, sizeof name, "%s %d", what, layer);
    return name;
}

/* Bytes at most since the last reset, beyond those that there were. */
static double peak_since(int64_t before)
{
    return (double)(tensor_max_memory_allocated() - before);
}

void desk(int rank, int world_size)
{
    (void)rank, (void)world_size;
    int layers = (int)desk_number("layers");
    int64_t rows = (int64_t)desk_number("rows"), width = (int64_t)desk_number("width");
    tensor *y[MOST + 1] = { desk_matrix("x", rows, width) }, *shares[MOST], *gradients[MOST];
    tensor *dy = tensor_clone(desk_matrix("dy", rows, width));
    for (int l = 0; l < layers; l++) {
        shares[l] = desk_tensor(name_of("share", l));
        gradients[l] = desk_room(DIST_F64, tensor_numel(shares[l]));
    }
    int64_t before = tensor_memory_allocated();
    tensor_reset_peak_memory();
    forward(y, shares, layers, width);
    double forward_peak = peak_since(before);
    before = tensor_memory_allocated();
    tensor_reset_peak_memory();
    if (!y[layers])
        return;
    desk_hand_in("y", y[layers]);
    backward(gradients, dy, y, shares, layers, width);
    double backward_peak = peak_since(before);
    for (int l = 0; l < layers; l++)
        desk_hand_in(name_of("gradient", l), gradients[l]);
    desk_hand_in_number("forward", forward_peak);
    desk_hand_in_number("backward", backward_peak);
    for (int l = 1; l <= layers; l++)
        tensor_free(y[l]);
}
