/*
 * json.c: a report for programs: DIST_REPORT=file.json. Of a job that got stuck one is written in any case, else to a
 * directory of the user's own, always to the same file, so that nothing piles up. diagrams/ draws it.
 *
 *   { "class": "deadlock", "status": 45, "sentence": "...", "advice": "...", "lesson": "chapter 06, ...",
 *     "ranks": [ { "rank": 0, "state": "waiting", "call": "dist_send", "peer": 1, "tag": 0, "count": 8,
 *                  "type": "F32", "group": 0, "file": "ring.c", "line": 13 }, ... ],
 *     "waits": [[0, 1], [1, 0]], "cycle": [0, 1] }
 *
 * state is absent, computing, calling, waiting or left. A field that does not apply is null; peer is -1 for a
 * receive from anybody. The file is there whole or not at all.
 */
#define _GNU_SOURCE
#include "diagnose.h"
#include "../launch/whole.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "deadlock" of DIST_ERR_DEADLOCK; what is no error of ours has ended a rank. */
static void json_put_class(FILE *file, int status)
{
    static const char ours[] = "DIST_ERR_";
    const char *name = dist_error_name((enum dist_error)status);
    bool known = strncmp(name, ours, strlen(ours)) == 0;
    fputs("{\n  \"class\": \"", file);
    for (name = known ? name + strlen(ours) : "rank_lost"; *name; name++)
        fputc(tolower((unsigned char)*name), file);
    fprintf(file, "\", \"status\": %d", status);
}

/* At most so many letters. */
static void json_put_string(FILE *file, const char *before, const char *name, const char *text, size_t most)
{
    fprintf(file, "%s\"%s\": ", before, name);
    if (text)
        text_put_json(file, text, strnlen(text, most));
    else
        fputs("null", file);
}

static void json_put_number(FILE *file, const char *name, bool known, int64_t value)
{
    fprintf(file, known ? ", \"%s\": %lld" : ", \"%s\": null", name, (long long)value);
}

/* A rank waits; or no operation is known of it: it computes, or is in a call. */
static void json_put_rank(FILE *file, const struct diagnosis *d, const struct told *told, int rank)
{
    const struct view *view = &d->views[rank];
    const struct note_op *op = &view->open[0];
    bool waiting = waits(view), told_it = !waiting && told->rank == rank && told->call;
    bool message = waiting && !in_collective(op), counts = waiting && !brings_nothing(op);
    const struct site *at = world_site_at(d->world, rank, waiting ? op->site : view->call & 0xffff);
    int line = told_it ? told->at.line : waiting || view->call ? at->line : 0;
    const char *call = waiting      ? call_name((enum call)op->call)
                       : told_it    ? told->call
                       : view->call ? call_name((enum call)(view->call >> 16))
                                    : NULL;
    const char *state = waiting                      ? "waiting"
                        : has_left(view)             ? "left"
                        : view->state == RANK_ABSENT ? "absent"
                        : call                       ? "calling"
                                                     : "computing";
    fprintf(file, "%s\n    { \"rank\": %d, \"state\": \"%s\"", rank ? "," : "", rank, state);
    json_put_string(file, ", ", "call", call, SIZE_MAX);
    json_put_number(file, "peer", message, op->peer < 0 ? -1 : op->peer);
    json_put_number(file, "tag", message, op->tag);
    json_put_number(file, "count", counts, op->count);
    json_put_string(file, ", ", "type", counts ? dtype_name(op->type) : NULL, SIZE_MAX);
    json_put_number(file, "group", waiting, op->group);
    const char *name = line <= 0 ? NULL : told_it ? text_file(told->at.file) : at->file;
    json_put_string(file, ", ", "file", name, SIZE_MAX);
    json_put_number(file, "line", line > 0, line);
    fputs(" }", file);
}

