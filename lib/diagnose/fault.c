/*
 * fault.c: what a closed page leads to.
 *
 * The handler runs in the thread that touched, in place of the touch: when it returns, the touch is tried again. So it
 * opens the page, for a neighbour or after a report, and returns. Faults elsewhere go where they went before.
 */
#define _GNU_SOURCE
#include "guard.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

/* One per process, like the handler itself; written before it is installed. */
static void (*report_misuse)(struct misuse *misuse);
static struct sigaction before;

/* Did it read or write? The processor says so, in a word of its own. */
#if defined(__x86_64__)
static enum touch touch_of(const ucontext_t *context)
{
    return context->uc_mcontext.gregs[REG_ERR] & 2 ? TOUCH_WRITE : TOUCH_READ;
}
#elif defined(__aarch64__)
/* Records follow each other, each with a number and a length; number 0x45535201 holds the word, bit 6 says "write". */
static enum touch touch_of(const ucontext_t *context)
{
    const unsigned char *at = context->uc_mcontext.__reserved;
    const unsigned char *end = at + sizeof context->uc_mcontext.__reserved;
    for (uint32_t head[2]; at + 16 <= end; at += head[1]) {
        uint64_t word;
        memcpy(head, at, sizeof head);
        memcpy(&word, at + 8, sizeof word);
        if (head[0] == 0x45535201u)
            return word & 1u << 6 ? TOUCH_WRITE : TOUCH_READ;
        if (head[0] == 0 || head[1] == 0)
            break;
    }
    return TOUCH_UNKNOWN;
}
#else
static enum touch touch_of(const ucontext_t *context)
{
    (void)context;
    return TOUCH_UNKNOWN;
}
#endif

/* As if we were not here. Without a handler before us the touch, tried again, ends the process. */
static void hand_back(int number, siginfo_t *info, void *context)
{
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        before.sa_handler(number);
    else
        signal(number, SIG_DFL);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    int error = errno;
    const struct launch_self *self = launch_self_if_any();
    struct misuse misuse = { .rank = self ? self->env.rank : -1, .touch = touch_of(context) };
    enum fault fault = guard_fault((uintptr_t)info->si_addr, &misuse);
    if (fault == FAULT_FOREIGN) {
        hand_back(number, info, context);
    } else if (fault == FAULT_MISUSE) {
        where_touched(context, &misuse);
        guard_pardon(&misuse.flight); /* before the report: its handler may look at the tensor */
        report_misuse(&misuse);
    }
    errno = error;
}

bool fault_catch(void (*tell)(struct misuse *misuse))
{
    struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    report_misuse = tell;
    where_prepare();
    sigemptyset(&action.sa_mask);
    struct sigaction now;
    if (sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_sigaction == on_fault)
        return true; /* inherited through a fork */
    return sigaction(SIGSEGV, &action, &before) == 0;
}
