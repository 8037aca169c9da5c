/*
 * stand.c: where does this rank stand, when the grader has lost patience? It asks by SIGURG, which means nothing to whoever does not
 * listen; and the system by SIGXCPU, when a rank has computed for too long. What is on the stack is handed in, as places in the
 * program's file: where.c makes lines of them. Nothing here asks for memory or opens a file: the rank may be anywhere.
 */
#define _GNU_SOURCE
#include "desk.h"
#include "sheet.h"

#include <elf.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>
#include <unwind.h>

extern const char __ehdr_start[]; /* the linker's: where the program's file lies in memory */

struct places {
    int64_t place[SHEET_STANDS_MOST];
    int count;
};

/* Of a caller the place is that of the call, not that behind it. */
static _Unwind_Reason_Code add_place(struct _Unwind_Context *frame, void *arg)
{
    struct places *places = arg;
    int exact = 0;
    uintptr_t at = _Unwind_GetIPInfo(frame, &exact);
    bool moved = ((const Elf64_Ehdr *)(const void *)__ehdr_start)->e_type == ET_DYN;
    places->place[places->count++] = (int64_t)(at - !exact - (moved ? (uintptr_t)__ehdr_start : 0));
    return places->count < SHEET_STANDS_MOST ? _URC_NO_REASON : _URC_END_OF_STACK;
}

void desk_stand(void)
{
    struct places places = { .count = 0 };
    _Unwind_Backtrace(add_place, &places);
    desk_put(SHEET_STANDS, DIST_I64, places.place, places.count);
}

static void stand_tell(int signal)
{
    desk_stand();
    while (signal == SIGURG)
        pause(); /* the end comes soon; what was interrupted shall not go on until then */
}

/* The second SIGXCPU, a second later, ends the rank. */
void desk_stand_begin(void)
{
    struct sigaction action = { .sa_handler = stand_tell, .sa_flags = SA_RESTART };
    sigaction(SIGURG, &action, NULL);
    action.sa_flags |= (int)SA_RESETHAND;
    sigaction(SIGXCPU, &action, NULL);
}
