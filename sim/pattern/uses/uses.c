/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "uses_walk.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- uses ---- */

static bool is_exact(const bw_uses_walk *w, const bw_symbol *s, bw_span span)
{
    size_t len = strlen(s->name);
    return span.len == len && span.offset + len <= w->source->len &&
           memcmp(w->source->text + span.offset, s->name, len) == 0;
}

static void add_stride(bw_uses_walk *w, const bw_symbol *array, const bw_factor *factor,
                       uint64_t unit, bool is_constant)
{
    if (!unit || unit > UINT32_MAX)
        return;
    BW_GROW(w->strides, w->stride_count, w->stride_capacity);
    w->strides[w->stride_count++] =
        (bw_found_stride){array, {*factor, (uint32_t)unit, is_constant}};
}

/* The steps of `index` units from a pointer into the array. */
static void add_strides(bw_uses_walk *w, const bw_symbol *array, const bw_expr *index,
                        uint64_t unit)
{
    const bw_expr *e = bw_bare(index);
    if (bw_is_constant(e)) {
        bw_factor whole = {.span = e->span, .value = e->integer};
        add_stride(w, array, &whole, unit, true);
        return;
    }
    bw_subscript s = bw_subscript_of(w, index);
    for (unsigned i = 0; i < s.factor_count; i++)
        add_stride(w, array, &s.factors[i], unit, false);
}

/* Reads the chain from the root outwards: subscripts first, then the first member. */
static void read_chain(const bw_uses_walk *w, const bw_expr *e, bw_use *use, bool *open)
{
    if (e->kind == BW_EX_SYMBOL)
        return;
    read_chain(w, e->a, use, open);
    if (e->kind == BW_EX_MEMBER && *open) {
        use->member = e->member->name;
        *open = false;
    } else if (e->kind == BW_EX_INDEX && *open && use->count < BW_MAX_DIMENSIONS) {
        bw_subscript *s = &use->subscripts[use->count++];
        *s = bw_subscript_of(w, e->binary.b);
        if (e->a->kind == BW_EX_INDEX)
            s->by_row = bw_mixes_row(w, e->binary.b, e->a->binary.b);
    }
}

static void add_use(bw_uses_walk *w, const bw_expr *chain, const bw_expr *root,
                    const bw_symbol *array, unsigned chosen, bool reads, bool writes)
{
    bw_use use = {.name = root->span, .chosen = chosen, .reads = reads, .writes = writes};
    bool open = true;
    read_chain(w, chain, &use, &open);
    use.exact = is_exact(w, root->symbol, root->span);
    use.handed = w->handing && use.chosen + use.count == w->handed;
    use.derived = w->deriving;
    use.by_alias = array != root->symbol;
    BW_GROW(w->uses, w->use_count, w->use_capacity);
    w->uses[w->use_count++] = (bw_found_use){array, use};
}

static void add_reference(bw_uses_walk *w, const bw_expr *e)
{
    if (!w->second || !e->symbol)
        return;
    BW_GROW(w->references, w->reference_count, w->reference_capacity);
    w->references[w->reference_count++] = (bw_reference){e->symbol, w->owner};
}

static void add_pointer_use(bw_uses_walk *w, const bw_expr *e)
{
    BW_GROW(w->pointers, w->pointer_count, w->pointer_capacity);
    w->pointers[w->pointer_count++] = (bw_pointer_use){e->span, bw_subscript_of(w, e->binary.b)};
}

/* ---- the walk ---- */

static void set(bw_uses_walk *w, const bw_symbol *symbol, const bw_expr *value)
{
    if (!symbol || !value || w->second)
        return;
    BW_GROW(w->settings, w->setting_count, w->setting_capacity);
    w->settings[w->setting_count++] = (bw_setting){symbol, value};
}

static void walk_statement(bw_uses_walk *w, const bw_stmt *s);

static void walk_function(bw_uses_walk *w, const bw_function *f)
{
    for (size_t i = 0; i < w->visited_count; i++)
        if (w->visited[i] == f)
            return;
    if (!f || !f->body || w->visited_count == BW_MAX_VISITED)
        return;
    w->visited[w->visited_count++] = f;
    walk_statement(w, f->body);
}

static void walk_expression(bw_uses_walk *w, const bw_expr *e, bool reads, bool writes);

/* Walks an expression whose value goes into `owner`. */
static void walk_into(bw_uses_walk *w, const bw_expr *e, const bw_symbol *owner)
{
    const bw_symbol *outer = w->owner;
    bool handing = w->handing, deriving = w->deriving;
    w->owner = owner;
    w->handing = w->deriving = false;
    walk_expression(w, e, true, false);
    w->owner = outer;
    w->handing = handing;
    w->deriving = deriving;
}

