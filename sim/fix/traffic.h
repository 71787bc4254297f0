/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * traffic: what a program asks of one shared array, each distinct request once.
 *
 * Owns the requests of an array with their counts, and lists of them in which requests that every
 * layout of a family treats alike are merged, so that a search prices few. It knows no layouts'
 * arithmetic and no source text. One traffic a thread.
 *
 * Units: addresses of the kept requests are bytes from the array's start.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_TRAFFIC_H
#define BANKWISE_TRAFFIC_H

#include "bankwise.h"
#include "uses.h"

/* Of a random pattern so many distinct requests are searched: the rest is more of the same chance.
 */
#define BW_TRAFFIC_SAMPLE ((size_t)1 << 12)
/* Distinct requests that are kept of one array (20 MB of them); more are counted, not searched. */
#define BW_TRAFFIC_MAX ((size_t)1 << 17)

typedef struct bw_traffic_item {
    bw_request request;
    uint64_t count;
    uint32_t instance; /* index into the traffic's arrays */
    uint32_t bound;    /* no layout makes it cheaper, in cycles: see bw_layout_bound */
    uint32_t access;   /* the first access that made it */
} bw_traffic_item;

typedef struct bw_traffic_list {
    bw_traffic_item *items; /* malloc'd; by weight, the heaviest first */
    size_t count, capacity;
    uint64_t bound; /* sum of count * bound */
} bw_traffic_list;

/*
 * Which requests are merged. All are exact on compute capability 5.0 and later, whose cost depends
 * only on which words are equal and which share a bank; on older ones nothing is merged.
 */
typedef enum bw_merging {
    BW_MERGE_NONE,   /* equal requests only */
    BW_MERGE_SHIFTS, /* requests that differ by a step in each dimension: for strides */
    BW_MERGE_XORS,   /* whose element indices differ by one XOR: for swizzles of the index */
    BW_MERGE_ROWS,   /* in whose rows the columns differ by one XOR: for column ^ f(row) */
    BW_MERGE_BLOCKS, /* that are a multiple of BW_BLOCK elements apart: for flat padding */
    BW_MERGINGS,
} bw_merging;

#define BW_BLOCK 4096u

typedef struct bw_traffic {
    const bw_arch *arch;
    const bw_array **arrays; /* one for each launch that has the array; malloc'd */
    uint32_t array_count, array_capacity;
    bw_traffic_list lists[BW_MERGINGS];
    uint32_t *slots; /* hash of lists[BW_MERGE_NONE] while recording; malloc'd */
    size_t slot_count;
    uint64_t total, missed, mixed; /* requests in all; not kept; that touch other arrays as well */
    uint64_t mixed_cycles, mixed_bound; /* of the mixed: now, and whatever moves */
    bool random; /* set it before sealing: the addresses are chance, and a sample of them will do */
    bool sealed;
} bw_traffic;

/* Zero-initialise, set arch, then record; seal before searching; finish frees. */
uint32_t bw_traffic_instance(bw_traffic *traffic, const bw_array *array);
/* Takes `copies` of a request with addresses in the block's shared memory. */
void bw_traffic_add(bw_traffic *traffic, uint32_t instance, uint32_t access,
                    const bw_request *request, uint64_t copies);
/* Counts a request that asks other arrays as well: it is kept out of the search. */
void bw_traffic_mixed(bw_traffic *traffic, const bw_request *request, uint64_t copies);
void bw_traffic_seal(bw_traffic *traffic);
void bw_traffic_finish(bw_traffic *traffic);

/*
 * The fewest cycles that the request can cost in any layout that keeps different elements apart:
 * its conflict-free wavefronts, what it serialises on equal words, and the floor of its operation.
 */
uint32_t bw_layout_bound(const bw_arch *arch, const bw_request *request);

#endif
