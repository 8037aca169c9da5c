/* Grades 03.3: a ball there and back, timed, and two messages side by side. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "There and back",
    .forbidden = COLLECTIVES,
    .drawing = "spacetime",
};

enum { THERE_AND_BACK, BOTH_AT_ONCE };

static int64_t
    length; /* of what is played with, in this sitting: a few elements; with three ranks thousands */

/* One of the two ranks is late at its first or last message, so that the other stands in its own: there a clock that starts after the first
 * message, or stops before the last, misses what can be seen. */
static void give_late(struct sitting *s, int rounds)
{
    bool last = s->ranks == 2 || s->again;
    give_number(s, "late rank", s->ranks == 4);
    give_number(s, "late at", last ? 2 * rounds : 1);
}

/* Runs one of the two functions; how many rounds. */
static int play(struct sitting *s, int which)
{
    int rounds = (int)pick(s, 6, 11);
    length = s->ranks == 3 ? pick(s, 4100, 5000) : pick(s, 1, 9);
    give_random(s, "mine", DIST_F32, length);
    give_number(s, "which", which);
    give_number(s, "rounds", rounds);
    give_late(s, rounds);
    sit(s);
    return rounds;
}

static double rounds_of(const struct sitting *s)
{
    return given(s, 0, "rounds", 0);
}

static double ball(const struct sitting *s, int rank, int64_t i)
{
    return rank > 1 ? given(s, rank, "mine", i) : given(s, 0, "mine", i) + rounds_of(s);
}

static double crossed(const struct sitting *s, int rank, int64_t i)
{
    if (rank > 1)
        return given(s, rank, "mine", i);
    int from = (int)rounds_of(s) % 2 ? 1 - rank : rank; /* an even number of exchanges brings it home */
    return given(s, from, "mine", i) + rounds_of(s);
}

GRADED(the_ball, 3)
{
    EACH_SITTING(s, 2, 4) {
        int rounds = play(s, THERE_AND_BACK);
        expect(s, "mine", length, ball);
        claim(s, way_sends(s, 0) == rounds && way_sends(s, 1) == rounds,
              "rank 0 sent %d messages and rank 1 %d; %d rounds are %d each", way_sends(s, 0),
              way_sends(s, 1), rounds, rounds);
        for (int r = 0; r < s->ranks; r++) {
            int started = way_calls(s, r, "isend") + way_calls(s, r, "irecv");
            claim(s, started == 0, "rank %d started %d sends and receives without waiting; here they block",
                  r, started);
            claim(s, r < 2 || way_sends(s, r) + way_receives(s, r) == 0,
                  "rank %d plays no ball, and yet sent or received", r);
            way_carries(s, r, r < 2 ? length * 4 * rounds : 0);
        }
    }
}

/* When the first and the last thing happened that a rank did with messages, and when it joined and left, or was called again and was done;
 * in seconds. */
static void times_of(const struct run *run, int rank, double *least, double *most)
{
    const struct act *first = NULL, *last = NULL, *acts = run->acts;
    int from = run->first[rank], to = run->first[rank + 1] - 1;
    for (int i = run->first[rank]; i < run->first[rank + 1]; i++) {
        from = acts[i].kind == ACT_SPAN && strcmp(acts[i].name, AGAIN_BEGINS) == 0 ? i : from;
        to = acts[i].kind == ACT_SPAN && strcmp(acts[i].name, AGAIN_ENDS) == 0 ? i : to;
        bool message = acts[i].kind == ACT_SEND || acts[i].kind == ACT_RECV || acts[i].kind == ACT_ISEND ||
                       acts[i].kind == ACT_IRECV || acts[i].kind == ACT_WAIT;
        first = message && !first ? &acts[i] : first;
        last = message ? &acts[i] : last;
    }
    *least = first ? (last->end - first->begin) / 1e6 : 0;
    *most = (acts[to].begin - acts[from].end) / 1e6;
}

/* Can half a round be told from a whole one, on both ranks? */
static bool are_clear(const struct run *run)
{
    bool clear = true;
    for (int rank = 0; rank < 2; rank++) {
        double least, most;
        times_of(run, rank, &least, &most);
        clear = clear && most <= 1.5 * least;
    }
    return clear;
}

/* What a rank has measured lies between the messages themselves, and all that it did. */
static void look_at_time(struct sitting *s, int rank, int rounds)
{
    double least, most, told = handed(s, rank, "seconds", 0);
    times_of(s->run, rank, &least, &most);
    claim(s, least > 0 && told * 2 * rounds >= least * 0.999 && told * 2 * rounds <= most * 1.001,
          "rank %d says that a message took %.2f us. The %d messages took from %.2f to %.2f us each", rank,
          told * 1e6, 2 * rounds, least / (2 * rounds) * 1e6, most / (2 * rounds) * 1e6);
}

/* Not how fast it is. On a busy machine a rank may stand still before its first message, or behind its last: then once more. */
GRADED(seconds_for_a_message, 3)
{
    EACH_SITTING(s, 2, 4) {
        int rounds = play(s, THERE_AND_BACK);
        for (int again = 0; s->run && again < 8 && !are_clear(s->run); again++)
            sit_again(s);
        if (!s->run)
            continue;
        expect(s, "mine", length, ball);
        for (int r = 0; r < 2; r++)
            look_at_time(s, r, rounds);
        for (int r = 2; r < s->ranks; r++)
            claim(s, handed(s, r, "seconds", 0) == 0, "rank %d played no ball, and yet returned %g", r,
                  handed(s, r, "seconds", 0));
    }
}

GRADED(side_by_side, 4)
{
    EACH_SITTING(s, 2, 4) {
        int rounds = play(s, BOTH_AT_ONCE);
        expect(s, "mine", length, crossed);
        claim(s, way_steps(s) == rounds,
              "%d messages had to wait for one another in %d rounds; side by side it is one a round",
              way_steps(s), rounds);
        for (int r = 0; r < s->ranks; r++) {
            way_carries(s, r, r < 2 ? length * 4 * rounds : 0);
            claim(s, r < 2 || way_sends(s, r) + way_receives(s, r) == 0,
                  "rank %d swaps with nobody, and yet sent or received", r);
        }
    }
}
