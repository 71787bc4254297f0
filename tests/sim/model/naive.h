/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * naive: a second model, to hold the first to.
 *
 * Written from the rules as they are worded (words, banks, sets of words, lanes that leave a loop),
 * sharing no code and no data layout with sim/: no slots, no rows, no shortcuts, speed of no
 * concern. It must never include a header private to the model.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_NAIVE_H
#define BANKWISE_NAIVE_H

#include "bankwise.h"

/* The cost of a valid request under `rules`, all members but `basis`. */
void naive_cost(bw_rules rules, const bw_request *request, bw_cost *cost);

#endif
