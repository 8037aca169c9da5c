/* test_launch_far.c: ranks in namespaces of their own, a meeting point that somebody else holds, and a sandbox without memfd. */
#define _GNU_SOURCE
#include "nodes_jobs.h"
#include "../lib/dist_base.h"

#include <criterion/criterion.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(launch_far, .timeout = 60);

/* Each rank is put where `far` (unshare and its options) puts it; the last word of END is plain's. */
static void start(struct started *ranks, int count, int port, const char *far, const char *end)
{
    static char settings[3][48], script[256], path[256];
    snprintf(script, sizeof script, "exec %s %s %s", far, program_path("plain", path, sizeof path), end);
    for (int i = 0; i < count; i++) {
        snprintf(settings[0], 48, "RANK=%d", i);
        snprintf(settings[1], 48, "WORLD_SIZE=%d", count);
        snprintf(settings[2], 48, "MASTER_PORT=%d", 20000 + (int)getpid() % 20000 + port);
        started_begin(
            &ranks[i],
            SETTINGS(settings[0], settings[1], settings[2], "MASTER_ADDR=localhost", "DIST_INIT_TIMEOUT=3"),
            (const char *const[]){ "sh", "-c", script, NULL });
    }
}

static void needs_unshare(void)
{
    if (system("unshare -p -i -f --mount-proc true 2>/dev/null") != 0)
        cr_skip_test("this machine does not allow `unshare -p -i`");
}

Test(launch_far, each_rank_in_a_pid_namespace_of_its_own)
{
    struct started ranks[3];
    needs_unshare();
    start(ranks, 3, 0, "unshare -p -f --mount-proc", "leave");
    for (int i = 0; i < 3; i++) {
        char line[64];
        snprintf(line, sizeof line, "rank %d of 3: 6\n", i);
        started_end(&ranks[i], 20);
        cr_expect_str_eq(ranks[i].stdout_text, line, "%s", ranks[i].stderr_text);
        cr_expect_eq(ranks[i].status, 0);
    }
}

Test(launch_far, and_one_of_them_is_killed)
{
    struct started ranks[3];
    needs_unshare();
    start(ranks, 3, 1, "unshare -p -f --mount-proc", "exit"); /* its namespace ends with it */
    for (int i = 2; i >= 0; i--)
        started_end(&ranks[i], 20);
    cr_expect_eq(ranks[0].status, 43, "%s", ranks[0].stderr_text);
    cr_expect_eq(ranks[1].status, 43, "%s", ranks[1].stderr_text);
    cr_expect(strstr(ranks[0].stderr_text, "rank 2 ") || strstr(ranks[1].stderr_text, "rank 2 "));
}

/* The first of a machine is not always rank 0. */
Test(launch_far, two_of_a_machine_that_were_told_of_different_numbers)
{
    static struct started job;
    char path[256], line[800];
    NEEDS_GLOO();
    program_path("plain", path, sizeof path);
    snprintf(line, sizeof line,
             "RANK=2 LOCAL_RANK=0 WORLD_SIZE=4 %s & RANK=3 LOCAL_RANK=1 WORLD_SIZE=5 %s; wait", path, path);
    STARTED(&job, SETTINGS(NODES_SECRET, "BACKEND=gloo", "MASTER_ADDR=127.0.0.1", "LOCAL_WORLD_SIZE=2"), "sh",
            "-c", line);
    cr_expect(strstr(job.stderr_text, "rank 3 was told of 5 ranks but rank 2 of 4"), "%s", job.stderr_text);
}

/* There the launcher knows it by another number than it has itself, and other ranks do not see it at all: how many threads it has would be
 * that of another process. */
Test(launch_far, a_thread_in_a_pid_namespace_that_sends_late)
{
    static struct started job;
    char path[256], line[300];
    needs_unshare();
    snprintf(line, sizeof line, "%s late 2; true", program_path("several", path, sizeof path));
    STARTED(&job, NULL, "build/bin/distrun", "-n", "2", "unshare", "-p", "-f", "sh", "-c", line);
    cr_expect_eq(job.status, 0, "%s", job.stderr_text);
    struct started ranks[2];
    start(ranks, 2, 9, "unshare -p -f", "later");
    for (int i = 0; i < 2; i++) {
        started_end(&ranks[i], 20);
        cr_expect_eq(ranks[i].status, 0, "%s", ranks[i].stderr_text);
    }
}

