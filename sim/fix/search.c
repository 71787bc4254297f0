/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"

/* A pad is as good as one that differs by a whole turn of the banks: 32 banks of 8 bytes at most.
 */
#define TURN 256u
/* Layouts between two calls of progress. */
#define STRIDE_OF_PROGRESS 8

typedef struct finder {
    bw_search *out;
    const bw_traffic *traffic;
    const bw_search_options *options;
    const bw_array *array; /* of the first launch: its shape tells what can be tried */
    bw_placement *places;  /* of the layout being tried, one a launch; malloc'd */
    uint32_t max_pad;
    uint32_t unused[BW_MAX_DIMENSIONS]; /* elements at a dimension's end that nothing asks for */
    bool counting;                      /* how many there are to price, for progress */
    uint64_t priced, to_price;
} finder;

static unsigned log2_of(uint64_t n)
{
    return n ? 63 - (unsigned)__builtin_clzll(n) : 0;
}

/* ---- the price of one layout ---- */

/* The request as it is in the new layout; false where it is torn apart or misaligned. */
static bool placed(const bw_placement *p, const bw_request *from, bw_request *to)
{
    uint32_t bytes = bw_op_get(from->op)->bytes;
    uint64_t all = 0;
    to->op = from->op;
    to->active = from->active;
    to->sources = NULL;
    for (uint32_t left = bw_request_lanes(from); left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint64_t at = p->array->base + bw_placed_at(p, from->addr[i]);
        to->addr[i] = (uint32_t)at;
        all |= at;
        if (from->addr[i] % p->array->elem + bytes > p->array->elem &&
            !bw_stays_whole(p, from->addr[i], bytes))
            return false;
    }
    return all % bytes == 0 && all <= UINT32_MAX;
}

/* Places the array of every launch; `places` has room for them. */
static bool place_all(const bw_traffic *t, const bw_layout *layout, bw_placement *places)
{
    for (uint32_t i = 0; i < t->array_count; i++)
        if (!bw_layout_place(&places[i], layout, t->arrays[i]))
            return false;
    return true;
}

static uint64_t price(const bw_traffic *t, bw_merging which, const bw_placement *places,
                      uint64_t most)
{
    const bw_traffic_list *list = &t->lists[which];
    uint64_t least = list->bound; /* what is known so far, and the bound of the rest */
    bw_request request;
    bw_cost cost;
    memset(&request, 0, sizeof request);
    for (size_t i = 0; i < list->count; i++) {
        const bw_traffic_item *item = &list->items[i];
        if (!placed(&places[item->instance], &item->request, &request) ||
            bw_cost_of(t->arch, &request, &cost) != BW_OK)
            return UINT64_MAX;
        least += item->count * (cost.cycles - item->bound);
        if (least > most)
            return UINT64_MAX;
    }
    return least;
}

uint64_t bw_layout_cycles(const bw_traffic *t, bw_merging list, const bw_layout *layout,
                          uint64_t most)
{
    bw_placement *places = bw_alloc((t->array_count + 1) * sizeof *places);
    bool can = place_all(t, layout, places);
    uint64_t cycles = can ? price(t, list, places, most) : UINT64_MAX;
    free(places);
    return cycles;
}

static bool gain(const bw_traffic *t, const bw_placement *old, const bw_placement *new,
                 double *mean, double *error)
{
    const bw_traffic_list *list = &t->lists[BW_MERGE_NONE];
    double n = 0, sum = 0, squares = 0;
    for (size_t i = 0; i < list->count; i++) {
        const bw_traffic_item *item = &list->items[i];
        bw_request r;
        bw_cost before, after;
        if (!placed(&old[item->instance], &item->request, &r) ||
            bw_cost_of(t->arch, &r, &before) != BW_OK ||
            !placed(&new[item->instance], &item->request, &r) ||
            bw_cost_of(t->arch, &r, &after) != BW_OK)
            return false;
        double saved = (double)before.cycles - after.cycles, count = (double)item->count;
        n += count;
        sum += count * saved;
        squares += count * saved * saved;
    }
    *mean = n > 0 ? sum / n : 0;
    *error = n > 1 ? sqrt((squares / n - *mean * *mean) / (n - 1)) : 0;
    return n > 1;
}

bool bw_layout_gain(const bw_traffic *t, const bw_layout *layout, double *mean, double *error)
{
    const bw_layout same = {.kind = BW_LAYOUT_PAD};
    bw_placement *old = bw_alloc((t->array_count + 1) * sizeof *old);
    bw_placement *new = bw_alloc((t->array_count + 1) * sizeof *new);
    bool known =
        place_all(t, &same, old) && place_all(t, layout, new) && gain(t, old, new, mean, error);
    free(old);
    free(new);
    return known;
}

