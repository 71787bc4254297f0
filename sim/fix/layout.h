/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout: where an array's bytes lie when a kernel's author changes its layout.
 *
 * Owns the kinds of layout that the solver knows and the arithmetic of each: an old byte offset in
 * the array gives a new one, one to one. It knows no requests, no costs and no source text. Pure
 * functions; plain data; any thread.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_LAYOUT_H
#define BANKWISE_LAYOUT_H

#include "pattern.h"
#include "uses.h"

/*
 * An element's place is its index in each dimension, outermost first; r and c below are the indices
 * of a row dimension and of the last one. Sizes are elements unless they say bytes.
 */
typedef enum bw_layout_kind {
    BW_LAYOUT_PAD, /* dimensions grow, or lose what is not used: [32][32], [32][40] -> [32][33] */
    BW_LAYOUT_XOR, /* c -> c ^ ((r >> shift) * factor % 2^bits << base)                        */
    BW_LAYOUT_SWIZZLE, /* CuTe's Swizzle<bits, base, distance> on the linear element index */
    BW_LAYOUT_ORDER,  /* dimensions change places, and may grow                                   */
    BW_LAYOUT_EVERY,  /* after each `every` elements of a flat array `extra` unused ones          */
    BW_LAYOUT_STRUCT, /* the element, a struct, grows by `extra` bytes at its end                 */
    BW_LAYOUT_MEMBERS, /* the struct's members in another order */
    BW_LAYOUT_SOA, /* array of structs -> struct of arrays                                     */
    BW_LAYOUT_KINDS,
} bw_layout_kind;

/* Members of a struct that the solver moves; more make it opaque. */
#define BW_MAX_MEMBERS 32

typedef struct bw_layout {
    bw_layout_kind kind;
    int16_t
        pad[BW_MAX_DIMENSIONS]; /* PAD, ORDER: elements added, by new dimension; PAD: or fewer */
    uint8_t order[BW_MAX_DIMENSIONS]; /* ORDER: new dimension i is old dimension order[i] */
    uint8_t row;                      /* XOR: the dimension that gives r */
    uint8_t bits, base, shift;        /* XOR, SWIZZLE */
    uint32_t factor;                  /* XOR: 1 for a plain one */
    int8_t distance;                  /* SWIZZLE: may be negative, as in CuTe */
    uint32_t every, extra;            /* EVERY; STRUCT: extra, in bytes */
    uint8_t member[BW_MAX_MEMBERS];   /* MEMBERS: new place i holds old member member[i] */
} bw_layout;

/* A layout of one array, made ready for many offsets. */
typedef struct bw_placement {
    const bw_layout *layout;
    const bw_array *array;
    uint32_t old_size[BW_MAX_DIMENSIONS]; /* elements that one step of a dimension skips */
    uint64_t stride[BW_MAX_DIMENSIONS];   /* new ones, by old dimension; bytes for PAD and ORDER */
    uint64_t bytes;                       /* the array's new size */
    uint32_t elem;                        /* the element's new size in bytes */
    uint64_t member_at[BW_MAX_MEMBERS];   /* MEMBERS, SOA: the new offset of each old member */
} bw_placement;

/* False where the array cannot have this layout (an XOR that would leave the row, no struct …). */
bool bw_layout_place(bw_placement *placement, const bw_layout *layout, const bw_array *array);

/* The new byte offset of old byte offset `offset`, both from the array's start. Offsets past the
 * old end (an access out of bounds) keep their distance from the end. */
uint64_t bw_placed_at(const bw_placement *placement, uint32_t offset);

/*
 * Whether `bytes` bytes at `offset` stay together: their new offsets follow each other. This is
 * what a vector access, an asynchronous copy or a matrix row needs, besides its alignment.
 */
bool bw_stays_whole(const bw_placement *placement, uint32_t offset, uint32_t bytes);

#endif
