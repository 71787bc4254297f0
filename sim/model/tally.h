/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tally: the costs of a stream of requests, summed for each access.
 *
 * Owns its rows. It is fed requests (by hand or as a bw_sink of the pattern language) and keeps
 * totals, the worst request and a degree histogram for each access; memory grows with the number
 * of accesses, never with the number of requests. It knows no source text and no output format.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_TALLY_H
#define BANKWISE_TALLY_H

#include "bankwise.h"
#include "message.h"

/* Counts are for the whole grid. */
typedef struct bw_counts {
    uint64_t requests, wavefronts, ideal, cycles;
    uint64_t excess_layout, excess_serial; /* excessive = their sum */
    uint64_t ncu_wavefronts, ncu_conflicts, ncu_sass_wavefronts, ncu_sass_ideal;
    /* Of loops that go by values `wavefronts` are those where every operation changes its word
     * (bw_cost.wavefronts_changing), and these those where none does; else the same. */
    uint64_t wavefronts_staying;
    uint64_t ncu_inexact; /* requests whose ncu_sass_* values are not exact */
    uint64_t at_least;    /* copies whose sources are not known: see bw_cost */
    uint64_t unplaced;    /* copies from arrays whose place is not known */
    /* How many wavefronts fewer and more there are at the places tried (bw_copy_places): of a row;
     * of several, as if each row chose its own. */
    uint64_t place_less, place_more;
} bw_counts;

/* What only copies have whose sources are known. */
typedef struct bw_tally_copies {
    bw_sources worst;                /* of the row's worst request, where `worst_sourced` */
    int64_t place_change[BW_PLACES]; /* all wavefronts at each place, less those at the first */
} bw_tally_copies;

typedef struct bw_tally_row {
    bw_counts counts;
    uint32_t degree;      /* the largest */
    double degree_sum;    /* over requests; mean = degree_sum / requests */
    uint64_t degrees[33]; /* requests by degree */
    bw_basis basis;       /* the weakest of its requests */
    bw_op op;
    /* The first request with the most wavefronts, and where it was made. */
    bw_request worst; /* without its sources */
    bool worst_sourced;
    uint32_t worst_wavefronts, worst_warp;
    uint64_t worst_block, worst_index; /* index among this access's requests */
    /* The last request and its cost, so that a like one (all addresses moved alike) costs nothing
     * to price. Private. */
    bw_request last;
    bw_cost last_cost;
    bw_ncu last_ncu;
    uint32_t last_lanes;     /* whose addresses count */
    uint32_t last_grain;     /* addresses may move by multiples of it; 0: nothing is remembered */
    bw_tally_copies *copied; /* of copies whose sources are known; malloc'd, else NULL */
} bw_tally_row;

typedef struct bw_tally {
    const bw_arch *arch;
    bw_tally_row *rows; /* by access index; malloc'd */
    size_t count, capacity;
    bw_status status;  /* the first failure, BW_OK where there was none */
    bw_request failed; /* the request it was about */
    size_t failed_row;
} bw_tally;

void bw_tally_init(bw_tally *tally, const bw_arch *arch);
void bw_tally_finish(bw_tally *tally);
/* Adds `copies` times the request to row `access`. False after a failure (see status). */
bool bw_tally_add(bw_tally *tally, size_t access, uint32_t warp, uint64_t block,
                  const bw_request *request, uint64_t copies);
/* What a failure is called. */
bw_message_id bw_tally_message(const bw_tally *tally);
/* Adds all of *more to *sum. */
void bw_counts_add(bw_counts *sum, const bw_counts *more);
/* The least and the most wavefronts at the places tried; both the sum where all are known. */
void bw_counts_range(const bw_counts *counts, uint64_t *least, uint64_t *most);
/* Sum over all rows. */
bw_counts bw_tally_total(const bw_tally *tally);
/* wavefronts - ideal. */
uint64_t bw_counts_excessive(const bw_counts *counts);

#endif
