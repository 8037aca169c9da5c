/*
 * test_nccl_far.c: ranks on several machines, of which each has a world of its own: how they find each other.
 * test_nccl_far_jobs.c goes on from there.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>

#include "doubles/nccl/stage.h"
#include "started.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void set_up(void)
{
    setenv("MASTER_ADDR", "first.example.org", 1);
    setenv("MASTER_PORT", "4711", 1);
}

TestSuite(nccl_far, .timeout = 60, .init = set_up);

/* ---- finding each other --------------------------------------------------------------------------- */

static void expect_address(const char *expected)
{
    struct double_script how = { .spread = true };
    struct stage *stage = stage_open(1, 4, &how);
    cr_assert_not_null(stage->state, "open failed: %s", stage->why.text);
    cr_assert_str_eq(getenv("NCCL_COMM_ID"), expected);
    cr_assert_not_null(strstr(double_log(1), expected), "%s", double_log(1));
    stage_close(stage);
}

Test(nccl_far, rank_0_waits_at_the_masters_address)
{
    expect_address("first.example.org:4711");
}

Test(nccl_far, not_at_the_port_where_torchruns_agent_listens)
{
    setenv("TORCHELASTIC_USE_AGENT_STORE", "True", 1);
    expect_address("first.example.org:4712");
}

Test(nccl_far, an_ipv6_address_gets_brackets)
{
    setenv("MASTER_ADDR", "fe80::1", 1);
    expect_address("[fe80::1]:4711");
    setenv("MASTER_ADDR", "[fe80::1]", 1);
    expect_address("[fe80::1]:4711");
}

Test(nccl_far, the_port_has_a_usual_value)
{
    unsetenv("MASTER_PORT");
    expect_address("first.example.org:29500");
}

Test(nccl_far, what_the_user_has_set_stays)
{
    setenv("NCCL_COMM_ID", "10.0.0.7:99", 1);
    expect_address("10.0.0.7:99");
}

static void expect_refusal(const char *words)
{
    struct double_script how = { .spread = true };
    struct stage *stage = stage_open(1, 4, &how);
    cr_assert_null(stage->state);
    cr_assert_eq(stage->status, DIST_ERR_ENVIRONMENT);
    cr_assert_not_null(strstr(stage->why.text, words), "%s", stage->why.text);
}

Test(nccl_far, without_an_address_it_says_what_to_set)
{
    unsetenv("MASTER_ADDR");
    expect_refusal("this machine has only 1 of the 4 ranks, and MASTER_ADDR is not set");
}

Test(nccl_far, a_port_that_is_none)
{
    setenv("MASTER_PORT", "70000", 1);
    expect_refusal("MASTER_PORT is \"70000\"");
}

/* What a launcher tells of several machines: shm refuses, nccl gets as far as to the address. */
Test(nccl_far, a_launcher_over_several_machines)
{
    static struct started run;
    unsetenv("MASTER_ADDR");
    STARTED(&run, SETTINGS("RANK=0", "WORLD_SIZE=4", "LOCAL_WORLD_SIZE=2", NULL), "plain");
    cr_assert_eq(run.status, DIST_ERR_ENVIRONMENT);
    cr_assert_not_null(strstr(run.stderr_text, "over several take BACKEND=gloo, mpi, or nccl for GPUs"), "%s",
                       run.stderr_text);
    STARTED(&run, SETTINGS("RANK=0", "WORLD_SIZE=4", "LOCAL_WORLD_SIZE=2", "BACKEND=nccl", NULL), "plain");
    cr_assert_eq(run.status, DIST_ERR_ENVIRONMENT);
    const char *missing = access("/dev/nvidiactl", F_OK) == 0 ? "MASTER_ADDR is not set" : "no NVIDIA GPU";
    cr_assert_not_null(strstr(run.stderr_text, missing), "%s", run.stderr_text);
}
