/*
 * test_quick_stopped.c: a letter that is wanted is sent though its receiver stands still, and nothing that comes after is lost;
 * where a rank is killed, nobody who waits for it on a quick way comes back.
 *
 * Rank 1 says what it wants, and is stopped by rank 0, which sends just that, and goes on. Rank 2 continues rank 1 after a
 * while. Nobody is measured: that rank 1 was still stopped when the send was over is read from the board.
 */
#define _GNU_SOURCE
#include "dist.h"
#include "quick_talk.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

TestSuite(quick_stopped, .timeout = 60);

#define STOPPED_FOR 100000 /* us */
#define SOON 0.6           /* s; a helper that is not notified would look by itself after 1 */
#define LATE 2000          /* us: whoever waits sleeps by then */
#define LONG 20000         /* elements: a letter that wakes the receiver's helper */

/* Words of the board that the ranks show each other. */
enum { PID = TALK_BOARD, WAITS, STOPPED, CONTINUED, OVER };

static void set(struct exam *exam, int word)
{
    atomic_store(&exam->board[word], 1);
}

static double now(void)
{
    return dist_time();
}

/* The first letter goes the long way, in both directions. */
static void get_acquainted(struct exam *exam, int rank)
{
    struct word word = { DIST_I32, 1, 0, 5, NULL };
    if (rank == 0) {
        talk_send(exam, rank, 1, word);
        talk_recv(exam, rank, 1, word);
    } else if (rank == 1) {
        talk_recv(exam, rank, 0, word);
        talk_send(exam, rank, 0, word);
    }
}

/* Rank 0: stop rank 1, which waits for a letter, and send that. */
static void send_to_the_stopped(struct exam *exam, struct word word)
{
    exam_await(exam, WAITS, 1);
    usleep(20000); /* now it has said what it wants, and sleeps */
    pid_t pid = (pid_t)atomic_load(&exam->board[PID]);
    exam_stop(pid);
    set(exam, STOPPED);
    talk_send(exam, 0, 1, word);
    exam_check(exam, !atomic_load(&exam->board[CONTINUED]),
               "a send that is wanted has waited for its receiver");
}

/* Rank 1: be stopped while waiting for it. */
static void receive_stopped(struct exam *exam, struct word word)
{
    atomic_store(&exam->board[PID], (uint32_t)getpid());
    set(exam, WAITS);
    talk_recv(exam, 1, 0, word);
}

/* Rank 2. */
static void continue_it(struct exam *exam)
{
    exam_await(exam, STOPPED, 1);
    usleep(STOPPED_FOR);
    set(exam, CONTINUED);
    kill((pid_t)atomic_load(&exam->board[PID]), SIGCONT);
}

static const struct word wanted = { DIST_I32, 2, 9, 77, NULL };

/* Behind the letter rank 0 starts a long one, and computes; rank 1 computes, too, until it is there. */
static void isend_behind(struct exam *exam, int rank, int size)
{
    tensor *t = tensor_full(DIST_F32, rank == 0 ? 3 : 0, LONG);
    get_acquainted(exam, rank);
    if (rank == 0) {
        send_to_the_stopped(exam, wanted);
        dist_work *work = dist_isend(t, 1);
        exam_check(exam, !atomic_load(&exam->board[CONTINUED]), "an isend has waited for the receiver");
        exam_await(exam, OVER, 1);
        exam_check(exam, dist_wait(work) == 0, "the isend failed");
    } else if (rank == 1) {
        receive_stopped(exam, wanted);
        double until = now() + SOON;
        dist_work *work = dist_irecv(t, 0);
        volatile float *last = (float *)tensor_data(t) + LONG - 1;
        while (*last == 0 && now() < until)
            usleep(200);
        exam_check(exam, *last == 3, "the isend behind it waits until somebody calls");
        set(exam, OVER);
        dist_wait(work);
    } else if (rank == size - 1) {
        continue_it(exam);
        exam_await(exam, OVER, 1); /* who leaves the job wakes everybody */
    }
    tensor_free(t);
}

