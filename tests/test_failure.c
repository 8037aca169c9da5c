/* test_failure.c: of several that make a job fail at once, is it the one whose record holds who tells? */
#define _GNU_SOURCE
#include "launch/text.h"
#include "launch/world.h"
#include "dist.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define ROUNDS 4000

static struct world world;
static pthread_barrier_t meeting;
static int tellers[ROUNDS];

static void *fail_again_and_again(void *argument)
{
    struct world own = world;
    own.author = *(int *)argument;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&meeting);
        if (world_fail_and_tell(&own, own.author, DIST_ERR_ARGUMENT + own.author, "why"))
            tellers[round] |= 1 << own.author;
        pthread_barrier_wait(&meeting);
        bool told;
        const struct world_failure *failure = world_failure(&own);
        bool right = tellers[round] == 1 << failure->rank &&
                     failure->code == DIST_ERR_ARGUMENT + failure->rank &&
                     world_teller(&own, &told) == failure->rank && !told;
        pthread_barrier_wait(&meeting);
        tellers[round] = right;
        atomic_store(&world.header->failed, 0);
        atomic_store(&world_notes(&world, own.author)->failure.begun, 0);
    }
    return NULL;
}

/* ---- what is told while another thread flushes ------------------------------------------------- */

#define LINES 20000
static const char line_told[] = "DIST_REPORT: a line of a report, as long as such a line may be, and whole\n";

static void *flush_again_and_again(void *over)
{
    while (!atomic_load((atomic_bool *)over))
        fflush(NULL);
    return NULL;
}

/* Neither twice nor as what has come to lie where the text was. */
Test(failure, what_is_told_is_told_once, .timeout = 60)
{
    FILE *file = tmpfile();
    int own = dup(STDERR_FILENO);
    pthread_t thread;
    atomic_bool over = false;
    dup2(fileno(file), STDERR_FILENO);
    pthread_create(&thread, NULL, flush_again_and_again, &over);
    for (int i = 0; i < LINES; i++)
        text_say("%s", line_told);
    atomic_store(&over, true);
    pthread_join(thread, NULL);
    dup2(own, STDERR_FILENO);
    char line[200];
    int lines = 0;
    rewind(file);
    for (; fgets(line, sizeof line, file); lines++)
        cr_assert_str_eq(line, line_told);
    cr_expect_eq(lines, LINES);
    fclose(file);
    close(own);
}

Test(failure, whose_record_holds_tells, .timeout = 60)
{
    static int authors[] = { 0, 1, 2 };
    pthread_t threads[3];
    cr_assert(world_create(&world, 3) == 0);
    pthread_barrier_init(&meeting, NULL, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, fail_again_and_again, &authors[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    for (int round = 0; round < ROUNDS; round++)
        cr_assert(tellers[round] == 1, "round %d", round);
    world_unmap(&world);
}

/* Nobody tells of a rank's end but the watcher, or whoever takes it over; and of a teller that died somebody else may. */
Test(failure, somebody_else_may_tell, .timeout = 60)
{
    bool told = true;
    cr_assert(world_create(&world, 2) == 0);
    struct world one = world, other = world;
    one.author = 0;
    other.author = 1;
    cr_assert(!world_tell_instead(&one, -1), "nothing has failed");
    cr_assert(world_fail(&one, 1, END_EXIT, 3, "") && world_teller(&other, &told) == -1 && !told);
    cr_assert(!world_fail_and_tell(&other, 1, DIST_ERR_STATE, ""), "it has failed before");
    cr_assert(world_tell_instead(&other, -1) && world_teller(&one, &told) == 1 && !told);
    cr_assert(!world_tell_instead(&one, -1) && world_tell_instead(&one, 1), "only from him who has died");
    world_told(&one);
    cr_assert(world_teller(&other, &told) == 0 && told && !world_tell_instead(&other, 0), "it was told");
    cr_assert(world_failure(&other)->end == END_EXIT && world_failure(&other)->code == 3);
    world_unmap(&world);
}
