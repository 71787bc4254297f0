/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "lanemap.h"

#include <stdlib.h>
#include <string.h>

#include "numbers.h"

#define MAX_REQUESTS ((size_t)1 << (BW_LANE_MAP_BITS - BW_LANE_BITS))

/* The requests of one access by one block, in order. */
typedef struct history {
    bw_request *requests; /* malloc'd */
    uint32_t *warps;      /* malloc'd */
    size_t count, capacity, warp_capacity;
    uint64_t block;
    bool begun, more; /* more: than are kept */
} history;

typedef struct gatherer {
    history *items; /* by access; malloc'd */
    size_t count;
} gatherer;

/* ---- recording ---- */

static history *history_of(gatherer *g, uint32_t access)
{
    if (access >= g->count) {
        g->items = bw_realloc(g->items, (access + 1) * sizeof *g->items);
        memset(g->items + g->count, 0, (access + 1 - g->count) * sizeof *g->items);
        g->count = access + 1;
    }
    return &g->items[access];
}

static bool gather(void *context, const bw_request_origin *origin, const bw_request *request,
                   uint64_t copies)
{
    history *h = history_of(context, origin->access);
    (void)copies;
    if (!h->begun)
        h->block = origin->block;
    h->begun = true;
    if (origin->block != h->block)
        return true;
    if (h->count == MAX_REQUESTS) {
        h->more = true;
        return true;
    }
    BW_GROW(h->warps, h->count, h->warp_capacity);
    BW_GROW(h->requests, h->count, h->capacity);
    h->warps[h->count] = origin->warp;
    h->requests[h->count] = *request;
    if (bw_op_get(request->op)->copies)
        h->requests[h->count].sources = NULL; /* the maker's; maps go by destinations */
    h->count++;
    return true;
}

static void gatherer_finish(gatherer *g)
{
    for (size_t i = 0; i < g->count; i++) {
        free(g->items[i].requests);
        free(g->items[i].warps);
    }
    free(g->items);
}

/* ---- elements by number ---- */

typedef struct elements {
    bw_op op;
    unsigned bits, thread_bits;
    uint32_t *addr; /* malloc'd, by element number */
} elements;

static unsigned log2_of(size_t n)
{
    return (unsigned)__builtin_ctzll(n);
}

/* Why the requests do not number their elements in bits; NULL where they do. */
static const char *why_not(const history *h, size_t warps)
{
    if (bw_op_get(h->requests[0].op)->matrices)
        return "the lanes of a matrix access are fixed by the instruction";
    if (h->more)
        return "it makes too many requests";
    if (!bw_is_power_of_two(warps) || !bw_is_power_of_two(h->count))
        return "its warps or iterations are no power of two";
    for (size_t i = 0; i < h->count; i++)
        if (h->requests[i].active != UINT32_MAX || h->warps[i] >= warps)
            return "some lanes are idle, or some warps";
    return NULL;
}

/* Fills by (iteration, warp, lane); false where the warps make unequal numbers of requests. */
static bool fill(elements *e, const history *h, size_t warps)
{
    size_t *made = bw_calloc(warps, sizeof *made);
    size_t steps = h->count / warps;
    bool good = steps * warps == h->count;
    e->op = h->requests[0].op;
    e->bits = log2_of(h->count) + BW_LANE_BITS;
    e->thread_bits = log2_of(warps) + BW_LANE_BITS;
    e->addr = bw_calloc(h->count * BW_LANES, sizeof *e->addr);
    for (size_t i = 0; good && i < h->count; i++) {
        size_t warp = h->warps[i], step = made[warp]++;
        good = step < steps;
        if (good)
            memcpy(e->addr + (step * warps + warp) * BW_LANES, h->requests[i].addr,
                   BW_LANES * sizeof *e->addr);
    }
    free(made);
    return good;
}

typedef struct price {
    uint64_t wavefronts, excessive;
} price;

