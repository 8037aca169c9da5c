/*
 * failures.c: something breaks every few hours. How often to write a checkpoint, and what is left of the time?
 *
 *     | work ............ | write | work ....... x  lost, start again | work ............ | write |
 *
 * Young: the best interval is sqrt(2 C M), C the time to write, M the mean time between failures. Daly: a little less for short M.
 * Both are checked by throwing dice: a year of failures.
 *
 * Run it:  make run-13 PROG=failures N=1
 */
#include "table.h"

#include <math.h>

#define HOURS (54.0 * 24) /* Llama 3: 54 days on 16,384 GPUs, 419 interruptions that nobody had planned */
#define GPUS 16384.0
#define FAILURES 419.0

static double seconds_to_write = 60,
              seconds_to_restart = 600; /* restart: find what broke, start all, read the checkpoint */

#define YEAR (365.0 * 24 * 3600)

static double daly(double write, double mean)
{
    if (write >= 2 * mean)
        return mean;
    double part = write / (2 * mean);
    return sqrt(2 * write * mean) * (1 + sqrt(part) / 3 + part / 9) - write;
}

/* What is left, by Daly's model: failures come at any time, also while a checkpoint is written. */
static double left_by_formula(double interval, double mean)
{
    return interval / mean / (exp(seconds_to_restart / mean) * expm1((interval + seconds_to_write) / mean));
}

/* The same by dice: a year of work, and its failures. */
static double left_by_dice(double interval, double mean)
{
    uint64_t state = 42;
    double now = 0, done = 0, breaks = -mean * log(1 - chance(&state));
    while (now < YEAR) {
        if (now + interval + seconds_to_write <= breaks) {
            now += interval + seconds_to_write;
            done += interval;
            continue;
        }
        now = breaks;
        do { /* it may break again before all have started */
            breaks = now - mean * log(1 - chance(&state));
            now += breaks < now + seconds_to_restart ? breaks - now : seconds_to_restart;
        } while (now == breaks);
    }
    return done / now;
}

static void tell(void)
{
    printf("a GPU and what belongs to it breaks every %.1f years\n", HOURS * GPUS / FAILURES / 24 / 365);
    printf("%8s %12s %12s %12s %10s %10s %14s\n", "GPUs", "a failure", "Young", "Daly", "time left",
           "by dice", "once an hour");
    for (int gpus = 256; gpus <= 262144; gpus *= 4) {
        double mean = HOURS * 3600 * GPUS / FAILURES / gpus, interval = daly(seconds_to_write, mean);
        printf("%8d %10.1f h %8.1f min %8.1f min %8.1f %% %8.1f %% %12.1f %%\n", gpus, mean / 3600,
               sqrt(2 * seconds_to_write * mean) / 60, interval / 60, 100 * left_by_formula(interval, mean),
               100 * left_by_dice(interval, mean), 100 * left_by_formula(3600, mean));
    }
    double mean = HOURS * 3600 / FAILURES;
    seconds_to_write = 10;
    seconds_to_restart = 300;
    printf("16,384 GPUs, written in 10 s and restarted in 5 minutes: %.1f %% are left\n",
           100 * left_by_formula(daly(seconds_to_write, mean), mean));
}

static void run(int rank, int world_size)
{
    (void)world_size;
    rank_0_tells(rank, tell);
}

int main(void)
{
    return dist_spawn(run, 1);
}
