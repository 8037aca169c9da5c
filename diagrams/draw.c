/* draw.c: the drawing program: a trace, or a report, becomes DOT. */
#define _POSIX_C_SOURCE 200809L
#include "draw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define USAGE 2 /* exit status: the command line makes no sense */

static const char help[] =
    "usage: draw KIND FILE.json [-o OUT.dot] [OPTION...]\n"
    "\n"
    "Draws what a run did. FILE.json is what DIST_TRACE=FILE.json left behind; of a report\n"
    "(DIST_REPORT) the kind waitfor makes a drawing.\n"
    "\n"
    "  flow         which ranks talk to which\n"
    "  spacetime    a line for each rank, time to the right, an arrow for each message\n"
    "  schedule     who computes when, and the share of time in which nobody does\n"
    "  collective   the blocks of a collective, before and after\n"
    "  streams      what the streams of each GPU were busy with, by the clock\n"
    "  overlap      how much communication was hidden behind computing, as text\n"
    "  matrix       who sent how many bytes to whom\n"
    "  waitfor      who waits for whom\n"
    "\n"
    "  -o FILE            write there; without it to stdout\n"
    "  --title TEXT       what stands above\n"
    "  --time             positions by the clock; otherwise by logic, the same in every run\n"
    "  --part A-B         only from collective A of all ranks to before collective B, counted from 0\n"
    "  --name all_gather  collective: which call; --nth N: which of several, from 0\n"
    "\n"
    "Render it with: neato -n2 -Tsvg OUT.dot -o OUT.svg\n";

typedef bool drawing(struct picture *p, const struct run *run, const struct wish *wish, char *why);

static const struct {
    const char *name;
    drawing *draw; /* NULL: it reads a report itself */
} kinds[] = {
    { "flow", draw_flow },         { "spacetime", draw_spacetime },
    { "schedule", draw_schedule }, { "collective", draw_collective },
    { "streams", draw_streams },   { "overlap", draw_overlap },
    { "matrix", draw_matrix },     { "waitfor", NULL },
};

/* The command line. */
struct command {
    int kind; /* in kinds; -1: none */
    const char *file, *out;
    int from, to; /* --part; -1: no such end */
    struct wish wish;
};

static int complain(const char *sentence, const char *about)
{
    fprintf(stderr, "draw: %s%s%s\n", about ? about : "", about ? ": " : "", sentence);
    return EXIT_FAILURE;
}

static bool read_number(const char *text, char until, int *number, const char **rest)
{
    char *end;
    long value = strtol(text, &end, 10);
    bool good = end != text && *end == until && value >= 0 && value < 1000000000;
    *number = good ? (int)value : 0;
    *rest = *end ? end + 1 : end;
    return good;
}

/* One option with its word. False: it is none of ours, or its word is wrong. */
static bool read_option(struct command *command, const char *option, const char *word)
{
    const char *rest;
    if (strcmp(option, "-o") == 0)
        command->out = word;
    else if (strcmp(option, "--title") == 0)
        command->wish.title = word;
    else if (strcmp(option, "--name") == 0)
        command->wish.name = word;
    else if (strcmp(option, "--nth") == 0)
        return read_number(word, 0, &command->wish.nth, &rest);
    else if (strcmp(option, "--part") == 0)
        return read_number(word, '-', &command->from, &rest) && read_number(rest, 0, &command->to, &rest);
    else
        return false;
    return true;
}

static bool read_command(struct command *command, int argc, char **argv)
{
    *command = (struct command){ .kind = -1, .from = -1, .to = -1 };
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--time") == 0)
            command->wish.time = true;
        else if (argv[i][0] == '-' && (i + 1 == argc || !read_option(command, argv[i], argv[i + 1])))
            return false;
        else if (argv[i][0] == '-')
            i++;
        else if (command->kind >= 0 && command->file)
            return false;
        else if (command->kind >= 0)
            command->file = argv[i];
        for (size_t k = 0; command->kind < 0 && k < sizeof kinds / sizeof kinds[0]; k++)
            if (strcmp(argv[i], kinds[k].name) == 0)
                command->kind = (int)k;
    }
    return command->kind >= 0 && command->file;
}

static bool draw_report(struct picture *p, const struct command *command, char *why)
{
    struct json json;
    bool good = json_open(&json, command->file) && draw_waitfor(p, &json, &command->wish, why);
    if (json.why[0])
        snprintf(why, 200, "%s", json.why);
    json_close(&json);
    return good;
}

static bool draw(struct picture *p, const struct command *command, char *why)
{
    drawing *draw_run = kinds[command->kind].draw;
    struct run run;
    if (!draw_run)
        return draw_report(p, command, why);
    bool good = run_read(&run, command->file);
    if (good) {
        run_cut(&run, command->from, command->to);
        if (run.lost > 0)
            fprintf(stderr, "draw: %s: %lld later events did not fit into the trace and are not drawn\n",
                    command->file, (long long)run.lost);
        good = draw_run(p, &run, &command->wish, why);
    } else {
        snprintf(why, 200, "%.190s", run.why);
    }
    run_free(&run);
    return good;
}

/* The picture is made in memory first: a run that cannot be drawn leaves no file. */
static int write_out(const char *path, const char *text, size_t size)
{
    FILE *file = path ? fopen(path, "wb") : stdout;
    bool good = file && fwrite(text, 1, size, file) == size;
    if (file)
        good = (path ? fclose(file) : fflush(file)) == 0 && good;
    return good ? EXIT_SUCCESS : complain(strerror(errno), path ? path : "stdout");
}

int main(int argc, char **argv)
{
    struct command command;
    char *text = NULL, why[200] = "";
    size_t size = 0;
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return fputs(help, stdout) < 0;
    if (!read_command(&command, argc, argv)) {
        fputs("draw: the command line is not understood; draw --help shows what there is\n", stderr);
        return USAGE;
    }
    struct picture p = { .file = open_memstream(&text, &size) };
    if (!p.file)
        return complain(strerror(errno), NULL);
    bool good = draw(&p, &command, why);
    bool whole = fclose(p.file) == 0;
    int status = good && whole ? write_out(command.out, text, size)
                               : complain(good ? "the system gives no memory" : why, command.file);
    free(text);
    return status;
}
