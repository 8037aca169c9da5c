/* streams.c: a step of a random program on streams of its own. On the host they have nothing to wait for. */
#include "program.h"

/* Numbers that are made on one stream, and added up over all ranks on another, behind an event. */
void step_streams(struct program *p)
{
    int value = 1 + (int)common(p, 9), n = 1 + (int)common(p, 500);
    dist_stream *side = dist_stream_new(), *before = dist_stream_use(side);
    tensor *t = tensor_full(DIST_F64, value, n);
    tensor_add_scalar(t, p->rank);
    dist_event *made = dist_event_record();
    dist_stream_use(before);
    dist_event_wait(made);
    dist_all_reduce(t);
    tensor_mul_scalar(t, 2);
    dist_event *summed = dist_event_record();
    double must = 2.0 * (value * p->size + p->size * (p->size - 1) / 2), is = tensor_item(t, n - 1);
    if (is != must)
        program_wrong(p, "streams: the sum is %g, must be %g", is, must);
    if ((p->plan->sim && !dist_event_passed(summed)) || dist_event_elapsed(made, summed) < 0)
        program_wrong(p, "streams: the events are not in order");
    if (own(p, 2))
        dist_synchronize();
    else
        dist_stream_synchronize(side);
    dist_event_free(made);
    dist_event_free(summed);
    dist_stream_free(side);
    tensor_free(t);
    p->operations += 6;
}