/* All requests of an assignment: lane bit i is element bit lane[i], the rest count up. */
static price price_of(const bw_arch *arch, const elements *e, const uint8_t lane[BW_LANE_BITS],
                      uint64_t most)
{
    uint32_t chosen = 0, rest = 0, offset[BW_LANES];
    price sum = {0, 0};
    for (unsigned i = 0; i < BW_LANE_BITS; i++)
        chosen |= 1u << lane[i];
    for (unsigned l = 0; l < BW_LANES; l++) {
        offset[l] = 0;
        for (unsigned i = 0; i < BW_LANE_BITS; i++)
            offset[l] |= (l >> i & 1) << lane[i];
    }
    bw_request r = {.op = e->op, .active = UINT32_MAX};
    for (size_t n = (size_t)1 << (e->bits - BW_LANE_BITS); n > 0; n--) {
        bw_cost cost;
        for (unsigned l = 0; l < BW_LANES; l++)
            r.addr[l] = e->addr[rest | offset[l]];
        bw_cost_of(arch, &r, &cost);
        sum.wavefronts += cost.wavefronts;
        sum.excessive += cost.wavefronts - cost.ideal;
        if (sum.wavefronts > most)
            return sum;
        rest = ((rest | chosen) + 1) & ~chosen; /* the next number in the bits not chosen */
    }
    return sum;
}

/* ---- which bits are the lane ---- */

typedef struct chooser {
    const bw_arch *arch;
    const elements *e;
    bw_lane_map *map;
    unsigned
        phase_bits; /* the first so many lane bits make a phase; order counts between, not in */
} chooser;

static void try_choice(chooser *c, const uint8_t lane[BW_LANE_BITS])
{
    bw_lane_map *map = c->map;
    price p = price_of(c->arch, c->e, lane, map->chosen_wavefronts);
    map->tried++;
    if (p.wavefronts < map->chosen_wavefronts) {
        map->chosen_wavefronts = p.wavefronts;
        map->chosen_excessive = p.excessive;
        memcpy(map->lane, lane, sizeof map->lane);
    }
}

/* Each set for the phase, and each set of the others for the rest of the lane. */
static void choose(chooser *c, uint8_t lane[BW_LANE_BITS], unsigned at, uint32_t used)
{
    if (at == BW_LANE_BITS) {
        try_choice(c, lane);
        return;
    }
    bool begins = at == 0 || at == c->phase_bits;
    for (unsigned bit = begins ? 0 : lane[at - 1] + 1u; bit < c->e->bits; bit++) {
        if (used >> bit & 1)
            continue;
        lane[at] = (uint8_t)bit;
        choose(c, lane, at + 1, used | 1u << bit);
    }
}

/* ---- skews ---- */

/* Swizzle<bits, base, distance> of the element number, as CuTe counts: a negative distance XORs the
 * lane into the iteration, which walks a tile along its diagonals. */
static uint32_t skewed(uint32_t i, unsigned bits, unsigned base, int distance)
{
    uint32_t mask = ((1u << bits) - 1) << base;
    return distance < 0 ? i ^ (i & mask) << -distance : i ^ (i >> distance & mask);
}

static void try_skew(chooser *c, uint32_t *moved, unsigned bits, unsigned base, int distance)
{
    static const uint8_t same[BW_LANE_BITS] = {0, 1, 2, 3, 4};
    bw_lane_map *map = c->map;
    elements e = *c->e;
    e.addr = moved;
    for (uint32_t i = 0; i < 1u << e.bits; i++)
        moved[i] = c->e->addr[skewed(i, bits, base, distance)];
    price p = price_of(c->arch, &e, same, map->skewed_wavefronts);
    map->tried++;
    if (p.wavefronts >= map->skewed_wavefronts)
        return;
    map->skewed = true;
    map->skewed_wavefronts = p.wavefronts;
    map->skewed_excessive = p.excessive;
    map->skew_bits = (uint8_t)bits;
    map->skew_base = (uint8_t)base;
    map->skew_distance = (int8_t)distance;
}

