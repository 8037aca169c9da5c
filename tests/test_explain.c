/* test_explain.c: a report becomes one page that explains the run; what is no report gets one sentence, and leaves no page. */
#define _GNU_SOURCE
#include "started.h"

#include "dist.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPLAIN "build/bin/explain"

static char folder[] = "/tmp/test_explain.XXXXXX";
static char page[200], report[200], trace[200];

static void open_folder(void)
{
    cr_assert(mkdtemp(folder));
    snprintf(page, sizeof page, "%s/page.html", folder);
    snprintf(report, sizeof report, "%s/report.json", folder);
    snprintf(trace, sizeof trace, "%s/trace.json", folder);
}

static void close_folder(void)
{
    unlink(page);
    unlink(report);
    unlink(trace);
    rmdir(folder);
}

TestSuite(explain, .init = open_folder, .fini = close_folder, .timeout = 60);

static void fail(const char *program, int status)
{
    static struct started run;
    char to[220], traced[220];
    snprintf(to, sizeof to, "DIST_REPORT=%s", report);
    snprintf(traced, sizeof traced, "DIST_TRACE=%s", trace);
    STARTED(&run, SETTINGS(to, traced, "WORLD_SIZE=4"), program);
    cr_assert(run.status == status, "%d: %s", run.status, run.stderr_text);
}

static const char *read_page(void)
{
    static char text[200000];
    FILE *file = fopen(page, "r");
    cr_assert(file, "there is no page");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void must_have(const char *words)
{
    cr_assert(strstr(read_page(), words), "the page does not say \"%s\": %s", words, read_page());
}

Test(explain, the_page_has_all_of_it)
{
    static struct started run;
    fail("build/chapters/06_deadlocks/wrong_peer", DIST_ERR_MISMATCH);
    STARTED(&run, SETTINGS(NULL), EXPLAIN, report, "-o", page, "--trace", trace, "--source", "chapters");
    cr_assert(run.status == 0, "%s", run.stderr_text);
    must_have("<h1>mismatch: rank 1 waits to receive from rank 2 (wrong_peer.c:19);");
    must_have("<p><b>Try:</b> name the rank that really sends, or let that rank send.</p>");
    must_have("<p><b>See:</b> chapter 06, 'Two calls that do not find each other'.</p>");
    must_have("<del>-         dist_recv(x, 2); /* should be 0 */</del>\n<ins>+         dist_recv(x, 0);");
    must_have("<b>  17          dist_send(x, 1);</b>");
    must_have("digraph waitfor");
    must_have("digraph spacetime");
    must_have("<td>0</td><td>waiting</td><td>dist_send</td><td>1</td>");
}

Test(explain, a_tag_is_changed_into_the_other_ones)
{
    static struct started run;
    fail("build/chapters/06_deadlocks/wrong_tag", DIST_ERR_MISMATCH);
    STARTED(&run, SETTINGS(NULL), EXPLAIN, report, "-o", page, "--source", "chapters");
    must_have("<ins>+         dist_recv(x, 0, .tag = WEIGHTS);");
    must_have("DIST_TRACE=trace.json"); /* how to see more */
}

Test(explain, a_deadlock_has_no_change_of_one_line)
{
    static struct started run;
    fail("build/chapters/06_deadlocks/crossed_sends", DIST_ERR_DEADLOCK);
    STARTED(&run, SETTINGS(NULL), EXPLAIN, report, "-o", page, "--source", "chapters");
    must_have("<h1>deadlock: ranks 0 and 1 wait for each other</h1>");
    cr_assert(!strstr(read_page(), "A change of one line"));
}

Test(explain, without_the_program_and_without_graphviz)
{
    static struct started run;
    fail("build/chapters/06_deadlocks/wrong_tag", DIST_ERR_MISMATCH);
    STARTED(&run, SETTINGS("PATH=/nowhere"), EXPLAIN, report, "-o", page, "--source", folder);
    cr_assert(run.status == 0, "%s", run.stderr_text);
    must_have("Some of the program's lines were not found");
    must_have("There are no pictures, since Graphviz");
    cr_assert(!strstr(read_page(), "<svg"));
}

static void write_report(const char *text)
{
    FILE *file = fopen(report, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* What stands in a report is text, whatever it looks like. */
Test(explain, what_looks_like_a_page_is_text)
{
    static struct started run;
    write_report(
        "{\"class\": \"deadlock\", \"sentence\": \"<script>alert(1)</script> & so on\", \"ranks\": "
        "[{\"rank\": 0, \"state\": \"waiting\", \"call\": \"<b>\", \"file\": \"<i>\", \"line\": 3}]}");
    STARTED(&run, SETTINGS(NULL), EXPLAIN, report, "-o", page, "--source", folder);
    cr_assert(run.status == 0, "%s", run.stderr_text);
    must_have("&lt;script&gt;alert(1)&lt;/script&gt; &amp; so on");
    cr_assert(!strstr(read_page(), "<script>") && !strstr(read_page(), "<i>"));
}

Test(explain, what_is_no_report)
{
    static const char *const wrong[][2] = {
        { "", "it is empty" },
        { "{", "it is cut off" },
        { "[1, 2]", "it is no report" },
        { "{\"traceEvents\": []}", "it is a trace" },
        { "{\"ranks\": []}", "its list of ranks is empty" },
        { "{\"ranks\": [{\"rank\": 7}]}", "is not in its place" },
        { "{\"ranks\": [{\"rank\": 0}], \"waits\": [[0, 9]]}", "is no pair of ranks" },
    };
    static struct started run;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_report(wrong[i][0]);
        STARTED(&run, SETTINGS(NULL), EXPLAIN, report, "-o", page);
        cr_assert(run.status == 1 && strstr(run.stderr_text, wrong[i][1]), "%s: %d, %s", wrong[i][0],
                  run.status, run.stderr_text);
        cr_assert(strchr(run.stderr_text, '\n') == run.stderr_text + strlen(run.stderr_text) - 1);
        cr_assert(access(page, F_OK) != 0);
    }
}
