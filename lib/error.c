/*
 * error.c: every error as a sentence, told once.
 *
 * A job that fails has one cause and many victims. The rank that makes it fail tells, in one step with that;
 * the others end without a word, so that the cause is the last thing on the screen.
 */
#define _GNU_SOURCE
#include "context.h"
#include "diagnose/diagnose.h"
#include "launch/text.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    const char *advice; /* for errors that a backend found: what to do */
} errors[] = {
    [DIST_OK] = { "DIST_OK", NULL },
    [DIST_ERR_ARGUMENT] = { "DIST_ERR_ARGUMENT", NULL },
    [DIST_ERR_STATE] = { "DIST_ERR_STATE", NULL },
    [DIST_ERR_MISMATCH] = { "DIST_ERR_MISMATCH", "make the two calls agree" },
    [DIST_ERR_PEER_LOST] = { "DIST_ERR_PEER_LOST", "look at that rank first" },
    [DIST_ERR_TIMEOUT] = { "DIST_ERR_TIMEOUT", "look at what keeps them, or give a longer .timeout" },
    [DIST_ERR_DEADLOCK] = { "DIST_ERR_DEADLOCK", "the report says what to change" },
    [DIST_ERR_ENVIRONMENT] = { "DIST_ERR_ENVIRONMENT", "change or unset that variable" },
    [DIST_ERR_MEMORY] = { "DIST_ERR_MEMORY", "free tensors that are no longer needed" },
    [DIST_ERR_SYSTEM] = { "DIST_ERR_SYSTEM", NULL },
    [DIST_ERR_BUFFER] = { "DIST_ERR_BUFFER", NULL },
};

const char *call_name(enum call call)
{
#define CALL_NAME(number, name) [number] = name,
    static const char *const names[CALL_COUNT] = { CALLS(CALL_NAME) };
    return call < CALL_COUNT ? names[call] : "an unknown call";
}

const char *dist_error_name(enum dist_error error)
{
    bool known = (size_t)error < sizeof errors / sizeof *errors && errors[error].name;
    return known ? errors[error].name : "an unknown error";
}

/* The default: print, tell the other ranks, exit as an uncaught exception would. */
static _Noreturn void error_end_program(struct launch_self *self, const struct told *told, const char *text)
{
    bool tell = !self || launch_tells(self, told->status, "");
    if (tell && self)
        world_wake(&self->world);
    fflush(NULL);
    if (tell)
        fprintf(stderr, "%s\n", text);
    else
        world_let_tell(); /* a thread beside us, which may then end this process itself */
    fflush(stderr);
    if (tell && self)
        world_told(&self->world);
    if (tell)
        diagnose_write(self ? &self->world : NULL, told);
    _exit(told->status);
}

_Thread_local struct call_note call_note;

int dist_last_error(void)
{
    return call_note.error;
}

/* Two calls that met and do not fit: where the workbook explains such. */
static const char *error_lesson_of(enum call call, enum dist_error error)
{
    bool message = call >= CALL_SEND && call <= CALL_BATCH;
    if (error != DIST_ERR_MISMATCH)
        return NULL;
    return message ? LESSON_NOT_MET : call == CALL_NEW_GROUP ? LESSON_NEW_GROUP : LESSON_NOT_ALL;
}

