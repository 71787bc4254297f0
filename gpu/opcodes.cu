/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "opcodes.h"

#include <cstdlib>

#include "card_private.h"
#include "opcodes_private.h"

const bw_opcodes *bw_opcodes_at(size_t index)
{
    const struct {
        const bw_opcodes *rows;
        size_t count;
    } tables[] = {{bw_opcodes_integer, bw_opcodes_integer_count},
                  {bw_opcodes_float, bw_opcodes_float_count},
                  {bw_opcodes_warp, bw_opcodes_warp_count},
                  {bw_opcodes_flow, bw_opcodes_flow_count}};
    for (const auto &table : tables) {
        if (index < table.count)
            return &table.rows[index];
        index -= table.count;
    }
    return NULL;
}

const char *bw_opcodes_why(const bw_card *card)
{
    return card->error;
}

/* The operands `which` on the card, or NULL. */
static void *put_operands(bw_card *card, bw_operands kind, unsigned which, uint64_t seed,
                          size_t count)
{
    const size_t bytes = count * bw_operands_size(kind);
    void *host = malloc(bytes), *device = NULL;
    if (!host)
        return NULL;
    bw_operands_make(kind, which, seed, count, host);
    if (!bw_card_ok(card, cudaMalloc(&device, bytes), "taking memory") ||
        !bw_card_ok(card, cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice),
                    "copying operands")) {
        cudaFree(device);
        device = NULL;
    }
    free(host);
    return device;
}

/* The results are filled with a pattern first, so that a word nobody wrote shows. */
#define UNWRITTEN 0xa5

static bool launch(bw_card *card, const bw_opcodes *row, unsigned grid, void *const operands[],
                   uint32_t *out)
{
    const size_t bytes = (size_t)grid * row->block * row->slots * sizeof *out;
    void *device = NULL;
    void *arguments[] = {(void *)&operands[0], (void *)&operands[1], (void *)&operands[2], &device};
    const bool ok =
        bw_card_ok(card, cudaMalloc(&device, bytes), "taking memory") &&
        bw_card_ok(card, cudaMemset(device, UNWRITTEN, bytes), "filling memory") &&
        bw_card_ok(card,
                   cudaLaunchKernel(row->kernel, dim3(grid), dim3(row->block), arguments, 0, 0),
                   row->name) &&
        bw_card_ok(card, cudaMemcpy(out, device, bytes, cudaMemcpyDeviceToHost), row->name);
    cudaFree(device);
    return ok;
}

bool bw_opcodes_run(bw_card *card, const bw_opcodes *row, uint64_t seed, unsigned times,
                    uint32_t *out)
{
    const unsigned grid = row->grid * times;
    void *operands[BW_OPERAND_COUNT];
    bool ok = true;
    for (unsigned k = 0; k < BW_OPERAND_COUNT; k++) {
        operands[k] = put_operands(card, row->operands, k, seed, (size_t)grid * row->block);
        ok = ok && operands[k];
    }
    ok = ok && launch(card, row, grid, operands, out);
    for (unsigned k = 0; k < BW_OPERAND_COUNT; k++)
        cudaFree(operands[k]);
    return ok;
}
