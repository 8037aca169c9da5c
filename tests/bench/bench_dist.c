/* bench_dist.c: our library, measured. WORLD_SIZE and BACKEND as for every program. */
#include "dist.h"

#include "bench.h"
#include "timing.h"

#include <string.h>
#include <sys/resource.h>

void side_new(struct buffer *buffer, long count)
{
    buffer->own = tensor_zeros(DIST_F32, count);
    buffer->x = tensor_data((tensor *)buffer->own);
    buffer->count = count;
}

void side_view(struct buffer *view, const struct buffer *whole, long from, long count)
{
    view->own = tensor_slice((tensor *)whole->own, from, from + count);
    view->x = whole->x + from;
    view->count = count;
}

void side_free(struct buffer *buffer)
{
    tensor_free(buffer->own);
}

static dist_group *talks_in; /* send and recv; NULL: in the world */

void side_send(struct buffer *buffer, int to)
{
    dist_send(buffer->own, to, .group = talks_in);
}

void side_recv(struct buffer *buffer, int from)
{
    dist_recv(buffer->own, from, .group = talks_in);
}

void side_in_group(int inside)
{
    int all[64], size = dist_get_world_size();
    for (int i = 0; i < size && i < 64; i++)
        all[i] = i;
    if (talks_in)
        dist_group_free(talks_in);
    talks_in = inside ? dist_new_group(all, size) : NULL;
}

side_request side_isend(struct buffer *buffer, int to, int tag)
{
    return (side_request){ dist_isend(buffer->own, to, .tag = tag) };
}

side_request side_irecv(struct buffer *buffer, int from, int tag)
{
    return (
        side_request){ dist_irecv(buffer->own, from == SIDE_ANYBODY ? DIST_ANY_SOURCE : from, .tag = tag) };
}

side_request side_iall_reduce(struct buffer *buffer)
{
    return (side_request){ dist_all_reduce(buffer->own, .async_op = true) };
}

void side_wait_all(side_request *requests, int count)
{
    dist_work *works[128];
    for (int i = 0; i < count; i++)
        works[i] = requests[i].own;
    dist_wait_all(works, count);
}

void side_barrier(void)
{
    dist_barrier();
}

void side_broadcast(struct buffer *out, struct buffer *in, int root)
{
    (void)in;
    dist_broadcast(out->own, root);
}

void side_all_reduce(struct buffer *out, struct buffer *in, int root)
{
    (void)in;
    (void)root;
    dist_all_reduce(out->own);
}

void side_all_gather(struct buffer *out, struct buffer *in, int root)
{
    (void)root;
    dist_all_gather(out->own, in->own);
}

void side_reduce_scatter(struct buffer *out, struct buffer *in, int root)
{
    (void)root;
    dist_reduce_scatter(out->own, in->own);
}

void side_all_to_all(struct buffer *out, struct buffer *in, int root)
{
    (void)root;
    dist_all_to_all(out->own, in->own);
}

void side_scatter(struct buffer *out, struct buffer *in, int root)
{
    dist_scatter(out->own, dist_get_rank() == root ? in->own : NULL, root);
}

void side_gather(struct buffer *out, struct buffer *in, int root)
{
    dist_gather(in->own, dist_get_rank() == root ? out->own : NULL, root);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    bench_run(rank, world_size);
    dist_destroy_process_group();
}

/* The most that was resident in any rank from its start to its exit: nobody but the parent can see that. */
static void tell_peak(const char *bytes)
{
    struct rusage children;
    const char *size = getenv("WORLD_SIZE");
    getrusage(RUSAGE_CHILDREN, &children);
    tell("peak", size ? atoi(size) : 2, atol(bytes), (double)children.ru_maxrss, "KiB");
}

int main(int argc, char **argv)
{
    bench_ask(argc, argv);
    int status = dist_spawn(run, 2);
    if (status == 0 && strcmp(argv[1], "peak") == 0)
        tell_peak(argv[2]);
    return status;
}
