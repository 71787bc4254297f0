/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A launch: which blocks run, for how many each stands, and the sums.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "state.h"
#include "tally.h"

#define DEFAULT_STEPS 4000000000u
/* Boxes of blocks that are still to be run, at most: each run adds six. */
#define MOST_BOXES 4096

typedef struct box {
    uint32_t low[3], high[3];
} box;

typedef struct boxes {
    box items[MOST_BOXES];
    size_t count;
} boxes;

static uint64_t volume(const uint32_t low[3], const uint32_t high[3])
{
    uint64_t v = 1;
    for (unsigned d = 0; d < 3; d++)
        v *= high[d] - low[d];
    return v;
}

/* ---- checking ---- */

static bool check_launch(const bw_sass_kernel *kernel, const bw_machine_launch *launch,
                         const bw_arch *arch, bw_diags *diags)
{
    static const uint32_t most_block[3] = {1024, 1024, 64};
    uint64_t threads = 1;
    size_t errors = diags->errors;
    if (!arch) {
        bw_diagnostic *d =
            bw_diagnose(diags, BW_MSG_MACHINE_ARCHITECTURE, NULL, (bw_span){0},
                        "the text does not say for which architecture %s is", kernel->name);
        bw_note(diags, d, "give it with --arch");
        return false;
    }
    if (arch->cc < 70)
        bw_diagnose(diags, BW_MSG_MACHINE_ARCHITECTURE, NULL, (bw_span){0},
                    "%s: machine code before sm_70 cannot be executed", arch->name);
    for (unsigned k = 0; k < 3; k++) {
        if (launch->block[k] < 1 || launch->block[k] > most_block[k])
            bw_diagnose(diags, BW_MSG_LAUNCH_SHAPE, NULL, (bw_span){0},
                        "a block of %u threads in dimension %u: 1 to %u are possible",
                        launch->block[k], k, most_block[k]);
        if (launch->grid[k] < 1 || launch->grid[k] > INT32_MAX)
            bw_diagnose(diags, BW_MSG_LAUNCH_SHAPE, NULL, (bw_span){0},
                        "a grid of %u blocks in dimension %u", launch->grid[k], k);
        threads *= launch->block[k];
    }
    if (diags->errors == errors && threads > 1024)
        bw_diagnose(diags, BW_MSG_LAUNCH_SHAPE, NULL, (bw_span){0},
                    "a block of %llu threads: 1024 are possible", (unsigned long long)threads);
    if (launch->shared > arch->shared_per_block)
        bw_diagnose(diags, BW_MSG_SHARED_SIZE, NULL, (bw_span){0},
                    "%u bytes of shared memory: a block of %s can have %u", launch->shared,
                    arch->name, arch->shared_per_block);
    return diags->errors == errors;
}

/* ---- sums ---- */

static void add_counts(bw_machine *m, uint64_t copies)
{
    for (size_t k = 0; k < m->code.count; k++) {
        const bw_machine_counts *from = &m->block_counts[k];
        bw_machine_counts *to = &m->result->counts[k];
        to->executed += from->executed * copies;
        to->threads += from->threads * copies;
        to->requests += from->requests * copies;
        to->unknown += from->unknown * copies;
        to->unpriced += from->unpriced * copies;
        to->matrix_quarters += from->matrix_quarters * copies;
        to->skipped += from->skipped * copies;
    }
}

static bool pass_stored(bw_machine *m, uint64_t copies)
{
    for (size_t k = 0; k < m->stored_count; k++)
        if (!bw_request_pass(m, k, copies))
            return false;
    return true;
}

static void note_spread(bw_machine *m)
{
    bw_machine_result *r = m->result;
    if (r->blocks_run == 0 || m->block_requests < r->requests_least)
        r->requests_least = m->block_requests;
    if (m->block_requests > r->requests_most)
        r->requests_most = m->block_requests;
    r->blocks_run++;
}

