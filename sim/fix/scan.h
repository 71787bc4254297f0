/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan: finding one's way in source text, for those who rewrite it.
 *
 * Owns nothing: positions in, positions out. It knows comments, strings and brackets, no grammar.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_SCAN_H
#define BANKWISE_SCAN_H

#include "diag.h"

/* The first place from `at` on that is neither white space nor comment. */
uint32_t bw_scan_skip(const bw_source *source, uint32_t at);
/* The last place before `at` behind which only white space follows up to `at`. */
uint32_t bw_scan_back(const bw_source *source, uint32_t at);
/* Whether `at` (after skipping) has the bracket group that `open` begins; *inner gets the text
 * between the brackets and *end the place behind the closing one. */
bool bw_scan_group(const bw_source *source, uint32_t at, char open, bw_span *inner, uint32_t *end);
/* The next `wanted` outside brackets, comments and strings in [at, end); `end` where there is none.
 */
uint32_t bw_scan_find(const bw_source *source, uint32_t at, uint32_t end, char wanted);
/* Where `text` first stands in the span; the span's end where it does not. */
uint32_t bw_scan_text(const bw_source *source, bw_span span, const char *text);
/* The identifier at `at`: its length, 0 for none. */
uint32_t bw_scan_name(const bw_source *source, uint32_t at);
/* The span without white space at its ends. */
bw_span bw_scan_trim(const bw_source *source, bw_span span);
/* The braces of the definition of struct `name`; false where the source has none. */
bool bw_scan_struct(const bw_source *source, const char *name, bw_span *body);

#endif
