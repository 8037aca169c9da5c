/* mutate_statements.c: a statement left out, made twice, or exchanged with the next one. */
#include "mutate.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The length of the simple statement that begins here; 0: none does. */
static size_t statement(size_t at)
{
    static const char *const others[] = { "if", "for", "while", "else", "do", "switch", "case" };
    size_t i = at;
    if (!in_word(code[at]) && code[at] != '*')
        return 0;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strncmp(code + at, others[k], strlen(others[k])) == 0 && !in_word(code[at + strlen(others[k])]))
            return 0;
    while (code[i] && code[i] != ';') {
        if (strchr("([{", code[i]) && !(i = closing(i)))
            return 0;
        i++;
    }
    return code[i] ? i + 1 - at : 0;
}

/* A call that does more when it is made again: what is written or copied once more stays what it is. */
static bool repeats(size_t at)
{
    static const char *const calm[] = { "tensor_set(", "tensor_copy(", "tensor_fill(", "tensor_read(",
                                        "tensor_matmul(" };
    size_t word = 0;
    while (in_word(code[at + word]))
        word++;
    for (size_t i = 0; i < sizeof calm / sizeof *calm; i++)
        if (strncmp(code + at, calm[i], strlen(calm[i])) == 0)
            return false;
    return code[at + word] == '(';
}

static size_t next_line(size_t at)
{
    while (code[at] == ' ')
        at++;
    if (code[at] != '\n')
        return 0;
    while (isspace((unsigned char)code[at]))
        at++;
    return at;
}

void statements(void)
{
    char with[4096];
    for (size_t i = next_line(0); code[i]; i++) {
        bool begins = i == 0 || code[i - 1] == '\n' || isspace((unsigned char)code[i - 1]);
        size_t line = i;
        while (line > 0 && code[line - 1] == ' ')
            line--;
        size_t length = begins && (line == 0 || code[line - 1] == '\n') ? statement(i) : 0;
        if (!length)
            continue;
        mistake(i, length, "out", ";");
        snprintf(with, sizeof with, "{ %.*s %.*s }", (int)length, text + i, (int)length, text + i);
        if (repeats(i))
            mistake(i, length, "twice", with);
        size_t second = next_line(i + length), more = second ? statement(second) : 0;
        if (more) {
            snprintf(with, sizeof with, "%.*s %.*s", (int)more, text + second, (int)length, text + i);
            mistake(i, second + more - i, "swap", with);
        }
        i += length - 1;
    }
}