/* ---- which requests are alike for a layout ---- */

static bool inner_are_powers(const bw_array *a)
{
    for (unsigned i = 1; i < a->dims; i++)
        if (!bw_is_power_of_two(a->dim[i]))
            return false;
    return true;
}

static bool xor_is_linear(const bw_traffic *t, const bw_layout *l)
{
    if (l->factor != 1)
        return false;
    for (uint32_t i = 0; i < t->array_count; i++)
        if (!inner_are_powers(t->arrays[i]))
            return false;
    return true;
}

bw_merging bw_merging_of(const bw_traffic *t, const bw_layout *l)
{
    switch (l->kind) {
    case BW_LAYOUT_PAD:
    case BW_LAYOUT_ORDER:
    case BW_LAYOUT_STRUCT:
    case BW_LAYOUT_MEMBERS: return BW_MERGE_SHIFTS;
    case BW_LAYOUT_SWIZZLE: return BW_MERGE_XORS;
    case BW_LAYOUT_XOR: return xor_is_linear(t, l) ? BW_MERGE_XORS : BW_MERGE_ROWS;
    case BW_LAYOUT_EVERY:
        return bw_is_power_of_two(l->every) && l->every <= BW_BLOCK ? BW_MERGE_BLOCKS
                                                                    : BW_MERGE_NONE;
    default: return BW_MERGE_NONE;
    }
}

/* ---- keeping the best ---- */

static int64_t growth_of(const bw_placement *places, uint32_t count)
{
    int64_t most = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        int64_t one = (int64_t)places[i].bytes - places[i].array->bytes;
        most = one > most ? one : most;
    }
    return most;
}

/* The constraint that was given, besides what the accesses need by themselves: rows begin at
 * multiples of it, and what is moved is moved in pieces of it. */
static bool is_aligned(const finder *f, const bw_placement *p)
{
    uint32_t align = f->options->align;
    const bw_layout *l = p->layout;
    unsigned dims = p->array->dims;
    if (align < 2)
        return true;
    if (l->kind == BW_LAYOUT_XOR || l->kind == BW_LAYOUT_SWIZZLE)
        return ((uint64_t)p->array->elem << l->base) % align == 0;
    if (l->kind == BW_LAYOUT_EVERY)
        return (uint64_t)l->every * p->array->elem % align == 0 &&
               (uint64_t)l->extra * p->array->elem % align == 0;
    bool strides = dims >= 2 && (l->kind == BW_LAYOUT_PAD || l->kind == BW_LAYOUT_ORDER);
    for (unsigned i = 0; strides && i < dims; i++)
        if (p->stride[i] != p->array->elem && p->stride[i] % align)
            return false;
    return true;
}

static bool are_aligned(const finder *f, const bw_placement *places, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!is_aligned(f, &places[i]))
            return false;
    return true;
}

static bool is_better(const bw_found *best, uint64_t cycles, int64_t growth, uint32_t burden)
{
    if (!best->found || cycles != best->cycles)
        return !best->found || cycles < best->cycles;
    return growth != best->growth ? growth < best->growth : burden < best->burden;
}

/* Places a layout in all launches; false where the array cannot or may not have it. */
static bool may_have(const finder *f, const bw_layout *layout, int64_t *growth)
{
    uint32_t count = f->traffic->array_count;
    if (!place_all(f->traffic, layout, f->places) || !are_aligned(f, f->places, count))
        return false;
    *growth = growth_of(f->places, count);
    return !f->options->limited || *growth <= f->options->max_growth;
}

static bool goes_on(finder *f)
{
    if (++f->priced % STRIDE_OF_PROGRESS == 0 && f->options->progress &&
        !f->options->progress(f->options->context, f->priced, f->to_price))
        f->out->interrupted = true;
    return !f->out->interrupted;
}

