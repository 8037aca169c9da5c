/* What each rank does in 06.4: it hands in the answers. */
#include "../../grader/desk.h"

int answer(int question);

void desk(int rank, int world_size)
{
    static const char *const questions[] = { "class", "rank", "line", "line_to_change", "cure" };
    (void)rank;
    (void)world_size;
    for (int i = 0; i < 5; i++)
        desk_hand_in_number(questions[i], answer(i));
}
