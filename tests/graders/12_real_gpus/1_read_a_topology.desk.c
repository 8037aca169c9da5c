/* What each rank does in 12.1: it hands in the answers. */
#include "../../grader/desk.h"

double answer(int question);

void desk(int rank, int world_size)
{
    static const char *const questions[] = { "WAY", "CARD", "SHARED", "SLOWEST", "BAD", "TIME", "TIME_BAD" };
    (void)rank;
    (void)world_size;
    for (int i = 0; i < 7; i++)
        desk_hand_in_number(questions[i], answer(i));
}
