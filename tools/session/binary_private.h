/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * binary_private: what binary.c and compile.c share. Internal to tools/session.
 */
#ifndef BANKWISE_BINARY_PRIVATE_H
#define BANKWISE_BINARY_PRIVATE_H

#include "binary.h"

/* Says that a program of NVIDIA's, or a file for it, is missing; false. */
bool bw_binary_no_program(const char *what, const char *note);
/* Runs a program whose output is wanted, or whose success is, in `folder` (NULL: this one). False
 * after an error, which was said, else the caller frees the output. */
bool bw_binary_run(const char *folder, const char *const *argv, bw_process_result *result);
/* The session's folder for temporary files; false after an error. */
bool bw_binary_make_scratch(bw_session *session);
/* A cubin that is whole becomes the session's, and its disassembly the text. */
bool bw_binary_take_cubin(bw_session *session, const char *path);

#endif