static void json_put_ranks(FILE *file, const struct diagnosis *d, const struct told *told)
{
    fputs(",\n  \"ranks\": [", file);
    for (int rank = 0; rank < d->size; rank++)
        json_put_rank(file, d, told, rank);
    fputs(" ],\n  \"waits\": [", file);
    const char *comma = "";
    for (int rank = 0; rank < d->size; rank++)
        for (int peer = 0; peer < d->size; peer++)
            if (waits_for(d, rank, peer)) {
                fprintf(file, "%s[%d, %d]", comma, rank, peer);
                comma = ", ";
            }
    fputs("],\n  \"cycle\": [", file);
    for (int i = 0; i < d->cycle_length; i++)
        fprintf(file, "%s%d", i ? ", " : "", d->cycle[i]);
    fputs("]\n}\n", file);
}

static void json_put_report(FILE *file, const struct diagnosis *d, const struct told *told)
{
    const char *advice = told->advice, *cut = advice ? NULL : strstr(told->sentence, "; ");
    for (const char *next; cut && (next = strstr(cut + 1, "; "));)
        cut = next;
    json_put_class(file, told->status);
    json_put_string(file, ",\n  ", "sentence", told->sentence,
                    cut ? (size_t)(cut - told->sentence) : SIZE_MAX);
    json_put_string(file, ",\n  ", "advice", advice ? advice : cut ? cut + 2 : NULL, SIZE_MAX);
    if (told->lesson) /* without "see: " and the stop */
        json_put_string(file, ",\n  ", "lesson", told->lesson + 5, strlen(told->lesson) - 6);
    json_put_ranks(file, d, told);
}

/* False: it could not be written, which the user hears who `asked` for it. */
static bool json_write(const struct diagnosis *d, const struct told *told, const char *path, bool asked)
{
    struct whole whole;
    FILE *file = whole_open(&whole, path);
    if (file)
        json_put_report(file, d, told);
    bool good = whole_close(&whole, true);
    if (!good && asked)
        text_say("DIST_REPORT: %s could not be written: %s.\n", path, strerror(errno));
    return good;
}

/* In a directory that nobody else can write to, nor lead us astray with. */
static bool json_own_file(char *path, size_t size)
{
    struct stat status;
    if (!whole_own_path(path, size, WHOLE_OWN_REPORT))
        return false;
    char *name = strrchr(path, '/');
    *name = '\0';
    mkdir(path, 0700);
    bool own = lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
               (status.st_mode & 077) == 0;
    *name = '/';
    return own;
}

void report_json(const struct diagnosis *d, const struct told *told)
{
    const char *asked = setting_text("DIST_REPORT");
    char own[2048];
    if ((asked || json_own_file(own, sizeof own)) && json_write(d, told, asked ? asked : own, asked) &&
        (!asked || !whole_is_special(asked))) /* "report: /dev/stderr" tells nobody anything */
        text_say("report: %s; build/bin/explain makes a page of it\n", asked ? asked : own);
}

void diagnose_lost(const struct world *world, int rank, int status, const char *text)
{
    char line[256];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
    diagnose_write(
        world, &(struct told){
                   .status = status, .sentence = line, .advice = "look at that rank first", .rank = rank });
}

void diagnose_write(const struct world *world, const struct told *told)
{
    const char *path = setting_text("DIST_REPORT");
    struct diagnosis d = { .world = world, .size = world ? world->header->size : 0 };
    struct why why;
    if (!path)
        return;
    if (told->status == DIST_ERR_ENVIRONMENT && setting_check("DIST_REPORT", &why) != DIST_OK)
        return; /* perhaps the very thing that was told */
    d.views = calloc((size_t)d.size + 1, sizeof *d.views);
    d.size = d.views ? d.size : 0;
    for (int rank = 0; rank < d.size; rank++) {
        d.views[rank].state = atomic_load(&world->header->slots[rank].state);
        d.views[rank].call = atomic_load(&world->header->slots[rank].call);
    }
    json_write(&d, told, path, true);
    free(d.views);
}
