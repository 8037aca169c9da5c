/* words.c: numbers as words, and which ranks have a row. */
#include "draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *words_elements(const struct elements *elements, int most, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "[");
    for (int i = 0; i < elements->count && used + 32 < size; i++) {
        const char *comma = i ? ", " : "";
        if (i == most) {
            used += (size_t)snprintf(text + used, size - used, "%s...", comma);
            break;
        }
        if (isnan(elements->value[i]))
            used += (size_t)snprintf(text + used, size - used, "%snan", comma);
        else
            used += (size_t)snprintf(text + used, size - used, "%s%.6g", comma, elements->value[i]);
    }
    snprintf(text + used, size - used, "]");
    return text;
}

const char *words_bytes(int64_t bytes, char *text, size_t size)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    double value = (double)bytes;
    int unit = 0;
    while (value >= 1024 && unit < 4) {
        value /= 1024;
        unit++;
    }
    snprintf(text, size, value < 10 && unit > 0 && fmod(value, 1) != 0 ? "%.1f %s" : "%.0f %s", value,
             units[unit]);
    return text;
}

const char *words_message(const struct run *run, int message, char *text, size_t size)
{
    const struct act *send = &run->acts[run->messages[message].send];
    if (send->in.count == 1 && !isnan(send->in.value[0]))
        snprintf(text, size, "%.6g", send->in.value[0]);
    else if (send->in.count > 0)
        words_elements(&send->in, send->in.count > 7 ? 3 : 7, text, size);
    else if (send->elements > 0 && send->elements < 10000)
        snprintf(text, size, "%lld numbers", (long long)send->elements);
    else
        words_bytes(send->bytes, text, size);
    return text;
}

int row_count(const struct run *run)
{
    return run->ranks < MOST_RANKS ? run->ranks : MOST_RANKS;
}

int row_of(const struct run *run, int rank)
{
    int half = MOST_RANKS / 2;
    if (run->ranks <= MOST_RANKS || rank < half)
        return rank;
    int from_end = run->ranks - rank;
    return from_end <= half ? MOST_RANKS - from_end : -1;
}

int rank_of_row(const struct run *run, int row)
{
    return run->ranks <= MOST_RANKS || row < MOST_RANKS / 2 ? row : run->ranks - (MOST_RANKS - row);
}
