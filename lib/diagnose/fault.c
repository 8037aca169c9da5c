/*
 * fault.c: what a closed page leads to.
 *
 * The handler runs in the thread that touched, in place of the touch: when it returns, the touch is tried again. So it
 * opens the page, for a neighbour or after a report, and returns. Behind the touch of a neighbour x86 stops once more (its trap
 * flag), and the page is closed again; other processors have nothing like it, nor has a debugger's program, whose trap flag is the
 * debugger's: there it stays open until its messages are over. Faults elsewhere go where they went before.
 */
#define _GNU_SOURCE
#include "guard.h"
#include "../launch/text.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

/* One per process, like the handler itself; written before it is installed. */
static void (*report_misuse)(struct misuse *misuse);
static struct sigaction before, before_trap;
static struct sigaction
    first; /* who stood there when we first came. We came again, in front of an engine's (guard_stand_first), */
static _Thread_local bool
    handed_on; /* and that may pass on to whom it has found, which is us: then it is the first one's */

/* Did it read or write? The processor says so, in a word of its own. */
#if defined(__x86_64__)
static enum touch fault_touch_of(const ucontext_t *context)
{
    return context->uc_mcontext.gregs[REG_ERR] & 2 ? TOUCH_WRITE : TOUCH_READ;
}
#elif defined(__aarch64__)
/* Records follow each other, each with a number and a length; number 0x45535201 holds the word, bit 6 says "write". */
static enum touch fault_touch_of(const ucontext_t *context)
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
static enum touch fault_touch_of(const ucontext_t *context)
{
    (void)context;
    return TOUCH_UNKNOWN;
}
#endif

/* Sent by raise() or kill(): no instruction is behind it that would be tried again. */
static bool fault_was_sent(const siginfo_t *info)
{
    return info->si_code <= 0;
}

/* As if we were not here. Without a handler before us the touch, tried again, ends the process; what does not come again is sent anew. */
static void fault_hand_back(const struct sigaction *to, int number, siginfo_t *info, void *context)
{
    if (to->sa_flags & SA_SIGINFO) {
        to->sa_sigaction(number, info, context);
    } else if (to->sa_handler != SIG_DFL && to->sa_handler != SIG_IGN) {
        to->sa_handler(number);
    } else if (to->sa_handler == SIG_DFL || !fault_was_sent(info)) {
        signal(number, SIG_DFL);
        if (number == SIGTRAP || fault_was_sent(info))
            raise(number);
    }
}

/* ---- one touch of a neighbour ------------------------------------------------------------------- */

/* One instruction touches at most so many pages: two, each across a border. */
#define TOUCHED 4

static bool steps; /* the processor can stop behind one instruction, and nobody else makes use of that */
static _Thread_local uintptr_t to_close[TOUCHED];

#if defined(__x86_64__)
#define TRAP_FLAG 0x100

static void fault_set_trap(ucontext_t *context, bool on)
{
    greg_t *flags = &context->uc_mcontext.gregs[REG_EFL];
    *flags = on ? *flags | TRAP_FLAG : *flags & ~(greg_t)TRAP_FLAG;
}

static bool fault_is_traced(void)
{
    char line[128];
    return !text_find_line("/proc/self/status", "TracerPid:", line, sizeof line) ||
           strcmp(line, "TracerPid:\t0\n") != 0;
}
#else
static void fault_set_trap(ucontext_t *context, bool on)
{
    (void)context;
    (void)on;
}

static bool fault_is_traced(void)
{
    return true;
}
#endif

static int fault_free_place(void)
{
    int i = 0;
    while (i < TOUCHED && to_close[i])
        i++;
    return i;
}

static void fault_on_trap(int number, siginfo_t *info, void *context)
{
    int error = errno, count = fault_free_place();
    if (count == 0)
        fault_hand_back(&before_trap, number, info, context);
    else
        fault_set_trap(context, false);
    for (int i = 0; i < count; i++) {
        guard_close(to_close[i]);
        to_close[i] = 0;
    }
    errno = error;
}

/* ---- faults ---------------------------------------------------------------------------------------- */

static void fault_on_fault(int number, siginfo_t *info, void *context)
{
    int error = errno;
    const struct launch_self *self = launch_self_if_any();
    struct misuse misuse = { .rank = self ? self->env.rank : -1, .touch = fault_touch_of(context) };
    int place = steps ? fault_free_place() : TOUCHED;
    enum fault fault = fault_was_sent(info) ? FAULT_FOREIGN
                                            : guard_fault((uintptr_t)info->si_addr, place < TOUCHED, &misuse);
    if (fault == FAULT_FOREIGN) {
        const struct sigaction *to = handed_on ? &first : &before;
        handed_on = true;
        fault_hand_back(to, number, info, context);
    } else if (fault == FAULT_INNOCENT && place < TOUCHED) {
        to_close[place] = (uintptr_t)info->si_addr;
        fault_set_trap(context, true);
    } else if (fault == FAULT_MISUSE) {
        where_touched(context, &misuse);
        guard_pardon(&misuse.range); /* before the report: its handler may look at the tensor */
        report_misuse(&misuse);
    }
    errno = error;
}

/* Our handler may stand already, inherited through a fork: then what stood before it is known. */
static bool fault_take(int number, void (*handler)(int, siginfo_t *, void *), struct sigaction *old)
{
    struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK }, now;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &now) == 0 && now.sa_sigaction == handler)
        return true;
    if (sigaction(number, &action, &now) != 0)
        return false;
    *old = now;
    return true;
}

bool fault_catch(void (*tell)(struct misuse *misuse))
{
    bool again = report_misuse != NULL;
    if (tell)
        report_misuse = tell;
    where_prepare();
    if (!fault_take(SIGSEGV, fault_on_fault, &before))
        return false;
    if (!again)
        first = before;
    steps = !fault_is_traced() && fault_take(SIGTRAP, fault_on_trap, &before_trap);
    return true;
}
