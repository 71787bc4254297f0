/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * asm statements: the PTX that kernels contain, as statements of the language.
 *
 * Each instruction becomes the tree of what it does: ld.shared.v4.f32 a load of a float4, ldmatrix
 * an intrinsic, cvta.to.shared a conversion. An instruction that does not touch shared memory and
 * is not known leaves unknown values in its outputs; one that does and is not known is an error.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

#define MAX_OPERANDS 32

typedef struct ptx {
    bw_parser *p;
    const char *at; /* the assembly text, escapes resolved */
    bw_expr *operands[MAX_OPERANDS];
    const bw_token *names[MAX_OPERANDS]; /* [name], or NULL */
    size_t count, outputs;
    bw_span span;
    bw_stmt **end; /* where the next statement goes */
} ptx;

/* One operand of an instruction. */
typedef struct operand {
    bw_expr *items[8]; /* one, or the elements of {…} */
    size_t count;
    bool is_address;
    int64_t offset; /* [base + offset] */
} operand;

static void refuse(const ptx *x, const char *what, size_t len, const char *note)
{
    bw_note(x->p->diags,
            bw_diagnose(x->p->diags, BW_MSG_ASM_INSTRUCTION, x->p->source, x->span,
                        "the instruction '%.*s' is not in the language", (int)len, what),
            "%s", note);
    bw_unwind(x->p);
}

static void blank(ptx *x)
{
    while (isspace((unsigned char)*x->at))
        x->at++;
    if (x->at[0] == '/' && x->at[1] == '/') {
        while (*x->at && *x->at != '\n')
            x->at++;
        blank(x);
    }
}

static bool eat(ptx *x, char c)
{
    blank(x);
    if (*x->at != c)
        return false;
    x->at++;
    return true;
}

static void append(ptx *x, bw_stmt *s)
{
    *x->end = s;
    while (*x->end)
        x->end = &(*x->end)->next;
}

static bool contains(const char *op, const char *part)
{
    return strstr(op, part) != NULL;
}

static bool starts(const char *op, const char *part)
{
    return strncmp(op, part, strlen(part)) == 0;
}

/* The types of PTX that the language has. Registers have none: those that are not `exact` move as
 * bits, and nothing is computed in them. */
typedef struct ptx_type {
    const char *name;
    const bw_type *type;
    bw_value_type value; /* what an atomic on it works on; NONE: there is none */
    bool exact;
} ptx_type;

static const ptx_type ptx_types[] = {
    {"b8", &bw_ty_uchar, BW_VALUE_NONE, true},     {"u8", &bw_ty_uchar, BW_VALUE_NONE, true},
    {"s8", &bw_ty_schar, BW_VALUE_NONE, true},     {"b16", &bw_ty_ushort, BW_VALUE_NONE, true},
    {"u16", &bw_ty_ushort, BW_VALUE_NONE, true},   {"s16", &bw_ty_short, BW_VALUE_NONE, true},
    {"b32", &bw_ty_uint, BW_VALUE_B32, true},      {"u32", &bw_ty_uint, BW_VALUE_U32, true},
    {"s32", &bw_ty_int, BW_VALUE_S32, true},       {"b64", &bw_ty_ulong, BW_VALUE_B64, true},
    {"u64", &bw_ty_ulong, BW_VALUE_U64, true},     {"s64", &bw_ty_long, BW_VALUE_S64, true},
    {"f16x2", &bw_ty_uint, BW_VALUE_F16X2, false}, {"f16", &bw_ty_ushort, BW_VALUE_NONE, false},
    {"f32", &bw_ty_float, BW_VALUE_F32, true},     {"f64", &bw_ty_double, BW_VALUE_F64, true},
    {"pred", &bw_ty_bool, BW_VALUE_NONE, true},
};

/* The type called name[0..len), or NULL. */
static const ptx_type *find_type(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof ptx_types / sizeof *ptx_types; i++)
        if (strlen(ptx_types[i].name) == len && memcmp(ptx_types[i].name, name, len) == 0)
            return &ptx_types[i];
    return NULL;
}

/* The type that the last word of an instruction names: .f32, .u64 … NULL for none. */
static const ptx_type *suffix_type(const char *op)
{
    const char *dot = strrchr(op, '.');
    return dot ? find_type(dot + 1, strlen(dot + 1)) : NULL;
}