static void try_skews(chooser *c)
{
    unsigned total = c->e->bits;
    uint32_t *moved = bw_calloc((size_t)1 << total, sizeof *moved);
    for (unsigned bits = 1; bits <= BW_LANE_BITS; bits++)
        for (unsigned base = 0; base < BW_LANE_BITS && base + 2 * bits <= total; base++)
            for (unsigned d = bits; base + bits + d <= total; d++) {
                try_skew(c, moved, bits, base, -(int)d);
                try_skew(c, moved, bits, base, (int)d);
            }
    free(moved);
}

/* ---- an access ---- */

static size_t warps_of(const bw_launch *launch)
{
    return ((size_t)launch->block[0] * launch->block[1] * launch->block[2] + BW_LANES - 1) /
           BW_LANES;
}

static price price_as_is(const bw_arch *arch, const history *h)
{
    price sum = {0, 0};
    for (size_t i = 0; i < h->count; i++) {
        bw_cost cost;
        bw_cost_of(arch, &h->requests[i], &cost);
        sum.wavefronts += cost.wavefronts;
        sum.excessive += cost.wavefronts - cost.ideal;
    }
    return sum;
}

static void search(bw_lane_map *map, const bw_arch *arch, const history *h, size_t warps)
{
    static const uint8_t phase_bits[] = {5, 5, 5, 5, 4, 4, 4, 4, 3}; /* by bytes / 2 */
    elements e = {.addr = NULL};
    map->why = why_not(h, warps);
    if (!map->why && !fill(&e, h, warps))
        map->why = "its warps make unequal numbers of requests";
    if (!map->why) {
        chooser c = {.arch = arch, .e = &e, .map = map};
        uint8_t lane[BW_LANE_BITS] = {0};
        c.phase_bits = phase_bits[bw_op_get(e.op)->bytes / 2];
        map->bits = e.bits;
        map->thread_bits = e.thread_bits;
        choose(&c, lane, 0, 0);
        try_skews(&c);
    }
    free(e.addr);
}

static void look(bw_lane_maps *maps, const bw_arch *arch, const history *h, size_t launch,
                 uint32_t access, size_t warps)
{
    price p = price_as_is(arch, h);
    if (!p.excessive)
        return;
    BW_GROW(maps->items, maps->count, maps->capacity);
    bw_lane_map *map = &maps->items[maps->count++];
    *map = (bw_lane_map){.launch = launch,
                         .access = access,
                         .wavefronts = p.wavefronts,
                         .excessive = p.excessive,
                         .lane = {0, 1, 2, 3, 4},
                         .chosen_wavefronts = p.wavefronts,
                         .chosen_excessive = p.excessive,
                         .skewed_wavefronts = p.wavefronts,
                         .skewed_excessive = p.excessive};
    search(map, arch, h, warps);
}

bool bw_lane_maps_find(bw_lane_maps *maps, bw_program *pattern, const bw_arch *arch,
                       bw_diags *diags)
{
    const bw_launch *launches;
    size_t count = bw_program_launches(pattern, &launches);
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        gatherer g = {.items = NULL};
        bw_sink sink = {&g, gather};
        bw_run run;
        good = bw_program_run(pattern, i, &sink, &run, diags);
        for (uint32_t k = 0; good && k < g.count; k++)
            if (g.items[k].count)
                look(maps, arch, &g.items[k], i, k, warps_of(&launches[i]));
        gatherer_finish(&g);
    }
    return good;
}

void bw_lane_maps_finish(bw_lane_maps *maps)
{
    free(maps->items);
    *maps = (bw_lane_maps){.items = NULL};
}

const char *bw_element_bit(bw_arena *arena, const bw_lane_map *map, const bw_launch *launch,
                           unsigned bit)
{
    static const char names[] = "xyz";
    if (bit >= map->thread_bits)
        return bw_arena_format(arena, "i%u", bit - map->thread_bits);
    unsigned within = bit;
    for (unsigned d = 0; d < 3; d++) {
        if (!bw_is_power_of_two(launch->block[d]))
            break;
        if (within < log2_of(launch->block[d]))
            return bw_arena_format(arena, "%c%u", names[d], within);
        within -= log2_of(launch->block[d]);
    }
    return bw_arena_format(arena, "t%u", bit); /* of the thread's number in the block */
}
