/* main.c: build/bin/predict FILE. */
#include "predict.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: predict FILE...\n"
    "\n"
    "Reads a description of a training step, one `key = value` a line (# begins a comment), and\n"
    "prints how long the step takes on that cluster, and why.\n"
    "\n"
    "  the model     layers hidden heads kv_heads ffn vocab seq; glu = 1 for three matrices in the MLP;\n"
    "                experts experts_used\n"
    "  the work      batch (sequences of all GPUs in a step) microbatch\n"
    "  the cut       gpus tp pp dp cp ep interleave\n"
    "  how           recompute = none|selective|full, sequence_parallel = 0|1, zero = 0|1|2|3,\n"
    "                type = bf16|fp8, flash = 0|1 (fused attention), causal = 0|1,\n"
    "                fused = 0|1 (are element-wise kernels put together, as by torch.compile or "
    "Megatron-LM?)\n"
    "  the machine   machine = dgx-a100-80|dgx-h100|dgx-h200|hgx-b200|h800, or its parts, or both:\n"
    "                peak_tflops, hbm_gbps nvlink_gbps nic_gbps (GB/s of a GPU, one way), memory_gib,\n"
    "                gpus_per_node, watts (what a GPU may draw); nics_used (cards of a node)\n"
    "  or            collective = all_reduce|all_gather|reduce_scatter|all_to_all|broadcast|send_recv,\n"
    "                bytes, gpus, machine\n"
    "\n"
    "What is not said is assumed, and told. chapters/13_scale/rows has examples.\n";

static int one(const char *path)
{
    struct description d;
    char why[WHY];
    if (description_read(&d, path, why) != 0) {
        fprintf(stderr, "predict: %s\n", why);
        return 2;
    }
    if (d.collective != NOT_SAID) {
        collective_print(&d);
        return 0;
    }
    struct prediction p = predict_step(&d);
    prediction_print(&d, &p);
    return 0;
}

int main(int count, char **words)
{
    if (count < 2) {
        fprintf(stderr, "usage: predict FILE...; predict --help lists the keys\n");
        return 2;
    }
    if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0)
        return fputs(help, stdout) < 0 || fflush(stdout) != 0;
    for (int i = 1; i < count; i++) {
        if (words[i][0] == '-') {
            fprintf(stderr, "predict: there is no option %.60s; predict --help shows what there is\n",
                    words[i]);
            return 2;
        }
        if (count > 2)
            printf("%s# %s\n", i > 1 ? "\n" : "", words[i]);
        int status = one(words[i]);
        if (status != 0)
            return status;
    }
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    fprintf(stderr, "predict: the answer cannot be written: %s\n", strerror(errno));
    return 1;
}