static bw_expr *special_register(ptx *x, const char *name, size_t len)
{
    static const struct {
        const char *name;
        bw_special special;
    } rows[] = {{"laneid", BW_LANE},       {"tid.x", BW_THREAD_X},    {"tid.y", BW_THREAD_Y},
                {"tid.z", BW_THREAD_Z},    {"ctaid.x", BW_BLOCK_X},   {"ctaid.y", BW_BLOCK_Y},
                {"ctaid.z", BW_BLOCK_Z},   {"ntid.x", BW_BLOCKDIM_X}, {"ntid.y", BW_BLOCKDIM_Y},
                {"ntid.z", BW_BLOCKDIM_Z}, {"nctaid.x", BW_GRIDDIM_X}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].name) == len && memcmp(rows[i].name, name, len) == 0)
            return bw_new_special(x->p, rows[i].special, x->span);
    return NULL;
}

/* %[name] */
static bw_expr *named_operand(ptx *x)
{
    const char *start = x->at, *name = x->at + 2, *end = strchr(name, ']');
    size_t len = end ? (size_t)(end - name) : 0;
    for (size_t i = 0; len && i < x->count; i++)
        if (x->names[i] && x->names[i]->len == len && memcmp(x->names[i]->text, name, len) == 0) {
            x->at = end + 1;
            return x->operands[i];
        }
    refuse(x, start, len ? len + 3 : 2, "the asm statement has no such operand");
    return NULL;
}

static bw_expr *read_atom(ptx *x)
{
    blank(x);
    const char *start = x->at;
    if (*x->at == '%' && isdigit((unsigned char)x->at[1])) {
        size_t index = (size_t)strtoul(x->at + 1, (char **)&x->at, 10);
        if (index >= x->count)
            refuse(x, start, (size_t)(x->at - start), "the asm statement has no such operand");
        return x->operands[index];
    }
    if (x->at[0] == '%' && x->at[1] == '[')
        return named_operand(x);
    if (isdigit((unsigned char)*x->at) || *x->at == '-') {
        if (starts(x->at, "0f") || starts(x->at, "0d")) { /* float bits: the value is not needed */
            while (isalnum((unsigned char)*x->at))
                x->at++;
            return bw_new_real(x->p, &bw_ty_float, 0, x->span);
        }
        int64_t value = strtoll(x->at, (char **)&x->at, 0);
        return bw_new_integer(x->p, &bw_ty_llong, value, x->span);
    }
    bool special = *x->at == '%';
    while (*x->at == '%')
        x->at++;
    const char *name = x->at;
    while (isalnum((unsigned char)*x->at) || *x->at == '_' || (special && *x->at == '.'))
        x->at++;
    size_t len = (size_t)(x->at - name);
    if (len == 1 && *name == '_')
        return bw_new_integer(x->p, &bw_ty_int, 0, x->span);
    bw_symbol *s = bw_lookup(x->p, name, len);
    if (s && s->kind == BW_SY_VARIABLE && !special)
        return bw_new_symbol(x->p, s, x->span);
    bw_expr *e = special_register(x, name, len);
    if (!e)
        refuse(x, start, (size_t)(x->at - start) + (x->at == start),
               "operands are %N, numbers, .reg names and special registers");
    return e;
}

static operand read_operand(ptx *x)
{
    operand o = {0};
    if (eat(x, '[')) {
        o.is_address = true;
        o.items[o.count++] = read_atom(x);
        blank(x);
        if (*x->at == '+' || *x->at == '-') {
            bool minus = *x->at++ == '-';
            const bw_expr *e = read_atom(x);
            if (!bw_is_constant(e) || !bw_type_is_integer(e->type))
                refuse(x, "[a + b]", 7,
                       "PTX adds a number to an address, not a register: add them before");
            o.offset = minus ? -e->integer : e->integer;
        }
        if (!eat(x, ']'))
            refuse(x, "[…]", strlen("[…]"), "an address is [register] or [register + number]");
    } else if (eat(x, '{')) {
        do {
            if (o.count == 8)
                refuse(x, "{…}", strlen("{…}"), "a list has at most 8 elements");
            o.items[o.count++] = read_atom(x);
        } while (eat(x, ','));
        if (!eat(x, '}'))
            refuse(x, "{…}", strlen("{…}"), "close the list");
    } else {
        o.items[o.count++] = read_atom(x);
    }
    return o;
}

/* ---- meanings
 * -------------------------------------------------------------------------------------- */