static void add_alias(bw_uses_walk *w, const bw_symbol *array, bw_span span)
{
    BW_GROW(w->aliases, w->alias_count, w->alias_capacity);
    w->aliases[w->alias_count++] = (bw_found_alias){array, {span, w->handed}};
}

/* Walks what a variable is set to. */
static void walk_setting(bw_uses_walk *w, const bw_symbol *to, const bw_expr *e)
{
    const bw_symbol *outer = w->owner;
    bool handing = w->handing, deriving = w->deriving;
    bw_expr name = {.kind = BW_EX_SYMBOL, .symbol = (bw_symbol *)to};
    w->handing = w->deriving = false;
    if (w->second && to && (to->type->kind == BW_TY_POINTER || to->is_reference)) {
        const bw_symbol *named = bw_alias_of(w, &name, &w->handed);
        w->handing = named != NULL;
        if (named)
            add_alias(w, named, to->span);
        w->deriving = bw_pointed_array(w, &name) != NULL;
    }
    w->owner = to;
    walk_expression(w, e, true, false);
    w->owner = outer;
    w->handing = handing;
    w->deriving = deriving;
}

/* The subscripts inside a chain are expressions of their own. */
static void walk_subscripts(bw_uses_walk *w, const bw_expr *e, const bw_symbol *array)
{
    for (; e->kind != BW_EX_SYMBOL; e = e->a)
        if (e->kind == BW_EX_INDEX)
            walk_into(w, e->binary.b, array);
}

static bool walk_chain(bw_uses_walk *w, const bw_expr *e, bool reads, bool writes)
{
    const bw_expr *root = bw_root_of(e);
    if (!root || !root->symbol)
        return false;
    unsigned chosen = 0;
    const bw_symbol *array = root->symbol->storage == BW_ST_SHARED ? root->symbol : NULL;
    if (!array && w->second)
        array = bw_alias_of(w, root, &chosen);
    if (!array)
        return false;
    if (w->second)
        add_use(w, e, root, array, chosen, reads, writes);
    walk_subscripts(w, e, array);
    return true;
}

static void walk_call(bw_uses_walk *w, const bw_expr *e)
{
    const bw_function *f = e->call.function;
    for (uint32_t i = 0; i < e->call.count; i++) {
        const bw_symbol *param = f && i < f->param_count ? f->params[i] : NULL;
        if (param)
            set(w, param, e->call.args[i]);
        if (e->call.args[i])
            walk_setting(w, param, e->call.args[i]);
    }
    walk_function(w, f);
}

static void walk_assignment(bw_uses_walk *w, const bw_expr *e)
{
    bool variable = e->a->kind == BW_EX_SYMBOL;
    bool top = e == w->top;
    if (variable)
        set(w, e->a->symbol, e->binary.has_op ? e : e->binary.b);
    if (w->second && variable && e->binary.has_op && e->a->type->kind == BW_TY_POINTER) {
        const bw_symbol *array = bw_pointed_array(w, e->a);
        if (array)
            add_strides(w, array, e->binary.b, e->a->type->elem->size);
    }
    if (!variable || e->a->symbol->storage == BW_ST_SHARED || !top)
        walk_expression(w, e->a, e->binary.has_op, true);
    if (variable && top)
        walk_setting(w, e->a->symbol, e->binary.b);
    else
        walk_into(w, e->binary.b, NULL);
}

/* `p + n`, where p points into a shared array. */
static bool walk_pointer_sum(bw_uses_walk *w, const bw_expr *e)
{
    bool deriving = w->deriving;
    if (!w->second || e->type->kind != BW_TY_POINTER ||
        (e->binary.op != BW_ADD && e->binary.op != BW_SUB))
        return false;
    bool first = e->a->type->kind == BW_TY_POINTER;
    const bw_symbol *array = bw_pointed_array(w, first ? e->a : e->binary.b);
    if (!array)
        return false;
    add_strides(w, array, first ? e->binary.b : e->a, e->type->elem->size);
    w->deriving = true;
    walk_expression(w, first ? e->a : e->binary.b, true, false);
    w->deriving = deriving;
    walk_into(w, first ? e->binary.b : e->a, array);
    return true;
}

/* `p[n]`, where p is no other name of a shared array. */
static void walk_pointer_index(bw_uses_walk *w, const bw_expr *e)
{
    bool deriving = w->deriving;
    const bw_symbol *array = NULL;
    if (w->second && e->a->type->kind == BW_TY_POINTER) {
        add_pointer_use(w, e);
        array = bw_pointed_array(w, e->a);
    }
    if (array)
        add_strides(w, array, e->binary.b, e->type->size);
    w->deriving = array != NULL;
    walk_expression(w, e->a, true, false);
    w->deriving = deriving;
    walk_into(w, e->binary.b, array);
}

