/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "mistakes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite.h"
#include "tally.h"
#include "written.h"

/* A pad is small: rows that are longer by more than this, or by more than half, are meant so. */
#define MOST_PAD 32

static int64_t longest_row(int64_t step)
{
    int64_t pad = step < 2 ? 1 : step / 2;
    return step + (pad < MOST_PAD ? pad : MOST_PAD);
}

typedef struct spans {
    bw_span *items;
    size_t count;
} spans;

typedef struct checker {
    bw_program *pattern;
    const bw_source *source;
    bw_written written; /* its tokens */
    const bw_pattern_options *options;
    bw_diags *diags;
    bw_arena arena;
    const uint64_t *excess; /* by access */
    size_t excess_count;
    size_t launch; /* being looked at, as is the array */
    const bw_array *array;
} checker;

bw_message_id bw_mistake_at(size_t index)
{
    static const bw_message_id ids[] = {BW_MSG_PAD_STRIDE, BW_MSG_SWAPPED_INDEX,
                                        BW_MSG_HALF_SWIZZLE, BW_MSG_SWIZZLE_UNIT};
    return index < sizeof ids / sizeof *ids ? ids[index] : BW_MSG_COUNT;
}

/* ---- what an array costs ---- */

typedef struct meter {
    const bw_arch *arch;
    const bw_array *array;
    uint64_t excess;
    uint32_t left; /* requests to look at */
} meter;

/* A mistake in an index shows early: what is compared is the first requests of both programs, so
 * that looking for mistakes costs little beside a long run. */
#define METERED 100000

static bool meter_request(void *context, const bw_request_origin *origin, const bw_request *request,
                          uint64_t copies)
{
    meter *m = context;
    bw_cost cost;
    uint32_t lanes = bw_request_lanes(request);
    uint32_t first = lanes ? request->addr[__builtin_ctz(lanes)] : 0;
    (void)origin;
    if (first < m->array->base || first - m->array->base >= m->array->bytes)
        return --m->left > 0;
    if (bw_cost_of(m->arch, request, &cost) == BW_OK)
        m->excess += copies * (cost.wavefronts - cost.ideal);
    return --m->left > 0;
}

static const bw_arch *arch_of(const checker *c)
{
    return c->options->arch ? c->options->arch : bw_arch_find(BW_DEFAULT_ARCH);
}

/* Excess of the array under test in the first requests of its launch; UINT64_MAX where the run
 * fails before. */
static uint64_t excess_of(const checker *c, bw_program *pattern)
{
    const bw_array *arrays, *found = NULL;
    size_t count = bw_pattern_arrays(pattern, c->launch, &arrays);
    for (size_t i = 0; i < count; i++)
        if (strcmp(arrays[i].name, c->array->name) == 0)
            found = &arrays[i];
    if (!found)
        return UINT64_MAX;
    meter m = {arch_of(c), found, 0, METERED};
    bw_sink sink = {&m, meter_request};
    bw_diags diags = {.count = 0};
    bw_run run;
    bool good = bw_program_run(pattern, c->launch, &sink, &run, &diags);
    bw_diags_finish(&diags);
    return good ? m.excess : UINT64_MAX;
}

/* Excess with the edits made; UINT64_MAX where there is no such program. */
static uint64_t excess_with(checker *c, bw_edits *edits)
{
    size_t len;
    char *text = bw_edits_apply(edits, c->source, &len);
    if (!text)
        return UINT64_MAX;
    bw_source source = {c->source->name, text, len, NULL};
    bw_diags diags = {.count = 0};
    bw_program *pattern = bw_pattern_parse(&source, c->options, &diags);
    uint64_t excess = diags.errors ? UINT64_MAX : excess_of(c, pattern);
    bw_program_destroy(pattern);
    bw_diags_finish(&diags);
    return excess;
}

/* ---- pad-stride ---- */

static const char *text_of(checker *c, bw_span span)
{
    span = bw_written_trim(&c->written, span);
    return bw_arena_copy(&c->arena, c->source->text + span.offset, span.len);
}

/* Of what stands between the brackets where all of it stands in such. */
static bw_shape shape_inside(checker *c, const char *text)
{
    bw_shape shape = bw_shape_of(text);
    return shape.bracketed ? bw_shape_of(bw_arena_copy(&c->arena, text + 1, strlen(text) - 2))
                           : shape;
}

/* What the index should have stepped by, as text: the declared last dimension where there are
 * several, else the factor of the one dimension that is a little more than the step. */