/* Runs m->block; it stands for `copies` blocks, or for its box where copies is 0. */
static bool run_block(bw_machine *m, uint64_t copies)
{
    memset(m->block_counts, 0, (m->code.count + 1) * sizeof *m->block_counts);
    m->stored_count = m->sources_count = 0;
    m->block_requests = 0;
    m->folded_out = false;
    m->step_limit = m->exploring           ? m->step_limit
                    : m->launch->max_steps ? m->launch->max_steps
                                           : DEFAULT_STEPS;
    bool ok = bw_block_run(m);
    m->result->steps += m->block_steps;
    if (m->exploring) {
        m->result->status = BW_MACHINE_NEEDS;
        return false;
    }
    if (!ok) {
        if (m->failed)
            m->result->status = BW_MACHINE_ERROR;
        return false;
    }
    if (!copies)
        copies = volume(m->low, m->high);
    add_counts(m, copies);
    note_spread(m);
    m->result->folded |= copies > 1;
    return pass_stored(m, copies);
}

/* ---- which blocks ---- */

static bool add_box(boxes *all, const uint32_t low[3], const uint32_t high[3])
{
    if (volume(low, high) == 0)
        return true;
    if (all->count == MOST_BOXES)
        return false;
    box *b = &all->items[all->count++];
    memcpy(b->low, low, sizeof b->low);
    memcpy(b->high, high, sizeof b->high);
    return true;
}

/* What is left of `whole` without the box of the machine: slabs before and after it, by dimension.
 */
static bool add_rest(boxes *all, box whole, const bw_machine *m)
{
    bool ok = true;
    for (int d = 2; d >= 0; d--) {
        uint32_t low[3], high[3];
        memcpy(low, whole.low, sizeof low);
        memcpy(high, whole.high, sizeof high);
        low[d] = m->high[d];
        ok = add_box(all, low, high) && ok;
        low[d] = whole.low[d];
        high[d] = m->low[d];
        ok = add_box(all, low, high) && ok;
        whole.low[d] = m->low[d];
        whole.high[d] = m->high[d];
    }
    return ok;
}

/* Of what is left, as many blocks as the budget allows, spread evenly; each stands for its share.
 */
static bool sample(bw_machine *m, const boxes *all, uint64_t left_steps)
{
    uint64_t total = 0,
             mean = m->result->steps / (m->result->blocks_run ? m->result->blocks_run : 1);
    for (size_t k = 0; k < all->count; k++)
        total += volume(all->items[k].low, all->items[k].high);
    uint64_t picks = left_steps / (mean + 1) + 1, seed = 88172645463325252u;
    picks = picks > total ? total : picks;
    m->fold = false;
    m->result->sampled |= picks < total;
    for (uint64_t p = 0; p < picks; p++) {
        uint64_t from = (uint64_t)((double)total * (double)p / (double)picks);
        uint64_t to =
            p + 1 == picks ? total : (uint64_t)((double)total * (double)(p + 1) / (double)picks);
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        uint64_t index = from + (to > from ? seed % (to - from) : 0), copies = to - from;
        size_t k = 0;
        for (uint64_t v;
             k < all->count && index >= (v = volume(all->items[k].low, all->items[k].high)); k++)
            index -= v;
        if (k == all->count || copies == 0)
            continue;
        const box *b = &all->items[k];
        for (unsigned d = 0; d < 3; d++) {
            uint32_t width = b->high[d] - b->low[d];
            m->block[d] = b->low[d] + (uint32_t)(index % width);
            index /= width;
            m->low[d] = m->block[d], m->high[d] = m->block[d] + 1;
        }
        m->copies = copies;
        if (!run_block(m, copies))
            return false;
    }
    return true;
}

