/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The search against the enumeration of everything: each layout of each kind is priced with all
 * requests, byte by byte, by code that shares nothing with the search but the model; nothing may be
 * better than what the search found.
 */
#include <string.h>

#include "search.h"
#include "tap.h"
#include "traffic_maker.h"

#define ROUNDS 200
#define PAD 20 /* of the enumeration; the search is told the same */

typedef struct best {
    bool found;
    uint64_t cycles;
    int64_t growth;
} best;

/* Where byte `offset` of the array goes: said once more, as slowly as possible. */
typedef uint64_t (*mover)(const bw_array *a, const void *layout, uint32_t offset);

static void consider(best *b, const made *m, const bw_arch *arch, mover move, const void *layout,
                     uint64_t bytes)
{
    uint64_t cycles = 0;
    for (unsigned i = 0; i < m->count; i++) {
        bw_request r = m->requests[i];
        uint32_t width = bw_op_get(r.op)->bytes;
        for (unsigned lane = 0; lane < BW_LANES; lane++) {
            if (!(bw_request_lanes(&r) >> lane & 1))
                continue;
            uint32_t offset = r.addr[lane] - m->array.base;
            uint64_t first = move(&m->array, layout, offset);
            for (uint32_t k = 1; k < width; k++)
                if (move(&m->array, layout, offset + k) != first + k)
                    return;
            r.addr[lane] = (uint32_t)(m->array.base + first);
        }
        bw_cost cost;
        if (bw_cost_of(arch, &r, &cost) != BW_OK)
            return;
        cycles += m->counts[i] * cost.cycles;
    }
    int64_t growth = (int64_t)bytes - m->array.bytes;
    if (!b->found || cycles < b->cycles || (cycles == b->cycles && growth < b->growth))
        *b = (best){true, cycles, growth};
}

static void split(const bw_array *a, uint32_t index, uint32_t at[3])
{
    for (unsigned d = a->dims; d-- > 0; index /= a->dim[d])
        at[d] = index % a->dim[d];
}

/* ---- dimensions ---- */

typedef struct dims {
    unsigned order[3], size[3];
} dims;

static uint64_t move_dims(const bw_array *a, const void *layout, uint32_t offset)
{
    const dims *l = layout;
    uint32_t at[3];
    uint64_t index = 0;
    split(a, offset / a->elem, at);
    for (unsigned d = 0; d < a->dims; d++)
        index = index * l->size[d] + at[l->order[d]];
    return index * a->elem + offset % a->elem;
}

/* Elements at the end of a dimension that no request asks for. */
static int unused_of(const made *m, unsigned dim)
{
    const bw_array *a = &m->array;
    uint32_t most = 0, at[3];
    for (unsigned i = 0; i < m->count; i++)
        for (unsigned lane = 0; lane < BW_LANES; lane++) {
            const bw_request *r = &m->requests[i];
            if (!(bw_request_lanes(r) >> lane & 1))
                continue;
            for (uint32_t k = 0; k < bw_op_get(r->op)->bytes; k++) {
                split(a, (r->addr[lane] - a->base + k) / a->elem, at);
                most = at[dim] > most ? at[dim] : most;
            }
        }
    return (int)(a->dim[dim] - 1 - most);
}

static void all_dims(best *b, const made *m, const bw_arch *arch, bool ordered)
{
    static const unsigned orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const bw_array *a = &m->array;
    if (a->dims < 2)
        return;
    int least_p = ordered ? 0 : -unused_of(m, a->dims - 1u);
    int least_q = ordered || a->dims < 3 ? 0 : -unused_of(m, 1);
    for (unsigned o = ordered ? 1 : 0; o < (ordered ? 6u : 1u); o++) {
        bool fits = a->dims == 3 || (orders[o][2] == 2);
        for (int p = least_p; fits && p <= PAD; p++)
            for (int q = least_q; q <= (a->dims == 3 && !ordered ? PAD : 0); q++) {
                dims l;
                uint64_t bytes = a->elem;
                memcpy(l.order, orders[o], sizeof l.order);
                for (unsigned d = 0; d < a->dims; d++) {
                    int more = d + 1 == a->dims ? p : d == 1 ? q : 0;
                    l.size[d] = (unsigned)((int)a->dim[l.order[d]] + more);
                    bytes *= l.size[d];
                }
                consider(b, m, arch, move_dims, &l, bytes);
            }
    }
}

