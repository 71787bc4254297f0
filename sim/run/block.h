/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * block: the blocks of a grid, and the turns of a block's warps.
 *
 * Owns the order of evaluation: blocks by their linear index, or one for all where they are alike;
 * the warps of a block in turn, each until it waits at a barrier or is done. What a warp does is
 * its evaluator's. Pure but for the calls; allocates nothing.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_BLOCK_H
#define BANKWISE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* The shape of a launch: threads of a block, blocks of the grid; x first. */
typedef struct bw_shape {
    uint32_t block[3], grid[3];
} bw_shape;

uint64_t bw_shape_blocks(const bw_shape *shape);
uint32_t bw_shape_warps(const bw_shape *shape); /* of a block */
/* The lanes that warp `warp` of a block has. */
uint32_t bw_shape_lanes(const bw_shape *shape, uint32_t warp);
/* blockIdx of the block of a linear index. */
void bw_shape_place(const bw_shape *shape, uint64_t block, uint32_t index[3]);

typedef enum bw_warp_state { BW_WARP_READY, BW_WARP_WAITS, BW_WARP_DONE } bw_warp_state;

/* How a warp stands. */
typedef struct bw_turn {
    bw_warp_state state;
    uint32_t barrier; /* which one it waits at: warps that name the same one meet */
    bool left;        /* done, all its threads returned: no barrier waits for it */
} bw_turn;

/* What an evaluator does with the warps of one block. */
typedef struct bw_turns {
    void *context;
    uint32_t warps;
    bw_turn *(*turn)(void *context, uint32_t warp);
    /* Runs a warp that is ready until it waits or is done, or the block has to end. */
    void (*run)(void *context, uint32_t warp);
    bool (*ended)(void *context); /* an error, or the sink wants no more */
    /* One warp waits at a barrier which the other does not reach. */
    void (*apart)(void *context, uint32_t waiting, uint32_t other);
} bw_turns;

/* Runs the warps until all are done. False where the block ended early. */
bool bw_turns_run(const bw_turns *turns);

/* Calls `each` for the blocks of the grid in order, or for the first alone where they are alike,
 * until it returns false. `copies`: the blocks that one stands for. */
void bw_shape_run(const bw_shape *shape, bool alike,
                  bool (*each)(void *context, uint64_t block, uint64_t copies), void *context);
/* The same for `parts` blocks, 1 to the grid's number: the grid is cut into so many even parts, and
 * of each one block is drawn, which stands for its part. */
void bw_shape_run_sample(const bw_shape *shape, uint64_t parts, uint64_t seed,
                         bool (*each)(void *context, uint64_t block, uint64_t copies),
                         void *context);

#endif
