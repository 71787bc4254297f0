/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * signature: a kernel's parameters, as far as its name tells them.
 *
 * Compiled kernels carry no parameter list, but C++ puts the types into the name, mangled
 * (_Z9transposePfPKfi, the Itanium C++ ABI) or as people read it (transpose(float *, const float *,
 * int), as Nsight Compute shows it). Owns nothing: everything lives in the arena. A type that only
 * the program declares has no size here. Sizes and alignments are bytes, as nvcc lays them out.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_SIGNATURE_H
#define BANKWISE_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

typedef enum bw_param_kind {
    BW_PARAM_OTHER, /* a struct, or a type that is not known */
    BW_PARAM_POINTER,
    BW_PARAM_SIGNED,
    BW_PARAM_UNSIGNED,
    BW_PARAM_REAL,
} bw_param_kind;

typedef struct bw_param {
    const char *type; /* as people write it */
    const char *name; /* NULL where it is not known */
    bw_param_kind kind;
    uint32_t size, align; /* 0: not known */
    bool has_offset;      /* its place is known, whatever lies before it */
    uint32_t offset;      /* in the parameter block */
} bw_param;

typedef struct bw_signature {
    const char *readable; /* the whole, as people read it */
    const char *name; /* without scope, template arguments and parameters, where that is known */
    bool known;       /* the name tells the parameters */
    bw_param *params;
    size_t count;
} bw_signature;

bw_signature bw_signature_of(bw_arena *arena, const char *name);

/* names.c: the names of parameters, from the text of the source that the kernel was compiled from;
 * leaves them as they are where it does not tell. */
void bw_signature_take_names(bw_signature *signature, bw_arena *arena, const char *text,
                             size_t len);

/* signature.c: the type of a spelling such as "unsigned long", "float4" or "void *"; a kind
 * BW_PARAM_OTHER without a size where it is none of the language's. */
bw_param bw_param_of(bw_arena *arena, const char *spelling, size_t len);
/* mangled.c: the same of a mangled name, which begins with "_Z"; `known` is false where it cannot
 * be read. */
bw_signature bw_signature_mangled(bw_arena *arena, const char *name);

#endif
