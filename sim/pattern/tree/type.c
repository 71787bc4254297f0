/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "type.h"

#include <math.h>
#include <string.h>

#define SCALAR(k, bytes, sign, text)                                                               \
    {                                                                                              \
        .kind = (k), .size = (bytes), .align = (bytes) ? (bytes) : 1, .is_signed = (sign),         \
        .name = (text)                                                                             \
    }

const bw_type bw_ty_error = SCALAR(BW_TY_ERROR, 4, true, "<error>");
const bw_type bw_ty_void = SCALAR(BW_TY_VOID, 0, false, "void");
const bw_type bw_ty_bool = SCALAR(BW_TY_BOOL, 1, false, "bool");
const bw_type bw_ty_char = SCALAR(BW_TY_INT, 1, true, "char");
const bw_type bw_ty_schar = SCALAR(BW_TY_INT, 1, true, "signed char");
const bw_type bw_ty_uchar = SCALAR(BW_TY_INT, 1, false, "unsigned char");
const bw_type bw_ty_short = SCALAR(BW_TY_INT, 2, true, "short");
const bw_type bw_ty_ushort = SCALAR(BW_TY_INT, 2, false, "unsigned short");
const bw_type bw_ty_int = SCALAR(BW_TY_INT, 4, true, "int");
const bw_type bw_ty_uint = SCALAR(BW_TY_INT, 4, false, "unsigned int");
const bw_type bw_ty_long = SCALAR(BW_TY_INT, 8, true, "long");
const bw_type bw_ty_ulong = SCALAR(BW_TY_INT, 8, false, "unsigned long");
const bw_type bw_ty_llong = SCALAR(BW_TY_INT, 8, true, "long long");
const bw_type bw_ty_ullong = SCALAR(BW_TY_INT, 8, false, "unsigned long long");
const bw_type bw_ty_half = SCALAR(BW_TY_HALF, 2, true, "half");
const bw_type bw_ty_bfloat = SCALAR(BW_TY_BFLOAT, 2, true, "__nv_bfloat16");
const bw_type bw_ty_float = SCALAR(BW_TY_FLOAT, 4, true, "float");
const bw_type bw_ty_double = SCALAR(BW_TY_DOUBLE, 8, true, "double");
const bw_type bw_ty_group = SCALAR(BW_TY_INT, 4, false, "thread_group");
const bw_type bw_ty_auto = SCALAR(BW_TY_AUTO, 0, false, "auto");

/* The lanes that were active when it was made: cg::coalesced_threads(). */
static const bw_member coalesced_members[1] = {{"mask", &bw_ty_uint, 0, false}};
const bw_type bw_ty_coalesced = {.kind = BW_TY_STRUCT,
                                 .size = 4,
                                 .align = 4,
                                 .name = "coalesced_group",
                                 .members = coalesced_members,
                                 .member_count = 1};

/* ---- CUDA's vector types (vector_types.h): name, element, bytes an element, alignments of 1 to 4
 * -- */

#define MEMBERS(ty, e, n)                                                                          \
    static const bw_member n[4] = {{"x", &(ty), 0, false},                                         \
                                   {"y", &(ty), (e), false},                                       \
                                   {"z", &(ty), 2 * (e), false},                                   \
                                   {"w", &(ty), 3 * (e), false}};
MEMBERS(bw_ty_char, 1, char_members)
MEMBERS(bw_ty_uchar, 1, uchar_members)
MEMBERS(bw_ty_short, 2, short_members)
MEMBERS(bw_ty_ushort, 2, ushort_members)
MEMBERS(bw_ty_int, 4, int_members)
MEMBERS(bw_ty_uint, 4, uint_members)
MEMBERS(bw_ty_long, 8, long_members)
MEMBERS(bw_ty_ulong, 8, ulong_members)
MEMBERS(bw_ty_llong, 8, llong_members)
MEMBERS(bw_ty_ullong, 8, ullong_members)
MEMBERS(bw_ty_float, 4, float_members)
MEMBERS(bw_ty_double, 8, double_members)
MEMBERS(bw_ty_half, 2, half_members)
MEMBERS(bw_ty_bfloat, 2, bfloat_members)

#define VECTOR(text, m, e, n, al)                                                                  \
    {                                                                                              \
        .kind = BW_TY_STRUCT, .size = (e) * (n), .align = (al), .is_vector = true, .name = (text), \
        .members = (m), .member_count = (n)                                                        \
    }
