/* feedback: The compiler was stopped */
/* Two thousand million bytes of a table. */
#include "dist.h"

char table[1ul << 31] = { 1, [(1ul << 31) - 1] = 1 };
#define A(x) x x x x x x x x x x x x x x x x
#define B(x) A(A(A(A(A(x)))))
const char *words = B("much more than a program needs, ") B("again ");

void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    (void)traveller, (void)mine, (void)rank, (void)world_size;
}
