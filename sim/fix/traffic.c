/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "traffic.h"

#include <stdlib.h>
#include <string.h>

#include "numbers.h"

/* What two requests have in common if they merge. Unused members are zero. */
typedef struct key {
    uint32_t op, active, instance, residue[BW_MAX_DIMENSIONS + 1];
    uint32_t lane[BW_LANES][3];
} key;

/* ---- a hash table of indices ---- */

static uint64_t hash_bytes(const void *data, size_t bytes)
{
    const unsigned char *p = data;
    uint64_t h = UINT64_C(0x9E3779B97F4A7C15), word;
    for (; bytes >= sizeof word; p += sizeof word, bytes -= sizeof word) {
        memcpy(&word, p, sizeof word);
        h = (h ^ word) * UINT64_C(0xFF51AFD7ED558CCD);
        h ^= h >> 32;
    }
    for (; bytes; p++, bytes--)
        h = (h ^ *p) * UINT64_C(0x100000001B3);
    return h ^ h >> 29;
}

static void grow_list(bw_traffic_list *list)
{
    BW_GROW(list->items, list->count, list->capacity);
}

/* ---- recording ---- */

uint32_t bw_traffic_instance(bw_traffic *t, const bw_array *array)
{
    BW_GROW(t->arrays, t->array_count, t->array_capacity);
    t->arrays[t->array_count++] = array;
    return t->array_count - 1;
}

/* The request with addresses from the array's start, and zero where no lane takes part. */
static bool relative(const bw_array *array, const bw_request *from, bw_request *to)
{
    uint32_t lanes = bw_request_lanes(from);
    memset(to, 0, sizeof *to);
    to->op = from->op;
    to->active = from->active;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        to->addr[i] = from->addr[i] - array->base;
        if (from->addr[i] < array->base || to->addr[i] >= array->bytes)
            return false;
    }
    return lanes != 0;
}

static void rehash(bw_traffic *t)
{
    const bw_traffic_list *list = &t->lists[BW_MERGE_NONE];
    free(t->slots);
    t->slot_count = t->slot_count ? t->slot_count * 4 : 1024;
    t->slots = bw_calloc(t->slot_count, sizeof *t->slots);
    for (size_t i = 0; i < list->count; i++) {
        size_t at = hash_bytes(&list->items[i].request, sizeof(bw_request)) % t->slot_count;
        while (t->slots[at])
            at = (at + 1) % t->slot_count;
        t->slots[at] = (uint32_t)i + 1;
    }
}

void bw_traffic_mixed(bw_traffic *t, const bw_request *request, uint64_t copies)
{
    bw_cost cost;
    t->total += copies;
    t->mixed += copies;
    if (bw_cost_of(t->arch, request, &cost) == BW_OK)
        t->mixed_cycles += copies * cost.cycles;
    t->mixed_bound += copies * bw_layout_bound(t->arch, request);
}

void bw_traffic_add(bw_traffic *t, uint32_t instance, uint32_t access, const bw_request *request,
                    uint64_t copies)
{
    bw_traffic_list *list = &t->lists[BW_MERGE_NONE];
    bw_request r;
    if (!relative(t->arrays[instance], request, &r)) {
        bw_traffic_mixed(t, request, copies);
        return;
    }
    t->total += copies;
    if (2 * (list->count + 1) > t->slot_count)
        rehash(t);
    size_t at = hash_bytes(&r, sizeof r) % t->slot_count;
    for (; t->slots[at]; at = (at + 1) % t->slot_count) {
        bw_traffic_item *item = &list->items[t->slots[at] - 1];
        if (item->instance == instance && memcmp(&item->request, &r, sizeof r) == 0) {
            item->count += copies;
            return;
        }
    }
    if (list->count == BW_TRAFFIC_MAX) {
        t->missed += copies;
        return;
    }
    grow_list(list);
    list->items[list->count++] =
        (bw_traffic_item){.request = r, .count = copies, .instance = instance, .access = access};
    t->slots[at] = (uint32_t)list->count;
}

/* ---- merging ---- */

/* Elements whose place in a word (or in the access, if that is wider) repeats: shifting by a
 * multiple of it changes neither alignment nor which lanes share a word. */
