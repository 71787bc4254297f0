/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * find_uses: how pattern.c asks uses.c. Internal to sim/pattern.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_FIND_USES_H
#define BANKWISE_FIND_USES_H

#include "code.h"
#include "uses.h"

/* What was found about one launch; in the arena. */
typedef struct bw_launch_uses {
    bool known;
    bw_array *arrays;
    size_t array_count;
    bw_pointer_use *pointers;
    size_t pointer_count;
} bw_launch_uses;

/* Walks the code that a launch runs: `kernel` and what it calls, or the script where it is NULL. */
bw_launch_uses bw_find_uses(bw_arena *arena, const bw_source *source, const bw_stmt *script,
                            const bw_function *kernel, const bw_code *code);

#endif
