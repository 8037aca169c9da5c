/* What each rank does in 10.1. */
#include "../../grader/desk.h"

void average_by_samples(tensor **gradients, int count, int samples);

enum { MOST = 4 };

void desk(int rank, int world_size)
{
    tensor *gradients[MOST];
    char name[16];
    int count = (int)desk_number("count");
    (void)rank, (void)world_size;
    for (int i = 0; i < count && i < MOST; i++) {
        snprintf(name, sizeof name, "gradient %d", i);
        gradients[i] = desk_tensor(name);
    }
    average_by_samples(gradients, count, (int)desk_number("samples"));
    for (int i = 0; i < count && i < MOST; i++) {
        snprintf(name, sizeof name, "gradient %d", i);
        desk_hand_in(name, gradients[i]);
    }
}
