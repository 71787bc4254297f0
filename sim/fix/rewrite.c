/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "rewrite_private.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An index longer than this is not written twice: a macro takes it once. */
#define MAX_REPEATED 20

/* ---- edits ---- */

void bw_edit_add(bw_edits *edits, bw_span span, const char *text)
{
    for (size_t i = 0; i < edits->count; i++) {
        const bw_edit *e = &edits->items[i];
        if (e->span.offset == span.offset && e->span.len == span.len && !strcmp(e->text, text))
            return;
    }
    BW_GROW(edits->items, edits->count, edits->capacity);
    edits->items[edits->count++] = (bw_edit){span, text};
}

void bw_rewrite_insert(bw_writer *w, uint32_t at, const char *text)
{
    bw_edit_add(w->edits, (bw_span){at, 0}, text);
}

bool bw_rewrite_refuse(bw_writer *w, bw_span where, const char *why)
{
    w->edits->why = why;
    w->edits->where = where;
    return false;
}

static int by_place(const void *left, const void *right)
{
    const bw_edit *a = left, *b = right;
    if (a->span.offset != b->span.offset)
        return a->span.offset < b->span.offset ? -1 : 1;
    return (a->span.len > b->span.len) - (a->span.len < b->span.len); /* insertions first */
}

char *bw_edits_apply(bw_edits *edits, const bw_source *source, size_t *len)
{
    size_t room = source->len + 1;
    uint32_t done = 0;
    if (edits->count)
        qsort(edits->items, edits->count, sizeof *edits->items, by_place);
    for (size_t i = 0; i < edits->count; i++)
        room += strlen(edits->items[i].text);
    char *text = bw_arena_alloc(edits->arena, room), *to = text;
    for (size_t i = 0; i < edits->count; i++) {
        const bw_edit *e = &edits->items[i];
        if (e->span.offset < done)
            return NULL;
        memcpy(to, source->text + done, e->span.offset - done);
        to = stpcpy(to + (e->span.offset - done), e->text);
        done = e->span.offset + e->span.len;
    }
    memcpy(to, source->text + done, source->len - done);
    to += source->len - done;
    *to = '\0';
    *len = (size_t)(to - text);
    return text;
}

void bw_edits_finish(bw_edits *edits)
{
    free(edits->items);
    edits->items = NULL;
    edits->count = edits->capacity = 0;
}

/* ---- pieces of source ---- */

const char *bw_rewrite_copy(bw_writer *w, bw_span span)
{
    span = bw_written_trim(&w->written, span);
    return bw_arena_copy(w->edits->arena, w->source->text + span.offset, span.len);
}

static const char *bracketed(bw_writer *w, const char *text)
{
    bw_shape shape = bw_shape_of(text);
    return shape.atom || shape.bracketed ? text : bw_arena_format(w->edits->arena, "(%s)", text);
}

/* `TILE` + 1 as "TILE + 1", `TILE + 1` + 1 as "TILE + 2", `a ? b : c` + 1 as "(a ? b : c) + 1". */
static const char *grown(bw_writer *w, const char *text, uint64_t extra)
{
    bw_shape shape = bw_shape_of(text);
    if (shape.sum)
        return bw_arena_format(w->edits->arena, "%.*s%" PRIu64, (int)shape.addend, text,
                               shape.number + extra);
    return bw_arena_format(w->edits->arena, shape.loose ? "(%s) + %" PRIu64 : "%s + %" PRIu64, text,
                           extra);
}

/* `TILE + 8` - 8 as "TILE", `40` - 7 as "33", `N` - 1 as "N - 1". */
static const char *shrunk(bw_writer *w, const char *text, uint64_t by)
{
    bw_arena *arena = w->edits->arena;
    bw_shape shape = bw_shape_of(text);
    if (shape.decimal && shape.number > by)
        return bw_arena_format(arena, "%" PRIu64, shape.number - by);
    if (shape.sum && shape.number > by)
        return bw_arena_format(arena, "%.*s%" PRIu64, (int)shape.addend, text, shape.number - by);
    if (shape.sum && shape.number == by) {
        size_t len = shape.plus;
        while (len && text[len - 1] == ' ')
            len--;
        return bw_arena_copy(arena, text, len);
    }
    return bw_arena_format(arena, shape.loose ? "(%s) - %" PRIu64 : "%s - %" PRIu64, text, by);
}

