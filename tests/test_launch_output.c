/* test_launch_output.c: does everything that ranks print arrive, in the form that was asked for? */
#define _GNU_SOURCE
#include "started.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

TestSuite(launch_output, .timeout = 60);

static const char *const modes[] = { "DIST_RANKS=processes", "DIST_RANKS=threads" };

static int count_lines(const char *text)
{
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

Test(launch_output, live_lines_carry_their_rank)
{
    struct started job;
    for (size_t mode = 0; mode < 2; mode++) {
        STARTED(&job, SETTINGS(modes[mode]), "talk", "lines");
        cr_expect_eq(job.status, 0);
        cr_expect_eq(count_lines(job.stdout_text), 8, "%s", job.stdout_text);
        cr_expect(strncmp(job.stdout_text, "before\n", 7) == 0, "printed once, before all else");
        cr_expect(strstr(job.stdout_text, "\nafter\n"));
        for (int rank = 0; rank < 3; rank++) {
            char first[64], second[64], complaint[64];
            snprintf(first, sizeof first, "\n[%d] rank %d of 3\n", rank, rank);
            snprintf(second, sizeof second, "\n[%d] second line of %d\n", rank, rank);
            snprintf(complaint, sizeof complaint, "[%d] rank %d complains\n", rank, rank);
            const char *at = strstr(job.stdout_text, first);
            cr_expect(at && strstr(at, second), "%s", job.stdout_text);
            cr_expect(strstr(job.stderr_text, complaint), "%s", job.stderr_text);
        }
    }
}

Test(launch_output, ordered_is_grouped_by_rank)
{
    struct started job;
    for (size_t mode = 0; mode < 2; mode++) {
        STARTED(&job, SETTINGS(modes[mode], "DIST_OUTPUT=ordered"), "talk", "lines");
        cr_expect_str_eq(job.stdout_text, "before\n"
                                          "rank 0 of 3\nsecond line of 0\n"
                                          "rank 1 of 3\nsecond line of 1\n"
                                          "rank 2 of 3\nsecond line of 2\n"
                                          "after\n");
        cr_expect_str_eq(job.stderr_text, "rank 0 complains\nrank 1 complains\nrank 2 complains\n");
    }
}

Test(launch_output, a_line_in_pieces_and_without_end_is_a_line)
{
    struct started job;
    for (size_t mode = 0; mode < 2; mode++) {
        STARTED(&job, SETTINGS(modes[mode], "DIST_OUTPUT=ordered"), "talk", "pieces");
        cr_expect_str_eq(job.stdout_text, "before\none line\none line\none line\n");
    }
    STARTED(&job, NULL, "talk", "pieces");
    for (int rank = 0; rank < 3; rank++) {
        char line[32];
        snprintf(line, sizeof line, "[%d] one line\n", rank);
        cr_expect(strstr(job.stdout_text, line), "%s", job.stdout_text);
    }
}

/* 100,000 letters a rank: cut once, and none is lost. The one more is in "before". */
Test(launch_output, long_lines_are_cut_but_whole)
{
    struct started job;
    STARTED(&job, NULL, "sh", "-c", "\"$0\" long | tr -cd abc | wc -c",
            program_path("talk", (char[600]){ "" }, 600));
    cr_expect_str_eq(job.stdout_text, "300001\n");
    STARTED(&job, SETTINGS("DIST_OUTPUT=ordered"), "sh", "-c", "\"$0\" long | tr -cd abc | wc -c",
            program_path("talk", (char[600]){ "" }, 600));
    cr_expect_str_eq(job.stdout_text, "300001\n");
}

Test(launch_output, last_words_come_before_the_report)
{
    struct started job;
    STARTED(&job, NULL, "sh", "-c", "exec \"$0\" 'last words' 2>&1",
            program_path("talk", (char[600]){ "" }, 600));
    const char *words = strstr(job.stdout_text, "[2] something went wr\n");
    const char *report = strstr(job.stdout_text, "rank 2 was killed by signal 6 (SIGABRT)");
    cr_expect(words && report && words < report, "%s", job.stdout_text);
    cr_expect_eq(job.status, 134);
}

Test(launch_output, only_rank_0_has_the_input)
{
    struct started job;
    STARTED(&job, SETTINGS("DIST_OUTPUT=ordered"), "sh", "-c", "echo hello | \"$0\" stdin",
            program_path("talk", (char[600]){ "" }, 600));
    cr_expect_str_eq(job.stdout_text, "before\nhello\nnothing\nnothing\n");
}

Test(launch_output, a_grandchild_that_keeps_the_pipe_holds_nobody_up)
{
    struct started job;
    started_begin(&job, NULL, (const char *const[]){ "talk", "grandchild", NULL });
    started_end(&job, 20);
    cr_expect(job.status == 0 && job.seconds < 2.5, "status %d after %.1f s", job.status, job.seconds);
}

Test(launch_output, nobody_reads_any_more)
{
    struct started job;
    const char *const settings[] = { "DIST_OUTPUT=live", "DIST_OUTPUT=ordered" };
    for (int i = 0; i < 2; i++) {
        STARTED(&job, SETTINGS(settings[i]), "sh", "-c", "(\"$0\" flood; echo \"status $?\" >&2) | head -n 2",
                program_path("talk", (char[600]){ "" }, 600));
        cr_expect_eq(count_lines(job.stdout_text), 2);
        cr_expect_str_eq(job.stderr_text, "status 141\n");
        cr_expect(job.seconds < 5, "%.1f s", job.seconds);
    }
}

/* As with a pager that has stopped: nobody takes what is to be written when Ctrl-C comes. */
Test(launch_output, a_signal_while_nobody_reads)
{
    struct started job;
    started_begin(&job, NULL, (const char *const[]){ "talk", "flood", NULL });
    usleep(700000);
    kill(job.pid, SIGINT);
    usleep(500000);
    started_end(&job, 20);
    cr_expect_eq(job.status, 128 + SIGINT);
    cr_expect_str_eq(job.stderr_text, "interrupted by SIGINT\n");
}

/* A pager that goes on after all ranks have ended, a bit at a time. */
Test(launch_output, a_slow_reader_has_all_in_the_end)
{
    struct started job;
    const char *const settings[] = { "DIST_OUTPUT=live", "DIST_OUTPUT=ordered", modes[1] };
    for (int i = 0; i < 3; i++) {
        STARTED(
            &job, SETTINGS(settings[i]), "sh", "-c",
            "\"$0\" pages | (for i in $(seq 20); do dd bs=4k count=1; sleep 0.1; done 2>/dev/null; cat) | "
            "grep -c ' a*$'",
            program_path("talk", (char[600]){ "" }, 600));
        cr_expect_str_eq(job.stdout_text, "3000\n", "%s", settings[i]);
    }
}

/* Ranks that end well because they were asked to have their say, too. */
Test(launch_output, asked_to_end_while_nobody_reads)
{
    struct started job;
    STARTED(&job, NULL, "sh", "-c",
            "(\"$0\" asked; echo \"status $?\" >&2) | (sleep 2; grep -c -e 'was asked' -e 'line 9999 of')",
            program_path("talk", (char[600]){ "" }, 600));
    cr_expect_str_eq(job.stdout_text, "5\n");
    cr_expect_str_eq(job.stderr_text, "status 0\n");
}

Test(launch_output, a_full_disk_is_an_error)
{
    struct started job;
    STARTED(&job, NULL, "sh", "-c", "exec \"$0\" pieces >/dev/full",
            program_path("talk", (char[600]){ "" }, 600));
    cr_expect_eq(job.status, 48);
    cr_expect_str_eq(job.stderr_text, "the output could not be written: No space left on device.\n");
}

Test(launch_output, closed_standard_files)
{
    struct started job;
    STARTED(&job, NULL, "sh", "-c", "exec \"$0\" lines <&- >&-",
            program_path("talk", (char[600]){ "" }, 600));
    cr_expect_eq(job.status, 0);
    cr_expect(strstr(job.stderr_text, "[1] rank 1 complains\n"));
}

/* Nor does what ranks print that another launcher has started come to the memory that they share. */
Test(launch_output, closed_standard_files_under_another_launcher)
{
    struct started job;
    STARTED(&job, SETTINGS("WORLD_SIZE=2"), "sh", "-c",
            "for r in 0 1; do RANK=$r \"$0\" 1 50 2>&- & all=\"$all $!\"; done; "
            "for p in $all; do wait $p || exit; done",
            program_path("rounds", (char[600]){ "" }, 600));
    cr_expect_eq(job.status, 0, "ended with %d", job.status);
}