static bw_expr *call1(ptx *x, bw_intrinsic what, const bw_type *type, bw_expr *a)
{
    bw_expr **args = bw_arena_alloc(x->p->arena, sizeof *args);
    args[0] = a;
    return bw_new_intrinsic(x->p, what, 0, type, x->span, a ? 1 : 0, args);
}

/* Registers have no types: bits move between integers and floats unchanged. */
static bw_expr *as_type(ptx *x, bw_expr *e, const bw_type *type)
{
    e = bw_value(x->p, e);
    if (bw_is_error(e) || !bw_type_is_scalar(e->type))
        return e;
    if (bw_type_is_float(e->type) != bw_type_is_float(type) && e->type->size == type->size &&
        type->size >= 4 && !bw_is_constant(e))
        return call1(x, BW_IN_BITCAST, type, e);
    return bw_cast(x->p, e, type, x->span);
}

static void assign(ptx *x, bw_expr *out, bw_expr *value)
{
    if (!out->lvalue)
        return; /* the sink "_" */
    bw_expr *e = bw_new_assign(x->p, out, as_type(x, value, out->type), x->span);
    append(x, bw_new_expr_stmt(x->p, e));
}

static void assign_unknown(ptx *x, bw_expr *out)
{
    if (out->lvalue && bw_type_is_scalar(out->type))
        assign(x, out, call1(x, BW_IN_UNKNOWN, out->type, NULL));
}

static bw_expr *shared_pointer(ptx *x, const operand *o, const bw_type *type)
{
    bw_expr *address = bw_value(x->p, o->items[0]);
    if (bw_type_is_integer(address->type) && address->type->size < 8)
        address = bw_cast(x->p, address, &bw_ty_uint, x->span);
    if (address->type->kind == BW_TY_POINTER)
        address = bw_cast(x->p, address, &bw_ty_ulong, x->span);
    if (o->offset)
        address = bw_new_binary(x->p, BW_ADD, address,
                                bw_new_integer(x->p, &bw_ty_int, o->offset, x->span), x->span);
    return call1(x, BW_IN_FROM_SHARED, bw_type_pointer(x->p->arena, type), address);
}

/* A fresh variable of `type` that takes `value`. */
static bw_expr *temporary(ptx *x, const bw_type *type, bw_expr *value)
{
    bw_symbol *s = bw_declare(x->p, bw_arena_format(x->p->arena, "#asm%p", (void *)x->end),
                              BW_SY_VARIABLE, type, x->span);
    s->storage = type->kind == BW_TY_STRUCT ? BW_ST_LOCAL : BW_ST_REGISTER;
    bw_stmt *d = bw_new_stmt(x->p, BW_SM_DECLARE, x->span);
    d->symbol = s;
    d->expr = value;
    append(x, d);
    return bw_new_symbol(x->p, s, x->span);
}

/* Words that say in which order and by whom an access is seen, and how caches keep it. */
static bool is_order(const char *word, size_t len)
{
    static const char *const words[] = {"volatile", "weak", "relaxed", "acquire", "release",
                                        "acq_rel",  "cta",  "cluster", "gpu",     "sys"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == len && memcmp(words[i], word, len) == 0)
            return true;
    return len > 4 && (starts(word, "L1::") || starts(word, "L2::"));
}

/* Refuses an access to shared memory that has a word, its first and its type apart, that is neither
 * known nor one of `own`, which stand with blanks around them. */
static void check_words(ptx *x, const char *op, const char *own)
{
    const char *last = strrchr(op, '.');
    for (const char *dot = strchr(op, '.'); dot && dot != last; dot = strchr(dot + 1, '.')) {
        const char *word = dot + 1;
        size_t len = strcspn(word, ".");
        const char *known = own;
        while (known && !(strncmp(known + 1, word, len) == 0 && known[len + 1] == ' '))
            known = strchr(known + 1, ' ');
        if (!known && !is_order(word, len))
            refuse(x, op, strlen(op),
                   bw_arena_format(x->p->arena,
                                   "what '.%.*s' costs is not known here; compile the kernel and "
                                   "give bankwise the machine code",
                                   (int)len, word));
    }
}

static const bw_type *memory_type(ptx *x, const char *op)
{
    const ptx_type *of = suffix_type(op);
    if (!of)
        refuse(x, op, strlen(op), "it needs a type such as .f32");
    check_words(x, op, " shared shared::cta v2 v4 ");
    const bw_type *type = of->type;
    unsigned n = contains(op, ".v4") ? 4 : contains(op, ".v2") ? 2 : 1;
    const bw_type *vector = n == 1 ? type : bw_type_vector(type, n);
    if (!vector)
        refuse(x, op, strlen(op), "vectors have 2 or 4 elements of 8 to 64 bits");
    return vector;
}

