/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "layout.h"

#include "numbers.h"

/* An array larger than this cannot be in any card's shared memory, by far. */
#define MAX_BYTES (UINT64_C(1) << 30)

static uint64_t elements(const bw_array *array)
{
    uint64_t n = 1;
    for (unsigned i = 0; i < array->dims; i++)
        n *= array->dim[i];
    return n;
}

/* ---- making ready, a kind each ---- */

static bool place_dimensions(bw_placement *p)
{
    const bw_array *a = p->array;
    bool permuted = p->layout->kind == BW_LAYOUT_ORDER;
    uint64_t stride = a->elem, seen = 0;
    for (unsigned i = a->dims; i-- > 0;) {
        unsigned from = permuted ? p->layout->order[i] : i;
        if (from >= a->dims || seen >> from & 1)
            return false;
        seen |= UINT64_C(1) << from;
        p->stride[from] = stride;
        if ((int64_t)a->dim[from] + p->layout->pad[i] < 1)
            return false;
        stride *= (uint64_t)((int64_t)a->dim[from] + p->layout->pad[i]);
        if (stride > MAX_BYTES)
            return false;
    }
    p->bytes = stride;
    return true;
}

/* XORed bits must stay in the row: then it is a permutation of the row. */
static bool place_xor(bw_placement *p)
{
    const bw_array *a = p->array;
    const bw_layout *l = p->layout;
    if (a->dims < 2 || l->row >= a->dims - 1 || l->base + l->bits > 16 || l->shift > 16)
        return false;
    p->bytes = a->bytes;
    return a->dim[a->dims - 1] % (1u << (l->base + l->bits)) == 0;
}

static bool place_swizzle(bw_placement *p)
{
    const bw_layout *l = p->layout;
    unsigned distance = (unsigned)(l->distance < 0 ? -l->distance : l->distance);
    if (!l->bits || distance < l->bits || l->base + distance + l->bits > 24)
        return false;
    unsigned target_end = l->base + l->bits + (l->distance < 0 ? distance : 0);
    p->bytes = p->array->bytes;
    return elements(p->array) % (UINT64_C(1) << target_end) == 0;
}

static bool place_every(bw_placement *p)
{
    const bw_layout *l = p->layout;
    uint64_t n = p->array->dims == 1 ? p->array->dim[0] : 0;
    if (!l->every || !n)
        return false;
    p->bytes = (n + n / l->every * l->extra) * p->array->elem;
    return p->bytes <= MAX_BYTES;
}

static bool place_struct(bw_placement *p)
{
    if (!p->array->struct_name || p->layout->extra % p->array->align)
        return false;
    p->elem = p->array->elem + p->layout->extra;
    p->bytes = elements(p->array) * p->elem;
    return p->bytes <= MAX_BYTES;
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
    return (n + to - 1) / to * to;
}

static bool has_members(const bw_array *a)
{
    if (!a->struct_name || !a->member_count || a->member_count > BW_MAX_MEMBERS)
        return false;
    for (unsigned i = 1; i < a->member_count; i++) /* a union's members lie on each other */
        if (a->members[i].offset < a->members[i - 1].offset + a->members[i - 1].size)
            return false;
    return true;
}

static bool place_members(bw_placement *p)
{
    const bw_array *a = p->array;
    uint64_t end = 0;
    uint32_t seen = 0;
    if (!has_members(a))
        return false;
    for (unsigned i = 0; i < a->member_count; i++) {
        unsigned from = p->layout->member[i];
        if (from >= a->member_count || seen >> from & 1)
            return false;
        seen |= 1u << from;
        p->member_at[from] = round_up(end, a->members[from].align);
        end = p->member_at[from] + a->members[from].size;
    }
    p->elem = (uint32_t)round_up(end, a->align);
    p->bytes = elements(a) * p->elem;
    return true;
}

/* member[j][…] of element i becomes member[j][…][i]: neighbours in i are neighbours in memory. */
static bool place_soa(bw_placement *p)
{
    const bw_array *a = p->array;
    uint64_t end = 0;
    uint32_t align = 1;
    if (a->dims != 1 || !has_members(a))
        return false;
    for (unsigned i = 0; i < a->member_count; i++) {
        const bw_array_member *m = &a->members[i];
        if (m->dims + 1 > BW_MAX_DIMENSIONS || !m->elem)
            return false;
        align = m->align > align ? m->align : align;
        p->member_at[i] = round_up(end, m->align);
        end = p->member_at[i] + (uint64_t)m->size * a->dim[0];
    }
    p->bytes = round_up(end, align);
    return p->bytes <= MAX_BYTES;
}

