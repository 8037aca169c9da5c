/*
 * play.c: a run as a moving picture: the messages walk over the ranks. With -o FILE.svg an image (play_svg.c), else one page of
 * HTML with a slider and a play button.
 *
 * The page needs nothing but itself. What happened is written into it as two lists: per message where it goes and when,
 * by logic; per rank what it holds after each step.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "draw.h"
#include "play_page.h"
#include "play_svg.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_MESSAGES 5000
#define FEW 8 /* elements that a rank's circle has room for */

/* Inside <script>: no quote, no < and nothing that ends a line may stand there as itself. */
static void print_string(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == 0x7f)
            fprintf(file, "\\u%04x", c);
        else
            putc(c, file);
    }
    putc('"', file);
}

static double no_width(const struct act *span)
{
    (void)span;
    return 1;
}

/* What a message is called. One that follows on a span with a number has its name: "forward 3" is what a pipeline sends on. */
static const char *name_message(const struct run *run, int message, char *text, size_t size)
{
    int send = run->messages[message].send, rank = run->acts[send].rank;
    for (int i = send - 1; i >= run->first[rank]; i--) {
        const char *name = run->acts[i].name;
        if (run->acts[i].kind == ACT_SPAN && *name && isdigit((unsigned char)name[strlen(name) - 1]))
            return snprintf(text, size, "%s", name), text;
    }
    return words_message(run, message, text, size);
}

static void print_messages(FILE *file, const struct run *run, const struct order *order)
{
    char text[160];
    fputs("const messages = [\n", file);
    for (int i = 0; i < run->message_count && i < MOST_MESSAGES; i++) {
        const struct message *m = &run->messages[i];
        fprintf(file, "{src: %d, dst: %d, from: %.2f, to: %.2f, text: ", run->acts[m->send].rank,
                run->acts[m->recv].rank, order->spot[m->send].at, order->spot[m->done].at);
        print_string(file, name_message(run, i, text, sizeof text));
        fputs("},\n", file);
    }
    fputs("];\n", file);
}

/* Waiting, computing, collectives, and the values that a rank is known to have, where they are few. */
static void print_acts(FILE *file, const struct run *run, const struct order *order)
{
    static const char *const words[] = { "send", "recv", "isend", "irecv", "meet", "wait", "span", "other" };
    char text[400];
    fputs("const acts = [\n", file);
    for (int i = 0; i < run->count && i < 4 * MOST_MESSAGES; i++) {
        const struct act *act = &run->acts[i];
        const struct elements *known = act->out.count > 0 ? &act->out : &act->in;
        if (act->kind == ACT_OTHER || !order->spot[i].known)
            continue;
        fprintf(file, "{rank: %d, kind: \"%s\", from: %.2f, to: %.2f, name: ", act->rank, words[act->kind],
                fmax(order->spot[i].from, 0), order->spot[i].at);
        print_string(file, act->name);
        fputs(", has: ", file);
        print_string(
            file, known->count > 0 && known->count <= FEW ? words_elements(known, 8, text, sizeof text) : "");
        fputs("},\n", file);
    }
    fputs("];\n", file);
}

/* With --blocks: what each rank has of each block, and when. */
static bool print_blocks(FILE *file, const struct run *run, const struct order *order, bool wanted)
{
    struct story story = { 0 };
    bool good = !wanted || story_tell(&story, run, order, true);
    fprintf(file, "const blockCount = %d, blocks = [\n", story.blocks);
    for (int i = 0; i < story.hold_count; i++) {
        const struct hold *hold = &story.holds[i];
        fprintf(file, "{rank: %d, block: %d, from: %.2f, to: %.2f, text: ", hold->rank, hold->block,
                hold->from, hold->to);
        print_string(file, hold->text);
        fputs("},\n", file);
    }
    fputs("];\n", file);
    story_free(&story);
    return good;
}

static void print_lines(FILE *file, const char *const *lines)
{
    for (; *lines; lines++)
        fprintf(file, "%s\n", *lines);
}

