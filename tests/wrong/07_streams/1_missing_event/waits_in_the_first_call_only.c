/* feedback: that the default stream may still be writing */
#include "dist.h"
void two_streams(tensor *x, tensor *y, dist_stream *aside, void (*work)(tensor *x))
{
    static bool later;
    work(x);
    dist_event *worked = later ? NULL : dist_event_record();
    dist_stream_use(aside);
    if (worked)
        dist_event_wait(worked);
    tensor_copy(y, x);
    tensor_mul(y, y);
    dist_event *squared = dist_event_record();
    dist_stream_use(NULL);
    dist_event_wait(squared);
    tensor_add(x, y);
    dist_event_free(squared);
    if (worked)
        dist_event_free(worked);
    later = true;
}
