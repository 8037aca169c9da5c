/* What each rank does in 10.1: once, and where two calls are wanted once more, with one sample more on every rank. */
#include "../../grader/desk.h"

void average_by_samples(tensor **gradients, int count, int samples);

enum { MOST = 12 };

static void average(const char *handed, int count, int samples)
{
    tensor *gradients[MOST];
    char name[16];
    for (int i = 0; i < count && i < MOST; i++) {
        snprintf(name, sizeof name, "gradient %d", i);
        gradients[i] = desk_tensor(name);
    }
    average_by_samples(gradients, count, samples);
    for (int i = 0; i < count && i < MOST; i++) {
        snprintf(name, sizeof name, "%s %d", handed, i);
        desk_hand_in(name, gradients[i]);
    }
}

void desk(int rank, int world_size)
{
    int count = (int)desk_number("count"), samples = (int)desk_number("samples");
    (void)rank, (void)world_size;
    average("gradient", count, samples);
    if (desk_number("calls") > 1)
        average("again", count, samples + 1);
}
