/*
 * test_diagnose.c: is each kind of mistake told as what it is, on the line where it was made?
 *
 * The mistakes are in tests/programs/faulty.c, where a mark stands on each line that a report must name.
 */
#include "started.h"

#include "dist.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SOURCE "tests/programs/faulty.c"
#define COLUMNS 80

/* One run of faulty.c and what must come of it. */
struct expected {
    const char *name; /* the mistake */
    int status;
    const char *class;    /* how the report begins */
    const char *marks[3]; /* lines that it names */
    const char *words;    /* and these words */
    const char *setting;  /* of the environment; NULL: none */
};

static const struct expected mistakes[] = {
    { "cross", DIST_ERR_DEADLOCK, "deadlock: ", { "cross" }, "ranks 0 and 1 wait for each other", NULL },
    { "ring", DIST_ERR_DEADLOCK, "deadlock: ", { "ring" }, "let odd ranks receive first", NULL },
    { "tag", DIST_ERR_MISMATCH, "mismatch: ", { "tag", "tag-send" }, "give both calls the same tag", NULL },
    { "left", DIST_ERR_PEER_LOST, "peer left: ", { "left" }, "which has left the job", NULL },
    { "order", DIST_ERR_MISMATCH, "rank ", { "order", "order-other" }, "make the two calls agree", NULL },
    { "size", DIST_ERR_MISMATCH, "rank ", { NULL }, "make the two calls agree", NULL },
    { "argument", DIST_ERR_ARGUMENT, "rank 0: dist_send", { "argument" }, "dst is 99", NULL },
    { "state", DIST_ERR_STATE, "rank 0: dist_wait", { "state" }, "waited for already", NULL },
    { "killed", 3, "", { NULL }, "status 3", NULL },
    { "set",
      DIST_ERR_BUFFER,
      "buffer: rank 0 writes",
      { "set", "post-send" },
      "by tensor_set",
      "DIST_CHECK=1" },
    { "write",
      DIST_ERR_BUFFER,
      "buffer: rank 0 writes",
      { "write", "post-send" },
      "written at",
      "DIST_CHECK=1" },
    { "memset",
      DIST_ERR_BUFFER,
      "buffer: rank 0 writes",
      { "memset", "post-send" },
      "dist_wait",
      "DIST_CHECK=1" },
    { "read",
      DIST_ERR_BUFFER,
      "buffer: rank 0 reads",
      { "read", "post-recv" },
      "dist_irecv from 1",
      "DIST_CHECK=1" },
    { "item", DIST_ERR_BUFFER, "buffer: rank 0 reads", { "item", "post-recv" }, "missing", "DIST_CHECK=1" },
    { "free",
      DIST_ERR_BUFFER,
      "buffer: rank 0 frees",
      { "free", "post-recv" },
      "wait first",
      "DIST_CHECK=1" },
    { "twice",
      DIST_ERR_BUFFER,
      "buffer: rank 0 receives",
      { "twice", "post-recv" },
      "already",
      "DIST_CHECK=1" },
    { "resend",
      DIST_ERR_BUFFER,
      "buffer: rank 0 sends",
      { "resend", "post-recv" },
      "being received",
      "DIST_CHECK=1" },
    { "reduce",
      DIST_ERR_BUFFER,
      "buffer: rank 0 writes",
      { "reduce", "post-reduce" },
      "started by",
      "DIST_CHECK=1" },
    { "unwaited", 0, "note: rank 0", { "unwaited" }, "never waited for  dist_irecv from 1", NULL },
    { "unreceived", 0, "note: rank 0", { "unreceived" }, "never received", "DIST_BUFFERING=eager:64" },
    { "unfreed", 0, "note: rank 1", { "unfreed", "unfreed-more" }, "tensor of 2 x 3 F64", "DIST_CHECK=1" },
    { "group", 0, "note: rank ", { "group" }, "group of 2 ranks", "DIST_CHECK=1" },
    { "cross", 0, "warning: ", { "cross" }, "small enough to be buffered", "DIST_BUFFERING=eager:64" },
    { "ring", 0, "warning: ", { "ring" }, "small enough to be buffered", "DIST_BUFFERING=eager:64" },
};

/* Of these nobody may say anything. */
static const struct expected correct[] = {
    { "none", 0, NULL, { NULL }, NULL, "DIST_CHECK=1" },
    { "neighbours", 0, NULL, { NULL }, NULL, "DIST_CHECK=1" },
    { "none", 0, NULL, { NULL }, NULL, "DIST_BUFFERING=eager:64" },
    { "busy", 0, NULL, { NULL }, NULL, NULL },
};

/* The line of faulty.c that ends with the mark, whole; 0: there is none. */
static int line_of(const char *mark)
{
    char line[256], end[80];
    int number = 0, found = 0;
    FILE *source = fopen(SOURCE, "r");
    snprintf(end, sizeof end, "/* mark %s */", mark);
    while (source && !found && fgets(line, sizeof line, source)) {
        number++;
        if (strstr(line, end))
            found = number;
    }
    if (source)
        fclose(source);
    return found;
}

