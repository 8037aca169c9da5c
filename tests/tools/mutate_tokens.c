/* mutate_tokens.c: mistakes in numbers, words, operators, brackets and conditions. */
#include "mutate.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void number(size_t at, size_t length)
{
    char with[128];
    if (memchr(text + at, '.', length)) {
        snprintf(with, sizeof with, "(2 * %.*s)", (int)length, text + at);
        mistake(at, length, "doubled", with);
        return;
    }
    snprintf(with, sizeof with, "(%.*s + 1)", (int)length, text + at);
    mistake(at, length, "more", with);
    snprintf(with, sizeof with, "(%.*s - 1)", (int)length, text + at);
    mistake(at, length, "less", with);
}

static void word(size_t at, size_t length)
{
    static const char *const opposites[][2] = {
        { "next", "previous" },     { "left", "right" },
        { "true", "false" },        { "DIST_SUM", "DIST_AVG" },
        { "DIST_MAX", "DIST_MIN" }, { "rows", "columns" },
        { "row", "column" },        { "from_left", "from_right" },
        { "first", "last" },        { "sum", "most" },
        { "near", "far" },          { "nodes", "per_node" },
        { "arriving", "leaving" },  { "WEIGHTS", "BIAS" },
        { "weights", "bias" },      { "new_weights", "new_bias" },
        { "forward", "backward" },  { "make_sum", "make_most" },
    };
    for (size_t i = 0; i < sizeof opposites / sizeof *opposites; i++)
        for (int side = 0; side < 2; side++)
            if (strlen(opposites[i][side]) == length && memcmp(opposites[i][side], text + at, length) == 0)
                mistake(at, length, "other", opposites[i][!side]);
}

/* Operators stand between blanks, but for those of one side. The longer ones come first. */
static size_t operator(size_t at)
{
    static const struct {
        const char *from, *to, *kind;
    } operators[] = {
        { " <= ", " < ", "le_lt" },     { " >= ", " > ", "ge_gt" },        { " == ", " != ", "eq_ne" },
        { " != ", " == ", "ne_eq" },    { " && ", " || ", "and_or" },      { " || ", " && ", "or_and" },
        { " += ", " -= ", "add_sub" },  { " -= ", " += ", "sub_add" },     { " *= ", " /= ", "mul_div" },
        { " /= ", " *= ", "div_mul" },  { " < ", " <= ", "lt_le" },        { " > ", " >= ", "gt_ge" },
        { " + ", " - ", "plus_minus" }, { " - ", " + ", "minus_plus" },    { " * ", " / ", "times_over" },
        { " / ", " * ", "over_times" }, { " % ", " / ", "rest_quotient" }, { "++", "--", "up_down" },
        { "--", "++", "down_up" },      { " & ", " | ", "bits_and_or" },
    };
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t length = strlen(operators[i].from);
        if (memcmp(code + at, operators[i].from, length) == 0) {
            mistake(at, length, operators[i].kind, operators[i].to);
            return length - (operators[i].from[0] == ' '); /* the last blank may be another's first */
        }
    }
    return 0;
}

static void condition(size_t at)
{
    static const char *const ways[][2] = { { "not", "(!(" },
                                           { "always", "(1 || (" },
                                           { "never", "(0 && (" } };
    char with[1024];
    size_t end = closing(at);
    for (int i = 0; end && i < 3; i++) {
        snprintf(with, sizeof with, "%s%.*s))", ways[i][1], (int)(end - at - 1), text + at + 1);
        mistake(at, end + 1 - at, ways[i][0], with);
    }
}

void tokens(void)
{
    for (size_t i = 0; code[i];) {
        size_t length = 0;
        while (in_word(code[i + length]) || (length && isdigit(code[i]) && code[i + length] == '.'))
            length++;
        if (length && isdigit(code[i]))
            number(i, length);
        else if (length)
            word(i, length);
        else if (code[i] == ']' && !isdigit(code[i - 1]) && code[i - 1] != '[')
            mistake(i, 1, "index_more", " + 1]");
        if (length == 2 && memcmp(code + i, "if (", 4) == 0)
            condition(i + 3);
        length = length ? length : operator(i);
        i += length ? length : 1;
    }
}
