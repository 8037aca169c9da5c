/* text.c: sentences: wrapped, collected, written out. */
#define _GNU_SOURCE
#include "text.h"

#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The bytes of the character that begins here; 0: it is no UTF-8. */
static size_t text_character(const char *text, const char *end)
{
    static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *at = (const unsigned char *)text;
    size_t length = *at < 0x80 ? 1 : *at < 0xc2 || *at > 0xf4 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
    if (length <= 1 || (size_t)(end - text) < length)
        return length <= 1 ? length : 0;
    unsigned code = *at & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    return code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? length : 0;
}

void text_put_json(FILE *file, const char *text, size_t length)
{
    fputc('"', file);
    for (const char *end = text + length; text < end; text += length) {
        unsigned char c = (unsigned char)*text;
        length = text_character(text, end);
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(file, "\\u%04x", c);
        else if (length > 0)
            fwrite(text, 1, length, file);
        else
            fputs("\\ufffd", file); /* what stands for such, everywhere */
        length += length == 0;
    }
    fputc('"', file);
}

void *text_use_point(void)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return plain ? uselocale(plain) : NULL;
}

void text_use_language(void *before)
{
    if (before)
        freelocale(uselocale(before));
}

struct words words_of(const char *format, ...)
{
    struct words words;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words.text, sizeof words.text, format, arguments);
    va_end(arguments);
    return words;
}

void text_add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = sizeof text->bytes - text->used;
    int size = vsnprintf(text->bytes + text->used, room, format, arguments);
    va_end(arguments);
    if (size > 0)
        text->used += (size_t)size < room ? (size_t)size : room - 1;
}

size_t text_write(int fd, const char *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t written = write(fd, bytes + done, size - done);
        if (written < 0 && errno != EINTR)
            break;
        done += written > 0 ? (size_t)written : 0;
    }
    return done;
}

bool text_find_line(const char *path, const char *words, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    bool found = false;
    while (file && !found && fgets(line, (int)size, file))
        found = strstr(line, words) != NULL;
    if (file)
        fclose(file);
    return found;
}

void text_say(const char *format, ...)
{
    char *bytes = NULL; /* not on the stack, which may be small (ulimit -s) and holds the environment, too */
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&bytes, format, arguments);
    va_end(arguments);
    if (length >= 0) {
        text_write(STDERR_FILENO, bytes, (size_t)length);
        free(bytes);
        return;
    }
    va_start(arguments, format); /* no memory for it: perhaps in pieces, then */
    vdprintf(STDERR_FILENO, format, arguments);
    va_end(arguments);
}

/* The end of the run of neighbours that begins at `first`. Two neighbours are listed, three are a run. */
static int text_run_end(const bool *in, int size, int first)
{
    int end = first;
    while (end + 1 < size && in[end + 1])
        end++;
    return end - first >= 2 ? end : first;
}

int text_add_ranks(struct text *text, const bool *in, int size)
{
    int count = 0, said = 0;
    for (int rank = 0; rank < size; rank++)
        count += in[rank];
    text_add(text, count == 1 ? "rank " : "ranks ");
    for (int rank = 0; rank < size; rank++) {
        if (!in[rank])
            continue;
        int end = text_run_end(in, size, rank), run = end - rank + 1;
        text_add(text, "%s%d", said == 0 ? "" : said + run == count ? " and " : ", ", rank);
        if (run > 1)
            text_add(text, " to %d", end);
        rank = end;
        said += run;
    }
    return count;
}

void text_wrap(const char *text, size_t width, char *out, size_t size)
{
    size_t used = 0, column = 0, indent = 0;
    while (*text && used + 4 < size) {
        size_t length = strcspn(text, " \n");
        if (column > indent && column + 1 + length > width) {
            used += (size_t)snprintf(out + used, size - used, "\n  ");
            column = indent = 2;
        } else if (column > indent) {
            out[used++] = ' ';
            column++;
        }
        int wrote = snprintf(out + used, size - used, "%.*s", (int)length, text);
        used += (size_t)wrote < size - used ? (size_t)wrote : size - used - 1;
        column += length;
        text += length + strspn(text + length, " \n");
    }
    out[used] = '\0';
}

void text_tell(const char *sentence, size_t width)
{
    char wrapped[800];
    text_wrap(sentence, width, wrapped, sizeof wrapped);
    size_t length = strlen(wrapped);
    text_say("%s%s\n", wrapped, length > 0 && wrapped[length - 1] == '?' ? "" : ".");
}
