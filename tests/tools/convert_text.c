/* convert_text.c: text from anywhere, made clean and then quoted as each format wants it. */
#include "convert.h"

#include <stdlib.h>
#include <string.h>

#define BROKEN "\xEF\xBF\xBD" /* U+FFFD, which stands for what cannot be shown */
#define CUT "\n... (there is more)\n"

static bool follows(const unsigned char *at, size_t left, int count)
{
    for (int i = 1; i <= count; i++)
        if ((size_t)i >= left || (at[i] & 0xC0) != 0x80)
            return false;
    return true;
}

/* How many bytes the character here has; 0: it is none, or one that XML cannot hold or that no reader should see. */
static size_t character(const unsigned char *at, size_t left)
{
    unsigned lead = at[0], second = left > 1 ? at[1] : 0;
    if (lead < 0x80)
        return (lead >= ' ' && lead != 0x7F) || lead == '\t' || lead == '\n';
    if (lead >= 0xC2 && lead <= 0xDF && follows(at, left, 1))
        return lead == 0xC2 && second < 0xA0 ? 0 : 2; /* the second set of control characters */
    if ((lead & 0xF0) == 0xE0 && follows(at, left, 2)) {
        bool overlong = lead == 0xE0 && second < 0xA0, surrogate = lead == 0xED && second > 0x9F;
        bool no_character = lead == 0xEF && second == 0xBF && at[2] >= 0xBE;
        return overlong || surrogate || no_character ? 0 : 3;
    }
    if (lead >= 0xF0 && lead <= 0xF4 && follows(at, left, 3))
        return (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F) ? 0 : 4;
    return 0;
}

char *clean(const char *text, size_t length, size_t most)
{
    char *copy = malloc(most + sizeof CUT + sizeof BROKEN + 1);
    size_t used = 0, at = 0;
    if (!copy)
        abort();
    while (at < length && used < most) {
        at += text[at] == '\r' && at + 1 < length && text[at + 1] == '\n';
        size_t bytes = character((const unsigned char *)text + at, length - at);
        memcpy(copy + used, bytes ? text + at : BROKEN, bytes ? bytes : strlen(BROKEN));
        used += bytes ? bytes : strlen(BROKEN);
        at += bytes ? bytes : 1;
    }
    strcpy(copy + used, at < length ? CUT : "");
    return copy;
}

void put_json(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++) {
        if (*text == '\n')
            fputs("\\n", file);
        else if (*text == '\t')
            fputs("\\t", file);
        else if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else
            putc(*text, file);
    }
    putc('"', file);
}

/* A spreadsheet takes what begins so for a formula; a ' in front makes it text. */
void put_csv(FILE *file, const char *text)
{
    fputs(*text && strchr("=+-@\t", *text) ? "\"'" : "\"", file);
    for (; *text; text++)
        fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    putc('"', file);
}

void put_xml(FILE *file, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        default:
            putc(*text, file);
        }
    }
}

void put_attribute(FILE *file, const char *text)
{
    putc('"', file);
    for (size_t length; *text; text += length + (text[length] != '\0')) {
        length = strcspn(text, "\n\t");
        char *line = clean(text, length, length);
        put_xml(file, line);
        free(line);
        if (text[length])
            fprintf(file, "&#%d;", text[length]);
    }
    putc('"', file);
}
