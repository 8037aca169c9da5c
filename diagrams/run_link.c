/* run_link.c: sorts a run, and finds what belongs together. */
#include "run_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool wrong(struct run *run, const char *what)
{
    if (!run->why[0])
        snprintf(run->why, sizeof run->why, "%s", what);
    return false;
}

static int by_rank(const void *left, const void *right)
{
    const struct act *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static bool sort_acts(struct run *run)
{
    qsort(run->acts, (size_t)run->count, sizeof *run->acts, by_rank);
    run->first = calloc((size_t)run->ranks + 1, sizeof *run->first);
    if (!run->first)
        return wrong(run, "the system gives no memory");
    for (int i = 0; i < run->count; i++) {
        run->first[run->acts[i].rank + 1]++;
        if (i > 0 && by_rank(&run->acts[i - 1], &run->acts[i]) == 0)
            return wrong(run, "two events of one rank have the same number");
    }
    for (int rank = 0; rank < run->ranks; rank++)
        run->first[rank + 1] += run->first[rank];
    return true;
}

/* The act of a rank that has this number; -1: there is none. */
static int find_act(const struct run *run, int rank, int64_t number)
{
    int low = run->first[rank], high = run->first[rank + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (run->acts[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < run->first[rank + 1] && run->acts[low].number == number ? low : -1;
}

static bool can_be_started(const struct act *act)
{
    return act->kind == ACT_ISEND || act->kind == ACT_IRECV || act->kind == ACT_COLLECTIVE;
}

static void link_waits(struct run *run)
{
    for (int i = 0; i < run->count; i++) {
        struct act *wait = &run->acts[i];
        if (wait->kind != ACT_WAIT)
            continue;
        wait->started = wait->started < 0 ? -1 : find_act(run, wait->rank, wait->started);
        if (wait->started < 0 || wait->started > i || !can_be_started(&run->acts[wait->started])) {
            wait->started = -1;
            continue;
        }
        struct act *started = &run->acts[wait->started];
        if (started->finished < 0)
            started->finished = i;
    }
}

/* A send or a receive, by the id of its message. */
struct half {
    int message;
    bool receives;
    int act;
};

static int by_message(const void *left, const void *right)
{
    const struct half *a = left, *b = right;
    if (a->message != b->message)
        return a->message < b->message ? -1 : 1;
    if (a->receives != b->receives)
        return a->receives ? 1 : -1;
    return a->act < b->act ? -1 : a->act > b->act;
}

static int gather_halves(struct run *run, struct half *halves)
{
    int count = 0;
    for (int i = 0; i < run->count; i++) {
        struct act *act = &run->acts[i];
        bool message = act->kind <= ACT_IRECV;
        if (message && act->message >= 0)
            halves[count++] =
                (struct half){ act->message, act->kind == ACT_RECV || act->kind == ACT_IRECV, i };
        act->message = -1;
    }
    return count;
}

static bool is_pair(const struct run *run, const struct half *send, const struct half *recv)
{
    const struct act *from = &run->acts[send->act], *to = &run->acts[recv->act];
    return send->message == recv->message && !send->receives && recv->receives && from->peer == to->rank &&
           to->peer == from->rank;
}

static bool link_messages(struct run *run)
{
    struct half *halves = malloc(((size_t)run->count + 1) * sizeof *halves);
    if (!halves)
        return wrong(run, "the system gives no memory");
    int count = gather_halves(run, halves);
    qsort(halves, (size_t)count, sizeof *halves, by_message);
    run->messages = malloc(((size_t)count / 2 + 1) * sizeof *run->messages);
    for (int i = 0; run->messages && i + 1 < count; i++) {
        if (!is_pair(run, &halves[i], &halves[i + 1]))
            continue;
        struct act *send = &run->acts[halves[i].act], *recv = &run->acts[halves[i + 1].act];
        int done = recv->kind == ACT_IRECV && recv->finished >= 0 ? recv->finished : halves[i + 1].act;
        send->message = recv->message = run->message_count;
        run->messages[run->message_count++] = (struct message){ halves[i].act, halves[i + 1].act, done };
        i++;
    }
    free(halves);
    return run->messages || wrong(run, "the system gives no memory");
}

bool run_link(struct run *run)
{
    if (!sort_acts(run))
        return false;
    link_waits(run);
    return link_messages(run);
}

/* ---- groups ---------------------------------------------------------------------- */

const struct members *run_group(const struct run *run, int id)
{
    for (int i = 0; i < run->group_count; i++)
        if (run->groups[i].id == id)
            return &run->groups[i];
    return NULL;
}

/* "[0, 2, 1]" -> { 0, 2, 1 }. The count; -1: it is something else. */
static int read_ranks(const char *text, int *rank, int room)
{
    int count = 0;
    char *end;
    if (*text++ != '[')
        return -1;
    while (count < room) {
        long value = strtol(text, &end, 10);
        if (end == text || value < 0 || value >= RUN_RANKS)
            return -1;
        rank[count++] = (int)value;
        if (end[0] == ']' && !end[1])
            return count;
        if (end[0] != ',')
            return -1;
        text = end + 1;
    }
    return -1;
}

bool run_note_group(struct run *run, int id, const char *ranks)
{
    int members[RUN_RANKS];
    if (id < 0 || run->group_count >= 4096 || run_group(run, id))
        return true;
    int count = read_ranks(ranks, members, RUN_RANKS);
    if (count < 1)
        return true;
    struct members *groups = realloc(run->groups, ((size_t)run->group_count + 1) * sizeof *groups);
    if (!groups)
        return wrong(run, "the system gives no memory");
    run->groups = groups;
    struct members *group = &groups[run->group_count];
    *group = (struct members){ id, count, malloc((size_t)count * sizeof(int)) };
    if (!group->rank)
        return wrong(run, "the system gives no memory");
    memcpy(group->rank, members, (size_t)count * sizeof(int));
    run->group_count++;
    return true;
}
