/* json_string.c: strings, which hold most of what can be wrong: escapes and UTF-8. */
#include "json_memory.h"

#include <string.h>

static bool read_hex(struct json *json, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        char c = json->at < json->end ? *json->at : 0;
        const char *digits = "0123456789abcdef",
                   *found = c ? strchr(digits, c | (c >= 'A' ? 0x20 : 0)) : NULL;
        if (!found)
            return json_wrong(json, "\\u needs four hexadecimal digits");
        *code = *code * 16 + (unsigned)(found - digits);
        json->at++;
    }
    return true;
}

static char *write_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    *to++ = (char)((0xff00u >> (more + 1) & 0xffu) | code >> (6 * more));
    while (more-- > 0)
        *to++ = (char)(0x80u | (code >> (6 * more) & 0x3fu));
    return to;
}

static char *read_escape(struct json *json, char *to)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char c = json->at < json->end ? *json->at++ : 0;
    const char *known = c ? strchr(names, c) : NULL;
    unsigned code, second;
    if (known) {
        *to = meant[known - names];
        return to + 1;
    }
    if (c != 'u')
        return json_wrong(json, "a string holds an unknown escape"), NULL;
    if (!read_hex(json, &code))
        return NULL;
    if (code >= 0xd800 && code < 0xdc00 && json->end - json->at >= 6 && memcmp(json->at, "\\u", 2) == 0) {
        json->at += 2;
        if (!read_hex(json, &second))
            return NULL;
        code = second >= 0xdc00 && second < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00)
                                                   : 0xd800;
    }
    if (code == 0 || (code >= 0xd800 && code < 0xe000))
        return json_wrong(json, "a string holds a character that cannot be shown"), NULL;
    return write_utf8(to, code);
}

/* Copy one character that is not escaped; 0 bytes: it is no UTF-8. */
static int utf8_length(const unsigned char *at, const unsigned char *end)
{
    static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    if (*at < 0x80)
        return 1;
    int length = *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : 2;
    if (*at < 0xc2 || *at > 0xf4 || end - at < length)
        return 0;
    unsigned code = *at & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    return code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? length : 0;
}

/* What is written never becomes longer: an escape of six bytes gives at most three. */
const char *json_string(struct json *json)
{
    if (!json_take(json, '"'))
        return json_wrong(json, "a string should begin here"), NULL;
    const char *close = json->at;
    while (close < json->end && *close != '"')
        close += 1 + (*close == '\\');
    if (close >= json->end)
        return json_wrong(json, "a string does not end"), NULL;
    char *text = json_memory(json, (size_t)(close - json->at) + 1), *to = text;
    while (to && json->at < close) {
        int length = utf8_length((const unsigned char *)json->at, (const unsigned char *)close);
        if (*json->at == '\\') {
            json->at++;
            to = read_escape(json, to);
        } else if (length == 0 || (unsigned char)*json->at < 0x20) {
            return json_wrong(json, "a string holds a byte that does not belong there"), NULL;
        } else {
            memcpy(to, json->at, (size_t)length);
            to += length;
            json->at += length;
        }
    }
    if (!to)
        return NULL;
    json->at = close + 1;
    *to = 0;
    return text;
}
