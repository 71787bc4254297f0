/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * launches: kernel<<<grid, block, bytes, stream>>>(arguments); at top level, and the constants
 * around it that -D can change.
 *
 * For this room and for that of host code, which finds launches elsewhere.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_LAUNCHES_H
#define BANKWISE_LAUNCHES_H

#include "grammar.h"

bool bw_at_launch(const bw_parser *p); /* NAME or NAME<…> followed by <<< */
void bw_parse_launch(bw_parser *p);
/* "(x, y, z)", "{x, y, z}" or, without brackets, one number; what is not given stays. */
void bw_parse_extents(bw_parser *p, uint32_t dims[3], bool bracketed);
/* Whether --kernel leaves the kernel among those that run. */
bool bw_is_chosen(const bw_parser *p, const bw_function *f);
/* What kernels there are, to be put under an error. */
const char *bw_kernels_note(bw_parser *p);
/* Arguments that the options give, in the place of the launch's or where it has none. */
void bw_complete_arguments(bw_parser *p, bw_ast_launch *launch);
bool bw_at_host_function(const bw_parser *p);
bool bw_at_host_dim3(const bw_parser *p);
/* The token at depth 0 that ends the value at token `at`: a comma, semicolon, bracket or ">>>". */
size_t bw_host_value_end(const bw_parser *p, size_t at);
/* Whether -D gives `name` a value (which it then has used). */
bool bw_is_defined(bw_parser *p, const char *name);
/* The value of a parameter: that of -D, or `value`, whose type it has. Reports show it. */
bw_expr *bw_parameter_value(bw_parser *p, const char *name, bw_expr *value);

#endif
