/*
 * nodes_callers.c: who calls node 0 before all have come (nodes.c has the order of messages). All are heard at once: one that says nothing keeps
 * no other waiting.
 */
#define _GNU_SOURCE
#include "job.h"
#include "join.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWER_WITHIN_MS 6000 /* in which a caller has to introduce itself; who is too late calls again */

bool nodes_callers_wait(struct callers *callers, int listener, int milliseconds)
{
    struct pollfd ready[1 + CALLERS_MOST];
    int fd, count = callers->count;
    ready[0] = (struct pollfd){ .fd = count < CALLERS_MOST ? listener : -1, .events = POLLIN };
    for (int i = 0; i < count; i++)
        ready[1 + i] = (struct pollfd){ .fd = callers->at[i].link.fd, .events = POLLIN };
    bool some = poll(ready, (nfds_t)count + 1, milliseconds) > 0;
    if (!some || !ready[0].revents)
        return some;
    if ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        struct caller *caller = &callers->at[callers->count++];
        *caller = (struct caller){ .give_up = job_clock() + ANSWER_WITHIN_MS };
        connection_open(&caller->link, fd);
    } else {
        callers->lack_files = count == 0 && (errno == EMFILE || errno == ENFILE);
        usleep(10000); /* it stays there to be taken */
    }
    return true;
}

/* Of a caller that knows the secret: what is wrong with it? */
static int nodes_callers_judge(const struct nodes *nodes, const struct introduction *introduction,
                               const char *from, struct why *why)
{
    const char *unit = nodes_unit(nodes);
    char who[160], first[24];
    snprintf(who, sizeof who, "%s %d (%s, %s)", unit, introduction->node, introduction->name, from);
    snprintf(first, sizeof first, "%s 0", unit);
    if (introduction->count != nodes->count || introduction->size != nodes->size)
        return why_fail(
            DIST_ERR_ENVIRONMENT, why,
            "%s %d (%s) was started for %d ranks on %d nodes, %s 0 for %d on %d; give all the same", unit,
            introduction->node, from, introduction->size, introduction->count, unit, nodes->size,
            nodes->count);
    if (introduction->node < 1 || introduction->node >= nodes->count ||
        nodes->links[introduction->node].fd >= 0)
        return why_fail(
            DIST_ERR_ENVIRONMENT, why,
            "two %s say that they are %s %d, the second is %s (%s); give each a number of its own",
            nodes->star ? "processes" : "machines", unit, introduction->node, introduction->name, from);
    /* Ranks of another launcher name none, on any machine. */
    if (introduction->program != nodes->program && (introduction->program == 0 || nodes->program == 0))
        return why_fail(DIST_ERR_ENVIRONMENT, why, "%s cannot start its ranks, and has said why there",
                        introduction->program == 0 ? who : first);
    if (introduction->program != nodes->program)
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "%s starts another program than node 0; copy the same one to all machines", who);
    return alike_differ(&introduction->alike, who, &nodes->alike, first, why) ? DIST_ERR_ENVIRONMENT : 0;
}

static bool nodes_callers_take(struct connection *link, void *bytes, size_t size)
{
    if (link->in.used - link->taken < size)
        return false;
    memcpy(bytes, link->in.bytes + link->taken, size);
    link->taken += size;
    return true;
}

/* What it has said by now: words for the user, if that is none of ours; *knows: it has proved itself. */
static const char *nodes_callers_listen(const struct nodes *nodes, struct caller *caller,
                                        struct introduction *introduction, bool *knows)
{
    const uint32_t magic = HANDSHAKE_MAGIC;
    struct connection *link = &caller->link;
    struct introduction *said = &caller->said;
    size_t there = link->in.used - link->taken;
    if (!caller->answered && memcmp(link->in.bytes, &magic, there < sizeof magic ? there : sizeof magic) != 0)
        return "a caller that is no distrun";
    if (!caller->answered && nodes_callers_take(link, &said->caller, sizeof said->caller)) {
        caller->answered = true;
        said->called = handshake_opening(nodes);
        said->called.proof = handshake_proof(nodes, *said, false);
        connection_say(link, &said->called, sizeof said->called, 0);
        if (!handshake_same_version(&said->caller, &said->called))
            return "a caller with another version of the library";
    }
    if (!caller->answered || !nodes_callers_take(link, introduction, sizeof *introduction))
        return NULL;
    introduction->name[sizeof introduction->name - 1] = '\0';
    *knows = memcmp(introduction, said, offsetof(struct introduction, node)) == 0 &&
             introduction->proof == handshake_proof(nodes, *introduction, true);
    return *knows ? NULL : "a caller that does not know the secret";
}

/* Strangers are passed over, of which the first is told. */
static void nodes_callers_tell(const struct nodes *nodes, const char *strange, const char *from)
{
    static bool told;
    struct words sentence =
        words_of("%s: %s, at %s, was sent away", nodes->foreign ? "rank 0" : "distrun", strange, from);
    if (!told)
        text_tell(sentence.text, TEXT_WIDTH_ALONE);
    told = true;
}

/* One of them. *over: it is a node now, or sent away, or it hung up or was too slow, and may call again. */
static int nodes_callers_hear_one(struct caller *caller, struct nodes *nodes, bool *over, struct why *why)
{
    struct introduction introduction = { .node = -1 };
    struct connection *link = &caller->link;
    char from[64];
    bool knows = false, open = connection_fill(link) && job_clock() <= caller->give_up;
    const char *strange =
        link->in.used > link->taken ? nodes_callers_listen(nodes, caller, &introduction, &knows) : NULL;
    *over = knows || strange || !open;
    handshake_address(link->fd, true, from, sizeof from, NULL);
    if (strange)
        nodes_callers_tell(nodes, strange, from);
    int status = knows ? nodes_callers_judge(nodes, &introduction, from, why) : 0;
    if (knows && status == 0) {
        snprintf(link->name, sizeof link->name, "%s", introduction.name);
        nodes->links[introduction.node] = *link;
        return 0;
    }
    if (status != 0)
        control_refuse(link, status, why->text);
    if (*over)
        connection_close(link);
    return status;
}

int nodes_callers_hear(struct callers *callers, struct nodes *nodes, struct why *why)
{
    int status = 0, kept = 0;
    for (int i = 0; i < callers->count; i++) {
        bool over = false;
        status = status ? status : nodes_callers_hear_one(&callers->at[i], nodes, &over, why);
        if (!over)
            callers->at[kept++] = callers->at[i];
    }
    callers->count = kept;
    return status;
}

void nodes_callers_leave(struct callers *callers)
{
    for (int i = 0; i < callers->count; i++)
        connection_close(&callers->at[i].link);
}