static void run_boxes(bw_machine *m)
{
    uint64_t budget = m->launch->max_steps ? m->launch->max_steps : DEFAULT_STEPS;
    boxes *all = bw_calloc(1, sizeof *all);
    const uint32_t zero[3] = {0, 0, 0};
    add_box(all, zero, m->launch->grid);
    while (all->count) {
        box b = all->items[all->count - 1];
        if (m->result->steps >= budget / 2 && m->result->blocks_run) {
            sample(m, all, budget - budget / 2);
            break;
        }
        all->count--;
        memcpy(m->block, b.low, sizeof m->block);
        memcpy(m->low, b.low, sizeof m->low);
        memcpy(m->high, b.high, sizeof m->high);
        if (!m->fold)
            for (unsigned d = 0; d < 3; d++)
                m->high[d] = m->low[d] + 1;
        if (!run_block(m, 0) || !add_rest(all, b, m))
            break;
    }
    free(all);
}

/* ---- */

static void machine_finish(bw_machine *m)
{
    bw_block_finish(m);
    bw_constants_finish(m);
    bw_sass_code_finish(&m->code);
    free(m->stored);
    free(m->stored_sources);
    free(m->copies_seen);
    free(m->block_counts);
    free(m->origins);
    free(m->ins_origin);
    free(m->explored);
    bw_arena_finish(&m->arena);
}

static void machine_init(bw_machine *m)
{
    size_t count = m->code.count + 1;
    m->block_counts = bw_calloc(count, sizeof *m->block_counts);
    m->copies_seen = bw_calloc(1, sizeof *m->copies_seen);
    m->ins_origin = bw_calloc(count, sizeof *m->ins_origin);
    m->explored = bw_calloc(count, sizeof *m->explored);
    m->result->counts = bw_calloc(count, sizeof *m->result->counts);
    m->result->count = m->code.count;
    m->threads = m->launch->block[0] * m->launch->block[1] * m->launch->block[2];
    m->warp_count = (m->threads + BW_LANES - 1) / BW_LANES;
    m->shared_size =
        m->launch->shared ? (m->launch->shared + 15) & ~15u : m->arch->shared_per_block;
    m->shared_base = m->cc >= 90 ? 0x400 : 0; /* what the system keeps lies before it */
    m->fold = !m->launch->no_fold;
    m->copies = 1;
    m->tools = bw_lanes_tools();
    bw_origin_add(m, (bw_machine_origin){.ins = UINT32_MAX});
    bw_constants_init(m);
    bw_block_init(m);
}

bw_machine_result bw_machine_run(const bw_sass *sass, size_t index, const bw_machine_launch *launch,
                                 bw_diags *diags)
{
    bw_machine_result result = {.status = BW_MACHINE_ERROR};
    const bw_function *function = &sass->functions[index];
    const bw_arch *arch = launch->arch           ? launch->arch
                          : function->shown.arch ? bw_arch_find(function->shown.arch)
                                                 : NULL;
    if (!check_launch(&function->shown, launch, arch, diags) || !arch)
        return result;
    bw_machine *m = bw_calloc(1, sizeof *m);
    *m = (bw_machine){.sass = sass,
                      .function = function,
                      .launch = launch,
                      .arch = arch,
                      .cc = arch->cc,
                      .diags = diags,
                      .result = &result};
    if (bw_decode(sass->source, function, &m->code, &m->arena, arch->cc, diags)) {
        machine_init(m);
        result.status = BW_MACHINE_OK;
        result.blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
        run_boxes(m);
        if (result.status == BW_MACHINE_OK && result.need_count)
            result.status = BW_MACHINE_NEEDS;
        machine_finish(m);
    } else {
        bw_sass_code_finish(&m->code);
        bw_arena_finish(&m->arena);
    }
    free(m);
    return result;
}

void bw_machine_result_finish(bw_machine_result *result)
{
    free(result->counts);
    free(result->needs);
    *result = (bw_machine_result){0};
}

bool bw_machine_tally(void *tally, size_t ins, uint32_t warp, uint64_t block,
                      const bw_request *request, uint64_t copies)
{
    return bw_tally_add(tally, ins, warp, block, request, copies);
}
