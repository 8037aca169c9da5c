/*
 * survives.c: chapter 10's training, killed three times, and started again each time with the ranks that are left. Does it end with
 * the bits of a run that nobody disturbed?
 *
 *     distrun -n 4 --restarts 3     step 0 ---- 8 -x 10        rank 3 is killed; 3 ranks go on from step 8
 *                                           8 ---- 16 -- x 21      and so on
 *
 * A batch is always cut into 8 shards, which are always added in the same order (chapter 10, bits.c): so the number of ranks leaves no
 * trace in the sums.
 *
 * Run it:  make run-13 PROG=survives N=4, or by yourself, for 1000 epochs, with kills by hand:
 *          build/bin/distrun -n 4 --restarts 3 build/chapters/13_scale/survives train /tmp/state 1000
 */
#define _DEFAULT_SOURCE /* signal(): a handler stays, and a call that it interrupts goes on */
#include "../10_data_parallel/checkpoint.h"
#include "../words.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define DISTRUN "build/bin/distrun"

enum { EVERY = 8, SHARDS = 8, KILLS = 3 };

static const int killed_at[KILLS] = { 10, 21, 40 };
static const char *path;
static int64_t all_steps;
static bool disturbed;
static volatile sig_atomic_t stopped; /* the signal that ends all, or 0 */
static volatile pid_t job;

/* The gradient of the whole batch, with the same bits for any number of ranks. */
static void in_shards(struct model *m, const struct digits *d, int step, int rank, int n)
{
    tensor *sum = tensor_zeros(DIST_F32, tensor_numel(m->gradients));
    for (int shard = 0; shard < SHARDS; shard++) {
        int owner = shard * n / SHARDS;
        if (owner == rank)
            model_gradients(m, d, part_of_batch(step, shard, SHARDS), BATCH);
        if (n > 1)
            dist_broadcast(m->gradients, owner);
        tensor_add(sum, m->gradients);
    }
    tensor_copy(m->gradients, sum);
    tensor_free(sum);
}

static void die(void)
{
    raise(SIGKILL);
}

/* Rank 0 dies while it writes, others between two steps. */
static bool dies_now(int64_t step, int rank, int n)
{
    const char *text = getenv("TORCHELASTIC_RESTART_COUNT"); /* distrun sets it, as torchrun does */
    int restart = text ? atoi(text) : 0;
    bool mine = restart < KILLS && step == killed_at[restart] && rank == (restart == KILLS - 1 ? 0 : n - 1);
    return disturbed && mine;
}

static void learn(struct model *m, struct digits *d, int64_t step, int rank, int n)
{
    while (step < all_steps) {
        digits_shuffle(d, 1 + (int)step / STEPS);
        in_shards(m, d, (int)step % STEPS, rank, n);
        model_step(m);
        step++;
        bool dies = dies_now(step, rank, n);
        if (dies && step % EVERY != 0)
            die();
        if (step % EVERY == 0 && rank == 0)
            checkpoint_write(m, path, step, dies ? die : NULL);
        dist_barrier(); /* nobody goes on, or leaves, before it is written */
    }
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    struct digits *d = digits_read();
    struct model m = model_for_digits(1);
    int64_t from = checkpoint_read(&m, path);
    if (rank == 0) {
        printf("  %d rank%s from step %lld\n", world_size, world_size > 1 ? "s" : "", (long long)from);
        fflush(stdout); /* what a rank holds back is lost with it */
    }
    learn(&m, d, from, rank, world_size);
    double good = accuracy(&m, d, rank, world_size);
    if (rank == 0)
        printf("  the end: %.1f %% are read rightly\n", good);
    model_free(&m);
    free(d);
    dist_destroy_process_group();
}

/* Ctrl-C, or `kill`: the job ends first, so that nobody writes any more when the files are removed. */
static void stop(int number)
{
    stopped = number;
    if (job > 0)
        kill(job, SIGTERM);
}

/* This program under distrun; the reports of ranks that are killed on purpose are left out: we know. The exit status. */
static int train(const char *self, const char *file, const char *how)
{
    const char *ranks = getenv("WORLD_SIZE");
    char times[8];
    snprintf(times, sizeof times, "%d", KILLS);
    fflush(stdout);
    pid_t self_id = getpid();
    job = fork();
    if (job == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        prctl(PR_SET_PDEATHSIG, SIGTERM); /* who ends this program ends its job */
        if (getppid() != self_id || stopped)
            _exit(127);
        if (strcmp(how, "disturb") == 0)
            dup2(open("/dev/null", O_WRONLY), 2);
        execl(DISTRUN, "distrun", "-n", ranks ? ranks : "4", "--restarts", times, self, how, file,
              (char *)NULL);
        _exit(127);
    }
    if (stopped) /* before its number was known here */
        kill(job, SIGTERM);
    int status = 0;
    waitpid(job, &status, 0);
    job = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static bool same_bytes(const char *left, const char *right)
{
    FILE *a = fopen(left, "rb"), *b = fopen(right, "rb");
    int x = 0, y = 0;
    while (a && b && x == y && x != EOF) {
        x = getc(a);
        y = getc(b);
    }
    bool same = a && b && x == y;
    if (a)
        fclose(a);
    if (b)
        fclose(b);
    return same;
}

static void remove_file(const char *file)
{
    char aside[48];
    snprintf(aside, sizeof aside, "%s.new", file);
    remove(aside);
    remove(file);
}

static int both(const char *self)
{
    char folder[] = "build/survives-XXXXXX", calm[40], rough[40];
    alone("survives");
    if (access(DISTRUN, X_OK) != 0) {
        fprintf(stderr, "cannot run " DISTRUN " (%s): run the program from the root of the workbook\n",
                strerror(errno));
        return 2;
    }
    signal(SIGINT, stop);
    signal(SIGTERM, stop);
    if (!mkdtemp(folder))
        give_up("make", folder);
    snprintf(calm, sizeof calm, "%s/calm", folder);
    snprintf(rough, sizeof rough, "%s/rough", folder);
    unsetenv("DIST_RANKS"); /* distrun starts processes */
    unsetenv("BACKEND");
    setenv("DIST_OUTPUT", "ordered", 1);
    printf("undisturbed:\n");
    int status = train(self, calm, "train");
    bool same = false;
    if (status == 0 && !stopped) {
        printf("killed three times:\n");
        status = train(self, rough, "disturb");
        same = same_bytes(calm, rough);
        if (!stopped)
            printf("the two checkpoints: %s\n", same ? "the same bits" : "they differ");
    }
    remove_file(calm);
    remove_file(rough);
    rmdir(folder);
    if (stopped) {
        signal(stopped, SIG_DFL);
        raise(stopped);
    }
    return status ? status : !same;
}

int main(int count, char **words)
{
    if (count == 1)
        return both(words[0]);
    disturbed = strcmp(words[1], "disturb") == 0;
    int64_t epochs = count == 4 ? whole_number(words[3], 1000000) : 2;
    if ((!disturbed && strcmp(words[1], "train") != 0) || count < 3 || count > 4 || epochs < 1) {
        fprintf(stderr, "usage: survives [train FILE [EPOCHS]]: epochs from 1 on\n");
        return 2;
    }
    path = words[2];
    all_steps = STEPS * epochs;
    return dist_spawn(run, 4);
}
