/* misuse.c: see misuse.h. */
#define _GNU_SOURCE
#include "misuse.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEADLINE_MS 20000

/* ---- what the machine looks like ------------------------------------------------ */

/* How many files are in /dev/shm. Criterion keeps some there, and so do MPI programs. */
static int shm_files(void)
{
    static const char *const others[] = { ".", "bxf", "vader", "sm_segment", "sem.", "mpich", "ompi" };
    int count = 0;
    DIR *folder = opendir("/dev/shm");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        bool known = false;
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
            known = known || strncmp(entry->d_name, others[i], strlen(others[i])) == 0;
        count += !known;
    }
    if (folder != NULL)
        closedir(folder);
    return count;
}

/* How many files more there are than before. What other programs have made meanwhile goes soon. */
static int shm_files_more(int before)
{
    int more = shm_files() - before;
    for (int ms = 0; more > 0 && ms < 5000; ms += 5) {
        usleep(5000);
        more = shm_files() - before;
    }
    return more;
}

/* Orphans of the child become children of this process (a subreaper): soon there must be none. Any that are left are
 * killed and counted. */
static int processes_left(void)
{
    for (int ms = 0; ms < 1000; ms += 5) {
        pid_t ended;
        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        if (ended < 0)
            return 0;
        usleep(5000);
    }
    char command[64];
    int left = 0;
    snprintf(command, sizeof command, "/proc/self/task/%d/children", (int)getpid());
    FILE *children = fopen(command, "r");
    for (int pid; children != NULL && fscanf(children, "%d", &pid) == 1; left++)
        kill(pid, SIGKILL);
    if (children != NULL)
        fclose(children);
    while (waitpid(-1, NULL, 0) > 0)
        ;
    return left;
}

/* ---- the child ------------------------------------------------------------------- */

static _Noreturn void be_the_program(const struct misuse *misuse, int out)
{
    char *variable = misuse->variable != NULL ? strdup(misuse->variable) : NULL;
    dup2(out, STDERR_FILENO);
    if (variable != NULL)
        putenv(variable);
    if (misuse->device != NULL)
        setenv("DEVICE", misuse->device, 1);
    _exit(dist_spawn(misuse->run, misuse->ranks));
}

/* Keep what the child says until it has no more to say. False: the deadline came first. */
static bool listen_to(int in, char *said, size_t size)
{
    size_t length = 0;
    struct pollfd waiting = { .fd = in, .events = POLLIN };
    while (poll(&waiting, 1, DEADLINE_MS) > 0) {
        char rest[256];
        bool room = length + 1 < size;
        ssize_t got = read(in, room ? said + length : rest, room ? size - 1 - length : sizeof rest);
        if (got <= 0)
            return true;
        if (room)
            said[length += (size_t)got] = '\0';
    }
    return false;
}

/* ---- the report ------------------------------------------------------------------ */