static void load(ptx *x, const char *op, operand *o)
{
    const bw_type *type = memory_type(x, op);
    bw_expr *value = bw_new_deref(x->p, shared_pointer(x, &o[1], type), x->span);
    if (type->kind != BW_TY_STRUCT) {
        assign(x, o[0].items[0], value);
        return;
    }
    bw_expr *t = temporary(x, type, value);
    for (uint32_t i = 0; i < type->member_count && i < o[0].count; i++)
        assign(x, o[0].items[i], bw_new_member(x->p, t, &type->members[i], x->span));
}

static void store(ptx *x, const char *op, operand *o)
{
    const bw_type *type = memory_type(x, op);
    bw_expr *target = bw_new_deref(x->p, shared_pointer(x, &o[0], type), x->span), *value;
    if (type->kind == BW_TY_STRUCT) {
        bw_expr **args = bw_arena_alloc(x->p->arena, 4 * sizeof *args);
        for (uint32_t i = 0; i < type->member_count; i++)
            args[i] = as_type(x, o[1].items[i < o[1].count ? i : 0], type->members[i].type);
        value = bw_new_intrinsic(x->p, BW_IN_MAKE, 0, type, x->span, type->member_count, args);
    } else {
        value = as_type(x, o[1].items[0], type);
    }
    append(x, bw_new_expr_stmt(x->p, bw_new_assign(x->p, target, value, x->span)));
}

static void matrix(ptx *x, const char *op, operand *o)
{
    bool loads = starts(op, "ldmatrix");
    bw_op number = bw_op_find_ptx(op);
    if (number == BW_OP_COUNT)
        refuse(x, op, strlen(op), "the .m8n8 shape of .b16 is measured; other shapes are not");
    bw_expr **args = bw_arena_alloc(x->p->arena, sizeof *args);
    args[0] = shared_pointer(x, &o[loads], &bw_ty_uint);
    append(x, bw_new_expr_stmt(x->p, bw_new_intrinsic(x->p, BW_IN_MATRIX, number, &bw_ty_void,
                                                      x->span, 1, args)));
    for (size_t i = 0; loads && i < o[0].count; i++)
        assign_unknown(x, o[0].items[i]);
}

static void async_copy(ptx *x, const char *op, operand *o, size_t count)
{
    if (count < 2 || !contains(op, ".shared")) /* commit_group, wait_group, wait_all */
        return;
    int64_t bytes = count > 2 && bw_is_constant(o[2].items[0]) ? o[2].items[0]->integer : 0;
    bw_op number = bw_op_find_ptx(bw_arena_format(x->p->arena, "%s %lld", op, (long long)bytes));
    if (number == BW_OP_COUNT)
        refuse(x, op, strlen(op),
               "cp.async.ca copies 4, 8 or 16 bytes, cp.async.cg 16; give the "
               "size as a number or an \"n\" operand");
    bw_expr **args = bw_arena_alloc(x->p->arena, 2 * sizeof *args);
    args[0] = shared_pointer(x, &o[0], &bw_ty_uint);
    args[1] = bw_value(x->p, o[1].items[0]);
    append(x, bw_new_expr_stmt(x->p, bw_new_intrinsic(x->p, BW_IN_CP_ASYNC, number, &bw_ty_void,
                                                      x->span, 2, args)));
}

/* Of what the bits are is not followed into 16-bit floats. */
static bw_expr *unknown_pair(ptx *x, const bw_type *pair, bw_expr *bits)
{
    bw_expr **args = bw_arena_alloc(x->p->arena, 2 * sizeof *args);
    for (uint32_t i = 0; i < 2; i++)
        args[i] = call1(x, BW_IN_UNKNOWN, pair->members[i].type, i ? NULL : bw_value(x->p, bits));
    return bw_new_intrinsic(x->p, BW_IN_MAKE, 0, pair, x->span, 2, args);
}

