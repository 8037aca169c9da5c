/* files.c: what a job has left in its folders: whole files, and nothing that is not its own. */
#include "torture.h"

#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Brackets and strings of JSON, from end to end. */
static bool is_whole(const char *path, char first)
{
    FILE *file = fopen(path, "r");
    int depth = 0, c, before = file ? fgetc(file) : EOF, last = 0;
    bool begins = before == first, inside = false;
    depth = begins;
    while (file && (c = fgetc(file)) != EOF) {
        if (inside && c == '\\')
            fgetc(file);
        else if (c == '"')
            inside = !inside;
        else if (!inside)
            depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        last = c == '\n' ? last : c;
    }
    if (file)
        fclose(file);
    return begins && depth == 0 && !inside && (last == '}' || last == ']');
}

/* Looks at what lies in a folder of the job, and empties it. */
static void files(struct job *job, const char *folder, bool may_be_cut)
{
    DIR *all = opendir(folder);
    char path[600];
    for (struct dirent *entry; all && (entry = readdir(all));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const char *end = strrchr(entry->d_name, '.');
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "full") == 0)
            continue;
        bool ours =
            strncmp(entry->d_name, "trace.json", 10) == 0 || strncmp(entry->d_name, "report.", 7) == 0;
        if (!ours || (end && strcmp(end, ".new") == 0 && !may_be_cut))
            dislike(job, "%s was left behind", entry->d_name);
        if (strncmp(entry->d_name, "dist-", 5) == 0)
            files(job, path, true); /* drawings of a deadlock that was none */
        else if (end && strcmp(end, ".json") == 0 && !may_be_cut && !is_whole(path, '{'))
            dislike(job, "%s is half written", entry->d_name);
        remove(path);
    }
    if (all)
        closedir(all);
}

void look_at_files(struct job *job, int status)
{
    char path[260];
    bool cut = job->plan.fault == LAUNCHER_GONE && status == 128 + SIGKILL;
    snprintf(path, sizeof path, "%s/trace.json", job->folder);
    if (status == 0 && job->plan.trace && job->plan.fault != FULL_DISK && access(path, R_OK) != 0)
        dislike(job, "the trace was not written");
    files(job, job->folder, cut);
    snprintf(path, sizeof path, "%s/full", job->folder);
    files(job, path, cut);
}
