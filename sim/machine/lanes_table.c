/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of evaluators of one build.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "lanes_inside.h"

#define DECLARE(name)                                                                              \
    void BW_EVALUATOR_NAME(name)(const bw_ins *i, const bw_vec *a, const bw_vec *b,                \
                                 const bw_vec *c, bw_vec *d, bw_io *io);
BW_EVALUATORS(DECLARE)

#define ENTRY(name) [BW_EV_##name] = BW_EVALUATOR_NAME(name),
const bw_evaluator BW_PASTE(bw, _lanes, BW_LANES_NAME)[BW_EV_COUNT] = {BW_EVALUATORS(ENTRY)};
