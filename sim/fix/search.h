/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * search: the cheapest layout of each kind for the traffic of one array.
 *
 * Owns the enumeration. For each kind it prices every layout of the space described below, unless
 * it can prove without pricing that the layout is no better than one it has, and keeps the best:
 * fewest cycles, then fewest bytes, then the simplest to write. It knows no source text and does no
 * I/O.
 *
 *   PAD      each dimension but the outermost (at most the three innermost) grows by 0 … max_pad,
 * or loses of its `padding` what no request asks for XOR      column ^ ((row >> shift)
 * * odd % 2^bits << base), for each row dimension SWIZZLE  every Swizzle<B, M, S> whose bits lie in
 * the index of an element, S of both signs ORDER    every order of up to four dimensions, the new
 * last one growing by 0 … max_pad EVERY    flat arrays: 1 … max_pad unused elements after each 2^n,
 * and after each `period` STRUCT   the struct grows by up to 4 * max_pad bytes MEMBERS  the members
 * by falling alignment SOA      struct of arrays
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_SEARCH_H
#define BANKWISE_SEARCH_H

#include "layout.h"
#include "traffic.h"

#define BW_MAX_PAD 64
#define BW_MAX_PERIODS 8

typedef struct bw_search_options {
    uint32_t max_pad;   /* elements; 0: BW_MAX_PAD */
    uint32_t align;     /* bytes that every row must begin at a multiple of; 0: as accesses ask */
    bool limited;       /* whether max_growth counts */
    int64_t max_growth; /* bytes that the array may grow by, in any launch */
    unsigned kinds;     /* set of 1u << bw_layout_kind that is searched; 0: all */
    bool tma;           /* only the modes of the bulk copy engine: 32, 64 and 128 bytes */
    uint32_t periods[BW_MAX_PERIODS]; /* further lengths for EVERY; 0 ends */
    bool only_periods;                /* no other lengths */
    /* PAD: how many elements of a dimension are padding already, and may go where unused */
    uint32_t padding[BW_MAX_DIMENSIONS];
    /* Called now and then with the layouts priced so far and how many there are; false stops the
     * search. NULL: never. */
    bool (*progress)(void *context, uint64_t priced, uint64_t all);
    void *context;
} bw_search_options;

typedef struct bw_found {
    bool found;
    bw_layout layout;
    uint64_t cycles; /* of the kept requests */
    int64_t growth;  /* bytes, in the launch where it is largest */
    uint32_t burden; /* how much there is to write: orders equals */
} bw_found;

typedef struct bw_search {
    bw_found best[BW_LAYOUT_KINDS];
    uint64_t cycles;  /* as it is */
    uint64_t bound;   /* no layout costs less */
    uint64_t tried;   /* layouts in the space that were priced or proved no better */
    bool interrupted; /* progress said so; the best so far is in `best` */
} bw_search;

/* Searches the sealed traffic of an array. */
void bw_search_layouts(bw_search *search, const bw_traffic *traffic,
                       const bw_search_options *options);

/* The cycles of one layout over a list of the traffic; UINT64_MAX where it breaks an access or
 * comes to more than `most`. For tests and for the search. */
uint64_t bw_layout_cycles(const bw_traffic *traffic, bw_merging list, const bw_layout *layout,
                          uint64_t most);

/*
 * What a layout gains a request on average over the kept requests, in cycles, and the standard
 * error of that: for addresses that are chance. False where the layout breaks an access.
 */
bool bw_layout_gain(const bw_traffic *traffic, const bw_layout *layout, double *mean,
                    double *error);

/* The list in which requests may be merged for this layout. */
bw_merging bw_merging_of(const bw_traffic *traffic, const bw_layout *layout);

/* For a 2^n-element row, the Swizzle<B, M, S> of the element index that a plain XOR is. False where
 * it is none. */
bool bw_xor_as_swizzle(const bw_layout *layout, const bw_array *array, bw_layout *swizzle);

#endif
