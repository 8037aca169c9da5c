/* meetings.c: which calls of a collective belong together: those of one group with one number. */
#include "order.h"

#include <stdlib.h>

/* One call of a collective. */
struct call {
    int group, seq, act;
};

static int by_meeting(const void *left, const void *right)
{
    const struct call *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->seq != b->seq)
        return a->seq < b->seq ? -1 : 1;
    return a->act < b->act ? -1 : a->act > b->act;
}

static int gather(const struct run *run, struct call *calls)
{
    int count = 0;
    for (int i = 0; i < run->count; i++) {
        const struct act *act = &run->acts[i];
        if (act->kind == ACT_COLLECTIVE && act->group >= 0 && act->seq >= 0)
            calls[count++] = (struct call){ act->group, act->seq, i };
    }
    return count;
}

int order_meetings(const struct run *run, struct meeting **meetings, int **acts)
{
    size_t room = (size_t)run->count + 1;
    struct call *calls = malloc(room * sizeof *calls);
    int count = 0, total = calls ? gather(run, calls) : 0;
    *meetings = malloc(((size_t)total + 1) * sizeof **meetings);
    *acts = malloc(((size_t)total + 1) * sizeof **acts);
    if (!calls || !*meetings || !*acts) {
        free(calls);
        return -1;
    }
    qsort(calls, (size_t)total, sizeof *calls, by_meeting);
    for (int i = 0; i < total; i++) {
        (*acts)[i] = calls[i].act;
        if (i == 0 || calls[i].group != calls[i - 1].group || calls[i].seq != calls[i - 1].seq)
            (*meetings)[count++] = (struct meeting){ calls[i].group, calls[i].seq, i, 0 };
        (*meetings)[count - 1].count++;
    }
    free(calls);
    return count;
}
