/* peers_at_once.c: patterns in which a rank talks with several at once: patterns.c has the list. */
#include "patterns.h"

/* Rank 0 cannot know whose comes in which cell: so it adds all up. */
void anybody(struct job *job, int turn)
{
    struct pattern *p = job->notes;
    int each = WINDOW / (job->size - 1), count = job->rank ? each : each * (job->size - 1);
    double sum = 0;
    for (int k = 0; k < count; k++) {
        set(&p->cells[k], mark(turn, k, 0));
        p->requests[k] =
            job->rank ? side_isend(&p->cells[k], 0, 0) : side_irecv(&p->cells[k], SIDE_ANYBODY, 0);
    }
    side_wait_all(p->requests, count);
    for (int k = 0; k < count; k++)
        sum += p->cells[k].x[0] - mark(turn, k % each, 0);
    if (sum != 0)
        wrong(job, "the sum of what came", sum, 0);
    side_barrier();
}

/* To the ranks at these distances, and from those on the other side. */
static void talk_around(struct job *job, int turn, int distances)
{
    struct pattern *p = job->notes;
    int size = job->size, count = 0;
    for (int d = 1; d <= distances; d++) {
        p->requests[count++] = side_irecv(&p->cells[d], (job->rank + size - d) % size, d);
        set(&p->cells[WINDOW / 2 + d], mark(turn, d, job->rank));
        p->requests[count++] = side_isend(&p->cells[WINDOW / 2 + d], (job->rank + d) % size, d);
    }
    side_wait_all(p->requests, count);
    for (int d = 1; d <= distances; d++)
        see(job, &p->cells[d], mark(turn, d, (job->rank + size - d) % size));
}

void exchange(struct job *job, int turn)
{
    talk_around(job, turn, job->size - 1);
}

void shift(struct job *job, int turn)
{
    talk_around(job, turn, 1);
}

void halo(struct job *job, int turn)
{
    struct pattern *p = job->notes;
    int next = (job->rank + 1) % job->size, previous = (job->rank + job->size - 1) % job->size;
    for (int k = 0; k < 2; k++) {
        p->requests[k] = side_irecv(&p->cells[k], k ? next : previous, k);
        set(&p->cells[2 + k], mark(turn, k, job->rank));
        p->requests[2 + k] = side_isend(&p->cells[2 + k], k ? previous : next, k);
    }
    side_wait_all(p->requests, 4);
    for (int k = 0; k < 2; k++)
        see(job, &p->cells[k], mark(turn, k, k ? next : previous));
}
