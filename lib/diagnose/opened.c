/* opened.c: pages that were opened for innocent neighbours. With guard.c's lock held. */
#include "guard.h"

#define OPEN_PAGES 1024 /* further ones are closed again by the next message */
#define PASSES \
    2000 /* so many touches of a page are let pass one by one, which takes a few us each; then it stays open */

static struct {
    uintptr_t page;
    unsigned passes;
} opened[OPEN_PAGES];
static int count;

static int opened_place_of(uintptr_t page)
{
    int i = 0;
    while (i < count && opened[i].page != page)
        i++;
    return i;
}

bool was_opened(uintptr_t page)
{
    int i = opened_place_of(page);
    return i < count && opened[i].passes >= PASSES;
}

void opened_pass(uintptr_t page, bool for_good)
{
    int i = opened_place_of(page);
    if (i == OPEN_PAGES)
        return;
    if (i == count) {
        opened[count++].page = page;
        opened[i].passes = 0;
    }
    opened[i].passes += for_good ? PASSES : 1;
}

void opened_keep(bool (*keeps)(uintptr_t page, const void *argument), const void *argument)
{
    int kept = 0;
    for (int i = 0; keeps && i < count; i++)
        if (keeps(opened[i].page, argument))
            opened[kept++] = opened[i];
    count = kept;
}
