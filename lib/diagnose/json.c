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
#include "../launch/text.h"
#include "../launch/whole.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *json_class_of(int status)
{
    static const struct {
        int status;
        const char *name;
    } classes[] = {
        { DIST_ERR_ARGUMENT, "argument" },       { DIST_ERR_STATE, "state" },
        { DIST_ERR_MISMATCH, "mismatch" },       { DIST_ERR_PEER_LOST, "peer_lost" },
        { DIST_ERR_TIMEOUT, "timeout" },         { DIST_ERR_DEADLOCK, "deadlock" },
        { DIST_ERR_ENVIRONMENT, "environment" }, { DIST_ERR_MEMORY, "memory" },
        { DIST_ERR_SYSTEM, "system" },           { DIST_ERR_BUFFER, "buffer" },
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].status == status)
            return classes[i].name;
    return "rank_lost";
}

static void json_put_string(FILE *file, const char *text)
{
    if (text)
        text_put_json(file, text, strlen(text));
    else
        fputs("null", file);
}

static void json_put_place(FILE *file, const char *name, int line)
{
    fputs(", \"file\": ", file);
    json_put_string(file, line > 0 ? name : NULL);
    if (line > 0)
        fprintf(file, ", \"line\": %d }", line);
    else
        fputs(", \"line\": null }", file);
}

/* A rank of which no operation is known: it computes, or is in a call. */
static void json_put_plain(FILE *file, const struct diagnosis *d, const struct told *told, int rank)
{
    const struct view *view = &d->views[rank];
    bool told_it = told->rank == rank && told->call;
    const struct site *at = world_site_at(d->world, rank, view->call & 0xffff);
    const char *call = told_it ? told->call : view->call ? call_name((enum call)(view->call >> 16)) : NULL;
    const char *state = view->state >= RANK_LEFT     ? "left"
                        : view->state == RANK_ABSENT ? "absent"
                        : call                       ? "calling"
                                                     : "computing";
    fprintf(file, "\"state\": \"%s\", \"call\": ", state);
    json_put_string(file, call);
    fputs(", \"peer\": null, \"tag\": null, \"count\": null, \"type\": null, \"group\": null", file);
    if (told_it)
        json_put_place(file, text_file(told->at.file), told->at.line);
    else
        json_put_place(file, at->file, view->call ? at->line : 0);
}

static void json_put_waiting(FILE *file, const struct diagnosis *d, int rank)
{
    const struct note_op *op = &d->views[rank].open[0];
    const struct site *at = world_site_at(d->world, rank, op->site);
    fputs("\"state\": \"waiting\", \"call\": ", file);
    json_put_string(file, call_name((enum call)op->call));
    if (in_collective(op))
        fputs(", \"peer\": null, \"tag\": null", file);
    else
        fprintf(file, ", \"peer\": %d, \"tag\": %d", op->peer < 0 ? -1 : op->peer, op->tag);
    if (brings_nothing(op) || (in_collective(op) && op->kind != NOTE_COLLECTIVE)) {
        fputs(", \"count\": null, \"type\": null", file);
    } else {
        fprintf(file, ", \"count\": %lld, \"type\": ", (long long)op->count);
        json_put_string(file, dtype_name(op->type));
    }
    fprintf(file, ", \"group\": %d", op->group);
    json_put_place(file, at->file, at->line);
}

static void json_put_ranks(FILE *file, const struct diagnosis *d, const struct told *told)
{
    fputs("  \"ranks\": [", file);
    for (int rank = 0; rank < d->size; rank++) {
        fprintf(file, "%s\n    { \"rank\": %d, ", rank ? "," : "", rank);
        if (waits(&d->views[rank]))
            json_put_waiting(file, d, rank);
        else
            json_put_plain(file, d, told, rank);
    }
    fputs(" ],\n  \"waits\": [", file);
    bool first = true;
    for (int rank = 0; rank < d->size; rank++)
        for (int peer = 0; peer < d->size; peer++)
            if (waits_for(d, rank, peer)) {
                fprintf(file, "%s[%d, %d]", first ? "" : ", ", rank, peer);
                first = false;
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
    size_t length = cut ? (size_t)(cut - told->sentence) : strlen(told->sentence);
    fprintf(file, "{\n  \"class\": \"%s\", \"status\": %d,\n  \"sentence\": ", json_class_of(told->status),
            told->status);
    text_put_json(file, told->sentence, length);
    fputs(",\n  \"advice\": ", file);
    json_put_string(file, advice ? advice : cut ? cut + 2 : NULL);
    fputs(",\n", file);
    if (told->lesson) { /* without "see: " and the stop */
        fputs("  \"lesson\": ", file);
        text_put_json(file, told->lesson + 5, strlen(told->lesson) - 6);
        fputs(",\n", file);
    }
    json_put_ranks(file, d, told);
}

static void json_say_unwritten(const char *path, int error)
{
    text_say("DIST_REPORT: %s could not be written: %s.\n", path, strerror(error));
}

static bool json_write_report(const struct diagnosis *d, const struct told *told, const char *path)
{
    struct whole whole;
    FILE *file = whole_open(&whole, path);
    if (file)
        json_put_report(file, d, told);
    return whole_close(&whole, true);
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
    const char *path = setting_text("DIST_REPORT");
    char own[2048];
    if (path ? json_write_report(d, told, path)
             : json_own_file(own, sizeof own) && json_write_report(d, told, own)) {
        if (!path || !whole_is_special(path)) /* "report: /dev/stderr" tells nobody anything */
            text_say("report: %s; build/bin/explain makes a page of it\n", path ? path : own);
    } else if (path) {
        json_say_unwritten(path, errno);
    }
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
    char why[SETTING_WHY];
    if (!path)
        return;
    if (told->status == DIST_ERR_ENVIRONMENT && setting_check("DIST_REPORT", why, sizeof why) != DIST_OK)
        return; /* perhaps the very thing that was told */
    d.views = calloc((size_t)d.size + 1, sizeof *d.views);
    for (int rank = 0; d.views && rank < d.size; rank++) {
        d.views[rank].state = atomic_load(&world->header->slots[rank].state);
        d.views[rank].call = atomic_load(&world->header->slots[rank].call);
    }
    if (!d.views || !json_write_report(&d, told, path))
        json_say_unwritten(path, d.views ? errno : ENOMEM);
    free(d.views);
}
