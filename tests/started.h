/* started.h: start a program, and see what it prints and how it ends. */
#ifndef STARTED_H
#define STARTED_H

#include <stdbool.h>
#include <sys/types.h>

struct started {
    pid_t pid;      /* also its session and process group */
    int out, error; /* our ends of its stdout and stderr */
    char stdout_text[32768];
    char stderr_text[32768]; /* with the lines that were broken for the terminal put together, */
    char stderr_raw[32768];  /* and as it came */
    int status;              /* exit status, or 128 + signal; -1: it did not end in time */
    double seconds;          /* from start to end */
};

/* Start words[0]: a program of tests/programs by its bare name, else a path or a command. settings is a list of
 * "NAME=value"; both end with NULL. */
void started_begin(struct started *started, const char *const *settings, const char *const *words);

/* Read until the program has ended and its pipes are closed, or `seconds` have passed: then it is killed. */
void started_end(struct started *started, double seconds);

/* Both, with a minute, which a busy machine may need. */
#define STARTED(started, settings, ...) \
    started_run(started, settings, (const char *const[]){ __VA_ARGS__, NULL })
#define SETTINGS(...) ((const char *const[]){ __VA_ARGS__, NULL })
void started_run(struct started *started, const char *const *settings, const char *const *words);

/* An MPI that the library was built with, and how a job of its ranks is started. */
extern const struct mpi {
    const char *name, *package, *mpirun;
} open_mpi, mpich;

/* False, after a line that names the package: it is not here. */
bool mpi_is_here(const struct mpi *mpi);

/* A command as `ranks` ranks of it, within so many seconds. */
void started_by_mpirun(struct started *started, const struct mpi *mpi, int ranks, const char *const *settings,
                       const char *command, double seconds);

/* How many processes have `tag` among their arguments. */
int processes_with(const char *tag);

/* The path of a program of tests/programs. */
const char *program_path(const char *name, char *path, size_t size);

double seconds_now(void);

#endif
