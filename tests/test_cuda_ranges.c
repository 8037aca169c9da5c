/*
 * test_cuda_ranges.c: does a profiler see a range around every call on a GPU (lib/devices/cuda/cuda.c)?
 *
 * NVTX lets a tool that is linked into the program take its place: this suite is one. The calls are those of ranks on the double of
 * CUDA, as in test_cuda_ranks.c.
 */
#define _GNU_SOURCE
#include "conform_exam.h"
#include "devices/device.h"

#include <criterion/criterion.h>
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <stdlib.h>
#include <string.h>

TestSuite(cuda_ranges, .timeout = 60);

/* ---- the tool ---------------------------------------------------------------------------- */

/* What a rank's thread has opened and closed: " dist_send( )" and so on; and how deep it is in. */
static _Thread_local char ranges[1024];
static _Thread_local int depth, lowest;

static int NVTX_API push(const char *call)
{
    size_t used = strlen(ranges);
    snprintf(ranges + used, sizeof ranges - used, " %s(", call);
    return depth++;
}

static int NVTX_API pop(void)
{
    size_t used = strlen(ranges);
    snprintf(ranges + used, sizeof ranges - used, " )");
    lowest = --depth < lowest ? depth : lowest;
    return depth;
}

static int NVTX_API attach(NvtxGetExportTableFunc_t export_table)
{
    const NvtxExportTableCallbacks *callbacks = export_table(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table = NULL;
    unsigned size = 0;
    if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) ||
        size <= NVTX_CBID_CORE_RangePop)
        return 0;
    *table[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)push;
    *table[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer)pop;
    return 1;
}

/* The name by which the header finds it. */
extern NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr;
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = attach;

/* ---- what it sees --------------------------------------------------------------------------- */

static void expect(struct exam *exam, const char *expected)
{
    exam_check(exam, depth == 0 && lowest == 0, "after%s the depth is %d, and was %d", ranges, depth, lowest);
    exam_check(exam, strcmp(ranges, expected) == 0, "the ranges were%s and not%s", ranges, expected);
    ranges[0] = '\0';
}

static void expect_first(struct exam *exam, const char *call)
{
    exam_check(exam, depth == 0 && lowest == 0, "after%s the depth is %d, and was %d", ranges, depth, lowest);
    exam_check(exam, strncmp(ranges + 1, call, strlen(call)) == 0 && ranges[1 + strlen(call)] == '(',
               "the ranges were%s and did not begin with %s", ranges, call);
    ranges[0] = '\0';
}

static void calls(struct exam *exam, int rank, int size)
{
    tensor *x = tensor_full(DIST_F32, rank, 8), *all = tensor_zeros(DIST_F32, 8 * size);
    ranges[0] = '\0';
    tensor_add_scalar(x, 1);
    expect(exam, " tensor_add_scalar( )");
    rank == 0 ? dist_send(x, 1) : dist_recv(x, 0);
    expect(exam, rank == 0 ? " dist_send( )" : " dist_recv( )");
    dist_work *work = rank == 0 ? dist_isend(x, 1) : dist_irecv(x, 0);
    expect(exam, rank == 0 ? " dist_isend( )" : " dist_irecv( )");
    dist_wait(work);
    expect(exam, " dist_wait( )");
    dist_all_reduce(x);
    expect(exam, " dist_all_reduce( )");
    dist_all_gather(all, x);
    expect(exam, " dist_all_gather( )");
    tensor_item(all, 0);
    expect_first(exam, "tensor_item");
    dist_barrier();
    expect_first(exam, "dist_barrier");
    dist_synchronize();
    expect_first(exam, "dist_synchronize");
    tensor_free(all);
    tensor_free(x);
}

static void run(int gpus)
{
    char text[8];
    snprintf(text, sizeof text, "%d", gpus);
    setenv("DEVICE", "cuda", 1);
    setenv("DOUBLE_GPUS", text, 1);
    cr_assert_str_eq(device_cuda.name, "cuda"); /* the double stands in because it is named here */
    struct exam *exam = exam_new("ranges", 2);
    bool passed = exam_run(exam, calls);
    cr_assert(passed, "%s", exam_words(exam));
    exam_free(exam);
}

Test(cuda_ranges, open_and_close_around_every_call)
{
    run(1);
    run(2);
}