static uint32_t grain_of(const bw_array *array, const bw_request *r)
{
    uint32_t bytes = bw_op_get(r->op)->bytes, wide = bytes > 4 ? bytes : 4, a = array->elem,
             b = wide;
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return wide / a;
}

static void split(const bw_array *array, uint32_t index, uint32_t coordinate[BW_MAX_DIMENSIONS])
{
    for (unsigned d = array->dims; d-- > 0;) {
        coordinate[d] = index % array->dim[d];
        index /= array->dim[d];
    }
}

/* Steps of each dimension from the first lane; the first lane's place within a grain. */
static void shift_key(const bw_array *array, const bw_request *r, key *k)
{
    uint32_t lanes = bw_request_lanes(r), at[BW_MAX_DIMENSIONS] = {0},
             first[BW_MAX_DIMENSIONS] = {0};
    uint32_t grain = grain_of(array, r);
    bool begun = false;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        split(array, r->addr[i] / array->elem, at);
        if (!begun)
            memcpy(first, at, sizeof first);
        begun = true;
        uint64_t steps = 0; /* twice the room, for negative steps: no two patterns coincide */
        for (unsigned d = 0; d < array->dims; d++)
            steps = steps * (2 * (uint64_t)array->dim[d]) + (at[d] + array->dim[d] - first[d]);
        memcpy(k->lane[i], &steps, sizeof steps);
        k->lane[i][2] = r->addr[i] % array->elem;
    }
    for (unsigned d = 0; d < array->dims; d++)
        k->residue[d] = first[d] % grain;
}

static void xor_key(const bw_array *array, const bw_request *r, key *k)
{
    uint32_t lanes = bw_request_lanes(r);
    uint32_t first = lanes ? r->addr[__builtin_ctz(lanes)] / array->elem : 0;
    uint32_t grain = grain_of(array, r);
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        k->lane[i][0] = r->addr[i] / array->elem ^ first;
        k->lane[i][1] = r->addr[i] % array->elem;
    }
    k->residue[0] = first % grain;
}

static void row_key(const bw_array *array, const bw_request *r, key *k)
{
    uint32_t lanes = bw_request_lanes(r), columns = array->dim[array->dims - 1];
    uint32_t first = lanes ? r->addr[__builtin_ctz(lanes)] / array->elem % columns : 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        k->lane[i][0] = r->addr[i] / array->elem ^ first;
        k->lane[i][1] = r->addr[i] % array->elem;
    }
    k->residue[0] = first % grain_of(array, r);
}

static void block_key(const bw_array *array, const bw_request *r, key *k)
{
    uint32_t lanes = bw_request_lanes(r);
    uint32_t least = UINT32_MAX;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t a = r->addr[__builtin_ctz(left)];
        least = a < least ? a : least;
    }
    uint32_t moved = least / (BW_BLOCK * array->elem) * (BW_BLOCK * array->elem);
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        k->lane[i][0] = r->addr[i] - moved;
    }
}

/* Whether requests of this array may merge so, else they are kept apart. */
static bool can_merge(const bw_traffic *t, bw_merging how, const bw_array *array)
{
    if (t->arch->rules != BW_RULES_MODERN || how == BW_MERGE_NONE || !array->dims)
        return false;
    bool power = bw_is_power_of_two(array->elem);
    if (how == BW_MERGE_XORS)
        return power;
    if (how == BW_MERGE_ROWS)
        return power && bw_is_power_of_two(array->dim[array->dims - 1]);
    return true;
}

static key key_of(const bw_traffic *t, bw_merging how, const bw_traffic_item *item)
{
    const bw_request *r = &item->request;
    const bw_array *array = t->arrays[item->instance];
    key k;
    memset(&k, 0, sizeof k);
    k.op = r->op;
    k.active = r->active;
    k.instance = item->instance;
    if (!can_merge(t, how, array)) {
        memcpy(k.lane, r->addr, sizeof r->addr);
        return k;
    }
    switch (how) {
    case BW_MERGE_SHIFTS: shift_key(array, r, &k); break;
    case BW_MERGE_XORS: xor_key(array, r, &k); break;
    case BW_MERGE_ROWS: row_key(array, r, &k); break;
    default: block_key(array, r, &k); break;
    }
    return k;
}

