/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "math_functions.h"
#include "vm.h"

/* ---- registers
 * ------------------------------------------------------------------------------------- */

static bool is_wide(bw_class cls)
{
    return cls == BW_I64 || cls == BW_U64 || cls == BW_F64;
}

void bw_reg_spread(bw_reg *r, bw_class cls)
{
    if (!r->uniform)
        return;
    if (is_wide(cls))
        for (int l = 1; l < BW_LANES; l++)
            r->q[l] = r->q[0];
    else
        for (int l = 1; l < BW_LANES; l++)
            r->u[l] = r->u[0];
    r->uniform = false;
}

void bw_reg_set(bw_reg *r, bw_class cls, int64_t integer, double real)
{
    switch (cls) {
    case BW_I32:
    case BW_U32: r->u[0] = (uint32_t)integer; break;
    case BW_F32: r->f[0] = (float)real; break;
    case BW_F64: r->d[0] = real; break;
    default: r->l[0] = integer;
    }
    r->uniform = true;
    r->unknown = 0;
    r->home = UINT32_MAX;
}

/* Bit l: lane l's int32 is not 0. */
uint32_t bw_reg_truth(const bw_reg *r)
{
    if (r->uniform)
        return r->i[0] ? UINT32_MAX : 0;
    uint32_t bits = 0;
    for (int part = 0; part < 4; part++) {
        uint32_t byte = 0;
        for (int l = 0; l < 8; l++)
            byte |= (uint32_t)(r->i[part * 8 + l] != 0) << l;
        bits |= byte << (part * 8);
    }
    return bits;
}

/* The value, not the home. A uniform one is short. */
static void copy_value(bw_reg *restrict d, const bw_reg *restrict a, bw_class cls)
{
    if (a->uniform)
        d->q[0] = a->q[0];
    else
        memcpy(d->q, a->q, is_wide(cls) ? sizeof d->q : sizeof d->u);
    d->uniform = a->uniform;
    d->unknown = a->unknown;
    d->origin = a->origin;
}

static int64_t as_integer(const bw_reg *r, bw_class cls, int l)
{
    l = r->uniform ? 0 : l;
    switch (cls) {
    case BW_I32: return r->i[l];
    case BW_U32: return r->u[l];
    case BW_F32: return (int64_t)r->f[l];
    case BW_F64: return (int64_t)r->d[l];
    default: return r->l[l];
    }
}

static double as_real(const bw_reg *r, bw_class cls, int l)
{
    l = r->uniform ? 0 : l;
    switch (cls) {
    case BW_I32: return r->i[l];
    case BW_U32: return r->u[l];
    case BW_F32: return (double)r->f[l];
    case BW_F64: return r->d[l];
    case BW_U64: return (double)r->q[l];
    default: return (double)r->l[l];
    }
}

static void put_real(bw_reg *r, bw_class cls, int l, double v)
{
    if (cls == BW_F32)
        r->f[l] = (float)v;
    else
        r->d[l] = v;
}

static void put_integer(bw_reg *r, bw_class cls, int l, int64_t v)
{
    if (is_wide(cls))
        r->l[l] = v;
    else
        r->u[l] = (uint32_t)v;
}

static void mix_unknown(bw_reg *d, const bw_reg *a, const bw_reg *b)
{
    uint32_t ua = a->unknown, ub = b ? b->unknown : 0;
    d->origin = ua ? a->origin : b ? b->origin : 0;
    d->unknown = ua | ub;
}

/* ---- binary operators
 * -------------------------------------------------------------------------------- */

typedef void binary_fn(bw_reg *restrict d, const bw_reg *restrict a, const bw_reg *restrict b);

/* x and y are of type T from field F; the result goes to field D. */
#define BINARY(name, T, F, D, RT, EXPR)                                                            \
    static void name(bw_reg *restrict d, const bw_reg *restrict a, const bw_reg *restrict b)       \
    {                                                                                              \
        if (a->uniform && b->uniform) {                                                            \
            const T x = a->F[0], y = b->F[0];                                                      \
            d->D[0] = (RT)(EXPR);                                                                  \
        } else if (b->uniform) {                                                                   \
            const T y = b->F[0];                                                                   \
            BW_FOR_LANES (l) {                                                                     \
                const T x = a->F[l];                                                               \
                d->D[l] = (RT)(EXPR);                                                              \
            }                                                                                      \
        } else if (a->uniform) {                                                                   \
            const T x = a->F[0];                                                                   \
            BW_FOR_LANES (l) {                                                                     \
                const T y = b->F[l];                                                               \
                d->D[l] = (RT)(EXPR);                                                              \
            }                                                                                      \
        } else {                                                                                   \
            BW_FOR_LANES (l) {                                                                     \
                const T x = a->F[l], y = b->F[l];                                                  \
                d->D[l] = (RT)(EXPR);                                                              \
            }                                                                                      \
        }                                                                                          \
        d->uniform = a->uniform && b->uniform;                                                     \
        mix_unknown(d, a, b);                                                                      \
    }

