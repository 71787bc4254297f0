/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tap: runs a Check test case as a TAP program. For tests' main functions only.
 */
#ifndef BANKWISE_TAP_H
#define BANKWISE_TAP_H

#include <stdlib.h>

#include <check.h>

/* Check writes to a file at every assertion that holds, to say where a test crashed. Tests with
 * millions of assertions would spend most of their time there; a sanitizer or a debugger names the
 * place better. */
#define _mark_point(file, line) ((void)0)

/* How many rounds of random input: `rounds`, or a tenth of them where TAP_SLOW is set (by
 * tools/test, for valgrind, which is thirty times slower and looks at what each path reads, not at
 * how often). */
static inline unsigned tap_rounds(unsigned rounds)
{
    return getenv("TAP_SLOW") ? (rounds + 9) / 10 : rounds;
}

/* Runs all tests of `tc`, prints TAP to standard output; 0 if all passed. Frees the case. */
static inline int tap_run(TCase *tc)
{
    Suite *suite = suite_create("bankwise");
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

#endif