#define VECTORS(text, m, e, a2, a3, a4)                                                            \
    VECTOR(text "1", m, e, 1, e), VECTOR(text "2", m, e, 2, a2), VECTOR(text "3", m, e, 3, a3),    \
        VECTOR(text "4", m, e, 4, a4)

static const bw_type vectors[] = {
    VECTORS("char", char_members, 1, 2, 1, 4),
    VECTORS("uchar", uchar_members, 1, 2, 1, 4),
    VECTORS("short", short_members, 2, 4, 2, 8),
    VECTORS("ushort", ushort_members, 2, 4, 2, 8),
    VECTORS("int", int_members, 4, 8, 4, 16),
    VECTORS("uint", uint_members, 4, 8, 4, 16),
    VECTORS("long", long_members, 8, 16, 8, 16),
    VECTORS("ulong", ulong_members, 8, 16, 8, 16),
    VECTORS("longlong", llong_members, 8, 16, 8, 16),
    VECTORS("ulonglong", ullong_members, 8, 16, 8, 16),
    VECTORS("float", float_members, 4, 8, 4, 16),
    VECTORS("double", double_members, 8, 16, 8, 16),
    VECTOR("__half2", half_members, 2, 2, 4),
    VECTOR("__nv_bfloat162", bfloat_members, 2, 2, 4),
    VECTOR("dim3", uint_members, 4, 3, 4),
};

/* 8-bit floats, by themselves and packed (cuda_fp8.h): their bits are one unsigned number. */
static const bw_member fp8_members[] = {{"__x", &bw_ty_uchar, 0, false},
                                        {"__x", &bw_ty_ushort, 0, false},
                                        {"__x", &bw_ty_uint, 0, false}};
#define FP8(text, bytes, row)                                                                      \
    {                                                                                              \
        .kind = BW_TY_STRUCT, .size = (bytes), .align = (bytes), .name = (text),                   \
        .members = &fp8_members[row], .member_count = 1                                            \
    }
static const bw_type fp8[] = {
    FP8("__nv_fp8_e4m3", 1, 0),   FP8("__nv_fp8_e5m2", 1, 0),   FP8("__nv_fp8_e8m0", 1, 0),
    FP8("__nv_fp8x2_e4m3", 2, 1), FP8("__nv_fp8x2_e5m2", 2, 1), FP8("__nv_fp8x2_e8m0", 2, 1),
    FP8("__nv_fp8x4_e4m3", 4, 2), FP8("__nv_fp8x4_e5m2", 4, 2), FP8("__nv_fp8x4_e8m0", 4, 2),
};

bool bw_type_is_fp8(const bw_type *type)
{
    return type->kind == BW_TY_STRUCT && type->members >= fp8_members &&
           type->members < fp8_members + sizeof fp8_members / sizeof *fp8_members;
}

static const struct {
    const char *name;
    const bw_type *type;
} names[] = {
    {"__nv_fp8_storage_t", &bw_ty_uchar},
    {"__nv_fp8x2_storage_t", &bw_ty_ushort},
    {"__nv_fp8x4_storage_t", &bw_ty_uint},
    {"int8_t", &bw_ty_schar},
    {"uint8_t", &bw_ty_uchar},
    {"int16_t", &bw_ty_short},
    {"uint16_t", &bw_ty_ushort},
    {"int32_t", &bw_ty_int},
    {"uint32_t", &bw_ty_uint},
    {"int64_t", &bw_ty_long},
    {"uint64_t", &bw_ty_ulong},
    {"size_t", &bw_ty_ulong},
    {"ssize_t", &bw_ty_long},
    {"ptrdiff_t", &bw_ty_long},
    {"intptr_t", &bw_ty_long},
    {"uintptr_t", &bw_ty_ulong},
    {"uint", &bw_ty_uint},
    {"uchar", &bw_ty_uchar},
    {"ushort", &bw_ty_ushort},
    {"ulong", &bw_ty_ulong},
    {"half", &bw_ty_half},
    {"__half", &bw_ty_half},
    {"__nv_bfloat16", &bw_ty_bfloat},
    {"nv_bfloat16", &bw_ty_bfloat},
    {"clock_t", &bw_ty_long},
    {"coalesced_group", &bw_ty_coalesced},
};

static bool equals(const char *text, const char *name, size_t len)
{
    return strlen(text) == len && memcmp(text, name, len) == 0;
}

