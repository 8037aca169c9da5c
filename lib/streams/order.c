/* order.c: see order.h. */
#include "order.h"

void order_open(struct gpu *gpu)
{
    (void)gpu;
}

bool order_touch(struct gpu *gpu, const char *call, struct dist_at at, const void *data, size_t bytes,
                 bool writes)
{
    (void)gpu, (void)call, (void)at, (void)data, (void)bytes, (void)writes;
    return true;
}

bool order_post(struct gpu *gpu, const struct dist_work *op)
{
    (void)gpu, (void)op;
    return true;
}

void order_follow(struct gpu *gpu, const struct dist_work *op)
{
    (void)gpu, (void)op;
}

void order_record(struct gpu *gpu, struct dist_event *event)
{
    (void)gpu, (void)event;
}

void order_wait(struct gpu *gpu, const struct dist_event *event)
{
    (void)gpu, (void)event;
}

void order_host_waited(struct gpu *gpu, const struct dist_stream *stream)
{
    (void)gpu, (void)stream;
}

void order_forget(struct gpu *gpu, const struct storage *storage)
{
    (void)gpu, (void)storage;
}
