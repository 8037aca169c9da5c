#include "dist.h"
void two_streams(tensor *x, tensor *y, dist_stream *aside, void (*work)(tensor *x))
{
    dist_event *e[3];
    e[0] = dist_event_record();
    dist_stream_use(aside);
    dist_event_wait(e[0]);
    dist_stream_use(NULL);
    work(x);
    e[1] = dist_event_record();
    dist_stream *was = dist_stream_use(aside);
    dist_event_wait(e[1]);
    tensor_copy(y, x);
    tensor *z = tensor_clone(y);
    tensor_mul(y, z);
    e[2] = dist_event_record();
    tensor_free(z);
    dist_stream_use(was);
    dist_event_wait(e[2]);
    tensor_add(x, y);
    for (int i = 0; i < 3; i++)
        dist_event_free(e[i]);
}
