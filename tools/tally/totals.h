/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * totals: what the requests of traces cost, summed for each instruction.
 *
 * Owns its rows and their texts. Adding and merging commute, and the example of a row is chosen by
 * the requests alone, so totals are the same in whatever order and however divided the requests
 * come: by threads, processes or machines. Memory grows with the number of instructions, never
 * with the number of requests. It knows no file and no form.
 *
 * Counts are of requests with their copies. One thread at a time.
 */
#ifndef BANKWISE_TOTALS_H
#define BANKWISE_TOTALS_H

#include "bankwise.h"
#include "index.h"

/* What an instruction is told by. What a trace does not say is NULL or 0. */
typedef struct bw_total_key {
    const char *kernel;
    uint64_t line, column; /* of the source */
    bool has_address;
    uint64_t address; /* of the instruction within the kernel, in bytes */
    const char *opcode;
    bw_op op;
} bw_total_key;

/* A request with where it stands in its trace. */
typedef struct bw_total_example {
    bw_request request; /* without what it has besides addresses */
    uint32_t wavefronts;
    const char *file;
    uint64_t line, block, warp; /* line or record, from 1 */
} bw_total_example;

/* The same, of a request that is elsewhere. */
typedef struct bw_total_place {
    const bw_request *request;
    const char *file;
    uint64_t line, block, warp;
} bw_total_place;

typedef struct bw_total {
    bw_total_key key;
    uint64_t requests, wavefronts, ideal, cycles;
    uint64_t excess_layout, excess_serial;
    uint64_t at_least;      /* requests whose cost is a lower bound */
    uint64_t degree_sum;    /* over requests */
    uint32_t degree;        /* the largest */
    bw_basis basis;         /* the weakest */
    bw_total_example worst; /* most wavefronts; of several the first by file and line */
    const char *given;      /* by bw_totals_add: the text of the worst's file; private */
} bw_total;

/* What was in a trace and is not in the rows. */
typedef struct bw_total_other {
    const char *opcode; /* or operation */
    const char *why;    /* why it has no price */
    uint64_t count;
} bw_total_other;

/* A trace that was read. */
typedef struct bw_total_file {
    const char *name, *form;
    bool guesses_lanes; /* its form does not say which lanes were active: all were taken */
} bw_total_file;

typedef struct bw_totals {
    bw_arena arena;
    bw_index index;
    bw_total *rows; /* malloc'd */
    size_t count, capacity;
    uint64_t requests;      /* of all rows */
    uint64_t skipped;       /* instructions that are not of shared memory */
    uint64_t idle;          /* such of shared memory in which no lane took part */
    bw_total_other *others; /* malloc'd */
    size_t other_count, other_capacity;
    bw_total_file *files; /* malloc'd */
    size_t file_count, file_capacity;
    bool overflow; /* more than can be counted */
} bw_totals;       /* zero-initialise to begin */

void bw_totals_finish(bw_totals *totals);

/* The row of the key, which is made if there is none; its texts are copied. The pointer is good
 * until the next call. */
bw_total *bw_totals_row(bw_totals *totals, const bw_total_key *key);
/* Adds a request with its cost, `copies` times; the text at->file lives as long as the totals; sets
 * totals->overflow where that is too much. */
void bw_totals_add(bw_totals *totals, bw_total *row, const bw_total_place *at, const bw_cost *cost,
                   uint64_t copies);
/* Counts what is not priced. */
void bw_totals_other(bw_totals *totals, const char *opcode, const char *why, uint64_t count);
/* Adds a trace; its texts are copied. */
void bw_totals_file(bw_totals *totals, const bw_total_file *file);
/* Adds all of *more. */
void bw_totals_merge(bw_totals *totals, const bw_totals *more);
/* Puts rows, others and files into their order: of rows the most excessive wavefronts first, then
 * by key. */
void bw_totals_sort(bw_totals *totals);
/* The sum of all rows; its key is empty, its example the worst of all. */
bw_total bw_totals_sum(const bw_totals *totals);

#endif
