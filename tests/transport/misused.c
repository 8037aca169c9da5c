/*
 * misused.c: the mistakes of test_misuse*.c under a launcher that starts the ranks: misused NAME, once for each rank. Without a name it
 * lists them, each with the fewest ranks that it needs. What must be told of a mistake is in the suites; here one only makes it.
 */
#include "../misuse_test.h"

#include <stdio.h>

enum { MOST = 200 };

static struct {
    const char *name;
    void (*run)(int rank, int size);
    int ranks;
} list[MOST];
static int listed;

/* Called before main. */
void misuse_list(const char *name, void (*run)(int rank, int size), int ranks)
{
    if (listed == MOST)
        abort();
    list[listed].name = name;
    list[listed].run = run;
    list[listed++].ranks = ranks;
}

int main(int count, char **words)
{
    for (int i = 0; i < listed; i++) {
        if (count < 2)
            printf("%s %d\n", list[i].name, list[i].ranks);
        else if (strcmp(list[i].name, words[1]) == 0)
            return dist_spawn(list[i].run, list[i].ranks);
    }
    return count < 2 ? 0 : 2;
}
