/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "broken_lanes.h"

#include <stdlib.h>
#include <string.h>

#define LANE 5           /* the one that is broken */
#define BITS 0x00010001u /* of its result: an approximation's lowest bit is nobody's */

static const char *const names[] = {
#define NAME(name) #name,
    BW_EVALUATORS(NAME)
#undef NAME
};

static bw_evaluator table[BW_EV_COUNT]; /* what the engine is given */
static const bw_evaluator *whole;       /* as they should be */
static unsigned long used[BW_EV_COUNT]; /* calls */
static int broken = -1;

/* A wrapper for each, that counts, and breaks the one. */
static void evaluate(int ev, const bw_ins *i, const bw_vec *a, const bw_vec *b, const bw_vec *c,
                     bw_vec *d, bw_io *io)
{
    whole[ev](i, a, b, c, d, io);
    used[ev]++;
    if (ev != broken)
        return;
    if (i->width)
        d->v[LANE] ^= BITS;
    io->out[0] ^= 1u << LANE;
    io->out[1] ^= 1u << LANE;
}

#define WRAPPER(name)                                                                              \
    static void wrap_##name(const bw_ins *i, const bw_vec *a, const bw_vec *b, const bw_vec *c,    \
                            bw_vec *d, bw_io *io)                                                  \
    {                                                                                              \
        evaluate(BW_EV_##name, i, a, b, c, d, io);                                                 \
    }
BW_EVALUATORS(WRAPPER)
#undef WRAPPER

/* In the place of the engine's own (lanes.c). */
const bw_evaluator *bw_lanes(void)
{
#define ENTRY(name) table[BW_EV_##name] = wrap_##name;
    BW_EVALUATORS(ENTRY)
#undef ENTRY
    whole = bw_lanes_plain;
    const char *name = getenv(BROKEN_VARIABLE);
    for (int ev = 0; name && ev < BW_EV_COUNT; ev++)
        broken = strcmp(names[ev], name) == 0 ? ev : broken;
    return table;
}

const bw_lane_tools *bw_lanes_tools(void)
{
    return &bw_tools_plain;
}

const char *broken_lanes_name(int evaluator)
{
    return names[evaluator];
}

void broken_lanes_set(int evaluator)
{
    broken = evaluator;
}

void broken_lanes_used(unsigned long *calls)
{
    memcpy(calls, used, sizeof used);
    memset(used, 0, sizeof used);
}
