/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * uses: the shared arrays of a launch, and every place in the source that names one.
 *
 * What a program that rewrites a pattern file needs to know: where an array is declared, its shape,
 * and how each place indexes it. Read-only; it evaluates nothing and changes nothing. Everything
 * lives as long as the pattern. Positions are byte offsets into the source; units are bytes unless
 * said otherwise.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_USES_H
#define BANKWISE_USES_H

#include "diag.h"

/* Dimensions of an array, and factors of an index, that are told; more make an array opaque. */
#define BW_MAX_DIMENSIONS 6
#define BW_MAX_FACTORS 4

/* A constant by which a term of an index is multiplied: BK in `row * BK + column`. */
typedef struct bw_factor {
    bw_span span;
    int64_t value;
    bool own; /* it goes into indices of one array only: changing it changes nothing else */
    const void *through; /* private: the variable in whose setting it stands */
} bw_factor;

/* One subscript. */
typedef struct bw_subscript {
    bw_span span;  /* of the expression as the parser saw it */
    bool pure;     /* evaluating it twice changes nothing */
    bool by_lane;  /* it depends on the thread's index */
    bool swizzled; /* it (or a variable in it) XORs two values that depend on the thread's index */
    bool by_row;   /* it XORs a variable that an earlier subscript has: column ^ row */
    bool tma;      /* it is a tma_swizzle_… call itself, whose value is a byte offset */
    bw_span mixer; /* of a swizzle<B, M, S>(…) in it; len 0: none */
    uint8_t bits, base; /* its B and M */
    bw_factor factors[BW_MAX_FACTORS];
    unsigned factor_count;
} bw_subscript;

/* A place that names the array, or a pointer that is another name of it (`float *p = s;`) or of a
 * part of it (`float (*p)[32] = s[stage];`). */
typedef struct bw_use {
    bw_span name;       /* the array's name, or the pointer's */
    bool by_alias;      /* it is a pointer's */
    unsigned chosen;    /* leading dimensions that the pointer has chosen: no subscripts here */
    bool handed;        /* here it becomes such a pointer */
    bool derived;       /* here a pointer into it begins, whose steps are among the strides */
    bool exact;         /* the name stands there in the source (no macro made it) */
    unsigned count;     /* subscripts that follow; fewer than the dimensions: a pointer escapes */
    bool reads, writes; /* of an access made right there; neither where only an address is taken */
    const char *member; /* the member of the element's struct that is used, or NULL: all of it */
    bw_subscript subscripts[BW_MAX_DIMENSIONS];
} bw_use;

/* A pointer or reference that is another name of the array, or of what so many first indices
 * choose.
 */
typedef struct bw_alias {
    bw_span span; /* its name where it is declared */
    unsigned chosen;
} bw_alias;

/* A step of a pointer into the array: 32 in `s + row * 32` and in `p[row * 32]`. */
typedef struct bw_stride {
    bw_factor factor;
    uint32_t unit;    /* bytes that it counts by */
    bool is_constant; /* the whole step: 1024 in `s + 1024` */
} bw_stride;

typedef struct bw_array_member {
    const char *name;
    uint32_t offset, size, align;
    uint32_t elem; /* size of its scalar (or vector) element */
    unsigned dims;
    uint32_t dim[BW_MAX_DIMENSIONS];
    const char *elem_type;
} bw_array_member;

typedef struct bw_array {
    const char *name;
    bw_span span;                    /* the name in its declaration */
    uint32_t base, bytes;            /* in the block's shared memory */
    uint32_t elem, align;            /* of an element */
    unsigned dims;                   /* 0: more than BW_MAX_DIMENSIONS, or no array */
    uint32_t dim[BW_MAX_DIMENSIONS]; /* elements, outermost first */
    bool is_extern;                  /* its size is the launch's third argument */
    const char *elem_type;           /* "float" */
    const char *struct_name;         /* the element is this struct (no vector type), else NULL */
    const bw_array_member *members;
    unsigned member_count;
    const bw_use *uses; /* in the order of the source */
    unsigned use_count;
    const bw_alias *aliases;
    unsigned alias_count;
    const bw_stride *strides;
    unsigned stride_count;
    uint32_t group; /* one number for arrays that a pointer serves in turn; 0: it is alone */
} bw_array;

/* An index through a pointer: p[row * 32 + column], with its constant factors. */
typedef struct bw_pointer_use {
    bw_span span; /* of the whole lvalue */
    bw_subscript subscript;
} bw_pointer_use;

#endif
