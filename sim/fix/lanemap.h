/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lanemap: for a fixed layout, another assignment of elements to lanes.
 *
 * The threads of a block and the iterations of a loop number the elements that an access touches:
 * bits 0 to 4 of that number are the lane, the next the warp, the rest the iteration. Another
 * assignment is another choice of which bits are the lane (the array's row and column bits hide in
 * them), or a skew: the number XORed with a part of itself, as in walking a tile along its
 * diagonals. Each access is looked at by itself. Nothing here changes a source.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_LANEMAP_H
#define BANKWISE_LANEMAP_H

#include "layout.h"

/* Bits of the element number that are searched: 2^14 elements of an access and block. */
#define BW_LANE_MAP_BITS 14
/* Bits of a lane. */
#define BW_LANE_BITS 5

typedef struct bw_lane_map {
    size_t launch;
    uint32_t access;
    uint64_t wavefronts, excessive; /* of one block, as it is */
    const char *why;                /* why nothing was searched, or NULL; static */
    unsigned bits, thread_bits;     /* of the element number; the lower ones are the thread's */
    uint64_t tried;
    uint8_t lane[BW_LANE_BITS]; /* the best choice: the element bit that is lane bit i */
    uint64_t chosen_wavefronts, chosen_excessive;
    bool skewed;                  /* a skew was found that is better than no change */
    uint8_t skew_bits, skew_base; /* Swizzle<bits, base, distance> of the number */
    int8_t skew_distance;
    uint64_t skewed_wavefronts, skewed_excessive;
} bw_lane_map;

typedef struct bw_lane_maps {
    bw_lane_map *items; /* malloc'd; accesses with excess, in the order of discovery */
    size_t count, capacity;
} bw_lane_maps;

/* Runs the pattern (a random one once) and looks at each access with excess. False after an error
 * (in diags). */
bool bw_lane_maps_find(bw_lane_maps *maps, bw_program *pattern, const bw_arch *arch,
                       bw_diags *diags);
void bw_lane_maps_finish(bw_lane_maps *maps);

/* The name of an element bit: "x0" … of threadIdx.x, "y0" …, "i0" … of the iteration. In the
 * arena. */
const char *bw_element_bit(bw_arena *arena, const bw_lane_map *map, const bw_launch *launch,
                           unsigned bit);

#endif
