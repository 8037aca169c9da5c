/*
 * play.c: a run as one page of HTML, with a slider and a play button: the messages walk over the ranks.
 *
 * The page needs nothing but itself. What happened is written into it as two lists: per message where it goes and when,
 * by logic; per rank what it holds after each step.
 */
#define _POSIX_C_SOURCE 200809L
#include "draw.h"
#include "play_page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_MESSAGES 5000
#define USAGE 2

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

static void print_messages(FILE *file, const struct run *run, const struct order *order)
{
    char text[160];
    fputs("const messages = [\n", file);
    for (int i = 0; i < run->message_count && i < MOST_MESSAGES; i++) {
        const struct message *m = &run->messages[i];
        fprintf(file, "{src: %d, dst: %d, from: %.2f, to: %.2f, text: ", run->acts[m->send].rank,
                run->acts[m->recv].rank, order->spot[m->send].at, order->spot[m->done].at);
        print_string(file, words_message(run, i, text, sizeof text));
        fprintf(file, ", clocks: [%d, %d]},\n", order->spot[m->send].clock, order->spot[m->done].clock);
    }
    fputs("];\n", file);
}

/* Waiting, computing, collectives, and the values that a rank is known to have. */
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
        print_string(file, known->count > 0 ? words_elements(known, 8, text, sizeof text) : "");
        fputs("},\n", file);
    }
    fputs("];\n", file);
}

static void print_lines(FILE *file, const char *const *lines)
{
    for (; *lines; lines++)
        fprintf(file, "%s\n", *lines);
}

static bool play(FILE *file, const struct run *run, const char *title)
{
    const struct order_style style = { .step = 1, .travel = 2, .width = no_width };
    struct order order;
    if (!order_find(&order, run, &style))
        return false;
    print_lines(file, play_page_head);
    fprintf(file, "const ranks = %d, end = %.2f;\nconst title = ", run->ranks, order.end + 1);
    print_string(file, title);
    fputs(";\n", file);
    print_messages(file, run, &order);
    print_acts(file, run, &order);
    print_lines(file, play_page_tail);
    order_free(&order);
    return true;
}

static int complain(const char *about, const char *sentence)
{
    fprintf(stderr, "play: %s: %s\n", about, sentence);
    return EXIT_FAILURE;
}

/* FILE.json, then perhaps -o OUT and --title TEXT. */
static bool read_command(int argc, char **argv, const char **file, const char **out, const char **title)
{
    for (int i = 1; i < argc; i++) {
        if (i + 1 < argc && strcmp(argv[i], "-o") == 0)
            *out = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--title") == 0)
            *title = argv[++i];
        else if (argv[i][0] == '-' || *file)
            return false;
        else
            *file = argv[i];
    }
    return *file != NULL;
}

int main(int argc, char **argv)
{
    const char *file = NULL, *out = NULL, *title = "A run, step by step";
    struct run run;
    if (!read_command(argc, argv, &file, &out, &title)) {
        fputs("usage: play FILE.json [-o PAGE.html] [--title TEXT]\n"
              "Makes a page that shows the run as a moving picture; without -o on stdout.\n",
              stderr);
        return USAGE;
    }
    if (!run_read(&run, file)) {
        int status = complain(file, run.why);
        run_free(&run);
        return status;
    }
    if (run.ranks > 64 || run.message_count > MOST_MESSAGES)
        fprintf(stderr, "play: %s: only the first 64 ranks and %d messages are shown\n", file, MOST_MESSAGES);
    FILE *page = out ? fopen(out, "wb") : stdout;
    bool good = page && play(page, &run, title);
    if (page)
        good = (out ? fclose(page) : fflush(page)) == 0 && good;
    run_free(&run);
    return good ? EXIT_SUCCESS : complain(out ? out : "stdout", strerror(errno));
}
