/* explain.c: a report (DIST_REPORT) becomes one page that explains a run that failed. explain.h has the parts. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "explain.h"

#include <stdlib.h>
#include <string.h>

#define LAST 8 /* acts of each rank that are drawn */

static const char help[] =
    "usage: explain REPORT.json [-o PAGE.html] [--trace TRACE.json] [--source FOLDER]\n"
    "\n"
    "One page of a run that failed: what was reported, who waited for whom, where in the program, and\n"
    "what to change. The report is what DIST_REPORT=REPORT.json left, or the file that a report names.\n"
    "\n"
    "  -o FILE          write there; without it to stdout\n"
    "  --trace FILE     the same run's DIST_TRACE=FILE: the last calls of each rank are drawn, too\n"
    "  --source FOLDER  where to look for the program's files; otherwise here and below\n"
    "  --version        which version this is\n"
    "\n"
    "The pictures need Graphviz. The page needs nothing: it is one file.\n";

struct command {
    struct cli cli;
    const char *file, *out, *trace, *source;
};

static const char *const head[] = { "<!DOCTYPE html>",
                                    "<html lang='en'>",
                                    "<meta charset='utf-8'>",
                                    "<meta name='viewport' content='width=device-width, initial-scale=1'>",
                                    "<title>A run that failed</title>",
                                    "<style>",
                                    "body { margin: 0 auto; padding: 1em; max-width: 60em; color: #1F2933; "
                                    "font: 16px/1.5 Helvetica, Arial, sans-serif }",
                                    "h1 { font-size: 1.4em } h2 { font-size: 1.15em; margin-top: 1.8em } h3 "
                                    "{ font-size: 1em; margin-bottom: 0 }",
                                    "pre { background: #F1F4F7; padding: .7em; overflow-x: auto; font-size: "
                                    "14px } pre b { background: #FDE2E1 }",
                                    "table { border-collapse: collapse } td, th { text-align: left; padding: "
                                    ".2em 1em .2em 0; border-bottom: 1px solid #DDE3E9 }",
                                    "figure { margin: 1em 0 } svg { max-width: 100%; height: auto } del { "
                                    "color: #B42318; text-decoration: none }",
                                    "ins { color: #00805C; text-decoration: none }",
                                    "</style>",
                                    NULL };

static void put_member(FILE *page, const struct value *entry, const char *name)
{
    const struct value *value = value_member(entry, name);
    fputs("<td>", page);
    if (value && value->kind == VALUE_STRING)
        explain_text(page, value->text);
    else if (value && value->kind == VALUE_NUMBER)
        fprintf(page, "%.0f", value->number);
    fputs("</td>", page);
}

static void put_ranks(FILE *page, const struct value *report)
{
    static const char *const names[] = { "rank",  "state", "call", "peer", "tag",
                                         "count", "type",  "file", "line" };
    const struct value *list = value_member(report, "ranks");
    fputs("<h2>Where each rank stood</h2>\n<table>\n<tr>", page);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fprintf(page, "<th>%s</th>", names[i]);
    fputs("</tr>\n", page);
    for (const struct value *entry = list ? list->first : NULL; entry; entry = entry->next) {
        fputs("<tr>", page);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            put_member(page, entry, names[i]);
        fputs("</tr>\n", page);
    }
    fputs("</table>\n", page);
}

static void put_sentence(FILE *page, const struct value *report)
{
    const char *class = value_text(report, "class", "failed"), *advice = value_text(report, "advice", NULL);
    fputs("<h1>", page);
    for (const char *c = class; *c; c++)
        *c == '_' ? (void)fputc(' ', page) : explain_text(page, (char[]){ *c, '\0' });
    fputs(": ", page);
    explain_text(page, value_text(report, "sentence", ""));
    fputs("</h1>\n", page);
    if (advice) {
        fputs("<p><b>Try:</b> ", page);
        explain_text(page, advice);
        fputs(".</p>\n", page);
    }
    if (value_text(report, "lesson", NULL)) {
        fputs("<p><b>See:</b> ", page);
        explain_text(page, value_text(report, "lesson", ""));
        fputs(".</p>\n", page);
    }
}

