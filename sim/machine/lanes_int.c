/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Evaluators of integers, bits and predicates. A minus of a source is its complement and one more:
 * the complement is in xor_mask, the ones of all sources together in `add`.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "lanes_inside.h"

#define SRC(n, vec, l) ((vec)->v[l] ^ x##n)
#define MASKS const uint32_t x0 = i->xor_mask[0], x1 = i->xor_mask[1], x2 = i->xor_mask[2]

BW_EVALUATOR(mov)
{
    const uint32_t x0 = i->xor_mask[0], add = i->add;
    BW_FOR_LANES (l)
        d->v[l] = SRC(0, a, l) + add;
}

BW_EVALUATOR(mov64)
{
    BW_FOR_LANES (l) {
        uint32_t low = a[0].v[l], high = a[1].v[l];
        d[0].v[l] = low;
        d[1].v[l] = high;
    }
}

BW_EVALUATOR(iadd3)
{
    MASKS;
    const uint32_t add = i->add;
    BW_FOR_LANES (l)
        d->v[l] = SRC(0, a, l) + SRC(1, b, l) + SRC(2, c, l) + add;
}

/* With carries: out of bit 31, and a second one where the sum of three passes 2^33. */
BW_EVALUATOR(iadd3_carry)
{
    MASKS;
    const uint32_t add = i->add, in0 = i->in_count > 0 ? io->in[0] : 0,
                   in1 = i->in_count > 1 ? io->in[1] : 0;
    bw_vec first, second;
    BW_FOR_LANES (l) {
        uint64_t sum = (uint64_t)SRC(0, a, l) + SRC(1, b, l) + SRC(2, c, l) + add;
        sum += (in0 >> l & 1) + (in1 >> l & 1);
        uint32_t carries = (uint32_t)(sum >> 32);
        d->v[l] = (uint32_t)sum;
        first.v[l] = carries >= 1 ? UINT32_MAX : 0;
        second.v[l] = carries >= 2 ? UINT32_MAX : 0;
    }
    io->out[0] = bw_mask_of(&first);
    io->out[1] = bw_mask_of(&second);
}

static inline uint64_t signed64(const bw_vec *v, int l, uint32_t mask)
{
    uint64_t value = bw_pair(v, l) ^ (mask ? UINT64_MAX : 0);
    return value + (mask & 1);
}

BW_EVALUATOR(iadd64)
{
    MASKS;
    bw_vec low, high;
    for (int l = 0; l < BW_LANES; l++) {
        uint64_t sum = signed64(a, l, x0) + signed64(b, l, x1);
        if (i->source_count > 2)
            sum += signed64(c, l, x2);
        low.v[l] = (uint32_t)sum;
        high.v[l] = (uint32_t)(sum >> 32);
    }
    d[0] = low;
    d[1] = high;
}

BW_EVALUATOR(imad)
{
    const uint32_t x2 = i->xor_mask[2], add = i->add, xp = i->neg_product ? UINT32_MAX : 0;
    BW_FOR_LANES (l)
        d->v[l] = ((a->v[l] * b->v[l]) ^ xp) + SRC(2, c, l) + add;
}

BW_EVALUATOR(imad_carry)
{
    const uint32_t x2 = i->xor_mask[2], add = i->add, xp = i->neg_product ? UINT32_MAX : 0,
                   in = i->in_count ? io->in[0] : 0;
    bw_vec carry;
    BW_FOR_LANES (l) {
        uint64_t sum = (uint64_t)((a->v[l] * b->v[l]) ^ xp) + SRC(2, c, l) + add + (in >> l & 1);
        d->v[l] = (uint32_t)sum;
        carry.v[l] = sum >> 32 ? UINT32_MAX : 0;
    }
    io->out[0] = bw_mask_of(&carry);
}

static inline uint64_t product64(const bw_ins *i, uint32_t a, uint32_t b)
{
    uint64_t p = i->is_signed ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
    return i->neg_product ? 0 - p : p;
}

