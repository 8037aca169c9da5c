/* draw.c: the drawing program: a trace, or a report, becomes DOT. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "draw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KINDS "flow, spacetime, schedule, collective, streams, overlap, matrix, waitfor"

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
    "  --time             spacetime, schedule: by the clock; otherwise by logic, the same in every run\n"
    "  --clocks           spacetime: each event's Lamport clock beside it\n"
    "  --part A-B         only from collective A of all ranks to before collective B, counted from 0;\n"
    "                     not of streams, overlap and waitfor\n"
    "  --name all_gather  collective: which call; --nth N: which of several, from 0\n"
    "  --name SPAN        streams: from that span on, and a box for each span; --nth N: which of several\n"
    "  --version          which version this is\n"
    "\n"
    "Render it with: neato -n2 -Tsvg OUT.dot -o OUT.svg\n";

typedef bool drawing(struct picture *p, const struct run *run, const struct wish *wish, char *why);

static const struct {
    const char *name;
    drawing *draw;     /* NULL: it reads a report itself */
    const char *takes; /* of the options that not all take */
} kinds[] = {
    { "flow", draw_flow, "--part" },
    { "spacetime", draw_spacetime, "--part --time --clocks" },
    { "schedule", draw_schedule, "--part --time" },
    { "collective", draw_collective, "--part --name --nth" },
    { "streams", draw_streams, "--name --nth" },
    { "overlap", draw_overlap, "" },
    { "matrix", draw_matrix, "--part" },
    { "waitfor", NULL, "" },
};

/* The command line. */
struct command {
    struct cli cli;
    int kind; /* in kinds; -1: none */
    const char *file, *out, *part, *nth;
    int from, to; /* --part; -1: no such end */
    struct wish wish;
};

/* A number that ends at `until`; gives what follows, NULL: there is no such number. */
static const char *read_number(const char *text, char until, int *number)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != until || value >= 1000000000)
        return NULL;
    *number = (int)value;
    return *end ? end + 1 : end;
}

static int read_numbers(struct command *command)
{
    const char *rest = command->part ? read_number(command->part, '-', &command->from) : NULL;
    if (command->part && (!rest || !read_number(rest, 0, &command->to) || command->to <= command->from))
        return cli_refuse(&command->cli,
                          "--part is \"%.40s\"; it must be two numbers, the second greater, as in 0-3",
                          command->part);
    if (command->nth && !read_number(command->nth, 0, &command->wish.nth))
        return cli_refuse(&command->cli, "--nth is \"%.40s\"; it must be a whole number, counted from 0",
                          command->nth);
    return -1;
}

static int read_kind(struct command *command)
{
    const char *word = command->cli.words[0];
    char meant[60];
    for (size_t k = 0; word && command->kind < 0 && k < sizeof kinds / sizeof kinds[0]; k++)
        if (strcmp(word, kinds[k].name) == 0)
            command->kind = (int)k;
    if (!word)
        return cli_refuse(&command->cli, "no kind of picture is named; the kinds are " KINDS);
    if (command->kind < 0)
        return cli_refuse(&command->cli, "there is no kind \"%.60s\"; the kinds are " KINDS "%s", word,
                          cli_meant(word, KINDS, meant, sizeof meant));
    command->file = command->cli.words[1];
    return command->file ? -1
                         : cli_refuse(&command->cli, "no file is named; the trace stands after the kind");
}

static int check_taken(struct command *command)
{
    const struct {
        const char *name;
        bool given;
    } options[] = { { "--part", command->part },
                    { "--name", command->wish.name },
                    { "--nth", command->nth },
                    { "--time", command->wish.time },
                    { "--clocks", command->wish.clocks } };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (options[i].given && !strstr(kinds[command->kind].takes, options[i].name))
            return cli_refuse(&command->cli, "%s does nothing to the kind %s", options[i].name,
                              kinds[command->kind].name);
    return -1;
}

static int read_command(struct command *command, int argc, char **argv)
{
    const struct cli_option options[] = {
        { "-o", &command->out, NULL },           { "--title", &command->wish.title, NULL },
        { "--time", NULL, &command->wish.time }, { "--clocks", NULL, &command->wish.clocks },
        { "--part", &command->part, NULL },      { "--name", &command->wish.name, NULL },
        { "--nth", &command->nth, NULL },        { NULL, NULL, NULL }
    };
    *command = (struct command){ .kind = -1, .from = -1, .to = -1 };
    command->cli = (struct cli){ .program = "draw", .help = help, .options = options, .least = 2, .most = 2 };
    int status = cli_read(&command->cli, argc, argv);
    if (status < 0)
        status = read_kind(command);
    if (status < 0)
        status = read_numbers(command);
    if (status < 0)
        status = check_taken(command);
    command->cli.options = NULL;
    return status;
}

static bool draw_report(struct picture *p, const struct command *command, char *why)
{
    struct json json;
    bool good = json_open(&json, command->file) && draw_waitfor(p, &json, &command->wish, why);
    if (json.why[0])
        run_say_unread(&json, "report", "DIST_REPORT", why, 200);
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
    if (good && !run_cut(&run, command->from, command->to)) {
        snprintf(why, 200, "the run has no collective %d of all ranks, with which --part begins",
                 command->from);
        good = false;
    } else if (good) {
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
int main(int argc, char **argv)
{
    struct command command;
    char *text = NULL, why[200] = "";
    size_t size = 0;
    int status = read_command(&command, argc, argv);
    if (status >= 0)
        return status;
    struct picture p = { .file = open_memstream(&text, &size) };
    if (!p.file)
        return cli_fail(&command.cli, NULL, strerror(errno));
    bool good = draw(&p, &command, why);
    bool whole = fclose(p.file) == 0 && text;
    status = good && whole ? cli_write(&command.cli, command.out, command.file, text, size)
                           : cli_fail(&command.cli, command.file, good ? "the system gives no memory" : why);
    free(text);
    return status;
}