/* Puts a size in the place of what stands in a declaration's brackets; blanks go, comments stay. */
static void edit_size(bw_writer *w, bw_span dim, const char *size)
{
    const char *text = w->source->text;
    uint32_t from = dim.offset, to = dim.offset + dim.len;
    while (from > 0 && isspace((unsigned char)text[from - 1]))
        from--;
    while (to < w->source->len && isspace((unsigned char)text[to]))
        to++;
    bool alone = from > 0 && text[from - 1] == '[' && to < w->source->len && text[to] == ']';
    bw_edit_add(w->edits, alone ? (bw_span){from, to - from} : dim, size);
}

static const char *resized(bw_writer *w, const char *text, int64_t by)
{
    return by < 0 ? shrunk(w, text, (uint64_t)-by) : grown(w, text, (uint64_t)by);
}

/* The bracket groups of the declaration; false where they are not there to be read. */
bool bw_rewrite_declared(bw_writer *w, bw_span dims[BW_MAX_DIMENSIONS], uint32_t *end)
{
    const bw_array *a = w->array;
    size_t len = strlen(a->name);
    if (!a->dims || a->span.len != len || a->span.offset + len > w->source->len ||
        memcmp(w->source->text + a->span.offset, a->name, len) != 0)
        return bw_rewrite_refuse(w, a->span, "a macro writes this declaration");
    *end = a->span.offset + a->span.len;
    for (unsigned i = 0; i < a->dims; i++)
        if (!bw_written_group(&w->written, *end, BW_TOK_LBRACKET, &dims[i], end))
            return bw_rewrite_refuse(w, a->span, "a typedef or a macro hides the dimensions");
    return true;
}

/* The subscripts of a use as text. */
bool bw_rewrite_subscripts(bw_writer *w, const bw_use *use, bw_span index[BW_MAX_DIMENSIONS],
                           uint32_t *end)
{
    if (!use->exact)
        return bw_rewrite_refuse(w, use->name, "a macro writes this use");
    if (use->chosen + use->count < w->array->dims)
        return bw_rewrite_refuse(
            w, use->name,
            "here it is used without all its indices, as a pointer, so single elements "
            "cannot be moved");
    *end = use->name.offset + use->name.len;
    for (unsigned i = 0; i < w->array->dims; i++)
        if (i < use->chosen)
            index[i] = (bw_span){use->name.offset, 0};
        else if (!bw_written_group(&w->written, *end, BW_TOK_LBRACKET, &index[i], end))
            return bw_rewrite_refuse(w, use->name, "its indices are not written after its name");
    return true;
}

static int use_by_place(const void *left, const void *right)
{
    const bw_use *a = left, *b = right;
    return a->name.offset < b->name.offset ? -1 : a->name.offset > b->name.offset;
}

static void gather_uses(bw_writer *w)
{
    size_t count = 0;
    for (size_t i = 0; i < w->target->count; i++)
        count += w->target->arrays[i]->use_count;
    w->uses = bw_arena_alloc(w->edits->arena, (count + 1) * sizeof *w->uses);
    count = 0;
    for (size_t i = 0; i < w->target->count; i++)
        for (unsigned k = 0; k < w->target->arrays[i]->use_count; k++)
            if (!w->target->arrays[i]->uses[k].handed)
                w->uses[count++] = w->target->arrays[i]->uses[k];
    if (count)
        qsort(w->uses, count, sizeof *w->uses, use_by_place);
    for (size_t i = 0; i < count; i++)
        if (!i || w->uses[i].name.offset != w->uses[w->use_count - 1].name.offset)
            w->uses[w->use_count++] = w->uses[i];
}

static void gather_strides(bw_writer *w)
{
    size_t count = 0;
    for (size_t i = 0; i < w->target->count; i++)
        count += w->target->arrays[i]->stride_count;
    w->strides = bw_arena_alloc(w->edits->arena, (count + 1) * sizeof *w->strides);
    for (size_t i = 0; i < w->target->count; i++)
        for (unsigned k = 0; k < w->target->arrays[i]->stride_count; k++)
            w->strides[w->stride_count++] = w->target->arrays[i]->strides[k];
}