/* Signed arithmetic wraps as the machine's does: it is computed unsigned. Shifts clamp as PTX's. */
#define INTEGER_OPS(s, T, F, U, bits, SIGNED)                                                      \
    BINARY(add_##s, T, F, F, T, (U)x + (U)y)                                                       \
    BINARY(sub_##s, T, F, F, T, (U)x - (U)y)                                                       \
    BINARY(mul_##s, T, F, F, T, (U)x *(U)y)                                                        \
    BINARY(div_##s, T, F, F, T, y == 0 ? (T)0 : SIGNED && y == (T)-1 ? (T)(0 - (U)x) : (T)(x / y)) \
    BINARY(rem_##s, T, F, F, T, y == 0 ? (T)0 : SIGNED && y == (T)-1 ? (T)0 : (T)(x % y))          \
    BINARY(and_##s, T, F, F, T, x &y)                                                              \
    BINARY(or_##s, T, F, F, T, x | y)                                                              \
    BINARY(xor_##s, T, F, F, T, x ^ y)                                                             \
    BINARY(shl_##s, T, F, F, T, (U)y >= (bits) ? 0 : (U)x << ((U)y & ((bits)-1)))                  \
    BINARY(shr_##s, T, F, F, T,                                                                    \
           x >> ((U)y >= (bits) ? (U)((bits)-1) : (U)y) >> (!SIGNED && (U)y >= (bits) ? 1 : 0))    \
    COMPARE(s, T, F)
#define COMPARE(s, T, F)                                                                           \
    BINARY(lt_##s, T, F, i, int32_t, x < y)                                                        \
    BINARY(le_##s, T, F, i, int32_t, x <= y)                                                       \
    BINARY(gt_##s, T, F, i, int32_t, x > y)                                                        \
    BINARY(ge_##s, T, F, i, int32_t, x >= y)                                                       \
    BINARY(eq_##s, T, F, i, int32_t, x == y)                                                       \
    BINARY(ne_##s, T, F, i, int32_t, x != y)
#define REAL_OPS(s, T, F)                                                                          \
    BINARY(add_##s, T, F, F, T, x + y)                                                             \
    BINARY(sub_##s, T, F, F, T, x - y)                                                             \
    BINARY(mul_##s, T, F, F, T, x *y)                                                              \
    BINARY(div_##s, T, F, F, T, x / y)                                                             \
    COMPARE(s, T, F)

INTEGER_OPS(i32, int32_t, i, uint32_t, 32u, 1)
INTEGER_OPS(u32, uint32_t, u, uint32_t, 32u, 0)
INTEGER_OPS(i64, int64_t, l, uint64_t, 64u, 1)
INTEGER_OPS(u64, uint64_t, q, uint64_t, 64u, 0)
REAL_OPS(f32, float, f)
REAL_OPS(f64, double, d)

#define INTEGER_ROW(s)                                                                             \
    {                                                                                              \
        add_##s, sub_##s, mul_##s, div_##s, rem_##s, and_##s, or_##s, xor_##s, shl_##s, shr_##s,   \
            lt_##s, le_##s, gt_##s, ge_##s, eq_##s, ne_##s                                         \
    }
#define REAL_ROW(s)                                                                                \
    {                                                                                              \
        add_##s, sub_##s, mul_##s, div_##s, NULL, NULL, NULL, NULL, NULL, NULL, lt_##s, le_##s,    \
            gt_##s, ge_##s, eq_##s, ne_##s                                                         \
    }
static binary_fn *const binary_ops[BW_CLASSES][BW_BINARIES] = {
    [BW_I32] = INTEGER_ROW(i32), [BW_U32] = INTEGER_ROW(u32), [BW_I64] = INTEGER_ROW(i64),
    [BW_U64] = INTEGER_ROW(u64), [BW_F32] = REAL_ROW(f32),    [BW_F64] = REAL_ROW(f64),
};

static void check_division(bw_vm *vm, const bw_warp *w, const bw_ins *i, const bw_reg *b)
{
    uint32_t known = w->mask & ~b->unknown;
    if (b->uniform && as_integer(b, (bw_class)i->cls, 0) != 0)
        return;
    BW_FOR_LANES (l) {
        if (!(known >> l & 1) || as_integer(b, (bw_class)i->cls, l) != 0)
            continue;
        bw_note(vm->diags,
                bw_vm_error(vm, BW_MSG_DIVISION_BY_ZERO, i->span,
                            "division by zero in lane %d of warp %u", l, w->index),
                "guard it with a condition");
        vm->failed = true;
        return;
    }
}

/* What an index comes of: signed integers of 32 bits. */
static void check_overflow(bw_vm *vm, const bw_warp *w, const bw_ins *i, const bw_reg *a,
                           const bw_reg *b)
{
    int lanes = a->uniform && b->uniform ? 1 : BW_LANES;
    uint32_t over = 0;
    for (int l = 0; l < lanes; l++) {
        int64_t x = a->i[a->uniform ? 0 : l], y = b->i[b->uniform ? 0 : l];
        int64_t v = i->number == BW_ADD ? x + y : i->number == BW_SUB ? x - y : x * y;
        over |= (uint32_t)(v != (int32_t)v) << l;
    }
    over = lanes == 1 && over ? UINT32_MAX : over;
    over &= w->mask & ~(a->unknown | b->unknown);
    if (!over || vm->overflowed)
        return;
    vm->overflowed = true;
    bw_note(vm->diags,
            bw_vm_error(vm, BW_MSG_INDEX_OVERFLOW, i->span,
                        "a signed integer overflows on the way to an index, in lane %d of warp %u",
                        bw_lowest_lane(over), w->index),
            "compute it with unsigned, or with 64 bits (size_t)");
}

static void run_binary(bw_vm *vm, const bw_warp *w, const bw_ins *i, bw_reg *d, const bw_reg *a,
                       const bw_reg *b)
{
    if ((i->number == BW_DIV || i->number == BW_REM) && i->cls < BW_F32)
        check_division(vm, w, i, b);
    binary_ops[i->cls][i->number](d, a, b);
    if ((i->flags & BW_INS_INDEX) && w->mask)
        check_overflow(vm, w, i, a, b);
}

/* ---- unary operators and conversions
 * ------------------------------------------------------------------- */

#define EACH(d, a, STATEMENT)                                                                      \
    do {                                                                                           \
        int lanes_ = (a)->uniform ? 1 : BW_LANES;                                                  \
        for (int l = 0; l < lanes_; l++) {                                                         \
            STATEMENT;                                                                             \
        }                                                                                          \
        (d)->uniform = (a)->uniform;                                                               \
        mix_unknown(d, a, NULL);                                                                   \
    } while (0)

static int64_t clamp_real(double v, bw_class to)
{
    if (isnan(v))
        return 0;
    switch (to) { /* cvt.rzi saturates */
    case BW_I32: return v >= 2147483647.0 ? INT32_MAX : v <= -2147483648.0 ? INT32_MIN : (int64_t)v;
    case BW_U32: return v >= 4294967295.0 ? UINT32_MAX : v <= 0 ? 0 : (int64_t)v;
    case BW_U64: return v >= 18446744073709551615.0 ? -1 : v <= 0 ? 0 : (int64_t)(uint64_t)v;
    default:
        return v >= 9223372036854775807.0    ? INT64_MAX
               : v <= -9223372036854775808.0 ? INT64_MIN
                                             : (int64_t)v;
    }
}

static void convert(bw_reg *d, const bw_reg *a, bw_class from, bw_class to)
{
    if (to >= BW_F32) {
        EACH(d, a, put_real(d, to, l, as_real(a, from, l)));
    } else if (from >= BW_F32) {
        EACH(d, a, put_integer(d, to, l, clamp_real(as_real(a, from, l), to)));
    } else if (from == BW_I32 && is_wide(to)) {
        EACH(d, a, d->l[l] = a->i[l]);
    } else if (from == BW_U32 && is_wide(to)) {
        EACH(d, a, d->l[l] = (int64_t)a->u[l]);
    } else if (is_wide(from) && !is_wide(to)) {
        EACH(d, a, d->u[l] = (uint32_t)a->q[l]);
    } else if (is_wide(to)) {
        EACH(d, a, d->q[l] = a->q[l]);
    } else {
        EACH(d, a, d->u[l] = a->u[l]);
    }
}

static void truncate_value(bw_reg *d, const bw_reg *a, bw_memory m)
{
    switch (m) {
    /* NOLINTNEXTLINE(bugprone-signed-char-misuse,cert-str34-c): the sign is to be extended */
    case BW_MEM_S8: EACH(d, a, d->i[l] = (int8_t)a->u[l]); break;
    case BW_MEM_U8: EACH(d, a, d->i[l] = (uint8_t)a->u[l]); break;
    case BW_MEM_S16: EACH(d, a, d->i[l] = (int16_t)a->u[l]); break;
    case BW_MEM_U16: EACH(d, a, d->i[l] = (uint16_t)a->u[l]); break;
    case BW_MEM_F16: EACH(d, a, d->f[l] = bw_half_round(a->f[l])); break;
    case BW_MEM_BF16: EACH(d, a, d->f[l] = bw_bfloat_round(a->f[l])); break;
    default: EACH(d, a, d->u[l] = a->u[l]);
    }
}

static void truth(bw_reg *d, const bw_reg *a, bw_class cls)
{
    switch (cls) {
    case BW_I32:
    case BW_U32: EACH(d, a, d->i[l] = a->u[l] != 0); break;
    case BW_F32: EACH(d, a, d->i[l] = a->f[l] != 0); break;
    case BW_F64: EACH(d, a, int32_t t = a->d[l] != 0; d->i[l] = t); break;
    default: EACH(d, a, int32_t t = a->q[l] != 0; d->i[l] = t);
    }
}

static void negate(bw_reg *d, const bw_reg *a, bw_class cls)
{
    switch (cls) {
    case BW_I32:
    case BW_U32: EACH(d, a, d->u[l] = 0 - a->u[l]); break;
    case BW_F32: EACH(d, a, d->f[l] = -a->f[l]); break;
    case BW_F64: EACH(d, a, d->d[l] = -a->d[l]); break;
    default: EACH(d, a, d->q[l] = 0 - a->q[l]);
    }
}

static void invert(bw_reg *d, const bw_reg *a, bw_class cls)
{
    if (is_wide(cls))
        EACH(d, a, d->q[l] = ~a->q[l]);
    else
        EACH(d, a, d->u[l] = ~a->u[l]);
}

static uint64_t reverse_bits(uint64_t v, int bits)
{
    uint64_t r = 0;
    for (int k = 0; k < bits; k++)
        r |= (v >> k & 1) << (bits - 1 - k);
    return r;
}

/* __popc, __clz, __ffs, __brev on 32 or 64 bits. */
static void bit_function(bw_reg *d, const bw_reg *a, bw_class cls, bw_opcode op)
{
    int bits = is_wide(cls) ? 64 : 32;
    int lanes = a->uniform ? 1 : BW_LANES;
    uint64_t in[BW_LANES];
    for (int l = 0; l < lanes; l++)
        in[l] = bits == 64 ? a->q[l] : a->u[l];
    for (int l = 0; l < lanes; l++) {
        uint64_t v = in[l];
        if (op == BW_I_POPC)
            d->i[l] = __builtin_popcountll(v);
        else if (op == BW_I_CLZ)
            d->i[l] = v ? __builtin_clzll(v) - (64 - bits) : bits;
        else if (op == BW_I_FFS)
            d->i[l] = v ? __builtin_ctzll(v) + 1 : 0;
        else if (bits == 64)
            d->q[l] = reverse_bits(v, 64);
        else
            d->u[l] = (uint32_t)reverse_bits(v, 32);
    }
    d->uniform = a->uniform;
    mix_unknown(d, a, NULL);
}

/* The position of set bit b of a; where there is none, the lane itself, which a shuffle then reads.
 */
static void nth_bit(bw_reg *d, const bw_reg *a, const bw_reg *b)
{
    BW_FOR_LANES (l) {
        uint32_t bits = a->u[a->uniform ? 0 : l], n = b->u[b->uniform ? 0 : l];
        for (uint32_t k = 0; k < n && bits && n < BW_LANES; k++)
            bits &= bits - 1;
        d->i[l] = bits && n < BW_LANES ? __builtin_ctz(bits) : l;
    }
    d->uniform = false;
    mix_unknown(d, a, b);
}

/* pointer a + b * scale */
static void index_pointer(bw_reg *restrict d, const bw_reg *restrict a, const bw_reg *restrict b,
                          bw_class cls, int64_t scale)
{
    d->uniform = a->uniform && b->uniform;
    mix_unknown(d, a, b);
    if (b->uniform) {
        uint64_t add = (uint64_t)(as_integer(b, cls, 0) * scale);
        int lanes = a->uniform ? 1 : BW_LANES;
        for (int l = 0; l < lanes; l++)
            d->q[l] = a->q[l] + add;
        return;
    }
    int32_t narrow = (int32_t)scale;
    bool small = scale == narrow && scale > 0 && scale < 65536;
    uint64_t base = a->q[0];
    if (a->uniform && cls == BW_I32 && small) {
        BW_FOR_LANES (l)
            d->q[l] = base + (uint64_t)((int64_t)b->i[l] * narrow);
    } else if (a->uniform && cls == BW_U32 && small) {
        BW_FOR_LANES (l)
            d->q[l] = base + (uint64_t)b->u[l] * (uint32_t)narrow;
    } else if (cls == BW_U32 && small) {
        BW_FOR_LANES (l)
            d->q[l] = a->q[l] + (uint64_t)b->u[l] * (uint32_t)narrow;
    } else if (cls == BW_I32 && small) {
        BW_FOR_LANES (l)
            d->q[l] = a->q[l] + (uint64_t)((int64_t)b->i[l] * narrow);
    } else {
        BW_FOR_LANES (l)
            d->q[l] = a->q[a->uniform ? 0 : l] + (uint64_t)as_integer(b, cls, l) * (uint64_t)scale;
    }
}

/* ---- logic
 * ------------------------------------------------------------------------------------------------
 */

/* Three-valued: a known false decides &&, a known true decides ||. */
static void logic(bw_reg *d, const bw_reg *a, const bw_reg *b, bool is_and)
{
    uint32_t ta = bw_reg_truth(a), tb = bw_reg_truth(b);
    uint32_t known_a = ~a->unknown, known_b = ~b->unknown;
    uint32_t decided = is_and ? (known_a & ~ta) | (known_b & ~tb) : (known_a & ta) | (known_b & tb);
    uint32_t value = is_and ? ta & tb : ta | tb;
    uint32_t fixed = is_and ? value & ~decided : value | decided;
    d->unknown = (a->unknown | b->unknown) & ~decided;
    d->origin = a->unknown ? a->origin : b->origin;
    if (a->uniform && b->uniform) {
        d->i[0] = fixed & 1;
        d->uniform = true;
        d->unknown = d->unknown & 1 ? UINT32_MAX : 0;
        return;
    }
    BW_FOR_LANES (l)
        d->i[l] = (int32_t)(fixed >> l & 1);
    d->uniform = false;
}

static void select_value(bw_reg *d, const bw_reg *c, const bw_reg *a, const bw_reg *b, bw_class cls)
{
    uint32_t t = bw_reg_truth(c);
    if (c->uniform && !c->unknown) {
        copy_value(d, t ? a : b, cls);
        return;
    }
    bool wide = is_wide(cls);
    BW_FOR_LANES (l) {
        const bw_reg *from = t >> l & 1 ? a : b;
        int k = from->uniform ? 0 : l;
        if (wide)
            d->q[l] = from->q[k];
        else
            d->u[l] = from->u[k];
    }
    d->uniform = false;
    d->unknown = c->unknown | (t & a->unknown) | (~t & b->unknown);
    d->origin = c->unknown ? c->origin : a->unknown ? a->origin : b->origin;
}

static void minmax(bw_reg *d, const bw_reg *a, const bw_reg *b, bw_class cls, bool is_max)
{
    bw_reg less;
    binary_ops[cls][BW_LT](&less, a, b);
    uint32_t unknown = a->unknown | b->unknown, origin = a->unknown ? a->origin : b->origin;
    less.unknown = 0;
    if (a->uniform && b->uniform) {
        copy_value(d, (less.i[0] != 0) == is_max ? b : a, cls);
    } else {
        bw_reg pick = less;
        select_value(d, &pick, is_max ? b : a, is_max ? a : b, cls);
    }
    d->unknown = unknown;
    d->origin = origin;
}

/* ---- warp functions
 * ------------------------------------------------------------------------------------------ */

static void shuffle(const bw_warp *w, const bw_ins *i, bw_reg *d, const bw_reg *a, const bw_reg *b,
                    const bw_reg *c)
{
    bool wide = is_wide((bw_class)i->cls);
    bw_reg value = *a;
    bw_reg_spread(&value, (bw_class)i->cls);
    d->unknown = 0;
    d->origin = a->unknown ? a->origin : b->unknown ? b->origin : i->origin;
    BW_FOR_LANES (l) {
        int width = c ? (int)as_integer(c, BW_I32, l) : BW_LANES;
        if (width < 1 || width > BW_LANES || (width & (width - 1)))
            width = BW_LANES;
        int base = l / width * width, by = (int)as_integer(b, BW_I32, l), from;
        switch (i->number) {
        case BW_SHUFFLE_INDEX: from = base + (by & (width - 1)); break;
        case BW_SHUFFLE_UP: from = l - by < base ? l : l - by; break;
        case BW_SHUFFLE_DOWN: from = l + by >= base + width ? l : l + by; break;
        default: from = (l ^ by) >= base + width ? l : l ^ by;
        }
        from &= 31;
        bool lost = (value.unknown >> from & 1) || (b->unknown >> l & 1) || !(w->mask >> from & 1);
        d->unknown |= (uint32_t)lost << l;
        if (wide)
            d->q[l] = value.q[from];
        else
            d->u[l] = value.u[from];
    }
    d->uniform = false;
}

static uint32_t truth_of(const bw_reg *a, bw_class cls)
{
    bw_reg t;
    truth(&t, a, cls);
    return bw_reg_truth(&t);
}

static void vote(const bw_warp *w, const bw_ins *i, bw_reg *d, const bw_reg *a)
{
    uint32_t t = a ? truth_of(a, (bw_class)i->cls) & w->mask : w->mask;
    d->uniform = true;
    d->unknown = a && (a->unknown & w->mask) ? UINT32_MAX : 0;
    d->origin = a ? a->origin : 0;
    switch (i->number) {
    case BW_VOTE_ANY: d->i[0] = t != 0; break;
    case BW_VOTE_ALL: d->i[0] = t == w->mask; break;
    default: d->u[0] = t;
    }
}

/* Which active lanes hold the same value. */
static void match(const bw_warp *w, bw_reg *d, const bw_reg *a, bw_class cls)
{
    BW_FOR_LANES (l) {
        d->u[l] = 0;
        BW_FOR_LANES (k)
            if (w->mask >> k & 1 && as_integer(a, cls, k) == as_integer(a, cls, l))
                d->u[l] |= (uint32_t)1 << k;
    }
    d->uniform = false;
    d->unknown = a->unknown & w->mask ? UINT32_MAX : 0;
    d->origin = a->origin;
}

static int64_t combine(bw_reduction how, int64_t a, int64_t b)
{
    switch (how) {
    case BW_REDUCE_ADD: return (int64_t)((uint64_t)a + (uint64_t)b);
    case BW_REDUCE_AND: return a & b;
    case BW_REDUCE_OR: return a | b;
    case BW_REDUCE_XOR: return a ^ b;
    case BW_REDUCE_MIN: return b < a ? b : a;
    case BW_REDUCE_MAX: return b < a ? a : b;
    }
    return a;
}

static void reduce(const bw_warp *w, const bw_ins *i, bw_reg *d, const bw_reg *a)
{
    bw_class cls = (bw_class)i->cls;
    int64_t sum = 0;
    bool first = true;
    BW_FOR_LANES (l) {
        if (!(w->mask >> l & 1))
            continue;
        int64_t v = as_integer(a, cls, l);
        sum = first ? v : combine((bw_reduction)i->number, sum, v);
        first = false;
    }
    put_integer(d, cls, 0, sum);
    d->uniform = true;
    d->unknown = a->unknown & w->mask ? UINT32_MAX : 0;
    d->origin = a->origin;
}

static void math(const bw_ins *i, bw_reg *d, const bw_reg *a, const bw_reg *b, const bw_reg *c)
{
    const bw_math *row = bw_math_row((bw_math_function)i->number);
    bw_class cls = (bw_class)i->cls;
    bool uniform = a->uniform && (!b || b->uniform) && (!c || c->uniform);
    int lanes = uniform ? 1 : BW_LANES;
    for (int l = 0; l < lanes; l++) {
        double x = as_real(a, cls, l);
        double v = row->arity == 1   ? row->one(x)
                   : row->arity == 2 ? row->two(x, as_real(b, cls, l))
                                     : row->three(x, as_real(b, cls, l), as_real(c, cls, l));
        put_real(d, cls, l, v);
    }
    mix_unknown(d, a, b);
    if (c && c->unknown && !d->unknown)
        d->origin = c->origin;
    d->unknown |= c ? c->unknown : 0;
    d->uniform = uniform;
}

static double rounded(bw_rounding how, double v)
{
    switch (how) {
    case BW_ROUND_NEAREST: return rint(v);
    case BW_ROUND_DOWN: return floor(v);
    case BW_ROUND_UP: return ceil(v);
    default: return v; /* to an integer: towards zero */
    }
}

static void round_int(const bw_ins *i, bw_reg *d, const bw_reg *a)
{
    bw_class from = (bw_class)i->cls, to = (bw_class)i->imm;
    int lanes = a->uniform ? 1 : BW_LANES;
    for (int l = 0; l < lanes; l++) {
        double v = as_real(a, from, l);
        v = rounded((bw_rounding)i->number, v);
        put_integer(d, to, l, clamp_real(v, to));
    }
    d->uniform = a->uniform;
    mix_unknown(d, a, NULL);
}

static void mulhi(bw_reg *d, const bw_reg *a, const bw_reg *b, bw_class cls)
{
    BW_FOR_LANES (l) {
        int64_t product =
            cls == BW_I32
                ? as_integer(a, cls, l) * as_integer(b, cls, l)
                : (int64_t)((uint64_t)as_integer(a, cls, l) * (uint64_t)as_integer(b, cls, l));
        d->u[l] = (uint32_t)((uint64_t)product >> 32);
    }
    d->uniform = false;
    mix_unknown(d, a, b);
}

static void absolute(bw_reg *d, const bw_reg *a, bw_class cls)
{
    int lanes = a->uniform ? 1 : BW_LANES;
    for (int l = 0; l < lanes; l++) {
        if (cls >= BW_F32)
            put_real(d, cls, l, fabs(as_real(a, cls, l)));
        else {
            int64_t v = as_integer(a, cls, l);
            put_integer(d, cls, l, v < 0 ? (int64_t)(0 - (uint64_t)v) : v);
        }
    }
    d->uniform = a->uniform;
    mix_unknown(d, a, NULL);
}

/* ---- random values
 * -------------------------------------------------------------------------------------------- */

static bool law_takes(bw_law law, double a, double b)
{
    switch (law) {
    case BW_LAW_UNIFORM: return a >= 1;
    case BW_LAW_ZIPF: return a >= 1 && a <= 1e8 && b >= 0 && isfinite(b);
    case BW_LAW_NORMAL: return isfinite(a) && isfinite(b) && b >= 0;
    default: return a >= 0 && a <= 2147483647.0 && b >= 0 && b <= 1;
    }
}

static void draw(bw_vm *vm, const bw_warp *w, const bw_ins *i, bw_reg *d, const bw_reg *a,
                 const bw_reg *b)
{
    static const char *const wants[] = {
        [BW_LAW_UNIFORM] = "random(n) needs n >= 1",
        [BW_LAW_ZIPF] = "zipf(n, s) needs 1 <= n <= 100000000 and s >= 0",
        [BW_LAW_NORMAL] = "normal(mu, sigma) needs sigma >= 0",
        [BW_LAW_BINOMIAL] = "binomial(n, p) needs n >= 0 and 0 <= p <= 1",
    };
    _Static_assert(sizeof wants / sizeof *wants == BW_LAW_BINOMIAL + 1, "words for each");
    bw_class cls = (bw_class)i->cls;
    d->uniform = false;
    mix_unknown(d, a, b);
    if (!vm->host->draw) {
        bw_vm_error(vm, BW_MSG_RANDOM_VALUE, i->span, "random values are not available here");
        vm->failed = true;
        return;
    }
    BW_FOR_LANES (l) {
        put_integer(d, BW_I64, l, 0);
        if (!(w->mask >> l & 1) || (d->unknown >> l & 1))
            continue;
        double x = as_real(a, cls, l), y = b ? as_real(b, cls, l) : 0;
        if (!law_takes((bw_law)i->number, x, y)) {
            bw_note(vm->diags,
                    bw_vm_error(vm, BW_MSG_RANDOM_VALUE, i->span,
                                "a random value with impossible parameters in lane %d", l),
                    "%s", wants[i->number]);
            vm->failed = true;
            return;
        }
        double v = vm->host->draw(vm->host->context, (bw_law)i->number, x, y);
        if (i->imm == BW_F64)
            d->d[l] = v;
        else
            d->u[l] = (uint32_t)(int64_t)v;
    }
}

/* ---- the instruction
 * ------------------------------------------------------------------------------------------- */

static void to_shared(bw_reg *d, const bw_reg *a)
{
    EACH(d, a, d->q[l] = a->q[l] - BW_POINTER(BW_TAG_SHARED, 0));
}

static void from_shared(bw_reg *d, const bw_reg *a)
{
    EACH(d, a, d->q[l] = a->q[l] >> 32 ? a->q[l] : a->q[l] + BW_POINTER(BW_TAG_SHARED, 0));
}

static void move_lanes(const bw_warp *w, bw_reg *d, const bw_reg *a, bw_class cls)
{
    uint32_t home = d->home;
    if ((w->mask & home) == home) { /* all lanes that can ever read it */
        copy_value(d, a, cls);
        return;
    }
    if (w->mask == 0)
        return;
    bw_reg_spread(d, cls);
    bool wide = is_wide(cls);
    BW_FOR_LANES (l) {
        if (!(w->mask >> l & 1))
            continue;
        if (wide)
            d->q[l] = a->q[a->uniform ? 0 : l];
        else
            d->u[l] = a->u[a->uniform ? 0 : l];
    }
    uint32_t unknown = a->unknown & w->mask;
    d->origin = unknown ? a->origin : d->origin;
    d->unknown = (d->unknown & ~w->mask) | unknown;
}

/* The lanes that may use a variable declared here: in a switch, also those whose label comes. */
static uint32_t home_here(const bw_warp *w)
{
    bool in_switch = w->depth && w->kinds[w->depth - 1] == BW_I_SWITCH;
    return in_switch ? w->mask | w->frames[w->depth - 1].resting : w->mask;
}

static void fresh(const bw_warp *w, bw_reg *d, const bw_ins *i)
{
    d->q[0] = 0;
    d->uniform = true;
    d->unknown = UINT32_MAX;
    d->origin = i->origin;
    d->home = home_here(w);
}

bool bw_vm_value(bw_vm *vm, bw_warp *w, const bw_ins *i)
{
    bw_reg *d = &w->regs[i->dst];
    const bw_reg *a = i->a == BW_NO_REG ? NULL : &w->regs[i->a];
    const bw_reg *b = i->b == BW_NO_REG ? NULL : &w->regs[i->b];
    const bw_reg *c = i->c == BW_NO_REG ? NULL : &w->regs[i->c];
    bw_class cls = (bw_class)i->cls;
    switch (i->op) {
    case BW_I_NOP: break;
    case BW_I_BINARY: run_binary(vm, w, i, d, a, b); break;
    case BW_I_NEG: negate(d, a, cls); break;
    case BW_I_INVERT: invert(d, a, cls); break;
    case BW_I_LNOT:
        assert(a);
        EACH(d, a, d->i[l] = !a->i[l]);
        break;
    case BW_I_LAND: logic(d, a, b, true); break;
    case BW_I_LOR: logic(d, a, b, false); break;
    case BW_I_SELECT: select_value(d, a, b, c, cls); break;
    case BW_I_CONVERT: convert(d, a, cls, (bw_class)i->number); break;
    case BW_I_TRUNCATE: truncate_value(d, a, (bw_memory)i->number); break;
    case BW_I_TRUTH: truth(d, a, cls); break;
    case BW_I_INDEX: index_pointer(d, a, b, cls, i->imm); break;
    case BW_I_POINTER: bw_reg_set(d, BW_U64, i->imm, 0); break;
    case BW_I_TO_SHARED: to_shared(d, a); break;
    case BW_I_FROM_SHARED: from_shared(d, a); break;
    case BW_I_MINMAX: minmax(d, a, b, cls, i->number == 1); break;
    case BW_I_ABS: absolute(d, a, cls); break;
    case BW_I_POPC:
    case BW_I_CLZ:
    case BW_I_FFS:
    case BW_I_BREV: bit_function(d, a, cls, (bw_opcode)i->op); break;
    case BW_I_NTH: nth_bit(d, a, b); break;
    case BW_I_MULHI: mulhi(d, a, b, cls); break;
    case BW_I_MATH: math(i, d, a, b, c); break;
    case BW_I_ROUND: round_int(i, d, a); break;
    case BW_I_UNKNOWN: {
        uint32_t home = d->home;
        fresh(w, d, i);
        d->home = home;
        break;
    }
    case BW_I_SHFL: shuffle(w, i, d, a, b, c); break;
    case BW_I_VOTE: vote(w, i, d, a); break;
    case BW_I_REDUCE: reduce(w, i, d, a); break;
    case BW_I_MATCH: match(w, d, a, cls); break;
    case BW_I_DRAW: draw(vm, w, i, d, a, b); break;
    case BW_I_COPY:
        copy_value(d, a, cls);
        d->home = home_here(w);
        break;
    case BW_I_FRESH: fresh(w, d, i); break;
    case BW_I_MOVE: move_lanes(w, d, a, cls); break;
    default: return false;
    }
    return true;
}
