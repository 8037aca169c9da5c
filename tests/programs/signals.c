/* signals.c: programs and signals. tests/test_manners.c starts it and says what must come of it; the first argument says what is done. */
#define _GNU_SOURCE
#include "manners.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

static volatile sig_atomic_t ticks;

static void tick(int number)
{
    (void)number;
    ticks++;
}

/* A signal every 100 us, in whichever thread it comes. */
static void under_a_timer(int rank, int size, int flags)
{
    struct sigaction action = { .sa_handler = tick, .sa_flags = flags };
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 100 }, { 0, 100 } }, NULL);
    dist_init_process_group();
    all_calls(rank, size, 30);
    dist_destroy_process_group();
    setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL);
    expect(ticks > 10, "the timer has interrupted nothing");
}

/* Threads of the library have started; then the program's own blocks a signal, which is to wait until it takes it. */
static volatile sig_atomic_t taker;

static void take(int number)
{
    (void)number;
    taker = (sig_atomic_t)syscall(SYS_gettid);
}

static void keeps_signals(int rank, int size)
{
    struct sigaction action = { .sa_handler = take };
    sigset_t one, waiting;
    sigaction(SIGUSR1, &action, NULL);
    dist_init_process_group();
    tensor *x = tensor_zeros(DIST_I32, 3), *y = tensor_zeros(DIST_I32, 3);
    tensor_add_scalar(y, 1); /* on a GPU: its stream's thread */
    dist_work *work = dist_irecv(x, (rank + size - 1) % size), *sum = dist_all_reduce(y, .async_op = true);
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    sigprocmask(SIG_BLOCK, &one, NULL);
    kill(getpid(), SIGUSR1);
    usleep(20000);
    sigpending(&waiting);
    expect(sigismember(&waiting, SIGUSR1) && taker == 0, "the signal waits for the program's thread");
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    expect(taker == syscall(SYS_gettid), "the program's thread has taken the signal");
    dist_send(x, (rank + 1) % size);
    dist_wait(work);
    dist_wait(sum);
    all_calls(rank, size, 5);
    dist_destroy_process_group();
}

/* A child stops this rank and lets it go on, again and again. */
static void stopped(int rank, int size)
{
    pid_t me = getpid(), child = fork();
    if (child == 0) {
        for (int i = 0; i < 40; i++) {
            kill(me, SIGSTOP);
            usleep(3000);
            kill(me, SIGCONT);
            usleep(3000);
        }
        _exit(0);
    }
    dist_init_process_group();
    all_calls(rank, size, 30);
    dist_destroy_process_group();
    waitpid(child, NULL, 0);
}

/* The library takes these two with DIST_CHECK=1; what the program sends itself goes where it would go without. */
static void sends_itself(int rank)
{
    int number = is("raises_trap") ? SIGTRAP : SIGSEGV;
    signal(number, is("ignores") ? SIG_IGN : SIG_DFL);
    dist_init_process_group();
    dist_barrier();
    if (rank == 1)
        raise(number);
    dist_barrier();
    dist_destroy_process_group();
}

static void run(int rank, int size)
{
    if (is("raises") || is("raises_trap") || is("ignores"))
        sends_itself(rank);
    else if (is("keeps_signals"))
        keeps_signals(rank, size);
    else if (is("stopped"))
        stopped(rank, size);
    else
        under_a_timer(rank, size, is("timer") ? 0 : SA_RESTART);
}

int main(int argc, char **argv)
{
    what = argc > 1 ? argv[1] : "";
    return dist_spawn(run, 3);
}
