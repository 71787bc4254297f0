/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * condition: #if and its kin, and the value of what they ask.
 *
 * Owns the integers of a condition's expression, which are C's: 64 bits, signed or not. It opens
 * and ends the conditions of the preprocessor's state. Internal to lex.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_CONDITION_H
#define BANKWISE_CONDITION_H

#include "macro.h"

/* #if, #ifdef, #ifndef, #elif, #else, #endif: false if the line, from the word after '#', is none
 * of them. */
bool bw_condition_line(bw_preprocessor *pp, const bw_token *line, size_t count, bw_span span);
/* Whether the conditions that are open let the text in. */
bool bw_taking(const bw_preprocessor *pp);

#endif
