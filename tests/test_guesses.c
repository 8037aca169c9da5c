/*
 * test_guesses.c: where a report can but guess what was meant, does it guess what is likely? The programs are in tests/programs/guesses.c.
 */
#include "mistakes.h"

#include "diagnose/diagnose.h"
#include "dist.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Even and odd ranks can take turns only where both are in the cycle. A message that was sent ahead is not the one that is missed, unless
 * all but its tag is right, and nothing else is wrong. A ring that sends and receives on one side has no late ranks. Who has come to a collective is not the one that is
 * missed, however much else it has open. */
static const struct mistake guessed[] = {
    { "even-sends",
      DIST_ERR_DEADLOCK,
      "deadlock: ranks 0 and 2 wait for each other.",
      { "even-sends" },
      "try: let one of them receive first, or send with dist_isend and wait afterwards.",
      NULL },
    { "even-receives",
      DIST_ERR_DEADLOCK,
      "deadlock: ranks 0 and 2 wait for each other.",
      { "even-receives" },
      "try: somebody must send first: let one of them send before it receives, or use dist_irecv.",
      NULL },
    { "even-waits",
      DIST_ERR_DEADLOCK,
      "deadlock: ranks 0 and 2 wait for each other.",
      { "even-waits" },
      "try: somebody must receive first: start the receives before you wait for these sends.",
      NULL },
    { "ahead",
      DIST_ERR_DEADLOCK,
      "deadlock: ranks 0 and 1 wait for each other.",
      { "ahead-0", "ahead-1" },
      "try: somebody must send first: let even ranks send before they receive",
      NULL },
    { "ahead-group",
      DIST_ERR_DEADLOCK,
      "deadlock: ranks 0 and 1 wait for each other.",
      { "ahead-0", "ahead-1" },
      "try: somebody must send first: let even ranks send before they receive",
      NULL },
    { "ahead-alike",
      DIST_ERR_MISMATCH,
      "mismatch: rank 0 waits to receive from rank 1 (",
      { "ahead-0", "ahead-sent" },
      "try: give both calls the same tag; or, if both ranks make both calls, in the same order.",
      NULL },
    { "ahead-left",
      DIST_ERR_PEER_LOST,
      "peer left: rank 1 waits in dist_recv (",
      { "ahead-0", "ahead-1" },
      "for rank 2, which has left the job",
      NULL },
    { "ahead-cycle",
      DIST_ERR_DEADLOCK,
      "deadlock: ranks 2 and 3 wait for each other.",
      { "ahead-2" },
      "try: somebody must send first",
      NULL },
    { "still-open",
      DIST_ERR_DEADLOCK,
      "deadlock: ranks 0 and 1 wait for each other.",
      { "still-open", "still-open-barrier", "leaves" },
      "holds up dist_destroy_process_group (",
      NULL },
    { "still-buffered",
      DIST_ERR_PEER_LOST,
      "peer left: rank 1 waits in dist_barrier (",
      { "still-open-barrier" },
      "for rank 0, which has left the job",
      "DIST_BUFFERING=eager:64" },
    { "way-receives",
      DIST_ERR_MISMATCH,
      "mismatch: rank 0 waits to receive from rank 1 (",
      { "way-receives", "way-sent" },
      "try: name the rank that really sends, or let that rank send.",
      NULL },
    { "way-receives",
      DIST_ERR_MISMATCH,
      "mismatch: rank 0 waits to receive from rank 1 (",
      { "way-receives", "way-sent" },
      "the nearest unmatched call is rank 3's, which sent to it (",
      "DIST_BUFFERING=eager:64" },
    { "way-sends",
      DIST_ERR_MISMATCH,
      "mismatch: rank 0 waits to send to rank 1 (",
      { "way-sends", "way-posted" },
      "try: name the rank that really receives, or let that rank receive.",
      NULL },
    { "way-late",
      DIST_ERR_DEADLOCK,
      "deadlock: 3 ranks wait for each other in a cycle.",
      { "way-late" },
      "try: somebody must send first",
      NULL },
    { "come-messages",
      DIST_ERR_DEADLOCK,
      "deadlock: ranks 0 and 2 wait for each other.",
      { "come", "come-not" },
      "try: no message meets dist_barrier: let all members call it",
      NULL },
    { "come-burst",
      DIST_ERR_DEADLOCK,
      "deadlock: ranks 0 and 2 wait for each other.",
      { "come-burst", "come-not" },
      "try: no message meets dist_barrier: let all members call it",
      NULL },
    { "crossed-groups",
      DIST_ERR_DEADLOCK,
      "deadlock: ranks 0 and 1 wait for each other.",
      { "crossed-groups" },
      "to do: the report says what to change.",
      NULL },
};

Test(guesses, what_is_guessed_is_likely, .timeout = 120)
{
    mistakes_make("guesses", NULL, guessed, sizeof guessed / sizeof *guessed);
}

/* As many as a job can have, each of which waits for the next: once that took half a minute. */
Test(guesses, a_cycle_of_a_thousand_ranks_is_found_soon, .timeout = 10)
{
    struct diagnosis d = { .size = WORLD_MAX_RANKS, .views = calloc(WORLD_MAX_RANKS, sizeof *d.views) };
    cr_assert(d.views != NULL);
    for (int rank = 0; rank < d.size; rank++)
        d.views[rank] = (struct view){
            .state = RANK_JOINED,
            .count = 1,
            .open = { { .kind = NOTE_RECV, .call = CALL_RECV, .peer = (rank + 1) % d.size } }
        };
    find_cycle(&d);
    cr_assert(d.cycle_length == d.size, "a cycle of %d", d.cycle_length);
    for (int i = 0; i < d.size; i++)
        cr_assert(d.cycle[i] == i);
    free(d.views);
}
