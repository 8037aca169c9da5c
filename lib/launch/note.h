/*
 * note.h: what a rank writes down before it goes to sleep: which event count would wake it, and what it waits for.
 *
 * From these notes others can tell that nobody will ever move again: every rank is asleep, each after a last look that
 * found nothing, and no event count was notified since. Writing them costs nothing that counts: it happens only on the way
 * to a system call.
 *
 * Who owns which word. All are the sleeper's; others only read. It writes notes, `eventcount`, `timed` and `seen`, then an odd
 * epoch (seq_cst: who sees that sees them); after the sleep an even one, a fence, and only then other notes. A reader reads an
 * odd epoch, the notes, a fence (acquire), and the epoch again: is it another, what it read may be half old and half new, and
 * is thrown away.
 */
#ifndef LAUNCH_NOTE_H
#define LAUNCH_NOTE_H

#include "../why.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define NOTE_OPS 32
#define NOTE_STREAMS 17 /* threads of a rank's GPU: one that communicates, then those of its streams */

#define NOTE_THREADS \
    256 /* threads of the program but the first that called; or that do a collective by messages */

/* One thread's sleep. */
struct sleep_note {
    _Atomic uint32_t epoch;      /* 0: there is no such thread; odd: asleep; even: awake */
    _Atomic uint32_t seen;       /* the event count's count when it looked for the last time */
    _Atomic uint64_t eventcount; /* where the event count is, as an offset in the world */
    _Atomic uint32_t timed;      /* 1: it will wake by itself, whatever the others do */
};

/* Those of a rank's threads but the first: launch_take_note. */
struct thread_notes {
    _Atomic uint32_t used;     /* so many, from the first on, were ever taken */
    _Atomic uint32_t beyond;   /* threads for which none was left: nobody knows whether they are stuck */
    _Atomic uint32_t uncalled; /* 1: there are others, as the rank saw itself when its last nap ended */
    struct sleep_note notes[NOTE_THREADS];
};

enum note_kind { NOTE_SEND = 1, NOTE_RECV, NOTE_COLLECTIVE, NOTE_UNEXPECTED };

/* One open operation, in words that any process understands. UNEXPECTED: a message from `peer` that no receive has asked for. */
struct note_op {
    uint8_t kind;
    uint8_t type;    /* enum dist_type */
    uint8_t arrived; /* collectives: 1: it stands at its barrier; 0: it waits for its turn */
    uint8_t call;    /* enum call */
    bool among;      /* with others: one of them has to come, not all (dist_wait_any) */
    bool behind;     /* a message: its stream has not come to it yet */
    uint16_t group;  /* the group's id */
    uint16_t size;   /* how many members the group has */
    uint32_t site;   /* where it was posted: a call site of this rank; of an UNEXPECTED one: of the sender */
    int32_t peer;    /* world rank, or DIST_ANY_SOURCE */
    int32_t tag;
    uint32_t seq;     /* which collective of the group */
    uint32_t stream;  /* 0: the program itself called; else 1 + the number of the stream in which it stands */
    int64_t count;    /* elements */
    uint64_t members; /* offset of the group's world ranks, int32_t[size]; 0: the world */
};

/* What a member has freed others may still wait in: the numbers of the last groups. */
#define NOTE_FREED 8
struct freed_note {
    _Atomic uint32_t count; /* of all */
    uint16_t groups[NOTE_FREED];
};

/* Why a message was refused. Its sender hears that it was, and may read this much later, when others have been refused as well: so there
 * are several places, used in turn, and each says whose message it is about. */
#define NOTE_REFUSALS 16
struct refusal_note {
    _Atomic uint64_t name; /* of the message; written last; 0: none, or the words are being written */
    struct why words;
};

#endif
