/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * traffic_maker: arrays and requests for the tests of the solver, from a seed.
 */
#ifndef BANKWISE_TRAFFIC_MAKER_H
#define BANKWISE_TRAFFIC_MAKER_H

#include "traffic.h"

typedef struct made {
    bw_array array;
    bw_array_member members[4];
    bw_request requests[16]; /* in the block's shared memory */
    uint64_t counts[16];
    unsigned count;
} made;

uint64_t next_random(uint64_t *state);
/* An array of 1 to 3 dimensions (or of structs) and up to 12 requests of it. Small enough for
 * everything to be enumerated. */
void make_traffic(uint64_t *state, made *to);
/* The same as a traffic; finish it. */
bw_traffic traffic_of(const made *from, const bw_arch *arch);

#endif
