/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lanes: arithmetic of 32 lanes at once, every bit known.
 *
 * Owns the evaluators: what each arithmetic instruction computes. It must not know memory, control
 * flow, or unknown bits (unknown.h). lanes.c is built several times for different processors; the
 * tables differ in speed alone. Pure functions of their operands; any thread.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_MACHINE_LANES_H
#define BANKWISE_MACHINE_LANES_H

#include "code.h"

/* The formatter does not settle on long lists. */
// clang-format off
#define BW_EVALUATORS(X)                                                                           \
    X(mov) X(mov64) X(iadd3) X(iadd3_carry) X(iadd64) X(imad) X(imad_carry) X(imad_wide)           \
    X(imad_wide_carry) X(imad_hi) X(lea) X(lea_carry) X(lea_hi) X(lop3) X(lop3_pred) X(shf)        \
    X(sel) X(sel64) X(prmt) X(imnmx) X(imnmx64) X(vmnmx) X(vadd) X(iadd_sat) X(vabsdiff)           \
    X(vabsdiff4) X(idp2a) X(i2i_sat) X(i2ip_sat) X(prmt_mode) X(iabs) X(popc) X(brev) X(flo)       \
    X(bmsk) X(sgxt) X(isetp) X(isetp64) X(idp4a) X(shl) X(shr) X(sar) X(fadd) X(fmul) X(ffma)      \
    X(fmnmx) X(fsetp) X(fset) X(fsel) X(fchk) X(mufu) X(rcp64h) X(rsq64h) X(frnd) X(i2f)           \
    X(i2f64) X(f2i) X(f2i_64) X(f2f_narrow) X(f2f_widen) X(dadd) X(dmul) X(dfma) X(dsetp)          \
    X(hadd2_f32) X(hadd2) X(hmul2) X(hfma2) X(hsetp2) X(hset2) X(hmnmx2) X(frnd_half)     \
    X(f2i_half) X(f2i_64_half) X(i2f_half) X(f2f_half) X(f2f_half64) X(f2fp) X(f32x2) X(fmnmx3)    \
    X(dsetp_mnmx)
// clang-format on

typedef enum bw_evaluator_id {
#define BW_EVALUATOR_ENUM(name) BW_EV_##name,
    BW_EVALUATORS(BW_EVALUATOR_ENUM)
#undef BW_EVALUATOR_ENUM
        BW_EV_COUNT
} bw_evaluator_id;

/* The table for this processor, indexed by bw_evaluator_id. */
const bw_evaluator *bw_lanes(void);
extern const bw_evaluator bw_lanes_plain[BW_EV_COUNT];
#ifdef BW_HAS_AVX2
extern const bw_evaluator bw_lanes_avx2[BW_EV_COUNT];
#endif

/* How addresses of shared memory are made. */
typedef struct bw_placing {
    uint32_t scale, offset;
    uint32_t begin; /* where the block's memory begins */
    uint32_t most;  /* the last place at which the access fits */
    uint32_t low;   /* address bits that must be 0 */
} bw_placing;

typedef struct bw_lane_tools {
    /* ((base * scale + more + offset) mod 2^24) - begin for lanes of the mask, 0 for others;
     * returns the lanes whose address is no good. *far: those whose upper eight bits name
     * another block of the cluster: 1 to 15. */
    uint32_t (*place)(const bw_placing *p, const bw_vec *base, const bw_vec *more, uint32_t mask,
                      bw_vec *out, uint32_t *far);
    /* The word at each lane's place; returns all of them, or-ed. */
    uint32_t (*gather)(const uint8_t *memory, const bw_vec *at, uint32_t offset, bw_vec *out);
    /* `words` words in a row from each lane's place, all lanes of the first to out[0] and so on.
     * Whether every bit of them is known. */
    bool (*fetch)(const uint8_t *memory, const uint8_t *unknown, const bw_vec *at, unsigned words,
                  bw_vec *out);
    /* Whether every bit of every lane is 1. */
    bool (*ones)(const bw_vec *v, unsigned words);
    /* Lanes of the mask. */
    void (*blend)(bw_vec *to, const bw_vec *values, uint32_t mask);
    /* The lanes that have this value. */
    uint32_t (*equal)(const bw_vec *v, uint32_t value);
} bw_lane_tools;

const bw_lane_tools *bw_lanes_tools(void);
extern const bw_lane_tools bw_tools_plain;
#ifdef BW_HAS_AVX2
extern const bw_lane_tools bw_tools_avx2;
#endif

/* Bits of the mode of a vmnmx. */
enum {
    BW_MNMX_RELU = 1,
    BW_MNMX_ADD = 2, /* a + b and c */
};

/* The modes of an f32x2; bit n of bw_ins.shift swaps the two words of source n. */
enum { BW_F32X2_ADD, BW_F32X2_MUL, BW_F32X2_FMA };

/* The modes of a mufu. */
enum {
    BW_MUFU_RCP,
    BW_MUFU_RSQ,
    BW_MUFU_SQRT,
    BW_MUFU_LG2,
    BW_MUFU_EX2,
    BW_MUFU_SIN,
    BW_MUFU_COS,
    BW_MUFU_TANH,
    BW_MUFU_MODES
};

/* The modes of a shfl. */
enum { BW_SHFL_IDX, BW_SHFL_UP, BW_SHFL_DOWN, BW_SHFL_BFLY, BW_SHFL_MODES };

/* The modes of a prmt. */
enum {
    BW_PRMT_F4E,
    BW_PRMT_B4E,
    BW_PRMT_RC8,
    BW_PRMT_ECL,
    BW_PRMT_ECR,
    BW_PRMT_RC16,
    BW_PRMT_MODES
};

#endif
