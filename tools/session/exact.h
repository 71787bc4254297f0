/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * exact: the command that takes a CUDA source the machine's way, where reading it does not give an
 * exact answer.
 *
 * The one place that says so: for sources that are refused, and for counts that are as written
 * where the compiler may do otherwise. A file that nvcc does not take by its name (a pattern) has
 * no such command. It runs nothing.
 */
#ifndef BANKWISE_EXACT_H
#define BANKWISE_EXACT_H

#include "session.h"

/* "bankwise predict FILE --nvcc '-O3' --kernel NAME --block 32x8", in the arena; NULL
 * where the input is no CUDA source, or was compiled already. `launch` is NULL where none was read:
 * the kernel is then the one before `at`, a byte of the text, and the shape that of the options. */
const char *bw_exact_command(bw_arena *arena, const bw_session *session, const bw_launch *launch,
                             size_t at);

/* Whether one of the diagnostics says that the language, not the source, is at fault: then what
 * nvcc compiles can be taken as machine code. *at is the place of the first. */
bool bw_exact_is_refusal(const bw_session *session, size_t *at);

#endif
