/*
 * short_first.c: a receive of a long message is posted, and the next message for it is a short one: both are told, though a long one that
 * would fit is right behind; and a rank that goes on has the next long one. Exit status 1: it was otherwise.
 */
#define _GNU_SOURCE
#include "dist.h"
#include "tensor.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LONG 50000
#define SOON 200000 /* us, after which the receive has begun */

static tensor *some, *many;
static int wrong;

static void quietly(const struct dist_report *report, void *unused)
{
    (void)report;
    (void)unused;
}

static void expect(const char *what, int given, int right)
{
    if (given == right)
        return;
    wrong = 1;
    fprintf(stderr, "%s gave %d, not %d\n", what, given, right);
}

/* Three that are started at once: the second would travel with others. */
static void one_behind_the_other(int rank)
{
    tensor *other = tensor_zeros(DIST_F32, 1);
    dist_work *works[3];
    if (rank == 0) {
        usleep(SOON);
        works[0] = dist_isend(other, 1, .tag = 9);
        works[1] = dist_isend(some, 1);
        works[2] = dist_isend(many, 1);
    } else {
        works[0] = dist_irecv(other, 0, .tag = 9);
        works[1] = dist_irecv(many, 0);
        usleep(2 * SOON);
        works[2] = dist_irecv(some, 0);
    }
    for (int i = 0; i < 3; i++)
        expect(rank ? "a receive" : "a send", dist_wait(works[i]), i ? -DIST_ERR_MISMATCH : 0);
    tensor_free(other);
}

static void once_more(int rank)
{
    if (rank == 0) {
        usleep(SOON);
        expect("a short send", dist_send(some, 1), -DIST_ERR_MISMATCH);
        expect("a long send", dist_send(many, 1), 0);
    } else {
        tensor_fill(many, 0);
        expect("a receive", dist_recv(many, 0), -DIST_ERR_MISMATCH);
        expect("the next receive", dist_recv(many, 0), 0);
        expect("its last element", (int)tensor_item(many, LONG - 1), 7);
    }
}

static void run(int rank, int size)
{
    (void)size;
    dist_set_error_handler(quietly, NULL);
    dist_init_process_group();
    some = tensor_full(DIST_F32, 1, 1);
    many = tensor_full(DIST_F32, 7, LONG);
    one_behind_the_other(rank);
    for (int i = 0; i < 2; i++)
        once_more(rank);
    if (rank == 0)
        printf("all told\n");
    dist_destroy_process_group();
    if (wrong)
        exit(1);
}

int main(void)
{
    return dist_spawn(run, 2);
}
