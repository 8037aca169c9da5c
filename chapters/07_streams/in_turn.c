/*
 * in_turn.c: sum, then compute: the stream does one thing after the other.
 *
 *     default stream            [ matmul ]            [ matmul ]
 *     communication  [all_reduce]          [all_reduce]
 *
 * Run it:  make run-07 PROG=in_turn
 */
#include "step.h"

static void in_turn(struct step *s)
{
    dist_all_reduce(s->gradient, .op = DIST_AVG);
    tensor_matmul(s->out, s->a, s->a);
}

static void run(int rank, int world_size)
{
    (void)world_size;
    run_rounds("one after the other", in_turn, rank);
}

int main(void)
{
    setenv("DIST_SIM", "pcie", 0); /* how quick the simulated links are */
    return dist_spawn(run, 2);
}
