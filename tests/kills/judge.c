/* judge.c: what stderr and the exit status say of a case. */
#define _GNU_SOURCE
#include "kills.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static int count(const char *text, const char *what)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        found++;
    return found;
}

/* A rank that told and was killed before it could write that it had: a peer that takes over tells, too, and both are true. */
static bool killed_while_it_told(const char *text)
{
    char told[32], taken_over[32];
    snprintf(told, sizeof told, "rank %d: dist_", now.victim);
    snprintf(taken_over, sizeof taken_over, "rank %d has failed", now.victim);
    return count(text, ": dist_") == 2 && count(text, told) == 1 && count(text, taken_over) == 1;
}

const char *judge(const struct result *result)
{
    char killed[64];
    const char *text = result->text;
    int second = (now.victim + 1) % now.ranks, deaths = count(text, "killed by signal 9");
    int own = count(text, ": dist_") + count(text, "deadlock:");
    bool fails = now.program >= FAILING;
    if (now.how == KILL_LAUNCHER && result->killed)
        return NULL;
    if (now.how == TERM_WHILE_STOPPED && result->killed)
        return result->status == 128 + SIGTERM || fails ? NULL : "not ended by SIGTERM";
    if (now.how == KILL_FOREIGN && own > 1)
        return result->killed && killed_while_it_told(text) ? NULL : "told more than once";
    if (now.how == KILL_FOREIGN)
        return !result->status || *text ? NULL : "not told";
    if (!result->killed)
        return (result->status != 0) == fails && (own == 1) == fails ? NULL : "not killed, and yet wrong";
    snprintf(killed, sizeof killed, "%s", "the process that holds all ranks was");
    if (now.how != KILL_THREADS)
        snprintf(killed, sizeof killed, "rank %d was", now.victim);
    bool named = strstr(text, killed) != NULL;
    if (now.how == KILL_TWO && !named) {
        snprintf(killed, sizeof killed, "rank %d was", second);
        named = strstr(text, killed) != NULL;
    }
    if (deaths > 1)
        return "killed more than once";
    if (deaths == 1 && !named)
        return "another rank was killed, it says";
    if (deaths == 1)
        return result->status != 0 ? NULL : "killed, with exit status 0";
    return fails && own > 0 && result->status != 0 ? NULL : "nobody says who was killed";
}
