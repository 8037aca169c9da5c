/* What each rank does in 10.4: it looks, and once more with the parameters the other way round. */
#include "../../grader/desk.h"

struct drift {
    int rank, parameter;
};
struct drift find_the_drift(tensor **parameters, int count);

enum { MOST = 8 };

static void look(const char *handed, tensor **parameters, int count)
{
    struct drift drift = find_the_drift(parameters, count);
    int32_t answer[2] = { drift.rank, drift.rank < 0 ? -1 : drift.parameter };
    tensor *t = tensor_from(DIST_I32, answer, 2);
    desk_hand_in(handed, t);
    tensor_free(t);
}

void desk(int rank, int world_size)
{
    tensor *parameters[MOST], *turned[MOST];
    char name[16];
    int count = (int)desk_number("count");
    (void)rank, (void)world_size;
    for (int i = 0; i < count && i < MOST; i++) {
        snprintf(name, sizeof name, "parameter %d", i);
        parameters[i] = turned[count - 1 - i] = desk_tensor(name);
    }
    look("answer", parameters, count);
    if (desk_number("calls") > 1)
        look("answer again", turned, count);
}
