/*
 * test_waiters.c: a rank that waits for any of several works is seen to wait, and what is told of it is so; and one that only asks is
 * told once where it stands. The programs are in tests/programs/waiters.c.
 */
#include "hurry.h"
#include "mistakes.h"
#include "started.h"

#include "dist.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(waiters, .timeout = 200);

#define CYCLE \
    "deadlock: ranks 0 and 1 wait for each other; rank 0 waits for any of: the receive from rank 1 ("

static const struct mistake told[] = {
    { "one-comes", 0, NULL, { NULL }, NULL, NULL },
    { "none-comes",
      DIST_ERR_DEADLOCK,
      CYCLE,
      { "from-1", "from-2", "any" },
      "for any of:          dist_irecv from 1",
      NULL },
    { "none-comes", DIST_ERR_DEADLOCK, CYCLE, { "from-1", "none-comes" }, "cycle: 0 > 1 > 0", NULL },
    { "all", DIST_ERR_DEADLOCK, CYCLE, { "next", "before" }, "somebody must send first", NULL },
    { "other-tag",
      DIST_ERR_MISMATCH,
      "mismatch: rank 0 waits to receive from rank 2 (",
      { "from-2", "other-tag" },
      "with tag 0; rank 2 sends to it with tag 4",
      NULL },
    { "all-left",
      DIST_ERR_PEER_LOST,
      "peer left: rank 0 waits for any of: the receive from rank 1 (",
      { "from-1", "from-2" },
      "; all whom these need have left the job. ",
      NULL },
    { "all-left",
      DIST_ERR_PEER_LOST,
      "peer left: ",
      { "any" },
      "try: let one of them make the matching call before it leaves.",
      NULL },
    { "sum",
      DIST_ERR_DEADLOCK,
      "deadlock: ranks 0 and 2 wait for each other; rank 0 waits for any of: dist_all_reduce (",
      { "sum", "beside", "no-sum" },
      "the receive from rank 2 (",
      NULL },
    { "only",
      DIST_ERR_DEADLOCK,
      "deadlock: ranks 0 and 1 wait for each other. ",
      { "only" },
      "somebody must send first",
      NULL },
    { "self",
      DIST_ERR_DEADLOCK,
      "deadlock: rank 0 waits for any of: the receive from itself (",
      { "self" },
      "and has not begun its own other half. ",
      NULL },
    { "self",
      DIST_ERR_DEADLOCK,
      "deadlock: ",
      { "self" },
      "try: start the other half before the wait, or name the rank that really has it.",
      NULL },
};

static const struct mistake misused[] = {
    { "stale", DIST_ERR_STATE, "rank ", { "stale" }, "waited for already", NULL },
    { "negative", DIST_ERR_ARGUMENT, "rank ", { "negative" }, "count is -1", NULL },
    { "nowhere", DIST_ERR_ARGUMENT, "rank ", { "nowhere" }, "works is NULL", NULL },
};

Test(waiters, for_any_of_several, .timeout = 120)
{
    mistakes_make("waiters", NULL, told, sizeof told / sizeof *told);
    mistakes_make("waiters", NULL, misused, sizeof misused / sizeof *misused);
}

/* There the host waits, and a report also says in which call. */
Test(waiters, for_any_of_several_on_streams, .timeout = 120)
{
    mistakes_make("waiters", "DEVICE=sim", told, sizeof told / sizeof *told);
}

Test(waiters, for_any_of_several_with_checks, .timeout = 120)
{
    static const struct mistake good[] = {
        { "one-comes", 0, NULL, { NULL }, NULL, "DIST_CHECK=1" },
        { "one-comes", 0, NULL, { NULL }, NULL, "DIST_BUFFERING=eager:64" }
    };
    mistakes_make("waiters", NULL, good, sizeof good / sizeof *good);
}

#define POLLS "warning: rank 0 has been polling for "

/* Each takes its five seconds: who is in a hurry lets every other one be told by threads, and not by both. */
static const struct mistake polled[] = {
    { "polls", 0, POLLS, { "asks", "not-asked", "not-there" }, "and all other ranks wait. ", NULL },
    { "leaves", 0, POLLS, { "asks", "not-asked" }, "and all other ranks wait or have left the job. ", NULL },
    { "sleeps",
      0,
      POLLS,
      { "asks" },
      "try: make the call for which the others wait, or wait with dist_wait",
      NULL },
};

static void make_one(const struct mistake *one)
{
    static const char *const modes[] = { "DIST_RANKS=processes", "DIST_RANKS=threads" };
    for (size_t i = 0, from = strlen(one->name); i < (hurry() ? 1 : 2); i++)
        mistakes_make_one("waiters", NULL, one, modes[(from + i) % 2]);
}

Test(waiters, who_polls_while_all_wait_is_told, .timeout = 200)
{
    make_one(&polled[0]);
}

Test(waiters, who_polls_while_all_wait_or_have_left_is_told, .timeout = 200)
{
    make_one(&polled[1]);
}

Test(waiters, who_polls_with_naps_is_told, .timeout = 200)
{
    make_one(&polled[2]);
}

Test(waiters, who_polls_while_all_poll_is_told, .timeout = 200)
{
    make_one(&(struct mistake){
        "all-poll", 0, POLLS, { "asks", "all-ask" }, "and all other ranks poll, too. ", NULL });
    make_one(&(struct mistake){
        "two-poll", 0, POLLS, { "asks", "all-ask" }, "all other ranks wait, or poll, too.", NULL });
    make_one(&(struct mistake){ "one-works", 0, NULL, { NULL }, NULL, NULL });
}

/* The others wait as long; but who works in between is not waiting. */
Test(waiters, who_asks_now_and_then_is_not_told, .timeout = 60)
{
    make_one(&(struct mistake){ "works", 0, NULL, { NULL }, NULL, NULL });
}