/* The subscripts of a use that has them all, for layouts that need them. */
static bool all_subscripts(bw_writer *w, const bw_use *use, bw_span index[BW_MAX_DIMENSIONS],
                           uint32_t *end)
{
    if (use->chosen)
        return bw_rewrite_refuse(
            w, use->name,
            "here its first index is not to be seen: a pointer to a part of it "
            "has chosen it");
    return bw_rewrite_subscripts(w, use, index, end);
}

/* ---- sizes ---- */

/* Of "TILE + 8" 8, of "33" 1, of "48" 0. */
static uint32_t padding_in(const char *text)
{
    bw_shape shape = bw_shape_of(text);
    if (shape.sum)
        return (uint32_t)shape.number;
    if (!shape.decimal)
        return 0;
    uint32_t n = (uint32_t)shape.number, power = 1;
    while (2 * power <= n)
        power *= 2;
    return n - power <= power / 4 ? n - power : 0;
}

void bw_rewrite_padding(const bw_source *source, const bw_array *array,
                        uint32_t padding[BW_MAX_DIMENSIONS])
{
    bw_arena arena = {NULL};
    bw_edits edits = {.arena = &arena};
    bw_writer w = {.edits = &edits, .source = source, .array = array};
    bw_written_make(&w.written, source);
    bw_span dims[BW_MAX_DIMENSIONS];
    uint32_t end;
    bool known = bw_rewrite_declared(&w, dims, &end);
    for (unsigned i = 0; i < array->dims; i++) {
        uint32_t size = known ? padding_in(bw_rewrite_copy(&w, dims[i])) : 0;
        padding[i] = size < array->dim[i] ? size : 0;
    }
    bw_written_finish(&w.written);
    bw_arena_finish(&arena);
}

/* Dynamic shared memory grows in the launches. */
bool bw_rewrite_grow_launches(bw_writer *w)
{
    for (size_t i = 0; i < w->target->count; i++) {
        bw_placement place;
        bw_span span = w->target->launches[i];
        uint32_t end = span.offset + span.len, at;
        if (!bw_layout_place(&place, w->layout, w->target->arrays[i]))
            return bw_rewrite_refuse(w, span, "the array of this launch cannot have the layout");
        if (place.bytes <= w->target->arrays[i]->bytes)
            continue;
        at = bw_written_find(&w->written, span.offset, end, BW_TOK_LAUNCH_OPEN);
        uint32_t stop = bw_written_find(&w->written, at, end, BW_TOK_LAUNCH_CLOSE);
        if (at >= end || stop >= end)
            return bw_rewrite_refuse(w, span, "the launch's shape is not written here");
        at += 3;
        for (int comma = 0; comma < 2 && at < stop; comma++)
            at = bw_written_find(&w->written, at, stop, BW_TOK_COMMA) + 1;
        if (at >= stop)
            return bw_rewrite_refuse(w, span, "the launch gives no dynamic shared memory");
        end = bw_written_find(&w->written, at, stop, BW_TOK_COMMA);
        bw_span bytes = bw_written_trim(&w->written, (bw_span){at, end - at});
        bw_edit_add(w->edits, bytes,
                    grown(w, bw_rewrite_copy(w, bytes), place.bytes - w->target->arrays[i]->bytes));
    }
    return true;
}

/* The bracket groups of a pointer's declaration: `(*p)[32]` has none for the outermost dimension
 * that it has not chosen, `p[][32]` an empty one, `(&p)[8][32]` has all. */
static bool alias_dimensions(bw_writer *w, const bw_alias *pointer, bw_span dims[BW_MAX_DIMENSIONS])
{
    bw_span alias = pointer->span;
    const bw_token *after = bw_token_from(&w->written, alias.offset + alias.len);
    uint32_t end = after->span.offset;
    unsigned first = pointer->chosen;
    for (unsigned i = 0; i < w->array->dims; i++)
        dims[i] = (bw_span){alias.offset, 0};
    if (after->kind == BW_TOK_RPAREN) {
        const bw_token *before = bw_token_before(&w->written, alias.offset);
        first += before && before->kind == BW_TOK_STAR;
        end = bw_token_end(after);
    }
    for (unsigned i = first; i < w->array->dims; i++)
        if (!bw_written_group(&w->written, end, BW_TOK_LBRACKET, &dims[i], &end))
            return bw_rewrite_refuse(w, alias,
                                     "the type of this pointer to it is written elsewhere");
    return true;
}

