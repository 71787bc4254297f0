/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * regions: where the layout is at fault in machine code, and what would cure it.
 *
 * Machine code names no arrays. Owns the finding of regions of a block's shared memory, stretches
 * that no access crosses, from what each access asked and from the arrays that a file's symbols
 * tell; and for each the cheapest padding and the cheapest swizzle of its bytes, priced with every
 * request that was recorded. It knows no source text: which indices must change it cannot say, only
 * which accesses ask the region. One regions a thread.
 *
 * Units: addresses and sizes are bytes in a block's shared memory; counts are for the whole grid.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_REGIONS_H
#define BANKWISE_REGIONS_H

#include "search.h"

typedef enum bw_cure_kind {
    BW_CURE_PAD,     /* bytes left unused after each so many: layout.every, layout.extra elements */
    BW_CURE_SWIZZLE, /* an XOR of the offset: layout.bits, base, distance, of the element's index */
    BW_CURES
} bw_cure_kind;

typedef struct bw_cure {
    bool found;
    bw_layout layout;
    uint64_t excessive; /* wavefronts that are left */
    int64_t growth;     /* bytes */
} bw_cure;

/* How far the answer goes. */
typedef enum bw_region_verdict {
    BW_REGION_CLEAN,  /* nothing is excessive */
    BW_REGION_CURED,  /* a cure was found */
    BW_REGION_PROVED, /* no layout costs less: lanes ask the same words, in turn */
    BW_REGION_OPEN,   /* no padding and no swizzle that were tried saves a tenth of the excess */
} bw_region_verdict;

typedef struct bw_region {
    const char *name; /* of the array that it is, or lies in; NULL: not known */
    uint32_t base, bytes;
    uint64_t wavefronts, excessive; /* of the recorded requests */
    uint32_t elem;                  /* bytes of the narrowest access: what layouts move */
    bw_cure cures[BW_CURES];
    bw_region_verdict verdict;
    bool partial; /* cures were searched with a sample of the requests; what is left is of all */
} bw_region;

typedef struct bw_extent {
    uint32_t from, end; /* end 0: no request */
} bw_extent;

/* Zero-initialise, begin, then add all requests of a run; solve; finish frees. */
typedef struct bw_regions {
    bw_array whole;
    bw_traffic requests;
    bool cut;           /* not all requests were recorded: there are too many different ones */
    bw_extent *extents; /* malloc'd, by access */
    size_t access_count;
    bw_region *regions; /* malloc'd, by address */
    size_t count;
} bw_regions;

void bw_regions_begin(bw_regions *regions, const bw_arch *arch);
void bw_regions_add(bw_regions *regions, uint32_t access, const bw_request *request,
                    uint64_t copies);
/* `arrays`: those that are known, by address; they must outlive the regions. */
void bw_regions_solve(bw_regions *regions, const bw_shared_array *arrays, size_t count);
void bw_regions_finish(bw_regions *regions);

/* The region that an access asks; NULL where it made no request. */
const bw_region *bw_region_of(const bw_regions *regions, size_t access);
/* Whether the active lanes, in order, are equally far apart, and how many bytes. */
bool bw_request_stride(const bw_request *request, int64_t *stride);
/* What all distances between lanes of a phase that ask different words of a bank are multiples of,
 * in bytes; 0 where no two do. From compute capability 5.0 on. */
uint32_t bw_request_meeting(const bw_request *request);

#endif
