/*
 * grader.h: what a grader is written with.
 *
 *     const struct exercise exercise = { .title = "Once round the ring", .forbidden = COLLECTIVES, .drawing = "flow" };
 *
 *     static double sum(const struct sitting *s, int rank, int64_t i) { ... given(s, rank, "mine", i) ... }
 *
 *     GRADED(every_element, 6)                            a test, worth 6 points
 *     {
 *         EACH_SITTING(s, 1, 9) {                        2 to 9 ranks, and then 1
 *             int64_t n = pick(s, 1, 9);
 *             give_random(s, "mine", DIST_F32, n);        to every rank its own
 *             sit(s);                                     the learner's program runs, its calls randomly late
 *             expect(s, "home", n, sum);                  every rank, every element
 *         }
 *     }
 *
 * The learner's program is another process: it cannot crash the grader, nor see what is expected. A test ends with the
 * first sitting in which something was wrong, and what is said about that sitting is the feedback.
 */
#ifndef GRADER_GRADER_H
#define GRADER_GRADER_H

#include "../../diagrams/run.h"
#include "dist.h"
#include "marks.h"

#include <stdlib.h>
#include <string.h>

/* One for each grader. */
struct exercise {
    const char *title;
    const char *
        forbidden; /* calls, separated by blanks, that the learner's file must not make; NULL: all may be made */
    const char *needed; /* of these, the few that it may make all the same; NULL: none */
    const char
        *drawing; /* the kind that shows best what must happen: flow, spacetime, schedule, collective ... */
    bool calls_often; /* the desk itself calls the learner's function more than once in a run */
};
extern const struct exercise exercise;

#define COLLECTIVES \
    "dist_broadcast dist_reduce dist_all_reduce dist_scatter dist_gather dist_all_gather dist_all_to_all " \
    "dist_reduce_scatter dist_barrier dist_monitored_barrier dist_new_group"
#define MESSAGES " dist_send dist_recv dist_isend dist_irecv dist_batch_isend_irecv"

/* One run of the learner's program. */
struct sitting {
    int ranks;
    bool
        again; /* the second call in one run; what is given, handed in and seen in `run` is all of that one */
    double
        tolerance; /* how far an element may be off, relative to the largest of 1, `largest` and what is expected; at first 0 */
    double largest; /* of what give_random has given */
    const struct run
        *run; /* once sat: what the ranks did (diagrams/run.h); NULL: it did not end as it should */
    uint64_t seed;
    uint64_t state; /* of the random numbers */
};

/* ---- tests ------------------------------------------------------------------- */

struct graded {
    const char *name;
    int points;
    void (*body)(void);
    struct graded *next; /* in the order of the file */
};
void graded_add(struct graded *graded);

/* A test. All its points or none. */
#define GRADED(name_, points_) \
    static void name_##_body(void); \
    static struct graded name_##_graded = { #name_, points_, name_##_body, NULL }; \
    __attribute__((constructor(201))) static void name_##_add(void) \
    { \
        graded_add(&name_##_graded); \
    } \
    static void name_##_body(void)

/* Sit with every number of ranks between least and most, and with one rank last. With four ranks (or as many as there may be) a second
 * time, and then the learner's function is called twice in one run: first with the numbers of the sitting before, and then with those of
 * this one, while the rank has a message of its own under way. */
#define EACH_SITTING(s, least, most) \
    for (struct sitting *s = sitting_first(least, most); s; s = sitting_next(s, most))
struct sitting *sitting_first(int least, int most);
struct sitting *sitting_next(struct sitting *s, int most);

/* ---- before: what every rank is given ---------------------------------------- */

/* A random whole number. */
int64_t pick(struct sitting *s, int64_t least, int64_t most);

/* A number that takes an F32: it has a bit more than an F16 holds. */
static inline double pick_f32(struct sitting *s)
{
    return (double)pick(s, 1024, 2047) + 0.5;
}

/* How many elements a tensor has: a few, often fewer than there are ranks; with five ranks thousands; in the second call of a
 * run more than in the first. */
int64_t pick_length(struct sitting *s);

/* To every rank random numbers of its own, of either sign where the type has one, and never two neighbours alike. No other type of at
 * most as many bytes holds them (but an F64 those of an I64: desk_times_exactly), so whoever brings them through one is seen. In F32 they
 * are four digits and a half, in F64 fractions; of both, some thousand can be added up without rounding. */
void give_random(struct sitting *s, const char *name, enum dist_type type, int64_t count);

/* To every rank F32 numbers of its own from 1 to 99, and a half: for what is multiplied more than once. */
void give_below_100(struct sitting *s, const char *name, int64_t count);

/* To one rank these numbers; to every rank this number. */
void give(struct sitting *s, int rank, const char *name, enum dist_type type, const double *values,
          int64_t count);
void give_number(struct sitting *s, const char *name, double value);

/* Element i of what a rank was given. */
double given(const struct sitting *s, int rank, const char *name, int64_t i);
int64_t given_count(const struct sitting *s, int rank, const char *name);

/* ---- the sitting, and after --------------------------------------------------- */

/* Run the learner's program. False: it did not end as it should, which is then the feedback; what follows is not looked at. */
bool sit(struct sitting *s);

/* The same once more, with the same data: for what a busy machine has blurred. */
bool sit_again(struct sitting *s);

/* What element i on `rank` must be. */
typedef double answer(const struct sitting *s, int rank, int64_t i);

/* On every rank, or on one: was `name` handed in, with `count` elements, and is each right? */
void expect(struct sitting *s, const char *name, int64_t count, answer *right);
void expect_on(struct sitting *s, int rank, const char *name, int64_t count, answer *right);

/* Element i of what a rank has handed in; NaN: there is none. */
double handed(const struct sitting *s, int rank, const char *name, int64_t i);

/* Something else that must hold; if not, the words are the feedback. Gives `holds` back. */
bool claim(struct sitting *s, bool holds, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* leftover.c: has the learner's file freed all that it has made? For a text that asks for that. */
void nothing_left(struct sitting *s);

/* ---- way.c: the way on which the data went, after a sitting that ended well --------- */

int way_sends(const struct sitting *s, int rank);              /* messages that a rank sent */
int way_sends_to(const struct sitting *s, int rank, int peer); /* to that one */
int way_receives(const struct sitting *s, int rank);
int64_t way_bytes(const struct sitting *s, int rank);   /* sent by a rank, together */
int64_t way_largest(const struct sitting *s, int rank); /* bytes of the largest message that a rank sent */
int way_calls(const struct sitting *s, int rank,
              const char *name); /* "all_gather", "isend", ... made by a rank */

int64_t way_call_bytes(const struct sitting *s, int rank, const char *name); /* in all of these together */

int way_collectives(const struct sitting *s, int rank); /* collectives that a rank took part in */

/* Does its rank stand in this act until something is there that it has started? Not in a look whether it is (dist_is_completed), nor in a
 * wait for what such a look has found there. */
bool way_waits(const struct run *run, int act);

/* Has what a rank passes on travelled? It has sent at least so many bytes in messages, or taken part with them in collectives: who has
 * brought its values home otherwise gets no points for the way. */
bool way_carries(struct sitting *s, int rank, int64_t bytes);

/* Where this sitting is of one rank: a rank alone sends nothing, and meets nobody. */
void way_alone(struct sitting *s);

/* How many messages have to follow one after the other, where a rank can send one and receive one at the same time. */
int way_steps(const struct sitting *s);

#endif