bool bw_layout_place(bw_placement *p, const bw_layout *layout, const bw_array *array)
{
    *p = (bw_placement){.layout = layout, .array = array, .elem = array->elem};
    if (!array->dims || !array->elem || !elements(array))
        return false;
    uint32_t size = 1;
    for (unsigned i = array->dims; i-- > 0; size *= array->dim[i])
        p->old_size[i] = size;
    switch (layout->kind) {
    case BW_LAYOUT_PAD:
    case BW_LAYOUT_ORDER: return place_dimensions(p);
    case BW_LAYOUT_XOR: return place_xor(p);
    case BW_LAYOUT_SWIZZLE: return place_swizzle(p);
    case BW_LAYOUT_EVERY: return place_every(p);
    case BW_LAYOUT_STRUCT: return place_struct(p);
    case BW_LAYOUT_MEMBERS: return place_members(p);
    case BW_LAYOUT_SOA: return place_soa(p);
    case BW_LAYOUT_KINDS: break;
    }
    return false;
}

/* ---- one offset ---- */

/* Steps of `1 << n` are common, and shifts are much faster than divisions. */
static uint32_t divide(uint32_t a, uint32_t b)
{
    return bw_is_power_of_two(b) ? a >> __builtin_ctz(b) : a / b;
}

static uint64_t at_strides(const bw_placement *p, uint32_t index, uint32_t sub)
{
    uint64_t at = sub;
    unsigned last = p->array->dims - 1;
    for (unsigned i = 0; i < last; i++) {
        uint32_t coordinate = divide(index, p->old_size[i]);
        index -= coordinate * p->old_size[i];
        at += coordinate * p->stride[i];
    }
    return at + index * p->stride[last];
}

static uint32_t xored(const bw_placement *p, uint32_t index)
{
    const bw_layout *l = p->layout;
    const bw_array *a = p->array;
    uint32_t r = divide(index, p->old_size[l->row]);
    if (l->row) {
        uint32_t whole = divide(r, a->dim[l->row]);
        r -= whole * a->dim[l->row];
    }
    uint32_t mixed = ((r >> l->shift) * l->factor & ((1u << l->bits) - 1)) << l->base;
    /* the row begins at a multiple of 2^(base + bits), so the XOR can be done on the whole index */
    return index ^ mixed;
}

static uint32_t swizzled(const bw_layout *l, uint32_t index)
{
    unsigned distance = (unsigned)(l->distance < 0 ? -l->distance : l->distance);
    uint32_t mask = ((1u << l->bits) - 1) << l->base;
    if (l->distance >= 0)
        return index ^ (index >> distance & mask);
    return index ^ (index & mask) << distance;
}

static unsigned member_of(const bw_array *a, uint32_t sub)
{
    unsigned m = 0;
    while (m + 1 < a->member_count && a->members[m + 1].offset <= sub)
        m++;
    return m;
}

static uint64_t in_member(const bw_placement *p, uint32_t index, uint32_t sub)
{
    const bw_array *a = p->array;
    unsigned m = member_of(a, sub);
    uint32_t in = sub - a->members[m].offset;
    if (p->layout->kind == BW_LAYOUT_MEMBERS)
        return (uint64_t)index * p->elem + p->member_at[m] + in;
    uint32_t scalar = a->members[m].elem, j = in / scalar;
    return p->member_at[m] + ((uint64_t)j * a->dim[0] + index) * scalar + in % scalar;
}

uint64_t bw_placed_at(const bw_placement *p, uint32_t offset)
{
    const bw_array *a = p->array;
    if (offset >= a->bytes)
        return p->bytes + (offset - a->bytes);
    uint32_t index = divide(offset, a->elem), sub = offset - index * a->elem;
    switch (p->layout->kind) {
    case BW_LAYOUT_PAD:
    case BW_LAYOUT_ORDER: return at_strides(p, index, sub);
    case BW_LAYOUT_XOR: return (uint64_t)xored(p, index) * a->elem + sub;
    case BW_LAYOUT_SWIZZLE: return (uint64_t)swizzled(p->layout, index) * a->elem + sub;
    case BW_LAYOUT_EVERY:
        return (index + (uint64_t)index / p->layout->every * p->layout->extra) * a->elem + sub;
    case BW_LAYOUT_STRUCT: return (uint64_t)index * p->elem + sub;
    default: return in_member(p, index, sub);
    }
}

bool bw_stays_whole(const bw_placement *p, uint32_t offset, uint32_t bytes)
{
    /* the pieces that can part: elements, or in a struct the scalars of its members */
    bool members = p->layout->kind == BW_LAYOUT_MEMBERS || p->layout->kind == BW_LAYOUT_SOA;
    uint32_t step = members ? 1 : p->array->elem, into = offset % p->array->elem;
    uint64_t first = bw_placed_at(p, offset);
    for (uint32_t next = members ? 1 : step - into; next < bytes; next += step)
        if (bw_placed_at(p, offset + next) != first + next)
            return false;
    return true;
}
