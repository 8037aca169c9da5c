/*
 * test_command_lines.c: does each program of build/bin say in one sentence what is wrong with its command line or its file, with the
 * right exit status, and without leaving half a file?
 */
#define _GNU_SOURCE
#include "started.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(command_lines, .timeout = 120);

static char folder[] = "/tmp/test_words.XXXXXX";

static void run(struct started *job, const char *line)
{
    char command[1000], here[400];
    cr_assert(getcwd(here, sizeof here));
    snprintf(command, sizeof command, "PATH=%s/build/bin:$PATH; cd %s && exec %s", here, folder, line);
    STARTED(job, NULL, "sh", "-c", command);
}

/* A trace, and what looks a little like one. */
static void make_files(void)
{
    static const char *const lines[] = {
        "cp /dev/null empty",
        "sh -c '(printf \"{\"; head -c 20000 /dev/urandom) >binary'", /* with a trace's first byte */
        "sh -c 'echo \"{\\\"a\\\": [1, 2]}\" >other.json'",
        "sh -c 'echo \"[1, 2]\" >list.json'",
        "sh -c 'echo \"{\\\"traceEvents\\\": [{\\\"ph\\\": \\\"X\\\", \\\"pid\\\": 1}]}\" >theirs.json'",
        "sh -c 'echo \"{\\\"class\\\": \\\"deadlock\\\", \\\"sentence\\\": \\\"s\\\", \\\"ranks\\\": []}\" "
        ">report.json'",
        "sh -c 'for i in 1 2 3; do head -c $((i * 999)) run.json >cut$i.json; done; head -c 1 run.json "
        ">cut4.json'",
        "sh -c 'echo kept >kept; printf \"#!/nowhere\\n\" >my_script; chmod +x my_script'",
    };
    struct started job;
    char setting[100];
    cr_assert(mkdtemp(folder));
    snprintf(setting, sizeof setting, "DIST_TRACE=%s/run.json", folder);
    STARTED(&job, SETTINGS(setting), "traced", "mixed");
    cr_assert_eq(job.status, 0, "%s", job.stderr_text);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        run(&job, lines[i]);
        cr_assert_eq(job.status, 0, "%s: %s", lines[i], job.stderr_text);
    }
}

static void remove_files(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}

#define KINDS "the kinds are flow, spacetime, schedule, collective, streams, overlap, matrix, waitfor"
#define NO_TRACE "it is no trace"
#define WRITES "DIST_TRACE=FILE.json makes a run write one\n"

