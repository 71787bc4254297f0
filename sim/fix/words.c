/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <inttypes.h>
#include <string.h>

#include "fix.h"
#include "numbers.h"

#define WORD 4u
#define BANKS 32u

const char *bw_layout_kind_name(bw_layout_kind kind)
{
    static const char *const names[] = {
        [BW_LAYOUT_PAD] = "pad",         [BW_LAYOUT_XOR] = "xor",
        [BW_LAYOUT_SWIZZLE] = "swizzle", [BW_LAYOUT_ORDER] = "order",
        [BW_LAYOUT_EVERY] = "flat",      [BW_LAYOUT_STRUCT] = "struct",
        [BW_LAYOUT_MEMBERS] = "members", [BW_LAYOUT_SOA] = "soa",
    };
    _Static_assert(sizeof names / sizeof *names == BW_LAYOUT_KINDS, "a name for each");
    return (unsigned)kind < BW_LAYOUT_KINDS ? names[kind] : "?";
}

/* ---- shapes ---- */

static const char *dimensions(bw_arena *arena, const uint32_t *dim, unsigned dims)
{
    const char *text = "";
    for (unsigned i = 0; i < dims; i++)
        text = bw_arena_format(arena, "%s[%" PRIu32 "]", text, dim[i]);
    return text;
}

const char *bw_array_shape(bw_arena *arena, const bw_array *a)
{
    return bw_arena_format(arena, "%s%s%s%s", a->elem_type ? a->elem_type : "",
                           a->elem_type ? " " : "", a->name, dimensions(arena, a->dim, a->dims));
}

static const char *changed_shape(bw_arena *arena, const bw_layout *l, const bw_array *a)
{
    uint32_t dim[BW_MAX_DIMENSIONS];
    for (unsigned i = 0; i < a->dims; i++)
        dim[i] = a->dim[l->kind == BW_LAYOUT_ORDER ? l->order[i] : i] + (uint32_t)l->pad[i];
    return bw_arena_format(arena, "%s -> %s", dimensions(arena, a->dim, a->dims),
                           dimensions(arena, dim, a->dims));
}

/* "[i][j] -> [j][i]" */
static const char *changed_order(bw_arena *arena, const bw_layout *l, unsigned dims)
{
    const char *from = "", *to = "";
    for (unsigned i = 0; i < dims; i++) {
        from = bw_arena_format(arena, "%s[%c]", from, "ijklmn"[i]);
        to = bw_arena_format(arena, "%s[%c]", to, "ijklmn"[l->order[i]]);
    }
    return bw_arena_format(arena, "%s -> %s", from, to);
}

/* ---- titles ---- */

/* "(r >> 1 & 3) << 3" */
static const char *mix_text(bw_arena *arena, const bw_layout *l, const bw_array *a)
{
    bool whole = l->factor == 1 && a->dim[l->row] <= 1u << (l->shift + l->bits);
    if (whole && !l->shift && !l->base)
        return "r";
    const char *text = l->shift ? bw_arena_format(arena, "r >> %u", l->shift) : "r";
    if (l->factor > 1)
        text =
            bw_arena_format(arena, l->shift ? "(%s) * %" PRIu32 : "%s * %" PRIu32, text, l->factor);
    if (!whole)
        text = bw_arena_format(arena, "(%s & %u)", text, (1u << l->bits) - 1);
    else if (l->shift)
        text = bw_arena_format(arena, "(%s)", text);
    return l->base ? bw_arena_format(arena, "(%s << %u)", text, l->base) : text;
}

static const char *xor_title(bw_arena *arena, const bw_layout *l, const bw_array *a)
{
    bw_layout s;
    const char *places = "";
    for (unsigned i = 0; i + 1 < a->dims; i++)
        places = bw_arena_format(arena, "%s[%c]", places, i == l->row ? 'r' : "ijklm"[i % 5]);
    const char *also = "";
    if (bw_xor_as_swizzle(l, a, &s))
        also = bw_arena_format(arena, ", Swizzle<%u, %u, %d> of the element index", s.bits, s.base,
                               s.distance);
    return bw_arena_format(arena, "swizzle the columns: %s[c] -> %s[c ^ %s]%s", places, places,
                           mix_text(arena, l, a), also);
}