/* ---- swizzles ---- */

typedef struct xor_of {
    unsigned row, bits, base, shift, factor;
} xor_of;

static uint64_t move_xor(const bw_array *a, const void *layout, uint32_t offset)
{
    const xor_of *l = layout;
    uint32_t at[3];
    uint64_t index = 0;
    split(a, offset / a->elem, at);
    at[a->dims - 1] ^= ((at[l->row] >> l->shift) * l->factor % (1u << l->bits)) << l->base;
    for (unsigned d = 0; d < a->dims; d++)
        index = index * a->dim[d] + at[d];
    return index * a->elem + offset % a->elem;
}

static void all_xors(best *b, const made *m, const bw_arch *arch)
{
    const bw_array *a = &m->array;
    for (unsigned row = 0; row + 1 < a->dims; row++)
        for (unsigned bits = 1; bits <= 5; bits++)
            for (unsigned base = 0; base <= 5; base++)
                for (unsigned shift = 0; shift < 5; shift++)
                    for (unsigned k = 1; k < 1u << bits; k++) {
                        xor_of l = {row, bits, base, shift, k};
                        if (a->dim[a->dims - 1] % (1u << (bits + base)) == 0)
                            consider(b, m, arch, move_xor, &l, a->bytes);
                    }
}

typedef struct swizzle_of {
    int bits, base, distance;
} swizzle_of;

static uint64_t move_swizzle(const bw_array *a, const void *layout, uint32_t offset)
{
    const swizzle_of *l = layout;
    uint32_t index = offset / a->elem;
    int from = l->base + (l->distance > 0 ? l->distance : 0);
    int to = l->base + (l->distance < 0 ? -l->distance : 0);
    for (int i = 0; i < l->bits; i++)
        index ^= (offset / a->elem >> (from + i) & 1) << (to + i);
    return (uint64_t)index * a->elem + offset % a->elem;
}

static void all_swizzles(best *b, const made *m, const bw_arch *arch)
{
    uint32_t n = m->array.bytes / m->array.elem;
    for (int bits = 1; bits <= 6; bits++)
        for (int base = 0; base <= 10; base++)
            for (int d = -10; d <= 10; d++) {
                swizzle_of l = {bits, base, d};
                int top = base + bits + (d < 0 ? -d : 0);
                if ((d < 0 ? -d : d) >= bits && top < 20 && n % (1u << top) == 0)
                    consider(b, m, arch, move_swizzle, &l, m->array.bytes);
            }
}

/* ---- flat arrays and structs ---- */

typedef struct every_of {
    uint32_t every, extra;
} every_of;

static uint64_t move_every(const bw_array *a, const void *layout, uint32_t offset)
{
    const every_of *l = layout;
    uint32_t index = offset / a->elem;
    return (uint64_t)(index + index / l->every * l->extra) * a->elem + offset % a->elem;
}

static void all_every(best *b, const made *m, const bw_arch *arch)
{
    const bw_array *a = &m->array;
    for (uint32_t every = 2; a->dims == 1 && every < a->dim[0]; every *= 2)
        for (uint32_t extra = 1; extra <= PAD; extra++) {
            every_of l = {every, extra};
            consider(b, m, arch, move_every, &l,
                     (a->dim[0] + (uint64_t)a->dim[0] / every * extra) * a->elem);
        }
}

static uint64_t move_struct(const bw_array *a, const void *layout, uint32_t offset)
{
    const uint32_t *extra = layout;
    return (uint64_t)(offset / a->elem) * (a->elem + *extra) + offset % a->elem;
}

static void all_structs(best *b, const made *m, const bw_arch *arch)
{
    const bw_array *a = &m->array;
    for (uint32_t extra = a->align; a->struct_name && extra <= 4 * PAD; extra += a->align)
        consider(b, m, arch, move_struct, &extra, (uint64_t)a->dim[0] * (a->elem + extra));
}

/* ---- tests ---- */

static unsigned helped[BW_LAYOUT_KINDS]; /* in how many rounds each kind had something to find */

