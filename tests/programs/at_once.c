/* at_once.c: rank 1 posts a receive, and sends; when its message has come rank 0 knows what it wants, and a send of that is over at once. Other sends
 * are not: of another tag, and the second one. Exit status 1: it was otherwise. */
#include "dist.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT 5

static int wrong;

static void expect(const char *what, bool given, bool right)
{
    wrong |= given != right;
    if (given != right)
        fprintf(stderr, "%s: over at once is %d, not %d\n", what, given, right);
}

/* Rank 0's sends, all to the same receives: with this tag and this count first. */
static void round_of(int rank, const char *what, int tag, int count, bool right)
{
    tensor *first = tensor_full(DIST_F32, 1, count), *second = tensor_full(DIST_F32, 2, COUNT);
    tensor *word = tensor_zeros(DIST_F32, 1);
    int other = 1 - rank;
    if (rank == 0) {
        dist_recv(word, other, .tag = 9);
        dist_work *works[2] = { dist_isend(first, other, .tag = tag) };
        expect(what, dist_is_completed(works[0]), right);
        works[1] = dist_isend(second, other, .tag = 3);
        if (right)
            expect("the one behind it", dist_is_completed(works[1]), false);
        dist_send(word, other, .tag = 8);
        dist_wait_all(works, 2);
    } else {
        dist_work *works[3] = { dist_irecv(tag == 3 ? first : second, other, .tag = 3),
                                dist_isend(word, other, .tag = 9) };
        dist_recv(word, other, .tag = 8);
        works[2] = dist_irecv(tag == 3 ? second : first, other, .tag = tag);
        dist_wait_all(works, 3);
        expect("what has come", tensor_item(first, count - 1) == 1 && tensor_item(second, COUNT - 1) == 2,
               true);
    }
    tensor_free(word);
    tensor_free(second);
    tensor_free(first);
}

static void run(int rank, int size)
{
    (void)size;
    dist_init_process_group();
    for (int i = 0; i < 5; i++) {
        round_of(rank, "what is wanted", 3, COUNT, true);
        round_of(rank, "another tag", 4, COUNT, false);
        round_of(rank, "another tag, and longer", 4, 1000, false);
    }
    if (rank == 0 && !wrong)
        printf("all as told\n");
    dist_destroy_process_group();
    exit(wrong);
}

int main(void)
{
    return dist_spawn(run, 2);
}
