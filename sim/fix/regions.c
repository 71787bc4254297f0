/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "regions.h"

#include <stdlib.h>
#include <string.h>

/* More than a block of any card has. */
#define ALL_SHARED (1u << 20)
/* An array begins and ends at a multiple of this, unless another is in the way: what is asked of it
 * first may lie further on. A turn of the banks. */
#define ROUND 128u
/* A cure saves at least this part of the excess, one in so many: where addresses come from data,
 * less is chance, and other data would not confirm it. */
#define LEAST_SAVED 10

/* ---- recording ---- */

void bw_regions_begin(bw_regions *r, const bw_arch *arch)
{
    *r = (bw_regions){.whole = {.name = "", .bytes = ALL_SHARED, .elem = 1, .align = 1},
                      .requests = {.arch = arch}};
    bw_traffic_instance(&r->requests, &r->whole);
}

static void grow_extents(bw_regions *r, size_t count)
{
    if (count <= r->access_count)
        return;
    size_t all = count > 2 * r->access_count ? count : 2 * r->access_count;
    r->extents = bw_realloc(r->extents, all * sizeof *r->extents);
    for (size_t i = r->access_count; i < all; i++)
        r->extents[i] = (bw_extent){UINT32_MAX, 0};
    r->access_count = all;
}

static uint32_t width_of(const bw_request *request)
{
    return bw_op_get(request->op)->bytes;
}

/* From the lowest byte that a lane asks to after the highest. */
static bw_extent extent_of(const bw_request *request)
{
    bw_extent extent = {UINT32_MAX, 0};
    for (uint32_t left = bw_request_lanes(request); left; left &= left - 1) {
        uint32_t at = request->addr[__builtin_ctz(left)], end = at + width_of(request);
        extent.from = at < extent.from ? at : extent.from;
        extent.end = end > extent.end ? end : extent.end;
    }
    return extent;
}

static void widen(bw_extent *to, bw_extent by)
{
    to->from = by.from < to->from ? by.from : to->from;
    to->end = by.end > to->end ? by.end : to->end;
}

void bw_regions_add(bw_regions *r, uint32_t access, const bw_request *request, uint64_t copies)
{
    grow_extents(r, (size_t)access + 1);
    widen(&r->extents[access], extent_of(request));
    bw_traffic_add(&r->requests, 0, access, request, copies);
}

/* ---- regions ---- */

static int by_base(const void *left, const void *right)
{
    const bw_region *a = left, *b = right;
    if (a->base != b->base)
        return a->base < b->base ? -1 : 1;
    return a->bytes > b->bytes ? -1 : a->bytes < b->bytes;
}

static uint32_t end_of(const bw_region *region)
{
    return region->base + region->bytes;
}

/* The stretches that accesses asked and, of the arrays, those that one of them asked in. */
static void list_stretches(bw_regions *r, const bw_shared_array *arrays, size_t count)
{
    r->regions = bw_calloc(r->access_count + count + 1, sizeof *r->regions);
    for (size_t i = 0; i < r->access_count; i++)
        if (r->extents[i].end)
            r->regions[r->count++] = (bw_region){.base = r->extents[i].from,
                                                 .bytes = r->extents[i].end - r->extents[i].from};
    size_t asked = r->count;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < asked; i++)
            if (r->regions[i].base < arrays[k].base + arrays[k].bytes &&
                end_of(&r->regions[i]) > arrays[k].base) {
                r->regions[r->count++] = (bw_region){
                    .name = arrays[k].name, .base = arrays[k].base, .bytes = arrays[k].bytes};
                break;
            }
}

/* Stretches that overlap become one; a name stays where it is the name of all of it. */
static void join_stretches(bw_regions *r)
{
    size_t kept = 0;
    if (r->count)
        qsort(r->regions, r->count, sizeof *r->regions, by_base);
    for (size_t i = 0; i < r->count; i++) {
        const bw_region *next = &r->regions[i];
        bw_region *last = kept ? &r->regions[kept - 1] : NULL;
        if (!last || next->base >= end_of(last)) {
            r->regions[kept++] = *next;
            continue;
        }
        bool inside = end_of(next) <= end_of(last);
        if (next->name)
            last->name = inside && !last->name && next->base == last->base ? next->name : NULL;
        else if (!inside)
            last->name = NULL;
        last->bytes = (inside ? end_of(last) : end_of(next)) - last->base;
    }
    r->count = kept;
}

