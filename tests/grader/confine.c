/*
 * confine.c: from here on this rank asks the system for no more than what a rank needs to compute, to wait, to print and to leave.
 *
 * What a C program may name is looked at before it runs (refuse.c). But it may also find a function by arithmetic with pointers,
 * or write down machine code: no list of names shows that. So the kernel itself is told which calls are left: no file can be opened,
 * nothing be connected, nobody started, stopped or looked at. Who tries is sent SIGSYS, of which it dies, and sit.c says so; what the library
 * itself asks for late is told apart in denied.c, and not given to it either.
 *
 * Threads are allowed, since a simulated GPU has some. Where the kernel knows no filters all is as it was.
 */
#define _GNU_SOURCE
#include "desk.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#define ARCH 0 /* no filter is written for this one */
#endif

#define WORD(field) (uint32_t) offsetof(struct seccomp_data, field)
#define LOOK_AT(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, WORD(field))
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)

/* Behind each test stands what is done if it holds; else that is stepped over. */
#define IF_IS(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, 1)
#define ALLOW(call) IF_IS(__NR_##call), ANSWER(SECCOMP_RET_ALLOW)
#define FAIL(call, error) IF_IS(__NR_##call), ANSWER(SECCOMP_RET_ERRNO | (error))

/* Only if the low half of that argument is the value, or has all of these bits; the call's number is read again for what follows. */
#define ANSWER_IF(call, n, test, value, what) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 4), LOOK_AT(args[n]), \
        BPF_JUMP(BPF_JMP | (test) | BPF_K, (uint32_t)(value), 0, 1), ANSWER(what), LOOK_AT(nr)
#define ALLOW_IF(call, n, test, value) ANSWER_IF(call, n, test, value, SECCOMP_RET_ALLOW)
#define KILL_IF(call, n, test, value) ANSWER_IF(call, n, test, value, SECCOMP_RET_KILL_PROCESS)

static const struct sock_filter filter[] = {
    LOOK_AT(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
    ANSWER(SECCOMP_RET_KILL_PROCESS),
    LOOK_AT(nr),
    /* to wait, and to know the time */
    ALLOW(futex),
    ALLOW(sched_yield),
    ALLOW(getcpu),
    ALLOW(nanosleep),
    ALLOW(clock_nanosleep),
    ALLOW(clock_gettime),
    ALLOW(gettimeofday),
    ALLOW(restart_syscall),
    ALLOW(membarrier),
    ALLOW(ppoll),
#ifdef __NR_poll
    ALLOW(poll),
    ALLOW(time),
    ALLOW(pause),
#endif
    /* memory */
    ALLOW(mmap),
    ALLOW(munmap),
    ALLOW(mprotect),
    ALLOW(mremap),
    ALLOW(madvise),
    ALLOW(brk),
    /* what is open already */
    ALLOW(read),
    ALLOW(write),
    ALLOW(writev),
    ALLOW(close),
    ALLOW(lseek),
    ALLOW(fstat),
    ALLOW(fallocate),
    ALLOW(newfstatat),
    ALLOW(dup),
    ALLOW(dup3),
    ALLOW(pipe2),
    ALLOW(fcntl),
#ifdef __NR_dup2
    ALLOW(dup2),
#endif
    ALLOW_IF(ioctl, 1, BPF_JEQ, TCGETS),
    /* itself, and its signals */
    ALLOW(getpid),
    ALLOW(gettid),
    ALLOW(getppid),
    ALLOW(getpriority),
    ALLOW(setpriority),
    ALLOW(getrusage),
    ALLOW(sched_getaffinity),
    ALLOW(sched_setaffinity),
    ALLOW(uname),
    ALLOW(sysinfo),
    ALLOW(getrandom),
    KILL_IF(rt_sigaction, 0, BPF_JEQ, SIGSYS), /* who is told stays as it is */
    ALLOW(rt_sigaction),
    ALLOW(rt_sigprocmask),
    ALLOW(rt_sigreturn),
    ALLOW(sigaltstack),
    ALLOW(exit),
    ALLOW(exit_group),
    ALLOW_IF(tgkill, 2, BPF_JEQ, SIGABRT),
    ALLOW_IF(prctl, 0, BPF_JEQ, PR_SET_NAME),
    ALLOW_IF(prctl, 0, BPF_JEQ, PR_SET_TIMERSLACK),
    /* threads; what clone3 asks for cannot be seen from here, and without it the C library takes clone */
    ALLOW(set_robust_list),
    ALLOW(rseq),
    ALLOW_IF(prlimit64, 2, BPF_JEQ, 0),
    ALLOW_IF(clone, 0, BPF_JSET, CLONE_THREAD),
    FAIL(clone3, ENOSYS),
    ANSWER(SECCOMP_RET_TRAP),
};

void confine(void)
{
    struct sock_fprog program = { .len = sizeof filter / sizeof filter[0],
                                  .filter = (struct sock_filter *)filter };
    desk_denied_begin();
    if (ARCH != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        (void)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}
