/* test_launch_names.c: is a variable that nobody reads told, once, with the name that was meant? */
#define _GNU_SOURCE
#include "../lib/launch/nearest.h"
#include "../lib/launch/settings.h"
#include "started.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define DISTRUN "build/bin/distrun"

TestSuite(launch_names, .timeout = 120);

static const struct {
    const char *name, *meant; /* NULL: no idea */
} unknown[] = {
    { "DIST_CONECT", "DIST_CONNECT" },   { "DIST_ALGORITM", "DIST_ALGORITHM" },
    { "DIST_BACKEND", "BACKEND" },       { "DIST_DEVICE", "DEVICE" },
    { "DIST_WORLD_SIZE", "WORLD_SIZE" }, { "DIST_RANK", "DIST_RANKS" },
    { "DISTTRACE", "DIST_TRACE" },       { "dist_trace", "DIST_TRACE" },
    { "DIST_TRACES", "DIST_TRACE" },     { "DIST_BUFERING", "DIST_BUFFERING" },
    { "DIST_NONSENSE", NULL },
};

Test(launch_names, a_name_that_nobody_reads_is_told_once)
{
    struct started job;
    char setting[60], line[200], path[600];
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        snprintf(setting, sizeof setting, "%s=lazy", unknown[i].name);
        snprintf(line, sizeof line,
                 unknown[i].meant ? "nobody reads %s; did you mean %s?\n" : "nobody reads %s; the names are ",
                 unknown[i].name, unknown[i].meant);
        STARTED(&job, SETTINGS(setting), "plain");
        cr_expect(job.status == 0 && strncmp(job.stderr_text, line, strlen(line)) == 0, "%s: %s", line,
                  job.stderr_text);
        STARTED(&job, SETTINGS(setting, "WORLD_SIZE=4"), DISTRUN, program_path("plain", path, sizeof path));
        cr_expect(job.status == 0 && strncmp(job.stderr_text, line, strlen(line)) == 0, "%s: %s", line,
                  job.stderr_text);
        cr_expect(!strstr(job.stderr_text + strlen(line), "nobody reads"), "twice: %s", job.stderr_text);
    }
    STARTED(&job, SETTINGS("DIST_CONECT=lazy"), "talk", "pieces");
    cr_expect_str_eq(job.stderr_text, "nobody reads DIST_CONECT; did you mean DIST_CONNECT?\n");
    STARTED(&job, SETTINGS("DIST_CONECT=lazy", "RANK=1", "WORLD_SIZE=2", "DIST_INIT_TIMEOUT=1"), "plain");
    cr_expect(!strstr(job.stderr_text, "nobody reads"), "rank 1 says it, too: %s", job.stderr_text);
    STARTED(&job, SETTINGS("DISTANCE=1", "DISTRO=debian", "BACKENDS=2", "XDIST=3", "DIST_TEST_SEED=1"),
            "plain");
    cr_expect_str_eq(job.stderr_text, "");
}

Test(launch_names, what_is_near)
{
    static const char *const pairs[][2] = {
        { "rnig", "ring" }, { "nccl ", "nccl" }, { "SHM", "shm" }, { "thread", "threads" }
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct nearest nearest = nearest_to(pairs[i][0], strlen(pairs[i][0]));
        nearest_try(&nearest, "something else", 14);
        nearest_try(&nearest, pairs[i][1], strlen(pairs[i][1]));
        cr_expect(nearest.found == pairs[i][1] && nearest.distance == (i == 2 ? 0 : 1), "%s", pairs[i][0]);
    }
    struct nearest nothing = nearest_to("", 0), far = nearest_to("live", 4);
    nearest_try(&nothing, "a", 1);
    nearest_try(&far, "ordered", 7);
    cr_expect(!nothing.found && !far.found);
}

/* The system and launchers set these; others stand in a table of lib/launch/env.c, and in join.c. */
static const char *const of_launchers[] = {
    "PATH",
    "TERM",
    "NCCL_COMM_ID",
    "TORCHELASTIC_USE_AGENT_STORE",
    "TORCHELASTIC_RUN_ID",
    "RANK",
    "PMI_FD",
    "PMI_PORT",
    "PMIX_NAMESPACE",
    "SLURM_STEP_ID",
    "SLURM_STEP_NUM_TASKS",
    "SLURM_PTY_PORT",
};

/* A new variable belongs into the table. */
Test(launch_names, every_variable_that_the_library_reads_is_in_the_table)
{
    char name[80];
    FILE *names = popen("grep -rhoE '(getenv|setting_(text|is|number|check))\\(\"[A-Z_]+\"' lib "
                        "--include=*.c | sed 's/.*(\"//; s/\"//' | sort -u",
                        "r");
    int count = 0;
    for (; fgets(name, sizeof name, names); count++) {
        bool found = false;
        name[strcspn(name, "\n")] = '\0';
        for (size_t i = 0; i < sizeof of_launchers / sizeof *of_launchers; i++)
            found = found || strcmp(of_launchers[i], name) == 0;
        for (size_t i = 0; i < settings_count; i++)
            found = found || strcmp(settings[i].name, name) == 0;
        cr_expect(found, "%s is not in lib/launch/settings.c", name);
    }
    pclose(names);
    cr_expect_gt(count, 15);
}
