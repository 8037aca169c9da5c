/*
 * steps.h: which collectives must a rank take part in, with whom, and one after the other? The desk puts each call of the
 * learner's function into a span of its own, "desk's call 0", "desk's call 1", and so on.
 */
#ifndef GRADERS_STEPS_H
#define GRADERS_STEPS_H

#include "../../grader/grader.h"

#include <string.h>

/* Over ranks first, first + stride, ...; root -1: it has none. */
struct step {
    const char *call, *where;
    int first, stride, count, root;
};

/* Where the acts inside the desk's call number `nth` begin, and where they end. */
static inline int steps_mark(const struct sitting *s, int rank, int nth)
{
    int i = s->run->first[rank];
    for (; i < s->run->first[rank + 1]; i++)
        if (s->run->acts[i].kind == ACT_SPAN && strncmp(s->run->acts[i].name, "desk's call", 11) == 0 &&
            nth-- == 0)
            break;
    return i;
}

static inline int steps_calls(const struct sitting *s, int rank, int nth, const char *name)
{
    int count = 0;
    for (int i = steps_mark(s, rank, nth); i < steps_mark(s, rank, nth + 1); i++)
        count += s->run->acts[i].kind != ACT_SPAN && strcmp(s->run->acts[i].name, name) == 0;
    return count;
}

static inline bool steps_is(const struct act *act, const struct members *m, const struct step *step)
{
    bool same = m && strcmp(act->name, step->call) == 0 && m->count == step->count;
    for (int i = 0; same && i < m->count; i++)
        same = m->rank[i] == step->first + i * step->stride;
    return same && (step->root < 0 || (act->root >= 0 && m->rank[act->root] == step->root));
}

/* "broadcast over ranks 1, 4 with root 4" */
static inline const char *steps_words(const char *call, const int *ranks, int count, int root, char *words,
                                      size_t size)
{
    int used = snprintf(words, size, "%s over ranks", call);
    for (int i = 0; i < count && used < (int)size; i++)
        used += snprintf(words + used, size - (size_t)used, "%s %d", i ? "," : "", ranks[i]);
    if (root >= 0 && used < (int)size)
        snprintf(words + used, size - (size_t)used, " with root %d", root);
    return words;
}

static inline const char *steps_act_words(const struct act *act, const struct members *m)
{
    static char words[128];
    return m ? steps_words(act->name, m->rank, m->count, act->root >= 0 ? m->rank[act->root] : -1, words,
                           sizeof words)
             : "something";
}

static inline const char *steps_step_words(const struct step *step)
{
    static char words[128];
    int ranks[8];
    for (int i = 0; i < step->count; i++)
        ranks[i] = step->first + i * step->stride;
    return steps_words(step->call, ranks, step->count, step->root, words, sizeof words);
}

/* Are the collectives in this call of the desk, but for those in groups of one, just these? `when` says which call it is. */
static inline void steps_follow(struct sitting *s, int rank, int nth, const char *when,
                                const struct step *steps, int count)
{
    int made = 0;
    for (int i = steps_mark(s, rank, nth), end = steps_mark(s, rank, nth + 1); i < end; i++) {
        const struct act *act = &s->run->acts[i];
        const struct members *m = run_group(s->run, act->group);
        if (act->kind != ACT_COLLECTIVE || (m && m->count == 1))
            continue;
        const struct step *step = made < count ? &steps[made] : NULL;
        bool right = step && steps_is(act, m, step), world = m && m->count == s->ranks;
        if (!claim(s, step != NULL, "%s: rank %d calls %s, and has nothing to do here any more", when, rank,
                   steps_act_words(act, m)) ||
            !claim(s, right || !world || step->count == s->ranks,
                   "%s: rank %d calls %s over the whole world, where only some have to meet", when, rank,
                   act->name) ||
            !claim(s, right, "%s: rank %d calls %s; here it is %s, %s", when, rank, steps_act_words(act, m),
                   steps_step_words(step), step->where))
            return;
        made++;
    }
    claim(s, made == count, "%s: rank %d takes part in %d collectives with others, and not in %d", when, rank,
          made, count);
}

#endif
