/*
 * which_cut.c: what does each cut send in a step? Formulas, for the model of this chapter (the layers' matrices), and
 * for a large one. Then three cuts at once: which goes inside a node, which between nodes? All six orders, computed.
 *
 * Run it:  make run-11 PROG=which_cut N=1
 */
#include "dist.h"

struct job {
    const char *name;
    double layers, width, length, batch; /* batch: samples in a step */
    double bytes;                        /* of a number that travels */
};

/* The large one: 64 billion parameters, BF16. */
static const struct job small = { "this chapter's model", 4, 64, 64, 8, 4 },
                        large = { "64 billion parameters", 80, 8192, 4096, 512, 2 };

/* Bytes a second for each GPU: in a node of 8, in a pod of 8 nodes, and between pods, where the switches carry a quarter. */
static const double speed[] = { 450e9, 50e9, 12.5e9 };

/* ---- what one rank of n sends in a step, if it has `layers` of the layers and `samples` of the samples ------------------------- */

static double one_matrix(const struct job *j) /* a row of `width` numbers for each character of a sample */
{
    return j->length * j->width * j->bytes;
}

static double parameters_of_layer(const struct job *j)
{
    return 12 * j->width * j->width * j->bytes; /* wq, wk, wv, wo; w1 and w2 four times each */
}

/* An all_reduce is a reduce_scatter and an all_gather, and each sends (n - 1) / n of the tensor (chapter 08). */
static double part(double n)
{
    return (n - 1) / n;
}

static double data_parallel(const struct job *j, double n, double layers)
{
    return 2 * part(n) * layers * parameters_of_layer(j); /* gradients: once a step */
}

static double zero_3(const struct job *j, double n, double layers)
{
    return 3 * part(n) * layers * parameters_of_layer(j); /* gathered twice, scattered once */
}

static double tensor_parallel(const struct job *j, double n, double layers, double samples)
{
    return 4 * 2 * part(n) * layers * samples * one_matrix(j); /* two all_reduces forward, two backward */
}

static double pipeline(const struct job *j, double samples)
{
    return 2 * samples * one_matrix(j); /* x to the next stage, its gradient to the one before */
}

static double ring_attention(const struct job *j, double n, double layers, double samples)
{
    return 6 * part(n) * layers * samples *
           one_matrix(j); /* k and v forward; backward k, v and their gradients */
}

static double experts(const struct job *j, double n, double layers, double samples)
{
    return 4 * part(n) * layers * samples / n *
           one_matrix(j); /* there and back, forward and backward; a token, one expert */
}

/* ---- one cut alone ----------------------------------------------------------------------------------------------------------------- */

static void tell(const char *name, double bytes, const char *when)
{
    const char *unit = bytes < 1e6 ? "KB" : bytes < 1e9 ? "MB" : "GB";
    double by = bytes < 1e6 ? 1e3 : bytes < 1e9 ? 1e6 : 1e9;
    printf("    %-17s %8.1f %s   %s\n", name, bytes / by, unit, when);
}

static void each_alone(const struct job *j, double n)
{
    printf("%s, cut over %.0f ranks: each sends in a step of %.0f samples\n", j->name, n, j->batch);
    tell("data parallel", data_parallel(j, n, j->layers), "once, behind backward");
    tell("ZeRO-3", zero_3(j, n, j->layers), "a block ahead");
    tell("tensor parallel", tensor_parallel(j, n, j->layers, j->batch), "everybody waits");
    tell("pipeline", pipeline(j, j->batch), "behind other samples");
    tell("ring attention", ring_attention(j, n, j->layers, j->batch), "behind attention");
    tell("experts", experts(j, n, j->layers, j->batch), "everybody waits");
}

/* ---- three cuts at once ---------------------------------------------------------------------------------------------------------------- */

enum cut { TENSOR, PIPELINE, DATA };
static const char *const names[] = { "tensor", "pipeline", "data" };

/* Seconds that a cut into 8 needs, of 8 x 8 x 8 ranks, if it runs at that speed. */
static double seconds(enum cut cut, double bytes_a_second)
{
    double layers = large.layers / 8, samples = large.batch / 8, bytes = 0;
    if (cut == TENSOR)
        bytes = tensor_parallel(&large, 8, layers, samples);
    else if (cut == PIPELINE)
        bytes = pipeline(&large, samples);
    else
        bytes = data_parallel(&large, 8, layers) / 8; /* a tensor-parallel rank has an 8th of each layer */
    return bytes / bytes_a_second;
}

/* Neighbours along the innermost cut are in a node; along the next one 8 ranks apart, in a pod; along the outermost 64. */
static void all_orders(void)
{
    static const enum cut orders[6][3] = { { TENSOR, PIPELINE, DATA }, { TENSOR, DATA, PIPELINE },
                                           { PIPELINE, TENSOR, DATA }, { PIPELINE, DATA, TENSOR },
                                           { DATA, TENSOR, PIPELINE }, { DATA, PIPELINE, TENSOR } };
    double best = 1e9;
    int which = 0;
    printf("%s on 8 x 8 x 8 ranks: seconds of sending in a step\n"
           "    in a node  in a pod  between      tensor  pipeline     data       all\n",
           large.name);
    for (int i = 0; i < 6; i++) {
        double of[3], all = 0;
        for (int c = 0; c < 3; c++)
            all += of[orders[i][c]] = seconds(orders[i][c], speed[c]);
        printf("    %-10s %-9s %-9s %9.3f %9.3f %8.3f %9.3f\n", names[orders[i][0]], names[orders[i][1]],
               names[orders[i][2]], of[TENSOR], of[PIPELINE], of[DATA], all);
        which = all < best ? i : which;
        best = all < best ? all : best;
    }
    printf("the least: %s in a node, %s in a pod, %s between pods\n", names[orders[which][0]],
           names[orders[which][1]], names[orders[which][2]]);
}

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    if (rank == 0) {
        each_alone(&small, 4);
        each_alone(&large, 8);
        all_orders();
    }
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 1);
}
