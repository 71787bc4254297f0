/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * standard: the descriptors 0, 1 and 2.
 *
 * A program that is started without one of them must not get it for a file that it opens: what it
 * prints would end up there. Not thread-safe; nothing is owned.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_STANDARD_H
#define BANKWISE_STANDARD_H

#include <stdbool.h>

/* Holds the place of those that are closed, so that reading and writing them fails as before.
 * First thing in main. False where that cannot be done. */
bool bw_standard_hold(void);

#endif
