/* What each rank does in 07.1: all of it on a GPU; what is handed in is a copy on the host. */
#include "../../grader/desk.h"

void two_streams(tensor *x, tensor *y, dist_stream *aside, void (*work)(tensor *x));

static void triple(tensor *x)
{
    tensor_mul_scalar(x, 3);
}

void desk(int rank, int world_size)
{
    (void)rank;
    (void)world_size;
    dist_set_device(DIST_GPU);
    tensor *x = tensor_to(desk_tensor("x"), DIST_GPU), *y = desk_room(DIST_F32, tensor_numel(x));
    dist_stream *aside = dist_stream_new(), *usual = dist_stream_use(NULL);
    dist_synchronize();
    two_streams(x, y, aside, triple);
    dist_synchronize();
    desk_hand_in_number("current", dist_stream_use(NULL) == usual);
    desk_hand_in_number("events", desk_events());
    tensor *host = tensor_to(x, DIST_HOST);
    desk_hand_in("x", host);
    dist_synchronize();
    dist_stream_free(aside);
    tensor_free(host);
    tensor_free(x);
}
