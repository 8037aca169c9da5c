/*
 * sheet.h: how the grader and a rank of the learner's program hand each other tensors.
 *
 *   the grader                                        rank r of the learner's program
 *   give_random(s, "mine", ...)   ---- given ---->    desk_tensor("mine")
 *   expect(s, "home", ...)        <--- handed ----    desk_hand_in("home", x)
 *
 * Every rank has two memory files, which no other rank holds open while the learner's function runs. Entries lie one after the other, each
 * a head and its elements. What is expected is never in them: it stays in the grader's process.
 */
#ifndef GRADER_SHEET_H
#define GRADER_SHEET_H

#include <stddef.h>
#include <stdint.h>

#define SHEET_NAME 24
#define SHEET_DONE "(done)" /* the last entry: the rank has left the job as it should */
#define SHEET_AGAIN \
    "(again)" /* given: what stands before it is for a first call, what comes behind it for the second */
#define SHEET_STANDS \
    "(stands)" /* handed: where the rank stood when it was asked; places in the program's file, as I64 */
#define SHEET_STANDS_MOST 24
#define SHEET_FD "DESK_FD" /* in the environment: rank r's given is file DESK_FD + 2 r, its handed the next */
#define SHEET_LATE "DESK_LATE" /* the seed of the random delays; without it there are none */

struct sheet_head {
    char name[SHEET_NAME];
    int32_t type; /* enum dist_type */
    int32_t reserved;
    int64_t count;
};

/* Of one element; 0: there is no such type. */
static inline size_t sheet_bytes(int32_t type)
{
    static const uint8_t bytes[] = { 4, 8, 2, 2, 4, 8, 1 };
    return type >= 0 && type < (int32_t)sizeof bytes ? bytes[type] : 0;
}

/* Bytes that an entry's elements take, so that the next one is aligned for every type. */
static inline size_t sheet_space(const struct sheet_head *head)
{
    return ((size_t)head->count * sheet_bytes(head->type) + 7) / 8 * 8;
}

#endif
