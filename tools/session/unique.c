/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unique.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"

/* Half full at most, so that a search ends soon. */
#define FIRST_SLOTS 1024

/* Lanes that take no part do not tell requests apart. */
static bw_request normalised(const bw_request *request)
{
    bw_request same = {.op = request->op, .active = request->active};
    uint32_t lanes = bw_request_lanes(request);
    for (unsigned i = 0; i < BW_LANES; i++)
        same.addr[i] = lanes >> i & 1 ? request->addr[i] : 0;
    if (bw_op_get(request->op)->kind == BW_KIND_WGMMA)
        same.columns = request->columns;
    return same;
}

static bool is_same(const bw_request *a, const bw_request *b)
{
    return a->op == b->op && a->active == b->active &&
           memcmp(a->addr, b->addr, sizeof a->addr) == 0 &&
           (bw_op_get(a->op)->kind != BW_KIND_WGMMA || a->columns == b->columns);
}

/* FNV-1a over 32-bit pieces, with a final mix for the low bits that pick a slot. */
static uint64_t hash_of(const bw_request *request)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const uint64_t prime = UINT64_C(0x100000001b3);
    hash = (hash ^ (uint64_t)request->op) * prime;
    hash = (hash ^ request->active) * prime;
    for (unsigned i = 0; i < BW_LANES; i++)
        hash = (hash ^ request->addr[i]) * prime;
    return hash ^ hash >> 32;
}

static size_t *find_slot(const bw_unique *set, const bw_request *request)
{
    size_t mask = set->slot_count - 1, at = hash_of(request) & mask;
    while (set->slots[at] && !is_same(&set->items[set->slots[at] - 1].request, request))
        at = (at + 1) & mask;
    return &set->slots[at];
}

static void grow_slots(bw_unique *set)
{
    if (set->slot_count > 2 * set->count)
        return;
    set->slot_count = set->slot_count ? 2 * set->slot_count : FIRST_SLOTS;
    free(set->slots);
    set->slots = bw_calloc(set->slot_count, sizeof *set->slots);
    for (size_t i = 0; i < set->count; i++)
        *find_slot(set, &set->items[i].request) = i + 1;
}

size_t bw_unique_add(bw_unique *set, const bw_request *request, uint64_t copies)
{
    bw_request same = normalised(request);
    grow_slots(set);
    size_t *slot = find_slot(set, &same);
    if (!*slot) {
        BW_GROW(set->items, set->count, set->capacity);
        set->items[set->count++] = (bw_counted){same, 0};
        *slot = set->count;
    }
    set->items[*slot - 1].count += copies;
    return *slot - 1;
}

size_t bw_unique_find(const bw_unique *set, const bw_request *request)
{
    bw_request same = normalised(request);
    size_t slot = set->slot_count ? *find_slot(set, &same) : 0;
    return slot ? slot - 1 : BW_UNIQUE_NONE;
}

size_t bw_unique_room(size_t bytes)
{
    return bytes / (sizeof(bw_counted) + 4 * sizeof(size_t));
}

void bw_unique_finish(bw_unique *set)
{
    free(set->items);
    free(set->slots);
    *set = (bw_unique){.count = 0};
}