/* The size of one dimension of a pointer's type in the new layout. */
static const char *alias_size(bw_writer *w, const bw_span dims[BW_MAX_DIMENSIONS], unsigned at)
{
    unsigned from = w->layout->kind == BW_LAYOUT_ORDER ? w->layout->order[at] : at;
    const char *text = bw_rewrite_copy(w, dims[from]);
    if (!*text)
        text = bw_arena_format(w->edits->arena, "%" PRIu32, w->array->dim[from]);
    return w->layout->pad[at] ? resized(w, text, w->layout->pad[at]) : text;
}

static bool edit_alias(bw_writer *w, const bw_alias *alias)
{
    bw_span dims[BW_MAX_DIMENSIONS];
    if (!alias_dimensions(w, alias, dims))
        return false;
    for (unsigned at = 0; at < w->array->dims; at++)
        if (dims[at].len && strcmp(alias_size(w, dims, at), bw_rewrite_copy(w, dims[at])) != 0)
            edit_size(w, dims[at], alias_size(w, dims, at));
    return true;
}

/* Pointers to the rows must have the new rows' type. */
static bool edit_aliases(bw_writer *w)
{
    for (size_t i = 0; i < w->target->count; i++)
        for (unsigned k = 0; k < w->target->arrays[i]->alias_count; k++)
            if (!edit_alias(w, &w->target->arrays[i]->aliases[k]))
                return false;
    return true;
}

/* The steps of pointers into the array, where one of `old` bytes changes by `extra`; false where
 * such a step cannot be changed. *any is set where there is one. */
static bool edit_strides(bw_writer *w, uint64_t old, int64_t extra, bool *any)
{
    for (size_t i = 0; i < w->stride_count; i++) {
        const bw_stride *s = &w->strides[i];
        uint64_t step = s->factor.value > 0 ? (uint64_t)s->factor.value * s->unit : 0;
        int64_t times = s->is_constant ? (int64_t)(step / old) : 1;
        if (!step || (s->is_constant ? step % old : step != old))
            continue;
        if (extra % (int64_t)s->unit || !s->factor.own || !s->factor.span.len)
            return bw_rewrite_refuse(w, s->factor.span,
                                     "this step of a pointer serves other things too");
        const char *text =
            resized(w, bw_rewrite_copy(w, s->factor.span), times * extra / (int64_t)s->unit);
        bw_edit_add(w->edits, s->factor.span,
                    s->is_constant ? text : bw_arena_format(w->edits->arena, "(%s)", text));
        *any = true;
    }
    return true;
}

static bool edit_pads(bw_writer *w)
{
    bw_span dims[BW_MAX_DIMENSIONS];
    uint32_t end;
    uint64_t old = w->array->elem, now = old;
    bool any;
    if (!bw_rewrite_declared(w, dims, &end))
        return false;
    for (unsigned i = 0; i < w->array->dims; i++)
        if (w->layout->pad[i])
            edit_size(w, dims[i], resized(w, bw_rewrite_copy(w, dims[i]), w->layout->pad[i]));
    for (unsigned i = w->array->dims; i-- > 1;) {
        old *= w->array->dim[i];
        now *= (uint64_t)((int64_t)w->array->dim[i] + w->layout->pad[i]);
        if (now != old && !edit_strides(w, old, (int64_t)(now - old), &any))
            return false;
    }
    return edit_aliases(w) && (!w->array->is_extern || bw_rewrite_grow_launches(w));
}

/* ---- swizzles ---- */

/* "(row & 7) << 3", as much of it as there is. */
static const char *mixed_in(bw_writer *w, const char *row)
{
    const bw_layout *l = w->layout;
    bw_arena *arena = w->edits->arena;
    uint32_t mask = (1u << l->bits) - 1;
    const char *text = bracketed(w, row);
    bool whole = true; /* the row index has no other bits */
    for (size_t i = 0; i < w->target->count; i++)
        whole &= w->target->arrays[i]->dim[l->row] <= 1u << (l->shift + l->bits);
    if (l->shift)
        text = bw_arena_format(arena, "%s >> %u", text, l->shift);
    if (l->factor > 1)
        text = bw_arena_format(arena, "%s * %" PRIu32, bracketed(w, text), l->factor);
    if (!whole || l->factor > 1)
        text = bw_arena_format(arena, "%s & %" PRIu32, text, mask);
    text = bracketed(w, text);
    return l->base ? bw_arena_format(arena, "(%s << %u)", text, l->base) : text;
}