/* What is no better than the array as it is needs not be found: it is no proposal. */
static void compare(const bw_search *s, bw_layout_kind kind, const best *b, int round)
{
    const bw_found *f = &s->best[kind];
    bool helps = b->found && b->cycles < s->cycles;
    if (f->found && !helps)
        ck_assert_msg(f->cycles >= s->cycles, "round %d, kind %d: it helps, says the search", round,
                      kind);
    if (!helps)
        return;
    ck_assert_msg(f->found && f->cycles == b->cycles && f->growth == b->growth,
                  "round %d, kind %d: %llu cycles and %lld bytes; enumeration: %llu and %lld",
                  round, kind, (unsigned long long)f->cycles, (long long)f->growth,
                  (unsigned long long)b->cycles, (long long)b->growth);
    helped[kind]++;
}

static void search_and_compare(uint64_t seed, const bw_arch *arch, int round)
{
    made m;
    best pads = {0}, orders = {0}, xors = {0}, swizzles = {0}, every = {0}, structs = {0};
    bw_search s;
    bw_search_options options = {.max_pad = PAD, .padding = {0, 1000, 1000}};
    make_traffic(&seed, &m);
    bw_traffic t = traffic_of(&m, arch);
    bw_search_layouts(&s, &t, &options);
    all_dims(&pads, &m, arch, false);
    all_dims(&orders, &m, arch, true);
    all_xors(&xors, &m, arch);
    all_swizzles(&swizzles, &m, arch);
    all_every(&every, &m, arch);
    all_structs(&structs, &m, arch);
    compare(&s, BW_LAYOUT_PAD, &pads, round);
    compare(&s, BW_LAYOUT_ORDER, &orders, round);
    compare(&s, BW_LAYOUT_XOR, &xors, round);
    compare(&s, BW_LAYOUT_SWIZZLE, &swizzles, round);
    compare(&s, BW_LAYOUT_EVERY, &every, round);
    compare(&s, BW_LAYOUT_STRUCT, &structs, round);
    for (int kind = 0; kind < BW_LAYOUT_KINDS; kind++)
        ck_assert(!s.best[kind].found || s.best[kind].cycles >= s.bound);
    ck_assert_uint_ge(s.cycles, s.bound);
    bw_traffic_finish(&t);
}

START_TEST(nothing_is_better)
{
    const bw_arch *arch = bw_arch_find("sm_90");
    int rounds = (int)tap_rounds(ROUNDS);
    for (int round = 0; round < rounds; round++)
        search_and_compare((uint64_t)_i * ROUNDS + (uint64_t)round, arch, round);
    for (int kind = 0; kind <= BW_LAYOUT_STRUCT && rounds == ROUNDS; kind++)
        ck_assert_msg(helped[kind] > 0, "kind %d never helped: nothing was tested", kind);
}
END_TEST

/* Older cards: other banks, no merging of requests. */
START_TEST(nothing_is_better_on_kepler)
{
    const bw_arch *arch = bw_arch_find("sm_35");
    for (int round = 0; round < 40; round++) {
        uint64_t seed = (uint64_t)round + 77;
        made m;
        make_traffic(&seed, &m);
        for (unsigned i = 0; i < m.count; i++)
            if (bw_op_get(m.requests[i].op)->kind > BW_KIND_STORE)
                m.requests[i].op = BW_OP_LD_32;
        best pads = {0};
        bw_search s;
        bw_search_options options = {
            .max_pad = PAD, .kinds = 1u << BW_LAYOUT_PAD, .padding = {0, 1000, 1000}};
        bw_traffic t = traffic_of(&m, arch);
        bw_search_layouts(&s, &t, &options);
        all_dims(&pads, &m, arch, false);
        compare(&s, BW_LAYOUT_PAD, &pads, round);
        bw_traffic_finish(&t);
    }
}
END_TEST

