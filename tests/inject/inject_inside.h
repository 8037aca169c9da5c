/* inject_inside.h: what the parts of libinject.so share. */
#ifndef INJECT_INSIDE_H
#define INJECT_INSIDE_H

#include "inject.h"

#include <errno.h>
#include <stdbool.h>

#define SHORT (-1) /* in place of an errno: gives less than was asked for */

/* Count a call. 0: it is to be made; else the error, also in errno. */
int injected(enum inject_kind kind, const char *call);

/* Between the two nothing counts. */
void inject_pause(void);
void inject_resume(void);

/* libc's function of this name. */
void *real_call(const char *name);
/* In a function that stands in for libc's: libc's is `real`. */
#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) \
    *(void **)&real = real_call(#name)

/* Lets stdout and stderr write through our write. */
void inject_stdio(void);

#endif