/* As in containers that have the network in common and nothing else: two jobs with one port. */
Test(launch_far, two_containers_do_not_meet)
{
    struct started here[2], there[2];
    needs_unshare();
    start(here, 1, 2, "env WORLD_SIZE=2", "leave");
    start(there, 2, 2, "unshare -p -i -f --mount-proc",
          "leave"); /* each in a container: rank 1 must not find rank 0 */
    for (int i = 0; i < 2; i++) {
        started_end(&there[i], 20);
        cr_expect(there[i].status != 0 && strstr(there[i].stderr_text, "not come within 3 s"), "%s",
                  there[i].stderr_text);
    }
    started_end(&here[0], 20);
    cr_expect(strstr(here[0].stderr_text, "rank 1 has not come"), "%s", here[0].stderr_text);
}

/* The name at which somebody listens: of the only job of this network namespace. */
static bool find_name(char *name, size_t size)
{
    FILE *list = popen("grep -o '@dist-.*' /proc/net/unix", "r");
    bool found = list && fgets(name, (int)size, list);
    if (list)
        pclose(list);
    name[found ? strcspn(name, "\n") : 0] = '\0';
    return found;
}

Test(launch_far, another_user_holds_the_meeting_point)
{
    struct started rank;
    char name[108], words[96];
    if (geteuid() != 0 || unshare(CLONE_NEWNET) != 0) /* in which there are no other jobs' names */
        cr_skip_test("needs root, and a network namespace of its own");
    start(&rank, 1, 3, "env WORLD_SIZE=2", "leave");
    for (int i = 0; i < 200 && !find_name(name, sizeof name); i++)
        usleep(10000);
    started_end(&rank, 0.1);
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    memcpy(at.sun_path + 1, name + 1, strlen(name) - 1);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    for (int i = 0; i < 200 && bind(fd, (struct sockaddr *)&at,
                                    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name))) != 0;
         i++)
        usleep(10000);
    cr_assert_eq(seteuid(1234), 0);
    cr_assert_eq(listen(fd, 5), 0);
    cr_assert_eq(seteuid(0), 0);
    snprintf(words, sizeof words, "is held by process %d (", (int)getpid());
    start(&rank, 1, 3, "env WORLD_SIZE=2", "leave");
    started_end(&rank, 20);
    cr_expect(strstr(rank.stderr_text, words) && strstr(rank.stderr_text, "of user 1234"), "%s",
              rank.stderr_text);
    cr_expect(rank.seconds < 2, "it took %.1f s", rank.seconds);
    start(&rank, 1, 3, "env WORLD_SIZE=2 RANK=1", "leave");
    started_end(&rank, 20);
    cr_expect(strstr(rank.stderr_text, words), "%s", rank.stderr_text);
}

/* From here on in this process and what it starts, memfd_create fails as a sandbox makes it fail. */
static bool refuse_memfd(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof code / sizeof *code, code };
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

Test(launch_far, memfd_is_refused)
{
    struct started job;
    if (!refuse_memfd())
        cr_skip_test("this machine does not allow seccomp filters");
    STARTED(&job, SETTINGS("DIST_OUTPUT=live"), "build/bin/distrun", "-n", "2", "build/tests/programs/plain");
    cr_expect_eq(job.status, 0, "%s", job.stderr_text);
    cr_expect(strstr(job.stdout_text, "rank 1 of 2: 3"), "%s", job.stdout_text);
}

/* In a namespace of this process alone, and of what it starts. */
static bool shrink_dev_shm(void)
{
    return unshare(CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER)) == 0 &&
           mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", "/dev/shm", "tmpfs", 0, "size=64k") == 0;
}

/* What cannot be filled would kill whoever touches it. */
Test(launch_far, memfd_is_refused_and_dev_shm_is_small)
{
    struct started job;
    if (!shrink_dev_shm() || !refuse_memfd())
        cr_skip_test("this machine does not allow a mount or seccomp filters");
    STARTED(&job, SETTINGS("DIST_OUTPUT=live"), "build/bin/distrun", "-n", "2", "build/tests/programs/plain");
    cr_expect_eq(job.status, DIST_ERR_SYSTEM, "%d: %s", job.status, job.stderr_text);
    cr_expect(strstr(job.stderr_text, "/dev/shm, which would do as well"), "%s", job.stderr_text);
}
