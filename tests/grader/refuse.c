/*
 * refuse.c: what a learner's file must not name. $GRADE_CALLS is a file with the names of all that it calls from outside
 * (grade_one.sh writes it), so that a built-in collective is found before anything runs.
 */
#include "inside.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* No exercise needs these; a program that has them can hide from the grader what it does. */
static const char *const never[] = {
    "fork",   "vfork",  "_Fork",  "forkpty", "clone*",       "__clone*", "exec*",        "fexecve",
    "system", "popen",  "daemon", "setsid",  "posix_spawn*", "ptrace",   "process_vm_*", "syscall",
    "dl*",    "socket", "kill",   "killpg",  "tgkill",       "shm_open", "memfd_create", "setpgid",
};

/* Is the word in a list with blanks between? */
static bool listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at && (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

bool is_forbidden(const char *call)
{
    return listed(exercise.forbidden, call);
}

/* "dist_send_from" is called as dist_send: what the macros of dist.h add is taken away. */
static void plain_name(char *name)
{
    static const char *const endings[] = { "_with", "_from", "_at" };
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t length = strlen(name), more = strlen(endings[i]);
        if (strncmp(name, "dist_", 5) == 0 && length > more && strcmp(name + length - more, endings[i]) == 0)
            name[length - more] = '\0';
    }
}

void refuse(void)
{
    char name[128];
    const char *path = getenv("GRADE_CALLS");
    FILE *file = path ? fopen(path, "re") : NULL;
    if (!file) {
        feedback("The grader cannot see what your file calls (GRADE_CALLS); run it through make.");
        return;
    }
    while (fscanf(file, "%127s", name) == 1) {
        plain_name(name);
        if (is_forbidden(name))
            feedback("Your file calls %s. That is what you are to do without here.", name);
        for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
            if (fnmatch(never[i], name, 0) == 0)
                feedback("Your file calls %s. No exercise needs it, and it is not allowed in any.", name);
    }
    fclose(file);
}
