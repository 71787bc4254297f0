/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * type: the types of the pattern language and their layout, as nvcc lays them out on x86-64 Linux.
 *
 * Owns sizes, alignments and conversions between types. Built-in types are static; derived types
 * come from an arena. It knows no syntax and no values.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_TYPE_H
#define BANKWISE_TYPE_H

#include "arena.h"
#include "request.h"

typedef enum bw_type_kind {
    BW_TY_ERROR, /* of an expression already reported; converts to anything in silence */
    BW_TY_VOID,
    BW_TY_BOOL,
    BW_TY_INT, /* any width and sign */
    BW_TY_HALF,
    BW_TY_BFLOAT,
    BW_TY_FLOAT,
    BW_TY_DOUBLE,
    BW_TY_POINTER,
    BW_TY_ARRAY,
    BW_TY_STRUCT, /* structs, unions and CUDA's vector types */
    BW_TY_HANDLE, /* a cooperative group: `count` threads, 0 for the block */
    BW_TY_AUTO,
} bw_type_kind;

typedef struct bw_type bw_type;

typedef struct bw_member {
    const char *name;
    const bw_type *type;
    uint32_t offset; /* bytes */
    bool overlaid; /* it begins within one before it, as in a union: lists of values pass it over */
} bw_member;

struct bw_type {
    bw_type_kind kind;
    uint32_t size, align; /* bytes */
    bool is_signed;
    bool is_vector; /* float4 and the like, __half2, dim3 */
    bool is_const;
    bool over_aligned; /* a struct whose __align__ exceeds what its members ask */
    const char *name;
    const bw_type *elem; /* of pointers and arrays */
    int64_t count;       /* elements of an array (-1: not given), threads of a handle */
    const bw_member *members;
    uint32_t member_count;
    const bw_type *refers; /* "using R = T &;": T, which the rest describes too; else NULL */
    const struct bw_record *record; /* of a struct: what else it declares; see ast.h */
    const struct bw_scope *names;   /* of an enum with a name: NAME::… */
};

/* How values live in the evaluator: the class of a scalar type. */
typedef enum bw_class { BW_I32, BW_U32, BW_I64, BW_U64, BW_F32, BW_F64, BW_CLASSES } bw_class;

/* How a scalar lies in memory. */
typedef enum bw_memory {
    BW_MEM_S8,
    BW_MEM_U8,
    BW_MEM_S16,
    BW_MEM_U16,
    BW_MEM_32,
    BW_MEM_64,
    BW_MEM_F16,
    BW_MEM_BF16,
    BW_MEM_BOOL,
    BW_MEMORIES
} bw_memory;

extern const bw_type bw_ty_error, bw_ty_void, bw_ty_bool, bw_ty_char, bw_ty_schar, bw_ty_uchar,
    bw_ty_short, bw_ty_ushort, bw_ty_int, bw_ty_uint, bw_ty_long, bw_ty_ulong, bw_ty_llong,
    bw_ty_ullong, bw_ty_half, bw_ty_bfloat, bw_ty_float, bw_ty_double, bw_ty_auto, bw_ty_coalesced,
    bw_ty_group; /* thread_group: a group of any kind, as the number of its threads */

/* A type known by one name: "int8_t", "float4", "size_t", "__half2", "dim3" …; NULL for none. */
const bw_type *bw_type_named(const char *name, size_t len);
/* The CUDA vector type of `count` (1 to 4) elements of `elem`, or NULL. */
const bw_type *bw_type_vector(const bw_type *elem, unsigned count);

const bw_type *bw_type_pointer(bw_arena *arena, const bw_type *elem);
const bw_type *bw_type_array(bw_arena *arena, const bw_type *elem, int64_t count);
const bw_type *bw_type_handle(bw_arena *arena, int64_t threads);
/* The type of a variable that is declared with a larger alignment. Sizes stay; the elements of an
 * array are aligned as far as their size allows. */
const bw_type *bw_type_aligned(bw_arena *arena, const bw_type *type, uint32_t align);

bool bw_type_is_integer(const bw_type *type);    /* bool and integers */
bool bw_type_is_fp8(const bw_type *type);        /* an 8-bit float of CUDA's, or some packed */
bool bw_type_is_float(const bw_type *type);      /* half, bfloat16, float, double */
bool bw_type_is_arithmetic(const bw_type *type); /* either */
bool bw_type_is_scalar(const bw_type *type);     /* arithmetic or pointer */
const bw_type *bw_type_reference(bw_arena *arena, const bw_type *type);
/* "auto", "auto *" and so on; and with auto replaced. */
bool bw_type_based_on_auto(const bw_type *type);
const bw_type *bw_type_replace_auto(bw_arena *arena, const bw_type *type, const bw_type *by);
bool bw_type_same(const bw_type *a, const bw_type *b);
/* C's usual arithmetic conversions. */
const bw_type *bw_type_common(const bw_type *a, const bw_type *b);
const bw_type *bw_type_promote(const bw_type *type);
bw_class bw_type_class(const bw_type *type);   /* scalars only */
bw_memory bw_type_memory(const bw_type *type); /* scalars only */
/* Members whose offsets are known; says of each whether it is overlaid. */
void bw_type_set_members(bw_type *type, bw_member *members, uint32_t count);
const bw_member *bw_type_member(const bw_type *type, const char *name, size_t len);
/* The numbers and pointers that a list of values gives to a type; BW_TOO_MANY_LEAVES at most. */
uint32_t bw_type_leaves(const bw_type *type);
#define BW_TOO_MANY_LEAVES ((uint32_t)1 << 24)
/* "float [32][33]", for messages. */
const char *bw_type_name(bw_arena *arena, const bw_type *type);

/* float <-> half and bfloat16, round to nearest even. */
float bw_half_round(float value);
float bw_bfloat_round(float value);
uint16_t bw_half_bits(float value);
float bw_half_value(uint16_t bits);

#endif
