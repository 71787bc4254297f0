/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What instructions of machine code are, and what a trace says of one as a request.
 */
#include <string.h>

#include "feed_private.h"

/* Shared memory of a block is smaller, so that an address below is one from its start. The window
 * of shared memory among generic addresses has this size (CUDA Binary Utilities: none is said;
 * traces show windows at its multiples). */
#define WINDOW (UINT64_C(1) << 24)

/* Mnemonics by their first word. `as`: the one of shared memory that a generic one becomes. */
static const struct root {
    const char *word;
    bw_sass_class class;
    const char *as, *why;
} roots[] = {
    {"LDS", BW_SASS_SHARED, NULL, NULL},
    {"STS", BW_SASS_SHARED, NULL, NULL},
    {"ATOMS", BW_SASS_SHARED, NULL, NULL},
    {"LDSM", BW_SASS_SHARED, NULL, NULL},
    {"STSM", BW_SASS_SHARED, NULL, NULL},
    {"LDGSTS", BW_SASS_SHARED, NULL, NULL},
    {"LD", BW_SASS_GENERIC, "LDS", NULL},
    {"ST", BW_SASS_GENERIC, "STS", NULL},
    {"ATOM", BW_SASS_GENERIC, "ATOMS", NULL},
    {"RED", BW_SASS_GENERIC, "ATOMS", NULL},
    {"LDSLK", BW_SASS_UNPRICED, NULL, "no rule is known"},
    {"STSCUL", BW_SASS_UNPRICED, NULL, "no rule is known"},
    {"STSUL", BW_SASS_UNPRICED, NULL, "no rule is known"},
    {"HGMMA", BW_SASS_UNPRICED, NULL, "it has no addresses of lanes"},
    {"IGMMA", BW_SASS_UNPRICED, NULL, "it has no addresses of lanes"},
    {"QGMMA", BW_SASS_UNPRICED, NULL, "it has no addresses of lanes"},
    {"BGMMA", BW_SASS_UNPRICED, NULL, "it has no addresses of lanes"},
    {"UBLKCP", BW_SASS_UNPRICED, NULL, "it has no addresses of lanes"},
    {"UBLKRED", BW_SASS_UNPRICED, NULL, "it has no addresses of lanes"},
    {"UTMALDG", BW_SASS_UNPRICED, NULL, "it has no addresses of lanes"},
    {"UTMASTG", BW_SASS_UNPRICED, NULL, "it has no addresses of lanes"},
    {"UTMAREDG", BW_SASS_UNPRICED, NULL, "it has no addresses of lanes"},
    {"SYNCS", BW_SASS_UNPRICED, NULL, "no rule is known"},
};

static const struct root *root_of(const char *opcode)
{
    size_t len = strcspn(opcode, ".");
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (strlen(roots[i].word) == len && memcmp(opcode, roots[i].word, len) == 0)
            return &roots[i];
    return NULL;
}

static bw_sass look_up(const char *opcode, bool answers)
{
    const struct root *root = root_of(opcode);
    char mnemonic[128];
    if (!root)
        return (bw_sass){BW_SASS_OTHER, BW_OP_COUNT, NULL};
    if (root->class == BW_SASS_UNPRICED)
        return (bw_sass){BW_SASS_UNPRICED, BW_OP_COUNT, root->why};
    snprintf(mnemonic, sizeof mnemonic, "%s%s", root->as ? root->as : root->word,
             opcode + strlen(root->word));
    bw_op op = bw_op_find_sass(mnemonic, answers);
    if (op == BW_OP_COUNT)
        return (bw_sass){root->class == BW_SASS_GENERIC ? BW_SASS_OTHER : BW_SASS_UNPRICED, op,
                         "no operation of the model is called so"};
    return (bw_sass){root->class, op, NULL};
}

bw_sass bw_sass_of(bw_feed *feed, const char *opcode, bool answers)
{
    size_t len = strlen(opcode);
    bw_sass_memo *memo = &feed->opcodes[bw_hash_text(opcode, len) % BW_SASS_MEMOS];
    if (memo->answers == answers && len && strcmp(memo->opcode, opcode) == 0)
        return memo->sass;
    bw_sass found = look_up(opcode, answers);
    if (len < sizeof memo->opcode) {
        *memo = (bw_sass_memo){.answers = answers, .sass = found};
        memcpy(memo->opcode, opcode, len + 1);
    }
    return found;
}

/* ---- events ---- */

/* The address from the start of the block's shared memory. */
static bool shared_address(const bw_sass_event *event, uint64_t address, uint32_t *shared)
{
    bool windowed =
        event->window && address >= event->window && address < event->window + WINDOW &&
        (!event->window_end || event->window_end <= event->window || address < event->window_end);
    *shared = (uint32_t)(windowed ? address - event->window : address);
    return windowed || (event->sass.class == BW_SASS_SHARED && address < WINDOW);
}

/* The lanes of the request whose addresses are those of shared memory. */
static uint32_t take_addresses(const bw_sass_event *event, uint32_t lanes, bw_request *request)
{
    uint32_t found = 0;
    for (unsigned lane = 0; lane < BW_LANES; lane++) {
        request->addr[lane] = 0;
        if (lanes >> lane & 1 && shared_address(event, event->addr[lane], &request->addr[lane]))
            found |= 1u << lane;
    }
    return found;
}

bool bw_feed_take(bw_feed *feed, bw_feed_batch *batch, const bw_sass_event *event, uint64_t block,
                  uint64_t warp)
{
    size_t at = batch->count;
    bw_request *request = &batch->requests[at];
    const bw_op_info *info = bw_op_get(event->sass.op);
    *request = (bw_request){.op = event->sass.op, .active = event->active};
    uint32_t lanes = bw_request_lanes(request);
    uint32_t found = take_addresses(event, lanes, request);
    if (!lanes) {
        feed->table.idle++;
        return false;
    }
    if (!found && (event->sass.class == BW_SASS_GENERIC || info->copies)) {
        feed->table.skipped++; /* global memory, or that side of a copy */
        return false;
    }
    if (found != lanes || bw_request_bad_lane(request, 0) >= 0) {
        bw_totals_other(&feed->table, event->opcode,
                        found != lanes ? "an address is not one of shared memory"
                                       : "an address is not aligned",
                        1);
        return false;
    }
    if (info->kind == BW_KIND_STORE)
        request->registers = 1;
    batch->copies[at] = 1;
    batch->lines[at] = feed->line_number;
    batch->blocks[at] = block;
    batch->warps[at] = warp;
    batch->count++;
    return true;
}
