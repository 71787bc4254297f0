/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * comparison: recordings held against the model, row by row.
 *
 * Owns the rule which measured column is compared with which predicted number, and for which
 * operations; and everything that is counted on the way. Recordings are read as streams: memory
 * does not grow with the number of rows. Every output of `compare` reads what is here and computes
 * nothing of its own. It knows no output format.
 *
 * The rule, one line a column (bw_column_at):
 *
 *     hw_wavefronts    the hardware's counter; equals the predicted wavefronts, but not of
 *                      cp.async.16, which the counter does not see, nor of 64-bit compare-and-swap
 *                      loops whose count depends on values, which a request does not have
 *     cycles           clock64(), rounded; equals the predicted cycles, but not for
 * compare-and-swap loops (their other instructions take time) and cp.async (the global side does)
 *     hw_conflicts, sass_wavefronts, sass_ideal
 *                      the profiler's further numbers, against what we say it shows; without the
 *                      requests for which we do not know its arithmetic
 *
 * A row is *scored* in a column if the column's rule covers its operation, the cell is not empty
 * and the recording does not mark it `unstable`. The first two columns are the model's own: they
 * alone make the confusion matrix, the mismatches that are shown, and the baselines' rates.
 */
#ifndef BANKWISE_COMPARISON_H
#define BANKWISE_COMPARISON_H

#include "baseline.h"
#include "document.h"
#include "options.h"
#include "output.h"
#include "statistics.h"
#include "stream.h"

typedef enum bw_column_id {
    BW_COLUMN_HW_WAVEFRONTS,
    BW_COLUMN_CYCLES,
    BW_COLUMN_OWN, /* how many are the model's own */
    BW_COLUMN_HW_CONFLICTS = BW_COLUMN_OWN,
    BW_COLUMN_SASS_WAVEFRONTS,
    BW_COLUMN_SASS_IDEAL,
    BW_COLUMN_IDS
} bw_column_id;

typedef struct bw_column_rule {
    const char *name;     /* in recordings */
    const char *compared; /* "predicted cycles" */
    const char *exempt;   /* why some operations are not scored */
} bw_column_rule;

const bw_column_rule *bw_column_at(bw_column_id column);

/* Whether clock64() counts what `op` takes of the pipe. */
bool bw_clock_is_exact(bw_op op);

/*
 * Whether the hardware's counter tells what the request takes, whatever the values in memory. Not
 * so for cp.async.16; for 64-bit minima and maxima, which do not swap where nothing improves; and
 * for other 64-bit loops in which both halves of the warp have one address, as the later half goes
 * round again if the earlier one changed the value (gpu/MEASURED.md, "Compare-and-swap loops go by
 * values").
 */
bool bw_counter_is_exact(const bw_request *request, const bw_cost *cost);

/* What one column says of one operation. */
typedef struct bw_score {
    uint64_t rows, equal;                 /* scored; and of those equal to the prediction */
    uint64_t over, under;                 /* predicted more, predicted less, than measured */
    uint64_t exempt, unstable, empty;     /* not scored, and why */
    uint64_t baseline[BW_BASELINE_COUNT]; /* equal, by baseline; of the model's own columns */
    double error_sum;                     /* of |predicted - measured| / measured, measured > 0 */
    uint64_t error_rows;
} bw_score;

/* A row that disagrees. */
typedef struct bw_mismatch {
    const char *file;
    unsigned line;
    bw_column_id column;
    uint32_t predicted;
    double measured;
    bw_request request;
} bw_mismatch;

/* How often `predicted` was measured as `measured`. */
typedef struct bw_confusion {
    uint32_t predicted;
    int64_t measured;
    uint64_t rows;
} bw_confusion;

/* One file, as far as it says where it comes from. NULL: it does not. */
typedef struct bw_recording {
    const char *file, *device, *driver;
    const bw_arch *arch;
    const char *arch_note; /* where the architecture's choice wants a word, or NULL */
    uint64_t rows;
    bool has[BW_COLUMN_IDS];
    const char *ignored; /* names of columns that are not compared, or NULL */
} bw_recording;

typedef struct bw_comparison {
    const bw_args *args;
    bw_recording *recordings; /* malloc'd */
    size_t recording_count;
    uint64_t rows;
    bool has[BW_COLUMN_IDS]; /* some recording has the column */
    bw_score scores[BW_COLUMN_IDS][BW_OP_COUNT];
    bw_sampler samples[BW_COLUMN_OWN]; /* predicted against measured, rounded */
    bw_sampler times;                  /* predicted wavefronts against measured cycles */
    bw_confusion *cells; /* malloc'd; after bw_comparison_end by predicted, then measured */
    size_t cell_count, cell_capacity;
    uint64_t cells_dropped; /* rows past the most cells that are kept */
    size_t *slots;          /* of cells, by hash; NULL after bw_comparison_end */
    size_t slot_count;
    bw_mismatch *mismatches; /* malloc'd; the first --show */
    size_t mismatch_count, mismatch_capacity;
    bool no_baselines; /* an architecture without them took part */
    bw_arena arena;
} bw_comparison;

/* Pairs that correlations and the line are made from: enough for three digits, and 100,000 rows
 * stay well below a second. */
#define BW_COMPARE_SAMPLE 20000
/* Different pairs of predicted and measured that are kept; real recordings have some hundred. */
#define BW_COMPARE_CELLS 65536

void bw_comparison_begin(bw_comparison *comparison, const bw_args *args);
/* Reads one recording ("-": standard input) to its end. False after an error, which was printed. */
bool bw_comparison_read(bw_comparison *comparison, const char *path);
/* Sorts what was gathered; call once, after the last recording. */
void bw_comparison_end(bw_comparison *comparison);
void bw_comparison_finish(bw_comparison *comparison);

/* The sum over all operations. */
bw_score bw_comparison_total(const bw_comparison *comparison, bw_column_id column);
/* The sum over the model's own columns: of one operation, or of all where op is BW_OP_COUNT. */
bw_score bw_comparison_own(const bw_comparison *comparison, bw_op op);
/* Mean of |predicted - measured| / measured; 0 where nothing was scored. */
double bw_score_mape(const bw_score *score);

/* Whether every column that was scored reaches --min-match, and one was scored; true without it. */
bool bw_comparison_passes(const bw_comparison *comparison);

/* The architecture that a recording's `# device:` names as (sm_NN), or NULL. */
const bw_arch *bw_device_arch(const char *device);
/* A cell as a decimal number; false where it is none, or one beyond 1e15 either way. */
bool bw_cell_number(const char *text, double *value);

/* Writes it in the format that the options ask for. */
void bw_comparison_write(const bw_comparison *comparison, const bw_output *output);
/* The text of a comparison, which `document` is. */
void bw_comparison_text(const bw_comparison *comparison, const bw_node *document,
                        const bw_output *output);

/* `compare --ncu`: a profiler's report against the prediction for a pattern (cmd_compare_ncu.c). */
bw_exit bw_compare_ncu(const bw_args *args, bw_output *output);
/* `compare --ncu-command`: what to type for such a report (cmd_compare_command.c). */
void bw_compare_command(const bw_args *args, bw_output *output);

#endif
