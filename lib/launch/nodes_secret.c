/* nodes_secret.c: where the job's secret comes from. */
#define _GNU_SOURCE
#include "handshake.h"
#include "text.h"
#include "../dist_base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool nodes_secret_read_key(struct nodes *nodes, const char *text)
{
    for (int i = 0; i < SECRET_BYTES; i++) {
        unsigned byte;
        if (strspn(text + 2 * i, "0123456789abcdefABCDEF") < 2 || sscanf(text + 2 * i, "%2x", &byte) != 1)
            return false;
        nodes->key[i] = (unsigned char)byte;
    }
    snprintf(nodes->key_text, sizeof nodes->key_text, "%.32s", text);
    return text[strspn(text, "0123456789abcdefABCDEF")] == '\0' && strlen(text) == (size_t)2 * SECRET_BYTES;
}

static int nodes_secret_read_file(struct nodes *nodes, char *line, size_t size, char *why, size_t why_size)
{
    FILE *file = fopen(nodes->secret_file, "re");
    bool read = file && fgets(line, (int)size, file);
    if (file)
        fclose(file);
    if (!read)
        return text_why(DIST_ERR_ENVIRONMENT, why, why_size,
                        "--secret: %.100s cannot be read; it must hold the job's secret", nodes->secret_file);
    line[strcspn(line, "\r\n")] = '\0';
    return 0;
}

/* Node 0 makes one where it is told none. */
int nodes_find_secret(struct nodes *nodes, char *why, size_t why_size)
{
    char line[128] = "";
    const char *told = getenv("DIST_SECRET");
    int status = nodes->secret_file ? nodes_secret_read_file(nodes, line, sizeof line, why, why_size) : 0;
    if (status != 0)
        return status;
    if (!nodes->secret_file && told)
        snprintf(line, sizeof line, "%s", told);
    if (*line && nodes_secret_read_key(nodes, line))
        return 0;
    if (*line)
        return text_why(DIST_ERR_ENVIRONMENT, why, why_size,
                        "%s is no secret of a job: that is 32 hexadecimal digits, as distrun's node 0 makes "
                        "and prints them",
                        nodes->secret_file ? nodes->secret_file : "DIST_SECRET");
    if (nodes->star)
        return text_why(DIST_ERR_ENVIRONMENT, why, why_size,
                        "DIST_SECRET is not set, by which the ranks of this job on other machines are known; "
                        "set it on all to the same 32 "
                        "hexadecimal digits (openssl rand -hex 16)");
    if (nodes->number > 0)
        return text_why(
            DIST_ERR_ENVIRONMENT, why, why_size,
            "the job's secret is missing; node 0 prints it: start this one with DIST_SECRET=..., or "
            "--secret FILE that holds it");
    if (!secret_random(nodes->key, sizeof nodes->key))
        return text_why(DIST_ERR_ENVIRONMENT, why, why_size,
                        "the system gives no random bytes for a secret; set DIST_SECRET");
    for (int i = 0; i < SECRET_BYTES; i++)
        sprintf(nodes->key_text + 2 * i, "%02x", nodes->key[i]);
    nodes->made_secret = true;
    return 0;
}

void nodes_say_secret(const struct nodes *nodes)
{
    if (!nodes->made_secret)
        return;
    fprintf(stderr,
            "distrun: on the other machines: DIST_SECRET=%s distrun -n %d --nodes %d --node %s --at %s:%s "
            "PROGRAM\n",
            nodes->key_text, nodes->size, nodes->count, nodes->count == 2 ? "1" : "1, 2, ...", nodes->host,
            nodes->port);
}
