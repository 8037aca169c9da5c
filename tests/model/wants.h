/* wants.h: the state of the model of messages that need no answer, shared by its two files: wants.c has rank B, which sends, and what is
 * walked through; wants_receive.c rank A. */
#ifndef MODEL_WANTS_H
#define MODEL_WANTS_H

#include "explore.h"

#include <stdint.h>
#include <string.h>

enum { MOST = 4, LINES = 6, NOTES = 8, MOVES = 5 };

enum {
    FINE,
    SAID_AGAIN,
    LONGS_UNCOUNTED,
    SHORTS_UNCOUNTED,
    NOT_ALONE,
    BEHIND_ANYBODY,
    SIZE_UNSAID,
    NOT_COMPARED,
    NO_LOOK_BACK
};
struct want {
    uint8_t shorts, longs, kind; /* kind 0: none */
};

struct note {
    enum { NOTHING, TO_B, TAKEN, REFUSED, TO_A } what;
    uint8_t message;
    struct want want;
};

struct state {
    struct sender {
        uint8_t pc, shorts, longs;
        struct want numbers[MOST]; /* of its messages */
        uint8_t over[MOST];
        struct want heard_of;
    } b;
    struct receiver {
        uint8_t pc, shorts, longs, receives, alone; /* alone: the receive + 1 */
        uint8_t posted[MOST], count;                /* in order */
        uint8_t met[LINES];                         /* by each receive: the message + 1 */
        uint8_t unexpected[MOST], kept;
        struct want said;
    } a;
    struct note to_a[NOTES], to_b[NOTES];
    uint8_t data; /* messages whose data are on their way, without a note */
};

char tag_of(char kind);
bool is_long(char kind);
char sends(const struct step *step, int message);
const char *line(const struct step *step, int pc); /* of A's program */
void push(struct note *notes, struct note note);
struct note pull(struct note *notes);
bool is_next(const struct step *step, const struct want *want, const struct want *message);

/* Moves of A. */
bool run_a(struct step *step);
bool hear_a(struct step *step);
bool hear_data(struct step *step);

#endif
