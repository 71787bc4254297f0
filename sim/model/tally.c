/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "tally.h"

#include <stdlib.h>

#include "arena.h"
#include "rules.h"

/* Requests a row may count. A request costs fewer than 2^10 wavefronts, so sums over 2^6 such rows
 * fit 64 bits; no grid that a card finishes in a lifetime comes near. */
#define MAX_REQUESTS (UINT64_MAX >> 16)

static bool has_sources(const bw_request *request)
{
    const bw_op_info *info = request->sources ? bw_op_get(request->op) : NULL;
    return info && info->copies;
}

void bw_tally_init(bw_tally *tally, const bw_arch *arch)
{
    *tally = (bw_tally){.arch = arch};
}

void bw_tally_finish(bw_tally *tally)
{
    for (size_t i = 0; i < tally->count; i++)
        free(tally->rows[i].copied);
    free(tally->rows);
    *tally = (bw_tally){.arch = tally->arch};
}

static bw_tally_row *row_at(bw_tally *tally, size_t access)
{
    if (access >= tally->capacity) { /* at least doubled: a program may have a row a line */
        tally->capacity = access < 8 ? 16 : 2 * access;
        tally->rows = bw_realloc(tally->rows, tally->capacity * sizeof *tally->rows);
    }
    while (tally->count <= access)
        tally->rows[tally->count++] = (bw_tally_row){.op = BW_OP_COUNT};
    return &tally->rows[access];
}

/*
 * The distances by which all addresses of the request may move without any change of cost are the
 * multiples of this: of the period and of the access's width (both powers of two), so that an
 * aligned request stays aligned. 0 where each request is priced by itself.
 */
static uint32_t grain_of(const bw_arch *arch, const bw_request *request)
{
    const bw_op_info *info = bw_op_get(request->op);
    if (has_sources(request))
        return 0;
    if (info->kind == BW_KIND_ASYNC_CG)
        return 128; /* the profiler's count of it depends on the place in a line */
    return info->bytes > bw_period(arch) ? info->bytes : bw_period(arch);
}

/*
 * Whether `request` is the row's last one with all addresses moved by one distance that changes no
 * cost. What it has besides is compared by the widest of its members: no remembered copy has
 * sources, so one that has them differs.
 */
static bool is_like_last(const bw_tally_row *row, const bw_request *request)
{
    const bw_request *last = &row->last;
    if (row->last_grain == 0 || last->op != request->op || last->active != request->active ||
        last->sources != request->sources)
        return false;
    uint32_t lanes = row->last_lanes, odd = 0;
    unsigned first = (unsigned)__builtin_ctz(lanes);
    uint32_t moved = request->addr[first] - last->addr[first];
    if (lanes == UINT32_MAX) {
        for (unsigned i = 0; i < BW_LANES; i++)
            odd |= (request->addr[i] - last->addr[i]) ^ moved;
    } else {
        for (uint32_t left = lanes; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left);
            odd |= (request->addr[i] - last->addr[i]) ^ moved;
        }
    }
    return odd == 0 && (moved & (row->last_grain - 1)) == 0;
}

static bw_status price(const bw_arch *arch, bw_tally_row *row, const bw_request *request)
{
    if (is_like_last(row, request))
        return BW_OK;
    row->last_grain = 0;
    bw_status status = bw_cost_of(arch, request, &row->last_cost);
    if (status != BW_OK)
        return status;
    bw_ncu_from_cost(arch, request, &row->last_cost, &row->last_ncu); /* zero where unsupported */
    row->last = *request;
    row->last_lanes = bw_request_lanes(request);
    row->last_grain = grain_of(arch, request);
    return BW_OK;
}

/* Remembers the first failure. */
static bool fail(bw_tally *tally, size_t access, const bw_request *request, bw_status status)
{
    tally->status = status;
    tally->failed = *request;
    if (has_sources(request))
        tally->failed.sources = NULL;
    tally->failed_row = access;
    return false;
}

static void count(bw_tally_row *row, uint64_t copies)
{
    const bw_cost *cost = &row->last_cost;
    const bw_ncu *ncu = &row->last_ncu;
    bw_counts *sum = &row->counts;
    /* of loops that go by values: as where every operation changes its word, which most do */
    uint32_t again = cost->wavefronts_changing - cost->wavefronts;
    sum->requests += copies;
    sum->wavefronts += copies * cost->wavefronts_changing;
    sum->wavefronts_staying += copies * cost->wavefronts;
    sum->ideal += copies * cost->ideal;
    sum->cycles += copies * (cost->cycles + again);
    sum->excess_layout += copies * cost->excess_layout;
    sum->excess_serial += copies * (cost->excess_serial + again);
    sum->ncu_wavefronts += copies * (ncu->wavefronts + again);
    sum->ncu_conflicts += copies * ncu->conflicts;
    sum->ncu_sass_wavefronts += copies * ncu->sass_wavefronts;
    sum->ncu_sass_ideal += copies * ncu->sass_ideal;
    sum->ncu_inexact += ncu->sass_exact ? 0 : copies;
    if (cost->at_least)
        sum->at_least += copies;
    row->degrees[cost->degree] += copies;
    row->degree_sum += (double)copies * cost->degree;
    if (cost->degree > row->degree)
        row->degree = cost->degree;
}

