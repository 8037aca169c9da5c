/* inside.h: what the grader's own files know of each other. */
#ifndef GRADER_INSIDE_H
#define GRADER_INSIDE_H

#include "grader.h"
#include "sheet.h"

#define MOST_RANKS 16
#define SAID 16384

/* What lies in a rank's memory file. */
struct sheet {
    int fd;
    char *bytes; /* once it is read; else NULL */
    size_t size;
    size_t begin; /* what stands before is of an earlier call */
};

/* How the learner's program ended. */
struct ending {
    int status; /* exit status, or 128 + signal */
    bool late;  /* it had not ended at the deadline, and was killed; or before, and then `stopped` says why */
    char stopped[120];
    double seconds;
    int computed;                /* so many looks in a row, at its end, found it computing */
    char out[SAID], error[SAID]; /* what it printed, or as much as fits */
};

extern struct sheet given_sheets[MOST_RANKS], handed_sheets[MOST_RANKS];

/* sheet.c: fresh and empty, add an entry, find one (NULL: there is none), all read back. */
void sheets_new(int ranks);
void sheets_fresh_handed(int ranks);
void sheets_again(int ranks); /* what is added from now on is for a second call in the same run */
void sheet_add(struct sheet *sheet, const char *name, enum dist_type type, const double *values,
               int64_t count);
bool sheet_read(struct sheet *sheet);
const char *sheet_find(const struct sheet *sheet, const char *name, struct sheet_head *head);
bool sheet_twice(const struct sheet *sheet, struct sheet_head *head); /* is a name in it twice, and which? */
double sheet_item(const struct sheet_head *head, const char *data, int64_t i);

/* start.c: run a program on the sheets, and see how it ends; nothing of it is left when this returns. */
void start_and_end(const char *program, int ranks, uint64_t seed, const char *trace, struct ending *ending);

/* kin.c: all processes that come from us: how many, how much memory they hold, whether any of them computes; an end to all of them. */
struct kin_load {
    int processes;
    int64_t bytes;
    bool running;
};
struct kin_load kin_look(void);
void kin_kill(void);
void kin_signal(int signal); /* to all of them, once */

/* where.c: ask all ranks where they stand, and later tell lines of the learner's file. */
void where_ask(int ranks);
void where_tell(int ranks);

/* sitting.c: run the solution, if there is one, on the sheets of the last sitting: for the drawing beside. */
void sitting_show_solution(void);
const struct sitting *sitting_now(void);

/* feedback.c: lines for the learner. The first one fails the test. */
void feedback(const char *format, ...) __attribute__((format(printf, 1, 2)));
void feedback_text(const char *text, int lines); /* what a program said: at most so many lines, indented */
void said_add(char *said, const char *bytes, size_t count); /* to SAID bytes of what a program says */
bool feedback_any(void);
const char *feedback_words(void);

/* leftover.c: look for it in what a program said; what was left in any run of this test, as a line; empty: nothing. */
void leftover_look(const char *said);
const char *leftover_words(void);

/* refuse.c: does the learner's file name a call that it must do without? Says so. */
bool is_forbidden(const char *call);
void refuse(void);

/* The learner's file has tried what no exercise needs, and was not let: its tests are "refused", which teachers see beside the points. */
void refused_mark(bool refused);
bool refused_any(void);

/* graded.c: all tests, run one, and write down how one has ended; the path of a file of this test or another: $GRADE_OUT/TEST.NAME. */
extern struct graded *graded_first;
bool graded_run(struct graded *graded);
void graded_write(struct graded *graded, const char *status, const char *words);
const char *exercise_name(void);
const char *out_path(const char *name, char *path, size_t size);
const char *test_path(const struct graded *graded, const char *name, char *path, size_t size);

#define PATH_SIZE 600

#endif
