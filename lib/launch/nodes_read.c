/* nodes_read.c: what the command line and the environment say about the machines of a job. */
#define _GNU_SOURCE
#include "launch.h"
#include "nodes.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *nodes_ranks(const struct nodes *nodes, int node, char *text, size_t size)
{
    bool in[WORLD_MAX_RANKS] = { false };
    struct text who = { .used = 0 };
    for (int rank = 0; rank < nodes->size; rank++)
        in[rank] = nodes->node_of[rank] == node;
    text_add_ranks(&who, in, nodes->size);
    snprintf(text, size, "%s", who.bytes);
    return text;
}

const char *nodes_name(const struct nodes *nodes, int node, char *text, size_t size)
{
    char ranks[80];
    if (nodes->star)
        snprintf(text, size, "rank %d", node);
    else
        snprintf(text, size, "node %d (%s)", node, nodes_ranks(nodes, node, ranks, sizeof ranks));
    return text;
}

const char *nodes_advice(const struct nodes *nodes)
{
    if (nodes->star)
        return "see whether the launcher has started all ranks, and whether their machines find rank 0 at "
               "MASTER_ADDR";
    return nodes->foreign
               ? "see what keeps the two machines apart, or name another address of rank 0's in MASTER_ADDR"
               : "start distrun there, too";
}

/* ---- options ----------------------------------------------------------------------------------------- */

void nodes_read_host(const char *text, char *host, size_t size)
{
    size_t length = strlen(text), bracket = *text == '[' && text[length - 1] == ']';
    snprintf(host, size, "%.*s", (int)(length - 2 * bracket), text + bracket);
}

/* "host:29500", "host", "[::1]:29500": an IPv6 address, which has colons of its own, stands in brackets. */
static bool nodes_read_place(struct nodes *nodes, const char *text)
{
    int port;
    bool bracket = *text == '[';
    size_t length = strcspn(text += bracket, bracket ? "]" : ":");
    const char *rest = text + length + (text[length] == ']');
    if (length == 0 || length >= sizeof nodes->host || (bracket && text[length] != ']') ||
        (*rest && *rest != ':') || (*rest && !setting_read_number(rest + 1, 1, 65535, &port)))
        return false;
    snprintf(nodes->host, sizeof nodes->host, "%.*s", (int)length, text);
    snprintf(nodes->port, sizeof nodes->port, "%s", *rest ? rest + 1 : NODES_PORT);
    return true;
}

int nodes_option(struct nodes *nodes, int argc, char **argv, int *at, struct why *why)
{
    static const char *const names[] = { "--nodes", "--node", "--at", "--secret" };
    const char *option = argv[*at], *text = strchr(option, '=');
    size_t length = text ? (size_t)(text - option) : strlen(option), i = 0;
    while (i < 4 && (strlen(names[i]) != length || strncmp(names[i], option, length) != 0))
        i++;
    if (i == 4)
        return 0;
    if (!text && *at + 1 >= argc)
        return -why_fail(DIST_ERR_ENVIRONMENT, why,
                         "%s stands last, but needs a word after it, and then a program", names[i]);
    text = text ? text + 1 : argv[++*at];
    bool right = i == 0   ? setting_read_number(text, 1, NODES_MOST, &nodes->count)
                 : i == 1 ? setting_read_number(text, 0, INT_MAX, &nodes->number)
                 : i == 2 ? nodes_read_place(nodes, text)
                          : *text != '\0';
    if (i == 3)
        nodes->secret_file = text;
    if (right)
        return 1;
    static const char *const musts[] = {
        "a whole number from 1 to 256: how many machines",
        "a whole number from 0: which of the machines this is",
        "node 0's host and a port from 1 to 65535, as in host:29500 or [::1]:29500", "the name of a file"
    };
    return -why_fail(DIST_ERR_ENVIRONMENT, why, "%s is \"%.60s\"; it must be %s", names[i], text, musts[i]);
}

/* ---- is all there? -------------------------------------------------------------------------------------- */

