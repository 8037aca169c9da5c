/* why.h: why something cannot be done, in words for the user. A function that fails ends with them and its status (why_fail). */
#ifndef DIST_WHY_H
#define DIST_WHY_H

struct why {
    char text[400];
};

void why_add(struct why *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
int why_fail(int status, struct why *why, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define why_say(why, ...) ((void)why_fail(0, why, __VA_ARGS__)) /* only the words */

#endif
