/* fuzz_one.h: what a fuzzer does with one input. Each target takes bytes and does with them what a user's file, variables or words
 * would have done. Bad ones must be refused in one sentence of one line: anything else aborts. True: they were understood. */
#ifndef FUZZ_ONE_H
#define FUZZ_ONE_H

#include <stddef.h>

/* Read the bytes as a trace, then as a report, and draw every picture of them. */
int fuzz_one(const void *bytes, size_t size);

/* As a trace, by the judge of traces (trace_file.h). */
int fuzz_judge(const void *bytes, size_t size);

/* As variables of the environment, NAME=VALUE in each line: what a launcher and a user may set. */
int fuzz_environment(const void *bytes, size_t size);

/* As the words of a command line, one in each line. The first byte: of the drawing programs, or of distrun. */
int fuzz_words(const void *bytes, size_t size);

/* As files of /sys and /proc, one behind the other with an empty line between: a machine. */
int fuzz_topology(const void *bytes, size_t size);

#define FUZZ_TARGETS \
    { \
        { "draw", fuzz_one }, { "judge", fuzz_judge }, { "environment", fuzz_environment }, \
            { "words", fuzz_words }, \
        { \
            "topology", fuzz_topology \
        } \
    }

struct fuzz_target {
    const char *name;
    int (*run)(const void *bytes, size_t size);
};

/* It must be a sentence in one line. */
void fuzz_check_sentence(const char *why);

#endif