/* Regions without a name begin and end where an array may, as far as others leave room. */
static void round_ends(bw_regions *r)
{
    for (size_t i = 0; i < r->count; i++) {
        bw_region *region = &r->regions[i];
        uint32_t before = i ? (end_of(region - 1) + 15) & ~15u : 0;
        uint32_t after = i + 1 < r->count ? region[1].base : ALL_SHARED;
        uint32_t begin = region->base & ~(ROUND - 1),
                 end = (end_of(region) + ROUND - 1) & ~(ROUND - 1);
        if (region->name)
            continue;
        begin = begin < before ? before : begin;
        begin = begin < region->base ? begin : region->base;
        end = end > after ? end_of(region) : end;
        *region = (bw_region){.base = begin, .bytes = end - begin};
    }
}

static bw_region *region_at(const bw_regions *r, uint32_t address)
{
    for (size_t i = 0; i < r->count; i++)
        if (address >= r->regions[i].base && address < end_of(&r->regions[i]))
            return &r->regions[i];
    return NULL;
}

const bw_region *bw_region_of(const bw_regions *r, size_t access)
{
    return access < r->access_count && r->extents[access].end
               ? region_at(r, r->extents[access].from)
               : NULL;
}

static void count_requests(bw_regions *r)
{
    const bw_traffic_list *list = &r->requests.lists[BW_MERGE_NONE];
    for (size_t i = 0; i < list->count; i++) {
        const bw_traffic_item *item = &list->items[i];
        bw_region *region = region_at(r, extent_of(&item->request).from);
        bw_cost cost;
        if (!region || bw_cost_of(r->requests.arch, &item->request, &cost) != BW_OK)
            continue;
        uint32_t width = width_of(&item->request);
        region->wavefronts += item->count * cost.wavefronts;
        region->excessive += item->count * (cost.wavefronts - cost.ideal);
        region->elem = !region->elem || width < region->elem ? width : region->elem;
    }
}

/* ---- cures ---- */

