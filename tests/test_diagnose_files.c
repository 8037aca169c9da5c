/* test_diagnose_files.c: the report as a file (DIST_REPORT), and where it lies without. */
#define _GNU_SOURCE
#include "started.h"

#include "dist.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- is a text JSON? Each function gives what follows the value, or NULL. ------------------- */

static const char *value(const char *at, int depth);

static const char *blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static const char *string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20 || (unsigned char)*at >= 0x7f)
            return NULL;
        if (*at == '\\' && !strchr("\"\\/bfnrtu", *++at))
            return NULL;
    }
    return at + 1;
}

static const char *list(const char *at, char end, int depth)
{
    at = blanks(at + 1);
    if (*at == end)
        return at + 1;
    for (;; at = blanks(at + 1)) {
        if (end == '}') {
            at = string(at);
            at = at ? blanks(at) : NULL;
            if (!at || *at++ != ':')
                return NULL;
        }
        at = value(at, depth + 1);
        if (!at || (*(at = blanks(at)) != ',' && *at != end))
            return NULL;
        if (*at == end)
            return at + 1;
    }
}

static const char *value(const char *at, int depth)
{
    char *end;
    at = blanks(at);
    if (depth > 8)
        return NULL;
    if (*at == '{')
        return list(at, '}', depth);
    if (*at == '[')
        return list(at, ']', depth);
    if (*at == '"')
        return string(at);
    if (strncmp(at, "null", 4) == 0)
        return at + 4;
    strtod(at, &end);
    return end > at ? end : NULL;
}

static bool is_json(const char *text)
{
    const char *end = value(text, 0);
    return end && *blanks(end) == '\0';
}

/* ---- a folder of our own ----------------------------------------------------------------------- */

static char folder[64];

static void make_folder(void)
{
    strcpy(folder, "/tmp/dist-test-XXXXXX");
    cr_assert(mkdtemp(folder) != NULL);
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_assert(system(command) == 0);
}

static void read_file(const char *name, char *text, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    text[file ? fread(text, 1, size - 1, file) : 0] = '\0';
    if (file)
        fclose(file);
}

/* ---- tests --------------------------------------------------------------------------------------- */

static void check(const char *mistake, const char *setting, int status, const char *class)
{
    static const char *const modes[] = { "DIST_RANKS=processes", "DIST_RANKS=threads" };
    for (int i = 0; i < 2; i++) {
        struct started started;
        char report[128], text[16384], words[64];
        snprintf(report, sizeof report, "DIST_REPORT=%s/r.json", folder);
        STARTED(&started, SETTINGS(modes[i], setting, report), "faulty", mistake);
        read_file("r.json", text, sizeof text);
        snprintf(words, sizeof words, "\"class\": \"%s\", \"status\": %d,", class, status);
        cr_assert(started.status == status, "%s: %d", mistake, started.status);
        cr_assert(is_json(text), "%s: no JSON: %s", mistake, text);
        cr_assert(strstr(text, words), "%s: not %s: %s", mistake, words, text);
        cr_assert(strstr(text, "\"rank\": 1"), "%s: no ranks: %s", mistake, text);
        snprintf(report, sizeof report, "%s/r.json", folder);
        unlink(report);
    }
}

Test(diagnose_files, every_class_as_json, .timeout = 60)
{
    make_folder();
    check("cross", "DIST_CHECK=0", DIST_ERR_DEADLOCK, "deadlock");
    check("tag", "DIST_CHECK=0", DIST_ERR_MISMATCH, "mismatch");
    check("order", "DIST_CHECK=0", DIST_ERR_MISMATCH, "mismatch");
    check("left", "DIST_CHECK=0", DIST_ERR_PEER_LOST, "peer_lost");
    check("argument", "DIST_CHECK=0", DIST_ERR_ARGUMENT, "argument");
    check("state", "DIST_CHECK=0", DIST_ERR_STATE, "state");
    check("write", "DIST_CHECK=1", DIST_ERR_BUFFER, "buffer");
    check("killed", "DIST_CHECK=0", 3, "rank_lost");
    remove_folder();
}

Test(diagnose_files, the_ring, .timeout = 60)
{
    struct started started;
    char report[128], text[16384];
    make_folder();
    snprintf(report, sizeof report, "DIST_REPORT=%s/r.json", folder);
    STARTED(&started, SETTINGS(report), "faulty", "ring", "3");
    read_file("r.json", text, sizeof text);
    cr_assert(strstr(text, "\"waits\": [[0, 1], [1, 2], [2, 0]]"), "%s", text);
    cr_assert(strstr(text, "\"cycle\": [0, 1, 2]"), "%s", text);
    cr_assert(
        strstr(text,
               "\"state\": \"waiting\", \"call\": \"dist_send\", \"peer\": 1, \"tag\": 0, \"count\": 8, "
               "\"type\": \"F32\", \"group\": 0, \"file\": \"faulty.c\""),
        "%s", text);
    const char *last = strstr(started.stderr_raw, "report: ");
    cr_assert(last && strchr(last, '\n') == last + strlen(last) - 1, "the report is not told last: %s",
              started.stderr_text);
    remove_folder();
}

Test(diagnose_files, a_place_that_cannot_be_written, .timeout = 30)
{
    struct started started; /* the folder was there when the run began */
    char folder[] = "/tmp/test_report.XXXXXX", setting[60], sentence[100];
    cr_assert(mkdtemp(folder));
    snprintf(setting, sizeof setting, "DIST_REPORT=%s/r.json", folder);
    STARTED(&started, SETTINGS(setting), "build/bin/distrun", "-n", "2", "sh", "-c",
            "rmdir $1 2>/dev/null; exec \"$0\" cross", program_path("faulty", (char[600]){ "" }, 600),
            folder);
    cr_assert(started.status == DIST_ERR_DEADLOCK, "%d: %s", started.status, started.stderr_text);
    snprintf(sentence, sizeof sentence, "DIST_REPORT: %s/r.json could not be written", folder);
    cr_assert(strstr(started.stderr_text, sentence), "%s", started.stderr_text);
}

/* In a container the same process numbers come again: what a run that was killed has left beside the file is in nobody's way. */
Test(diagnose_files, what_an_earlier_process_of_this_number_has_left, .timeout = 60)
{
    struct started started;
    char report[128], text[16384];
    make_folder();
    snprintf(report, sizeof report, "DIST_REPORT=%s/r.json", folder);
    STARTED(&started, SETTINGS(report), "sh", "-c",
            "for i in $(seq $$ $(($$ + 40))); do : >\"$DIST_REPORT.$i.new\"; done; exec \"$0\" cross",
            program_path("faulty", (char[600]){ "" }, 600));
    read_file("r.json", text, sizeof text);
    cr_expect(strstr(text, "\"dist_send\""), "%s", started.stderr_text);
    remove_folder();
}

/* Without DIST_REPORT it lies in a folder that only its owner can read, and never more than one. */
Test(diagnose_files, reports_do_not_pile_up, .timeout = 60)
{
    struct started started;
    char setting[128], path[128], command[160];
    struct stat status;
    make_folder();
    snprintf(setting, sizeof setting, "TMPDIR=%s", folder);
    for (int i = 0; i < 3; i++)
        STARTED(&started, SETTINGS(setting), "faulty", "cross");
    snprintf(path, sizeof path, "%s/dist-%ld", folder, (long)geteuid());
    cr_assert(stat(path, &status) == 0 && (status.st_mode & 0777) == 0700);
    snprintf(command, sizeof command, "test \"$(ls '%s')\" = deadlock.json", path);
    cr_assert(system(command) == 0);
    remove_folder();
}
