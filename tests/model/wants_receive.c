/* wants_receive.c: rank A posts receives, hears messages and data, and answers or not. */
#include "wants.h"

/* An op that ends with a message: it is answered, or its sender knows. */
static void meet(struct step *step, uint8_t op, uint8_t message, bool known)
{
    struct state *s = step->state;
    bool agree = line(step, op)[1] == sends(step, message);
    s->a.met[op] = (uint8_t)(message + 1);
    if (s->b.over[message] && !agree)
        step->broken = "a send was over at once, and its message is refused";
    if (!(s->data >> message & 1) && !(known && agree))
        push(s->to_b, (struct note){ agree ? TAKEN : REFUSED, message, { 0 } });
}

static bool unpost(struct step *step, int at, uint8_t message)
{
    struct state *s = step->state;
    uint8_t op = s->a.posted[at];
    bool was_alone = s->a.alone == op + 1;
    memmove(&s->a.posted[at], &s->a.posted[at + 1], (size_t)(MOST - 1 - at));
    s->a.posted[MOST - 1] = 0;
    s->a.count--;
    s->a.receives -= line(step, op)[0] == 'r';
    if (was_alone)
        s->a.alone = 0;
    return was_alone && s->a.said.kind && !is_long(sends(step, message)) &&
           (step->fault == NOT_COMPARED || is_next(step, &s->a.said, &s->b.numbers[message]));
}

/* A message was heard, by its note or its data: the first receive of its tag takes it. */
static void take(struct step *step, uint8_t message)
{
    struct state *s = step->state;
    char kind = sends(step, message);
    s->a.shorts += !is_long(kind);
    s->a.longs += is_long(kind);
    int at = 0;
    while (at < s->a.count && tag_of(line(step, s->a.posted[at])[1]) != tag_of(kind))
        at++;
    if (at == s->a.count) {
        s->a.unexpected[s->a.kept++] = message;
        return;
    }
    uint8_t op = s->a.posted[at];
    bool known = unpost(step, at, message);
    meet(step, op, message, known);
}

bool hear_data(struct step *step)
{
    struct state *s = step->state;
    uint8_t message = 0;
    while (message < MOST && !(s->data >> message & 1))
        message++;
    if (message == MOST)
        return false;
    say(step, "A sees the data of message %d", message);
    take(step, message);
    s->data &= (uint8_t) ~(1 << message);
    return true;
}

bool hear_a(struct step *step)
{
    struct state *s = step->state;
    if (!s->to_a[0].what)
        return false;
    for (int before = 0; before < s->to_a[0].message; before++)
        if (s->data >> before & 1)
            return false; /* its data came over the same connection: they are seen first */
    uint8_t message = pull(s->to_a).message;
    say(step, "A hears message %d", message);
    take(step, message);
    return true;
}

static void post(struct step *step, uint8_t op)
{
    struct state *s = step->state;
    const char *asked = line(step, op);
    bool any = false;
    for (int i = 0; i < s->a.kept; i++) {
        uint8_t message = s->a.unexpected[i];
        if (tag_of(sends(step, message)) != tag_of(asked[1]))
            continue;
        memmove(&s->a.unexpected[i], &s->a.unexpected[i + 1], (size_t)(MOST - 1 - i));
        s->a.unexpected[MOST - 1] = 0;
        s->a.kept--;
        meet(step, op, message, false);
        return;
    }
    for (int i = 0; i < s->a.count; i++)
        any |= line(step, s->a.posted[i])[0] == 'o';
    s->a.posted[s->a.count++] = op;
    if (asked[0] == 'o')
        return;
    bool first = s->a.receives++ == 0 || step->fault == NOT_ALONE;
    if (!first || is_long(asked[1]) || (any && step->fault != BEHIND_ANYBODY))
        return;
    s->a.alone = (uint8_t)(op + 1);
    s->a.said = (struct want){ 0 };
}

bool run_a(struct step *step)
{
    struct state *s = step->state;
    uint8_t op = s->a.pc;
    const char *asked = line(step, op);
    if (!asked[0])
        return false;
    s->a.pc++;
    if (asked[0] != 's') {
        say(step, "A posts receive %d, of %c", op, asked[1]);
        post(step, op);
        return true;
    }
    struct note note = { TO_B, 0, { 0 } };
    if (s->a.alone && (!s->a.said.kind || step->fault == SAID_AGAIN))
        note.want = s->a.said =
            (struct want){ s->a.shorts, s->a.longs, (uint8_t)line(step, s->a.alone - 1)[1] };
    say(step, "A sends a message%s", note.want.kind ? ", and says what it wants" : "");
    push(s->to_b, note);
    return true;
}