/* A report is broken into lines of a terminal; put it together again. With a prefix or without: "[0]   further". */
static void join_lines(char *said)
{
    for (char *at = said; (at = strchr(at, '\n')) != NULL;) {
        char *rest = at + 1, *prefix_end = strstr(rest, "] ");
        if (*rest == '[' && prefix_end != NULL)
            rest = prefix_end + 2;
        bool goes_on = strncmp(rest, "  ", 2) == 0;
        if (goes_on)
            memmove(at + 1, rest + 2, strlen(rest + 2) + 1);
        *at++ = goes_on ? ' ' : '\n';
    }
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Does the text name a line of the source: "(file.c:17)"? Gives what follows, or NULL. */
static const char *after_place(const char *text, const char *file)
{
    char head[80];
    snprintf(head, sizeof head, "(%s:", base_name(file));
    const char *at = strstr(text, head);
    size_t digits = at != NULL ? strspn(at + strlen(head), "0123456789") : 0;
    return digits > 0 ? at + strlen(head) + digits : NULL;
}

/* "rank 1: dist_send (file.c:17): ...", or without a place where the mistake is outside. */
static bool is_sentence(const char *line, const struct misuse *misuse)
{
    char head[80];
    snprintf(head, sizeof head, "%s: ", misuse->call != NULL ? misuse->call : "");
    const char *rest = misuse->file != NULL ? after_place(line, misuse->file) : strstr(line, head);
    return rest != NULL && (misuse->file == NULL || strncmp(rest, "): ", 3) == 0);
}

/* What the watcher says where nothing can move any more; it goes on for some lines. */
static bool is_diagnosis(const char *line)
{
    return strncmp(line, "deadlock: ", 10) == 0 || strncmp(line, "peer left: ", 11) == 0 ||
           strncmp(line, "mismatch: ", 10) == 0;
}

/* One report, which has all that it must have in it. */
static void check_report(const struct misuse *misuse, struct misuse_outcome *outcome)
{
    char text[sizeof outcome->said], report[sizeof outcome->said] = "";
    int reports = 0, lines = 0;
    bool diagnosed = false;
    snprintf(text, sizeof text, "%s", outcome->said);
    for (char *rest = NULL, *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        lines += strstr(line, "see: chapter ") == NULL; /* the report's second line */
        diagnosed = diagnosed || is_diagnosis(line);
        if (!is_sentence(line, misuse) && !is_diagnosis(line))
            continue;
        reports++;
        snprintf(report, sizeof report, "%s", is_diagnosis(line) ? outcome->said : line);
    }
    if (reports != 1 || (lines > 2 && !diagnosed))
        snprintf(outcome->wrong, sizeof outcome->wrong, "%d reports in %d lines; must be one report", reports,
                 lines);
    else if (misuse->file != NULL && after_place(report, misuse->file) == NULL)
        snprintf(outcome->wrong, sizeof outcome->wrong, "the report does not name a line of %s",
                 misuse->file);
    else if (misuse->call != NULL && strstr(report, misuse->call) == NULL)
        snprintf(outcome->wrong, sizeof outcome->wrong, "the report does not name %s", misuse->call);
    for (const char *const *word = misuse->words; reports == 1 && *word != NULL; word++) {
        bool lesson = strncmp(*word, "see: ", 5) == 0; /* it has a line of its own */
        if (strstr(lesson ? outcome->said : report, *word) == NULL)
            snprintf(outcome->wrong, sizeof outcome->wrong, "the report does not have \"%s\"", *word);
    }
}

bool misuse_run(const struct misuse *misuse, struct misuse_outcome *outcome)
{
    int pipes[2], status = 0, files = shm_files();
    *outcome = (struct misuse_outcome){ .status = -1 };
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (pipe(pipes) != 0)
        return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        be_the_program(misuse, pipes[1]);
    close(pipes[1]);
    bool ended = child > 0 && listen_to(pipes[0], outcome->said, sizeof outcome->said);
    if (child > 0 && !ended)
        kill(child, SIGKILL);
    close(pipes[0]);
    waitpid(child, &status, 0);
    outcome->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    int left = processes_left();

    join_lines(outcome->said);
    check_report(misuse, outcome);
    if (outcome->status != (int)misuse->error)
        snprintf(outcome->wrong, sizeof outcome->wrong, "exit status %d, must be %d (%s)", outcome->status,
                 (int)misuse->error, dist_error_name(misuse->error));
    if (!ended)
        snprintf(outcome->wrong, sizeof outcome->wrong, "it did not end within %d s", DEADLINE_MS / 1000);
    if (left > 0)
        snprintf(outcome->wrong, sizeof outcome->wrong, "%d processes are left", left);
    int more = shm_files_more(files);
    if (more > 0)
        snprintf(outcome->wrong, sizeof outcome->wrong, "/dev/shm has %d files more", more);
    return outcome->wrong[0] == '\0';
}