BW_EVALUATOR(imad_wide)
{
    const uint32_t xc = i->xor_mask[2];
    const uint64_t x64 = xc ? UINT64_MAX : 0, add = i->add;
    const bool is_signed = i->is_signed;
    const uint64_t xp = i->neg_product ? UINT64_MAX : 0;
    bw_vec low, high;
    if (is_signed) {
        BW_FOR_LANES (l) {
            uint64_t sum = ((uint64_t)((int64_t)(int32_t)a->v[l] * (int32_t)b->v[l]) ^ xp) +
                           (bw_pair(c, l) ^ x64) + add;
            low.v[l] = (uint32_t)sum;
            high.v[l] = (uint32_t)(sum >> 32);
        }
    } else {
        BW_FOR_LANES (l) {
            uint64_t sum = (((uint64_t)a->v[l] * b->v[l]) ^ xp) + (bw_pair(c, l) ^ x64) + add;
            low.v[l] = (uint32_t)sum;
            high.v[l] = (uint32_t)(sum >> 32);
        }
    }
    d[0] = low;
    d[1] = high;
}

static inline uint64_t mad64(const bw_ins *i, const bw_vec *a, const bw_vec *b, const bw_vec *c,
                             uint32_t in, int l, bool *carry)
{
    uint64_t p = product64(i, a->v[l], b->v[l]);
    uint64_t addend = bw_pair(c, l) ^ (i->xor_mask[2] ? UINT64_MAX : 0);
    addend += i->mode & 1; /* -c */
    uint64_t sum = addend + p, all = sum + (in >> l & 1);
    *carry = sum < p || all < sum;
    return all;
}

BW_EVALUATOR(imad_wide_carry)
{
    const uint32_t in = i->in_count ? io->in[0] : 0;
    bw_vec low, high;
    io->out[0] = 0;
    for (int l = 0; l < BW_LANES; l++) {
        bool carry;
        uint64_t sum = mad64(i, a, b, c, in, l, &carry);
        low.v[l] = (uint32_t)sum;
        high.v[l] = (uint32_t)(sum >> 32);
        io->out[0] |= (uint32_t)carry << l;
    }
    d[0] = low;
    d[1] = high;
}

BW_EVALUATOR(imad_hi)
{
    const uint32_t in = i->in_count ? io->in[0] : 0;
    bw_vec high;
    io->out[0] = 0;
    for (int l = 0; l < BW_LANES; l++) {
        bool carry;
        high.v[l] = (uint32_t)(mad64(i, a, b, c, in, l, &carry) >> 32);
        io->out[0] |= (uint32_t)carry << l;
    }
    *d = high;
}

BW_EVALUATOR(lea)
{
    MASKS;
    const uint32_t add = i->add, shift = i->shift;
    BW_FOR_LANES (l)
        d->v[l] = ((a->v[l] << shift) ^ x0) + SRC(1, b, l) + add;
    (void)x2;
}

BW_EVALUATOR(lea_carry)
{
    MASKS;
    const uint32_t add = i->add, shift = i->shift, in = i->in_count ? io->in[0] : 0;
    bw_vec carry;
    BW_FOR_LANES (l) {
        uint64_t sum = (uint64_t)((a->v[l] << shift) ^ x0) + SRC(1, b, l) + add + (in >> l & 1);
        d->v[l] = (uint32_t)sum;
        carry.v[l] = sum >> 32 ? UINT32_MAX : 0;
    }
    io->out[0] = bw_mask_of(&carry);
    (void)x2;
}

/* The upper word of {c, a} << shift, or of a sign-extended (mode 1), and b. */
BW_EVALUATOR(lea_hi)
{
    MASKS;
    const uint32_t add = i->add, shift = i->shift, in = i->in_count ? io->in[0] : 0;
    const bool extend = i->mode == 1;
    bw_vec carry;
    BW_FOR_LANES (l) {
        uint32_t upper = extend ? (uint32_t)((int32_t)a->v[l] >> 31) : c->v[l];
        uint64_t wide = ((uint64_t)upper << 32 | a->v[l]) << shift;
        uint64_t sum = (uint64_t)((uint32_t)(wide >> 32) ^ x0) + SRC(1, b, l) + add + (in >> l & 1);
        d->v[l] = (uint32_t)sum;
        carry.v[l] = sum >> 32 ? UINT32_MAX : 0;
    }
    io->out[0] = bw_mask_of(&carry);
    (void)x2;
}

