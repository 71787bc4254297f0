/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * time_report: whether excess matters: the cycles that machine code keeps the pipe of shared memory
 * busy, beside those that issuing its instructions takes.
 *
 * Pure functions of a report. What a warp waits for (global memory, dependences, barriers) is not
 * known, so issuing is the least that a kernel takes, and the pipe's share the most.
 */
#ifndef BANKWISE_TIME_REPORT_H
#define BANKWISE_TIME_REPORT_H

#include "document.h"
#include "report.h"

/*
 * Warp schedulers of an SM, each of which issues one instruction a cycle: CUDA C++ Programming
 * Guide, compute capabilities 7.x to 12.x.
 */
#define BW_SCHEDULERS 4u

/* In cycles of one SM, over all blocks, as if one SM ran them. */
typedef struct bw_time_share {
    uint64_t executed; /* warp instructions */
    double issue;      /* executed / BW_SCHEDULERS */
    double pipe;       /* of shared memory, matrix instructions' reads included */
    double excess;     /* what of that is excess */
} bw_time_share;

/* All 0 where the program is no machine code. */
bw_time_share bw_time_share_of(const bw_report *report);

/* A sentence on what removing the excess can bring; NULL where there is none, or no machine code.
 * In the arena. */
const char *bw_time_text(bw_arena *arena, const bw_report *report);

/* The object "time" of a report; nothing where the program is no machine code. */
void bw_time_put(bw_node *parent, const bw_report *report);

#endif