/* Draw into memory. NULL: why. */
static char *draw_waits(const char *path, char *why)
{
    struct json json;
    struct wish wish = { .title = NULL };
    char *text = NULL;
    size_t size = 0;
    struct picture p = { .file = open_memstream(&text, &size) };
    bool good = p.file && json_open(&json, path) && draw_waitfor(&p, &json, &wish, why);
    if (p.file && json.why[0])
        run_say_unread(&json, "report", "DIST_REPORT", why, 200);
    if (p.file)
        json_close(&json);
    good = p.file && fclose(p.file) == 0 && good;
    if (good)
        return text;
    free(text);
    return NULL;
}

static char *draw_last(const char *path, char *why)
{
    struct run run;
    struct wish wish = { .title = "The last calls of each rank" };
    char *text = NULL;
    size_t size = 0;
    struct picture p = { .file = open_memstream(&text, &size) };
    bool good = p.file && run_read(&run, path);
    if (p.file && !good)
        snprintf(why, 200, "%.190s", run.why);
    if (good)
        run_keep_last(&run, LAST);
    good = good && draw_spacetime(&p, &run, &wish, why);
    if (p.file)
        run_free(&run);
    good = p.file && fclose(p.file) == 0 && good;
    if (good)
        return text;
    free(text);
    return NULL;
}

static void put_page(FILE *page, const struct command *command, const struct value *report, const char *waits,
                     const char *last)
{
    bool drawn = true;
    for (int i = 0; head[i]; i++)
        fprintf(page, "%s\n", head[i]);
    put_sentence(page, report);
    explain_change(page, report, command->source);
    fputs("<h2>Who waited for whom</h2>\n", page);
    drawn &= explain_svg(page, waits, "Who waited for whom");
    put_ranks(page, report);
    fputs("<h2>In the program</h2>\n", page);
    explain_source(page, report, command->source);
    fputs("<h2>The last calls before</h2>\n", page);
    if (last)
        drawn &= explain_svg(page, last, "The last calls of each rank");
    else
        fputs("<p>Run it once more with <code>DIST_TRACE=trace.json</code>, and make this page with "
              "<code>--trace trace.json</code>: they are drawn here.</p>\n",
              page);
    if (!drawn)
        fputs("<p>There are no pictures, since Graphviz (<code>neato</code>) is not installed.</p>\n", page);
}

/* All is read and drawn before a file is begun. Gives an exit status. */
static int explain(const struct command *command)
{
    char why[200] = "the system gives no memory", *text = NULL, *last = NULL;
    const char *about = command->file;
    size_t size = 0;
    struct json json;
    char *waits = draw_waits(command->file, why);
    if (!waits)
        return cli_fail(&command->cli, about, why);
    if (command->trace && !(last = draw_last(about = command->trace, why))) {
        free(waits);
        return cli_fail(&command->cli, about, why);
    }
    FILE *page = open_memstream(&text, &size);
    const struct value *report = json_open(&json, command->file) ? json_value(&json) : NULL;
    if (page && report)
        put_page(page, command, report, waits, last);
    json_close(&json);
    bool good = page && fclose(page) == 0 && report;
    int status = good ? cli_write(&command->cli, command->out, command->file, text, size)
                      : cli_fail(&command->cli, command->file, "the system gives no memory");
    free(waits);
    free(last);
    free(text);
    return status;
}

int main(int argc, char **argv)
{
    struct command command = { .source = "." };
    const struct cli_option options[] = { { "-o", &command.out, NULL },
                                          { "--trace", &command.trace, NULL },
                                          { "--source", &command.source, NULL },
                                          { NULL, NULL, NULL } };
    command.cli =
        (struct cli){ .program = "explain", .help = help, .options = options, .least = 1, .most = 1 };
    int status = cli_read(&command.cli, argc, argv);
    command.cli.options = NULL;
    command.file = command.cli.words[0];
    if (status < 0 && !command.file)
        status = cli_refuse(&command.cli, "no file is named");
    return status >= 0 ? status : explain(&command);
}
