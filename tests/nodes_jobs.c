#define _GNU_SOURCE
#include "nodes_jobs.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

int nodes_port;
const char *nodes_before = "";

/* A port that nobody has, below those that the kernel gives to whoever asks for any: one of these could be gone before node 0 has it. */
int nodes_new_port(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    uint16_t number = 0;
    for (bool is_free = false; !is_free;) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        cr_assert(fd >= 0 && getrandom(&number, sizeof number, 0) == (ssize_t)sizeof number);
        number = (uint16_t)(10000 + number % 20000);
        address.sin_port = htons(number);
        is_free = bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
        close(fd);
    }
    return number;
}

int nodes_hold_port(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    nodes_port = nodes_new_port();
    address.sin_port = htons((uint16_t)nodes_port);
    cr_assert(bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 1) == 0);
    return fd;
}

void nodes_begin_one(struct started *node, const char *settings, const char *options, const char *program)
{
    char line[512];
    snprintf(line, sizeof line, "exec %s build/bin/distrun --at 127.0.0.1:%d %s %s", nodes_before, nodes_port,
             options, program);
    started_begin(node, SETTINGS(NODES_SECRET, "DIST_INIT_TIMEOUT=60", "DIST_OUTPUT=ordered", settings),
                  (const char *const[]){ "sh", "-c", line, NULL });
}

void nodes_begin_all(struct started *nodes, int count, int ranks, const char *program)
{
    nodes_port = nodes_new_port();
    for (int i = 0; i < count; i++) {
        char options[80];
        snprintf(options, sizeof options, "-n %d --nodes %d --node %d", ranks, count, i);
        nodes_begin_one(&nodes[i], "BACKEND=", options, program);
    }
}

/* Until it has said so on stderr. */
void started_wait_for(struct started *node, const char *words)
{
    size_t used = 0;
    while (used + 1 < sizeof node->stderr_text && !strstr(node->stderr_text, words)) {
        ssize_t got = read(node->error, node->stderr_text + used, sizeof node->stderr_text - 1 - used);
        if (got <= 0)
            break;
        used += (size_t)got;
        node->stderr_text[used] = '\0';
    }
    cr_assert(strstr(node->stderr_text, words), "not begun: %s", node->stderr_text);
    memset(node->stderr_text, 0, sizeof node->stderr_text);
}

void nodes_end_all(struct started *nodes, int count)
{
    for (int i = 0; i < count; i++)
        started_end(&nodes[i], 120);
}

/* The file that the ranks' findings share, empty. */
static void make_exam_board(char *path)
{
    static const char empty[256];
    int fd = mkstemp(path);
    cr_assert(fd >= 0 && write(fd, empty, sizeof empty) == (ssize_t)sizeof empty);
    close(fd);
    setenv("EXAM_BOARD", path, 1);
}

void conform_over_nodes(const char *backend, const char *part, int nodes, int ranks)
{
    struct started jobs[4];
    char board[] = "/tmp/exam_board_XXXXXX", setting[40], options[100], program[100], line[100], seed[20];
    snprintf(setting, sizeof setting, "BACKEND=%s", backend);
    snprintf(seed, sizeof seed, "%d", (int)getpid());
    setenv("DIST_TEST_SEED", seed, 1);
    make_exam_board(board);
    nodes_port = nodes_new_port();
    snprintf(program, sizeof program, "build/tests/transport/conform_mpi %s", part);
    for (int i = 0; i < nodes; i++) {
        snprintf(options, sizeof options, "-n %d --nodes %d --node %d", ranks, nodes, i);
        nodes_begin_one(&jobs[i], setting, options, program);
    }
    for (int i = 0; i < nodes; i++)
        started_end(&jobs[i], 240);
    unlink(board);
    snprintf(line, sizeof line, "%s: %d ranks\n", part, ranks);
    for (int i = 0; i < nodes; i++)
        cr_assert(jobs[i].status == 0 && (i > 0 || strstr(jobs[0].stdout_text, line)),
                  "%s, %d ranks on %d nodes, seed %s: node %d ended with %d\n%s%s", part, ranks, nodes, seed,
                  i, jobs[i].status, jobs[i].stdout_text, jobs[i].stderr_text);
}

bool nodes_have_gloo(void)
{
    return access("build/plugins/dist-gloo.so", R_OK) == 0;
}
