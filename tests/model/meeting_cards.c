/* meeting_cards.c: cards, slots and tensors: what board_pin, board_check and the steps of plans.c touch. */
#include "meeting.h"

static int card_set(const struct turn *t)
{
    return t->step->fault == ONE_CARD ? 0 : t->me->round & 1;
}

static int slot_set(const struct turn *t)
{
    return t->step->fault == ONE_SLOT ? 0 : t->me->round & 1;
}

void card_write(struct turn *t)
{
    meeting_tell(t, "pins its card");
    meeting_check(t, order_write(t->order, t->i, PLACE_CARD(t->i, card_set(t))),
                  "a card is written while another may read it");
    t->s->cards[t->i][card_set(t)] = t->me->round + 1;
}

void tensor_write(struct turn *t, uint8_t value)
{
    meeting_check(t, order_write(t->order, t->i, PLACE_TENSOR(t->i)),
                  "a tensor is written while another may read it");
    t->s->tensors[t->i] = value;
}

void data_write(struct turn *t)
{
    meeting_tell(t, t->is_long ? "fills its tensor" : "fills its slot");
    if (t->is_long) {
        tensor_write(t, t->me->round + 1);
        return;
    }
    meeting_check(t, order_write(t->order, t->i, PLACE_SLOT(t->i, slot_set(t))),
                  "a slot is written while another may read it");
    t->s->slots[t->i][slot_set(t)] = t->me->round + 1;
}

static void read_card(struct turn *t)
{
    int from = t->me->at;
    say(t->step, "member %d reads the card of member %d (collective %d)", t->i, from, t->me->round + 1);
    meeting_check(t, order_read(t->order, t->i, PLACE_CARD(from, card_set(t))),
                  "a card is read while its owner may write it");
    meeting_check(t, t->s->cards[from][card_set(t)] == t->me->round + 1,
                  "a member reads the card of another collective");
}

static void read_data(struct turn *t)
{
    int from = t->me->at, place = t->is_long ? PLACE_TENSOR(from) : PLACE_SLOT(from, slot_set(t));
    int found = t->is_long ? t->s->tensors[from] : t->s->slots[from][slot_set(t)];
    say(t->step, "member %d reads the %s of member %d (collective %d)", t->i, t->is_long ? "tensor" : "slot",
        from, t->me->round + 1);
    meeting_check(t, order_read(t->order, t->i, place), "data is read while its owner may write it");
    meeting_check(t, found == t->me->round + 1, "a member reads data of another collective");
}

/* Read from each member in turn, then go on at `next`. */
void read_all(struct turn *t, uint8_t next)
{
    if (t->me->pc == READ_CARD)
        read_card(t);
    else
        read_data(t);
    if (++t->me->at < t->size)
        return;
    t->me->at = 0;
    t->me->pc = next;
}
