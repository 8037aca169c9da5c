/* sit.c: the learner's program runs on what was laid out, and what can be said of any run is said. */
#include "inside.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LOOKS 10 /* in a row at a program that computes: then it did not just wake for a moment */
#define LONGEST_TRACE (16 << 20) /* bytes: who makes so many calls has lost the way */

static struct run run; /* of the last sitting */

/* What an exit status means, where it can be said in the learner's terms. */
static const char *meaning(int status)
{
    switch (status) {
    case 128 + SIGXCPU:
        return "A rank computed for seconds without an end and was stopped: is there a loop that never ends?";
    case 128 + SIGSEGV:
    case 128 + SIGBUS:
        return "It crashed: it used memory that is not there, or not its own.";
    case 128 + SIGILL: /* what the compiler puts where an index is looked at; and heap.c */
    case 128 + SIGTRAP:
        return "It used an element of an array that the array does not have.";
    case 128 + SIGSYS:
        return "It asked the system for what no exercise needs: a file, a process, a connection. That was "
               "refused, and it was "
               "stopped.";
    case DIST_ERR_DEADLOCK:
        return "It got stuck: no rank can ever move on.";
    case DIST_ERR_PEER_LOST:
        return "A rank was left alone: it waits for one that has ended.";
    case DIST_ERR_MISMATCH:
        return "Two ranks do not agree on what they do together.";
    case DIST_ERR_BUFFER:
        return "It touched a tensor that a message or a stream still needed.";
    default:
        return NULL;
    }
}

/* What looks at the ends of arrays on the stack (grade_one.sh) only aborts. */
static int status_of(const struct ending *ending)
{
    bool past = ending->status == 128 + SIGABRT && strstr(ending->error, "stack smashing");
    return past ? 128 + SIGTRAP : ending->status;
}

/* No call of the library stopped it: then the library has no words about where. Nor has it where a rank touched a buffer, or what
 * is behind one, with a line of its own. */
static bool without_a_call(const struct ending *ending)
{
    return ending->late || ending->status == 128 + SIGXCPU || ending->status == 128 + SIGILL ||
           ending->status == 128 + SIGTRAP || ending->status == DIST_ERR_BUFFER;
}

static void say_how_it_ended(const struct sitting *s, const struct ending *ending)
{
    if (ending->stopped[0])
        feedback("%s and was stopped.", ending->stopped);
    else if (ending->late && ending->computed >= LOOKS) /* others kept it from its seconds of the processor */
        feedback("%s", meaning(128 + SIGXCPU));
    else if (ending->late)
        feedback("It had not ended after %.0f seconds and was stopped. That is never right, however good its "
                 "results.",
                 ending->seconds);
    else if (meaning(status_of(ending))) {
        refused_mark(ending->status == 128 + SIGSYS);
        feedback("%s That is exit status %d.", meaning(status_of(ending)), ending->status);
    } else
        feedback("It ended with exit status %d.", ending->status);
    if (without_a_call(ending))
        where_tell(s->ranks);
    feedback_text(ending->error, 16);
}

static void say_who_is_missing(const struct sitting *s, const struct ending *ending)
{
    struct sheet_head head;
    for (int rank = 0; rank < s->ranks; rank++)
        if (!sheet_find(&handed_sheets[rank], SHEET_DONE, &head))
            feedback("rank %d ended before your function had returned, and handed in nothing.", rank);
    if (feedback_any())
        feedback_text(ending->error, 16);
}

/* The desk hands in each once: another one of that name has been written past it. */
static void say_what_is_forged(const struct sitting *s)
{
    struct sheet_head head;
    for (int rank = 0; rank < s->ranks && !feedback_any(); rank++)
        if (sheet_twice(&handed_sheets[rank], &head))
            feedback("rank %d handed in %.24s twice: your file has written where only the grader may.", rank,
                     head.name);
}

/* Of a message the trace tells. A collective that blocks has no wait either: of one that does not the library's note tells. */
static bool is_open(const struct act *act, const char *said)
{
    char note[120];
    snprintf(note, sizeof note, "[%d]   never waited for  dist_%.50s (", act->rank, act->name);
    bool message = act->kind == ACT_ISEND || act->kind == ACT_IRECV;
    return act->finished < 0 && (message || (act->kind == ACT_COLLECTIVE && strstr(said, note)));
}

/* What was started and never waited for may or may not have happened. */
static void say_what_is_open(const struct sitting *s, const struct ending *ending)
{
    for (int i = 0; i < s->run->count && !feedback_any(); i++) {
        const struct act *act = &s->run->acts[i];
        if (!is_open(act, ending->error))
            continue;
        feedback("rank %d started a %s and never waited for it. The library says where:", act->rank,
                 act->kind == ACT_ISEND   ? "send"
                 : act->kind == ACT_IRECV ? "receive"
                                          : act->name);
        feedback_text(ending->error, 16);
    }
}

static bool short_enough(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_size <= LONGEST_TRACE;
}

/* A call of the library that this exercise does without may also be reached by ways that its symbols do not show. (Groups are made by the
 * desk, too.) */
static void say_what_is_forbidden(const struct sitting *s)
{
    for (int i = 0; i < s->run->count && !feedback_any(); i++) {
        char call[64];
        snprintf(call, sizeof call, "dist_%.50s", s->run->acts[i].name);
        enum act_kind kind = s->run->acts[i].kind;
        if (kind != ACT_SPAN && kind != ACT_OTHER && is_forbidden(call))
            feedback("rank %d called %s, which is what you are to do without here.", s->run->acts[i].rank,
                     call);
    }
}

void sitting_show_solution(void)
{
    char path[PATH_SIZE];
    static struct ending ending;
    const struct sitting *s = sitting_now();
    const char *solution = getenv("GRADE_SOLUTION");
    if (!solution || !*solution || s->ranks == 0)
        return;
    sheets_fresh_handed(s->ranks);
    start_and_end(solution, s->ranks, s->seed, out_path("expected.json", path, sizeof path), &ending);
}

bool sit(struct sitting *s)
{
    static struct ending ending;
    char trace[PATH_SIZE];
    start_and_end(getenv("GRADE_PROGRAM"), s->ranks, s->seed, out_path("yours.json", trace, sizeof trace),
                  &ending);
    run_free(&run);
    run = (struct run){ 0 };
    for (int rank = 0; rank < s->ranks; rank++)
        sheet_read(&handed_sheets[rank]);
    if (ending.late || ending.status != 0)
        say_how_it_ended(s, &ending);
    else
        say_who_is_missing(s, &ending);
    say_what_is_forged(s);
    if (feedback_any())
        return false;
    leftover_look(ending.error);
    s->run = short_enough(trace) && run_read(&run, trace) && run.lost == 0 ? &run : NULL;
    if (!s->run) {
        feedback("There is no record of what it did, or it made far too many calls%s%s",
                 *run.why ? ": " : ".", run.why);
        return false;
    }
    if (s->again)
        run_keep_between(&run, AGAIN_BEGINS, AGAIN_ENDS);
    say_what_is_forbidden(s);
    say_what_is_open(s, &ending);
    return !feedback_any();
}

bool sit_again(struct sitting *s)
{
    sheets_fresh_handed(s->ranks);
    return sit(s);
}
