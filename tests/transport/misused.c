/*
 * misused.c: the mistakes of test_misuse*.c under a launcher that starts the ranks: misused NAME, once for each rank. Without a name it
 * lists them, each with the fewest ranks that it needs, or behind "=" with the number that it must have: of an exam, whose ranks go on
 * after the mistake, and of which all that is wrong is told. What must be told of the others is in the suites; here one only makes them.
 */
#include "../conform_exam.h"
#include "../misuse_test.h"

#include <stdio.h>

enum { MOST = 200 };

static struct {
    const char *name;
    void (*run)(int rank, int size);
    int ranks;
    void (*exam)(void); /* instead of these */
} list[MOST];
static int listed;

/* Both are called before main. */
void misuse_list(const char *name, void (*run)(int rank, int size), int ranks)
{
    if (listed == MOST)
        abort();
    list[listed].name = name;
    list[listed].run = run;
    list[listed++].ranks = ranks;
}

void misuse_list_exam(const char *name, void (*test)(void))
{
    misuse_list(name, NULL, 0);
    list[listed - 1].exam = test;
}

/* ---- exams ----------------------------------------------------------------------------------------- */

static const char *listing; /* the name of the exam whose sizes are asked for; NULL: it is taken */
static int last_size;
static struct exam *current;
static void (*current_body)(struct exam *exam, int rank, int size);

static void be_examined(int rank, int size)
{
    dist_init_process_group();
    current_body(current, rank, size);
    dist_destroy_process_group();
}

/* Of the tries of one test that with as many ranks as there are. */
bool misuse_exam_run(struct exam *exam, void (*body)(struct exam *exam, int rank, int size))
{
    if (listing) {
        if (exam->size != last_size)
            printf("%s =%d\n", listing, exam->size);
        last_size = exam->size;
        return true;
    }
    const char *ranks = getenv("WORLD_SIZE");
    if (!ranks || exam->size != atoi(ranks))
        return true;
    current = exam;
    current_body = body;
    int status = dist_spawn(be_examined, exam->size);
    if (atomic_load(&exam->faults) > 0)
        fprintf(stderr, "%lu wrong: %s\n", (unsigned long)exam->faults, exam->first);
    exit(atomic_load(&exam->faults) > 0 ? 1 : status);
}

static void tell(int number)
{
    listing = list[number].name;
    last_size = 0;
    if (list[number].exam)
        list[number].exam();
    else
        printf("%s %d\n", listing, list[number].ranks);
}

int main(int count, char **words)
{
    for (int i = 0; i < listed; i++) {
        if (count < 2)
            tell(i);
        else if (strcmp(list[i].name, words[1]) == 0 && list[i].run)
            return dist_spawn(list[i].run, list[i].ranks);
        else if (strcmp(list[i].name, words[1]) == 0)
            list[i].exam();
    }
    return count < 2 ? 0 : 2;
}