/* `block`: what is printed; NULL: the sentence, and then `see`, if not NULL. */
static int error_deliver_report(const char *call, struct dist_at at, enum dist_error error, const char *what,
                                const char *block, const char *see)
{
    struct launch_self *self = launch_self_if_any();
    struct context *context = self ? self->context : NULL;
    assert(error != DIST_OK && *what); /* a failure without a number would end the program as a success */
    int rank = self ? self->env.rank : -1;
    char who[32] = "", sentence[640], wrapped[800];
    if (rank >= 0)
        snprintf(who, sizeof who, "rank %d: ", rank);
    const char *stop = *what && what[strlen(what) - 1] == '?' ? "" : ".";
    if (at.line > 0)
        snprintf(sentence, sizeof sentence, "%s%s (%s:%d): %s%s", who, call, text_file(at.file), at.line,
                 what, stop);
    else
        snprintf(sentence, sizeof sentence, "%s%s: %s%s", who, call, what, stop);
    text_wrap(sentence, TEXT_WIDTH, wrapped, sizeof wrapped);
    size_t length = strlen(wrapped);
    if (see)
        snprintf(wrapped + length, sizeof wrapped - length, "\n%s", see);
    if (!context || !context->handler)
        error_end_program(
            self,
            &(struct told){ .status = (int)error, .sentence = what, .rank = rank, .call = call, .at = at },
            block ? block : wrapped);
    struct dist_report told = { .error = error, .rank = rank, .call = call, .at = at, .sentence = sentence };
    call_note.entry = 0; /* it is named once */
    works_let_go(context);
    int first = call_note.error ? call_note.error : -(int)error;
    call_note.error = first; /* it may leave by longjmp, */
    context->handler(&told, context->handler_context);
    call_note.error = first; /* and may make calls of its own */
    return -(int)error;
}

/* The entry of a batch that is wrong. Gives how long that is. */
static int error_name_entry(char *text, size_t size)
{
    return call_note.entry ? snprintf(text, size, "entry %d: ", call_note.entry - 1) : 0;
}

static int error_deliver_words(const char *call, struct dist_at at, enum dist_error error, const char *see,
                               const char *format, va_list list)
{
    char what[512];
    int length = error_name_entry(what, sizeof what);
    vsnprintf(what + length, sizeof what - (size_t)length, format, list);
    return error_deliver_report(call, at, error, what, NULL, see);
}

int report(enum call call, struct dist_at at, enum dist_error error, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int result = error_deliver_words(call_name(call), at, error, error_lesson_of(call, error), format, list);
    va_end(list);
    return result;
}

int report_tensor(const char *call, struct dist_at at, enum dist_error error, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int result = error_deliver_words(call, at, error, NULL, format, list);
    va_end(list);
    return result;
}

bool refuse(const char *call, struct dist_at at, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    error_deliver_words(call, at, DIST_ERR_ARGUMENT, NULL, format, list);
    va_end(list);
    return false;
}

int report_block(const char *call, struct dist_at at, enum dist_error error, const char *sentence,
                 const char *block)
{
    char what[512], text[1300];
    int length = error_name_entry(what, sizeof what);
    snprintf(text, sizeof text, "%.*s%s", length, what, block);
    snprintf(what + length, sizeof what - (size_t)length, "%s", sentence);
    return error_deliver_report(call, at, error, what, text, NULL);
}

/* Of several ranks that find the same fault one speaks, always the same one; the others give it a moment. */
static void error_let_speak(const struct dist_work *op)
{
    const struct launch_self *self = launch_self_if_any();
    const struct context *context = self ? self->context : NULL;
    if (!context || context->handler || op->speaker == 0 || op->speaker - 1 == self->env.rank)
        return;
    for (int i = 0; i < 200 && !world_failed(&self->world); i++)
        usleep(1000);
}

int report_op(const struct dist_work *op)
{
    error_let_speak(op);
    call_note.entry =
        0; /* of the batch that is being made: this may be an older operation, of which its host hears only now */
    /* Only that call has a .timeout; whoever else ran out of time has said itself what to do. */
    bool own_words = op->status == DIST_ERR_TIMEOUT && op->call != CALL_MONITORED_BARRIER;
    const char *advice = own_words ? NULL : errors[op->status].advice;
    if (op->call == CALL_NEW_GROUP && op->status == DIST_ERR_MEMORY)
        advice = "free groups that are no longer needed";
    if (!advice)
        return report(op->call, op->at, (enum dist_error)op->status, "%s", op->why.text);
    return report(op->call, op->at, (enum dist_error)op->status, "%s; %s", op->why.text, advice);
}
