/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shell: words as a shell takes them for one, for command lines that are printed.
 */
#ifndef BANKWISE_SHELL_H
#define BANKWISE_SHELL_H

#include "arena.h"

/* The word itself where the shell reads nothing into it, else in single quotes; in the arena. */
const char *bw_shell_word(bw_arena *arena, const char *word);

#endif
