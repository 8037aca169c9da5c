/* feedback: How many ms */
/*
 * 1_read_a_topology.c: exercise 12.1. Read a machine as NCCL does, before it chooses its rings. Nothing is sent here.
 *
 *          processor 0 ============ 20 GB/s ============ processor 1
 *              |                                              |
 *           switch A                                       switch B
 *          /    |    \                                    /    |    \
 *      GPU 0  GPU 1  card 0                           GPU 2  GPU 3  card 1
 *
 *      NVLink:  GPU 0 - GPU 3  and  GPU 1 - GPU 2, 100 GB/s each          PCIe, every line above: 50 GB/s
 *
 * All numbers are for one direction; both directions go at the same time. GPUs below one switch reach each other through it, without the
 * processor. Between the processors all that crosses in one direction shares 20 GB/s. A GPU sends and receives at once.
 *
 * Grade it:  make exercise-12.1        Run it:  make try-12.1 N=1        A hint:  make hint-12.1
 */
#include "dist.h"

/*
 * WAY        how GPU 0 reaches GPU 1 best: 1 by NVLink, 2 through the switch, 3 through the processor, 4 across both processors
 * CARD       the card that GPU 2 should use for another machine
 * SHARED     the ring 0 > 1 > 2 > 3 > 0: how many of its four steps go through both processors?
 * SLOWEST    that ring: the GB/s of its slowest step
 * BAD        the ring 0 > 2 > 1 > 3 > 0: the GB/s of its slowest step
 * TIME       all-reduce of 1 GB (1e9 bytes) by the ring 0 > 1 > 2 > 3 > 0, in ms: 2 (p - 1) / p of the bytes pass the slowest step
 * TIME_BAD   the same by the ring 0 > 2 > 1 > 3 > 0
 */
enum question { WAY, CARD, SHARED, SLOWEST, BAD, TIME, TIME_BAD, QUESTIONS };

double answer(int question)
{
    double answers[QUESTIONS] = { 0 };
    /* TODO: a number for each. */
    answers[WAY] = 2;
    answers[CARD] = 1;
    answers[SHARED] = 0;
    answers[SLOWEST] = 50;
    answers[BAD] = 10;
    answers[TIME] = 0.03;
    answers[TIME_BAD] = 0.15;
    /* end of TODO */
    return answers[question];
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    for (int i = 0; i < QUESTIONS && rank < world_size; i++)
        printf("answer %d: %g\n", i + 1, answer(i));
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 1);
}
