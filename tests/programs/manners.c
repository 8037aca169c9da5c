/* manners.c: programs that do what libraries forget: fork, exit, longjmp; signals are in signals.c. tests/test_manners.c starts them
 * and says what must come of it; the first argument says what is done. */
#define _GNU_SOURCE
#include "manners.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- other programs -------------------------------------------------------------------------------- */

static void starts_programs(int rank, int size)
{
    char line[80] = "";
    int status = 1;
    dist_init_process_group();
    dist_work *work = dist_irecv(tensor_zeros(DIST_I32, 3), rank); /* open all the while */
    expect(system("exit 7") == 7 << 8, "system()");
    FILE *pipe = popen("echo hello", "r");
    expect(pipe && fgets(line, sizeof line, pipe) && strcmp(line, "hello\n") == 0 && pclose(pipe) == 0,
           "popen()");
    pid_t child = fork();
    if (child == 0) {
        execlp("sh", "sh", "-c", "ls /proc/self/fd | wc -l", (char *)NULL);
        _exit(1);
    }
    expect(waitpid(child, &status, 0) == child && status == 0, "fork and exec");
    child = fork();
    if (child == 0)
        _exit(3);
    expect(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3, "a child's _exit");
    child = fork();
    if (child == 0)
        abort();
    expect(waitpid(child, &status, 0) == child && WTERMSIG(status) == SIGABRT, "a child's abort");
    child = fork();
    if (child == 0)
        exit(0);
    expect(waitpid(child, &status, 0) == child && status == 0, "a child's exit");
    expect(system("sleep 30 &") == 0, "a program that stays"); /* and has the job's pipes */
    tensor *x = tensor_zeros(DIST_I32, 3);
    dist_send(x, rank);
    dist_wait(work);
    all_calls(rank, size, 5);
    dist_destroy_process_group();
}

/* ---- ending ------------------------------------------------------------------------------------------ */

static void *exits(void *argument)
{
    usleep(20000);
    exit(*(int *)argument);
}

static void call_dist(void)
{
    dist_barrier();
}

static void ends(int rank, int size)
{
    static int seven = 7;
    pthread_t thread;
    tensor *x = tensor_zeros(DIST_I32, 300000);
    if (is("atexit"))
        atexit(call_dist);
    dist_init_process_group();
    if (rank != 1 % size) { /* the others wait for rank 1 */
        dist_recv(x, 1 % size);
        return;
    }
    dist_work *work = dist_irecv(x, 0, .tag = 9), *sum = dist_all_reduce(x, .async_op = true);
    (void)work;
    (void)sum;
    if (is("exit") || is("atexit"))
        exit(7);
    if (is("exit_of_a_thread")) {
        pthread_create(&thread, NULL, exits, &seven);
        for (;;)
            pause();
    }
    if (is("abort"))
        abort();
    if (is("pthread_exit"))
        pthread_exit(NULL);
}

/* All is done, and the program ends inside run, with a status of its own. */
static void ends_well(int rank, int size)
{
    dist_init_process_group();
    all_calls(rank, size, 2);
    dist_destroy_process_group();
    if (is("exit_when_done"))
        exit(0);
    pthread_exit(NULL);
}

/* ---- out of a handler ---------------------------------------------------------------------------------- */

static _Thread_local jmp_buf back;

static void leap(const struct dist_report *report, void *context)
{
    (void)context;
    longjmp(back, (int)report->error);
}

/* One of the ways into an error. */
#define WAYS 9
static void go_wrong(int way, int rank, int size, dist_group *group, tensor *x, tensor *long_one)
{
    int other = !rank;
    dist_work *works[2];
    if (way == 0)
        dist_send(NULL, other);
    else if (way == 1)
        rank == 0 ? dist_send(x, 1) : rank == 1 ? dist_recv(x, 0) : dist_send(x, size);
    else if (way == 2)
        dist_wait(rank == 0 ? dist_isend(long_one, 1) : rank == 1 ? dist_irecv(long_one, 0) : NULL);
    else if (way == 3)
        rank < 2 ? (void)dist_all_reduce(x, .group = group) : (void)tensor_item(x, 99);
    else if (way == 4)
        dist_new_group((int[]){ size }, 1);
    else if (way == 5)
        dist_batch_isend_irecv(
            (dist_p2p_op[]){ { DIST_ISEND, x, other, 5, NULL }, { DIST_IRECV, x, -7, 5, NULL } }, 2, works);
    else if (way == 6)
        tensor_zeros(DIST_F32, -1);
    else if (way == 7)
        dist_group_free(group), dist_group_free(group);
    else
        dist_new_group((int[]){ rank == 0 ? 0 : 1 }, 1);
}

/* From each of them the handler leaves by longjmp; and all works afterwards. */
static void leaps(int rank, int size)
{
    static const int wanted[WAYS] = { DIST_ERR_ARGUMENT, DIST_ERR_MISMATCH, DIST_ERR_MISMATCH,
                                      DIST_ERR_MISMATCH, DIST_ERR_ARGUMENT, DIST_ERR_ARGUMENT,
                                      DIST_ERR_ARGUMENT, DIST_ERR_STATE,    DIST_ERR_MISMATCH };
    dist_init_process_group();
    dist_set_error_handler(leap, NULL);
    tensor *x = tensor_full(DIST_I32, rank, rank == 0 ? 3 : 4);
    tensor *long_one = tensor_zeros(DIST_I32, 200000 + rank);
    dist_group *group = dist_new_group((int[]){ 0, 1 }, 2);
    for (volatile int way = 0; way < WAYS; way++) {
        int error = setjmp(back);
        if (error == 0) {
            go_wrong(way, rank, size, group, x, long_one);
            expect(false, "an error");
        }
        expect(error == wanted[way] || (rank > 1 && error == DIST_ERR_ARGUMENT),
               dist_error_name((enum dist_error)error));
        all_calls(rank, size, 2);
    }
    dist_destroy_process_group();
}

/* Rank 0 leaves a wait for three by longjmp, from the second, and computes: what is open goes on without it. */
static int heard[2];
static void leaps_on(int rank, int size)
{
    (void)size;
    dist_init_process_group();
    dist_set_error_handler(leap, NULL);
    tensor *x = tensor_zeros(DIST_I32, 4), *long_one = tensor_zeros(DIST_I32, 200000);
    if (rank == 0) {
        dist_work *works[] = { dist_irecv(x, 1), NULL, dist_irecv(long_one, 1) };
        if (setjmp(back) == 0)
            dist_wait_all(works, 3);
        expect(read(heard[0], (char[1]){ 0 }, 1) == 1, "rank 1's byte");
        dist_wait(works[2]);
    } else if (rank == 1) {
        dist_send(x, 0);
        dist_send(long_one, 0);
        expect(write(heard[1], "x", 1) == 1, "a byte for rank 0");
    }
    dist_destroy_process_group();
}

static void run(int rank, int size)
{
    if (is("programs"))
        starts_programs(rank, size);
    else if (is("longjmp") || is("longjmp_on"))
        (is("longjmp") ? leaps : leaps_on)(rank, size);
    else if (is("exit_when_done") || is("pthread_exit_when_done"))
        ends_well(rank, size);
    else
        ends(rank, size);
}

int main(int argc, char **argv)
{
    what = argc > 1 ? argv[1] : "";
    return pipe(heard) != 0 ? 1 : dist_spawn(run, 3);
}
