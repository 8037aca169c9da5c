/* feedback: in a call of the library */
/* seconds: 5 */
#include "dist.h"

void two_streams(tensor *x, tensor *y, dist_stream *aside, void (*work)(tensor *x))
{
    work(x);
    dist_event *worked = dist_event_record();
    while (!dist_event_passed(worked))
        ;
    dist_stream_use(aside);
    dist_event_wait(worked);
    tensor_copy(y, x);
    tensor_mul(y, y);
    dist_event *squared = dist_event_record();
    dist_stream_use(NULL);
    dist_event_wait(squared);
    tensor_add(x, y);
    dist_event_free(squared);
    dist_event_free(worked);
}