/* What the instruction works on in memory; refused where there is no such operation. */
static const bw_type *atomic_type(ptx *x, const char *op, bw_atomic which)
{
    const ptx_type *of = suffix_type(op);
    bool red = starts(op, "red"), real = of && bw_type_is_float(of->type);
    if (which == BW_AT_NONE || !of || (real && which != BW_AT_ADD) ||
        bw_op_atomic(which, of->value, !red) == BW_OP_COUNT)
        refuse(x, op, strlen(op),
               "atomics are add on .u32 .s32 .u64 .f32 .f64 and .f16x2, min and max on .u32 .s32 "
               ".u64 and .s64, and or xor exch and cas on .b32 and .b64, inc and dec on .u32; "
               "compile the kernel and give bankwise the machine code for others");
    check_words(x, op, " shared shared::cta noftz add min max and or xor inc dec exch cas ");
    return of->value == BW_VALUE_F16X2 ? bw_type_named("__half2", 7) : of->type;
}

static void atomic(ptx *x, const char *op, operand *o, size_t count)
{
    bw_atomic which = bw_atomic_of_ptx(op);
    const bw_type *type = atomic_type(x, op, which);
    bool red = starts(op, "red"), pair = type->kind == BW_TY_STRUCT;
    size_t address = red ? 0 : 1;
    if (count < address + (which == BW_AT_CAS ? 3 : 2))
        refuse(x, op, strlen(op), "it needs an address and what to combine it with");
    bw_expr **args = bw_arena_alloc(x->p->arena, 3 * sizeof *args);
    args[0] = shared_pointer(x, &o[address], type);
    uint32_t n = 1;
    for (size_t k = address + 1; k < count && n < 3; k++)
        args[n++] = pair ? unknown_pair(x, type, o[k].items[0]) : as_type(x, o[k].items[0], type);
    bw_expr *e =
        bw_new_intrinsic(x->p, BW_IN_ATOMIC, which, pair ? &bw_ty_uint : type, x->span, n, args);
    if (red)
        append(x, bw_new_expr_stmt(x->p, e));
    else
        assign(x, o[0].items[0], e);
}

/* Whether nothing but types stands in "cvt.…" after how it rounds, and C's conversion does the
 * same: it rounds to the nearest of floats, and toward zero to integers. */
static bool is_c_conversion(const char *op, const ptx_type *from, const ptx_type *to)
{
    bool into_integer = bw_type_is_float(from->type) && !bw_type_is_float(to->type);
    const char *at = op + strlen("cvt");
    if (starts(at, into_integer ? ".rzi" : ".rn"))
        at += into_integer ? 4 : 3;
    else if (into_integer)
        return false;
    size_t to_len = strlen(to->name);
    return from->exact && to->exact && *at == '.' && starts(at + 1, to->name) &&
           at[1 + to_len] == '.' && strcmp(at + 2 + to_len, from->name) == 0;
}

/* cvt.TO.FROM: the value, or NULL where it is not followed. */
static bw_expr *converted(ptx *x, const char *op, bw_expr *value)
{
    const ptx_type *from = suffix_type(op), *to = NULL;
    const char *last = strrchr(op, '.'), *before = last;
    while (before > op && *--before != '.')
        continue;
    if (before > op)
        to = find_type(before + 1, (size_t)(last - before - 1));
    if (!from || !to || !is_c_conversion(op, from, to))
        return NULL;
    return bw_cast(x->p, as_type(x, value, from->type), to->type, x->span);
}

/* mov, cvt, cvta of one value: what it gives, or NULL where that is not followed. */
static bw_expr *moved(ptx *x, const char *op, bw_expr *from)
{
    bw_expr *value = bw_value(x->p, from);
    if (starts(op, "cvt."))
        return converted(x, op, value);
    if (!suffix_type(op))
        return NULL;
    if (starts(op, "cvta.to.shared") && value->type->kind == BW_TY_POINTER)
        return call1(x, BW_IN_TO_SHARED, &bw_ty_ulong, value);
    return starts(op, "mov.") || starts(op, "cvta.") ? value : NULL;
}

/* The value of OPERATION.TYPE d, a, b, or NULL where it is not followed. */
static bw_expr *combined(ptx *x, const char *op, const operand *a, const operand *b)
{
    static const struct {
        const char *word;
        bw_binary op;
    } rows[] = {{"add.", BW_ADD},    {"add.cc.", BW_ADD}, {"sub.", BW_SUB},    {"sub.cc.", BW_SUB},
                {"mul.lo.", BW_MUL}, {"and.", BW_AND},    {"or.", BW_OR},      {"xor.", BW_XOR},
                {"shl.", BW_SHL},    {"shr.", BW_SHR},    {"setp.eq.", BW_EQ}, {"setp.ne.", BW_NE},
                {"setp.lt.", BW_LT}, {"setp.le.", BW_LE}, {"setp.gt.", BW_GT}, {"setp.ge.", BW_GE}};
    const ptx_type *of = suffix_type(op);
    if (!of || !of->exact || bw_type_is_float(of->type))
        return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (starts(op, rows[i].word) && strcmp(op + strlen(rows[i].word), of->name) == 0)
            return bw_new_binary(x->p, rows[i].op, as_type(x, a->items[0], of->type),
                                 as_type(x, b->items[0], of->type), x->span);
    return NULL;
}