bool bw_request_stride(const bw_request *request, int64_t *stride)
{
    uint32_t left = bw_request_lanes(request), before = 0;
    unsigned seen = 0;
    for (; left; left &= left - 1, seen++) {
        uint32_t at = request->addr[__builtin_ctz(left)];
        int64_t step = (int64_t)at - before;
        if (seen > 1 && step != *stride)
            return false;
        *stride = step;
        before = at;
    }
    return seen > 1;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

uint32_t bw_request_meeting(const bw_request *request)
{
    uint32_t lanes = bw_request_lanes(request), width = width_of(request), meeting = 0;
    unsigned phase = width <= 4 ? BW_LANES : width == 8 ? 16 : 8;
    for (unsigned i = 0; i < BW_LANES; i++)
        for (unsigned j = i + 1; j < BW_LANES && j / phase == i / phase; j++) {
            uint32_t a = request->addr[i] / 4, b = request->addr[j] / 4;
            if (lanes >> i & lanes >> j & 1 && a != b && a % 32 == b % 32)
                meeting = common_divisor(meeting, 4 * (a > b ? a - b : b - a));
        }
    return meeting;
}

/* The lengths of rows that lanes step by, as periods of the search: those that are no powers of
 * two, which it tries anyway. */
static void add_periods(bw_search_options *options, const bw_array *array,
                        const bw_request *request)
{
    int64_t stride;
    if (!bw_request_stride(request, &stride) || stride % array->elem)
        return;
    uint64_t period = (uint64_t)(stride < 0 ? -stride : stride) / array->elem;
    if (period < 2 || period >= array->dim[0] || (period & (period - 1)) == 0)
        return;
    for (unsigned i = 0; i < BW_MAX_PERIODS; i++) {
        if (options->periods[i] == period)
            return;
        if (!options->periods[i]) {
            options->periods[i] = (uint32_t)period;
            return;
        }
    }
}

/* The wavefronts that stay excessive in a layout of the region. */
static uint64_t left_of(const bw_regions *r, const bw_region *region, const bw_placement *place)
{
    const bw_traffic_list *list = &r->requests.lists[BW_MERGE_NONE];
    uint64_t excessive = 0;
    for (size_t i = 0; i < list->count; i++) {
        bw_request moved = list->items[i].request;
        bw_cost cost;
        if (region_at(r, extent_of(&moved).from) != region)
            continue;
        for (uint32_t left = bw_request_lanes(&moved); left; left &= left - 1) {
            uint32_t *at = &moved.addr[__builtin_ctz(left)];
            *at = (uint32_t)(region->base + bw_placed_at(place, *at - region->base));
        }
        if (bw_cost_of(r->requests.arch, &moved, &cost) == BW_OK)
            excessive += list->items[i].count * (cost.wavefronts - cost.ideal);
    }
    return excessive;
}

static void take_cure(const bw_regions *r, bw_region *region, const bw_array *array,
                      bw_cure_kind kind, const bw_found *found)
{
    bw_placement place;
    if (!found->found || !bw_layout_place(&place, &found->layout, array))
        return;
    uint64_t left = left_of(r, region, &place);
    if (left > region->excessive - region->excessive / LEAST_SAVED || left == region->excessive)
        return;
    region->cures[kind] = (bw_cure){true, found->layout, left, found->growth};
    region->verdict = BW_REGION_CURED;
}

static void solve(const bw_regions *r, bw_region *region)
{
    const bw_traffic_list *list = &r->requests.lists[BW_MERGE_NONE];
    uint32_t elements = region->bytes / region->elem;
    bw_array array = {.name = region->name ? region->name : "",
                      .base = region->base,
                      .bytes = elements * region->elem,
                      .elem = region->elem,
                      .align = region->elem,
                      .dims = 1,
                      .dim = {elements}};
    bw_traffic traffic = {.arch = r->requests.arch};
    bw_search_options options = {.kinds = 1u << BW_LAYOUT_EVERY | 1u << BW_LAYOUT_SWIZZLE};
    bw_traffic_instance(&traffic, &array);
    for (size_t i = 0; i < list->count; i++) {
        const bw_traffic_item *item = &list->items[i];
        if (region_at(r, extent_of(&item->request).from) != region)
            continue;
        bw_traffic_add(&traffic, 0, item->access, &item->request, item->count);
        add_periods(&options, &array, &item->request);
    }
    region->partial = traffic.lists[BW_MERGE_NONE].count > BW_TRAFFIC_SAMPLE;
    traffic.random = region->partial;
    bw_traffic_seal(&traffic);
    bw_search search;
    bw_search_layouts(&search, &traffic, &options);
    region->verdict = search.cycles == search.bound ? BW_REGION_PROVED : BW_REGION_OPEN;
    take_cure(r, region, &array, BW_CURE_PAD, &search.best[BW_LAYOUT_EVERY]);
    take_cure(r, region, &array, BW_CURE_SWIZZLE, &search.best[BW_LAYOUT_SWIZZLE]);
    bw_traffic_finish(&traffic);
}

void bw_regions_solve(bw_regions *r, const bw_shared_array *arrays, size_t count)
{
    r->cut = r->requests.missed > 0;
    list_stretches(r, arrays, count);
    join_stretches(r);
    round_ends(r);
    count_requests(r);
    for (size_t i = 0; i < r->count; i++)
        if (r->regions[i].excessive && r->regions[i].elem)
            solve(r, &r->regions[i]);
}

void bw_regions_finish(bw_regions *r)
{
    bw_traffic_finish(&r->requests);
    free(r->extents);
    free(r->regions);
    *r = (bw_regions){.regions = NULL};
}