static const char *swizzle_title(bw_arena *arena, const bw_layout *l)
{
    uint32_t mask = ((1u << l->bits) - 1) << l->base;
    const char *mix = l->distance > 0
                          ? bw_arena_format(arena, "(i >> %d & %" PRIu32 ")", l->distance, mask)
                          : bw_arena_format(arena, "((i & %" PRIu32 ") << %d)", mask, -l->distance);
    return bw_arena_format(arena, "swizzle the element index: i -> i ^ %s, Swizzle<%u, %u, %d>",
                           mix, l->bits, l->base, l->distance);
}

static bool loses_elements(const bw_layout *l, const bw_array *a)
{
    bool loses = false;
    for (unsigned i = 1; i < a->dims; i++)
        loses |= l->pad[i] < 0;
    return loses;
}

const char *bw_layout_title(bw_arena *arena, const bw_layout *l, const bw_array *a)
{
    switch (l->kind) {
    case BW_LAYOUT_PAD:
        return bw_arena_format(arena, "%s the rows: %s", loses_elements(l, a) ? "shorten" : "pad",
                               changed_shape(arena, l, a));
    case BW_LAYOUT_XOR: return xor_title(arena, l, a);
    case BW_LAYOUT_SWIZZLE: return swizzle_title(arena, l);
    case BW_LAYOUT_ORDER:
        return bw_arena_format(arena, "%s the dimensions: %s, %s",
                               a->dims == 2 ? "swap" : "reorder", changed_order(arena, l, a->dims),
                               changed_shape(arena, l, a));
    case BW_LAYOUT_EVERY:
        return bw_arena_format(arena, "leave %" PRIu32 " element%s unused after each %" PRIu32,
                               l->extra, l->extra == 1 ? "" : "s", l->every);
    case BW_LAYOUT_STRUCT:
        return bw_arena_format(arena, "pad struct %s: %" PRIu32 " -> %" PRIu32 " bytes",
                               a->struct_name, a->elem, a->elem + l->extra);
    case BW_LAYOUT_MEMBERS:
        return bw_arena_format(arena, "order the members of struct %s by alignment",
                               a->struct_name);
    case BW_LAYOUT_SOA: return "a struct of arrays instead of an array of structs";
    case BW_LAYOUT_KINDS: break;
    }
    return "";
}

/* ---- reasons ---- */

/* How many of the first rows of `bytes` begin in different banks. */
static unsigned different_banks(uint64_t bytes)
{
    uint32_t seen = 0;
    for (unsigned row = 0; row < BANKS; row++) {
        uint32_t bank = 1u << (row * bytes / WORD % BANKS);
        if (seen & bank)
            return row;
        seen |= bank;
    }
    return BANKS;
}

/* "a row is now 33 words, and 33 is odd, so 32 rows fall into 32 banks", of at most `rows` */
static const char *stride_reason(bw_arena *arena, const char *what, const char *many, uint64_t rows,
                                 uint64_t bytes)
{
    uint32_t words = (uint32_t)(bytes / WORD), common = bw_gcd(words, BANKS);
    uint32_t apart = bytes % WORD ? different_banks(bytes) : BANKS / common;
    apart = rows < apart ? (uint32_t)rows : apart;
    const char *banks = bw_arena_format(
        arena, "so %" PRIu32 " %s begin in %" PRIu32 " different banks", apart, many, apart);
    if (bytes % WORD)
        return bw_arena_format(arena, "%s is now %" PRIu64 " bytes long, %s", what, bytes, banks);
    if (common == 1)
        return bw_arena_format(arena,
                               "%s is now %" PRIu32 " words long, and %" PRIu32 " is odd, %s", what,
                               words, words, banks);
    return bw_arena_format(arena,
                           "%s is now %" PRIu32 " words long: gcd(%" PRIu32 ", 32) = %" PRIu32
                           ", %s, %" PRIu32 " apart",
                           what, words, words, common, banks, common);
}

/* Rows of dimension `dim` that lie at equal distances: those of a slice, where slices are padded.
 */