static void arithmetic(ptx *x, const char *op, operand *o, size_t count)
{
    bw_expr *value = NULL;
    if (count == 2 && o[0].count == 1 && o[1].count == 1)
        value = moved(x, op, o[1].items[0]);
    else if (count == 3)
        value = combined(x, op, &o[1], &o[2]);
    if (value) {
        assign(x, o[0].items[0], value);
        return;
    }
    for (size_t i = 0; count && i < o[0].count; i++) /* mma and the like */
        if (!o[0].is_address)
            assign_unknown(x, o[0].items[i]);
}

/* Barrier 0 of the whole block; another one costs as little, but who meets there is not followed.
 */
static void barrier(ptx *x, const char *op, const operand *o, size_t count)
{
    bool sync =
        starts(op, "bar.sync") || starts(op, "barrier.sync") || starts(op, "barrier.cta.sync");
    bool whole = sync && count == 1 && bw_is_constant(o[0].items[0]) && o[0].items[0]->integer == 0;
    bw_expr *meets = call1(x, whole ? BW_IN_SYNCTHREADS : BW_IN_FENCE, &bw_ty_void, NULL);
    meets->intrinsic.number = starts(op, "bar.warp") || whole ? 0 : BW_FENCE_WAITS;
    append(x, bw_new_expr_stmt(x->p, meets));
}

/* What asks shared memory, or waits for what does, in ways that are not priced. */
static bool is_passed_over(const char *op)
{
    static const char *const names[] = {
        "mbarrier.",         "wgmma.",     "tcgen05.", "cp.async.bulk",
        "cp.async.mbarrier", "cp.reduce",  "fence.",   "multimem.",
        "griddepcontrol",    "setmaxnreg", "elect.",   "mapa."};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (starts(op, names[i]))
            return true;
    return false;
}

/* Those that cost nothing of their own, so that nothing need be said of them. */
static bool is_free(const char *op)
{
    return starts(op, "fence.") || starts(op, "griddepcontrol") || starts(op, "setmaxnreg") ||
           starts(op, "elect.") || starts(op, "mapa.");
}

/* CUTLASS's way to wait: an mbarrier, tested in a loop of its own. */
static bool waits_in_a_loop(const char *text)
{
    return contains(text, "mbarrier.") && contains(text, "bra");
}

/* An instruction, text[0..len), that is left out: said once a place, with its name. What it gives
 * is unknown, but for the answer that a wait is over; what it writes to shared memory is unknown
 * too. */
static void pass_over(ptx *x, const char *text, size_t len, bool said)
{
    const char *end = text + len;
    size_t name = strcspn(text, " \t;");
    const char *op = bw_arena_copy(x->p->arena, text, name < len ? name : len);
    if (said && !is_free(op))
        bw_note(x->p->diags,
                bw_diagnose(x->p->diags, BW_MSG_NOT_COUNTED, x->p->source, x->span,
                            "'%s' is passed over: what it asks of shared memory is not counted",
                            op),
                "for all that the kernel asks, give bankwise its machine code, with --nvcc");
    bool over = contains(op, "try_wait") || contains(op, "test_wait");
    for (const char *at = text; at < end; at++) {
        size_t index =
            *at == '%' && isdigit((unsigned char)at[1]) ? strtoul(at + 1, NULL, 10) : MAX_OPERANDS;
        if (index < x->outputs && over && bw_type_is_integer(x->operands[index]->type))
            assign(x, x->operands[index], bw_new_integer(x->p, &bw_ty_int, 1, x->span));
        else if (index < x->outputs)
            assign_unknown(x, x->operands[index]);
    }
    bw_expr *meets = call1(x, BW_IN_FENCE, &bw_ty_void, NULL);
    bool writes = contains(op, "bulk") && !contains(op, "commit") && !contains(op, "wait");
    meets->intrinsic.number = BW_FENCE_WAITS | (writes ? BW_FENCE_FORGETS : 0);
    append(x, bw_new_expr_stmt(x->p, meets));
}