/* Tries one layout; false once the search is to stop. */
static bool try_layout(finder *f, const bw_layout *layout, uint32_t burden)
{
    bw_search *out = f->out;
    bw_found *best = &out->best[layout->kind];
    int64_t growth;
    bool may = may_have(f, layout, &growth);
    if (f->counting) {
        f->to_price += may;
        return true;
    }
    out->tried++;
    if (!may)
        return true;
    if (!goes_on(f))
        return false;
    uint64_t most = best->found ? best->cycles : UINT64_MAX - 1;
    if (best->found && !is_better(best, best->cycles, growth, burden))
        most = best->cycles ? best->cycles - 1 : 0; /* only fewer cycles would help it */
    if (most < out->bound)
        return true;
    uint64_t cycles = price(f->traffic, bw_merging_of(f->traffic, layout), f->places, most);
    if (cycles != UINT64_MAX && is_better(best, cycles, growth, burden))
        *best = (bw_found){true, *layout, cycles, growth, burden};
    return true;
}

/* ---- padding, and the order of dimensions ---- */

/* Pads of dimension i beyond this repeat the banks of smaller ones: its rows are `step` bytes. */
static uint32_t pad_limit(const finder *f, uint64_t step)
{
    uint32_t period = TURN / bw_gcd(TURN, (uint32_t)(step % TURN));
    if (f->options->align)
        return f->max_pad;
    return period - 1 < f->max_pad ? period - 1 : f->max_pad;
}

static bool pad_from(finder *f, bw_layout *layout, unsigned dim, uint64_t step, uint32_t sum)
{
    const bw_array *a = f->array;
    if (dim == 0 || dim + 3 < a->dims)
        return try_layout(f, layout, sum);
    uint32_t limit = pad_limit(f, step);
    for (int32_t pad = -(int32_t)f->unused[dim]; pad <= (int32_t)limit; pad++) {
        uint32_t size = (uint32_t)((int32_t)a->dim[dim] + pad);
        layout->pad[dim] = (int16_t)pad; /* a row fits a block's shared memory, by far */
        if (!pad_from(f, layout, dim - 1, step * size, sum + (uint32_t)(pad < 0 ? -pad : pad)))
            return false;
    }
    layout->pad[dim] = 0;
    return true;
}

/* Where each request is known, the ends of rows that none asks for: a pad of old, mostly. */
static void find_unused(finder *f)
{
    const bw_traffic *t = f->traffic;
    const bw_traffic_list *all = &t->lists[BW_MERGE_NONE];
    if (t->missed || t->mixed)
        return;
    for (unsigned d = 1; d < f->array->dims; d++)
        f->unused[d] = f->options->padding[d];
    for (uint32_t i = 0; i < t->array_count; i++)
        for (unsigned d = 1; d < f->array->dims; d++)
            if (f->unused[d] >= t->arrays[i]->dim[d])
                f->unused[d] = t->arrays[i]->dim[d] - 1;
    for (size_t i = 0; i < all->count; i++) {
        const bw_array *a = t->arrays[all->items[i].instance];
        const bw_request *r = &all->items[i].request;
        uint32_t more = (bw_op_get(r->op)->bytes - 1) / a->elem + 1;
        for (uint32_t left = bw_request_lanes(r); left; left &= left - 1) {
            uint32_t index = r->addr[__builtin_ctz(left)] / a->elem + more - 1;
            for (unsigned d = a->dims; d-- > 1; index /= a->dim[d]) {
                uint32_t after = a->dim[d] - 1 - index % a->dim[d];
                f->unused[d] = after < f->unused[d] ? after : f->unused[d];
            }
        }
    }
}

static void search_pads(finder *f)
{
    bw_layout layout = {.kind = BW_LAYOUT_PAD};
    if (f->array->dims < 2)
        return;
    find_unused(f);
    pad_from(f, &layout, f->array->dims - 1, f->array->elem, 0);
}

static void search_orders_from(finder *f, bw_layout *layout, unsigned at, unsigned used)
{
    unsigned dims = f->array->dims;
    if (at < dims) {
        for (unsigned d = 0; d < dims; d++) {
            layout->order[at] = (uint8_t)d;
            if (!(used >> d & 1))
                search_orders_from(f, layout, at + 1, used | 1u << d);
        }
        return;
    }
    uint32_t moved = 0;
    for (unsigned d = 0; d < dims; d++)
        moved += layout->order[d] != d;
    uint32_t limit = moved ? pad_limit(f, f->array->elem) : 0;
    for (uint32_t pad = 0; moved && pad <= limit; pad++) {
        layout->pad[dims - 1] = (int16_t)pad;
        if (!try_layout(f, layout, 2 * moved + pad))
            return;
    }
}

static void search_orders(finder *f)
{
    bw_layout layout = {.kind = BW_LAYOUT_ORDER};
    if (f->array->dims >= 2 && f->array->dims <= 4)
        search_orders_from(f, &layout, 0, 0);
}

