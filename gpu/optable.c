/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "optable.h"

#include <stdio.h>

/* The method of each kind. */
enum {
#define METHOD(id, turns, reads, writes, merges, copies)                                           \
    METHOD_##id = (copies)                              ? BW_METHOD_ASYNC                          \
                  : BW_TURNS_##turns == BW_TURNS_PHASES ? BW_METHOD_NONE                           \
                  : BW_TURNS_##turns == BW_TURNS_FIXED  ? BW_METHOD_NONE                           \
                  : BW_TURNS_##turns == BW_TURNS_LOOP   ? BW_METHOD_LOOP                           \
                                                        : BW_METHOD_PIPE,
    BW_KINDS(METHOD)
#undef METHOD
};

static const bw_gpu_op table[] = {
#define ROW(id, name, kind, bytes, matrices, atomic, value, gives, least, merged, cc, in_ptx,      \
            in_sass, cuda)                                                                         \
    {.ptx = in_ptx,                                                                                \
     .sass = in_sass,                                                                              \
     .method = (bw_method)METHOD_##kind,                                                           \
     .least_cc = cc,                                                                               \
     .answers = gives,                                                                             \
     .exact = (bw_method)METHOD_##kind == BW_METHOD_PIPE},
    BW_OPS(ROW)
#undef ROW
};
_Static_assert(sizeof table / sizeof *table == BW_OP_COUNT, "a row for each operation");

const bw_gpu_op *bw_gpu_op_get(bw_op op)
{
    return (unsigned)op < BW_OP_COUNT ? &table[op] : NULL;
}

void bw_gpu_kernel_name(bw_op op, bool wait, char *text, size_t size)
{
    const bw_gpu_op *row = bw_gpu_op_get(op);
    const char *prefix = wait ? "bw_wait_" : "bw_time_";
    if (size)
        *text = '\0';
    if (size && row && row->method != BW_METHOD_NONE && (row->answers || !wait))
        snprintf(text, size, "%s%s", prefix, bw_op_get(op)->name);
    for (char *c = text; size && *c; c++)
        if (*c == '.')
            *c = '_';
}
