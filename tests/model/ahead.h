/* ahead.h: the state of the model of receives that begin ahead (ahead.c), and the moves of its sender. */
#ifndef MODEL_AHEAD_H
#define MODEL_AHEAD_H

#include "models.h"

#include <stdint.h>

enum { KINDS = 2, CALLS = 3 }; /* messages, and receives, counted from 1 */
enum { UNSETTLED = 1, LATE_IS_NEW, UNCOUNTED, SECOND, UNNUMBERED, SHORT_UNNUMBERED };

enum note { NONE, WAITS, LEFT, CAME, WAS_READ }; /* WAITS: for others to travel with */
#define DATA 0x10 /* on the connection: of a message its note, or with this, its data */
struct state {
    struct message {
        uint8_t kind, nth, note, gone, over; /* nth: of its kind */
        uint8_t is_short, seq, tag;          /* seq: among the long ones */
        uint8_t known;                       /* the receiver has heard of it, or seen its data */
    } messages[CALLS + 1];
    struct receive {
        uint8_t kind, nth, with;
        uint8_t begun, told,
            old;      /* under this tag; the sender's Gloo knows; under which it had, and was taken back */
        uint8_t data; /* of this message, they have come; or it was refused */
    } receives[CALLS + 2];
    uint8_t way[2 * CALLS];
    uint8_t sends[KINDS], posts[KINDS];             /* so many of each kind, */
    uint8_t short_sends[KINDS], short_heard[KINDS]; /* and of these short ones; */
    uint8_t sent, long_sends, heard;                /* of all; long ones */
    uint8_t posted, ahead;                          /* ahead: a receive */
    uint8_t counted_out, counted_in;
};

/* Long message `number`, before which the receiver has heard so many short ones of its kind. */
static inline uint8_t tag_of(const struct step *step, int number, int shorts, int kind)
{
    number = step->fault == UNNUMBERED ? 0 : number;
    shorts = step->fault == SHORT_UNNUMBERED ? 0 : shorts;
    return (uint8_t)(1 + kind + KINDS * (number + (CALLS + 1) * shorts));
}

/* The first whose note waits; 0: none. */
static inline uint8_t ahead_waits(const struct state *s)
{
    for (uint8_t n = 1; n <= s->sent; n++)
        if (s->messages[n].note == WAITS)
            return n;
    return 0;
}

/* ---- ahead_sender.c: false: not possible now -------------------------------------------------------- */

bool ahead_send(struct step *step, struct state *s, int kind, bool is_short);
bool ahead_leave(struct step *step, struct state *s);                   /* the note of what was sent */
bool ahead_hear_begun(struct step *step, struct state *s, int receive); /* the sender's Gloo does */
bool ahead_see(struct step *step, struct state *s, int n);              /* the end of a send */

#endif
