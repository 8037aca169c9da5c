/* A watch in a struct, stopped in between, and a tag for each round. */
#include "dist.h"

struct watch {
    double started, seconds;
};

static void go(struct watch *watch)
{
    watch->started = dist_time();
}

static void stop(struct watch *watch)
{
    watch->seconds += dist_time() - watch->started;
}

double there_and_back(tensor *ball, int rounds, int rank)
{
    struct watch watch = { 0 };
    int other = rank == 0 ? 1 : 0, messages = 2 * rounds;
    if (rank > 1)
        return 0;
    for (int tag = 1; tag <= rounds; tag++) {
        go(&watch);
        if (rank == 0)
            dist_send(ball, other, .tag = tag);
        dist_recv(ball, other, .tag = tag);
        if (rank == 1) {
            tensor_add_scalar(ball, 1);
            dist_send(ball, other, .tag = tag);
        }
        stop(&watch);
    }
    return watch.seconds / messages;
}

void both_at_once(tensor *mine, tensor *theirs, int rounds, int rank)
{
    for (int i = 0; rank < 2 && i < rounds; i++) {
        dist_span("round %d", i) {
            dist_work *coming = dist_irecv(theirs, !rank, .tag = i);
            dist_send(mine, !rank, .tag = i);
            dist_wait(coming);
        }
        tensor_add_scalar(theirs, 1);
        tensor_copy(mine, theirs);
    }
}
