/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gsl_errors.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "arena.h"
#include "options.h"

void bw_gsl_lenient(const char *reason, const char *file, int line, int error)
{
    (void)reason, (void)file, (void)line;
    if (error == GSL_ENOMEM)
        bw_out_of_memory();
}

void bw_gsl_strict(const char *reason, const char *file, int line, int error)
{
    bw_gsl_lenient(reason, file, line, error);
    fprintf(stderr, "bankwise: error: GSL: %s (%s:%d)\n", reason, file, line);
    exit(BW_EXIT_INTERNAL);
}
