/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vm_race: two warps at one address, one of them writing, and no barrier between them.
 *
 * Of every word of shared memory it keeps who wrote it last and who read it last, and after how
 * many barriers: what another warp did after the same barrier is in no order with what comes.
 * Volatile accesses and atomics among themselves are meant so; after a lock (compare and swap,
 * exchange) or a way of waiting that is not followed, nothing is said until the next barrier. One
 * table a run; it owns itself. Not thread-safe.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_VM_RACE_H
#define BANKWISE_VM_RACE_H

#include "vm.h"

/* For blocks of several warps with `bytes` bytes of shared memory; NULL where there is nothing to
 * find. */
bw_races *bw_races_create(uint32_t bytes, uint32_t warps);
void bw_races_destroy(bw_races *races); /* accepts NULL */
/* A block begins. */
void bw_races_start(bw_races *races);
/* A warp goes on, after `steps` steps of the run. False where its requests need not be seen. */
bool bw_races_turn(bw_races *races, const bw_warp *w, uint64_t steps);
/* A warp leaves the order of barriers: until its next one, nothing is said of the block. */
void bw_races_pause(bw_races *races, const bw_warp *w);
/* Takes note of a request, and reports the race that it is part of. */
void bw_races_see(bw_vm *vm, const bw_warp *w, const bw_ins *i, const bw_request *request);

#endif