static int heavier(const void *left, const void *right)
{
    const bw_traffic_item *a = left, *b = right;
    uint64_t x = a->count * a->bound, y = b->count * b->bound;
    if (x != y)
        return x > y ? -1 : 1;
    return memcmp(&a->request, &b->request, sizeof a->request);
}

static void seal_list(const bw_traffic *t, bw_traffic_list *list)
{
    list->bound = 0;
    for (size_t i = 0; i < list->count; i++) {
        list->items[i].bound = bw_layout_bound(t->arch, &list->items[i].request);
        list->bound += list->items[i].count * list->items[i].bound;
    }
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, heavier);
}

static void merge(bw_traffic *t, bw_merging how)
{
    const bw_traffic_list *from = &t->lists[BW_MERGE_NONE];
    bw_traffic_list *to = &t->lists[how];
    size_t slots = 64;
    while (slots < 2 * from->count)
        slots *= 2;
    uint32_t *table = bw_calloc(slots, sizeof *table);
    key *keys = bw_alloc((from->count + 1) * sizeof *keys);
    for (size_t i = 0; i < from->count; i++) {
        key k = key_of(t, how, &from->items[i]);
        size_t at = hash_bytes(&k, sizeof k) & (slots - 1);
        while (table[at] && memcmp(&keys[table[at] - 1], &k, sizeof k) != 0)
            at = (at + 1) & (slots - 1);
        if (table[at]) {
            to->items[table[at] - 1].count += from->items[i].count;
            continue;
        }
        grow_list(to);
        keys[to->count] = k;
        to->items[to->count++] = from->items[i];
        table[at] = (uint32_t)to->count;
    }
    free(keys);
    free(table);
    seal_list(t, to);
}

/* Every so-and-so-many-th request: neither the first trials nor the heaviest only. */
static void sample(bw_traffic *t)
{
    bw_traffic_list *all = &t->lists[BW_MERGE_NONE];
    if (all->count <= BW_TRAFFIC_SAMPLE)
        return;
    for (size_t i = 0; i < all->count; i++)
        t->missed += all->items[i].count;
    for (size_t i = 0; i < BW_TRAFFIC_SAMPLE; i++) {
        all->items[i] = all->items[i * all->count / BW_TRAFFIC_SAMPLE];
        t->missed -= all->items[i].count;
    }
    all->count = BW_TRAFFIC_SAMPLE;
}

void bw_traffic_seal(bw_traffic *t)
{
    if (t->sealed)
        return;
    if (t->random)
        sample(t);
    for (bw_merging how = BW_MERGE_SHIFTS; how < BW_MERGINGS; how++)
        merge(t, how);
    seal_list(t, &t->lists[BW_MERGE_NONE]);
    free(t->slots);
    t->slots = NULL;
    t->sealed = true;
}

void bw_traffic_finish(bw_traffic *t)
{
    for (int i = 0; i < BW_MERGINGS; i++)
        free(t->lists[i].items);
    free(t->arrays);
    free(t->slots);
    *t = (bw_traffic){.arch = t->arch};
}

/* ---- what no layout betters ---- */

/* The same operation and lanes, equal addresses equal, all others in words of their own, side by
 * side: the layout that a layout can at best come to. */
static bw_request apart(const bw_request *from)
{
    bw_request to = {.op = from->op, .active = from->active};
    uint32_t bytes = bw_op_get(from->op)->bytes, step = bytes > 4 ? bytes : 4, next = 0;
    uint32_t lanes = bw_request_lanes(from);
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left), same = BW_LANES;
        for (uint32_t before = lanes & ((1u << i) - 1); before; before &= before - 1) {
            unsigned j = (unsigned)__builtin_ctz(before);
            same = from->addr[j] == from->addr[i] ? j : same;
        }
        to.addr[i] = same < BW_LANES ? to.addr[same] : step * next++;
    }
    return to;
}

uint32_t bw_layout_bound(const bw_arch *arch, const bw_request *request)
{
    bw_cost cost, best;
    if (bw_cost_of(arch, request, &cost) != BW_OK)
        return 0;
    uint32_t bound = cost.ideal + cost.excess_serial;
    bw_request free_of_conflicts = apart(request);
    if (bw_cost_of(arch, &free_of_conflicts, &best) == BW_OK && best.wavefronts == bound)
        return best.cycles;
    return bound;
}