static bool print_page(FILE *file, const struct run *run, const struct order *order,
                       const struct command *command)
{
    print_lines(file, play_page_head);
    fprintf(file, "const ranks = %d, end = %.2f;\nconst title = ", run->ranks, order->end + 1);
    print_string(file, command->title);
    fputs(";\n", file);
    print_messages(file, run, order);
    print_acts(file, run, order);
    bool good = print_blocks(file, run, order, command->blocks);
    print_lines(file, play_page_tail);
    return good;
}

static bool is_image(const struct command *command)
{
    size_t length = command->out ? strlen(command->out) : 0;
    return length > 4 && strcmp(command->out + length - 4, ".svg") == 0;
}

static bool play(FILE *file, const struct run *run, const struct command *command)
{
    const struct order_style style = { .step = 1, .travel = 2, .width = no_width };
    struct order order;
    bool good = order_find(&order, run, &style);
    if (good && is_image(command))
        good = play_svg(file, run, &order, command);
    else if (good)
        good = print_page(file, run, &order, command);
    order_free(&order);
    return good;
}

static const char usage[] = "usage: play FILE.json [-o PAGE.html] [--title TEXT] [--blocks]     a page that "
                            "shows the run as a moving picture\n"
                            "       play FILE.json -o IMAGE.svg [--title TEXT] [--caption TEXT] [--blocks]   "
                            "       an image that moves\n"
                            "--blocks: the program passes blocks on, what a rank sends is what it received "
                            "before and perhaps changed\n"
                            "Without -o the page goes to stdout.\n";

/* FILE.json, then perhaps -o OUT, --title TEXT, and for an image --caption TEXT and --blocks. -1, or an exit status. */
static int read_command(int argc, char **argv, struct cli *cli, struct command *command)
{
    const struct cli_option options[] = { { "-o", &command->out, NULL },
                                          { "--title", &command->title, NULL },
                                          { "--caption", &command->caption, NULL },
                                          { "--blocks", NULL, &command->blocks },
                                          { NULL, NULL, NULL } };
    *cli = (struct cli){ .program = "play", .help = usage, .options = options, .least = 1, .most = 1 };
    int status = cli_read(cli, argc, argv);
    command->file = cli->words[0];
    cli->options = NULL;
    return status < 0 && !command->file ? cli_refuse(cli, "no file is named") : status;
}

/* Not everything fits. Gives an exit status. */
static int look_at_size(const struct run *run, const struct command *command)
{
    if (is_image(command) && (run->ranks > SVG_RANKS || run->message_count > SVG_MESSAGES)) {
        fprintf(stderr,
                "play: %s: %d ranks and %d messages are too many for an image, which shows %d and %d; "
                "make a page: -o run.html\n",
                command->file, run->ranks, run->message_count, SVG_RANKS, SVG_MESSAGES);
        return EXIT_FAILURE;
    }
    if (run->ranks > 64 || run->message_count > MOST_MESSAGES)
        fprintf(stderr, "play: %s: only the first 64 ranks and %d messages are shown\n", command->file,
                MOST_MESSAGES);
    return EXIT_SUCCESS;
}

/* Made in memory first: what cannot be shown leaves no file. */
static int write_out(const struct cli *cli, const struct run *run, const struct command *command)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bool good = file && play(file, run, command);
    if (file)
        good = fclose(file) == 0 && text && good;
    int status = good ? cli_write(cli, command->out, command->file, text, size)
                      : cli_fail(cli, NULL, "the system gives no memory");
    free(text);
    return status;
}

int main(int argc, char **argv)
{
    struct command command = { .title = "A run, step by step", .caption = "" };
    struct cli cli;
    struct run run;
    int status = read_command(argc, argv, &cli, &command);
    if (status >= 0)
        return status;
    status =
        run_read(&run, command.file) ? look_at_size(&run, &command) : cli_fail(&cli, command.file, run.why);
    if (status == EXIT_SUCCESS)
        status = write_out(&cli, &run, &command);
    run_free(&run);
    return status;
}