/* The same with a short one, which rank 1 waits for. */
static void short_isend_behind(struct exam *exam, int rank, int size)
{
    tensor *t = tensor_full(DIST_F32, rank == 0 ? 3 : 0, 1);
    get_acquainted(exam, rank);
    if (rank == 0) {
        send_to_the_stopped(exam, wanted);
        dist_work *work = dist_isend(t, 1);
        exam_await(exam, OVER, 1);
        exam_check(exam, dist_wait(work) == 0, "the isend failed");
    } else if (rank == 1) {
        receive_stopped(exam, wanted);
        double begin = now();
        dist_recv(t, 0);
        exam_check(exam, tensor_item(t, 0) == 3 && now() - begin < SOON, "%g came after %g s",
                   tensor_item(t, 0), now() - begin);
        set(exam, OVER);
    } else if (rank == size - 1) {
        continue_it(exam);
        exam_await(exam, OVER, 1); /* who leaves the job wakes everybody */
    }
    tensor_free(t);
}

/* More of the same kind behind it, blocking: each waits for its own receive. */
static void more_behind(struct exam *exam, int rank, int size)
{
    get_acquainted(exam, rank);
    if (rank == 0)
        send_to_the_stopped(exam, wanted);
    if (rank == 1)
        receive_stopped(exam, wanted);
    for (int i = 0; i < 3 && rank < 2; i++) {
        struct word word = wanted;
        word.seed += (uint64_t)i + 1;
        if (rank == 0) {
            talk_send(exam, rank, 1, word);
            exam_check(exam, atomic_load(&exam->board[CONTINUED]),
                       "a second letter did not wait for the first");
        } else {
            usleep(i == 1 ? 20000 : 0);
            talk_recv(exam, rank, 0, word);
        }
    }
    if (rank == size - 1)
        continue_it(exam);
}

/* Its sender leaves the job, and ends, before the letter is taken. */
static void leave_behind(struct exam *exam, int rank, int size)
{
    dist_init_process_group();
    get_acquainted(exam, rank);
    if (rank == 0)
        send_to_the_stopped(exam, wanted);
    else if (rank == 1)
        receive_stopped(exam, wanted);
    else if (rank == size - 1)
        continue_it(exam);
    dist_destroy_process_group();
    if (rank == 0)
        exam_check(exam, !atomic_load(&exam->board[CONTINUED]), "destroy waits for a letter that was wanted");
}

Test(quick_stopped, an_isend_comes_after_it)
{
    talk_run("an isend behind a wanted letter", 3, isend_behind);
}

Test(quick_stopped, a_short_isend_comes_after_it)
{
    talk_run("a short isend behind a wanted letter", 3, short_isend_behind);
}

Test(quick_stopped, more_letters_come_after_it)
{
    talk_run("letters behind a wanted letter", 3, more_behind);
}

Test(quick_stopped, the_sender_leaves)
{
    struct exam *exam = exam_new("leaving behind a wanted letter", 3);
    exam->plain = true;
    cr_assert(exam_run(exam, leave_behind), "%s", exam_words(exam));
    exam_free(exam);
}

/* ---- its receiver is killed, or whoever else is waited for ------------------------------------------- */

enum way { WAITS_FOR_A_LETTER, WAITS_FOR_A_RECEIVE, SUMS, MEETS };

/* A hundred times they meet, and then rank 1 is killed; rank 0 waits for it, and must not come back. */
static void killed(struct exam *exam, int rank, int size)
{
    enum way way = *(const enum way *)exam->given;
    tensor *x = tensor_full(DIST_F32, rank, 2);
    get_acquainted(exam, rank);
    exam_check(exam, size == 2, "not two ranks");
    for (int round = 0; round <= 100; round++) {
        if (round == 100 && rank == 1) {
            usleep(way == SUMS || way == MEETS ? 0 : LATE); /* then whoever waits sleeps */
            raise(SIGKILL);
        }
        if (way == MEETS)
            dist_barrier();
        else if (round < 100 || way == SUMS)
            dist_all_reduce(x);
    }
    if (way == WAITS_FOR_A_LETTER)
        dist_recv(x, 1);
    else if (way == WAITS_FOR_A_RECEIVE)
        dist_send(x, 1);
}

Test(quick_stopped, a_rank_is_killed)
{
    for (enum way way = WAITS_FOR_A_LETTER; way <= MEETS; way++) {
        struct exam *exam = exam_new("killed", 2);
        exam->given = &way;
        cr_assert(!exam_run(exam, killed) && exam->status != 0, "way %d: %s", (int)way, exam_words(exam));
        cr_assert(atomic_load(&exam->returns) == 0, "way %d: somebody came back: %s", (int)way,
                  exam_words(exam));
        exam_free(exam);
    }
}