/* Bit k of the table is the result for a = k >> 2 & 1, b = k >> 1 & 1, c = k & 1. */
static inline void lop3(const bw_ins *i, const bw_vec *a, const bw_vec *b, const bw_vec *c,
                        bw_vec *d)
{
    MASKS;
    uint32_t base[4], change[4];
    for (int k = 0; k < 4; k++) {
        uint32_t low = 0 - (i->lut >> (2 * k) & 1u), high = 0 - (i->lut >> (2 * k + 1) & 1u);
        base[k] = low;
        change[k] = low ^ high;
    }
    const uint32_t b0 = base[0], b1 = base[1], b2 = base[2], b3 = base[3];
    const uint32_t c0 = change[0], c1 = change[1], c2 = change[2], c3 = change[3];
    BW_FOR_LANES (l) {
        uint32_t p = SRC(0, a, l), q = SRC(1, b, l), r = SRC(2, c, l);
        uint32_t t0 = b0 ^ (r & c0), t1 = b1 ^ (r & c1), t2 = b2 ^ (r & c2), t3 = b3 ^ (r & c3);
        uint32_t without = t0 ^ (q & (t0 ^ t1)), with = t2 ^ (q & (t2 ^ t3));
        d->v[l] = without ^ (p & (without ^ with));
    }
}

BW_EVALUATOR(lop3)
{
    MASKS;
    if (i->lut == 0xc0) {
        BW_FOR_LANES (l)
            d->v[l] = SRC(0, a, l) & SRC(1, b, l);
    } else {
        lop3(i, a, b, c, d);
    }
    (void)x2;
}

/* The predicate: whether the result is not 0, joined with another by OR (or AND: mode 1). */
BW_EVALUATOR(lop3_pred)
{
    bw_vec result, flags;
    lop3(i, a, b, c, &result);
    BW_FOR_LANES (l)
        flags.v[l] = result.v[l] ? UINT32_MAX : 0;
    uint32_t any = bw_mask_of(&flags);
    io->out[0] = i->in_count == 0 ? any : i->mode == 1 ? any & io->in[0] : any | io->in[0];
    *d = result;
}

/* {c, a} shifted by b. mode: 1 right, 2 wraps, 4 upper word. */
BW_EVALUATOR(shf)
{
    const bool right = i->mode & 1, wraps = i->mode & 2, upper = i->mode & 4;
    const uint32_t bits = i->wide64 ? 64 : 32;
    for (int l = 0; l < BW_LANES; l++) {
        uint32_t s = b->v[l];
        s = wraps ? s & (bits - 1) : s > bits ? bits : s;
        uint64_t x = (uint64_t)c->v[l] << 32 | a->v[l], r;
        if (right && i->is_signed)
            r = (uint64_t)((int64_t)x >> (s > 63 ? 63 : s));
        else if (s > 63)
            r = 0;
        else
            r = right ? x >> s : x << s;
        d->v[l] = (uint32_t)(upper ? r >> 32 : r);
    }
}

/* The plain shifts by a constant below 32, of `a`. */
BW_EVALUATOR(shl)
{
    const uint32_t shift = i->shift;
    BW_FOR_LANES (l)
        d->v[l] = a->v[l] << shift;
}

BW_EVALUATOR(shr)
{
    const uint32_t shift = i->shift;
    BW_FOR_LANES (l)
        d->v[l] = a->v[l] >> shift;
}

BW_EVALUATOR(sar)
{
    const uint32_t shift = i->shift;
    BW_FOR_LANES (l)
        d->v[l] = (uint32_t)((int32_t)a->v[l] >> shift);
}

BW_EVALUATOR(sel)
{
    MASKS;
    const uint32_t in = io->in[0];
    BW_FOR_LANES (l) {
        uint32_t mask = 0 - (in >> l & 1);
        d->v[l] = (SRC(0, a, l) & mask) | (SRC(1, b, l) & ~mask);
    }
    (void)x2;
}

BW_EVALUATOR(sel64)
{
    const uint32_t in = io->in[0];
    bw_vec low, high;
    for (int l = 0; l < BW_LANES; l++) {
        uint64_t value = in >> l & 1 ? bw_pair(a, l) : bw_pair(b, l);
        low.v[l] = (uint32_t)value;
        high.v[l] = (uint32_t)(value >> 32);
    }
    d[0] = low;
    d[1] = high;
}

