/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * launch: how the command line launches a kernel of machine code.
 *
 * Owns the meaning of names in braces: `--arg 3={N}` and `--block {N}x2` take the value that -D
 * gives N, so that a sweep over N changes arguments, data and shapes. It knows no machine code.
 */
#ifndef BANKWISE_LAUNCH_H
#define BANKWISE_LAUNCH_H

#include "session.h"

/* Reads session->input, which is machine code, into session->program. False after errors, which
 * are in session->diags. */
bool bw_session_read_kernel(bw_session *session);

/* Options of machine code with an input that is none. False after errors, as above. */
bool bw_session_refuse_kernel(bw_session *session);

#endif
