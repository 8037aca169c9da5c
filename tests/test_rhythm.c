/*
 * test_rhythm.c: who waits learns how soon answers come (lib/backends/shm/rhythm.h), and learns anew when they come sooner
 * or later.
 */
#include "backends/shm/rhythm.h"

#include <criterion/criterion.h>

#define ANSWERS 2000

/* So many answers, each after `soon` turns; how many first looks were in vain? */
static int in_vain(struct rhythm *rhythm, unsigned soon)
{
    int count = 0;
    for (int i = 0; i < ANSWERS; i++) {
        bool vain = rhythm->turns < soon;
        count += vain;
        rhythm_learn(rhythm, vain);
    }
    return count;
}

Test(rhythm, settles_where_the_answer_is)
{
    struct rhythm rhythm = { .most = RHYTHM_MOST };
    static const unsigned answers[] = { 200, 30, 390, 1, 100 };
    for (int i = 0; i < 5; i++) {
        in_vain(&rhythm, answers[i]);
        int count = in_vain(&rhythm, answers[i]);
        cr_expect(rhythm.turns + 1 >= answers[i] && rhythm.turns <= answers[i] + RHYTHM_LONGER,
                  "answers after %u turns, the first look after %u", answers[i], rhythm.turns);
        cr_expect(count > ANSWERS / 7 && count < ANSWERS / 5, "%d of %d looks in vain", count, ANSWERS);
    }
}

Test(rhythm, waits_for_no_more_than_the_most)
{
    struct rhythm rhythm = { .most = RHYTHM_MOST }, oversubscribed = { .most = 0 };
    in_vain(&rhythm, 1000000);
    cr_expect(rhythm.turns >= RHYTHM_MOST && rhythm.turns < RHYTHM_MOST + RHYTHM_LONGER);
    cr_expect(in_vain(&oversubscribed, 10) == ANSWERS && oversubscribed.turns == 0);
    in_vain(&rhythm, 0);
    cr_expect(rhythm.turns == 0);
}
