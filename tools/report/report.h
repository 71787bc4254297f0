/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report: what one launch of a pattern costs, ready to be shown in any form.
 *
 * Owns the numbers of a launch, gathered from one run, or of a random pattern from many. Every
 * output (text, JSON, CSV) and every check reads this and computes nothing of its own, so that they
 * cannot disagree. It knows no format.
 *
 * Units: counts are for the whole grid. Sums are over `trials` runs (1 unless the pattern is
 * random); divide by it to get a mean. A report refers to its session and must not outlive it.
 */
#ifndef BANKWISE_REPORT_H
#define BANKWISE_REPORT_H

#include "document.h"
#include "regions.h"
#include "session.h"
#include "tally.h"

/* A quantity over the trials of a random pattern. */
typedef struct bw_spread {
    double mean, error, min, q05, q50, q95, max; /* error: the mean's standard error; of one 0 */
} bw_spread;

/* What one trial gave for one access; zero where it made no request. */
typedef struct bw_sample {
    uint64_t wavefronts, excessive, cycles;
    uint32_t degree;
} bw_sample;

/* One access in one launch. */
typedef struct bw_report_row {
    const bw_access *access;
    bw_counts sum;                       /* over the trials */
    uint32_t degree;                     /* the largest of any request */
    double degree_mean;                  /* over all requests */
    bw_sample *samples;                  /* by trial */
    bw_spread degrees, wavefront_spread; /* of a random pattern, over the trials */
    bw_basis basis;
    bw_request worst; /* the first request with the most wavefronts, and where it was made */
    bw_sources *worst_sources; /* of it; malloc'd, NULL where it has none */
    uint32_t worst_wavefronts, worst_warp;
    uint64_t worst_block, worst_index;
    unsigned worst_trial; /* from 0 */
} bw_report_row;

/* What the least and the dearest of the blocks that were run took, in wavefronts. */
typedef struct bw_block_spread {
    uint64_t least, most;
} bw_block_spread;

typedef struct bw_report {
    const bw_session *session;
    const bw_arch *arch;
    const bw_launch *launch;
    size_t launch_index, launch_count;
    bw_report_row *rows; /* by line, column, reads before writes; those that made requests */
    size_t count;
    bw_access *folded; /* with --fold: the accesses of the rows; malloc'd */
    bw_counts sum;     /* of all rows */
    bw_spread wavefront_spread;
    bw_basis basis; /* the weakest of its rows */
    bool random;
    unsigned trials;
    uint64_t sampled; /* blocks that each trial took; 0: all of the grid's */
    uint32_t seed;
    bw_run run;             /* of the last trial */
    bw_block_spread blocks; /* of machine code: of the last trial */
    bw_regions *regions;    /* of machine code, where they are shown: layouts, solved; or NULL */
    size_t worst; /* row with the most excessive wavefronts; `count` where there is no excess */
} bw_report;

/*
 * Runs launch `index` of a parsed session: once, or a random one as often as --trials says, by
 * default as often, and as many of its blocks, as a budget of steps allows. False after an error,
 * which is in session->diags; the report is then empty. bw_report_finish frees its arrays.
 */
bool bw_report_make(bw_report *report, bw_session *session, size_t index);
void bw_report_finish(bw_report *report);

/* Whether Nsight Compute runs on such cards: of others it has no counters to predict. */
bool bw_has_profiler(const bw_arch *arch);

/* The sum over trials divided by them: exact where it is a whole number below 2^53. */
double bw_report_mean(const bw_report *report, uint64_t sum);

/* The share of the launch's wavefronts, 0 … 1. */
double bw_report_share(const bw_report *report, const bw_report_row *row);

/* "st.32", and whether it writes shared memory without reading it. */
const char *bw_row_op(const bw_report_row *row);

/* The architectures of which a card was measured: "sm_90", "sm_80 and sm_90". */
const char *bw_measured_archs(bw_arena *arena);

/* The counters that Nsight Compute would show: their names, and their sums over the trials. */
#define BW_REPORT_COUNTERS 4
const char *bw_report_counter_name(size_t index);
uint64_t bw_report_counter(const bw_counts *sum, size_t index);

/* ---- writing ---- */

/* Where all reports of a run go. Zero the last members, and end it with bw_write_end. */
typedef struct bw_writer {
    FILE *out;
    const bw_args *args;
    unsigned width;
    bool colour;
    size_t written;    /* reports so far */
    bw_node *document; /* of JSON: an array */
    bw_arena arena;    /* of the document */
    bool machine;      /* of CSV: the columns of machine code were headed */
} bw_writer;

/* The counts by name: means of sums over so many trials. */
void bw_put_counts(bw_node *to, const bw_counts *sum, uint64_t trials);
/* The report as a document, a further element of the array `parent`. */
bw_node *bw_put_report(bw_node *parent, const bw_report *report);
/* Writes a report in the format that the options ask for; JSON is written at the end. */
void bw_write_report(bw_writer *writer, const bw_report *report);
/* Ends a run: as JSON one report is an object, several are an array. */
void bw_write_end(bw_writer *writer);

/* The text of a report, which `document` is. */
void bw_text_report(const bw_writer *writer, const bw_report *report, const bw_node *document);
/* The length of a line without a comment that begins at `from` or later, and without the space
 * before it. */
size_t bw_text_code_length(const char *line, size_t length, size_t from);
/* An empty line, and the source line of an access with a caret under it. False, and nothing
 * written, where that does not fit the width. */
bool bw_text_access(FILE *out, const bw_source *source, const bw_access *access, unsigned width);

#endif