static bool padded_row(checker *c, int64_t step, int64_t *row, const char **text)
{
    const bw_array *a = c->array;
    uint32_t at = a->span.offset + a->span.len;
    bw_span dim;
    if (a->dims == 0)
        return false;
    for (unsigned i = 0; i < a->dims; i++)
        if (!bw_written_group(&c->written, at, BW_TOK_LBRACKET, &dim, &at))
            return false;
    if (a->dims >= 2) {
        *row = a->dim[a->dims - 1];
        *text = text_of(c, dim);
        return *row > step && *row <= longest_row(step);
    }
    for (uint32_t from = dim.offset, end = dim.offset + dim.len; from < end;) {
        uint32_t stop = bw_written_find(&c->written, from, end, BW_TOK_STAR);
        *text = text_of(c, (bw_span){from, stop - from});
        /* "33", or "(TILE + 1)" whose other factor tells its value */
        bw_shape shape = shape_inside(c, *text);
        *row = (int64_t)shape.number + (shape.sum ? step : 0);
        if (*row > step && *row <= longest_row(step) &&
            (shape.decimal || (shape.sum && a->dim[0] % (uint32_t)*row == 0)))
            return true;
        from = stop + 1;
    }
    return false;
}

static bool has_factor(const bw_subscript *s, int64_t value)
{
    for (unsigned i = 0; i < s->factor_count; i++)
        if (s->factors[i].value == value)
            return true;
    return false;
}

/* The offending factor of a subscript, with what it should be; NULL where there is none. */
static const bw_factor *old_stride(checker *c, const bw_subscript *s, int64_t *row,
                                   const char **text)
{
    for (unsigned i = 0; i < s->factor_count; i++)
        if (s->factors[i].value > 1 && padded_row(c, s->factors[i].value, row, text) &&
            !has_factor(s, *row) && s->factors[i].span.len)
            return &s->factors[i];
    return NULL;
}

static int by_offset(const void *a, const void *b)
{
    const bw_span *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The accesses of this array, by where they begin; each as long as to where one has reached. */
static spans accesses_of_array(checker *c)
{
    const bw_access *accesses;
    size_t count = bw_program_accesses(c->pattern, &accesses);
    spans found = {.items = bw_arena_alloc(&c->arena, (count + 1) * sizeof *found.items)};
    for (size_t i = 0; i < count; i++)
        if (strcmp(accesses[i].array, c->array->name) == 0)
            found.items[found.count++] = accesses[i].span;
    qsort(found.items, found.count, sizeof *found.items, by_offset);
    uint32_t end = 0;
    for (size_t i = 0; i < found.count; i++) {
        bw_span *at = &found.items[i];
        end = at->offset + at->len > end ? at->offset + at->len : end;
        at->len = end - at->offset;
    }
    return found;
}

/* Whether an access of the array has the lvalue at `span`. */
static bool is_access(const spans *accesses, bw_span span)
{
    size_t low = 0, high = accesses->count; /* those below `low` begin at the span or before it */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (accesses->items[middle].offset <= span.offset)
            low = middle + 1;
        else
            high = middle;
    }
    const bw_span *at = low ? &accesses->items[low - 1] : NULL;
    return at && span.offset + span.len <= at->offset + at->len;
}

typedef struct old_strides {
    bw_edits edits;
    bw_span first;
    int64_t step, row;
} old_strides;

static void add_old_stride(checker *c, const bw_subscript *s, old_strides *found)
{
    const char *text;
    int64_t row;
    const bw_factor *f = old_stride(c, s, &row, &text);
    if (!f)
        return;
    if (!found->edits.count) {
        found->first = f->span;
        found->step = f->value;
        found->row = row;
    }
    bw_edit_add(&found->edits, f->span, bw_arena_format(&c->arena, "(%s)", text));
}

static void check_pad_stride(checker *c)
{
    old_strides found = {.edits = {.arena = &c->arena}};
    const bw_pointer_use *pointers;
    size_t count = bw_pattern_pointer_uses(c->pattern, c->launch, &pointers);
    const bw_array *a = c->array;
    for (unsigned i = 0; i < a->use_count; i++)
        if (a->uses[i].count && (a->dims == 1 || a->uses[i].count == a->dims))
            add_old_stride(c, &a->uses[i].subscripts[a->uses[i].count - 1], &found);
    spans accesses = accesses_of_array(c);
    for (size_t i = 0; i < count; i++)
        if (is_access(&accesses, pointers[i].span))
            add_old_stride(c, &pointers[i].subscript, &found);
    if (found.edits.count && excess_with(c, &found.edits) < excess_of(c, c->pattern)) {
        bw_diagnostic *d =
            bw_diagnose(c->diags, BW_MSG_PAD_STRIDE, c->source, found.first,
                        "%s has rows of %" PRId64 " elements, but this index steps by %" PRId64,
                        a->name, found.row, found.step);
        bw_note(
            c->diags, d,
            "step by the padded row length, or the padding only adds bytes: the conflicts stay");
    }
    bw_edits_finish(&found.edits);
}

