/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Evaluators of several small integers in a word, and of what is cut to a range. bw_ins.part is the
 * bits of each (8, 16 or 32); bit n of bw_ins.add says that source n has a minus, whose complement
 * is in xor_mask.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "lanes_inside.h"

/* Part k of source n in a lane, extended. */
static inline int64_t part_of(const bw_ins *i, int n, const bw_vec *v, int l, unsigned k)
{
    unsigned bits = i->part;
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    uint64_t word = (v->v[l] ^ i->xor_mask[n]) >> (k * bits);
    uint64_t x = (word + (i->add >> n & 1)) & mask;
    bool negative = i->is_signed && x >> (bits - 1);
    return negative ? (int64_t)(x | ~mask) : (int64_t)x;
}

static inline uint32_t put_part(const bw_ins *i, int64_t value, unsigned k)
{
    return (uint32_t)((uint64_t)value & (((uint64_t)1 << i->part) - 1)) << (k * i->part);
}

/* A sum of two parts wraps. */
static inline int64_t wrapped(const bw_ins *i, int64_t sum)
{
    unsigned up = 64u - i->part;
    return i->is_signed ? (int64_t)((uint64_t)sum << up) >> up
                        : (int64_t)((uint64_t)sum << up >> up);
}

BW_EVALUATOR(vadd)
{
    for (int l = 0; l < BW_LANES; l++) {
        uint32_t result = 0;
        for (unsigned k = 0; k * i->part < 32; k++)
            result |= put_part(i, part_of(i, 0, a, l, k) + part_of(i, 1, b, l, k), k);
        d->v[l] = result;
    }
}

static inline int64_t clamp(int64_t x, int64_t least, int64_t most)
{
    return x < least ? least : x > most ? most : x;
}

/* a + b, cut to 32 signed bits. (A minus of the least number is one more than the largest.) */
BW_EVALUATOR(iadd_sat)
{
    for (int l = 0; l < BW_LANES; l++) {
        int64_t p = (int32_t)(a->v[l] ^ i->xor_mask[0]), q = (int32_t)(b->v[l] ^ i->xor_mask[1]);
        int64_t sum = p + q + (i->add & 1) + (i->add >> 1 & 1);
        d->v[l] = (uint32_t)(int32_t)clamp(sum, INT32_MIN, INT32_MAX);
    }
}

static inline int64_t pick(int64_t p, int64_t q, bool smaller)
{
    return (p < q) == smaller ? p : q;
}

/* min or max of two or three, or of a + b and c; at least 0 with .RELU. */
BW_EVALUATOR(vmnmx)
{
    for (int l = 0; l < BW_LANES; l++) {
        bool smaller = io->in[0] >> l & 1;
        uint32_t result = 0;
        for (unsigned k = 0; k * i->part < 32; k++) {
            int64_t x = part_of(i, 0, a, l, k), y = part_of(i, 1, b, l, k);
            x = i->mode & BW_MNMX_ADD ? wrapped(i, x + y) : pick(x, y, smaller);
            if (i->source_count == 3)
                x = pick(x, part_of(i, 2, c, l, k), smaller);
            if (i->mode & BW_MNMX_RELU && x < 0)
                x = 0;
            result |= put_part(i, x, k);
        }
        d->v[l] = result;
    }
}

/* |a - b| + c */
BW_EVALUATOR(vabsdiff)
{
    for (int l = 0; l < BW_LANES; l++) {
        int64_t p = i->is_signed ? (int32_t)a->v[l] : (int64_t)a->v[l],
                q = i->is_signed ? (int32_t)b->v[l] : (int64_t)b->v[l];
        d->v[l] = (uint32_t)(p < q ? q - p : p - q) + c->v[l];
    }
}

/* |a - b| of four bytes; mode 1: their sum and c (.ACC). */
BW_EVALUATOR(vabsdiff4)
{
    for (int l = 0; l < BW_LANES; l++) {
        uint32_t packed = 0, sum = c->v[l];
        for (unsigned k = 0; k < 32; k += 8) {
            uint32_t p = a->v[l] >> k & 255, q = b->v[l] >> k & 255, off = p < q ? q - p : p - q;
            packed |= off << k;
            sum += off;
        }
        d->v[l] = i->mode == 1 ? sum : packed;
    }
}

static inline int32_t extended(uint32_t v, unsigned bits, bool is_signed)
{
    unsigned up = 32 - bits;
    return is_signed ? (int32_t)(v << up) >> up : (int32_t)(v << up >> up);
}

/* Two products of 16 and 8 bits, and c. mode: 1 and 2 as of idp4a, 4 the upper two bytes of b. */
BW_EVALUATOR(idp2a)
{
    for (int l = 0; l < BW_LANES; l++) {
        uint32_t sum = c->v[l], bytes = b->v[l] >> (i->mode & 4 ? 16 : 0);
        for (unsigned k = 0; k < 2; k++)
            sum += (uint32_t)(extended(a->v[l] >> (16 * k), 16, i->mode & 1) *
                              extended(bytes >> (8 * k), 8, i->mode & 2));
        d->v[l] = sum;
    }
}

static inline uint32_t cut(const bw_ins *i, uint32_t v)
{
    int64_t most = ((int64_t)1 << (i->part - (i->is_signed ? 1 : 0))) - 1;
    return (uint32_t)clamp((int32_t)v, i->is_signed ? -most - 1 : 0, most);
}

/* A signed number cut to fewer bits. */
BW_EVALUATOR(i2i_sat)
{
    BW_FOR_LANES (l)
        d->v[l] = cut(i, a->v[l]);
}

/* Two of them beside each other, b lowest; what is left above is c's (PTX ISA, "cvt.pack"). */
BW_EVALUATOR(i2ip_sat)
{
    const uint32_t mask = (1u << i->part) - 1, above = 2u * i->part;
    BW_FOR_LANES (l) {
        uint32_t low = (cut(i, a->v[l]) & mask) << i->part | (cut(i, b->v[l]) & mask);
        d->v[l] = above < 32 ? c->v[l] << above | low : low;
    }
}

/* Pairs of registers. */
BW_EVALUATOR(imnmx64)
{
    bw_vec low, high;
    for (int l = 0; l < BW_LANES; l++) {
        uint64_t p = bw_pair(a, l), q = bw_pair(b, l);
        bool less = i->is_signed ? (int64_t)p < (int64_t)q : p < q;
        uint64_t r = less == (io->in[0] >> l & 1) ? p : q;
        low.v[l] = (uint32_t)r, high.v[l] = (uint32_t)(r >> 32);
    }
    d[0] = low, d[1] = high;
}