/* Where no --at says it, torchrun's variables do. */
static int nodes_read_find_place(struct nodes *nodes, struct why *why)
{
    const char *host = getenv("MASTER_ADDR"), *port = getenv("MASTER_PORT");
    int number;
    if (*nodes->host)
        return 0;
    if (!host || !*host)
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "--at is missing: say on all machines where node 0 is, as in --at host:29500");
    port = port && *port ? port : NODES_PORT;
    nodes_read_host(host, nodes->host, sizeof nodes->host);
    snprintf(nodes->port, sizeof nodes->port, "%s", port);
    if (*nodes->host && strlen(host) < sizeof nodes->host && setting_read_number(port, 1, 65535, &number))
        return 0;
    return why_fail(
        DIST_ERR_ENVIRONMENT, why,
        "MASTER_ADDR is \"%.60s\" and MASTER_PORT \"%.20s\", which name no place; give --at host:29500", host,
        port);
}

/* A number of the file's bytes; 0: there is no program. One that is found along PATH, and what cannot be read, has its name only. */
static uint64_t nodes_read_number_of(const char *program, const unsigned char *key)
{
    uint64_t number = 1;
    char bytes[16384];
    if (!program)
        return 0;
    FILE *file = strchr(program, '/') ? fopen(program, "re") : NULL;
    const char *name = text_file(program);
    if (!file)
        return secret_proof(key, name, strlen(name));
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        number = number * 31 + secret_proof(key, bytes, got);
    fclose(file);
    return number;
}

bool nodes_are_asked_for(const struct nodes *nodes)
{
    return nodes->count > 1 ||
           (nodes->count == 0 && (nodes->number >= 0 || *nodes->host || nodes->secret_file));
}

static int nodes_read_check(struct nodes *nodes, struct why *why)
{
    const char *backend = launch_backend();
    if (nodes->count == 0)
        return why_fail(DIST_ERR_ENVIRONMENT, why, "--nodes is missing: say on how many machines the job is");
    if (nodes->number >= nodes->count)
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "--node is %d, but of %d nodes the last is %d; they count from 0", nodes->number,
                        nodes->count, nodes->count - 1);
    if (nodes->number < 0)
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "--node is missing: say which of the %d machines this is, from 0", nodes->count);
    if (nodes->size == 0)
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "-n is missing: say on all machines how many ranks there are in all");
    if (nodes->size < nodes->count)
        return why_fail(
            DIST_ERR_ENVIRONMENT, why,
            "%d rank%s cannot be dealt out to %d nodes; give each one at least, or name fewer nodes",
            nodes->size, nodes->size > 1 ? "s" : "", nodes->count);
    if (strcmp(backend, "gloo") != 0 && strcmp(backend, "mpi") != 0)
        return why_fail(
            DIST_ERR_ENVIRONMENT, why,
            "BACKEND is \"%.20s\", which joins ranks of one machine here; over several take gloo, "
            "or mpi with MPICH",
            backend);
    return 0;
}

int nodes_begin(struct nodes *nodes, const char *program, struct why *why)
{
    struct why unread;
    int status = nodes_read_check(nodes, why);
    if (status != 0)
        return status;
    int share = nodes->size / nodes->count, more = nodes->size % nodes->count, rank = 0;
    for (int node = 0; node < nodes->count; node++)
        for (int i = 0; i < share + (node < more); i++)
            nodes->node_of[rank++] = (short)node;
    status = nodes_read_find_place(nodes, why);
    if (status == 0)
        status = nodes_find_secret(nodes, why);
    nodes->program = nodes_read_number_of(program, nodes->key);
    nodes->alike = alike_of(launch_backend(), false);
    bool sound = setting_check("DIST_INIT_TIMEOUT", &unread) == 0; /* it may be why nothing starts here */
    nodes->seconds = sound ? (int)setting_number("DIST_INIT_TIMEOUT", 60) : 60;
    bool alone = !program && nodes->made_secret; /* which nobody can know */
    return status || alone ? status : nodes_meet(nodes, -1, why);
}
