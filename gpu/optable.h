/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * optable: how each operation is put on a card.
 *
 * Owns what a measurement adds to a row of common/operations.h: the name of the kernels, how they
 * are set up, whether the clock is exact. It is plain data, knows no CUDA and can be read anywhere;
 * loads.cu and its like define the kernels, `bankwise-gpu info --sass` holds the rows' PTX and
 * mnemonics against the machine code.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_OPTABLE_H
#define BANKWISE_OPTABLE_H

#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How often the instruction stands in the unrolled body of its kernel. */
#ifndef BW_ISSUES
#define BW_ISSUES 64
#endif

/* How the warps of a block share the work. */
typedef enum bw_method {
    BW_METHOD_PIPE, /* every warp issues the same request at the same addresses, back to back     */
    BW_METHOD_LOOP, /* a compare-and-swap loop: each warp has a copy of the addresses of its own, */
                    /* and further warps keep the pipe busy with loads that are taken off again  */
    BW_METHOD_NONE, /* no kernel: a part of another operation, or measured in another way    */
    BW_METHOD_ASYNC, /* as PIPE; the data comes from global memory, one 16-byte chunk for all */
} bw_method;

typedef struct bw_gpu_op {
    const char *ptx;  /* "ld.volatile.shared.u32"                                                */
    const char *sass; /* "LDS": the mnemonic with its modifiers, as cuobjdump writes it          */
    bw_method method;
    uint16_t least_cc; /* compute capability * 10 that first has the instruction */
    bool answers; /* gives back a value, so that a chain of dependent accesses has a latency  */
    bool exact;   /* clock64() counts its wavefronts exactly (gpu/MEASURED.md)                */
} bw_gpu_op;

/* The row of `op`; NULL for a value outside the enumeration. */
const bw_gpu_op *bw_gpu_op_get(bw_op op);

/* Longer than the name of any kernel, its end included. */
#define BW_KERNEL_NAME 64

/* The name of the kernel of `op` in text[0..size): "bw_time_ld_32", or with `wait` that of the
 * latency kernel, "bw_wait_ld_32"; "" where it has none. */
void bw_gpu_kernel_name(bw_op op, bool wait, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