/* The same of a row that is a number. */
static uint64_t mixed_value(const bw_layout *l, uint64_t row)
{
    return ((row >> l->shift) * l->factor & ((UINT64_C(1) << l->bits) - 1)) << l->base;
}

static bool edit_xor_use(bw_writer *w, const bw_use *use)
{
    bw_span index[BW_MAX_DIMENSIONS];
    uint32_t end;
    if (!bw_rewrite_subscripts(w, use, index, &end))
        return false;
    unsigned last = w->array->dims - 1, row = w->layout->row;
    if (row < use->chosen)
        return all_subscripts(w, use, index, &end);
    if (!use->subscripts[row - use->chosen].pure)
        return bw_rewrite_refuse(w, index[row],
                                 "this index would be evaluated twice, and that changes something");
    bw_span column = index[last];
    const char *text = bw_rewrite_copy(w, column), *number = bw_rewrite_copy(w, index[row]);
    bw_shape shape = bw_shape_of(number);
    uint64_t value = mixed_value(w->layout, shape.number);
    if (shape.decimal && value == 0)
        return true;
    const char *mix =
        shape.decimal ? bw_arena_format(w->edits->arena, "%" PRIu64, value) : mixed_in(w, number);
    if (strcmp(text, "0") == 0) { /* 0 ^ x is x, and needs no brackets */
        size_t len = strlen(mix);
        bool outer = bw_shape_of(mix).bracketed;
        bw_edit_add(w->edits, column,
                    bw_arena_copy(w->edits->arena, mix + outer, len - 2 * (size_t)outer));
        return true;
    }
    bool atom = bw_shape_of(text).atom;
    if (!atom)
        bw_rewrite_insert(w, column.offset, "(");
    bw_rewrite_insert(w, column.offset + column.len,
                      bw_arena_format(w->edits->arena, "%s ^ %s", atom ? "" : ")", mix));
    return true;
}

/* The element's place as one index: "(row) * 64 + column". */
static const char *flat_index(bw_writer *w, const bw_span index[BW_MAX_DIMENSIONS])
{
    const char *text = bracketed(w, bw_rewrite_copy(w, index[0]));
    for (unsigned i = 1; i < w->array->dims; i++)
        text = bw_arena_format(w->edits->arena,
                               i + 1 < w->array->dims ? "(%s * %u + %s)" : "%s * %u + %s", text,
                               w->array->dim[i], bracketed(w, bw_rewrite_copy(w, index[i])));
    return text;
}

/* The new index of element `i` of a flat array. */
static uint64_t flat_value(const bw_layout *l, uint64_t i)
{
    uint64_t mask = ((UINT64_C(1) << l->bits) - 1) << l->base;
    if (l->kind == BW_LAYOUT_EVERY)
        return i + i / l->every * l->extra;
    return l->distance > 0 ? i ^ (i >> l->distance & mask) : i ^ (i & mask) << -l->distance;
}

/* What follows index `i` in the new index of a flat array: " ^ (i >> 3 & 56)", " + (i >> 5)". */
static const char *flat_tail(bw_writer *w, const char *i)
{
    const bw_layout *l = w->layout;
    bw_arena *arena = w->edits->arena;
    uint32_t mask = ((1u << l->bits) - 1) << l->base;
    if (l->kind == BW_LAYOUT_SWIZZLE && l->distance > 0)
        return bw_arena_format(arena, " ^ (%s >> %d & %" PRIu32 ")", i, l->distance, mask);
    if (l->kind == BW_LAYOUT_SWIZZLE)
        return bw_arena_format(arena, " ^ ((%s & %" PRIu32 ") << %d)", i, mask, -l->distance);
    bool power = !(l->every & (l->every - 1));
    const char *rows = power ? bw_arena_format(arena, "(%s >> %d)", i, __builtin_ctz(l->every))
                             : bw_arena_format(arena, "%s / %" PRIu32, i, l->every);
    if (l->extra > 1)
        rows = bw_arena_format(arena, "%s * %" PRIu32, rows, l->extra);
    return bw_arena_format(arena, " + %s", rows);
}

static bool has_text(const bw_source *source, const char *text)
{
    size_t len = strlen(text);
    for (size_t at = 0; at + len <= source->len; at++)
        if (memcmp(source->text + at, text, len) == 0)
            return true;
    return false;
}