static const struct {
    const char *line;
    int status;
    const char *words;
} wrong[] = {
    { "draw", 2, "usage: draw KIND FILE.json" },
    { "draw bogus", 2, "draw: there is no kind \"bogus\"; " KINDS "; draw --help shows" },
    { "draw flwo run.json", 2, KINDS "; did you mean flow?\n" },
    { "draw run.json", 2, "draw: there is no kind \"run.json\"; " KINDS },
    { "draw --time", 2, "draw: no kind of picture is named; " KINDS },
    { "draw flow", 2, "draw: no file is named; the trace stands after the kind" },
    { "draw flow run.json kept", 2, "draw: \"kept\" is one word too many" },
    { "draw flow run.json --tittle x", 2, "draw: there is no option --tittle; did you mean --title?\n" },
    { "draw flow run.json -x", 2, "draw: there is no option -x; draw --help shows what there is\n" },
    { "draw flow run.json -o", 2, "draw: -o stands last, but needs a word after it" },
    { "draw flow run.json -o ''", 2, "draw: what stands after -o is empty" },
    { "draw flow run.json --time=3", 2, "draw: --time takes no word" },
    { "draw collective run.json --nth=x", 2, "draw: --nth is \"x\"; it must be a whole number" },
    { "draw collective run.json --nth -1", 2, "draw: --nth is \"-1\"; it must be a whole number" },
    { "draw flow run.json --part 1", 2, "draw: --part is \"1\"; it must be two numbers" },
    { "draw flow run.json --part 3-1", 2,
      "draw: --part is \"3-1\"; it must be two numbers, the second greater" },
    { "draw flow run.json --part 90-91", 1,
      "the run has no collective 90 of all ranks, with which --part begins" },
    { "draw streams run.json --part 0-1", 2, "draw: --part does nothing to the kind streams" },
    { "draw matrix run.json --clocks", 2, "draw: --clocks does nothing to the kind matrix" },
    { "draw flow none", 1, "draw: none: there is no such file" },
    { "draw flow .", 1, "draw: .: it is a folder, and no file" },
    { "draw flow -- -x", 1, "draw: -x: there is no such file" },
    { "draw flow empty", 1, "it is empty, and so no trace; " WRITES },
    { "draw flow binary", 1, NO_TRACE },
    { "draw flow /etc/passwd", 1, WRITES },
    { "draw flow other.json", 1, NO_TRACE },
    { "draw flow list.json", 1, NO_TRACE },
    { "draw flow theirs.json", 1, "it is no trace of ours" },
    { "draw flow report.json", 1,
      "it is a report (DIST_REPORT) and no trace, which holds traceEvents; `draw waitfor`" },
    { "draw flow cut1.json", 1, "it is cut off after 999 bytes" },
    { "draw flow cut2.json", 1, "it is cut off after 1998 bytes" },
    { "draw flow cut3.json", 1, "it is cut off after 2997 bytes" },
    { "draw flow cut4.json", 1, "it is cut off after 1 bytes" },
    { "draw waitfor run.json", 1, "it is a trace (DIST_TRACE) and no report" },
    { "draw waitfor empty", 1, "it is empty, and so no report; DIST_REPORT=FILE.json makes a run write one" },
    { "draw waitfor binary", 1, "it is no report" },
    { "draw waitfor .", 1, "it is a folder, and no file" },
    { "draw flow run.json -o /no/such/x.dot", 1, "draw: /no/such/x.dot: cannot be written: No such file" },
    { "draw --help=1", 2, "draw: --help takes no word" },
    { "sh -c 'ulimit -f 1; draw flow run.json -o half.dot'", 1,
      "half.dot: cannot be written: File too large" },
    { "draw flow run.json -o .", 1, "draw: .: cannot be written: Is a directory" },
    { "draw flow run.json -o /dev/full", 1, "draw: /dev/full: cannot be written: No space left on device" },
    { "draw flow run.json >/dev/full", 1, "draw: stdout: cannot be written: No space left on device" },
    { "draw flow run.json >&-", 1, "draw: stdout: cannot be written: Bad file descriptor" },
    { "play", 2, "usage: play FILE.json" },
    { "play --blocks", 2, "play: no file is named" },
    { "play run.json kept", 2, "play: \"kept\" is one word too many" },
    { "play run.json --tittle x", 2, "play: there is no option --tittle; did you mean --title?\n" },
    { "play none", 1, "play: none: there is no such file" },
    { "play .", 1, "play: .: it is a folder, and no file" },
    { "play empty", 1, "it is empty, and so no trace; " WRITES },
    { "play binary", 1, NO_TRACE },
    { "play /etc/passwd", 1, "play: /etc/passwd: it is no trace" },
    { "play other.json", 1, NO_TRACE },
    { "play cut2.json", 1, "it is cut off after 1998 bytes" },
    { "play run.json -o /no/such/x.html", 1, "play: /no/such/x.html: cannot be written: No such file" },
    { "play run.json -o /dev/full", 1, "play: /dev/full: cannot be written: No space left on device" },
    { "play run.json >/dev/full", 1, "play: stdout: cannot be written: No space left on device" },
    { "topology bogus", 2, "topology: \"bogus\" is one word too many" },
    { "topology --rot /", 2, "topology: there is no option --rot; did you mean --root?\n" },
    { "topology --root none", 1, "topology: none: No such file or directory" },
    { "topology -o /no/such/x.dot", 1, "topology: /no/such/x.dot: cannot be written: No such file" },
    { "topology >/dev/full", 1, "topology: stdout: No space left on device" },
    { "distrun", 2, "usage: distrun [-n RANKS] [--restarts TIMES] PROGRAM" },
    { "distrun --restarts", 2, "distrun: --restarts stands last, but needs a number after it" },
    { "distrun --restarts -1 true", 2,
      "distrun: --restarts is \"-1\"; it must be a whole number from 0 to 1000." },
    { "distrun -n", 2, "distrun: -n stands last, but needs a number after it" },
    { "distrun -n 2", 2, "distrun: no program is named; it stands after the options." },
    { "distrun -n 4x true", 2, "distrun: -n is \"4x\"; it must be a whole number from 1 to 1024." },
    { "distrun -n '' true", 2, "distrun: -n is \"\"; it must be a whole number" },
    { "distrun -x true", 2, "distrun: there is no option -x; -n RANKS says how many" },
    { "distrun --hlep", 2, "distrun: there is no option --hlep; did you mean --help?" },
    { "distrun --nproc_per_node=4 true", 2, "there is no option --nproc_per_node; -n RANKS says how many" },
    { "distrun --versio", 2, "distrun: there is no option --versio; did you mean --version?" },
    { "distrun --help=1", 2, "distrun: --help takes no word." },
    { "distrun ''", 2, "distrun: no program is named" },
    { "distrun none", 127, "distrun: none was not found." },
    { "distrun my_script", 127, "distrun: my_script was not found; did you mean ./my_script?" },
    { "distrun -n 1 ./my_script", 126,
      "distrun: ./my_script could not be started: the interpreter that it names was not found." },
    { "distrun ./", 126, "distrun: ./ is not a program that can be run." },
    { "distrun ./run.json", 126, "distrun: ./run.json is not a program that can be run." },
};