const bw_type *bw_type_named(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (equals(names[i].name, name, len))
            return names[i].type;
    for (size_t i = 0; i < sizeof fp8 / sizeof *fp8; i++)
        if (equals(fp8[i].name, name, len))
            return &fp8[i];
    if (equals("half2", name, len))
        return bw_type_named("__half2", 7);
    if (equals("nv_bfloat162", name, len))
        return bw_type_named("__nv_bfloat162", 14);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (equals(vectors[i].name, name, len))
            return &vectors[i];
    return NULL;
}

const bw_type *bw_type_vector(const bw_type *elem, unsigned count)
{
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (vectors[i].members[0].type == elem && vectors[i].member_count == count &&
            strcmp(vectors[i].name, "dim3") != 0)
            return &vectors[i];
    return NULL;
}

static bw_type *copy(bw_arena *arena, bw_type type)
{
    bw_type *made = bw_arena_alloc(arena, sizeof *made);
    *made = type;
    return made;
}

const bw_type *bw_type_pointer(bw_arena *arena, const bw_type *elem)
{
    return copy(arena, (bw_type){.kind = BW_TY_POINTER, .size = 8, .align = 8, .elem = elem});
}

const bw_type *bw_type_array(bw_arena *arena, const bw_type *elem, int64_t count)
{
    uint64_t bytes = count < 0 ? 0 : (uint64_t)count * elem->size;
    return copy(arena, (bw_type){.kind = BW_TY_ARRAY,
                                 .size = bytes > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)bytes,
                                 .align = elem->align,
                                 .elem = elem,
                                 .count = count});
}

const bw_type *bw_type_reference(bw_arena *arena, const bw_type *type)
{
    bw_type *made = copy(arena, *type);
    made->refers = type;
    return made;
}

const bw_type *bw_type_handle(bw_arena *arena, int64_t threads)
{
    return copy(arena,
                (bw_type){.kind = BW_TY_HANDLE, .align = 1, .name = "group", .count = threads});
}

const bw_type *bw_type_aligned(bw_arena *arena, const bw_type *type, uint32_t align)
{
    if (align <= type->align)
        return type;
    bw_type *made = copy(arena, *type);
    if (made->kind == BW_TY_ARRAY) {
        uint32_t stride = made->elem->size ? made->elem->size & (0u - made->elem->size) : 1;
        made->elem = bw_type_aligned(arena, made->elem, stride < align ? stride : align);
    } else {
        made->over_aligned = true;
    }
    made->align = align;
    return made;
}

bool bw_type_based_on_auto(const bw_type *type)
{
    while (type->kind == BW_TY_POINTER)
        type = type->elem;
    return type->kind == BW_TY_AUTO;
}

const bw_type *bw_type_replace_auto(bw_arena *arena, const bw_type *type, const bw_type *by)
{
    if (type->kind != BW_TY_POINTER)
        return by;
    return bw_type_pointer(arena, bw_type_replace_auto(arena, type->elem, by));
}

bool bw_type_is_integer(const bw_type *type)
{
    return type->kind == BW_TY_INT || type->kind == BW_TY_BOOL;
}

bool bw_type_is_float(const bw_type *type)
{
    return type->kind >= BW_TY_HALF && type->kind <= BW_TY_DOUBLE;
}

bool bw_type_is_arithmetic(const bw_type *type)
{
    return bw_type_is_integer(type) || bw_type_is_float(type);
}

bool bw_type_is_scalar(const bw_type *type)
{
    return bw_type_is_arithmetic(type) || type->kind == BW_TY_POINTER;
}

bool bw_type_same(const bw_type *a, const bw_type *b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || a->size != b->size || a->is_signed != b->is_signed)
        return false;
    if (a->kind == BW_TY_POINTER || a->kind == BW_TY_ARRAY)
        return a->count == b->count && bw_type_same(a->elem, b->elem);
    if (bw_type_is_fp8(a) || bw_type_is_fp8(b))
        return a->name == b->name;
    return a->kind != BW_TY_STRUCT ||
           (a->record || b->record ? a->record == b->record : a->members == b->members);
}

const bw_type *bw_type_promote(const bw_type *type)
{
    return bw_type_is_integer(type) && type->size < 4 ? &bw_ty_int : type;
}

const bw_type *bw_type_common(const bw_type *a, const bw_type *b)
{
    if (a->kind == BW_TY_ERROR || b->kind == BW_TY_ERROR)
        return &bw_ty_error;
    if (bw_type_is_float(a) || bw_type_is_float(b)) {
        if (!bw_type_is_float(a))
            return b;
        if (!bw_type_is_float(b))
            return a;
        if (a->kind == b->kind)
            return a;
        return a->kind == BW_TY_DOUBLE || b->kind == BW_TY_DOUBLE ? &bw_ty_double : &bw_ty_float;
    }
    a = bw_type_promote(a);
    b = bw_type_promote(b);
    if (a->size != b->size)
        return a->size > b->size ? a : b;
    return a->is_signed ? b : a;
}