static uint64_t rows_of(const bw_layout *l, const bw_array *a, unsigned dim)
{
    uint64_t rows = 1;
    bool apart = false;
    for (unsigned i = dim; i-- > 0 && !apart;) {
        rows *= a->dim[i];
        apart = i > 0 && l->pad[i];
    }
    return rows;
}

static uint64_t elements_of(const bw_array *a)
{
    return a->elem ? a->bytes / a->elem : 0;
}

/* Into how many columns the rows put one column. */
static unsigned column_places(const bw_layout *l, const bw_array *a)
{
    uint64_t seen[4] = {0};
    unsigned count = 0;
    for (uint32_t r = 0; r < a->dim[l->row]; r++) {
        uint32_t to = (r >> l->shift) * l->factor & ((1u << l->bits) - 1);
        if (!(seen[to / 64] >> to % 64 & 1))
            count++;
        seen[to / 64] |= UINT64_C(1) << to % 64;
    }
    return count;
}

static const char *pad_reason(bw_arena *arena, const bw_layout *l, const bw_array *a)
{
    uint64_t bytes = a->elem;
    const char *text = NULL;
    for (unsigned i = a->dims; i-- > 1;) {
        bool row = i == a->dims - 1u;
        bytes *= a->dim[i] + (uint64_t)l->pad[i];
        if (!l->pad[i])
            continue;
        const char *one = stride_reason(arena, row ? "a row" : "a slice", row ? "rows" : "slices",
                                        rows_of(l, a, i), bytes);
        text = text ? bw_arena_format(arena, "%s; %s", text, one) : one;
    }
    if (text && loses_elements(l, a))
        text = bw_arena_format(arena, "%s; no access here asks for what is cut off", text);
    return text ? text : "";
}

const char *bw_layout_reason(bw_arena *arena, const bw_layout *l, const bw_array *a)
{
    switch (l->kind) {
    case BW_LAYOUT_PAD: return pad_reason(arena, l, a);
    case BW_LAYOUT_XOR:
        return bw_arena_format(
            arena,
            "the rows put one column into %u different columns%s, each row stays "
            "a permutation of itself, and no byte is added",
            column_places(l, a),
            l->base ? bw_arena_format(arena, " (in pieces of %" PRIu64 " bytes)",
                                      (uint64_t)a->elem << l->base)
                    : "");
    case BW_LAYOUT_SWIZZLE:
        return bw_arena_format(arena,
                               "bits %d to %d of the index are XORed into bits %d to %d, a "
                               "permutation of the elements that adds no byte",
                               l->base + (l->distance > 0 ? l->distance : 0),
                               l->base + (l->distance > 0 ? l->distance : 0) + l->bits - 1,
                               l->base - (l->distance < 0 ? l->distance : 0),
                               l->base - (l->distance < 0 ? l->distance : 0) + l->bits - 1);
    case BW_LAYOUT_ORDER:
        return bw_arena_format(arena,
                               "neighbours in dimension %u are now neighbours in memory; a row is "
                               "%" PRIu64 " bytes long",
                               l->order[a->dims - 1] + 1u,
                               (uint64_t)a->elem *
                                   (a->dim[l->order[a->dims - 1]] + (uint64_t)l->pad[a->dims - 1]));
    case BW_LAYOUT_EVERY:
        return stride_reason(
            arena, bw_arena_format(arena, "a row of %" PRIu32 " elements", l->every), "rows",
            elements_of(a) / l->every, (uint64_t)a->elem * (l->every + l->extra));
    case BW_LAYOUT_STRUCT:
        return stride_reason(arena, "the struct", "structs", elements_of(a),
                             a->elem + (uint64_t)l->extra);
    case BW_LAYOUT_MEMBERS: {
        bw_placement place;
        bool placed = bw_layout_place(&place, l, a);
        return stride_reason(arena, "with no holes between members the struct", "structs",
                             elements_of(a), placed ? place.elem : a->elem);
    }
    case BW_LAYOUT_SOA:
        return "each member has an array of its own, in which neighbouring elements lie side by "
               "side";
    case BW_LAYOUT_KINDS: break;
    }
    return "";
}
