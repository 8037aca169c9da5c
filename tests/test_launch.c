/*
 * test_launch.c: whatever ends a rank, does the job end with one clear report, soon, and leave nothing behind?
 *
 * DIST_TEST_SEED repeats a run that failed.
 */
#define _GNU_SOURCE
#include "started.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SOON 4.0 /* seconds; the promise is one, but the tests share two cores */

TestSuite(launch, .timeout = 120);

static const char *const modes[] = { "DIST_RANKS=processes", "DIST_RANKS=threads" };

/* The report that begins with `sentence` is there, and there is only one. */
static bool reported_once(const struct started *job, const char *sentence)
{
    const char *first = strstr(job->stderr_text, sentence), *rest = first ? first + strlen(sentence) : "";
    return first && !strstr(rest, "was killed") && !strstr(rest, "exited with") &&
           !strstr(rest, "ended without");
}

static unsigned seed_of_run(void)
{
    const char *given = getenv("DIST_TEST_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL) ^ (unsigned)getpid();
    printf("seed %u\n", seed);
    return seed;
}

/* 200 jobs, each rank 50 times; at a moment anywhere between the start and some thousand messages later. */
Test(launch, killed_at_random_moments)
{
    unsigned seed = seed_of_run();
    struct started job;
    for (int i = 0; i < 200; i++) {
        char rank[8], moment[16], sentence[80];
        long most = i % 2 ? 30000 : 3000;
        snprintf(rank, sizeof rank, "%d", i % 4);
        snprintf(moment, sizeof moment, "%ld", rand_r(&seed) % most);
        snprintf(sentence, sizeof sentence, "rank %s was killed by signal 9 (SIGKILL)", rank);
        STARTED(&job, NULL, "doomed", "kill", rank, moment);
        cr_assert(job.status == 137 && reported_once(&job, sentence) && job.seconds < SOON,
                  "run %d: rank %s after %s us: status %d after %.1f s: %s", i, rank, moment, job.status,
                  job.seconds, job.stderr_text);
    }
}

static const struct {
    const char *how;
    int status;
    const char *sentence;
} ends[] = {
    { "segv", 139, "rank 2 was killed by signal 11 (SIGSEGV) in its own code, after dist_" },
    { "abort", 134, "rank 2 was killed by signal 6 (SIGABRT) in its own code, after dist_" },
    { "exit:3", 3, "rank 2 exited with status 3 in its own code, after dist_" },
    { "exit:0", 41, "rank 2 ended without dist_destroy_process_group in its own code, after dist_" },
    { "left:5", 5,
      "rank 2 exited with status 5 in its own code, after dist_destroy_process_group (doomed.c:" },
    { "early", 41, "rank 2 ended without dist_init_process_group" },
};

Test(launch, every_kind_of_end_is_named)
{
    struct started job;
    for (size_t mode = 0; mode < 2; mode++)
        for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
            STARTED(&job, SETTINGS(modes[mode]), "doomed", ends[i].how, "2", "5000");
            cr_expect(job.status == ends[i].status && reported_once(&job, ends[i].sentence),
                      "%s, %s: status %d: %s", ends[i].how, modes[mode], job.status, job.stderr_text);
            cr_expect(strstr(job.stderr_text, "\nRanks 0, 1 and 3 were stopped"), "%s", job.stderr_text);
            cr_expect(job.seconds < SOON, "%s took %.1f s", ends[i].how, job.seconds);
        }
}

/* It had done all, but there are others in that process. */
Test(launch, a_rank_that_exits_where_ranks_are_threads)
{
    struct started job;
    STARTED(&job, SETTINGS("DIST_RANKS=threads"), "doomed", "left:0", "2", "5000");
    cr_expect(
        job.status == 41 &&
            reported_once(
                &job, "rank 2 called exit() in its own code, after dist_destroy_process_group (doomed.c:"),
        "status %d: %s", job.status, job.stderr_text);
    cr_expect(
        strstr(job.stderr_text, "), which ends all ranks where they are threads; let run() return instead."),
        "%s", job.stderr_text);
}

Test(launch, the_process_of_all_threads_is_killed)
{
    struct started job;
    STARTED(&job, SETTINGS("DIST_RANKS=threads"), "doomed", "kill", "1", "5000");
    cr_expect_eq(job.status, 137);
    cr_expect(reported_once(&job, "the process that holds all ranks was killed by signal 9 (SIGKILL)"), "%s",
              job.stderr_text);
}

/* A word among the arguments by which these processes can be found again. */
static const char *new_tag(char *tag, size_t size, const char *name)
{
    snprintf(tag, size, "tag-%s-%ld-%ld", name, (long)getpid(), (long)time(NULL));
    return tag;
}

/* Started, and every rank has said its line. */
static void begin_idle(struct started *job, const char *mode, const char *how, const char *tag)
{
    started_begin(job, SETTINGS(mode), (const char *const[]){ "idle", how, tag, NULL });
    char line[64];
    for (size_t lines = 0; lines < 4;) {
        ssize_t got = read(job->out, line, sizeof line);
        cr_assert(got > 0, "idle ended too soon");
        for (ssize_t i = 0; i < got; i++)
            lines += line[i] == '\n';
    }
}

