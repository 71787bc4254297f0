/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * profiler: Nsight Compute's CSV, as its command line and its window export it.
 *
 * Owns reading: what `ncu --csv` prints with `--page raw` (a column a metric, a row of units) and
 * `--page details` (a row a metric), also with `--print-summary`; and the same after a spreadsheet
 * changed the separator. Columns are found by the names in the header row, which may come again.
 * The tool's chatter (==PROF==) and what the profiled program prints are stepped over; numbers may
 * be grouped and pointed as the locale has it. It knows nothing of predictions.
 *
 * A profile owns all its texts.
 */
#ifndef BANKWISE_PROFILER_H
#define BANKWISE_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "message.h"

/* More counters than anyone compares. */
#define BW_PROFILE_MAX_METRICS 32

/* A metric of a launch. */
typedef struct bw_metric {
    const char *text; /* the cell; NULL: the report does not have it */
    const char *unit; /* "" where there is none */
    bool known;       /* `value` is a number; else `why` says why not */
    double value;
    const char *why;
} bw_metric;

/* A launch that was profiled. */
typedef struct bw_profiled {
    const char *process, *id; /* "" where the report has no such columns */
    const char *kernel;       /* as the report names it */
    const char *cc;           /* compute capability, "9.0"; or "" */
    const char *name;         /* without return type, scope, template arguments and parameters */
    const char *arguments;    /* template arguments without spaces and casts: "32,float"; or "" */
    uint32_t block[3], grid[3];
    bool has_block, has_grid;
    unsigned line; /* of its first row, from 1 */
    bw_metric metrics[BW_PROFILE_MAX_METRICS];
} bw_profiled;

typedef enum bw_profile_page { BW_PAGE_RAW, BW_PAGE_DETAILS, BW_PAGE_SUMMARY } bw_profile_page;

typedef struct bw_profile {
    bw_profiled *launches; /* malloc'd */
    size_t count, capacity;
    bw_profile_page page; /* of the last header row */
    char point;           /* decimal separator of the numbers: '.' or ',' */
    char *error;          /* of a reading that failed: "FILE:LINE: what; what to do" */
    bw_message_id error_id;
    bw_arena arena;
} bw_profile;

/*
 * Reads text[0..len), named `name` in messages, for the metrics called names[0..count), count <=
 * BW_PROFILE_MAX_METRICS. False with profile->error set where it is no such report, or where its
 * numbers cannot be read in one way only. Call bw_profile_finish in either case.
 */
bool bw_profile_read(bw_profile *profile, const char *name, const char *text, size_t len,
                     const char *const *names, size_t count);
void bw_profile_finish(bw_profile *profile);

/* The base name and the template arguments of a kernel as a report or a pattern names it:
 * "void ns::f<(int)32, float>(float *)" gives "f" and "32,float"; "_Z1fILi32EEvPf" gives "f" and
 * "32". In the arena. */
void bw_kernel_parts(bw_arena *arena, const char *kernel, const char **name,
                     const char **arguments);

/* "raw", "details", "summary". */
const char *bw_profile_page_name(bw_profile_page page);

#endif
