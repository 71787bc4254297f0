/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pretend: a meter without a card. It answers what the model says, with noise, and can be told to
 * disagree. For the tests of gpu/; one of them at a time.
 */
#ifndef BANKWISE_PRETEND_H
#define BANKWISE_PRETEND_H

#include <stdlib.h>

#include "bankwise.h"
#include "meter.h"

typedef struct pretend {
    bw_request *slots[BW_METER_SLOTS];
    size_t counts[BW_METER_SLOTS];
    unsigned submitted;  /* batches */
    unsigned fail_after; /* batches that work; 0: all */
    unsigned wild;       /* this many batches give useless numbers first */
    double noise;        /* cycles, either way */
    /* Cycles to add to a request; NULL: none. */
    double (*deviate)(const bw_request *request);
} pretend;

static bw_request *pretend_buffer(void *context, unsigned slot, size_t count)
{
    pretend *p = context;
    free(p->slots[slot]);
    p->slots[slot] = calloc(count, sizeof(bw_request));
    return p->slots[slot];
}

static unsigned pretend_most_warps(void *context, bw_op op)
{
    (void)context, (void)op;
    return BW_LANES;
}

static bool pretend_submit(void *context, unsigned slot, bw_op op, size_t count,
                           const bw_timing *timing)
{
    pretend *p = context;
    (void)op, (void)timing;
    p->counts[slot] = count;
    p->submitted++;
    return !p->fail_after || p->submitted <= p->fail_after;
}

static bool pretend_collect(void *context, unsigned slot, double *cycles)
{
    pretend *p = context;
    const bw_arch *arch = bw_arch_find("sm_90");
    for (size_t i = 0; i < p->counts[slot]; i++) {
        const bw_request *request = &p->slots[slot][i];
        bw_cost cost;
        cycles[i] = bw_cost_of(arch, request, &cost) == BW_OK ? (double)cost.cycles : -1;
        cycles[i] += p->noise * ((double)(rand() % 2001) / 1000 - 1);
        if (p->deviate)
            cycles[i] += p->deviate(request);
        if (p->submitted <= p->wild)
            cycles[i] += 10 * p->submitted;
    }
    return true;
}

static const char *pretend_error(void *context)
{
    (void)context;
    return "pretended failure";
}

static bw_meter pretend_meter(pretend *p)
{
    return (bw_meter){p,
                      49152,
                      pretend_buffer,
                      pretend_most_warps,
                      pretend_submit,
                      pretend_collect,
                      pretend_error};
}

static void pretend_finish(pretend *p)
{
    for (int s = 0; s < BW_METER_SLOTS; s++)
        free(p->slots[s]);
}

#endif
