/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measurement: what a card took for the accesses of patterns, beside what was predicted.
 *
 * Owns the different requests of all accesses, what a recording says of each, and the verdicts. It
 * reads recordings and knows how they are compared (comparison.h has the rule), but neither runs a
 * card nor knows an output format: bankwise-gpu makes the recording, or it was kept.
 *
 * Units: counts are for the whole grid; cycles are summed over requests. Of a random pattern, one
 * sample is taken, as `lower` does.
 */
#ifndef BANKWISE_MEASUREMENT_H
#define BANKWISE_MEASUREMENT_H

#include "comparison.h"
#include "session.h"
#include "unique.h"

typedef enum bw_verdict {
    BW_VERDICT_MATCH,
    BW_VERDICT_OVER,     /* predicted more than measured */
    BW_VERDICT_UNDER,    /* predicted less than measured */
    BW_VERDICT_UNSTABLE, /* the card's values kept disagreeing */
    BW_VERDICT_UNMEASURED,
    BW_VERDICTS
} bw_verdict;

/* "MATCH" and so on. */
const char *bw_verdict_name(bw_verdict verdict);

/* What is known of one of the different requests; by index in bw_measurement.requests. */
typedef struct bw_taken {
    bool recorded;     /* a recording has it */
    bool unstable;     /* its values kept disagreeing, within a row or */
    bool contradicted; /* between rows                                  */
    bool has_cycles, has_wavefronts;
    double cycles, wavefronts; /* wavefronts: by the hardware's counter */
    const char *barred;        /* why it was not given to the card; NULL where it was */
    bw_cost cost;              /* filled by bw_measurement_judge */
} bw_taken;

/* One access in one launch. */
typedef struct bw_measured_access {
    const char *source, *array;
    unsigned line, column;
    bw_op op;
    bw_unique own; /* its different requests, with how often each is made */
    size_t *index; /* malloc'd: where bw_measurement.requests has each of them */
    /* Filled by bw_measurement_judge: */
    bw_verdict verdict;
    const char *reason;                    /* of every verdict but MATCH */
    uint64_t requests, wavefronts, cycles; /* predicted */
    uint64_t measured_wavefronts, measured_cycles;
    bool has_wavefronts, has_cycles;  /* all that is measured adds up to a number */
    uint64_t by_verdict[BW_VERDICTS]; /* of the different requests */
    size_t example;                   /* a request that disagrees, or BW_UNIQUE_NONE */
} bw_measured_access;

typedef struct bw_measured_launch {
    const char *file, *title, *kernel; /* kernel, title: may be NULL */
    size_t index, of;                  /* from 0 */
    uint32_t block[3], grid[3];
    bool random;
    bw_measured_access *accesses; /* malloc'd; by line, column */
    size_t count, capacity;
    size_t *by_access; /* private */
    size_t by_access_count;
} bw_measured_launch;

typedef struct bw_measurement {
    const bw_args *args;
    bw_measured_launch *launches; /* malloc'd */
    size_t count, capacity;
    bw_unique requests;
    bw_taken *taken; /* by request; malloc'd by bw_measurement_prepare */
    size_t given;    /* requests that a card is asked for */
    const char *device, *driver, *date;
    const char *recording; /* the kept recording; NULL: measured now */
    const bw_arch *arch;   /* whose rules the predictions are of */
    const char *arch_note;
    uint64_t by_verdict[BW_VERDICTS]; /* of the accesses */
    bool missing;                     /* some request is in no recording */
    bw_arena arena;
} bw_measurement;

void bw_measurement_begin(bw_measurement *measurement, const bw_args *args);
void bw_measurement_finish(bw_measurement *measurement);

/* Evaluates a pattern and adds its accesses. BW_EXIT_DONE, or BW_EXIT_USAGE after an error, which
 * was printed. */
bw_exit bw_measurement_add(bw_measurement *measurement, const char *path);

/* After the last pattern: bars requests that no card can be asked for. */
void bw_measurement_prepare(bw_measurement *measurement);
/* Writes those that a card is asked for as a request stream. */
void bw_measurement_write(const bw_measurement *measurement, FILE *out);

/* Takes what a recording says of the requests; rows of others are stepped over. False after an
 * error, which was printed. */
bool bw_measurement_replay(bw_measurement *measurement, FILE *file, const char *name);

/* Predicts and compares. False after an error, which was printed. */
bool bw_measurement_judge(bw_measurement *measurement);

/* No access disagrees or is unstable, and a kept recording has all requests. */
bool bw_measurement_passes(const bw_measurement *measurement);

void bw_measurement_report(const bw_measurement *measurement, const bw_output *output);
/* The text of a measurement, which `document` is. */
void bw_measurement_text(const bw_measurement *measurement, const bw_node *document,
                         const bw_output *output);

#endif