/* What was said, without "[0] " and with broken lines put together. Gives the length of the longest line before that. */
static size_t clean(const char *said, char *text, size_t size)
{
    size_t used = 0, longest = 0;
    for (const char *line = said; *line;) {
        size_t length = strcspn(line, "\n");
        longest = length > longest ? length : longest;
        const char *from = line, *end = line + length;
        if (*from == '[')
            from += strcspn(from, "]") + 2;
        bool goes_on = used > 0 && strncmp(from, "  ", 2) == 0;
        used += (size_t)snprintf(text + used, size - used, "%s%.*s",
                                 goes_on ? " "
                                 : used  ? "\n"
                                         : "",
                                 (int)(end - from) - 2 * goes_on, from + 2 * goes_on);
        line = end + (*end == '\n');
    }
    text[used] = '\0';
    return longest;
}

static void must_have(const struct expected *expected, const char *said)
{
    char place[64];
    cr_assert(strncmp(said, expected->class, strlen(expected->class)) == 0, "%s begins otherwise: %s",
              expected->name, said);
    cr_assert(strstr(said, expected->words), "%s does not say \"%s\": %s", expected->name, expected->words,
              said);
    for (int i = 0; i < 3 && expected->marks[i]; i++) {
        snprintf(place, sizeof place, "faulty.c:%d", line_of(expected->marks[i]));
        cr_assert(strstr(said, place), "%s does not name %s: %s", expected->name, place, said);
    }
}

/* Words of the library's own that no learner can know. */
static void must_not_have(const struct expected *expected, const char *said)
{
    static const char *const internal[] = { "shm_",    "lane",   "board", "letter", "futex",
                                            "parked",  "ticket", "bell",  "flush",  "mprotect",
                                            "SIGSEGV", "(null)", "engine" };
    for (size_t i = 0; i < sizeof internal / sizeof *internal; i++)
        cr_assert(!strstr(said, internal[i]), "%s says \"%s\": %s", expected->name, internal[i], said);
}

static void run_once(const struct expected *expected, const char *mode)
{
    static struct started started;
    static char said[sizeof started.stderr_text + 4096];
    const char *setting = expected->setting ? expected->setting : "DIST_CHECK=0";
    STARTED(&started, SETTINGS(mode, setting, "TMPDIR=/nowhere"), "faulty", expected->name);
    size_t longest = clean(started.stderr_raw, said, sizeof said);
    cr_assert(started.status == expected->status, "%s, %s: status %d, not %d: %s", expected->name, mode,
              started.status, expected->status, said);
    cr_assert(longest <= COLUMNS, "%s, %s: a line of %zu columns: %s", expected->name, mode, longest,
              started.stderr_raw);
    must_not_have(expected, said);
    if (expected->class)
        must_have(expected, said);
    else
        cr_assert(said[0] == '\0', "%s, %s: a false alarm: %s", expected->name, mode, said);
}

static void run_all(const struct expected *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        run_once(&list[i], "DIST_RANKS=processes");
        run_once(&list[i], "DIST_RANKS=threads");
    }
}

Test(diagnose, each_mistake_is_told_as_what_it_is, .timeout = 120)
{
    run_all(mistakes, sizeof mistakes / sizeof *mistakes);
}

Test(diagnose, what_is_correct_is_left_alone, .timeout = 60)
{
    run_all(correct, sizeof correct / sizeof *correct);
}

Test(diagnose, a_handler_lets_the_program_go_on, .timeout = 30)
{
    struct started started;
    char said[64];
    snprintf(said, sizeof said, "DIST_ERR_BUFFER at line %d", line_of("handled"));
    STARTED(&started, SETTINGS("DIST_CHECK=1"), "faulty", "handled");
    cr_assert(started.status == 0 && strstr(started.stderr_text, said), "%d: %s", started.status,
              started.stderr_text);
}

Test(diagnose, a_check_that_makes_no_sense, .timeout = 30)
{
    struct started started;
    STARTED(&started, SETTINGS("DIST_CHECK=maybe"), "faulty", "none");
    cr_assert(started.status == DIST_ERR_ENVIRONMENT, "%d: %s", started.status, started.stderr_text);
}

/* The goal is 50 ms; the machine may be busy with other tests. */
static double time_to_name(const char *ranks)
{
    struct started started;
    STARTED(&started, SETTINGS("TMPDIR=/nowhere"), "faulty", "timed", ranks);
    const char *told = strstr(started.stderr_text, "named after ");
    cr_assert(started.status == DIST_ERR_DEADLOCK && told, "%d: %s", started.status, started.stderr_text);
    return told ? atof(told + strlen("named after ")) : 1e9;
}

Test(diagnose, a_deadlock_is_named_at_once, .timeout = 60)
{
    double four = time_to_name("4"), many = time_to_name("64");
    cr_log_info("named after %.1f ms with 4 ranks, %.1f ms with 64", four, many);
    cr_assert(four < 1000 && many < 2000, "named after %.1f ms with 4 ranks, %.1f ms with 64", four, many);
}