/* Merged requests must price every layout as all of them do. */
START_TEST(merging_changes_no_price)
{
    const bw_arch *arch = bw_arch_find("sm_90");
    for (int round = 0; round < 300; round++) {
        uint64_t state = (uint64_t)round;
        made m;
        make_traffic(&state, &m);
        bw_traffic t = traffic_of(&m, arch);
        for (int k = 0; k < 60; k++) {
            bw_layout l = {.kind = (bw_layout_kind)(next_random(&state) % BW_LAYOUT_MEMBERS)};
            l.bits = (uint8_t)(1 + next_random(&state) % 4);
            l.base = (uint8_t)(next_random(&state) % 4);
            l.shift = (uint8_t)(next_random(&state) % 3);
            l.factor = (uint32_t)(next_random(&state) % 2 ? 1 : 3);
            l.distance = (int8_t)((int)(next_random(&state) % 13) - 6);
            l.every = 1u << (1 + next_random(&state) % 6);
            l.extra = (uint32_t)(next_random(&state) % 8) * 4;
            l.pad[1] = (uint16_t)(next_random(&state) % 9);
            l.order[0] = (uint8_t)(m.array.dims - 1);
            for (uint8_t d = 1; d < BW_MAX_DIMENSIONS; d++)
                l.order[d] = d - 1;
            bw_merging list = bw_merging_of(&t, &l);
            ck_assert_uint_eq(bw_layout_cycles(&t, list, &l, UINT64_MAX - 1),
                              bw_layout_cycles(&t, BW_MERGE_NONE, &l, UINT64_MAX - 1));
        }
        bw_traffic_finish(&t);
    }
}
END_TEST

static bool stop_at_once(void *context, uint64_t priced, uint64_t all)
{
    ++*(int *)context;
    ck_assert_uint_le(priced, all);
    return false;
}

static bool note(void *context, uint64_t priced, uint64_t all)
{
    uint64_t *last = context;
    ck_assert_uint_gt(priced, last[0]);
    ck_assert_uint_le(priced, all);
    last[0] = priced;
    last[1] = all;
    return true;
}

/* A bar that is drawn from it comes to its end. */
START_TEST(progress_adds_up)
{
    for (uint64_t round = 0; round < 12; round++) {
        uint64_t state = round + 300, last[2] = {0, 0};
        made m;
        make_traffic(&state, &m);
        bw_traffic t = traffic_of(&m, bw_arch_find("sm_90"));
        bw_search s;
        bw_search_options options = {.progress = note, .context = last};
        options.limited = round % 2;
        options.max_growth = 512;
        bw_search_layouts(&s, &t, &options);
        ck_assert_uint_lt(last[1] - last[0], 8);
        ck_assert_uint_le(last[1], s.tried);
        bw_traffic_finish(&t);
    }
}
END_TEST

START_TEST(an_interrupt_keeps_the_best)
{
    uint64_t state = 5;
    int calls = 0;
    made m;
    make_traffic(&state, &m);
    while (m.array.dims != 2)
        make_traffic(&state, &m);
    bw_traffic t = traffic_of(&m, bw_arch_find("sm_90"));
    bw_search s;
    bw_search_options options = {.progress = stop_at_once, .context = &calls};
    bw_search_layouts(&s, &t, &options);
    ck_assert(s.interrupted);
    ck_assert_int_eq(calls, 1);
    ck_assert(s.best[BW_LAYOUT_PAD].found);
    bw_traffic_finish(&t);
}
END_TEST

/* No layout of any kind, and no random placement of the elements, beats the bound. */
START_TEST(the_bound_holds)
{
    const bw_arch *arch = bw_arch_find("sm_90");
    for (int round = 0; round < 3000; round++) {
        uint64_t state = (uint64_t)round + 9000;
        made m;
        make_traffic(&state, &m);
        bw_request *r = &m.requests[0];
        uint32_t width = bw_op_get(r->op)->bytes, bound = bw_layout_bound(arch, r);
        uint32_t step = width > 4 ? width : 4, shift = (uint32_t)next_random(&state) % 7;
        /* equal addresses stay equal, others go to other words: places from a permutation */
        for (unsigned lane = 0; lane < BW_LANES; lane++) {
            uint32_t from = r->addr[lane] / width;
            r->addr[lane] = (from * (2 * shift + 1) & 0xffff) * step;
        }
        bw_cost cost;
        ck_assert_int_eq(bw_cost_of(arch, r, &cost), BW_OK);
        ck_assert_uint_ge(cost.cycles, bound);
    }
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("search");
    tcase_set_timeout(tc, 280);
    tcase_add_loop_test(tc, nothing_is_better, 0, 4);
    tcase_add_test(tc, nothing_is_better_on_kepler);
    tcase_add_test(tc, merging_changes_no_price);
    tcase_add_test(tc, progress_adds_up);
    tcase_add_test(tc, an_interrupt_keeps_the_best);
    tcase_add_test(tc, the_bound_holds);
    return tap_run(tc);
}
