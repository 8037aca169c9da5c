/*
 * main.c: walks through every model, then through every model with each of its faults built in.
 *
 *     tests/model [-v]     -v: also print, step by step, how each fault goes wrong
 *
 * A model passes if no reachable state breaks its promise. A fault passes if a state that breaks it IS found: an
 * explorer that cannot fail would prove nothing.
 */
#include "models.h"

#include <stdio.h>
#include <string.h>

static const struct model *const models[] = { &model_eventcount, &model_lock,   &model_helper,
                                              &model_channel,    &model_wanted, &model_barrier,
                                              &model_offers,     &model_ahead,  &model_leaders,
                                              &model_bundles,    &model_burst,  &model_wants };

/* How many checks went well, and how many did not. */
struct tally {
    int passed, failed;
};

static void tally_up(struct tally *tally, bool good)
{
    if (good)
        tally->passed++;
    else
        tally->failed++;
}

static void check_model(const struct model *model, struct tally *tally)
{
    printf("%s: %s\n", model->name, model->promise);
    for (int i = 0; model->scenarios[i].name; i++) {
        struct outcome outcome = explore(model, i, 0, true);
        tally_up(tally, !outcome.broken);
        printf("  %-4s %9zu states  %s\n", outcome.broken ? "FAIL" : "ok", outcome.states,
               model->scenarios[i].name);
        fflush(stdout);
    }
}

static void check_faults(const struct model *model, bool tell, struct tally *tally)
{
    for (int i = 0; model->faults[i].name; i++) {
        if (tell)
            printf("    if %s:\n", model->faults[i].name);
        struct outcome outcome = explore(model, model->faults[i].scenario, i + 1, tell);
        bool found = outcome.broken && outcome.length > 0;
        tally_up(tally, found);
        if (found)
            printf("  ok   found in %2d steps  %s\n", outcome.length, model->faults[i].name);
        else
            printf("  FAIL not found (%zu states)  %s\n", outcome.states, model->faults[i].name);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    struct tally tally = { 0 };
    bool tell = argc > 1 && strcmp(argv[1], "-v") == 0;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        check_model(models[i], &tally);
        check_faults(models[i], tell, &tally);
    }
    printf("%d passed, %d failed\n", tally.passed, tally.failed);
    return tally.failed ? 1 : 0;
}
