/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * given: the macros that are there before line 1, nvcc's and the command line's.
 *
 * Owns the question whether a name that -D gives is a macro or what the text declares as a
 * variable. Internal to lex.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_GIVEN_H
#define BANKWISE_GIVEN_H

#include "macro.h"

/* Macros that nvcc has and that kernels test. */
void bw_predefine(bw_preprocessor *pp);
/* Those of -D, but for names that the text `raw` declares as variables. */
void bw_define_given(bw_preprocessor *pp, const bw_tokens *raw);
/* Those of the command line that the text used are parameters where they are numbers, as those are
 * that the text defines. To be called at the end. */
void bw_add_given_parameters(bw_preprocessor *pp);

#endif
