/* feedback.c: what the learner is told about one test. */
#include "inside.h"

#include <stdarg.h>
#include <string.h>

static char words[8192];

static void add(const char *text, size_t length)
{
    size_t used = strlen(words), room = sizeof words - 1 - used;
    memcpy(words + used, text, length < room ? length : room);
    words[used + (length < room ? length : room)] = '\0';
}

void feedback(const char *format, ...)
{
    char line[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line - 1, format, values);
    va_end(values);
    add(line, strlen(line));
    add("\n", 1);
}

/* The rank in front of what it printed: "[2] ". The library's words name the rank anyway. */
static const char *after_rank(const char *line)
{
    size_t digits = line[0] == '[' ? strspn(line + 1, "0123456789") : 0;
    return digits > 0 && strncmp(line + 1 + digits, "] ", 2) == 0 ? line + digits + 3 : line;
}

/* The library names the file and line of each call, and some calls are the grader's own: "(03_ring/1_once_round.desk.c:12)". They are
 * no learner's business. */
static void without_our_places(const char *text, size_t length, char *line, size_t size)
{
    static const char *const ours[] = { "desk.c:", "late.c:", "held.c:", "left.h:" };
    snprintf(line, size, "%.*s", (int)length, text);
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        for (char *at; (at = strstr(line, ours[i]));) {
            char *from = at, *to = at + strlen(ours[i]);
            to += strspn(to, "0123456789");
            while (from > line && strchr(" (", from[-1]) == NULL)
                from--;
            char rest[400];
            snprintf(rest, sizeof rest, "the grader's code%s", to);
            snprintf(from, size - (size_t)(from - line), "%s", rest);
        }
}

/* Whatever the learner's program prints must not look like ours, nor upset a terminal. */
void feedback_text(const char *text, int lines)
{
    for (; *text && lines-- > 0;) {
        char line[160] = "  | ", words_of[400];
        text = after_rank(text);
        size_t length = strcspn(text, "\n"), used = strlen(line);
        without_our_places(text, length, words_of, sizeof words_of);
        for (size_t i = 0; words_of[i] && used < sizeof line - 1; i++)
            line[used++] = words_of[i] >= ' ' && words_of[i] < 127 ? words_of[i] : '?';
        add(line, used);
        add("\n", 1);
        text += length + (text[length] == '\n');
    }
    if (*text)
        add("  | ...\n", 8);
}

/* The library's notes of what was left come last: where not all fits, it is the middle that goes. */
void said_add(char *said, const char *bytes, size_t count)
{
    size_t used = strlen(said), most = SAID - 1, begin = used < most / 2 ? used : most / 2;
    if (count > most - begin)
        bytes += count - (most - begin), used = begin, count = most - begin;
    else if (used + count > most) {
        size_t gone = used + count - most;
        memmove(said + begin, said + begin + gone, used - begin - gone);
        used -= gone;
    }
    memcpy(said + used, bytes, count);
    said[used + count] = '\0';
}

bool feedback_any(void)
{
    return words[0] != '\0';
}

const char *feedback_words(void)
{
    return words;
}
