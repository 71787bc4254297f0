/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * instructions: what a profiler counted of every instruction, beside what executing the machine
 * code in its report gives.
 *
 * Owns the verdicts: first on the control flow (how often warps and threads executed each
 * instruction), then on the banks (wavefronts of those that ask shared memory). A kernel is exact
 * where both are equal for all instructions. What the profiler's Source page computes by rules that
 * are not those of the banks is told apart and is no finding. It prints nothing.
 */
#ifndef BANKWISE_INSTRUCTIONS_H
#define BANKWISE_INSTRUCTIONS_H

#include "output.h"
#include "report.h"

typedef enum bw_ins_verdict {
    BW_INS_EQUAL,
    BW_INS_CONTROL,    /* executed or thread counts differ: what follows from them does too */
    BW_INS_OVER,       /* more wavefronts predicted than measured */
    BW_INS_UNDER,      /* fewer */
    BW_INS_PAGE,       /* the page's arithmetic is not known for such requests: no finding */
    BW_INS_SOURCES,    /* a copy whose wavefronts depend on its global addresses too: no finding */
    BW_INS_UNPRICED,   /* there is no rule for it: no finding */
    BW_INS_UNMEASURED, /* the report has no number */
    BW_INS_VERDICTS
} bw_ins_verdict;

typedef struct bw_ins_row {
    const bw_instruction *ins;
    bool asks;                  /* shared memory, as predicted or as measured */
    uint64_t wavefronts, ideal; /* predicted, as the Source page counts */
    uint64_t counter;           /* predicted, as the hardware's counter counts */
    bw_ins_verdict verdict;
} bw_ins_row;

/* One kernel of a report. */
typedef struct bw_ins_kernel {
    bw_session session;
    bw_report report;
    const char *name;
    bool ran; /* false: values were missing (said in the diagnostics) */
    bw_ins_row *rows;
    size_t count;
    size_t executed_equal, threads_equal; /* of count */
    size_t asking, wavefronts_equal, ideal_equal;
    size_t apart;    /* PAGE, SOURCES, UNPRICED or UNMEASURED */
    size_t findings; /* CONTROL, OVER or UNDER */
    bool exact;
} bw_ins_kernel;

/* The kernels of a report that were compared. */
typedef struct bw_ins_comparison {
    const bw_args *args;
    bw_input input;         /* the report */
    bw_ins_kernel *kernels; /* malloc'd */
    size_t count;
    bw_arena arena;
} bw_ins_comparison;

/* Runs the report's kernels (that of --kernel, or all) and compares. BW_EXIT_DONE, BW_EXIT_FINDING
 * where some kernel has findings, BW_EXIT_USAGE where one could not run, which was said. */
bw_exit bw_ins_compare(bw_ins_comparison *all);
void bw_ins_finish(bw_ins_comparison *all);

/* "EQUAL", "OVER" ... as documents name it, and a sentence about the verdict or NULL. */
const char *bw_ins_verdict_name(bw_ins_verdict verdict);
const char *bw_ins_verdict_text(bw_ins_verdict verdict);
/* CONTROL, OVER or UNDER. */
bool bw_ins_is_finding(bw_ins_verdict verdict);

/* Writes it in the format that the options ask for. */
void bw_ins_write(const bw_ins_comparison *all, const bw_output *output);
/* The text of a comparison, which `document` is. */
void bw_ins_text(const bw_ins_comparison *all, const bw_node *document, const bw_output *output);

#endif
