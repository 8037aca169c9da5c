/*
 * predict.h: how long does a training step take on a cluster that we do not have?
 *
 *   read.c       a description, one `key = value` a line; what is wrong with it, in one sentence
 *   words.c      which word was meant?
 *   machines.c   what a GPU and its links can do: the only table of hardware, with a source for each number
 *   assume.c     what the description leaves open; what cannot be
 *   gpu.c        one GPU: a matrix product, element-wise work, attention
 *   links.c      collectives on links of two levels
 *   layer.c      one layer of a transformer, forward and backward
 *   memory.c     bytes of a GPU
 *   step.c       the pipeline, data parallelism, the optimizer: the whole step
 *   show.c       the answer, one `key = value` a line
 *   main.c       build/bin/predict FILE
 *
 * Units: seconds, bytes, operations. A "GB" is 1e9 bytes; memory is told in GiB.
 */
#ifndef PREDICT_H
#define PREDICT_H

#include <stdbool.h>
#include <stddef.h>

struct machine {
    const char *name;
    double peak;     /* dense BF16, TFLOP/s */
    double peak_fp8; /* 0: it has none */
    double matmul;   /* of the peak, for large products that go on for minutes */
    double matmul_fp8;
    int cores;        /* streaming multiprocessors */
    double hbm;       /* GB/s */
    double memory;    /* GiB */
    double nvlink;    /* GB/s, one way */
    double ring;      /* of nvlink, that a ring reaches */
    double in_switch; /* of nvlink, that an all-reduce reaches where the switch adds; 0: it does not */
    double nic;       /* GB/s of a GPU's card, one way */
    int gpus_per_node;
    double watts, usual_watts;
};

enum recompute { RECOMPUTE_NONE, RECOMPUTE_SELECTIVE, RECOMPUTE_FULL };

#define NOT_SAID (-1.0)
#define WHY 600

/* One number for each key; NOT_SAID until it is read or assumed. */
struct description {
    double layers, hidden, heads, kv_heads, ffn, glu, vocab, seq;
    double experts, experts_used;
    double batch, microbatch;
    double gpus, tp, pp, dp, cp, ep, interleave;
    double recompute, sequence_parallel, zero, fp8, flash, causal, fused;
    double peak_tflops, hbm_gbps, memory_gib, nvlink_gbps, nic_gbps, gpus_per_node, watts, nics_used;
    double collective, bytes;
    struct machine machine; /* with what the description says of its parts */
    bool has_machine;
    char assumed[600]; /* "zero = 0, causal = 1", or "" */
};

enum collective { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, BROADCAST, SEND_RECV };

/* Seconds of a step, by what they go into; they add up to step. */
struct prediction {
    double step;
    double compute;                                     /* of the slowest stage, all micro-batches */
    double bubble;                                      /* its share of the pipeline's time */
    double tp_comm, pp_comm, dp_comm, cp_comm, ep_comm; /* all of it, hidden or not */
    double exposed;                                     /* what is not hidden behind computing */
    double optimizer;
    double tflops, mfu, memory_gib;
};

/* read.c: 0, or -1 with a sentence in why: "FILE:3: ...". Then it is checked and completed (assume.c). */
int description_read(struct description *d, const char *path, char *why);
/* The same from a text; `name` is told where a file's name would be. */
int description_parse(struct description *d, const char *name, const char *text, char *why);

/* words.c */
int word_distance(const char *a, const char *b);

/* assume.c: fill in what is open; 0, or -1 with a sentence. */
int description_complete(struct description *d, char *why);

/* machines.c */
const struct machine *machine_named(const char *name);
void machine_names(char *text, size_t size);

/* step.c */
struct prediction predict_step(const struct description *d);

/* links.c: seconds for `bytes` (of the whole tensor; all-to-all: that a rank sends) over n ranks, of which `near` are in a node. */
double collective_time(const struct machine *m, enum collective what, double bytes, int n, int near,
                       double nics);
/* The same as a program of PyTorch sees it that calls once and waits: the call itself, and cards with nobody else's traffic. */
double collective_alone(const struct machine *m, enum collective what, double bytes, int n, int near);
double bus_bandwidth(enum collective what, double bytes, int n, double seconds);
const char *collective_name(enum collective what);

/* gpu.c */
double matmul_time(const struct machine *m, bool fp8, double rows, double columns, double inner);
double memory_time(const struct machine *m, double bytes);
double attention_time(const struct description *d, bool backward);

/* layer.c: what one micro-batch costs on one GPU of a stage. */
struct layer_cost {
    double forward, backward, again; /* computing; what recompute adds */
    double tp, cp, ep;               /* communication, forward and backward and again */
};
struct layer_cost layer_cost(const struct description *d);
double head_time(const struct description *d); /* logits and loss, forward and backward */

/* memory.c */
double parameters_of(const struct description *d); /* of the whole model */
double parameters_of_layer(const struct description *d);
double parameters_on_gpu(const struct description *d); /* of the fullest stage, before ZeRO */
double memory_needed(const struct description *d);     /* bytes */
double layers_of_stage(const struct description *d);   /* of the fullest */

/* step.c */
double model_flops(const struct description *d, bool with_recompute);

/* show.c */
void prediction_print(const struct description *d, const struct prediction *p);
void collective_print(const struct description *d);

#endif