static void walk_expression(bw_uses_walk *w, const bw_expr *e, bool reads, bool writes)
{
    if (!e || walk_chain(w, e, reads, writes))
        return;
    switch (e->kind) {
    case BW_EX_SYMBOL: add_reference(w, e); return;
    case BW_EX_ASSIGN: walk_assignment(w, e); return;
    case BW_EX_STEP:
        if (e != w->top || e->a->kind != BW_EX_SYMBOL)
            walk_expression(w, e->a, true, true);
        return;
    case BW_EX_ADDRESS: walk_expression(w, e->a, false, false); return;
    case BW_EX_DECAY: walk_expression(w, e->a, false, false); return;
    case BW_EX_CALL: walk_call(w, e); return;
    case BW_EX_INDEX: walk_pointer_index(w, e); return;
    case BW_EX_BINARY:
        if (walk_pointer_sum(w, e))
            return;
        break;
    default: break;
    }
    bw_children c = bw_children_of(e);
    for (uint32_t i = 0; i < c.count; i++)
        walk_expression(w, bw_child(&c, i), true, false);
}

/* A statement's own expression: its value goes nowhere. */
static void walk_top(bw_uses_walk *w, const bw_expr *e)
{
    w->top = e;
    walk_expression(w, e, true, false);
}

static void walk_declaration(bw_uses_walk *w, const bw_stmt *s)
{
    w->top = NULL;
    if (!s->expr)
        return;
    set(w, s->symbol, s->expr);
    walk_setting(w, s->symbol, s->expr);
}

static void walk_statement(bw_uses_walk *w, const bw_stmt *s)
{
    for (; s; s = s->next) {
        switch (s->kind) {
        case BW_SM_EMPTY:
        case BW_SM_BREAK:
        case BW_SM_CONTINUE: break;
        case BW_SM_EXPR:
        case BW_SM_CASE:
        case BW_SM_RETURN: walk_top(w, s->expr); break;
        case BW_SM_DECLARE: walk_declaration(w, s); break;
        case BW_SM_BLOCK: walk_statement(w, s->body); break;
        case BW_SM_IF:
            walk_top(w, s->cond);
            walk_statement(w, s->body);
            walk_statement(w, s->other);
            break;
        case BW_SM_LOOP:
            walk_top(w, s->cond);
            walk_top(w, s->step);
            walk_statement(w, s->init);
            walk_statement(w, s->body);
            break;
        case BW_SM_DO:
        case BW_SM_SWITCH:
            walk_top(w, s->cond);
            walk_statement(w, s->body);
            break;
        }
    }
}

/* ---- arrays ---- */

static void peel_dimensions(const bw_type **type, unsigned *dims, uint32_t dim[BW_MAX_DIMENSIONS])
{
    *dims = 0;
    while ((*type)->kind == BW_TY_ARRAY) {
        if (*dims < BW_MAX_DIMENSIONS)
            dim[*dims] = (*type)->count < 0 ? 0 : (uint32_t)(*type)->count;
        (*dims)++;
        *type = (*type)->elem;
    }
    if (*dims > BW_MAX_DIMENSIONS)
        *dims = 0;
}

static void fill_members(bw_uses_walk *w, bw_array *array, const bw_type *type)
{
    bw_array_member *members = bw_arena_alloc(w->arena, (type->member_count + 1) * sizeof *members);
    for (uint32_t i = 0; i < type->member_count; i++) {
        const bw_member *m = &type->members[i];
        const bw_type *elem = m->type;
        members[i] = (bw_array_member){
            .name = m->name, .offset = m->offset, .size = m->type->size, .align = m->type->align};
        peel_dimensions(&elem, &members[i].dims, members[i].dim);
        members[i].elem = elem->size;
        members[i].elem_type = bw_type_name(w->arena, elem);
    }
    array->members = members;
    array->member_count = type->member_count;
}

