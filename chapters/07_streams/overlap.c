/*
 * overlap.c: start the sum, compute, then wait: the stream computes while the message is on its way.
 *
 *     default stream [ matmul ]|  [ matmul ]|
 *     communication  [all_reduce] [all_reduce]
 *
 * Run it:  make run-07 PROG=overlap
 */
#include "step.h"

static void at_once(struct step *s)
{
    dist_work *summing = dist_all_reduce(s->gradient, .op = DIST_AVG, .async_op = true);
    tensor_matmul(s->out, s->a, s->a);
    dist_wait(summing);
}

static void run(int rank, int world_size)
{
    (void)world_size;
    run_rounds("both at once", at_once, rank);
}

int main(void)
{
    setenv("DIST_SIM", "pcie", 0); /* how quick the simulated links are */
    return dist_spawn(run, 2);
}
