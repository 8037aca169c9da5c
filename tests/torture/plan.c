/* plan.c: see torture.h. */
#include "torture.h"

static const char *const names[FAULTS] = {
    [NO_FAULT] = "none",
    [SLOW] = "a slow rank",
    [STOPPED] = "stopped",
    [KILLED] = "a rank killed",
    [LAUNCHER_GONE] = "the launcher killed",
    [TERMINATED] = "SIGTERM",
    [INTERRUPTED] = "SIGINT",
    [NO_MEMORY] = "an allocation fails",
    [NO_SPACE] = "RLIMIT_AS",
    [NO_FILES] = "an open fails",
    [FEW_FILES] = "RLIMIT_NOFILE",
    [NO_THREADS] = "no thread or process",
    [FULL_DISK] = "a full disk under DIST_TRACE",
};

const char *plan_fault(enum fault fault)
{
    return names[fault];
}

static int64_t dice(struct plan *p, int64_t limit)
{
    return ref_below(&p->dice, limit);
}

static bool chance(struct plan *p, int one_in)
{
    return dice(p, one_in) == 0;
}

/* Of ten jobs one has no fault; it is as long as many others together. */
static void choose_fault(struct plan *p, int only)
{
    p->fault = chance(p, 10) ? NO_FAULT : (enum fault)(1 + dice(p, FAULTS - 1));
    if (only >= 0)
        p->fault = (enum fault)only;
    p->ranks = 2 + (int)dice(p, chance(p, 12) ? 63 : chance(p, 3) ? 15 : 6);
    p->steps = (p->fault == NO_FAULT ? 100 : 5) + (int)dice(p, 40);
    if (p->ranks > 16)
        p->steps = 3 + p->steps / 8;
}

/* Streams are threads: sixty ranks with some each would be a test of the machine. */
static void choose_settings(struct plan *p)
{
    static const char *const ways[] = { "gather", "tree", "ring", "halving", "messages" };
    p->threads = chance(p, 2);
    p->sim = p->ranks <= 12 && chance(p, 3);
    p->room = p->sim && chance(p, 3);
    p->threads |= p->room;
    p->check = chance(p, 4);
    p->trace = chance(p, 4) || p->fault == FULL_DISK;
    p->report = chance(p, 4);
    p->eager = chance(p, 3) ? 1 << dice(p, 17) : 0;
    p->algorithm = chance(p, 3) ? ways[dice(p, 5)] : NULL;
}

static void choose_moment(struct plan *p)
{
    bool outside = p->fault == LAUNCHER_GONE || p->fault == TERMINATED || p->fault == INTERRUPTED;
    p->victim = outside ? LAUNCHER : (int)dice(p, p->ranks);
    if ((p->fault == STOPPED || p->fault == NO_MEMORY || p->fault == NO_FILES || p->fault == NO_THREADS) &&
        chance(p, 6))
        p->victim = LAUNCHER;
    p->at_step = chance(p, 4) ? 0 : (int)dice(p, p->steps + 1);
    p->timed = outside || p->victim == LAUNCHER || (p->fault == KILLED && chance(p, 4));
    p->delay = (int)dice(p, p->timed ? 30000 : chance(p, 2) ? 100 : 3000);
    p->nth = 1 + (int)dice(p, chance(p, 3) ? 200 : 12);
    if (p->fault == NO_FILES || p->fault == NO_THREADS) { /* most are opened and started early */
        p->at_step = chance(p, 2) ? 0 : p->at_step;
        p->nth = 1 + (int)dice(p, p->victim == LAUNCHER ? 2 * p->ranks + 9 : 4);
    }
    p->limit = chance(p, 2) ? 1 : 1000000;
    p->pause = 50 + (int)dice(p, chance(p, 4) ? 1000 : 100);
    if (p->fault == NO_SPACE)
        p->limit = 20 + dice(p, chance(p, 2) ? 200 : 4000); /* MiB */
    if (p->fault == FEW_FILES)
        p->limit = 3 + dice(p, 5 * p->ranks + 20);
}

void plan_make(struct plan *p, uint64_t seed, int only_fault)
{
    *p = (struct plan){ .seed = seed, .dice = seed * 0x2545f4914f6cdd1du };
    choose_fault(p, only_fault);
    choose_settings(p);
    choose_moment(p);
}

void plan_print(const struct plan *p)
{
    printf("seed %llu: %s", (unsigned long long)p->seed, names[p->fault]);
    if (p->fault != NO_FAULT && p->victim >= 0)
        printf(", of rank %d", p->victim);
    else if (p->fault != NO_FAULT)
        printf(", of the launcher");
    if (p->timed)
        printf(", after %d us", p->delay);
    else
        printf(", at step %d + %d us", p->at_step, p->delay);
    printf(", n %d, limit %ld; %d ranks as %s, %d steps", p->nth, p->limit, p->ranks,
           p->threads ? "threads" : "processes", p->steps);
    printf("%s%s%s%s%s", p->sim ? " DEVICE=sim" : "", p->room ? " BACKEND=cuda" : "",
           p->check ? " DIST_CHECK=1" : "", p->trace ? " DIST_TRACE" : "", p->report ? " DIST_REPORT" : "");
    if (p->eager)
        printf(" DIST_BUFFERING=eager:%d", p->eager);
    if (p->algorithm)
        printf(" DIST_ALGORITHM=%s", p->algorithm);
    printf("\n");
}
