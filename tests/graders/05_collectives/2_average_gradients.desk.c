/* What each rank does in 05.2. */
#include "../../grader/desk.h"

void average_gradients(tensor **gradients, int layers);

enum { MOST = 8 };

void desk(int rank, int world_size)
{
    tensor *gradients[MOST];
    char name[16];
    int layers = (int)desk_number("layers");
    for (int i = 0; i < layers && i < MOST; i++) {
        snprintf(name, sizeof name, "gradient %d", i);
        gradients[i] = desk_tensor(name);
    }
    desk_hold(rank, world_size, layers);
    average_gradients(gradients, layers);
    desk_hold_end();
    for (int i = 0; i < layers && i < MOST; i++) {
        snprintf(name, sizeof name, "gradient %d", i);
        desk_hand_in(name, gradients[i]);
    }
}