BW_EVALUATOR(prmt)
{
    for (int l = 0; l < BW_LANES; l++) {
        uint64_t bytes = (uint64_t)c->v[l] << 32 | a->v[l];
        uint32_t selector = b->v[l], result = 0;
        for (int k = 0; k < 4; k++) {
            uint32_t s = selector >> (4 * k) & 15;
            uint32_t byte = (uint32_t)(bytes >> (8 * (s & 7))) & 255;
            if (s & 8)
                byte = byte & 128 ? 255 : 0;
            result |= byte << (8 * k);
        }
        d->v[l] = result;
    }
}

/* Which byte of {c, a} each byte of the result is, the lowest first, by the two lowest bits of b:
 * PTX ISA, "prmt". */
static const uint8_t permutations[][4][4] = {
    [BW_PRMT_F4E] = {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}},
    [BW_PRMT_B4E] = {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}},
    [BW_PRMT_RC8] = {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}},
    [BW_PRMT_ECL] = {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}},
    [BW_PRMT_ECR] = {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}},
    [BW_PRMT_RC16] = {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}},
};
_Static_assert(sizeof permutations / sizeof *permutations == BW_PRMT_MODES, "one for each mode");

BW_EVALUATOR(prmt_mode)
{
    for (int l = 0; l < BW_LANES; l++) {
        uint64_t bytes = (uint64_t)c->v[l] << 32 | a->v[l];
        const uint8_t *from = permutations[i->mode][b->v[l] & 3];
        uint32_t result = 0;
        for (int k = 0; k < 4; k++)
            result |= (uint32_t)(bytes >> (8 * from[k]) & 255) << (8 * k);
        d->v[l] = result;
    }
}

/* The smaller where the predicate holds, else the larger. */
BW_EVALUATOR(imnmx)
{
    MASKS;
    const uint32_t in = io->in[0], flip = i->is_signed ? 0x80000000u : 0, one = i->add;
    BW_FOR_LANES (l) {
        uint32_t p = SRC(0, a, l) + (one & 1), q = SRC(1, b, l) + (one >> 1 & 1);
        uint32_t less = (p ^ flip) < (q ^ flip) ? 1u : 0u;
        d->v[l] = less == (in >> l & 1) ? p : q;
    }
    (void)x2;
}

BW_EVALUATOR(iabs)
{
    BW_FOR_LANES (l) {
        uint32_t sign = (uint32_t)((int32_t)a->v[l] >> 31);
        d->v[l] = (a->v[l] ^ sign) - sign;
    }
}

BW_EVALUATOR(popc)
{
    const uint32_t x0 = i->xor_mask[0];
    BW_FOR_LANES (l) {
        uint32_t v = SRC(0, a, l);
        v -= v >> 1 & 0x55555555;
        v = (v & 0x33333333) + (v >> 2 & 0x33333333);
        v = (v + (v >> 4)) & 0x0f0f0f0f;
        d->v[l] = (v * 0x01010101) >> 24;
    }
}

BW_EVALUATOR(brev)
{
    const uint32_t x0 = i->xor_mask[0];
    BW_FOR_LANES (l) {
        uint32_t v = SRC(0, a, l);
        v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
        v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
        v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
        d->v[l] = v << 24 | (v & 0xff00) << 8 | (v >> 8 & 0xff00) | v >> 24;
    }
}

/* The highest set bit, of signed values the highest that is not the sign; mode 1: counted from the
 * top. All ones where there is none. The predicate says whether there is one. */
BW_EVALUATOR(flo)
{
    const uint32_t x0 = i->xor_mask[0];
    uint32_t any = 0;
    for (int l = 0; l < BW_LANES; l++) {
        uint32_t v = SRC(0, a, l);
        if (i->is_signed && (int32_t)v < 0)
            v = ~v;
        uint32_t top = v ? 31u - (uint32_t)__builtin_clz(v) : UINT32_MAX;
        d->v[l] = v && i->mode == 1 ? 31 - top : top;
        any |= (uint32_t)(v != 0) << l;
    }
    io->out[0] = any;
}

/* b ones from bit a on. mode 1: both wrap at 32, else they are cut there. */
BW_EVALUATOR(bmsk)
{
    for (int l = 0; l < BW_LANES; l++) {
        uint32_t from = a->v[l], count = b->v[l];
        from = i->mode == 1 ? from & 31 : from > 32 ? 32 : from;
        count = i->mode == 1 ? count & 31 : count > 32 ? 32 : count;
        d->v[l] = (uint32_t)((((uint64_t)1 << count) - 1) << from);
    }
}

