/* copies.c: between a tensor on a GPU and the host: gpu_read and gpu_write, through memory that a GPU can reach. */
#include "gpu.h"
#include "order.h"

#include <string.h>

#define STAGED (4u << 20) /* bytes that one copy between host and device moves at most */

/* A stream that was freed meanwhile was empty. */
void gpu_finish_copy(struct gpu *gpu, const char *call, struct dist_at at)
{
    struct dist_stream *stream = gpu->copying;
    if (stream && stream->live == STREAM_LIVE)
        gpu_await_stream(gpu, call, at, stream);
    gpu->copying = NULL;
}

/* Move bytes through the staging memory, a part at a time. What has failed meanwhile is told while the host waits, and
 * is no reason to leave the elements out. */
static bool gpu_move(struct gpu *gpu, const char *call, struct dist_at at, void *host, char *device,
                     size_t bytes, enum copy_way way)
{
    gpu_finish_copy(gpu, call, at);
    for (size_t done = 0, part; done < bytes; done += part) {
        part = bytes - done < STAGED ? bytes - done : STAGED;
        void *staging = gpu->device->staging(gpu->state, part);
        if (!staging)
            return !report_tensor(call, at, DIST_ERR_MEMORY, "the host has no memory for a copy of %zu bytes",
                                  part);
        bool in = way == COPY_TO_DEVICE;
        if (in)
            memcpy(staging, (char *)host + done, part);
        if (gpu_refused(call, at,
                        gpu->device->copy(gpu->current->stream, in ? device + done : staging,
                                          in ? staging : device + done, part, way)))
            return false;
        gpu->copying = gpu->current;
        gpu_await_stream(gpu, call, at, gpu->current);
        gpu->copying = NULL;
        if (gpu_has_failed(gpu, call, at))
            return false;
        if (!in)
            memcpy((char *)host + done, staging, part);
    }
    return true;
}

bool gpu_read(struct gpu *gpu, const char *call, struct dist_at at, void *host, const void *device,
              size_t bytes)
{
    bool good = !gpu->order || device == gpu->scratch || order_touch(gpu, call, at, device, bytes, false);
    return good && gpu_move(gpu, call, at, host, (char *)(uintptr_t)device, bytes, COPY_TO_HOST);
}

bool gpu_write(struct gpu *gpu, const char *call, struct dist_at at, void *device, const void *host,
               size_t bytes)
{
    bool good = !gpu->order || order_touch(gpu, call, at, device, bytes, true);
    return good && gpu_move(gpu, call, at, (void *)(uintptr_t)host, device, bytes, COPY_TO_DEVICE);
}
