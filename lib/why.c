/* why.c: see why.h. */
#include "why.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void why_add(struct why *why, const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(why->text);
    va_start(arguments, format);
    vsnprintf(why->text + used, sizeof why->text - used, format, arguments);
    va_end(arguments);
}

int why_fail(int status, struct why *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return status;
}
