/*
 * 4_read_a_report.c: exercise 06.4. A program has got stuck. You need not mend it: read its report, and say what is wrong.
 *
 *                  rank 0                 every rank adds up what its children send, and sends the sum to its parent
 *                 /      \                parent of rank r:    (r - 1) / 2, rounded down
 *            rank 1      rank 2           children of rank r:  2 r + 1 and 2 r + 2, as far as there are such ranks
 *           /
 *      rank 3                             in the end rank 0 holds the sum of all
 *
 * Run it with four ranks, and put what you have found out at the end of this file. Leave the program as it is, so that its
 * lines keep their numbers.
 *
 * Grade it:  make exercise-06.4        Run it:  make try-06.4 N=4        A hint:  make hint-06.4
 */
#include "dist.h"

static void add_up(tensor *x, int rank, int world_size)
{
    tensor *inbox = tensor_zeros(DIST_F32, 3);
    for (int child = 2 * rank + 1; child <= 2 * rank + 2 && child < world_size; child++) {
        dist_recv(inbox, child);
        tensor_add(x, inbox);
    }
    int parent = rank / 2;
    if (rank > 0)
        dist_send(x, parent);
    tensor_free(inbox);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *x = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 4);
    add_up(x, rank, world_size);
    dist_barrier();
    if (rank == 0)
        tensor_print(x, "the sum of all is");
    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}

/*
 * CLASS           the class of the report, as its exit status: 45 deadlock, 42 mismatch, 43 peer left, 49 buffer
 * RANK            the rank that has made the wrong call
 * LINE            the line in which that rank stands
 * LINE_TO_CHANGE  the line that has to change, and no other
 * CURE            1: rank 1 must receive from rank 2 before it goes to the barrier
 *                 2: the sum must be sent with dist_isend, and be waited for after the barrier
 *                 3: that rank must find its parent by the rule above
 *                 4: the barrier must go; then nobody waits any more
 */
enum question { CLASS, RANK, LINE, LINE_TO_CHANGE, CURE, QUESTIONS };

int answer(int question)
{
    switch (question) {
    case CLASS:
        return DIST_ERR_MISMATCH;
    case RANK:
        return 2;
    case LINE:
        return 26;
    case LINE_TO_CHANGE:
        return 24;
    default:
        return 3;
    }
}
