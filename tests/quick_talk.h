/*
 * quick_talk.h: short blocking messages, whose sender looks whether a receive was there for each of them.
 *
 * A send may only be over when its receive was begun. So the receiver notes each receive on the exam's board before it calls, and the
 * sender, who may end early where its letter is wanted, looks there afterwards. For up to four ranks.
 */
#ifndef TESTS_QUICK_TALK_H
#define TESTS_QUICK_TALK_H

#include "conform_exam.h"
#include "dist.h"

#define TALK_RANKS 4
#define TALK_BOARD (2 * TALK_RANKS * TALK_RANKS) /* words of the board from here on are free */

/* A message: both ends make its content from the seed. */
struct word {
    enum dist_type type;
    int64_t count;
    int tag;
    uint64_t seed;
    dist_group *group; /* NULL: the world */
};

/* Send it, then overwrite and free its tensor. */
void talk_send(struct exam *exam, int rank, int to, struct word word);

/* Receive it, and look at every byte. */
void talk_recv(struct exam *exam, int rank, int from, struct word word);

/* Run the body on so many ranks, and assert that all went well. */
void talk_run(const char *name, int size, void (*body)(struct exam *exam, int rank, int size));

/* A test of its own with ranks as processes, and one with threads. */
#define TALK_TESTS(suite, name, size, body) \
    Test(suite, name##_##size) \
    { \
        talk_run(#name, size, body); \
    } \
    Test(suite, name##_##size##_threads) \
    { \
        setenv("DIST_RANKS", "threads", 1); \
        talk_run(#name " of threads", size, body); \
    }

#endif