/* The name before a declared one: a typedef's name for a struct that has none of its own. */
static const char *word_before(const bw_uses_walk *w, uint32_t at)
{
    const char *text = w->source->text;
    while (at > 0 && isspace((unsigned char)text[at - 1]))
        at--;
    uint32_t end = at;
    while (at > 0 && (isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_'))
        at--;
    return end > at ? bw_arena_copy(w->arena, text + at, end - at) : NULL;
}

static int by_offset(const void *left, const void *right)
{
    const bw_use *a = left, *b = right;
    return a->name.offset < b->name.offset ? -1 : a->name.offset > b->name.offset;
}

/* The uses of the variable declared at `span`; each place once. */
static void fill_uses(bw_uses_walk *w, bw_array *array)
{
    bw_use *uses = bw_arena_alloc(w->arena, (w->use_count + 1) * sizeof *uses);
    for (size_t i = 0; i < w->use_count; i++)
        if (w->uses[i].symbol->span.offset == array->span.offset) {
            bw_use *use = &uses[array->use_count++];
            *use = w->uses[i].use;
            for (unsigned k = 0; k < use->count; k++)
                for (unsigned n = 0; n < use->subscripts[k].factor_count; n++)
                    bw_mark_own(w, w->uses[i].symbol, &use->subscripts[k].factors[n]);
        }
    if (array->use_count)
        qsort(uses, array->use_count, sizeof *uses, by_offset);
    unsigned kept = 0;
    for (unsigned i = 0; i < array->use_count; i++) {
        if (kept && uses[kept - 1].name.offset == uses[i].name.offset) {
            uses[kept - 1].reads |= uses[i].reads;
            uses[kept - 1].writes |= uses[i].writes;
        } else {
            uses[kept++] = uses[i];
        }
    }
    array->uses = uses;
    array->use_count = kept;
}

static void fill_strides(bw_uses_walk *w, const bw_symbol *symbol, bw_array *array)
{
    bw_stride *strides = bw_arena_alloc(w->arena, (w->stride_count + 1) * sizeof *strides);
    for (size_t i = 0; i < w->stride_count; i++) {
        if (w->strides[i].symbol != symbol)
            continue;
        strides[array->stride_count] = w->strides[i].stride;
        bw_mark_own(w, symbol, &strides[array->stride_count++].factor);
    }
    array->strides = strides;
}

static void fill_aliases(bw_uses_walk *w, const bw_symbol *symbol, bw_array *array)
{
    bw_alias *aliases = bw_arena_alloc(w->arena, (w->alias_count + 1) * sizeof *aliases);
    for (size_t i = 0; i < w->alias_count; i++)
        if (w->aliases[i].symbol == symbol)
            aliases[array->alias_count++] = w->aliases[i].alias;
    array->aliases = aliases;
}

static const bw_symbol *symbol_at(const bw_uses_walk *w, bw_span span)
{
    for (size_t i = 0; i < w->use_count; i++)
        if (w->uses[i].symbol->span.offset == span.offset)
            return w->uses[i].symbol;
    return NULL;
}

static void fill_array(bw_uses_walk *w, const bw_shared_object *object, bw_array *array)
{
    *array = (bw_array){
        .name = object->name, .span = object->span, .base = object->offset, .bytes = object->size};
    const bw_symbol *s = symbol_at(w, object->span);
    if (!s)
        return;
    const bw_type *type = s->type;
    peel_dimensions(&type, &array->dims, array->dim);
    array->elem = type->size;
    array->align = type->align;
    array->elem_type = bw_type_name(w->arena, type);
    array->is_extern = s->is_extern;
    uint64_t inner = array->elem;
    for (unsigned i = 1; i < array->dims; i++)
        inner *= array->dim[i];
    if (array->dims && !array->dim[0] && inner)
        array->dim[0] = (uint32_t)(array->bytes / inner);
    if (type->kind == BW_TY_STRUCT && !type->is_vector) {
        array->struct_name = type->name ? type->name : word_before(w, array->span.offset);
        if (array->struct_name)
            fill_members(w, array, type);
    }
    fill_uses(w, array);
    fill_aliases(w, s, array);
    fill_strides(w, s, array);
    for (size_t i = 0; i < w->pair_count; i++)
        if (w->pairs[i].a == s || w->pairs[i].b == s)
            array->group = bw_first_served(w, s)->span.offset + 1;
}

static int pointer_by_offset(const void *left, const void *right)
{
    const bw_pointer_use *a = left, *b = right;
    return a->span.offset < b->span.offset ? -1 : a->span.offset > b->span.offset;
}

bw_launch_uses bw_find_uses(bw_arena *arena, const bw_source *source, const bw_stmt *script,
                            const bw_function *kernel, const bw_code *code)
{
    bw_uses_walk w = {.arena = arena, .source = source};
    for (int pass = 0; pass < 2; pass++) {
        w.second = pass == 1;
        w.visited_count = 0;
        if (kernel)
            walk_function(&w, kernel);
        else
            walk_statement(&w, script);
    }
    bw_launch_uses found = {.known = true, .array_count = code->shared_count};
    found.arrays = bw_arena_alloc(arena, (found.array_count + 1) * sizeof *found.arrays);
    for (size_t i = 0; i < found.array_count; i++)
        fill_array(&w, &code->shared[i], &found.arrays[i]);
    if (w.pointer_count)
        qsort(w.pointers, w.pointer_count, sizeof *w.pointers, pointer_by_offset);
    found.pointer_count = w.pointer_count;
    found.pointers = bw_arena_alloc(arena, (w.pointer_count + 1) * sizeof *found.pointers);
    if (w.pointer_count)
        memcpy(found.pointers, w.pointers, w.pointer_count * sizeof *found.pointers);
    free(w.settings);
    free(w.uses);
    free(w.pointers);
    free(w.strides);
    free(w.aliases);
    free(w.references);
    free(w.pairs);
    return found;
}