/* The first array that changes: what is written for all of them bears its name. */
static const bw_array *first_array(const bw_writer *w)
{
    const bw_array *first = w->array;
    for (size_t i = 0; i < w->target->count; i++)
        if (w->target->arrays[i]->span.offset < first->span.offset)
            first = w->target->arrays[i];
    return first;
}

/* A name that the source does not have, nor a comment in it: "buf_at", "buf_at2" … */
static const char *free_name(bw_writer *w)
{
    const char *array = first_array(w)->name;
    const char *name = bw_arena_format(w->edits->arena, "%s_at", array);
    for (unsigned n = 2; has_text(w->source, name); n++)
        name = bw_arena_format(w->edits->arena, "%s_at%u", array, n);
    return name;
}

/* Where the file's own text begins: behind comments and its first #include lines. There no scope is
 * open. */
static uint32_t first_line(const bw_writer *w)
{
    const char *text = w->source->text;
    uint32_t line = bw_token_from(&w->written, 0)->span.offset, at, end;
    while (line > 0 && text[line - 1] != '\n')
        line--;
    for (at = line; at < w->source->len; at = end) {
        for (end = at; end < w->source->len && text[end++] != '\n';)
            continue;
        bool includes = strncmp(text + at, "#include", strlen("#include")) == 0;
        if (!includes && strspn(text + at, " \t\r\n") < end - at)
            break;
        line = includes && text[end - 1] == '\n' ? end : line;
    }
    return line;
}

/* A function that maps an index, above whatever uses it. */
static const char *helper_of(bw_writer *w)
{
    if (w->helper)
        return w->helper;
    w->helper = w->macro ? bw_arena_format(w->edits->arena, "%s_once", w->macro) : free_name(w);
    bw_rewrite_insert(w, first_line(w),
                      bw_arena_format(w->edits->arena,
                                      "__device__ unsigned %s(unsigned i) { return i%s; }\n",
                                      w->helper, flat_tail(w, "i")));
    return w->helper;
}

/* An index that is long is not written twice at each use: a macro above the declaration does. */
static void define_macro(bw_writer *w)
{
    bool is_long = false;
    bw_span index[BW_MAX_DIMENSIONS];
    uint32_t end, line = first_array(w)->span.offset;
    if (w->use_count && w->uses[0].name.offset < line) /* through a pointer, in a function above */
        line = w->uses[0].name.offset;
    for (size_t i = 0; i < w->use_count; i++)
        if (w->uses[i].subscripts[0].pure && bw_rewrite_subscripts(w, &w->uses[i], index, &end))
            is_long |= strlen(bw_rewrite_copy(w, index[0])) > MAX_REPEATED;
    if (!is_long)
        return;
    while (line > 0 && w->source->text[line - 1] != '\n')
        line--;
    w->macro = free_name(w);
    bw_rewrite_insert(
        w, line,
        bw_arena_format(w->edits->arena, "#define %s(i) ((i)%s)\n", w->macro, flat_tail(w, "(i)")));
}

/* An index that may be evaluated only once. */
static bool edit_impure(bw_writer *w, bw_span index)
{
    bw_rewrite_insert(w, index.offset, bw_arena_format(w->edits->arena, "%s(", helper_of(w)));
    bw_rewrite_insert(w, index.offset + index.len, ")");
    return true;
}

/* The text of an index that is a number, or NULL. */
static const char *literal_index(bw_writer *w, const bw_use *use, bw_span *span)
{
    bw_span index[BW_MAX_DIMENSIONS];
    uint32_t end;
    if (!use->count || !bw_rewrite_subscripts(w, use, index, &end))
        return NULL;
    *span = index[0];
    const char *text = bw_rewrite_copy(w, *span);
    return bw_shape_of(text).decimal ? text : NULL;
}

