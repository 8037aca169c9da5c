/*
 * test_advice.c: is what a report says so, and its advice right? The programs are in tests/programs/advice.c; each was once told
 * something else than what is wrong with it.
 */
#include "mistakes.h"
#include "started.h"

#include "dist.h"

#include <criterion/criterion.h>
#include <string.h>

#define BY_MESSAGES "DIST_ALGORITHM=messages"

static const struct mistake told[] = {
    { "wrong-send",
      DIST_ERR_MISMATCH,
      "mismatch: rank 0 waits to send to rank 2 (",
      { "wrong-send", "wrong-send-recv" },
      "try: name the rank that really receives, or let that rank receive.",
      NULL },
    { "wrong-recv",
      DIST_ERR_MISMATCH,
      "mismatch: rank 0 waits to receive from rank 2 (",
      { "wrong-recv", "wrong-recv-send" },
      "try: name the rank that really sends, or let that rank send.",
      NULL },
    { "not-for-anybody",
      DIST_ERR_PEER_LOST,
      "peer left: rank 0 waits in dist_send (",
      { "not-for-anybody" },
      "for rank 2, which has left the job",
      NULL },
    { "self-irecv",
      DIST_ERR_DEADLOCK,
      "deadlock: rank 0 waits to receive from itself (",
      { "self-irecv" },
      "try: name the rank that really sends, or start the send to itself before the wait.",
      NULL },
    { "self-isend",
      DIST_ERR_DEADLOCK,
      "deadlock: rank 0 waits to send to itself (",
      { "self-isend" },
      "try: name the rank that really receives, or start the receive to itself before the wait.",
      NULL },
    { "self-recv",
      DIST_ERR_DEADLOCK,
      "deadlock: rank 0 waits for itself, and cannot make the other call while it waits.",
      { "self-recv" },
      "try: start one of the two with dist_isend or dist_irecv, then wait for both.",
      NULL },
    { "self-tag",
      DIST_ERR_MISMATCH,
      "mismatch: rank 0 waits to receive from itself (",
      { "self-tag", "self-tag-send" },
      "with tag 4; rank 0 sends to it with tag 3",
      NULL },
    { "self-hides",
      DIST_ERR_MISMATCH,
      "mismatch: rank 0 waits to receive from itself (",
      { "self-hides", "self-hides-send" },
      "try: name the rank that really sends, or let that rank send.",
      NULL },
    { "self-good", 0, NULL, { NULL }, NULL, NULL },
    { "groups",
      DIST_ERR_MISMATCH,
      "mismatch: rank 0 calls dist_all_reduce in group 1 (",
      { "group", "world" },
      "try: give both calls the same group; or, if all make both calls, in the same order.",
      NULL },
    { "groups",
      DIST_ERR_MISMATCH,
      "mismatch: rank 0 calls dist_all_reduce in group 1 (",
      { "group", "world" },
      "try: give both calls the same group",
      BY_MESSAGES },
    { "barriers",
      DIST_ERR_MISMATCH,
      "mismatch: rank 1 calls dist_barrier in group 1 (",
      { "barrier-group", "barrier-world" },
      "try: give both calls the same group",
      NULL },
    { "two-calls",
      DIST_ERR_MISMATCH,
      "mismatch: rank 0 calls dist_all_reduce (",
      { "two-calls", "two-calls-other" },
      "try: let all members of a group make the same calls, in the same order.",
      "DIST_ALGORITHM=ring" },
    { "two-calls-behind",
      DIST_ERR_DEADLOCK,
      "deadlock: ranks 1 and 2 wait for each other.",
      { "two-calls", "two-calls-behind" },
      "try: no message meets dist_barrier: let all members call it",
      "DIST_ALGORITHM=ring" },
    { "elsewhere",
      DIST_ERR_MISMATCH,
      "mismatch: rank 1 calls dist_broadcast (",
      { "elsewhere", "elsewhere-sum" },
      "try: let all members of a group make the same calls, in the same order.",
      "DIST_ALGORITHM=ring" },
    { "elsewhere-sum",
      DIST_ERR_MISMATCH,
      "mismatch: rank 1 calls dist_all_reduce (",
      { "elsewhere", "elsewhere-sum" },
      "try: let all members of a group make the same calls, in the same order.",
      "DIST_ALGORITHM=ring" },
    { "freed-early",
      DIST_ERR_DEADLOCK,
      "deadlock: ranks 0 and 1 wait for each other.",
      { "freed-early", "freed-early-barrier" },
      "try: a member has freed group 1 already: let all make the same calls in it, and free it then.",
      NULL },
    { "freed-early",
      DIST_ERR_DEADLOCK,
      "deadlock: ranks 0 and 1 wait for each other.",
      { "freed-early", "freed-early-barrier" },
      "try: a member has freed group 1 already: let all make the same calls in it, and free it then.",
      "DIST_ALGORITHM=ring" },
    { "waits-sends",
      DIST_ERR_DEADLOCK,
      "deadlock: 3 ranks wait for each other in a cycle.",
      { "waits-sends" },
      "try: somebody must receive first: start the receives before you wait for these sends.",
      NULL },
    { "waits-receives",
      DIST_ERR_DEADLOCK,
      "deadlock: 3 ranks wait for each other in a cycle.",
      { "waits-receives" },
      "try: somebody must send first: start the sends before you wait for these receives.",
      NULL },
    { "not-met",
      DIST_ERR_DEADLOCK,
      "deadlock: ranks 0 and 1 wait for each other.",
      { "not-met", "not-met-message" },
      "try: no message meets dist_broadcast: let all members call it, and all of them before these messages, "
      "or all after "
      "them.",
      NULL },
    { "other-order",
      DIST_ERR_MISMATCH,
      "mismatch: rank 0 waits to send to rank 1 (",
      { "other-order", "other-order-recv" },
      "try: give both calls the same tag; or, if both ranks make both calls, in the same order.",
      NULL },
    { "not-a-message",
      DIST_ERR_DEADLOCK,
      "deadlock: ranks 0 and 1 wait for each other.",
      { "not-a-message", "not-a-message-other" },
      "try: no message meets dist_all_reduce: let all members call it",
      BY_MESSAGES },
    { "many", 0, NULL, { NULL }, NULL, "DIST_BUFFERING=eager:64" },
    { "given-up", 0, NULL, { NULL }, NULL, "DIST_BUFFERING=eager:64" },
    { "many-crossed",
      0,
      "warning: this run ended only because its messages were small enough to be buffered: otherwise ranks 0 "
      "and 1 ",
      { "many-crossed" },
      "try: let odd ranks receive first",
      "DIST_BUFFERING=eager:64" },
    { "small-group", 0, "note: rank ", { "small-group" }, "group of 1 rank (", "DIST_CHECK=1" },
};

Test(advice, what_is_told_is_so, .timeout = 120)
{
    mistakes_make("advice", NULL, told, sizeof told / sizeof *told);
}

/* Two ranks err at one moment, in two ways: the status is that of the one that is told, which is not told of once more. */
Test(advice, of_two_mistakes_one_is_told_and_decides, .timeout = 120)
{
    static struct started job;
    for (int i = 0; i < 60; i++) {
        STARTED(&job, SETTINGS(i % 2 ? "DIST_RANKS=threads" : "DIST_RANKS=processes"), "advice", "both");
        bool first = strstr(job.stderr_text, "rank 0: dist_send") != NULL;
        bool second = strstr(job.stderr_text, "rank 1: dist_init") != NULL;
        cr_assert(first != second, "%s", job.stderr_text);
        cr_assert(job.status == (first ? DIST_ERR_ARGUMENT : DIST_ERR_STATE), "status %d: %s", job.status,
                  job.stderr_text);
        cr_assert(!strstr(job.stderr_text, first ? "Rank 0 " : "Rank 1 "), "%s", job.stderr_text);
    }
}