bw_class bw_type_class(const bw_type *type)
{
    switch (type->kind) {
    case BW_TY_HALF:
    case BW_TY_BFLOAT:
    case BW_TY_FLOAT: return BW_F32;
    case BW_TY_DOUBLE: return BW_F64;
    case BW_TY_POINTER: return BW_U64;
    default: break;
    }
    if (type->size == 8)
        return type->is_signed ? BW_I64 : BW_U64;
    return type->size == 4 && !type->is_signed ? BW_U32 : BW_I32;
}

bw_memory bw_type_memory(const bw_type *type)
{
    switch (type->kind) {
    case BW_TY_BOOL: return BW_MEM_BOOL;
    case BW_TY_HALF: return BW_MEM_F16;
    case BW_TY_BFLOAT: return BW_MEM_BF16;
    default: break;
    }
    if (type->size == 1)
        return type->is_signed ? BW_MEM_S8 : BW_MEM_U8;
    if (type->size == 2)
        return type->is_signed ? BW_MEM_S16 : BW_MEM_U16;
    return type->size == 8 ? BW_MEM_64 : BW_MEM_32;
}

const bw_member *bw_type_member(const bw_type *type, const char *name, size_t len)
{
    for (uint32_t i = 0; i < type->member_count; i++)
        if (equals(type->members[i].name, name, len))
            return &type->members[i];
    return NULL;
}

void bw_type_set_members(bw_type *type, bw_member *members, uint32_t count)
{
    uint32_t end = 0; /* of what lies before a member */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own = members[i].offset + members[i].type->size;
        members[i].overlaid = members[i].offset < end;
        end = own > end ? own : end;
    }
    type->members = members;
    type->member_count = count;
}

uint32_t bw_type_leaves(const bw_type *type)
{
    uint64_t sum = 0;
    if (type->kind == BW_TY_ARRAY) {
        sum = type->count > 0 ? (uint64_t)type->count * bw_type_leaves(type->elem) : 0;
    } else if (type->kind == BW_TY_STRUCT) {
        for (uint32_t i = 0; i < type->member_count; i++)
            sum += type->members[i].overlaid ? 0 : bw_type_leaves(type->members[i].type);
    } else {
        sum = 1;
    }
    return sum > BW_TOO_MANY_LEAVES ? BW_TOO_MANY_LEAVES : (uint32_t)sum;
}

const char *bw_type_name(bw_arena *arena, const bw_type *type)
{
    if (type->kind == BW_TY_POINTER)
        return bw_arena_format(arena, "%s *", bw_type_name(arena, type->elem));
    if (type->kind != BW_TY_ARRAY)
        return type->name ? type->name : "struct";
    const char *dims = "";
    const bw_type *at = type;
    for (; at->kind == BW_TY_ARRAY; at = at->elem)
        dims = at->count < 0 ? bw_arena_format(arena, "%s[]", dims)
                             : bw_arena_format(arena, "%s[%lld]", dims, (long long)at->count);
    return bw_arena_format(arena, "%s %s", bw_type_name(arena, at), dims);
}

/* ---- 16-bit floats -----------------------------------------------------------------------------
 */

uint16_t bw_half_bits(float value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    float a = fabsf(value);
    if (isnan(a))
        return 0x7fff;
    if (a >= 65520.0f)
        return sign | 0x7c00;
    if (a == 0)
        return sign; /* frexpf gives it an exponent of its own */
    int exponent;
    frexpf(a, &exponent);
    int scale = exponent - 11 < -24 ? -24 : exponent - 11; /* units of the last place */
    uint32_t units = (uint32_t)lrintf(ldexpf(a, -scale));  /* nearest even: the default mode */
    return (uint16_t)(sign + (uint32_t)(scale + 24) * 1024 + units);
}

float bw_half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    float fraction = (float)(bits & 1023);
    float value = exponent == 31  ? (bits & 1023 ? NAN : INFINITY)
                  : exponent == 0 ? ldexpf(fraction, -24)
                                  : ldexpf(fraction + 1024.0f, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

float bw_half_round(float value)
{
    return bw_half_value(bw_half_bits(value));
}

float bw_bfloat_round(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    if (!isnan(value))
        bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
    memcpy(&value, &bits, 4);
    return value;
}
