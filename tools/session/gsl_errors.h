/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gsl_errors: what happens when GSL fails.
 *
 * GSL's own handler aborts the program. These end it with exit code 3 where memory runs out; they
 * are handlers for gsl_set_error_handler and know nothing of what GSL was asked for.
 */
#ifndef BANKWISE_GSL_ERRORS_H
#define BANKWISE_GSL_ERRORS_H

/* The program's: any error ends it. Its inputs are checked before GSL sees them. */
void bw_gsl_strict(const char *reason, const char *file, int line, int error);
/* For a stretch whose caller looks at the results: other errors are left to it. */
void bw_gsl_lenient(const char *reason, const char *file, int line, int error);

#endif
