/*
 * json.c: a report for programs: DIST_REPORT=file.json.
 *
 *   { "class": "deadlock", "status": 45, "sentence": "...", "advice": "...",
 *     "ranks": [ { "rank": 0, "state": "waiting", "call": "dist_send", "peer": 1, "tag": 0, "count": 8,
 *                  "type": "F32", "group": 0, "file": "ring.c", "line": 13 }, ... ],
 *     "waits": [[0, 1], [1, 0]], "cycle": [0, 1] }
 *
 * state is absent, computing, calling, waiting or left. A field that does not apply is null; peer is -1 for a
 * receive from anybody. The file is there whole or not at all.
 */
#define _GNU_SOURCE
#include "diagnose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *class_of(int status)
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

static void put_string(FILE *file, const char *text)
{
    if (!text) {
        fputs("null", file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f) /* names of files can be in any encoding */
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

static void put_place(FILE *file, const char *name, int line)
{
    fputs(", \"file\": ", file);
    put_string(file, line > 0 ? name : NULL);
    if (line > 0)
        fprintf(file, ", \"line\": %d }", line);
    else
        fputs(", \"line\": null }", file);
}

/* A rank of which no operation is known: it computes, or is in a call. */
static void put_plain(FILE *file, const struct diagnosis *d, const struct told *told, int rank)
{
    const struct view *view = &d->views[rank];
    bool told_it = told->rank == rank && told->call;
    const struct site *at = world_site_at(d->world, rank, view->call & 0xffff);
    const char *call = told_it ? told->call : view->call ? call_name((enum call)(view->call >> 16)) : NULL;
    const char *slash = told->at.file ? strrchr(told->at.file, '/') : NULL;
    const char *state = view->state >= RANK_LEFT     ? "left"
                        : view->state == RANK_ABSENT ? "absent"
                        : call                       ? "calling"
                                                     : "computing";
    fprintf(file, "\"state\": \"%s\", \"call\": ", state);
    put_string(file, call);
    fputs(", \"peer\": null, \"tag\": null, \"count\": null, \"type\": null, \"group\": null", file);
    if (told_it)
        put_place(file, slash ? slash + 1 : told->at.file, told->at.line);
    else
        put_place(file, at->file, view->call ? at->line : 0);
}

static void put_waiting(FILE *file, const struct diagnosis *d, int rank)
{
    const struct note_op *op = &d->views[rank].open[0];
    const struct site *at = world_site_at(d->world, rank, op->site);
    fputs("\"state\": \"waiting\", \"call\": ", file);
    put_string(file, call_name((enum call)op->call));
    if (op->kind == NOTE_COLLECTIVE)
        fputs(", \"peer\": null, \"tag\": null", file);
    else
        fprintf(file, ", \"peer\": %d, \"tag\": %d", op->peer, op->tag);
    if (op->call == CALL_BARRIER || op->call == CALL_MONITORED_BARRIER || op->call == CALL_NEW_GROUP) {
        fputs(", \"count\": null, \"type\": null", file);
    } else {
        fprintf(file, ", \"count\": %lld, \"type\": ", (long long)op->count);
        put_string(file, dtype_name(op->type));
    }
    fprintf(file, ", \"group\": %d", op->group);
    put_place(file, at->file, at->line);
}

static void put_ranks(FILE *file, const struct diagnosis *d, const struct told *told)
{
    fputs("  \"ranks\": [", file);
    for (int rank = 0; rank < d->size; rank++) {
        fprintf(file, "%s\n    { \"rank\": %d, ", rank ? "," : "", rank);
        if (waits(&d->views[rank]))
            put_waiting(file, d, rank);
        else
            put_plain(file, d, told, rank);
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

static void put_report(FILE *file, const struct diagnosis *d, const struct told *told)
{
    const char *advice = told->advice, *cut = advice ? NULL : strstr(told->sentence, "; ");
    for (const char *next; cut && (next = strstr(cut + 1, "; "));)
        cut = next;
    size_t length = cut ? (size_t)(cut - told->sentence) : strlen(told->sentence);
    char *sentence = strndup(told->sentence, length);
    fprintf(file, "{\n  \"class\": \"%s\", \"status\": %d,\n  \"sentence\": ", class_of(told->status),
            told->status);
    put_string(file, sentence);
    fputs(",\n  \"advice\": ", file);
    put_string(file, advice ? advice : cut ? cut + 2 : NULL);
    fputs(",\n", file);
    put_ranks(file, d, told);
    free(sentence);
}

void report_json(const struct diagnosis *d, const struct told *told, const char *path)
{
    char beside[4096];
    int length = snprintf(beside, sizeof beside, "%s.%ld.new", path, (long)getpid());
    FILE *file = (size_t)length < sizeof beside ? fopen(beside, "wxe") : NULL;
    bool written = false;
    if (file) {
        put_report(file, d, told);
        written = !ferror(file);
        written &= fclose(file) == 0;
        written = written && rename(beside, path) == 0;
    }
    if (!written) {
        dprintf(STDERR_FILENO, "DIST_REPORT: %s could not be written: %s.\n", path, strerror(errno));
        if (file)
            unlink(beside);
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
    const char *path = getenv("DIST_REPORT");
    struct diagnosis d = { .world = world, .size = world ? world->header->size : 0 };
    if (!path || !*path)
        return;
    d.views = calloc((size_t)d.size + 1, sizeof *d.views);
    for (int rank = 0; d.views && rank < d.size; rank++) {
        d.views[rank].state = atomic_load(&world->header->slots[rank].state);
        d.views[rank].call = atomic_load(&world->header->slots[rank].call);
    }
    if (d.views)
        report_json(&d, told, path);
    free(d.views);
}