/* Its registers that the asm statement names: what a wait gives is true. */
static void pass_over_registers(ptx *x, const char *op, const char *rest, size_t len)
{
    const char *start = rest + strspn(rest, " \t");
    size_t n = strcspn(start, " ,|;[");
    bw_symbol *s = (size_t)(start - rest) < len ? bw_lookup(x->p, start, n) : NULL;
    if (!s || s->kind != BW_SY_VARIABLE)
        return;
    bool over = contains(op, "try_wait") || contains(op, "test_wait") || starts(op, "elect.");
    bw_expr *out = bw_new_symbol(x->p, s, x->span);
    if (over)
        assign(x, out, bw_new_integer(x->p, &bw_ty_int, 1, x->span));
    else
        assign_unknown(x, out);
}

static void instruction(ptx *x, const char *op, operand *o, size_t count)
{
    bool shared = contains(op, ".shared") && !starts(op, "cvta") && !starts(op, "cvt");
    if ((starts(op, "ldmatrix") || starts(op, "stmatrix")) && count == 2)
        matrix(x, op, o);
    else if (starts(op, "cp.async") || starts(op, "cp.reduce"))
        async_copy(x, op, o, count);
    else if (starts(op, "ld.") && shared && count == 2)
        load(x, op, o);
    else if (starts(op, "st.") && shared && count == 2)
        store(x, op, o);
    else if ((starts(op, "atom.") || starts(op, "red.")) && shared)
        atomic(x, op, o, count);
    else if (starts(op, "bar.") || starts(op, "barrier."))
        barrier(x, op, o, count);
    else if (shared)
        refuse(x, op, strlen(op),
               "known on shared memory: ld st atom red ldmatrix stmatrix "
               "cp.async");
    else if (starts(op, "bra") || strcmp(op, "exit") == 0 || strcmp(op, "ret") == 0)
        refuse(x, op, strlen(op), "write the branch in C++");
    else if (!starts(op, "st.") && !starts(op, "red.") && !starts(op, "membar") &&
             !starts(op, "prefetch"))
        arithmetic(x, op, o, count);
}

static void read_register(ptx *x)
{
    char text[32] = ".";
    blank(x);
    for (size_t n = 0; (isalnum((unsigned char)*x->at) || *x->at == '.') && n < 30; x->at++)
        text[n++] = *x->at;
    const ptx_type *of = suffix_type(text);
    const bw_type *type = of ? of->type : NULL;
    do {
        blank(x);
        const char *name = x->at;
        while (isalnum((unsigned char)*x->at) || *x->at == '_')
            x->at++;
        if (!type || x->at == name)
            refuse(x, ".reg", 4, "write .reg .u64 name;");
        bw_symbol *s = bw_declare(x->p, bw_arena_copy(x->p->arena, name, (size_t)(x->at - name)),
                                  BW_SY_VARIABLE, type, x->span);
        s->storage = BW_ST_REGISTER;
        bw_stmt *d = bw_new_stmt(x->p, BW_SM_DECLARE, x->span);
        d->symbol = s;
        append(x, d);
    } while (eat(x, ','));
}

/* One instruction up to its semicolon. */
static void read_instruction(ptx *x)
{
    bw_stmt *guard = NULL, **outer = x->end;
    if (eat(x, '@')) {
        bool negated = eat(x, '!');
        bw_expr *predicate = bw_convert(x->p, read_atom(x), &bw_ty_bool);
        guard = bw_new_stmt(x->p, BW_SM_IF, x->span);
        guard->cond = predicate;
        if (negated) {
            bw_expr *not = bw_new_expr(x->p, BW_EX_NOT, &bw_ty_bool, x->span);
            not ->a = predicate;
            guard->cond = not ;
        }
        guard->body = bw_new_stmt(x->p, BW_SM_BLOCK, x->span);
        x->end = &guard->body->body;
    }
    blank(x);
    char op[128];
    size_t n = 0;
    while ((isalnum((unsigned char)*x->at) || strchr("._:", *x->at)) && *x->at && n < sizeof op - 1)
        op[n++] = *x->at++;
    op[n] = '\0';
    if (n == 0)
        refuse(x, x->at, *x->at ? 1 : 0, "write instructions that end with ';'");
    if (strcmp(op, ".reg") == 0) {
        read_register(x);
    } else if (is_passed_over(op)) {
        const char *rest = x->at;
        size_t len = strcspn(rest, ";");
        pass_over(x, bw_arena_format(x->p->arena, "%s%.*s", op, (int)len, rest), n + len, true);
        pass_over_registers(x, op, rest, len);
        x->at += len;
    } else {
        operand o[8];
        size_t count = 0;
        blank(x);
        if (*x->at != ';' && *x->at)
            do {
                if (count == 8)
                    refuse(x, op, n, "more than 8 operands");
                o[count++] = read_operand(x);
            } while (eat(x, ','));
        instruction(x, op, o, count);
    }
    blank(x);
    if (*x->at && !eat(x, ';'))
        refuse(x, op, n, "expected ';' after the instruction");
    if (guard) {
        x->end = outer;
        append(x, guard);
    }
}

