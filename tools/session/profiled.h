/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * profiled: reports of Nsight Compute as inputs, and the launches that they tell.
 *
 *     .ncu-rep                       ncu --import FILE --csv --page raw, and --page source
 *     CSV with both pages            as it is
 *
 * Owns the running of ncu, which is that of --ncu-tool, else the one on the PATH, never a program
 * that the input names; and what a raw page says of a launch: kernel, block, grid, shared memory
 * and the card's architecture. Arguments are in no report. It knows no counters.
 */
#ifndef BANKWISE_PROFILED_H
#define BANKWISE_PROFILED_H

#include "profiler.h"
#include "session.h"

/* Whether the bytes are a report of Nsight Compute, as it saves them. */
bool bw_profiled_is_file(const char *bytes, size_t len);

/* What is wanted of a report. */
typedef enum bw_profiled_pages {
    BW_PROFILED_COUNTERS, /* the raw page, kernels named as people read them */
    BW_PROFILED_CODE,     /* the raw page, then the source page with SASS, names mangled */
} bw_profiled_pages;

/* Where the bytes of `input` are such a report, they become what ncu prints of it. False after an
 * error, which was said. */
bool bw_profiled_print(bw_input *input, const bw_args *args, bw_profiled_pages pages);

/* The launches of the raw page that stands before the source page in a text; none where there is no
 * such page. Finish it with bw_profile_finish. */
void bw_profiled_launches(bw_profile *profile, const bw_source *source);

/* What they say of the kernel at `at` among the source page's: the n-th of a name is the raw page's
 * n-th launch of that name. All zero but `nth` where they say nothing. */
bw_launch_choice bw_profiled_choice(const bw_profile *profile, const char *const *kernels,
                                    size_t at);

/* The architecture of the report's "9.0"; NULL where it names none, or one that is not known. */
const bw_arch *bw_profiled_arch(const bw_profiled *profiled);

#endif
