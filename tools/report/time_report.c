/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "time_report.h"

#include <inttypes.h>

/* Below this share of the time, more cycles of the pipe changed time by no more than the spread of
 * the measurement (gpu/MEASURED.md, "When conflicts cost time"; gpu-share.csv). */
#define HARDLY 0.5

bw_time_share bw_time_share_of(const bw_report *report)
{
    const bw_instruction *all;
    size_t count = bw_program_instructions(report->session->program, &all);
    bw_time_share share = {0};
    uint64_t quarters = 0;
    for (size_t i = 0; i < count; i++) {
        share.executed += all[i].executed;
        quarters += all[i].matrix_quarters;
    }
    if (!count || !report->trials)
        return share;
    const double trials = report->trials;
    share.issue = (double)share.executed / BW_SCHEDULERS;
    share.pipe = (double)report->sum.cycles / trials + (double)quarters / 4;
    share.excess = (double)bw_counts_excessive(&report->sum) / trials;
    return share;
}

/* What removing the excess can bring. */
static const char *verdict(bw_arena *arena, const bw_time_share *share)
{
    const double busy = share->pipe / share->issue, left = share->pipe - share->excess;
    if (busy < HARDLY)
        return bw_arena_format(arena,
                               "the pipe is busy %.0f%% of the time at the most, and below half of "
                               "it more conflicts changed time by -5 to +8%% (measured on sm_90): "
                               "removing the excess hardly matters.",
                               100 * busy);
    if (share->pipe <= share->issue)
        return bw_arena_format(arena,
                               "the pipe is busy %.0f%% of the time at the most: removing the "
                               "excess brings little, unless few warps are there to hide it.",
                               100 * busy);
    return bw_arena_format(arena,
                           "time is the larger of the two (measured on sm_90): without the "
                           "excess at best %.6g instead of %.6g cycles, if nothing else takes "
                           "longer.",
                           left > share->issue ? left : share->issue, share->pipe);
}

const char *bw_time_text(bw_arena *arena, const bw_report *report)
{
    const bw_time_share share = bw_time_share_of(report);
    if (!share.executed || share.excess <= 0)
        return NULL;
    return bw_arena_format(arena,
                           "Time: the pipe of shared memory is busy %.6g cycles, %.0f%% of them "
                           "excess; issuing %" PRIu64 " instructions takes %.6g at the least; %s",
                           share.pipe, 100 * share.excess / share.pipe, share.executed, share.issue,
                           verdict(arena, &share));
}

void bw_time_put(bw_node *parent, const bw_report *report)
{
    const bw_time_share share = bw_time_share_of(report);
    if (!share.executed)
        return;
    bw_node *to = bw_put_object(parent, "time");
    BW_PUT(to, BW_M("warp_instructions", share.executed));
    bw_put_real(to, "issue_cycles", share.issue);
    bw_put_real(to, "pipe_cycles", share.pipe);
    bw_put_real(to, "excess_cycles", share.excess);
}
