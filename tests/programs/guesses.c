/*
 * guesses.c: programs of which a report has once guessed wrong, by name. A mark stands on each line that a report must name
 * (test_guesses.c).
 */
#include "dist.h"

#include <string.h>

static const char *what;

static bool is(const char *name)
{
    return strcmp(what, name) == 0;
}

/* All with whom a rank waits are even, or odd, as it is. */
static void far_neighbours(int rank, tensor *x, tensor *y)
{
    if (is("even-sends"))
        dist_send(x, rank ^ 2); /* mark even-sends */
    else if (is("even-waits"))
        dist_wait(dist_isend(x, rank ^ 2)); /* mark even-waits */
    dist_recv(y, rank ^ 2);                 /* mark even-receives */
    dist_send(x, rank ^ 2);
}

/* Rank 1 has sent a message that rank 0 takes later: it is not the one for which that waits. */
static void sent_ahead(int rank, dist_group *group, tensor *x, tensor *y)
{
    tensor *sizes = tensor_zeros(DIST_I32, is("ahead") || is("ahead-group") ? 5 : 1);
    dist_work *ahead = NULL;
    if (rank == 1 && is("ahead-group"))
        ahead = dist_isend(sizes, 0, .group = group);
    else if (rank == 1)
        ahead = dist_isend(sizes, 0, .tag = 3); /* mark ahead-sent */
    if (rank == 0)
        dist_recv(y, 1); /* mark ahead-0 */
    else if (rank == 1)
        dist_recv(y, is("ahead-left") || is("ahead-cycle") ? 2 : 0); /* mark ahead-1 */
    else if (is("ahead-cycle"))
        dist_recv(y, 5 - rank); /* mark ahead-2 */
    if (ahead)
        dist_wait(ahead);
    tensor_free(sizes);
    tensor_free(x);
}

/* It has made all its calls, and leaves. */
static void still_open(int rank, tensor *x)
{
    if (rank == 1 && is("still-buffered"))
        dist_isend(x, 0, .tag = 5);
    if (rank == 0)
        dist_isend(x, 1); /* mark still-open */
    else
        dist_barrier(); /* mark still-open-barrier */
}

/* All send to the right, and receive from the right: none of them is late. But where rank 3 sends, and the others wait in a ring, they are. */
static void wrong_way(int rank, int size, tensor *x, tensor *y)
{
    int right = (rank + 1) % (is("way-late") ? 3 : size);
    if (is("way-receives")) {
        dist_isend(x, right); /* mark way-sent */
        dist_recv(y, right);  /* mark way-receives */
    } else if (is("way-sends")) {
        dist_irecv(y, right); /* mark way-posted */
        dist_send(x, right);  /* mark way-sends */
    } else if (rank < 3) {
        dist_recv(y, right); /* mark way-late */
    } else {
        for (int other = 0; other < 3; other++)
            dist_isend(x, other);
        dist_barrier();
    }
}

/* Rank 1 has come to the first barrier, with much else open, and rank 2 has not. */
static void has_come(int rank, tensor *x)
{
    dist_work *last = NULL;
    bool burst = is("come-burst");
    for (int i = 0; i < 40 && rank != 2 && (burst || rank == 1); i++)
        if (burst || i == 0)
            last = dist_barrier(.async_op = true); /* mark come-burst */
        else
            dist_irecv(tensor_zeros(DIST_I32, 1), 0, .tag = i);
    if (rank == 1 || rank == 2)
        dist_recv(x, 0); /* mark come-not */
    else if (last)
        dist_wait(last);
    else
        dist_barrier(); /* mark come */
}

static void say_advice(const struct dist_report *report, void *unused)
{
    (void)unused;
    fprintf(stderr, "to do: %s\n", strrchr(report->sentence, ';') + 2);
}

/* Two groups of the same ranks, in another order; who handles errors hears no other advice than the report gives. */
static void crossed_groups(int rank, tensor *x, dist_group *one)
{
    dist_group *other = dist_new_group(((int[]){ 1, 0 }), 2);
    dist_set_error_handler(say_advice, NULL);
    if (rank < 2)
        dist_all_reduce(x, .group = rank == 0 ? one : other); /* mark crossed-groups */
}

static void run(int rank, int size)
{
    dist_init_process_group();
    tensor *x = tensor_zeros(DIST_I32, 1), *y = tensor_zeros(DIST_I32, 1);
    dist_group *group = dist_new_group(((int[]){ 0, 1 }), 2);
    if (strncmp(what, "even", 4) == 0)
        far_neighbours(rank, x, y);
    else if (strncmp(what, "still", 5) == 0)
        still_open(rank, x);
    else if (strncmp(what, "way", 3) == 0)
        wrong_way(rank, size, x, y);
    else if (strncmp(what, "come", 4) == 0)
        has_come(rank, x);
    else if (is("crossed-groups"))
        crossed_groups(rank, x, group);
    else
        sent_ahead(rank, group, x, y);
    dist_destroy_process_group(); /* mark leaves */
}

int main(int count, char **words)
{
    what = count > 1 ? words[1] : "";
    return dist_spawn(run, 4);
}