/* The lower b bits of a, extended. */
BW_EVALUATOR(sgxt)
{
    for (int l = 0; l < BW_LANES; l++) {
        uint32_t bits = i->mode == 1 ? b->v[l] & 31 : b->v[l] > 32 ? 32 : b->v[l], v = a->v[l];
        uint32_t mask = bits >= 32 ? UINT32_MAX : (1u << bits) - 1;
        bool negative = i->is_signed && bits && v >> (bits - 1) & 1;
        d->v[l] = negative ? v | ~mask : v & mask;
    }
}

/* ---- comparisons ---- */

static inline uint32_t combine(const bw_ins *i, uint32_t result, uint32_t in)
{
    return i->combine == BW_AND ? result & in : i->combine == BW_OR ? result | in : result ^ in;
}

/* From masks of lanes that are less and equal. */
static inline uint32_t decide(const bw_ins *i, uint32_t less, uint32_t equal)
{
    switch (i->compare) {
    case BW_LT: return less;
    case BW_EQ: return equal;
    case BW_LE: return less | equal;
    case BW_GT: return ~(less | equal);
    case BW_NE: return ~equal;
    case BW_GE: return ~less;
    case BW_TRUE: return UINT32_MAX;
    default: return 0;
    }
}

static inline void finish_compare(const bw_ins *i, uint32_t less, uint32_t equal, bw_io *io)
{
    if (i->extended) { /* equal upper words: the lower words' comparison decides */
        uint32_t below = io->in[1];
        uint32_t result;
        switch (i->compare) {
        case BW_EQ: result = equal & below; break;
        case BW_NE: result = ~equal | below; break;
        case BW_LT:
        case BW_LE: result = less | (equal & below); break;
        case BW_GT:
        case BW_GE: result = ~(less | equal) | (equal & below); break;
        default: result = decide(i, less, equal); break;
        }
        io->out[0] = combine(i, result, io->in[0]);
        io->out[1] = combine(i, ~result, io->in[0]);
        return;
    }
    uint32_t result = decide(i, less, equal);
    io->out[0] = combine(i, result, io->in[0]);
    io->out[1] = combine(i, ~result, io->in[0]);
}

BW_EVALUATOR(isetp)
{
    MASKS;
    const uint32_t flip = i->is_signed ? 0x80000000u : 0, add0 = i->add & 1, add1 = i->add >> 1 & 1;
    bw_vec less, equal;
    BW_FOR_LANES (l) {
        uint32_t p = SRC(0, a, l) + add0, q = SRC(1, b, l) + add1;
        less.v[l] =
            (int32_t)(p ^ flip ^ 0x80000000u) < (int32_t)(q ^ flip ^ 0x80000000u) ? UINT32_MAX : 0;
        equal.v[l] = p == q ? UINT32_MAX : 0;
    }
    finish_compare(i, bw_mask_of(&less), bw_mask_of(&equal), io);
    (void)x2;
}

BW_EVALUATOR(isetp64)
{
    uint32_t less = 0, equal = 0;
    const uint64_t flip = i->is_signed ? (uint64_t)1 << 63 : 0;
    for (int l = 0; l < BW_LANES; l++) {
        uint64_t p = bw_pair(a, l) ^ flip, q = bw_pair(b, l) ^ flip;
        less |= (uint32_t)(p < q) << l;
        equal |= (uint32_t)(p == q) << l;
    }
    finish_compare(i, less, equal, io);
}

/* The dot product of four bytes. mode: 1 a is signed, 2 b is signed. */
BW_EVALUATOR(idp4a)
{
    for (int l = 0; l < BW_LANES; l++) {
        uint32_t sum = c->v[l];
        for (int k = 0; k < 32; k += 8) {
            uint32_t p = a->v[l] >> k & 255, q = b->v[l] >> k & 255;
            int32_t x = i->mode & 1 ? (int8_t)p : (int32_t)p,
                    y = i->mode & 2 ? (int8_t)q : (int32_t)q;
            sum += (uint32_t)(x * y);
        }
        d->v[l] = sum;
    }
}
