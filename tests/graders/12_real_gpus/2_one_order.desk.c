/* What each rank does in 12.2. */
#include "../../grader/desk.h"

void both_at_once(tensor *sum, tensor *most, dist_group *a, dist_group *b, bool most_first,
                  void (*make_sum)(void), void (*make_most)(void));

static tensor *brings_sum, *brings_most, *sum, *most;
static int made, sum_made_at, most_made_at; /* in this call */

static void make_sum(void)
{
    desk_late();
    tensor_copy(sum, brings_sum);
    sum_made_at += ++made;
}

static void make_most(void)
{
    desk_late();
    tensor_copy(most, brings_most);
    most_made_at += ++made;
}

/* The last call is handed in. With each it is the other one that can be made first. */
void desk(int rank, int world_size)
{
    int all[16];
    bool first;
    made = sum_made_at = most_made_at = 0;
    for (int i = 0; i < world_size && i < 16; i++)
        all[i] = i;
    dist_group *a = dist_new_group(all, world_size), *b = dist_new_group(all, world_size);
    brings_sum = desk_tensor("sum");
    brings_most = desk_tensor("most");
    sum = desk_room(DIST_F32, tensor_numel(brings_sum));
    most = desk_room(DIST_F32, tensor_numel(brings_most));
    first = desk_number("most_first") > 0;
    for (int call = 0; call < (int)desk_number("calls"); call++) {
        if (call > 0)
            first = !first;
        made = sum_made_at = most_made_at = 0;
        desk_hold(rank, world_size, 2);
        both_at_once(sum, most, a, b, first, make_sum, make_most);
        desk_hold_end();
    }
    desk_hand_in("sum", sum);
    desk_hand_in("most", most);
    bool each_once = made == 2 && sum_made_at > 0 && most_made_at > 0;
    desk_hand_in_number("in_order", each_once && (most_made_at < sum_made_at) == first);
    dist_group_free(b);
    dist_group_free(a);
}
