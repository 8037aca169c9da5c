/* Grades 04.2: the order of 1F1B, how many micro-batches it keeps in flight, and its gradients. */
#include "../../grader/grader.h"
#include "../../grader/network.h"

#include <string.h>

const struct exercise exercise = {
    .title = "One forward, one backward",
    .forbidden = COLLECTIVES,
    .drawing = "schedule",
};

/* With six stages as many micro-batches as there may be; with three a prime number of them, so that the same samples cannot be
 * cut into fewer; with eight more than stages, so that each stage runs ahead as far as it should; with another odd number fewer than
 * stages: with five just one, with one stage too. */
static int lay_out(struct sitting *s)
{
    static const int fixed[9] = { [1] = 1, [3] = 13, [5] = 1, [6] = 16 };
    int least = s->ranks == 8 ? 9 : s->ranks % 2 ? 2 : 4, most = s->ranks == 8 ? 12 : s->ranks % 2 ? 6 : 8;
    int pieces = fixed[s->ranks] ? fixed[s->ranks] : (int)pick(s, least, most);
    give_number(s, "pieces", pieces);
    network_lay_out(s, pieces * (pieces > 8 ? 1 : (int)pick(s, 1, 2)));
    return pieces;
}

GRADED(gradients_of_every_layer, 4)
{
    EACH_SITTING(s, 1, 8) {
        lay_out(s);
        sit(s);
        expect(s, "dw", NETWORK_WIDTH * NETWORK_WIDTH, network_gradient);
    }
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* What stage `rank` does as its k-th step, from 0 on. */
static void step(const struct sitting *s, int rank, int pieces, int k, char *word, size_t size)
{
    int ahead = smaller(s->ranks - 1 - rank, pieces), turn = k - ahead, turns = pieces - ahead;
    bool forward = turn < 0 || (turn < 2 * turns && turn % 2 == 0);
    int piece = turn < 0 ? k : turn < 2 * turns ? turn / 2 + (forward ? ahead : 0) : turn - turns;
    snprintf(word, size, "%s %d", forward ? "forward" : "backward", piece);
}

static bool is_step(const struct act *act)
{
    return act->kind == ACT_SPAN &&
           (strncmp(act->name, "forward ", 8) == 0 || strncmp(act->name, "backward ", 9) == 0);
}

/* Are the spans of this rank those of 1F1B, in their order? */
static void look_at_order(struct sitting *s, int rank, int pieces)
{
    int k = 0;
    char word[32];
    bool right = true;
    for (int i = s->run->first[rank]; right && i < s->run->first[rank + 1]; i++) {
        const struct act *act = &s->run->acts[i];
        if (!is_step(act))
            continue;
        step(s, rank, pieces, k++, word, sizeof word);
        right = claim(s, strcmp(act->name, word) == 0,
                      "rank %d with %d stages and %d micro-batches: step %d is %s; 1F1B does %s there", rank,
                      s->ranks, pieces, k, act->name, word);
    }
    claim(s, !right || k == 2 * pieces, "rank %d with %d micro-batches: it did %d steps of %d", rank, pieces,
          k, 2 * pieces);
}

/* What this rank went on with after that act: its next step, or the next message; -1: there is none. */
static int went_on(const struct run *run, int act)
{
    for (int i = act + 1; i < run->first[run->acts[act].rank + 1]; i++)
        if (is_step(&run->acts[i]) || run->acts[i].kind <= ACT_IRECV)
            return i;
    return -1;
}

/* Was a send waited for, or asked for again and again, before its rank went on? */
static bool held_up(const struct run *run, int send)
{
    int next = went_on(run, send);
    bool waited = run->acts[send].kind == ACT_SEND;
    for (int i = send; i < next; i++) {
        bool asked = run->acts[i].kind == ACT_SPAN && strcmp(run->acts[i].name, ASKS_AGAIN) == 0;
        waited = waited || asked || (run->acts[i].started == send && way_waits(run, i));
    }
    return waited && next >= 0;
}

/* What is sent travels while the rank goes on. */
static void look_at_sends(struct sitting *s, int rank)
{
    const struct run *run = s->run;
    for (int i = run->first[rank]; i < run->first[rank + 1]; i++) {
        const struct act *act = &run->acts[i];
        if ((act->kind == ACT_SEND || act->kind == ACT_ISEND) &&
            !claim(s, !held_up(run, i),
                   "rank %d waited for what it sent to rank %d before it went on: start it, keep the work",
                   rank, act->peer))
            return;
    }
}

GRADED(order_on_every_stage, 3)
{
    EACH_SITTING(s, 2, 8) {
        int pieces = lay_out(s);
        if (!sit(s))
            continue;
        expect(s, "dw", NETWORK_WIDTH * NETWORK_WIDTH, network_gradient);
        for (int r = 0; r < s->ranks; r++) {
            look_at_order(s, r, pieces);
            look_at_sends(s, r);
        }
    }
}

/* The message that leaves, or that has come, with this act; NULL: none. One whose receive was only started has not come yet. */
static const struct act *message_at(const struct run *run, int act)
{
    const struct act *a = &run->acts[act];
    if (a->kind == ACT_WAIT && a->started >= 0 && run->acts[a->started].finished == act)
        return run->acts[a->started].kind == ACT_IRECV ? &run->acts[a->started] : NULL;
    return a->kind < ACT_IRECV ? a : NULL;
}

/* The most micro-batches that had come to this stage, and whose gradients had not left it: counted at its window to the
 * stage before; on rank 0, which has none, at that to rank 1. */
static int most_in_flight(const struct sitting *s, int rank)
{
    int in_flight = 0, most = 0;
    for (int i = s->run->first[rank]; i < s->run->first[rank + 1]; i++) {
        const struct act *act = message_at(s->run, i);
        if (!act || act->peer != (rank > 0 ? rank - 1 : 1))
            continue;
        bool receives = act->kind == ACT_RECV || act->kind == ACT_IRECV;
        in_flight += receives == (rank > 0) ? 1 : -1;
        most = in_flight > most ? in_flight : most;
    }
    return most;
}

GRADED(in_flight_on_every_stage, 3)
{
    EACH_SITTING(s, 2, 8) {
        int pieces = lay_out(s);
        if (!sit(s))
            continue;
        expect(s, "dw", NETWORK_WIDTH * NETWORK_WIDTH, network_gradient);
        for (int r = 0; r < s->ranks; r++)
            claim(s, most_in_flight(s, r) == smaller(s->ranks - r, pieces),
                  "rank %d with %d stages and %d micro-batches: %d in flight at most; with 1F1B it is %d", r,
                  s->ranks, pieces, most_in_flight(s, r), smaller(s->ranks - r, pieces));
    }
}