/* ---- swapped-index ---- */

static bool all_by_lane(const bw_array *a)
{
    bool any = false;
    for (unsigned i = 0; i < a->use_count; i++) {
        const bw_use *use = &a->uses[i];
        if (use->handed)
            continue;
        if (use->count != 2 || !use->exact || !use->subscripts[0].by_lane ||
            !use->subscripts[1].by_lane)
            return false;
        any = true;
    }
    return any;
}

static void check_swapped_index(checker *c)
{
    const bw_array *a = c->array;
    const bw_launch *launches;
    bw_layout layout = {.kind = BW_LAYOUT_ORDER, .order = {1, 0}};
    if (a->dims != 2 || !all_by_lane(a))
        return;
    bw_program_launches(c->pattern, &launches);
    bw_rewrite_target target = {c->source, &c->array, &launches[c->launch].span, 1};
    bw_edits edits = {.arena = &c->arena};
    if (bw_rewrite(&edits, &target, &layout) && excess_with(c, &edits) == 0 &&
        excess_of(c, c->pattern) > 0) {
        bw_diagnostic *d = bw_diagnose(
            c->diags, BW_MSG_SWAPPED_INDEX, c->source, a->uses[0].name,
            "every access of %s has its indices in an order that conflicts; the other has none",
            a->name);
        bw_note(c->diags, d,
                "write %s[y][x] for %s[x][y]: lanes that follow each other belong in "
                "the last index",
                a->name, a->name);
    }
    bw_edits_finish(&edits);
}

/* ---- half-swizzle ---- */

typedef struct sides {
    bool reads, writes, any;
    bool sure; /* a swizzle that is nothing else: not a partner's index, as in a butterfly */
    bool rows; /* the lanes ask for different rows */
    const bw_use *use; /* the first */
} sides;

static bool is_swizzled(const bw_use *use, bool *sure)
{
    bool by_row = false;
    *sure = false;
    for (unsigned i = 0; i < use->count; i++) {
        *sure |= use->subscripts[i].swizzled;
        by_row |= use->subscripts[i].by_row;
    }
    return *sure || by_row;
}

/* What the accesses at a use do: known from the tree, or from the requests that were made there. */
static void directions(const checker *c, const bw_use *use, bool *reads, bool *writes)
{
    const bw_access *accesses;
    size_t count = bw_program_accesses(c->pattern, &accesses);
    *reads = *writes = false;
    for (size_t i = 0; i < count; i++) {
        bw_span at = accesses[i].span;
        if (use->name.offset < at.offset || use->name.offset >= at.offset + at.len)
            continue;
        bool writing = bw_op_get(accesses[i].op)->writes;
        *reads |= !writing;
        *writes |= writing;
    }
    if (!*reads && !*writes) {
        *reads = use->reads;
        *writes = use->writes;
    }
}

static void check_half_swizzle(checker *c)
{
    const bw_array *a = c->array;
    sides swizzled = {.any = false}, plain = {.any = false};
    for (unsigned i = 0; i < a->use_count; i++) {
        const bw_use *use = &a->uses[i];
        bool reads, writes, sure;
        sides *side = is_swizzled(use, &sure) ? &swizzled : &plain;
        if (use->handed)
            continue; /* what is done with the pointer is among the uses */
        if (!use->count)
            return; /* a pointer: who knows what is done with it */
        directions(c, use, &reads, &writes);
        side->sure |= sure;
        side->rows |= use->count > 1 && use->subscripts[use->count - 2].by_lane;
        side->reads |= reads;
        side->writes |= writes;
        side->use = side->any ? side->use : use;
        side->any = true;
    }
    bool apart = !(swizzled.reads && plain.reads) && !(swizzled.writes && plain.writes);
    if (!swizzled.any || !plain.any || !apart || !(swizzled.sure || plain.rows))
        return;
    bw_diagnostic *d = bw_diagnose(c->diags, BW_MSG_HALF_SWIZZLE, c->source, plain.use->name,
                                   "%s is swizzled where it is %s, but not here", a->name,
                                   plain.writes ? "read" : "written");
    bw_note(c->diags, d,
            "apply the same swizzle to every access of the array, or each lane gets "
            "another's element");
    bw_also(c->diags, d, c->source, swizzled.use->name, "here it is swizzled");
}

/* ---- swizzle-unit ---- */