Test(command_lines, what_is_wrong_is_told_in_one_sentence)
{
    struct started job;
    make_files();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        run(&job, wrong[i].line);
        const char *newline = strchr(job.stderr_text, '\n');
        cr_expect(job.status == wrong[i].status, "%s: status %d: %s", wrong[i].line, job.status,
                  job.stderr_text);
        cr_expect(strstr(job.stderr_text, wrong[i].words), "%s: no \"%s\" in: %s", wrong[i].line,
                  wrong[i].words, job.stderr_text);
        cr_expect(newline && newline[1] == '\0', "%s: not one line: %s", wrong[i].line, job.stderr_text);
    }
    run(&job, "ls -A");
    cr_expect(!strstr(job.stdout_text, ".new"), "half a file was left: %s", job.stdout_text);
    remove_files();
}

static const struct {
    const char *line, *begins;
} right[] = {
    { "draw --help", "usage: draw " },
    { "draw flow -h", "usage: draw " },
    { "draw --version", "draw 0." },
    { "draw flow run.json", "digraph " },
    { "draw flow --title=x -- run.json", "digraph " },
    { "play --help", "usage: play " },
    { "play --version", "play 0." },
    { "play run.json", "<!DOCTYPE html>" },
    { "topology --help", "usage: topology " },
    { "topology --version", "topology 0." },
    { "distrun --help", "usage: distrun " },
    { "distrun -n 2 --help", "usage: distrun " },
    { "distrun --version", "distrun 0." },
    { "distrun -n1 echo hello", "[0] hello\n" },
    { "distrun -np 1 -- echo hello", "[0] hello\n" },
    { "sh -c 'draw flow run.json -o new.dot && cat new.dot'", "digraph " },
    { "sh -c 'draw flow run.json -o kept && cat kept'", "digraph " },
    { "sh -c 'draw flow run.json -o /dev/stdout | cat'", "digraph " },
};

Test(command_lines, what_is_right_says_nothing_on_stderr)
{
    struct started job;
    make_files();
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        run(&job, right[i].line);
        cr_expect(job.status == 0 && job.stderr_text[0] == '\0', "%s: status %d: %s", right[i].line,
                  job.status, job.stderr_text);
        cr_expect(strncmp(job.stdout_text, right[i].begins, strlen(right[i].begins)) == 0, "%s: %s",
                  right[i].line, job.stdout_text);
    }
    remove_files();
}

/* What was there before a picture could not be made, or not be written, is there afterwards. */
Test(command_lines, a_file_that_was_there_outlives_a_failure)
{
    struct started job;
    make_files();
    run(&job, "sh -c 'draw flow binary -o kept 2>/dev/null; (ulimit -f 1; draw spacetime "
              "run.json -o kept 2>/dev/null); cat kept'");
    cr_expect_str_eq(job.stdout_text, "kept\n");
    run(&job, "ls -A");
    cr_expect(!strstr(job.stdout_text, ".new"), "half a file was left: %s", job.stdout_text);
    remove_files();
}
