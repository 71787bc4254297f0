/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tap: runs a Check test case as a TAP program. For tests' main functions only.
 */
#ifndef BANKWISE_TAP_H
#define BANKWISE_TAP_H

#include <check.h>

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
