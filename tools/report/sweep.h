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

/* The values of a parameter: from, from + step … up to `to`, or a list (step 0), whose least and
 * largest are `from` and `to`. */
typedef struct bw_range {
    const char *name;
    const char *target; /* of the definition or argument that has the range */
    int64_t from, to, step;
    int64_t *values; /* in the order given */
    size_t count;
} bw_range;

typedef struct bw_point {
    uint32_t degree;    /* the largest of any request */
    double degree_mean; /* over all requests */
    double requests, wavefronts, ideal, excessive, cycles;
    const bw_arch *arch; /* NULL where it could not be read */
    bool done, failed;   /* a point that failed has no numbers */
} bw_point;

typedef struct bw_sweep {
    const bw_args *args;
    bw_input input;
    bw_session opened;  /* has the cubin of a binary; its text is `input` */
    bw_range ranges[2]; /* the second is one value where only one parameter is swept */
    unsigned range_count;
    const char *line; /* only accesses on this line (or of this address), as given; NULL: all */
    bw_point *points; /* ranges[0] varies fastest */
    size_t count, failed;
    bool keep_going; /* past points that fail */
    bw_basis basis;  /* the weakest of all rules used */
    bool random;
    bw_arena arena;
} bw_sweep;

/* Reads the ranges among the definitions, and the file. BW_EXIT_DONE, or an error was printed. */
bw_exit bw_sweep_open(bw_sweep *sweep, const bw_args *args);
/* Evaluates all points on all cores. Where some fail, the diagnostics of the first are printed;
 * false then, unless the sweep keeps going and a point did not fail. `progress` (or NULL) is called
 * now and then, from this thread. */
bool bw_sweep_run(bw_sweep *sweep, void (*progress)(size_t done, size_t count));
void bw_sweep_close(bw_sweep *sweep);

/* Whose rules price the points. */
const bw_arch *bw_sweep_arch(const bw_sweep *sweep);
/* The value of range `which` at point `index`. */
int64_t bw_sweep_value(const bw_sweep *sweep, unsigned which, size_t index);

#endif