static bool edit_flat_use(bw_writer *w, const bw_use *use)
{
    bw_span index[BW_MAX_DIMENSIONS];
    uint32_t end;
    if (!bw_rewrite_subscripts(w, use, index, &end))
        return false;
    bw_span span = index[0];
    const char *text = bw_rewrite_copy(w, span);
    if (!use->subscripts[0].pure)
        return edit_impure(w, span);
    const char *number = literal_index(w, use, &span);
    if (number) {
        uint64_t value = flat_value(w->layout, strtoull(number, NULL, 10));
        bw_edit_add(w->edits, span, bw_arena_format(w->edits->arena, "%" PRIu64, value));
        return true;
    }
    if (w->macro) {
        bw_rewrite_insert(w, span.offset, bw_arena_format(w->edits->arena, "%s(", w->macro));
        bw_rewrite_insert(w, span.offset + span.len, ")");
        return true;
    }
    bool atom = bw_shape_of(text).atom;
    if (!atom)
        bw_rewrite_insert(w, span.offset, "(");
    bw_rewrite_insert(w, span.offset + span.len,
                      bw_arena_format(w->edits->arena, "%s%s", atom ? "" : ")",
                                      flat_tail(w, bracketed(w, text))));
    return true;
}

static bool edit_flat_uses(bw_writer *w)
{
    bw_span dims[BW_MAX_DIMENSIONS];
    uint32_t end;
    if (!bw_rewrite_declared(w, dims, &end))
        return false;
    define_macro(w);
    for (size_t i = 0; i < w->use_count; i++)
        if (!edit_flat_use(w, &w->uses[i]))
            return false;
    return true;
}

static bool edit_swizzle_use(bw_writer *w, const bw_use *use)
{
    bw_arena *arena = w->edits->arena;
    bw_span index[BW_MAX_DIMENSIONS];
    uint32_t end;
    if (!all_subscripts(w, use, index, &end))
        return false;
    const char *first = bw_rewrite_copy(w, use->name);
    for (unsigned i = 0; i < w->array->dims; i++)
        first = bw_arena_format(arena, "%s[0]", first);
    bw_edit_add(w->edits, (bw_span){use->name.offset, end - use->name.offset},
                bw_arena_format(arena, "(&%s)[%s(%s)]", first, helper_of(w), flat_index(w, index)));
    return true;
}

/* ---- the order of dimensions ---- */

static bool edit_order_use(bw_writer *w, const bw_use *use)
{
    bw_span index[BW_MAX_DIMENSIONS];
    uint32_t end;
    if (!all_subscripts(w, use, index, &end))
        return false;
    for (unsigned i = 0; i < w->array->dims; i++)
        if (w->layout->order[i] != i)
            bw_edit_add(w->edits, index[i], bw_rewrite_copy(w, index[w->layout->order[i]]));
    return true;
}

static bool edit_order(bw_writer *w)
{
    bw_span dims[BW_MAX_DIMENSIONS];
    uint32_t end;
    if (w->array->is_extern)
        return bw_rewrite_refuse(w, w->array->span,
                                 "an extern array's first dimension has no size");
    if (!bw_rewrite_declared(w, dims, &end))
        return false;
    for (unsigned i = 0; i < w->array->dims; i++) {
        const char *text = bw_rewrite_copy(w, dims[w->layout->order[i]]);
        if (w->layout->pad[i])
            text = resized(w, text, w->layout->pad[i]);
        if (strcmp(text, bw_rewrite_copy(w, dims[i])) != 0)
            edit_size(w, dims[i], text);
    }
    for (size_t i = 0; i < w->use_count; i++)
        if (!edit_order_use(w, &w->uses[i]))
            return false;
    return edit_aliases(w);
}

/* ---- flat arrays ---- */

/* The constant that the index multiplies a row by, where it is the period, stands in the text and
 * serves nothing else. */
static const bw_factor *period_factor(const bw_writer *w, const bw_use *use)
{
    for (unsigned i = 0; i < use->subscripts[0].factor_count; i++) {
        const bw_factor *f = &use->subscripts[0].factors[i];
        if (f->value == w->layout->every && f->own && f->span.len &&
            f->span.offset + f->span.len <= w->source->len)
            return f;
    }
    return NULL;
}

/* The declared size has the factor's text as a factor too: `BM * BK`. */
static bool find_factor(bw_writer *w, bw_span dim, const char *factor, bw_span *found)
{
    uint32_t end = dim.offset + dim.len;
    for (uint32_t at = dim.offset; at < end;) {
        uint32_t stop = bw_written_find(&w->written, at, end, BW_TOK_STAR);
        *found = bw_written_trim(&w->written, (bw_span){at, stop - at});
        if (strcmp(bw_rewrite_copy(w, *found), factor) == 0)
            return true;
        at = stop + 1;
    }
    return false;
}

