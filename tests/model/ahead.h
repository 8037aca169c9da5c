/* ahead.h: the state of the model of receives that begin ahead (ahead.c), and the moves of its sender. */
#ifndef MODEL_AHEAD_H
#define MODEL_AHEAD_H

#include "models.h"

#include <stdint.h>

enum { KINDS = 2, CALLS = 3 }; /* messages, and receives, counted from 1 */
enum { UNSETTLED = 1, LATE_IS_NEW, UNCOUNTED, SECOND, UNNUMBERED };

enum note { NONE, LEFT, CAME, WAS_READ };
#define DATA 0x10 /* on the connection: of a message its note, or with this, its data */
struct state {
    struct message {
        uint8_t kind, nth, note, gone, over; /* nth: of its kind */
    } messages[CALLS + 1];
    struct receive {
        uint8_t kind, nth, with;
        uint8_t begun, told,
            old;      /* under this tag; the sender's Gloo knows; under which it had, and was taken back */
        uint8_t data; /* of this message, they have come */
    } receives[CALLS + 2];
    uint8_t way[2 * CALLS];
    uint8_t sends[KINDS], posts[KINDS];          /* so many of each kind */
    uint8_t sent, posted, heard, leaving, ahead; /* ahead: a receive */
    uint8_t counted_out, counted_in;
};

static inline uint8_t tag_of(const struct step *step, int number, int kind)
{
    return (uint8_t)(1 + kind + (step->fault == UNNUMBERED ? 0 : KINDS * number));
}

static inline uint8_t tag_of_message(const struct step *step, const struct state *s, int n)
{
    return tag_of(step, n - 1, s->messages[n].kind);
}

/* ---- ahead_sender.c: false: not possible now -------------------------------------------------------- */

bool ahead_send(struct step *step, struct state *s, int kind);
bool ahead_leave(struct step *step, struct state *s);                   /* the note of what was sent */
bool ahead_hear_begun(struct step *step, struct state *s, int receive); /* the sender's Gloo does */
bool ahead_see(struct step *step, struct state *s, int n);              /* the end of a send */

#endif
