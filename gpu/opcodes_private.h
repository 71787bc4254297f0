/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of opcode kernels, one a file of them. For .cu files only.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_OPCODES_PRIVATE_H
#define BANKWISE_OPCODES_PRIVATE_H

#include "opcodes.h"

extern const bw_opcodes bw_opcodes_integer[], bw_opcodes_float[], bw_opcodes_warp[],
    bw_opcodes_flow[];
extern const unsigned bw_opcodes_integer_count, bw_opcodes_float_count, bw_opcodes_warp_count,
    bw_opcodes_flow_count;

#endif
