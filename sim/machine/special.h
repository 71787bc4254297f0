/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * special: the special registers of a thread.
 *
 * Owns their names. Values are the engine's business. Pure functions, any thread.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_MACHINE_SPECIAL_H
#define BANKWISE_MACHINE_SPECIAL_H

#include <stddef.h>

typedef enum bw_special {
    BW_SR_UNKNOWN, /* clocks, numbers of SMs and warps, and names that are not known */
    BW_SR_ZERO,
    BW_SR_TID_X,
    BW_SR_TID_Y,
    BW_SR_TID_Z,
    BW_SR_CTAID_X,
    BW_SR_CTAID_Y,
    BW_SR_CTAID_Z,
    BW_SR_LANEID,
    BW_SR_EQMASK,
    BW_SR_LTMASK,
    BW_SR_LEMASK,
    BW_SR_GTMASK,
    BW_SR_GEMASK,
    BW_SR_NTID,   /* threads of the block */
    BW_SR_SWINHI, /* upper word of generic addresses of shared memory */
    BW_SR_LWINHI, /* ... of local memory */
} bw_special;

bw_special bw_special_find(const char *name, size_t len);

#endif
