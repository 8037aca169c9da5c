/*
 * criterion.h: as much of Criterion as our suites use, for machines of which there is no Criterion: another libc, or another
 * processor (`make test-musl`, `make test-arm`). RUNNER=small builds the suites on it. criterion.c runs them: each test in a
 * process of its own, one after the other.
 */
#pragma GCC system_header /* as Criterion's own: its macros may be called with no further arguments */
#ifndef TESTS_DOUBLES_CRITERION_H
#define TESTS_DOUBLES_CRITERION_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct small_options {
    int unused;
    double timeout; /* seconds; 0: ten */
    void (*init)(void);
    void (*fini)(void);
};

/* A test, or (name is NULL) what holds for all of a suite. */
struct small_test {
    const char *suite, *name;
    void (*body)(void);
    struct small_options options;
    struct small_test *next;
};

void small_add(struct small_test *test);
void small_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));
void small_judge(bool right, bool must, const char *file, int line, const char *what, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

#define TestSuite(Suite, ...) \
    static struct small_test small_suite_##Suite = { .suite = #Suite, \
                                                     .options = { .unused = 0, __VA_ARGS__ } }; \
    __attribute__((constructor)) static void small_suite_##Suite##_add(void) \
    { \
        small_add(&small_suite_##Suite); \
    } \
    struct small_test

#define Test(Suite, Name, ...) \
    static void small_##Suite##_##Name##_body(void); \
    static struct small_test small_##Suite##_##Name = { .suite = #Suite, \
                                                        .name = #Name, \
                                                        .body = small_##Suite##_##Name##_body, \
                                                        .options = { .unused = 0, __VA_ARGS__ } }; \
    __attribute__((constructor)) static void small_##Suite##_##Name##_add(void) \
    { \
        small_add(&small_##Suite##_##Name); \
    } \
    static void small_##Suite##_##Name##_body(void)

#define small_must(Right, What, ...) small_judge((Right), true, __FILE__, __LINE__, What, "" __VA_ARGS__)
#define small_may(Right, What, ...) small_judge((Right), false, __FILE__, __LINE__, What, "" __VA_ARGS__)

#define cr_assert(Right, ...) small_must((Right), #Right, __VA_ARGS__)
#define cr_assert_not(Wrong, ...) small_must(!(Wrong), "not " #Wrong, __VA_ARGS__)
#define cr_assert_eq(A, B, ...) small_must((A) == (B), #A " == " #B, __VA_ARGS__)
#define cr_assert_neq(A, B, ...) small_must((A) != (B), #A " != " #B, __VA_ARGS__)
#define cr_assert_gt(A, B, ...) small_must((A) > (B), #A " > " #B, __VA_ARGS__)
#define cr_assert_lt(A, B, ...) small_must((A) < (B), #A " < " #B, __VA_ARGS__)
#define cr_assert_geq(A, B, ...) small_must((A) >= (B), #A " >= " #B, __VA_ARGS__)
#define cr_assert_leq(A, B, ...) small_must((A) <= (B), #A " <= " #B, __VA_ARGS__)
#define cr_assert_null(A, ...) small_must((A) == NULL, #A " == NULL", __VA_ARGS__)
#define cr_assert_not_null(A, ...) small_must((A) != NULL, #A " != NULL", __VA_ARGS__)
#define cr_assert_str_eq(A, B, ...) small_must(strcmp((A), (B)) == 0, #A " reads " #B, __VA_ARGS__)
#define cr_assert_str_empty(A, ...) small_must(*(A) == '\0', #A " is empty", __VA_ARGS__)
#define cr_assert_float_eq(A, B, Apart, ...) \
    small_must(fabs((A) - (B)) <= (Apart), #A " is about " #B, __VA_ARGS__)
#define cr_assert_fail(...) small_must(false, "never to come here", __VA_ARGS__)
#define cr_expect(Right, ...) small_may((Right), #Right, __VA_ARGS__)
#define cr_expect_eq(A, B, ...) small_may((A) == (B), #A " == " #B, __VA_ARGS__)
#define cr_expect_neq(A, B, ...) small_may((A) != (B), #A " != " #B, __VA_ARGS__)
#define cr_expect_gt(A, B, ...) small_may((A) > (B), #A " > " #B, __VA_ARGS__)
#define cr_expect_lt(A, B, ...) small_may((A) < (B), #A " < " #B, __VA_ARGS__)
#define cr_expect_geq(A, B, ...) small_may((A) >= (B), #A " >= " #B, __VA_ARGS__)
#define cr_expect_null(A, ...) small_may((A) == NULL, #A " == NULL", __VA_ARGS__)
#define cr_expect_str_eq(A, B, ...) small_may(strcmp((A), (B)) == 0, #A " reads " #B, __VA_ARGS__)
#define cr_expect_float_eq(A, B, Apart, ...) \
    small_may(fabs((A) - (B)) <= (Apart), #A " is about " #B, __VA_ARGS__)
#define cr_expect_fail(...) small_may(false, "never to come here", __VA_ARGS__)
#define cr_skip_test(...) small_skip("" __VA_ARGS__)
#define cr_skip(...) small_skip("" __VA_ARGS__)
#define cr_log_info(...) fprintf(stderr, __VA_ARGS__)
#define cr_log_error(...) fprintf(stderr, __VA_ARGS__)

#endif
