/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vm_join: accesses of a thread to neighbouring words as nvcc joins them.
 *
 * ptxas makes one wide access of several 4- and 8-byte ones of a thread that lie in one aligned
 * stretch of 16 bytes, where it can prove the alignment and nothing comes between them that could
 * change or publish the words. What it does is not documented; the rules here are those seen in
 * the machine code that nvcc 13.0 makes for sm_90 (tests/recorded/nvcc-13.0/joins.csv):
 *
 *   loads    three or four words of a stretch: one 16-byte load; two words of an aligned half: one
 *            8-byte load; a word that the thread has already, whatever its
 *             alignment, in the same words of source, until a store: no load
 *   stores   all four words: one 16-byte store; an aligned half: one 8-byte store
 *   between  any other kind of access to shared memory, a barrier, __syncwarp and fences
 *   never    through volatile; accesses of 1, 2 and 16 bytes are left as they are
 *
 * What ptxas can prove of an address is what alignment.c finds.
 * A joiner holds requests of one warp back until something comes between. It owns only itself.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_VM_JOIN_H
#define BANKWISE_VM_JOIN_H

#include "vm.h"

/* How many requests of a launch are looked at, where requests are not joined: enough to see what a
 * kernel's loops do, at no cost that counts. */
#define BW_JOIN_LOOKS 65536

/* NULL is never returned. With `joins`, requests are delivered joined; without, they are delivered
 * as they are, and accesses that could be joined are marked (bw_access.joins). */
bw_joiner *bw_joiner_create(bool joins);
void bw_joiner_destroy(bw_joiner *joiner); /* accepts NULL */

/* Takes note of a request of instruction `i`. True if it is held back and will be delivered. */
bool bw_join(bw_vm *vm, const bw_warp *w, const bw_ins *i, const bw_request *request);
/* Something comes between: what is held back is delivered. */
void bw_join_end(bw_vm *vm);

#endif
