/*
 * wants.c: the model of lib/backends/transport/wants.c: short messages between machines that need no answer.
 *
 * Rank B sends; rank A posts receives, and sends messages to B, which say what A wants. The notes of either come in order; but the data of a long
 * message whose receive had begun come without a note, and may be seen before notes that left earlier (ahead.c). A message is a letter: its
 * tag. Capital and small are one tag and two sizes. * is long, of tag a, and has a note; q is long, and has none.
 */
#include "wants.h"
#include "models.h"

static const struct scenario scenarios[] = { { "one message against one receive", MOVES },
                                             { "a message of another tag comes first", MOVES },
                                             { "a message of another size comes first", MOVES },
                                             { "two receives of one tag, of two sizes", MOVES },
                                             { "a receive from anybody is posted first", MOVES },
                                             { "a long message comes first", MOVES },
                                             { "a long one whose data need no note", MOVES },
                                             { "one after the other", MOVES },
                                             { 0 } };

static const struct fault faults[] = { { "a receive is said again, behind what has come meanwhile", 6 },
                                       { "the long messages do not count", 5 },
                                       { "the short messages do not count", 2 },
                                       { "a receive says what it wants though another one is posted", 3 },
                                       { "a receive says what it wants behind one from anybody", 4 },
                                       { "a want tells no size", 2 },
                                       { "who has said a want answers to no message that meets it", 1 },
                                       { "a want is not compared with messages that have left", 0 },
                                       { 0 } };

/* What B sends; and what A does: r, a receive from B; o, one from anybody; s, a message to B. */
static const char *const programs[][2] = {
    { "a", "ra s  s  " },        { "ba", "ra s  rb s  " },        { "Aa", "ra s  ra " },
    { "Aa", "ra rA s  " },       { "aa", "oa ra s  " },           { "*a", "ra s  ra s  " },
    { "aq", "ra s  rq s  s  " }, { "aaa", "ra s  ra s  ra s  " },
};

char tag_of(char kind)
{
    return kind == '*' ? 'a' : (char)(kind | 32);
}

bool is_long(char kind)
{
    return kind == '*' || kind == 'q';
}

char sends(const struct step *step, int message)
{
    return programs[step->scenario][0][message];
}

const char *line(const struct step *step, int pc)
{
    return programs[step->scenario][1] + (size_t)(3 * pc);
}

void push(struct note *notes, struct note note)
{
    int n = 0;
    while (notes[n].what)
        n++;
    notes[n] = note;
}

struct note pull(struct note *notes)
{
    struct note first = notes[0];
    memmove(notes, notes + 1, (NOTES - 1) * sizeof *notes);
    memset(&notes[NOTES - 1], 0, sizeof *notes);
    return first;
}

/* ---- both come to this verdict, each for itself ---------------------------------------------------------- */

bool is_next(const struct step *step, const struct want *want, const struct want *message)
{
    return want->kind && (message->shorts == want->shorts + 1 || step->fault == SHORTS_UNCOUNTED) &&
           (message->longs == want->longs || step->fault == LONGS_UNCOUNTED);
}

static bool agrees(const struct step *step, char want, char message)
{
    return step->fault == SIZE_UNSAID ? tag_of(want) == tag_of(message) : want == message;
}

/* ---- rank B ------------------------------------------------------------------------------------------------ */

static void end_send(struct step *step, int message)
{
    struct sender *b = &((struct state *)step->state)->b;
    if (b->over[message])
        step->broken = "an answer comes to a send that is over";
    b->over[message] = 1;
}

static bool is_wanted(const struct step *step, int message)
{
    const struct sender *b = &((struct state *)step->state)->b;
    return !is_long(sends(step, message)) && is_next(step, &b->heard_of, &b->numbers[message]) &&
           agrees(step, (char)b->heard_of.kind, sends(step, message));
}

/* Has the receive of this long message begun? */
static bool has_begun(const struct step *step, char kind)
{
    const struct state *s = step->state;
    for (int i = 0; i < s->a.count && kind == 'q'; i++)
        if (line(step, s->a.posted[i])[1] == kind)
            return true;
    return false;
}

static bool run_b(struct step *step)
{
    struct state *s = step->state;
    uint8_t message = s->b.pc;
    char kind = sends(step, message);
    if (!kind)
        return false;
    say(step, "B sends message %d, %c", message, kind);
    s->b.pc++;
    s->b.shorts += !is_long(kind);
    s->b.numbers[message] = (struct want){ s->b.shorts, s->b.longs, (uint8_t)kind };
    s->b.longs += is_long(kind);
    if (has_begun(step, kind))
        s->data |= (uint8_t)(1 << message);
    else
        push(s->to_a, (struct note){ TO_A, message, { 0 } });
    if (has_begun(step, kind) || is_wanted(step, message))
        end_send(step, message);
    return true;
}

static bool hear_b(struct step *step)
{
    struct state *s = step->state;
    struct note note = pull(s->to_b);
    if (!note.what)
        return false;
    say(step, "B hears %s", note.what == TO_B ? "a message, and what A wants" : "an answer");
    if (note.what != TO_B)
        end_send(step, note.message);
    if (note.what != TO_B || !note.want.kind)
        return true;
    s->b.heard_of = note.want;
    for (int i = 0; i < s->b.pc && step->fault != NO_LOOK_BACK; i++)
        if (!s->b.over[i] && is_wanted(step, i))
            end_send(step, i);
    return true;
}

static bool wants_move(struct step *step, int move)
{
    bool (*const moves[MOVES])(struct step *) = { run_b, run_a, hear_a, hear_data, hear_b };
    return moves[move](step);
}

static const char *wants_end(struct step *step)
{
    const struct state *s = step->state;
    for (int i = 0; sends(step, i); i++)
        if (!s->b.over[i])
            return "a send waits for ever";
    return s->a.count > 0 || s->a.kept > 0 ? "a receive waits for ever" : NULL;
}

const struct model model_wants = {
    .name = "wants",
    .promise = "a send is over once, and its message meets a receive with which it agrees",
    .bytes = sizeof(struct state),
    .scenarios = scenarios,
    .faults = faults,
    .move = wants_move,
    .end = wants_end,
};
