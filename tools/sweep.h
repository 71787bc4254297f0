/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep: what a pattern costs over the range of one parameter or two.
 *
 * Owns the ranges, the points and the threads that evaluate them: every point is a session of its
 * own over a copy of the text, so points share nothing. It knows no output; progress is told to
 * whoever asks. Counts are those of reports: for the whole grid, means for random patterns.
 */
#ifndef BANKWISE_SWEEP_H
#define BANKWISE_SWEEP_H

#include "report.h"

/* Points of a sweep beyond these are a mistake, or belong into several sweeps. */
#define BW_SWEEP_MAX 100000

/* from, from + step … up to `to`. */
typedef struct bw_range {
    const char *name;
    int64_t from, to, step;
    size_t count;
} bw_range;

typedef struct bw_point {
    uint32_t degree;    /* the largest of any request */
    double degree_mean; /* over all requests */
    double requests, wavefronts, ideal, excessive, cycles;
    bool done, failed;
} bw_point;

typedef struct bw_sweep {
    const bw_args *args;
    bw_input input;
    bw_range ranges[2]; /* the second is one value where only one parameter is swept */
    unsigned range_count;
    unsigned line;    /* only accesses on this line; 0: all */
    bw_point *points; /* ranges[0] varies fastest */
    size_t count;
    bw_basis basis; /* the weakest of all rules used */
    bool random;
    bw_arena arena;
} bw_sweep;

/* Reads the ranges among the definitions, and the file. BW_EXIT_DONE, or an error was printed. */
bw_exit bw_sweep_open(bw_sweep *sweep, const bw_args *args);
/* Evaluates all points on all cores. False after an error: the first point's diagnostics were
 * printed. `progress` (or NULL) is called now and then, from this thread. */
bool bw_sweep_run(bw_sweep *sweep, void (*progress)(size_t done, size_t count));
void bw_sweep_close(bw_sweep *sweep);

/* The value of range `which` at point `index`. */
int64_t bw_sweep_value(const bw_sweep *sweep, unsigned which, size_t index);

#endif
