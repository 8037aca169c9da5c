/*
 * serving.c: a model answers. Prefill reads the question, all words at once; decode writes one word after the other, and each waits for
 * two all-reduces a layer over the ranks that share the model.
 *
 *     prefill   [ 2,048 words: arithmetic ]
 *     decode    [w][w][w] ...               each: all weights once through the memory, and 2 x layers x alpha
 *
 * Run it:  make run-13 PROG=serving N=1
 */
#include "predict/predict.h"
#include "table.h"

enum {
    LAYERS = 80,
    HIDDEN = 8192,
    FFN = 28672,
    KEYS = 1024,
    VOCAB = 128256,
    CONTEXT = 4096
}; /* Llama 3 70B: 8 heads of keys */

static const struct machine *machine;

static double products(double words, int tp)
{
    double layer = matmul_time(machine, false, words, (HIDDEN + 2.0 * KEYS) / tp, HIDDEN) +
                   matmul_time(machine, false, words, HIDDEN, (double)HIDDEN / tp) +
                   matmul_time(machine, false, words, 2.0 * FFN / tp, HIDDEN) +
                   matmul_time(machine, false, words, HIDDEN, (double)FFN / tp);
    return LAYERS * layer + matmul_time(machine, false, words, (double)VOCAB / tp, HIDDEN);
}

/* Keys and values of all words so far, for each question. */
static double cache(double questions, int tp)
{
    return memory_time(machine, questions * LAYERS * 2.0 * 2 * KEYS * CONTEXT / tp);
}

static double sums(double words, int tp)
{
    int near = tp < machine->gpus_per_node ? tp : machine->gpus_per_node;
    return 2 * LAYERS *
           collective_time(machine, ALL_REDUCE, 2.0 * words * HIDDEN, tp, near, machine->gpus_per_node);
}

static double weights_gib(int tp)
{
    return 2 * 70.6e9 / tp / (1 << 30);
}

static void print_ranks(int tp)
{
    double computing = products(1, tp) + cache(1, tp), waiting = sums(1, tp), reads = products(2048, tp),
           read_sums = sums(2048, tp);
    printf("%4d %9.1f %12.1f %12.1f %10.0f %% %14.0f\n", tp, weights_gib(tp), 1e3 * (computing + waiting),
           1e3 * waiting, 100 * waiting / (computing + waiting), 1e3 * (reads + read_sums));
}

static void tell(void)
{
    machine = machine_named("dgx-h100");
    printf("Llama 3 70B, %d words before it, H100\n", CONTEXT);
    printf("%4s %9s %12s %12s %12s %14s\n", "tp", "GiB a GPU", "ms a word", "of it sums", "", "prefill, ms");
    for (int tp = 2; tp <= 16; tp *= 2)
        print_ranks(tp);
    printf("tp 8, many questions at once:\n");
    printf("%10s %12s %18s %18s\n", "questions", "ms a word", "words a second", "of all, per GPU");
    for (int questions = 1; questions <= 256; questions *= 4) {
        double time = products(questions, 8) + cache(questions, 8) + sums(questions, 8);
        printf("%10d %12.1f %18.0f %18.0f\n", questions, 1e3 * time, 1 / time, questions / time / 8);
    }
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