static bool gone_soon(const char *tag)
{
    double deadline = seconds_now() + SOON;
    while (processes_with(tag) > 0 && seconds_now() < deadline)
        usleep(5000);
    return processes_with(tag) == 0;
}

Test(launch, no_rank_outlives_its_watcher)
{
    for (size_t mode = 0; mode < 2; mode++) {
        struct started job;
        char tag[64];
        begin_idle(&job, modes[mode], "stubborn", new_tag(tag, sizeof tag, "watcher"));
        cr_expect_eq(processes_with(tag), mode == 0 ? 5 : 2);
        kill(job.pid, SIGKILL);
        cr_expect(gone_soon(tag), "%s: %d processes are left", modes[mode], processes_with(tag));
        started_end(&job, 5);
    }
}

/* Ctrl-C reaches the ranks as well as the watcher; kill reaches the watcher alone. */
Test(launch, a_signal_ends_everything_with_one_line)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    static const char *const names[] = { "SIGINT", "SIGTERM", "SIGHUP" };
    for (int i = 0; i < 24; i++) {
        struct started job;
        char tag[64], line[64];
        int number = signals[i % 3];
        bool group = i / 3 % 2, stubborn = i / 6 % 2;
        begin_idle(&job, modes[i / 12], stubborn ? "stubborn" : "mild", new_tag(tag, sizeof tag, "signal"));
        kill(group ? -job.pid : job.pid, number);
        started_end(&job, 10);
        snprintf(line, sizeof line, "interrupted by %s\n", names[i % 3]);
        cr_expect_str_eq(job.stderr_text, line);
        cr_expect_eq(job.status, 128 + number);
        cr_expect(gone_soon(tag), "%d processes are left", processes_with(tag));
    }
}

/* SIGTERM is passed on to ranks that catch it, and waits for them; whoever cannot wait says it twice. */
Test(launch, ranks_that_catch_sigterm_may_end_by_themselves)
{
    for (int i = 0; i < 4; i++) {
        struct started job;
        char tag[64];
        bool twice = i / 2 == 1;
        begin_idle(&job, modes[i % 2], "tidy", new_tag(tag, sizeof tag, "tidy"));
        kill(job.pid, SIGTERM);
        if (twice) {
            usleep(100000);
            kill(job.pid, SIGTERM);
        }
        started_end(&job, 10);
        cr_expect_str_eq(job.stderr_text, twice ? "interrupted by SIGTERM\n" : "");
        cr_expect_eq(job.status, twice ? 128 + SIGTERM : 0);
        cr_expect(twice || strstr(job.stdout_text, "is tidy"), "it said: %s", job.stdout_text);
        cr_expect(gone_soon(tag), "%d processes are left", processes_with(tag));
    }
}

Test(launch, a_stopped_job_goes_on)
{
    struct started job;
    char tag[64];
    begin_idle(&job, modes[0], "mild", new_tag(tag, sizeof tag, "stop"));
    kill(-job.pid, SIGSTOP);
    usleep(300000);
    kill(-job.pid, SIGCONT);
    usleep(100000);
    cr_expect_eq(processes_with(tag), 5);
    kill(-job.pid, SIGTERM);
    started_end(&job, 10);
    cr_expect_eq(job.status, 128 + SIGTERM);
}

/* The world has no name anywhere; a library that used shm_open would show here. */
Test(launch, no_shared_memory_has_a_name)
{
    struct started job;
    STARTED(&job, NULL, "doomed", "kill", "1", "5000");
    DIR *directory = opendir("/dev/shm");
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        cr_expect(!strstr(entry->d_name, "dist"), "/dev/shm/%s was left", entry->d_name);
    if (directory)
        closedir(directory);
}

/* A report half written by a rank that is killed meanwhile; with a place that was asked for, and without. */
Test(launch, half_a_file_is_put_away)
{
    struct started job;
    for (size_t mode = 0; mode < 4; mode++) {
        char folder[] = "/tmp/half.XXXXXX", own[64], place[96], how[110], setting[96];
        cr_assert(mkdtemp(folder));
        snprintf(own, sizeof own, "%s/dist-%ld", folder, (long)geteuid());
        cr_assert_eq(mkdir(own, 0700), 0);
        bool asked = mode / 2;
        snprintf(place, sizeof place, asked ? "%s/report.json" : "%s/deadlock.json", asked ? folder : own);
        snprintf(setting, sizeof setting, asked ? "DIST_REPORT=%s" : "TMPDIR=%s", asked ? place : folder);
        snprintf(how, sizeof how, "writing:%s", place);
        STARTED(&job, SETTINGS(modes[mode % 2], setting), "doomed", how, "1", "5000");
        cr_expect_eq(job.status, 128 + SIGKILL);
        unlink(place);
        cr_expect(rmdir(own) == 0 && rmdir(folder) == 0, "%s: something was left there", setting);
    }
}

Test(launch, many_ranks)
{
    struct started job;
    for (size_t mode = 0; mode < 2; mode++) {
        STARTED(&job, SETTINGS(modes[mode], "WORLD_SIZE=64"), "talk", "lines");
        cr_expect(job.status == 0 && job.seconds < SOON, "status %d after %.1f s", job.status, job.seconds);
        cr_expect(strstr(job.stdout_text, "[63] rank 63 of 64\n"));
        cr_expect(strstr(job.stdout_text, "[0] second line of 0\n"));
    }
}