/* The second number of "swizzle<B, M, S>". */
static bool find_base(const checker *c, bw_span mixer, bw_span *base)
{
    uint32_t end = mixer.offset + mixer.len;
    uint32_t at = bw_written_find(&c->written, mixer.offset, end, BW_TOK_LESS);
    uint32_t comma = bw_written_find(&c->written, at + 1, end, BW_TOK_COMMA);
    if (at >= end || comma >= end)
        return false;
    uint32_t next = bw_written_find(&c->written, comma + 1, end, BW_TOK_COMMA);
    *base = bw_written_trim(&c->written, (bw_span){comma + 1, next - comma - 1});
    return next < end;
}

static const bw_subscript *mixed_subscript(const bw_use *use)
{
    for (unsigned i = 0; i < use->count; i++)
        if (use->subscripts[i].mixer.len)
            return &use->subscripts[i];
    return NULL;
}

static void check_tma_unit(checker *c)
{
    const bw_array *a = c->array;
    for (unsigned i = 0; a->elem > 1 && i < a->use_count; i++) {
        const bw_subscript *s = mixed_subscript(&a->uses[i]);
        if (!s || !s->tma)
            continue;
        bw_diagnostic *d = bw_diagnose(
            c->diags, BW_MSG_SWIZZLE_UNIT, c->source, s->mixer,
            "this swizzle gives a byte offset, but %s is indexed by elements of %u bytes", a->name,
            a->elem);
        bw_note(c->diags, d,
                "give it the byte offset and divide by the element: "
                "tma_swizzle_128B(offset * %u) / %u",
                a->elem, a->elem);
    }
}

static void warn_unit(checker *c, const bw_subscript *s, unsigned base)
{
    const bw_array *a = c->array;
    bw_diagnostic *d =
        bw_diagnose(c->diags, BW_MSG_SWIZZLE_UNIT, c->source, s->mixer,
                    "this swizzle seems to count bytes, but %s is indexed by elements of %u bytes",
                    a->name, a->elem);
    bw_note(c->diags, d, "in elements the base is %u: swizzle<%u, %u, ...>", base, s->bits, base);
}

static void check_swizzle_unit(checker *c)
{
    const bw_array *a = c->array;
    bw_edits edits = {.arena = &c->arena};
    const bw_subscript *first = NULL;
    unsigned elem = 0;
    while (1u << (elem + 1) <= a->elem)
        elem++;
    for (unsigned i = 0; a->elem > 1 && i < a->use_count; i++) {
        const bw_subscript *s = mixed_subscript(&a->uses[i]);
        bw_span base;
        if (!s || s->tma || s->base < elem || !find_base(c, s->mixer, &base))
            continue;
        first = first ? first : s;
        bw_edit_add(&edits, base, bw_arena_format(&c->arena, "%u", s->base - elem));
    }
    if (first && excess_with(c, &edits) < excess_of(c, c->pattern))
        warn_unit(c, first, first->base - elem);
    bw_edits_finish(&edits);
}

/* ---- all ---- */

/* Whether some access of an array of this name has excess. */
static bool has_excess(const checker *c)
{
    const bw_access *accesses;
    size_t count = bw_program_accesses(c->pattern, &accesses);
    for (size_t i = 0; i < count && i < c->excess_count; i++)
        if (c->excess[i] && strcmp(accesses[i].array, c->array->name) == 0)
            return true;
    return false;
}

static void check_array(checker *c)
{
    if (!c->array->dims || !c->array->elem)
        return;
    check_half_swizzle(c);
    check_tma_unit(c);
    if (bw_program_is_random(c->pattern) || !has_excess(c))
        return;
    check_swizzle_unit(c);
    check_pad_stride(c);
    check_swapped_index(c);
}

void bw_find_mistakes(bw_program *pattern, const bw_source *source,
                      const bw_pattern_options *options, const uint64_t *excess,
                      size_t excess_count, bw_diags *diags)
{
    const bw_launch *launches;
    size_t count = bw_program_launches(pattern, &launches);
    checker c = {.pattern = pattern,
                 .source = source,
                 .options = options,
                 .diags = diags,
                 .excess = excess,
                 .excess_count = excess_count};
    bw_written_make(&c.written, source);
    for (c.launch = 0; c.launch < count; c.launch++) {
        const bw_array *arrays;
        size_t n = bw_pattern_arrays(pattern, c.launch, &arrays);
        for (size_t i = 0; i < n; i++) {
            c.array = &arrays[i];
            check_array(&c);
        }
    }
    bw_written_finish(&c.written);
    bw_arena_finish(&c.arena);
}
