/* picture.c */
#include "diagnose.h"
void draw_graph(const struct diagnosis *d, const char *path)
{
    (void)path;
    (void)d;
}