/* ---- swizzles ---- */

static bool search_factors(finder *f, bw_layout *layout, unsigned rows)
{
    for (layout->factor = 1; layout->factor < 1u << layout->bits; layout->factor += 2)
        for (layout->shift = 0; layout->shift < (rows ? rows : 1); layout->shift++) {
            uint32_t burden = 4 + layout->bits + (layout->factor > 1 ? 16 + layout->factor : 0) +
                              (layout->base ? 8 : 0) + (layout->shift ? 8 + layout->shift : 0);
            if (!try_layout(f, layout, burden))
                return false;
        }
    return true;
}

/* Bits that reach past a turn of the banks change no cost. */
static void search_xors(finder *f)
{
    const bw_array *a = f->array;
    unsigned last = a->dims ? a->dims - 1 : 0;
    for (unsigned row = last; row-- > 0;)
        for (unsigned bits = 1; bits <= 8; bits++)
            for (unsigned base = 0; base + bits <= 8; base++) {
                bool in_row = a->dim[last] % (1u << (base + bits)) == 0;
                bool matters = (uint64_t)a->elem << (base + bits - 1) < TURN;
                bw_layout layout = {.kind = BW_LAYOUT_XOR,
                                    .row = (uint8_t)row,
                                    .bits = (uint8_t)bits,
                                    .base = (uint8_t)base};
                unsigned rows = log2_of(a->dim[row] > 1 ? a->dim[row] - 1u : 1) + 1;
                if (in_row && matters && !search_factors(f, &layout, rows))
                    return;
            }
}

static void search_swizzles(finder *f)
{
    uint64_t n = 1;
    for (unsigned i = 0; i < f->array->dims; i++)
        n *= f->array->dim[i];
    int total = n > 1 ? (int)log2_of(n - 1) + 1 : 0;
    for (int bits = 1; bits <= total; bits++)
        for (int base = 0; base + 2 * bits <= total; base++)
            for (int distance = bits; base + bits + distance <= total; distance++)
                for (int sign = 1; sign >= -1; sign -= 2) {
                    bw_layout layout = {.kind = BW_LAYOUT_SWIZZLE,
                                        .bits = (uint8_t)bits,
                                        .base = (uint8_t)base,
                                        .distance = (int8_t)(sign * distance)};
                    uint32_t burden = (uint32_t)(20 + bits + distance + (sign < 0 ? 64 : 0));
                    if (!try_layout(f, &layout, burden))
                        return;
                }
}

/* The engine XORs bits 4 … of the byte offset with bits 7 …, in rows as wide as the mode. */
static void search_tma(finder *f)
{
    const bw_array *a = f->array;
    unsigned elem = log2_of(a->elem);
    if (!bw_is_power_of_two(a->elem) || a->elem > 16 || !a->dims)
        return;
    for (unsigned bits = 1; bits <= 3; bits++) {
        bw_layout layout = {.kind = BW_LAYOUT_SWIZZLE,
                            .bits = (uint8_t)bits,
                            .base = (uint8_t)(4 - elem),
                            .distance = 3};
        bool wide = a->dims == 1 || (uint64_t)a->dim[a->dims - 1] * a->elem == 16u << bits;
        if (wide && a->base % (128u << bits) == 0)
            try_layout(f, &layout, bits);
    }
}

bool bw_xor_as_swizzle(const bw_layout *l, const bw_array *a, bw_layout *swizzle)
{
    unsigned last = a->dims - 1;
    if (l->kind != BW_LAYOUT_XOR || l->factor != 1 || l->row + 1u != last ||
        !bw_is_power_of_two(a->dim[last]))
        return false;
    unsigned columns = log2_of(a->dim[last]);
    bool cut = l->row > 0 && (1u << (l->shift + l->bits)) > a->dim[l->row]; /* mod the dimension */
    *swizzle = (bw_layout){.kind = BW_LAYOUT_SWIZZLE,
                           .bits = l->bits,
                           .base = l->base,
                           .distance = (int8_t)(columns + l->shift - l->base)};
    return !cut && swizzle->distance >= l->bits;
}

/* ---- flat arrays and structs ---- */

/* Whether the source computes with rows of that length: then a factor is all there is to write. */
static bool is_period(const finder *f, uint32_t every)
{
    for (unsigned i = 0; i < BW_MAX_PERIODS && f->options->periods[i]; i++)
        if (f->options->periods[i] == every)
            return true;
    return false;
}

