/*
 * machines.c: the table of hardware. Every number with its source; none belongs to a single row of training. Measured all-reduces gave
 * the links (links.c).
 *
 * Data sheets (NVIDIA: A100 80GB SXM, H100 SXM, H200 SXM, HGX B200, H800): peak without sparsity, memory, NVLink (half of the sum of
 * both ways that they print), watts. Cards: DGX A100 8 x 200 Gbit/s, DGX H100, H200 and HGX B200 8 x 400 Gbit/s.
 *
 * matmul: the largest BF16 product that anyone has got is 0.869 of the peak on an A100 and 0.803 on an H100 (S. Bekman, "Maximum
 * Achievable Matmul FLOPS", github.com/stas00/ml-engineering, compute/accelerator; FP8 on the H100: 0.709). Those are the
 * best of many shapes, for some milliseconds. In training the chip is warm, at its power limit, and shapes are what they are. What is
 * left then is one number for a kind of GPU, set once, over all published rows of that kind together (README.md says how far off they are).
 *
 * ring: nccl-tests, 8 GPUs of a node, large tensors: 230 GB/s of 300 on A100s, 367.6 of 450 on H200s with NVLS off.
 * in_switch: the same with it: 482 of 450 (stas00/ml-engineering, network/benchmarks). On B200 that page shows 740.6 of 900 at 4 GiB:
 * a ring's part.
 */
#include "predict.h"

#include <stdio.h>
#include <string.h>

static const struct machine machines[] = {
    { .name = "dgx-a100-80",
      .peak = 312,
      .matmul = 0.75,
      .cores = 108,
      .hbm = 2039,
      .memory = 80,
      .nvlink = 300,
      .ring = 0.77,
      .nic = 25,
      .gpus_per_node = 8,
      .watts = 400 },
    { .name = "dgx-h100",
      .peak = 989,
      .peak_fp8 = 1979,
      .matmul = 0.62,
      .matmul_fp8 = 0.55,
      .cores = 132,
      .hbm = 3350,
      .memory = 80,
      .nvlink = 450,
      .ring = 0.82,
      .in_switch = 1.07,
      .nic = 50,
      .gpus_per_node = 8,
      .watts = 700 },
    { .name = "dgx-h200",
      .peak = 989,
      .peak_fp8 = 1979,
      .matmul = 0.62,
      .matmul_fp8 = 0.55,
      .cores = 132,
      .hbm = 4800,
      .memory = 141,
      .nvlink = 450,
      .ring = 0.82,
      .in_switch = 1.07,
      .nic = 50,
      .gpus_per_node = 8,
      .watts = 700 },
    { .name = "hgx-b200",
      .peak = 2250,
      .peak_fp8 = 4500,
      .matmul = 0.62,
      .matmul_fp8 = 0.55,
      .cores = 148,
      .hbm = 7700,
      .memory = 180,
      .nvlink = 900,
      .ring = 0.82,
      .nic = 50,
      .gpus_per_node = 8,
      .watts = 1000 },
    { .name = "h800",
      .peak = 989,
      .peak_fp8 = 1979,
      .matmul = 0.62,
      .matmul_fp8 = 0.55,
      .cores = 132,
      .hbm = 3350,
      .memory = 80,
      .nvlink = 200,
      .ring = 0.80,
      .in_switch = 1.0,
      .nic = 50,
      .gpus_per_node = 8,
      .watts = 700 },
};

enum { MACHINES = sizeof machines / sizeof machines[0] };

const struct machine *machine_named(const char *name)
{
    for (int i = 0; i < MACHINES; i++)
        if (strcmp(machines[i].name, name) == 0)
            return &machines[i];
    return NULL;
}

void machine_names(char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < MACHINES; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s",
                 i == 0              ? ""
                 : i == MACHINES - 1 ? " or "
                                     : ", ",
                 machines[i].name);
    }
}
