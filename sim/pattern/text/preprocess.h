/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preprocess: directives, on tokens: #define, #include, #pragma pack.
 *
 * Owns what each directive does, and the reading of headers. It knows macros (macro.h), conditions
 * (condition.h) and what is given before line 1 (given.h). Internal to lex. Owns no text; see lex.h
 * for places and memory.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_PREPROCESS_H
#define BANKWISE_PREPROCESS_H

#include "lex.h"

/* Expands the file, raw[0], and what comes with it, raw[1..count), into `out` (items and defines;
 * appended). */
void bw_preprocess(bw_arena *arena, const bw_source *source, const bw_given *given,
                   const bw_tokens *raw, size_t count, bw_tokens *out, bw_diags *diags);

/* Room for one more token of a text, at the end of those that are there. */
bw_token *bw_tokens_append(bw_tokens *tokens);

#endif