static void edit_flat_size(bw_writer *w, bw_span dim, const char *factor)
{
    const bw_layout *l = w->layout;
    bw_span place;
    const char *text = bw_rewrite_copy(w, dim);
    if (factor && bw_shape_of(text).product && find_factor(w, dim, factor, &place))
        bw_edit_add(w->edits, place,
                    bw_arena_format(w->edits->arena, "(%s)", grown(w, factor, l->extra)));
    else
        edit_size(w, dim, grown(w, text, (uint64_t)w->array->dim[0] / l->every * l->extra));
}

/* An index of the array itself; *text gets the factor's text. */
static bool edit_factor_use(bw_writer *w, const bw_use *use, const char **text)
{
    bw_span span;
    if (!use->exact)
        return false;
    if (!use->count)
        return use->derived;
    const bw_factor *f = period_factor(w, use);
    const char *number = f ? NULL : literal_index(w, use, &span);
    if (!f && !number)
        return false;
    if (number) {
        uint64_t value = flat_value(w->layout, strtoull(number, NULL, 10));
        bw_edit_add(w->edits, span, bw_arena_format(w->edits->arena, "%" PRIu64, value));
        return true;
    }
    *text = bw_rewrite_copy(w, f->span);
    bw_edit_add(w->edits, f->span,
                bw_arena_format(w->edits->arena, "(%s)", grown(w, *text, w->layout->extra)));
    return true;
}

/* `row * BK + column` -> `row * (BK + 8) + column`, wherever the array is indexed. */
static bool edit_factors(bw_writer *w)
{
    bw_span dims[BW_MAX_DIMENSIONS];
    uint32_t end;
    uint64_t elem = w->array->elem;
    const char *text = NULL;
    bool any = false;
    for (size_t i = 0; i < w->use_count; i++)
        if (!edit_factor_use(w, &w->uses[i], &text))
            return false;
    if (!edit_strides(w, w->layout->every * elem, (int64_t)(w->layout->extra * elem), &any))
        return false;
    if ((!text && !any) || !bw_rewrite_declared(w, dims, &end))
        return false;
    if (w->array->is_extern)
        return bw_rewrite_grow_launches(w);
    edit_flat_size(w, dims[0], text);
    return true;
}

static bool edit_every(bw_writer *w)
{
    bw_span dims[BW_MAX_DIMENSIONS];
    uint32_t end;
    if (edit_factors(w))
        return true;
    bw_edits_finish(w->edits);
    w->edits->why = NULL;
    if (!edit_flat_uses(w) || !bw_rewrite_declared(w, dims, &end))
        return false;
    if (w->array->is_extern)
        return bw_rewrite_grow_launches(w);
    edit_flat_size(w, dims[0], NULL);
    return true;
}

/* ---- all ---- */

static bool each_use(bw_writer *w, bool (*edit)(bw_writer *, const bw_use *))
{
    for (size_t i = 0; i < w->use_count; i++)
        if (!edit(w, &w->uses[i]))
            return false;
    return true;
}

static bool rewrite(bw_writer *w)
{
    switch (w->layout->kind) {
    case BW_LAYOUT_PAD: return edit_pads(w);
    case BW_LAYOUT_XOR: return each_use(w, edit_xor_use);
    case BW_LAYOUT_SWIZZLE:
        return w->array->dims == 1 ? edit_flat_uses(w) : each_use(w, edit_swizzle_use);
    case BW_LAYOUT_ORDER: return edit_order(w);
    case BW_LAYOUT_EVERY: return edit_every(w);
    case BW_LAYOUT_STRUCT: return bw_rewrite_struct(w);
    case BW_LAYOUT_MEMBERS: return bw_rewrite_members(w);
    case BW_LAYOUT_SOA: return bw_rewrite_soa_declaration(w) && each_use(w, bw_rewrite_soa_use);
    case BW_LAYOUT_KINDS: break;
    }
    return false;
}

bool bw_rewrite(bw_edits *edits, const bw_rewrite_target *target, const bw_layout *layout)
{
    bw_writer w = {.edits = edits,
                   .target = target,
                   .source = target->source,
                   .array = target->arrays[0],
                   .layout = layout};
    bw_written_make(&w.written, target->source);
    gather_uses(&w);
    gather_strides(&w);
    bool done = rewrite(&w);
    bw_written_finish(&w.written);
    return done;
}
