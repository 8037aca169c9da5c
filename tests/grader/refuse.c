/*
 * refuse.c: what a learner's file may name. $GRADE_CALLS is a file with the names of all that its object wants from outside
 * (grade_one.sh writes it), so that it is looked at before anything runs, and whatever made the name: a call, an alias, a label.
 *
 * What dist.h and tensor.h declare is allowed, except for what the exercise forbids; and of C's library what computes, keeps,
 * compares and prints. Nothing else: an exercise needs neither files nor processes.
 */
#define _GNU_SOURCE
#include "inside.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const char *const headers[] = { "lib/dist.h", "lib/dist_base.h", "lib/tensor.h",
                                       "lib/dist_streams.h" };

/* Names as C's library has them, * and [] as in a shell; those with a __ are what compilers and its headers make of them. */
static const char *const allowed[] = {
    /* memory and text */
    "malloc calloc realloc reallocarray free aligned_alloc posix_memalign memcpy memmove memset memcmp "
    "memchr memrchr rawmemchr memmem memccpy mempcpy bcmp bcopy bzero str[a-z]* stpcpy stpncpy qsort "
    "qsort_r bsearch __str[a-z]* __mem[a-z]*_chk to[a-z]* is[a-z]* __ctype_*",
    /* numbers */
    "abs labs llabs imaxabs div ldiv lldiv imaxdiv ffs ffsl ffsll ato[a-z]* rand srand rand_r random "
    "srandom [delmnj]rand48 srand48 fabs* sqrt* cbrt* exp* log logf logl log[12b]* ilogb* pow* sin* cos* "
    "tan* asin* acos* atan* ceil* floor* round* lround* llround* trunc* rint* lrint* llrint* nearbyint* "
    "fmod* fmin* fmax* fma fmaf fmal fdim* hypot* ldexp* frexp* modf* scalb* copysign* nextafter* "
    "nexttoward* nan nanf nanl remainder* remquo* erf* lgamma* tgamma* __isnan* __isinf* __finite* "
    "__fpclassify* __signbit*",
    /* printing and reading from text */
    "printf fprintf sprintf snprintf vprintf vfprintf vsnprintf vsprintf puts fputs putchar fputc "
    "putc fwrite fflush perror sscanf stdout stderr __*printf_chk __isoc*_sscanf __isoc*_strto* "
    "setvbuf setbuf",
    /* time, and an end */
    "clock time difftime clock_gettime gettimeofday timespec_get nanosleep usleep sleep thrd_sleep "
    "sched_yield exit _Exit abort __assert_fail __assert __errno_location errno",
    /* what a compiler adds: checks of the stack, wide arithmetic, atomics */
    "__stack_chk_* _GLOBAL_OFFSET_TABLE_ __tls_get_addr __*[dst]i[234] __*[dsthx]f[234] __*[dsthx]c3 "
    "__*[dsthx]f[dsthx]f2 __fix* __float* __atomic_* __aarch64_* __ubsan_* __asan_* __tsan_*",
};

/* Is the word in a list with blanks between? */
static bool listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at && (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* With a handler of its own a file would go on after any mistake, and nobody would hear of it. */
bool is_forbidden(const char *call)
{
    bool without = listed(exercise.forbidden, call) && !listed(exercise.needed, call);
    return without || strcmp(call, "dist_set_error_handler") == 0;
}

/* "dist_send_from" is called as dist_send: what the macros of dist.h add is taken away. */
static void plain_name(char *name)
{
    static const char *const endings[] = { "_with", "_from", "_at" };
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t length = strlen(name), more = strlen(endings[i]);
        if (strncmp(name, "dist_", 5) == 0 && length > more && strcmp(name + length - more, endings[i]) == 0)
            name[length - more] = '\0';
    }
}

static bool is_of_a_name(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char *text_of(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = calloc(1, 1 << 18);
    if (!file || !text || fread(text, 1, (1 << 18) - 1, file) == 0)
        abort(); /* the grader is not complete */
    fclose(file);
    return text;
}

/* Does one of our two headers, or what they include, have this word? */
static bool declared(const char *name)
{
    static char *texts[sizeof headers / sizeof headers[0]];
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        texts[i] = texts[i] ? texts[i] : text_of(headers[i]);
        for (const char *at = texts[i]; (at = strstr(at, name)); at += length)
            if (!is_of_a_name(at[-1]) && !is_of_a_name(at[length]))
                return true;
    }
    return false;
}

static bool is_allowed(const char *name)
{
    if (strncmp(name, "dist_", 5) == 0 || strncmp(name, "tensor_", 7) == 0)
        return declared(name);
    bool found = false;
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++) {
        char *words = strdup(allowed[i]), *rest = words;
        for (char *word; words && (word = strsep(&rest, " "));)
            found = found || fnmatch(word, name, 0) == 0;
        free(words);
    }
    return found;
}

static bool any;

void refused_mark(bool refused)
{
    any |= refused;
}

bool refused_any(void)
{
    return any;
}

void refuse(void)
{
    char name[128];
    const char *path = getenv("GRADE_CALLS");
    FILE *file = path ? fopen(path, "re") : NULL;
    if (!file) {
        feedback("The grader cannot see what your file calls (GRADE_CALLS); run it through make.");
        return;
    }
    while (fscanf(file, "%127s", name) == 1) {
        bool good = is_allowed(name);
        refused_mark(!good);
        plain_name(name);
        if (is_forbidden(name))
            feedback("Your file calls %s. That is what you are to do without here.", name);
        if (!good)
            feedback("Your file calls %s. No exercise needs it, and only what dist.h and tensor.h declare is "
                     "allowed, and of C's "
                     "library what computes and prints.",
                     name);
    }
    fclose(file);
}