static bw_tally_copies *copied_of(bw_tally_row *row)
{
    if (!row->copied)
        row->copied = bw_calloc(1, sizeof *row->copied);
    return row->copied;
}

/* What the place of the arrays would change. */
static void count_places(bw_tally *tally, bw_tally_row *row, const bw_request *request,
                         uint64_t copies)
{
    uint32_t wavefronts[BW_PLACES];
    int64_t least = 0, most = 0, *change = copied_of(row)->place_change;
    if (request->sources->placed || bw_copy_places(tally->arch, request, wavefronts) != BW_OK)
        return;
    row->counts.unplaced += copies;
    for (unsigned i = 0; i < BW_PLACES; i++) {
        change[i] += (int64_t)copies * ((int64_t)wavefronts[i] - (int64_t)wavefronts[0]);
        least = change[i] < least ? change[i] : least;
        most = change[i] > most ? change[i] : most;
    }
    row->counts.place_less = (uint64_t)-least;
    row->counts.place_more = (uint64_t)most;
}

static void remember_worst(bw_tally_row *row, const bw_request *request)
{
    row->worst = *request;
    row->worst_sourced = has_sources(request);
    if (!row->worst_sourced)
        return;
    copied_of(row)->worst = *request->sources;
    row->worst.sources = NULL;
}

bool bw_tally_add(bw_tally *tally, size_t access, uint32_t warp, uint64_t block,
                  const bw_request *request, uint64_t copies)
{
    if (tally->status != BW_OK)
        return false;
    bw_tally_row *row = row_at(tally, access);
    bw_status status = price(tally->arch, row, request);
    if (status != BW_OK)
        return fail(tally, access, request, status);
    if (copies > MAX_REQUESTS - row->counts.requests)
        return fail(tally, access, request, BW_OVERFLOW);
    const bw_cost *cost = &row->last_cost;
    row->op = request->op;
    if (row->counts.requests == 0 || cost->basis > row->basis)
        row->basis = cost->basis;
    if (cost->wavefronts > row->worst_wavefronts) {
        remember_worst(row, request);
        row->worst_wavefronts = cost->wavefronts;
        row->worst_warp = warp;
        row->worst_block = block;
        row->worst_index = row->counts.requests;
    }
    if (cost->passes) /* its sources are known */
        count_places(tally, row, request, copies);
    count(row, copies);
    return true;
}

void bw_counts_add(bw_counts *sum, const bw_counts *more)
{
    sum->requests += more->requests;
    sum->wavefronts += more->wavefronts;
    sum->ideal += more->ideal;
    sum->cycles += more->cycles;
    sum->excess_layout += more->excess_layout;
    sum->excess_serial += more->excess_serial;
    sum->wavefronts_staying += more->wavefronts_staying;
    sum->ncu_wavefronts += more->ncu_wavefronts;
    sum->ncu_conflicts += more->ncu_conflicts;
    sum->ncu_sass_wavefronts += more->ncu_sass_wavefronts;
    sum->ncu_sass_ideal += more->ncu_sass_ideal;
    sum->ncu_inexact += more->ncu_inexact;
    sum->at_least += more->at_least;
    sum->unplaced += more->unplaced;
    sum->place_less += more->place_less;
    sum->place_more += more->place_more;
}

void bw_counts_range(const bw_counts *counts, uint64_t *least, uint64_t *most)
{
    *least = counts->wavefronts - counts->place_less;
    *most = counts->wavefronts + counts->place_more;
}

bw_counts bw_tally_total(const bw_tally *tally)
{
    bw_counts total = {0};
    for (size_t i = 0; i < tally->count; i++)
        bw_counts_add(&total, &tally->rows[i].counts);
    return total;
}

bw_message_id bw_tally_message(const bw_tally *tally)
{
    return tally->status == BW_OVERFLOW ? BW_MSG_TOO_MANY_REQUESTS : BW_MSG_UNSUPPORTED_OPERATION;
}

uint64_t bw_counts_excessive(const bw_counts *counts)
{
    return counts->wavefronts - counts->ideal;
}
