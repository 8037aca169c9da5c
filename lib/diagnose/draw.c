/*
 * draw.c: the drawing of a diagnosis, as a file: beside the one that DIST_REPORT names, else in a directory of the
 * user's own, always the same file, so that nothing piles up.
 */
#define _GNU_SOURCE
#include "diagnose.h"
#include "picture.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DOING 40
#define PATIENCE 200 /* times 10 ms for the SVG */

extern char **environ;

/* "send to 1", in few words: a box is small. */
static void say_doing(const struct diagnosis *d, int rank, char *text)
{
    const struct view *view = &d->views[rank];
    const struct note_op *op = &view->open[0];
    const char *call = call_name((enum call)(waits(view) ? op->call : view->call >> 16));
    if (has_left(view))
        snprintf(text, DOING, "finished");
    else if (!waits(view) && view->call == 0)
        snprintf(text, DOING, "computing");
    else if (!waits(view) || op->kind == NOTE_COLLECTIVE)
        snprintf(text, DOING, "%s", strncmp(call, "dist_", 5) == 0 ? call + 5 : call);
    else if (op->peer == DIST_ANY_SOURCE)
        snprintf(text, DOING, "receive from any");
    else
        snprintf(text, DOING, "%s %d", op->kind == NOTE_SEND ? "send to" : "receive from", op->peer);
}

/* Does anything of this rank's wait show? Of many ranks only those are drawn that take part. */
static int collect_edges(const struct diagnosis *d, int (*edges)[2], int most)
{
    int count = 0;
    for (int rank = 0; rank < d->size; rank++)
        for (int peer = 0; peer < d->size; peer++)
            if (count < most && waits_for(d, rank, peer)) {
                edges[count][0] = rank;
                edges[count++][1] = peer;
            }
    return count;
}

static bool write_dot(const struct diagnosis *d, FILE *file)
{
    size_t size = (size_t)d->size, most = size < 256 ? size * size : 65536;
    char(*doing)[DOING] = calloc(size, sizeof *doing);
    const char **words = calloc(size, sizeof *words);
    bool *finished = calloc(size, sizeof *finished), written = false;
    int(*edges)[2] = calloc(most, sizeof *edges);
    if (doing && words && finished && edges) {
        for (int rank = 0; rank < d->size; rank++) {
            say_doing(d, rank, doing[rank]);
            words[rank] = doing[rank];
            finished[rank] = has_left(&d->views[rank]);
        }
        struct waitfor_picture picture = { .class = class_name(d->class),
                                           .count = d->size,
                                           .doing = words,
                                           .finished = finished,
                                           .edge_count = collect_edges(d, edges, (int)most),
                                           .edges = edges,
                                           .cycle_count = d->cycle_length,
                                           .cycle = d->cycle };
        written = picture_write(&picture, file);
    }
    free(doing);
    free(words);
    free(finished);
    free(edges);
    return written;
}

/* A directory that nobody else can write to, nor lead us astray with. */
static bool own_directory(char *path, size_t size)
{
    const char *where = getenv("TMPDIR");
    struct stat status;
    if ((size_t)snprintf(path, size, "%s/dist-%ld", where && *where ? where : "/tmp", (long)geteuid()) >=
        size)
        return false;
    mkdir(path, 0700);
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 077) == 0;
}

/* Where the drawing shall lie, without ".dot". */
static bool choose_path(const char *report, char *path, size_t size)
{
    char directory[2048];
    size_t length = report ? strlen(report) : 0;
    if (length > 5 && strcmp(report + length - 5, ".json") == 0)
        length -= 5;
    if (length > 0)
        return (size_t)snprintf(path, size, "%.*s", (int)length, report) < size;
    return own_directory(directory, sizeof directory) &&
           (size_t)snprintf(path, size, "%s/deadlock", directory) < size;
}

/* Let Graphviz make FROM an SVG. False: there is none, or it takes too long. */
static bool make_svg(char *from, char *to)
{
    posix_spawn_file_actions_t files;
    char *words[] = { "neato", "-n2", "-Tsvg", "-o", to, from, NULL };
    pid_t pid;
    int status = -1;
    posix_spawn_file_actions_init(&files);
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
    bool started = posix_spawnp(&pid, words[0], &files, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    pid_t ended = started ? 0 : -1;
    for (int i = 0; i < PATIENCE && ended == 0; i++)
        if ((ended = waitpid(pid, &status, WNOHANG)) == 0)
            usleep(10000);
    if (ended == 0) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        return false;
    }
    return ended > 0 && status == 0;
}

/* Somebody looks: at a terminal, or later at the file that was asked for. Else the DOT does. */
static bool wants_svg(const char *report)
{
    return (report && *report) || isatty(STDERR_FILENO);
}

void draw_graph(const struct diagnosis *d, const char *report)
{
    char path[2200], beside[2300], dot[2300], svg[2300], half[2300];
    if (!choose_path(report, path, sizeof path))
        return;
    snprintf(beside, sizeof beside, "%s.%ld.new", path, (long)getpid());
    snprintf(half, sizeof half, "%s.%ld.svg", path, (long)getpid());
    snprintf(dot, sizeof dot, "%s.dot", path);
    snprintf(svg, sizeof svg, "%s.svg", path);
    FILE *file = fopen(beside, "wxe");
    if (!file)
        return;
    bool written = write_dot(d, file);
    written &= fclose(file) == 0;
    if (!written || rename(beside, dot) != 0) {
        unlink(beside);
        return;
    }
    bool drawn = wants_svg(report) && make_svg(dot, half) && rename(half, svg) == 0;
    if (!drawn)
        unlink(half);
    dprintf(STDERR_FILENO, "drawing: %s\n", drawn ? svg : dot);
}