static bool search_extra(finder *f, uint32_t every)
{
    for (uint32_t extra = 1; extra <= f->max_pad; extra++) {
        bw_layout layout = {.kind = BW_LAYOUT_EVERY, .every = every, .extra = extra};
        uint32_t burden = extra + (is_period(f, every) ? 0 : 64);
        if (!try_layout(f, &layout, burden))
            return false;
    }
    return true;
}

static void search_every(finder *f)
{
    if (f->array->dims != 1)
        return;
    for (unsigned i = 0; i < BW_MAX_PERIODS && f->options->periods[i]; i++)
        if (f->options->periods[i] >= 2 && !search_extra(f, f->options->periods[i]))
            return;
    for (uint32_t every = 2; !f->options->only_periods && every < f->array->dim[0]; every *= 2)
        if (!search_extra(f, every))
            return;
}

static void search_structs(finder *f)
{
    const bw_array *a = f->array;
    if (!a->struct_name)
        return;
    for (uint32_t extra = a->align; extra <= 4 * f->max_pad; extra += a->align) {
        bw_layout layout = {.kind = BW_LAYOUT_STRUCT, .extra = extra};
        if (!try_layout(f, &layout, extra))
            return;
    }
}

/* Members of falling alignment leave no holes between them. */
static void search_members(finder *f)
{
    const bw_array *a = f->array;
    bw_layout layout = {.kind = BW_LAYOUT_MEMBERS};
    if (!a->struct_name || a->member_count > BW_MAX_MEMBERS)
        return;
    unsigned next = 0, moved = 0;
    for (uint32_t align = 128; align; align /= 2)
        for (unsigned i = 0; i < a->member_count; i++)
            if (a->members[i].align == align)
                layout.member[next++] = (uint8_t)i;
    for (unsigned i = 0; i < next; i++)
        moved += layout.member[i] != i;
    if (next == a->member_count && moved)
        try_layout(f, &layout, moved);
}

static void search_soa(finder *f)
{
    bw_layout layout = {.kind = BW_LAYOUT_SOA};
    if (f->array->struct_name)
        try_layout(f, &layout, 64);
}

/* ---- all ---- */

static void (*const searches[BW_LAYOUT_KINDS])(finder *) = {
    [BW_LAYOUT_PAD] = search_pads,         [BW_LAYOUT_XOR] = search_xors,
    [BW_LAYOUT_SWIZZLE] = search_swizzles, [BW_LAYOUT_ORDER] = search_orders,
    [BW_LAYOUT_EVERY] = search_every,      [BW_LAYOUT_STRUCT] = search_structs,
    [BW_LAYOUT_MEMBERS] = search_members,  [BW_LAYOUT_SOA] = search_soa,
};

/* What the requests cost where they are: of a single struct, which has no layout to search. */
static uint64_t cycles_in_place(const bw_traffic *t)
{
    const bw_traffic_list *list = &t->lists[BW_MERGE_NONE];
    uint64_t sum = list->bound;
    bw_cost cost;
    for (size_t i = 0; i < list->count; i++)
        if (bw_cost_of(t->arch, &list->items[i].request, &cost) == BW_OK)
            sum += list->items[i].count * (cost.cycles - list->items[i].bound);
    return sum;
}

static void search_kinds(finder *f)
{
    if (f->options->tma) {
        search_tma(f);
        return;
    }
    for (int kind = 0; kind < BW_LAYOUT_KINDS; kind++)
        if (!f->options->kinds || f->options->kinds >> kind & 1)
            searches[kind](f);
}

void bw_search_layouts(bw_search *search, const bw_traffic *traffic,
                       const bw_search_options *options)
{
    const bw_traffic_list *all = &traffic->lists[BW_MERGE_NONE];
    bw_layout same = {.kind = BW_LAYOUT_PAD};
    *search = (bw_search){.bound = all->bound};
    if (!traffic->array_count)
        return;
    finder f = {.out = search,
                .traffic = traffic,
                .options = options,
                .array = traffic->arrays[0],
                .max_pad = options->max_pad ? options->max_pad : BW_MAX_PAD};
    search->cycles = bw_layout_cycles(traffic, BW_MERGE_NONE, &same, UINT64_MAX - 1);
    if (search->cycles == UINT64_MAX) {
        search->cycles = cycles_in_place(traffic);
        return;
    }
    f.places = bw_alloc(traffic->array_count * sizeof *f.places);
    f.counting = options->progress != NULL;
    if (f.counting)
        search_kinds(&f);
    f.counting = false;
    search_kinds(&f);
    free(f.places);
}
