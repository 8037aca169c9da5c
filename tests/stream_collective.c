/* stream_collective.c: a program's collectives, as the library's. */
#include "stream_program.h"

dist_work *stream_collective(enum stream_collective which, tensor *out, tensor *in, int root, bool async)
{
    tensor *one = in ? in : out; /* where it is the same tensor */
    switch (which) {
    case ALL_REDUCE:
        return dist_all_reduce(one, .async_op = async);
    case BROADCAST:
        return dist_broadcast(one, root, .async_op = async);
    case REDUCE:
        return dist_reduce(one, root, .async_op = async);
    case ALL_GATHER:
        return dist_all_gather(out, in, .async_op = async);
    case REDUCE_SCATTER:
        return dist_reduce_scatter(out, in, .async_op = async);
    case ALL_TO_ALL:
        return dist_all_to_all(out, in, .async_op = async);
    case SCATTER:
        return dist_scatter(out, in, root, .async_op = async);
    case GATHER:
        return dist_gather(in, out, root, .async_op = async);
    default:
        return dist_barrier();
    }
}
