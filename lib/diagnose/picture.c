/* picture.c */
#include "diagnose.h"
void draw_graph(const struct diagnosis *d)
{
    (void)d;
}
