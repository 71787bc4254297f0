/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batch_lanes: prices requests eight at a time. The code of batch_portable.c and batch_avx2.c,
 * which define BATCH_FUNCTION and include it once each.
 *
 * A vector holds one number for each of eight requests of one operation. Lane l of all of them is
 * addr[l], so what bw_cost_of does lane by lane is done here for eight requests at once and without
 * a branch:
 *
 *     request            0     1     2   …   7
 *     addr[0]         [ a00 | a10 | a20 | … | a70 ]      key[l]  = address / bytes: slot and row
 *     addr[1]         [ a01 | a11 | a21 | … | a71 ]      slot[l] = key[l] mod slots
 *     …                                                  a lane that is not active: a key that no
 *     addr[31]        [ a0v | a1v | a2v | … | a7v ]      lane has
 *
 * That two lanes want the same element is a comparison of keys, 496 of them for all pairs of a
 * warp. Lanes are counted by slot bit-sliced: 1 << slot has a bit for each slot, and adding 32 of
 * those needs six planes (plane p holds bit p of all slots' counts) and carry-save adders, seven
 * for eight lanes. The largest count is read from the planes, the highest first.
 *
 * Requests that are alike in a stride go by a closed form before that; what is rare (64-bit
 * compare-and-swap loops, older architectures, requests that are invalid) goes to bw_cost_of.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "batch.h"
#include "rules.h"

#define EACH 8   /* requests at a time */
#define PLANES 6 /* of a count up to 32 */
#define ALWAYS static inline __attribute__((always_inline))

typedef uint32_t vec __attribute__((vector_size(4 * EACH), may_alias));
typedef int32_t ivec __attribute__((vector_size(4 * EACH), may_alias));

/* These are inlined everywhere: what vectors mean for calls between files does not matter. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

/* Comparisons give all ones or 0 in each element, as signed numbers. */
ALWAYS vec is_equal(vec a, vec b)
{
    return (vec)(a == b);
}

ALWAYS vec choose(vec mask, vec yes, vec no)
{
    return (mask & yes) | (~mask & no);
}

ALWAYS vec larger_of(vec a, vec b)
{
    return choose((vec)((ivec)a > (ivec)b), a, b);
}

ALWAYS vec all(uint32_t x)
{
    return (vec){x, x, x, x, x, x, x, x};
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif
#endif
#ifndef SHUFFLE
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (vec){__VA_ARGS__})
#endif

/* What is the same for all requests of an operation. */
typedef struct kind {
    const bw_op_info *info;
    bw_basis basis;
    uint32_t counted; /* lanes whose addresses count */
    uint8_t shift;    /* log2 of the bytes that a slot has */
    uint8_t bits;     /* log2 of the number of slots */
    uint8_t width;    /* lanes of a phase */
    bool reference;   /* bw_cost_of it is */
} kind;

/* Eight requests. Keys of lanes that are not active are all different, and no slot's bit. */
typedef struct eight {
    vec key[BW_LANES];
    vec bit[BW_LANES]; /* 1 << slot; 0 where not active */
    vec active;
} eight;

typedef struct result {
    vec distinct, lanes, equal, degree, phases;
} result;

/* ---- eight requests side by side ---- */

/* Rows of eight numbers to columns. */
ALWAYS void transpose(const vec r[EACH], vec out[EACH])
{
    vec a[EACH], b[EACH];
    for (int i = 0; i < EACH; i += 2) {
        a[i] = SHUFFLE(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        a[i + 1] = SHUFFLE(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < EACH; i += 4) {
        b[i] = SHUFFLE(a[i], a[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        b[i + 1] = SHUFFLE(a[i], a[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        b[i + 2] = SHUFFLE(a[i + 1], a[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        b[i + 3] = SHUFFLE(a[i + 1], a[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int i = 0; i < EACH / 2; i++) {
        out[i] = SHUFFLE(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        out[i + 4] = SHUFFLE(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/* The addresses lane by lane, into key. */
ALWAYS void load_addresses(const bw_request *const requests[EACH], vec key[BW_LANES])
{
    for (int block = 0; block < BW_LANES / EACH; block++) {
        vec rows[EACH];
        for (int i = 0; i < EACH; i++)
            memcpy(&rows[i], requests[i]->addr + block * EACH, sizeof rows[i]);
        transpose(rows, key + block * EACH);
    }
}

/* Fills *e; which of the eight have a misaligned address or no lane, as a mask. */
ALWAYS vec load_eight(const kind *k, const bw_request *const requests[EACH], bool full, eight *e)
{
    vec bits = all(0), last = all((1u << k->bits) - 1), one = all(1);
    load_addresses(requests, e->key);
    for (int i = 0; i < EACH; i++)
        e->active[i] = requests[i]->active & k->counted;
    for (int l = 0; l < BW_LANES; l++) {
        vec is_active = all(UINT32_MAX);
        if (!full)
            is_active = -(e->active >> l & one);
        bits |= e->key[l] & is_active;
        e->key[l] = choose(is_active, e->key[l] >> k->shift, all(0xffffff00u | (uint32_t)l));
        e->bit[l] = (one & is_active) << (e->key[l] & last);
    }
    return ~is_equal(bits & all(k->info->bytes - 1u), all(0)) | is_equal(e->active, all(0));
}

/* ---- counting by slot ---- */

ALWAYS void add_three(vec *sum, vec *carry, vec a, vec b, vec c)
{
    vec u = a ^ b;
    *carry = (a & b) | (u & c);
    *sum = u ^ c;
}

/* Adds eight lanes' bits to the counts. `planes`: so many can be reached. */
ALWAYS void count_eight(vec plane[PLANES], const vec bit[EACH], int planes)
{
    vec two[4], four[2], carry;
    for (int i = 0; i < 4; i++)
        add_three(&plane[0], &two[i], plane[0], bit[2 * i], bit[2 * i + 1]);
    for (int i = 0; i < 2; i++)
        add_three(&plane[1], &four[i], plane[1], two[2 * i], two[2 * i + 1]);
    add_three(&plane[2], &carry, plane[2], four[0], four[1]);
    for (int p = 3; p < planes; p++) {
        vec next = plane[p] & carry;
        plane[p] ^= carry;
        carry = next;
    }
}

/* The largest count that a slot has. */
ALWAYS vec largest(const vec plane[PLANES], int planes)
{
    vec most = all(0), left = all(UINT32_MAX);
    for (int p = planes - 1; p >= 0; p--) {
        vec with = plane[p] & left, some = ~is_equal(with, all(0));
        most |= some & all(1u << p);
        left = choose(some, with, left);
    }
    return most;
}

/* The largest count over slots of the lanes from `bit` on. */
ALWAYS vec largest_of(const vec *bit, int width)
{
    vec plane[PLANES] = {all(0), all(0), all(0), all(0), all(0), all(0)};
    int planes = width == 8 ? 4 : width == 16 ? 5 : 6;
    for (int l = 0; l < width; l += EACH)
        count_eight(plane, bit + l, planes);
    return largest(plane, planes);
}

/* ---- phases ---- */

ALWAYS vec has_lanes(const eight *e, int start, int width)
{
    return ~is_equal(e->active & all(bw_span_mask((unsigned)start, (unsigned)width)), all(0));
}

/* Different elements take turns: of lanes with equal keys the lowest counts. */
ALWAYS void count_distinct(const eight *e, int width, result *sum)
{
    *sum = (result){all(0), all(0), all(0), all(0), all(0)};
    for (int start = 0; start < BW_LANES; start += width) {
        const vec *key = e->key + start;
        vec bit[BW_LANES];
        for (int j = 0; j < width; j++) {
            vec again = all(0);
            for (int i = 0; i < j; i++)
                again |= is_equal(key[i], key[j]);
            bit[j] = e->bit[start + j] & ~again;
        }
        vec ways = largest_of(bit, width);
        sum->distinct += ways;
        sum->degree = larger_of(sum->degree, ways);
        sum->phases -= has_lanes(e, start, width);
    }
}

/* Every lane takes its turn; also how many of one bank want one element. */
ALWAYS void count_lanes(const eight *e, int width, result *sum)
{
    count_distinct(e, width, sum);
    for (int start = 0; start < BW_LANES; start += width) {
        const vec *key = e->key + start;
        vec most = all(0);
        for (int j = 1; j < width; j++) {
            vec same = all(0);
            for (int i = 0; i < j; i++)
                same -= is_equal(key[i], key[j]);
            most = larger_of(most, same);
        }
        vec some = has_lanes(e, start, width);
        sum->lanes += largest_of(e->bit + start, width);
        sum->equal += (most + all(1)) & some;
    }
}

/* Whether lanes at this distance ask for one address throughout, or one of them does not ask. */
ALWAYS vec is_paired(const eight *e, int distance)
{
    vec odd = all(0);
    for (int i = 0; i < BW_LANES; i++)
        if (!(i & distance)) {
            int j = i ^ distance;
            vec both = -(e->active >> i & e->active >> j & all(1));
            odd |= both & ~is_equal(e->key[i], e->key[j]);
        }
    return is_equal(odd, all(0));
}

/* ---- a loop of load and compare-and-swap of 4 bytes ---- */

/*
 * A lane's swap succeeds in the round in which no lower lane of its bank is left: its round is the
 * number of lower lanes of that bank. In round r the lanes of round r and later load: the elements
 * whose last lane, the highest that wants them, has a round of r or more.
 */
typedef struct loop {
    vec wavefronts, rounds, degree, most_equal;
} loop;

ALWAYS void find_rounds(const eight *e, const kind *k, vec round[BW_LANES], vec last[BW_LANES],
                        loop *sum)
{
    vec slots = all((1u << k->bits) - 1), slot[BW_LANES];
    for (int l = 0; l < BW_LANES; l++) {
        vec is_active = ~is_equal(e->bit[l], all(0));
        slot[l] = choose(is_active, e->key[l] & slots, all(0xff00u | (uint32_t)l));
        last[l] = is_active;
    }
    for (int j = 0; j < BW_LANES; j++) {
        vec before = all(0), same = all(0);
        for (int i = 0; i < j; i++) {
            vec equal = is_equal(e->key[i], e->key[j]);
            before -= is_equal(slot[i], slot[j]);
            same -= equal;
            last[i] &= ~equal;
        }
        round[j] = before;
        sum->rounds = larger_of(sum->rounds, before);
        sum->most_equal = larger_of(sum->most_equal, same);
    }
    sum->rounds += all(1);
    sum->most_equal += all(1);
}

ALWAYS void count_loop(const eight *e, const kind *k, loop *sum)
{
    vec round[BW_LANES], last[BW_LANES], bit[BW_LANES];
    *sum = (loop){all(0), all(0), all(0), all(0)};
    find_rounds(e, k, round, last, sum);
    uint32_t most = 0;
    for (int i = 0; i < EACH; i++)
        most = sum->rounds[i] > most ? sum->rounds[i] : most;
    for (uint32_t r = 0; r < most; r++) {
        for (int l = 0; l < BW_LANES; l++)
            bit[l] = e->bit[l] & last[l] & (vec)((ivec)round[l] >= (ivec)all(r));
        vec ways = largest_of(bit, BW_LANES);
        sum->wavefronts += ways;
        if (r == 0)
            sum->degree = ways;
    }
    sum->wavefronts += sum->rounds + sum->rounds; /* two for each round's swaps */
}

/* ---- costs ---- */

ALWAYS void finish(const kind *k, bw_cost *cost, uint32_t perfect)
{
    uint32_t least = cost->merged ? k->info->least_merged : k->info->least_cycles;
    cost->cycles = cost->wavefronts > least ? cost->wavefronts : least;
    cost->excess_serial = perfect - cost->ideal;
    cost->excess_layout = cost->wavefronts - perfect;
    cost->wavefronts_changing = cost->wavefronts;
    cost->at_least = k->info->kind == BW_KIND_ASYNC;
    cost->basis = k->basis;
}

ALWAYS void give_distinct(const kind *k, const result *sum, vec merged, bw_cost *const costs[EACH])
{
    for (int i = 0; i < EACH; i++) {
        *costs[i] = (bw_cost){.wavefronts = sum->distinct[i],
                              .ideal = sum->phases[i],
                              .degree = sum->degree[i],
                              .phases = sum->phases[i],
                              .rounds = 1,
                              .merged = merged[i] != 0};
        finish(k, costs[i], sum->phases[i]);
    }
}

ALWAYS void price_distinct(const kind *k, const eight *e, bw_cost *const costs[EACH], int width)
{
    result sum;
    vec merged = all(0);
    uint32_t some = 0, every = UINT32_MAX;
    if (width < BW_LANES && k->info->merges) {
        merged = is_paired(e, 1) | is_paired(e, 2);
        for (int i = 0; i < EACH; i++) {
            some |= merged[i];
            every &= merged[i];
        }
    }
    if (!every || !some)
        count_distinct(e, width, &sum);
    if (some && width < BW_LANES) {
        result wide;
        count_distinct(e, 2 * width, &wide);
        if (every) {
            sum = wide;
        } else {
            sum.distinct = choose(merged, wide.distinct, sum.distinct);
            sum.degree = choose(merged, wide.degree, sum.degree);
            sum.phases = choose(merged, wide.phases, sum.phases);
        }
    }
    give_distinct(k, &sum, merged, costs);
}

ALWAYS void price_lanes(const kind *k, const eight *e, bw_cost *const costs[EACH], int width)
{
    result sum;
    uint32_t turns = k->info->turns == BW_TURNS_TWICE ? 2 : 1;
    count_lanes(e, width, &sum);
    for (int i = 0; i < EACH; i++) {
        *costs[i] = (bw_cost){.wavefronts = turns * sum.lanes[i],
                              .ideal = turns * sum.phases[i],
                              .degree = sum.degree[i],
                              .phases = sum.phases[i],
                              .rounds = 1};
        finish(k, costs[i], turns * sum.equal[i]);
    }
}

/* Of 4 bytes: a round is one load and two wavefronts to swap, in a perfect layout too. */
ALWAYS void price_loop(const kind *k, const eight *e, bw_cost *const costs[EACH])
{
    loop sum;
    count_loop(e, k, &sum);
    for (int i = 0; i < EACH; i++) {
        *costs[i] = (bw_cost){.wavefronts = sum.wavefronts[i],
                              .ideal = 3,
                              .degree = sum.degree[i],
                              .phases = 1,
                              .rounds = sum.rounds[i]};
        finish(k, costs[i], 3 * sum.most_equal[i]);
    }
}

/* One function for each width, so that the loops over lanes have constant bounds. */
#define PRICE(name, price, width)                                                                  \
    static __attribute__((noinline)) void name(const kind *k, const eight *e,                      \
                                               bw_cost *const costs[EACH])                         \
    {                                                                                              \
        price(k, e, costs, width);                                                                 \
    }
PRICE(distinct_32, price_distinct, 32)
PRICE(distinct_16, price_distinct, 16)
PRICE(distinct_8, price_distinct, 8)
PRICE(lanes_32, price_lanes, 32)
PRICE(lanes_16, price_lanes, 16)
PRICE(lanes_8, price_lanes, 8)
#undef PRICE

static __attribute__((noinline)) void loop_32(const kind *k, const eight *e,
                                              bw_cost *const costs[EACH])
{
    price_loop(k, e, costs);
}

static void price_eight(const kind *k, const eight *e, bw_cost *const costs[EACH])
{
    if (k->info->turns == BW_TURNS_LOOP)
        loop_32(k, e, costs);
    else if (k->info->turns == BW_TURNS_WORDS)
        (k->width == 32 ? distinct_32 : k->width == 16 ? distinct_16 : distinct_8)(k, e, costs);
    else
        (k->width == 32 ? lanes_32 : k->width == 16 ? lanes_16 : lanes_8)(k, e, costs);
}

/* ---- a stride, in closed form: see pass_of_stride in cost.c ---- */

ALWAYS bool is_strided(const uint32_t *addr, uint32_t *stride)
{
    uint32_t step = addr[1] - addr[0];
    vec odd = all(0);
    for (int l = 0; l < BW_LANES - EACH; l += EACH) {
        vec from, to;
        memcpy(&from, addr + l, sizeof from);
        memcpy(&to, addr + l + 1, sizeof to);
        odd |= (to - from) ^ all(step);
    }
    vec from, to; /* the last seven differences, one of them again */
    memcpy(&from, addr + BW_LANES - EACH - 1, sizeof from);
    memcpy(&to, addr + BW_LANES - EACH, sizeof to);
    odd |= (to - from) ^ all(step);
    uint64_t parts[EACH / 2];
    memcpy(parts, &odd, sizeof parts);
    *stride = step;
    return !(parts[0] | parts[1] | parts[2] | parts[3]);
}

/* False where the closed form does not apply. */
ALWAYS bool price_stride(const kind *k, const bw_request *request, bw_cost *cost)
{
    uint32_t stride, width = k->width;
    if (request->active != UINT32_MAX || k->counted != UINT32_MAX ||
        k->info->turns != BW_TURNS_WORDS || !is_strided(request->addr, &stride) ||
        (request->addr[0] | stride) & (k->info->bytes - 1u))
        return false;
    uint32_t slots = stride >> k->shift, ways = 1;
    if (slots >= 1u << 20 || slots << k->shift != stride)
        return false;
    bool merged = stride == 0 && k->info->merges && width < BW_LANES;
    if (stride) {
        ways = slots & -slots; /* greatest common divisor with a power of two */
        ways = ways < width ? ways : width;
    }
    uint32_t count = BW_LANES / (merged ? 2 * width : width);
    *cost = (bw_cost){.wavefronts = count * ways,
                      .ideal = count,
                      .degree = ways,
                      .phases = count,
                      .rounds = 1,
                      .merged = merged};
    finish(k, cost, count);
    return true;
}

/* ---- rows of eight neighbours: tiles that are read row by row ---- */

ALWAYS bool has_rows(const uint32_t *addr, uint32_t bytes)
{
    vec odd = all(0),
        step = {0, bytes, 2 * bytes, 3 * bytes, 4 * bytes, 5 * bytes, 6 * bytes, 7 * bytes};
    for (int l = 0; l < BW_LANES; l += EACH) {
        vec row;
        memcpy(&row, addr + l, sizeof row);
        odd |= (row - all(addr[l])) ^ step;
    }
    uint64_t parts[EACH / 2];
    memcpy(parts, &odd, sizeof parts);
    return !(parts[0] | parts[1] | parts[2] | parts[3]);
}

/* Of the eight elements from `key` on, as bits, those that none of `rows` earlier rows has. */
ALWAYS uint32_t new_elements(const uint32_t *keys, unsigned rows, uint32_t key)
{
    uint32_t fresh = 0xff;
    for (unsigned i = 0; i < rows; i++) {
        uint32_t up = key - keys[i], down = keys[i] - key;
        if (up < EACH)
            fresh &= ~(0xffu >> up);
        else if (down < EACH)
            fresh &= ~(0xffu << down);
    }
    return fresh;
}

/* The ways of a phase of 1, 2 or 4 rows, whose first elements are given. */
ALWAYS uint32_t ways_of_rows(const uint32_t *keys, unsigned rows, unsigned bits)
{
    uint32_t one = 0, two = 0, four = 0;
    for (unsigned j = 0; j < rows; j++) {
        uint64_t spread = (uint64_t)new_elements(keys, j, keys[j])
                          << (keys[j] & ((1u << bits) - 1));
        uint32_t add = (uint32_t)(spread | spread >> (1u << bits)); /* around the end of the row */
        uint32_t carry = one & add;
        one ^= add;
        four |= two & carry;
        two ^= carry;
    }
    uint32_t last = bits == 5 ? UINT32_MAX : (1u << (1u << bits)) - 1;
    return four & last ? 4 : two & one & last ? 3 : two & last ? 2 : 1;
}

ALWAYS bool price_rows(const kind *k, const bw_request *request, bw_cost *cost)
{
    uint32_t bytes = k->info->bytes, keys[BW_LANES / EACH], first = 0, sum = 0, most = 0;
    if (request->active != UINT32_MAX || k->counted != UINT32_MAX ||
        k->info->turns != BW_TURNS_WORDS || bytes != 1u << k->shift ||
        !has_rows(request->addr, bytes))
        return false;
    for (int r = 0; r < BW_LANES / EACH; r++) {
        keys[r] = request->addr[r * EACH] >> k->shift;
        first |= request->addr[r * EACH];
        if (keys[r] > (UINT32_MAX - 2 * EACH) >> k->shift) /* a row that wraps around */
            return false;
    }
    if (first & (bytes - 1))
        return false;
    unsigned rows = k->width / EACH, phases = BW_LANES / k->width;
    for (unsigned p = 0; p < phases; p++) {
        uint32_t ways = ways_of_rows(keys + p * rows, rows, k->bits);
        sum += ways;
        most = ways > most ? ways : most;
    }
    *cost = (bw_cost){
        .wavefronts = sum, .ideal = phases, .degree = most, .phases = phases, .rounds = 1};
    finish(k, cost, phases);
    return true;
}

/* ---- all together ---- */

ALWAYS kind kind_of(const bw_arch *arch, bw_op op)
{
    kind k = {.info = bw_op_get(op), .reference = true};
    if (!arch || !k.info || arch->rules != BW_RULES_MODERN || arch->cc < k.info->least_cc ||
        (k.info->turns == BW_TURNS_LOOP && k.info->bytes == 8) ||
        k.info->turns == BW_TURNS_PHASES || k.info->turns == BW_TURNS_FIXED)
        return k;
    bw_slots slots = bw_slots_of(arch->rules, k.info->bytes);
    bw_request every = {.op = op, .active = UINT32_MAX};
    k.counted = bw_lanes_of(k.info, &every);
    k.shift = slots.shift;
    k.bits = slots.bits;
    k.width = (uint8_t)bw_phase_width(arch->rules, k.info->bytes);
    k.basis = bw_basis_of(arch, op);
    k.reference = false;
    return k;
}

/* What an operation has besides addresses is for bw_cost_of. */
ALWAYS bool needs_more(const kind *k, const bw_request *request)
{
    return (k->info->copies && request->sources) ||
           (k->info->kind == BW_KIND_STORE && request->registers);
}

/* Requests of one operation that wait until there are eight. */
typedef struct queue {
    kind k;
    bool known; /* k is filled */
    uint8_t count;
    uint32_t at[EACH];
} queue;

/* What the whole call works on; requests are at most UINT32_MAX (BATCH_FUNCTION cuts). */
typedef struct batch {
    const bw_arch *arch;
    const bw_request *requests;
    bw_cost *costs;
    bw_status *statuses;
    size_t bad;
} batch;

static void price_reference(batch *b, size_t at)
{
    bw_status status = bw_cost_of(b->arch, &b->requests[at], &b->costs[at]);
    b->bad += status != BW_OK;
    if (b->statuses)
        b->statuses[at] = status;
}

static void price_queue(batch *b, queue *q)
{
    const bw_request *requests[EACH];
    bw_cost *costs[EACH];
    bool full = true;
    eight e;
    for (int i = 0; i < EACH; i++) {
        requests[i] = &b->requests[q->at[i]];
        costs[i] = &b->costs[q->at[i]];
        full = full && (requests[i]->active & q->k.counted) == UINT32_MAX;
    }
    vec odd = full ? load_eight(&q->k, requests, true, &e) : load_eight(&q->k, requests, false, &e);
    price_eight(&q->k, &e, costs);
    for (int i = 0; i < EACH; i++) {
        if (odd[i])
            price_reference(b, q->at[i]);
        else if (b->statuses)
            b->statuses[q->at[i]] = BW_OK;
    }
    q->count = 0;
}

#define WINDOW                                                                                     \
    4096 /* requests between two emptyings of the queues: their costs stay in the cache */

static void price_window(batch *b, size_t count)
{
    queue queues[BW_OP_COUNT];
    for (int op = 0; op < BW_OP_COUNT; op++) {
        queues[op].known = false;
        queues[op].count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        unsigned op = (unsigned)b->requests[i].op;
        queue *q = op < BW_OP_COUNT ? &queues[op] : NULL;
        if (q && !q->known) {
            q->k = kind_of(b->arch, (bw_op)op);
            q->known = true;
        }
        if (!q || q->k.reference || needs_more(&q->k, &b->requests[i])) {
            price_reference(b, i);
        } else if (price_stride(&q->k, &b->requests[i], &b->costs[i]) ||
                   price_rows(&q->k, &b->requests[i], &b->costs[i])) {
            if (b->statuses)
                b->statuses[i] = BW_OK;
        } else {
            q->at[q->count++] = (uint32_t)i;
            if (q->count == EACH)
                price_queue(b, q);
        }
    }
    for (int op = 0; op < BW_OP_COUNT; op++)
        for (int i = 0; i < queues[op].count; i++)
            price_reference(b, queues[op].at[i]);
}

size_t BATCH_FUNCTION(const bw_arch *arch, const bw_request *requests, size_t count, bw_cost *costs,
                      bw_status *statuses)
{
    size_t bad = 0;
    for (size_t from = 0; from < count; from += WINDOW) {
        size_t part = count - from < WINDOW ? count - from : WINDOW;
        batch b = {arch, requests + from, costs + from, statuses ? statuses + from : NULL, 0};
        price_window(&b, part);
        bad += b.bad;
    }
    return bad;
}