/* ---- the statement
 * --------------------------------------------------------------------------------- */

static const char *read_text(bw_parser *p)
{
    char *text = bw_arena_copy(p->arena, "", 0);
    if (bw_peek(p, 0)->kind != BW_TOK_STRING)
        bw_syntax_error(p, BW_MSG_EXPECTED_TOKEN,
                        "write asm volatile(\"instruction;\" : outputs : inputs);",
                        "asm needs a string");
    while (bw_peek(p, 0)->kind == BW_TOK_STRING) {
        const bw_token *token = bw_take(p);
        char *part = bw_arena_copy(p->arena, token->text + 1, token->len - 2);
        char *to = part;
        for (char *from = part; *from; from++) {
            if (*from == '\\' && from[1]) {
                from++;
                *to++ = *from == 'n' || *from == 't' ? ' ' : *from;
            } else {
                *to++ = *from;
            }
        }
        *to = '\0';
        text = bw_arena_format(p->arena, "%s%s", text, part);
    }
    return text;
}

static void read_operands(bw_parser *p, ptx *x)
{
    bool outputs = true;
    for (; bw_at(p, BW_TOK_COLON) || bw_at(p, BW_TOK_SCOPE); outputs = false) {
        if (bw_take(p)->len == 2) /* "::": there are none */
            outputs = false;
        while (bw_peek(p, 0)->kind == BW_TOK_STRING || bw_at(p, BW_TOK_LBRACKET)) {
            const bw_token *name = NULL;
            if (bw_accept(p, BW_TOK_LBRACKET)) {
                name = bw_take(p);
                bw_expect_token(p, BW_TOK_RBRACKET, "after the operand's name");
            }
            bw_take(p);
            if (bw_accept(p, BW_TOK_LPAREN)) {
                if (x->count == MAX_OPERANDS)
                    bw_syntax_error(p, BW_MSG_TOO_MANY, "split the statement",
                                    "more than %d operands", MAX_OPERANDS);
                x->names[x->count] = name;
                x->operands[x->count++] = bw_parse_expression(p);
                x->outputs = outputs ? x->count : x->outputs;
                bw_expect_token(p, BW_TOK_RPAREN, "after the operand");
            }
            if (!bw_accept(p, BW_TOK_COMMA))
                break;
        }
    }
}

bw_stmt *bw_parse_asm(bw_parser *p)
{
    size_t start = p->at;
    bw_take(p);
    while (bw_accept(p, BW_TOK_VOLATILE) || bw_accept(p, BW_TOK_GNU_VOLATILE))
        continue;
    bw_expect_token(p, BW_TOK_LPAREN, "after asm");
    ptx x = {.p = p};
    x.at = read_text(p);
    read_operands(p, &x);
    bw_expect_token(p, BW_TOK_RPAREN, "after the asm's operands");
    x.span = bw_span_from(p, start);
    bw_expect_token(p, BW_TOK_SEMICOLON, "after asm(…)");
    for (size_t i = 0; i < x.count; i++)
        if (bw_is_error(x.operands[i]))
            return bw_new_stmt(p, BW_SM_EMPTY, x.span);
    bw_stmt *block = bw_new_stmt(p, BW_SM_BLOCK, x.span);
    x.end = &block->body;
    bw_push_scope(p);
    if (waits_in_a_loop(x.at)) {
        pass_over(&x, strstr(x.at, "mbarrier"), strlen(x.at), true);
        x.at += strlen(x.at);
    }
    for (blank(&x); *x.at; blank(&x)) {
        if (*x.at == '{' || *x.at == '}' || *x.at == ';')
            x.at++;
        else
            read_instruction(&x);
    }
    bw_pop_scope(p);
    return block;
}
