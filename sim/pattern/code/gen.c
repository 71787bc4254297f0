/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

/* ---- building blocks
 * ------------------------------------------------------------------------------- */

bw_ins *bw_emit(bw_gen *g, bw_opcode op, bw_span span)
{
    bw_code *c = g->code;
    BW_GROW(c->items, c->count, c->capacity);
    bw_ins *i = &c->items[c->count++];
    *i = (bw_ins){.op = (uint8_t)op,
                  .span = span,
                  .dst = BW_NO_REG,
                  .a = BW_NO_REG,
                  .b = BW_NO_REG,
                  .c = BW_NO_REG};
    if (g->maybe && op == BW_I_BINARY)
        i->flags |= BW_INS_MAYBE;
    return i;
}

static uint32_t new_register(bw_gen *g, bool variable)
{
    bw_code *c = g->code;
    BW_GROW(c->is_variable, c->reg_count, c->reg_capacity);
    c->is_variable[c->reg_count] = variable;
    return c->reg_count++;
}

uint32_t bw_temp(bw_gen *g)
{
    return new_register(g, false);
}

uint32_t bw_variable(bw_gen *g)
{
    return new_register(g, true);
}

uint32_t bw_constant_reg(bw_gen *g, bw_class cls, int64_t integer, double real)
{
    bw_code *c = g->code;
    bool is_real = cls >= BW_F32;
    size_t first = c->constant_count > 64 ? c->constant_count - 64 : 0; /* near ones repeat */
    for (size_t i = first; i < c->constant_count; i++) {
        const bw_constant *k = &c->constants[i];
        if (k->cls == cls &&
            (is_real ? memcmp(&k->real, &real, sizeof real) == 0 : k->integer == integer))
            return k->reg;
    }
    bw_constant k = {.reg = new_register(g, true), .cls = cls};
    if (is_real)
        k.real = real;
    else
        k.integer = integer;
    BW_GROW(c->constants, c->constant_count, c->constant_capacity);
    c->constants[c->constant_count++] = k;
    return k.reg;
}

static uint32_t hash_span(bw_span span, uint32_t with)
{
    return bw_hash_number(with, (uint64_t)span.offset << 32 | span.len);
}

uint32_t bw_site_of(bw_gen *g, bw_span span, bw_span shown, bw_op op)
{
    bw_sites *s = g->sites;
    uint32_t hash = bw_hash_number(hash_span(span, (uint32_t)op), (uintptr_t)g->call);
    size_t at = 0;
    for (uint32_t i; (i = bw_index_next(&s->index, hash, &at)) != BW_NO_ROW;)
        if (s->items[i].span.offset == span.offset && s->items[i].span.len == span.len &&
            s->items[i].op == op && s->items[i].call == g->call)
            return i;
    bw_index_add(g->arena, &s->index, hash, (uint32_t)s->count);
    BW_GROW(s->items, s->count, s->capacity);
    s->items[s->count] =
        (bw_site){.span = span, .shown = shown, .op = op, .call = g->call, .latest = -1};
    return (uint32_t)s->count++;
}

bw_span bw_shown_of(const bw_gen *g, const bw_expr *address, bw_span span)
{
    const char *text = g->source->text + span.offset;
    if (span.len < 6 || (strncmp(text, "asm", 3) != 0 && strncmp(text, "__asm", 5) != 0))
        return span;
    const bw_expr *e = address;
    while (e && e->span.offset == span.offset)
        e = e->kind == BW_EX_INTRINSIC ? (e->intrinsic.count ? e->intrinsic.args[0] : NULL) : e->a;
    return e && e->span.offset > span.offset &&
                   e->span.offset + e->span.len <= span.offset + span.len
               ? e->span
               : span;
}

/* The chain of calls with one more; each is made once, for all launches. */
static const bw_call_site *call_from(bw_gen *g, bw_span span, const char *function)
{
    bw_sites *s = g->sites;
    uint32_t hash = bw_hash_number(hash_span(span, 0), (uintptr_t)g->call);
    size_t at = 0;
    for (uint32_t i; (i = bw_index_next(&s->call_index, hash, &at)) != BW_NO_ROW;)
        if (s->calls[i]->from == g->call && s->calls[i]->span.offset == span.offset &&
            s->calls[i]->span.len == span.len && strcmp(s->calls[i]->function, function) == 0)
            return s->calls[i];
    bw_index_add(g->arena, &s->call_index, hash, (uint32_t)s->call_count);
    bw_call_site *call = bw_arena_alloc(g->arena, sizeof *call);
    *call = (bw_call_site){.span = span,
                           .line = bw_source_place(g->source, span.offset).line,
                           .function = function,
                           .from = g->call};
    BW_GROW(s->calls, s->call_count, s->call_capacity);
    s->calls[s->call_count++] = call;
    return call;
}

uint32_t bw_origin_of(bw_gen *g, bw_span span, const char *what, const char *note)
{
    bw_code *c = g->code;
    uint32_t hash = hash_span(span, bw_hash_text(what, strlen(what)));
    size_t at = 0;
    for (uint32_t i; (i = bw_index_next(&g->origins, hash, &at)) != BW_NO_ROW;)
        if (c->unknowns[i].span.offset == span.offset && c->unknowns[i].span.len == span.len &&
            strcmp(c->unknowns[i].what, what) == 0)
            return i;
    bw_index_add(g->arena, &g->origins, hash, (uint32_t)c->unknown_count);
    BW_GROW(c->unknowns, c->unknown_count, c->unknown_capacity);
    c->unknowns[c->unknown_count] = (bw_unknown){span, what, note};
    return (uint32_t)c->unknown_count++;
}

/* Bytes of each lane's own memory; 16-byte aligned so that vectors are. */
uint32_t bw_local_space(bw_gen *g, const bw_type *type, bw_span span)
{
    uint32_t align = type->align < 4 ? 4 : type->align;
    uint64_t at = ((uint64_t)g->code->local_bytes + align - 1) / align * align;
    uint64_t end = at + ((uint64_t)type->size + 3) / 4 * 4;
    if (end > ((uint64_t)1 << 24)) { /* nvcc's own limit is 512 KiB a thread */
        if (!g->failed)
            bw_gen_error(g, BW_MSG_OBJECT_SIZE, span, "make local arrays smaller",
                         "local variables need more than 16 MiB a lane");
        return 0;
    }
    g->code->local_bytes = (uint32_t)end;
    return (uint32_t)at;
}

void bw_gen_error(bw_gen *g, bw_message_id id, bw_span span, const char *note, const char *format,
                  ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    bw_diagnostic *d = bw_diagnose(g->diags, id, g->source, span, "%s", message);
    if (note)
        bw_note(g->diags, d, "%s", note);
    g->failed = true;
}

/* What a vector, or a struct of equal members without gaps, is made of; NULL: of several kinds. */
static const bw_type *uniform_scalar(const bw_type *type)
{
    if (type->kind == BW_TY_ARRAY)
        return uniform_scalar(type->elem);
    if (type->kind != BW_TY_STRUCT)
        return bw_type_is_scalar(type) ? type : NULL;
    const bw_type *scalar = type->member_count ? uniform_scalar(type->members[0].type) : NULL;
    uint32_t bytes = 0;
    for (uint32_t k = 0; k < type->member_count && scalar; k++) {
        const bw_type *of = uniform_scalar(type->members[k].type);
        bytes += type->members[k].type->size;
        if (!of || !bw_type_same(of, scalar) || type->members[k].overlaid)
            scalar = NULL;
    }
    return bytes == type->size ? scalar : NULL;
}

uint32_t bw_object_of(bw_gen *g, const char *name, const bw_type *elem, bw_expr **content,
                      uint32_t content_count, bw_span span)
{
    (void)span;
    bw_code *c = g->code;
    for (size_t i = 0; i < c->object_count; i++)
        if (strcmp(c->objects[i].name, name) == 0)
            return (uint32_t)i;
    bw_object o = {.name = name,
                   .elem = elem,
                   .elem_size = elem->size ? elem->size : 1,
                   .content = content,
                   .content_count = content_count};
    for (size_t i = 0; i < g->assume_count; i++)
        if (strcmp(g->assumes[i].name, name) == 0) {
            const bw_type *scalar = uniform_scalar(elem);
            o.assume = &g->assumes[i];
            o.elem = scalar ? scalar : elem; /* each member obeys the law */
            o.elem_size = scalar ? scalar->size : o.elem_size;
            g->assumes[i].used = true;
        }
    BW_GROW(c->objects, c->object_count, c->object_capacity);
    c->objects[c->object_count] = o;
    return (uint32_t)c->object_count++;
}

/* ---- storage
 * ----------------------------------------------------------------------------------------- */

static const bw_type *scalar_of(const bw_type *type)
{
    while (type->kind == BW_TY_ARRAY)
        type = type->elem;
    return type;
}

static void place_shared(bw_gen *g, bw_symbol *s)
{
    bw_code *c = g->code;
    s->placed_in = c;
    if (s->is_extern)
        return; /* after the static arrays: see place_extern */
    uint32_t align = s->type->align;
    uint64_t at = ((uint64_t)c->static_shared + align - 1) / align * align;
    uint64_t end = at + s->type->size;
    s->place = (uint32_t)at;
    c->static_shared = end > INT32_MAX ? INT32_MAX : (uint32_t)end;
    BW_GROW(c->shared, c->shared_count, c->shared_capacity);
    c->shared[c->shared_count++] = (bw_shared_object){s->name, s->place, s->type->size, s->span};
}

/* All extern arrays begin at one address, known only when the static ones are placed. */
uint32_t bw_extern_base(bw_gen *g, const bw_symbol *s)
{
    bw_code *c = g->code;
    if (g->extern_reg == BW_NO_REG) {
        g->extern_reg = bw_variable(g);
        g->extern_constant = c->constant_count;
        g->extern_name = s->name;
        g->extern_span = s->span;
        BW_GROW(c->constants, c->constant_count, c->constant_capacity);
        c->constants[c->constant_count++] = (bw_constant){.reg = g->extern_reg, .cls = BW_CLASSES};
    }
    return g->extern_reg;
}

static uint32_t no_value(bw_gen *g, const bw_symbol *s)
{
    return bw_origin_of(g, s->span, bw_arena_format(g->arena, "'%s' without a value", s->name),
                        "give it a value where it is declared");
}

/* What is read of a local object before it is written comes from its declaration. */
static void note_local(bw_gen *g, const bw_symbol *s)
{
    bw_code *c = g->code;
    size_t words = g->failed ? 0 : c->local_bytes / 4;
    uint32_t origin = no_value(g, s);
    if (words > c->local_word_capacity) {
        c->local_word_capacity = words * 2;
        c->local_origins = bw_realloc(c->local_origins, words * 2 * sizeof *c->local_origins);
    }
    for (; c->local_words < words; c->local_words++)
        c->local_origins[c->local_words] = origin; /* temporaries before it were written */
}

/* Gives a variable its storage for this use of its function. */
void bw_place_symbol(bw_gen *g, bw_symbol *s)
{
    if (s->type->kind == BW_TY_HANDLE)
        return;
    switch (s->storage) {
    case BW_ST_SHARED:
        if (s->placed_in != g->code)
            place_shared(g, s);
        break;
    case BW_ST_GLOBAL:
        s->place =
            bw_object_of(g, s->name, scalar_of(s->type), s->content, s->content_count, s->span);
        break;
    case BW_ST_REGISTER:
        if (!s->address_taken || s->is_reference) {
            s->place = bw_variable(g);
            break;
        }
        s->storage = BW_ST_LOCAL;
        /* fall through */
    default:
        s->place = bw_local_space(g, s->type, s->span);
        note_local(g, s);
        break;
    }
}

static void fresh(bw_gen *g, const bw_symbol *s)
{
    if (s->storage != BW_ST_REGISTER)
        return;
    bw_ins *i = bw_emit(g, BW_I_FRESH, s->span);
    i->dst = s->place;
    i->origin = no_value(g, s);
}

/* A pointer that a script declares without a value stands for global memory of its name. */
static bool script_pointer(bw_gen *g, bw_symbol *s)
{
    if (!g->script || s->type->kind != BW_TY_POINTER || s->storage != BW_ST_REGISTER)
        return false;
    uint32_t object = bw_object_of(g, s->name, s->type->elem, NULL, 0, s->span);
    bw_ins *i = bw_emit(g, BW_I_COPY, s->span);
    i->dst = s->place;
    i->cls = BW_U64;
    i->a = bw_constant_reg(g, BW_U64, (int64_t)BW_POINTER(BW_TAG_OBJECT + object, 0), 0);
    return true;
}

static void gen_declare(bw_gen *g, const bw_stmt *st)
{
    bw_symbol *s = st->symbol;
    bw_place_symbol(g, s);
    if (s->type->kind == BW_TY_HANDLE || s->storage == BW_ST_SHARED || s->storage == BW_ST_GLOBAL) {
        if (st->expr && s->storage == BW_ST_GLOBAL)
            bw_gen_discard(g, st->expr);
        return;
    }
    if (st->expr)
        bw_gen_initialize(g, s, st->expr);
    else if (!script_pointer(g, s))
        fresh(g, s);
}

/* ---- statements
 * -------------------------------------------------------------------------------------- */

static size_t here(const bw_gen *g)
{
    return g->code->count;
}

static void patch(bw_gen *g, size_t at, size_t target)
{
    g->code->items[at].imm = (int64_t)target;
}

static void gen_if(bw_gen *g, const bw_stmt *s)
{
    uint32_t cond = bw_gen_value(g, s->cond);
    size_t at = here(g);
    bw_emit(g, BW_I_IF, s->cond->span)->a = cond;
    bw_gen_statement(g, s->body);
    if (s->other) {
        size_t other = here(g);
        bw_emit(g, BW_I_ELSE, s->span);
        patch(g, at, other);
        bw_gen_statement(g, s->other);
        at = other;
    }
    patch(g, at, here(g));
    bw_emit(g, BW_I_ENDIF, s->span);
}

static size_t gen_test(bw_gen *g, const bw_expr *cond, bw_span span)
{
    uint32_t reg = cond ? bw_gen_value(g, cond) : BW_NO_REG;
    size_t at = here(g);
    bw_emit(g, BW_I_TEST, cond ? cond->span : span)->a = reg;
    return at;
}

static void gen_loop(bw_gen *g, const bw_stmt *s)
{
    for (const bw_stmt *i = s->init; i; i = i->next)
        bw_gen_statement(g, i);
    bw_emit(g, BW_I_LOOP, s->span);
    size_t top = here(g);
    size_t test = gen_test(g, s->cond, s->span);
    bool outer = g->continues;
    g->continues = false;
    bw_gen_statement(g, s->body);
    if (g->continues)
        bw_emit(g, BW_I_NEXT, s->span);
    g->continues = outer;
    if (s->step)
        bw_gen_discard(g, s->step);
    bw_emit(g, BW_I_JUMP, s->span)->imm = (int64_t)top;
    patch(g, test, here(g));
    bw_emit(g, BW_I_ENDLOOP, s->span);
}

static void gen_do(bw_gen *g, const bw_stmt *s)
{
    bw_emit(g, BW_I_LOOP, s->span);
    size_t top = here(g);
    bool outer = g->continues;
    g->continues = false;
    bw_gen_statement(g, s->body);
    if (g->continues)
        bw_emit(g, BW_I_NEXT, s->span);
    g->continues = outer;
    size_t test = gen_test(g, s->cond, s->span);
    bw_emit(g, BW_I_JUMP, s->span)->imm = (int64_t)top;
    patch(g, test, here(g));
    bw_emit(g, BW_I_ENDLOOP, s->span);
}

/* A label as the type of what its switch takes holds it. */
static int64_t label_value(const bw_stmt *label, const bw_type *type)
{
    int64_t v = label->expr->integer;
    if (type->size >= 8)
        return v;
    return type->is_signed ? (int32_t)v : (int64_t)(uint32_t)v;
}

/* The labels of a switch body, not of switches inside it. */
static void collect_cases(bw_gen *g, const bw_stmt *s, const bw_type *type, bw_case_table *t)
{
    for (; s; s = s->next) {
        if (s->kind == BW_SM_BLOCK)
            collect_cases(g, s->body, type, t);
        if (s->kind != BW_SM_CASE)
            continue;
        bool twice = !s->expr && t->has_default;
        int64_t value = s->expr ? label_value(s, type) : 0;
        for (uint32_t k = 0; s->expr && t->values && k < t->count; k++)
            twice |= t->values[k] == value;
        if (twice && !g->failed)
            bw_gen_error(g, BW_MSG_DECLARED_TWICE, s->span, "remove one",
                         "this switch has the label twice");
        t->has_default |= !s->expr;
        if (s->expr && t->values)
            t->values[t->count] = value;
        t->count += s->expr != NULL;
    }
}

static void gen_switch(bw_gen *g, const bw_stmt *s)
{
    bw_code *c = g->code;
    uint32_t value = bw_gen_value(g, s->cond);
    uint32_t wide = bw_variable(g); /* the labels read it: it must outlive what runs before them */
    bw_ins *i = bw_emit(g, BW_I_CONVERT, s->cond->span);
    i->cls = (uint8_t)bw_type_class(s->cond->type);
    i->number = BW_I64;
    i->dst = wide;
    i->a = value;
    bw_case_table t = {.type = s->cond->type};
    collect_cases(g, s->body, t.type, &t);
    t.values = bw_arena_alloc(g->arena, (t.count + 1) * sizeof *t.values);
    t.count = 0;
    t.has_default = false;
    collect_cases(g, s->body, t.type, &t);
    BW_GROW(c->tables, c->table_count, c->table_capacity);
    c->tables[c->table_count] = t;
    i = bw_emit(g, BW_I_SWITCH, s->cond->span);
    i->a = wide;
    i->imm = (int64_t)c->table_count;
    bw_case_table *outer = g->cases;
    g->cases = bw_arena_alloc(g->arena, sizeof *g->cases);
    *g->cases = c->tables[c->table_count++];
    bw_gen_statement(g, s->body);
    g->cases = outer;
    bw_emit(g, BW_I_ENDSWITCH, s->span);
}

static void gen_case(bw_gen *g, const bw_stmt *s)
{
    int64_t row = -1;
    for (uint32_t k = 0; s->expr && g->cases && k < g->cases->count; k++)
        if (g->cases->values[k] == label_value(s, g->cases->type))
            row = k;
    bw_emit(g, BW_I_CASE, s->span)->imm = row;
}

static void gen_return(bw_gen *g, const bw_stmt *s)
{
    if (s->expr && g->result_type && g->result_type->kind == BW_TY_STRUCT) {
        uint32_t from = bw_gen_aggregate(g, s->expr);
        bw_ins *i = bw_emit(g, BW_I_LCOPY, s->span);
        i->imm = g->result_at;
        i->number = (int32_t)from;
        i->aux = g->result_type->size;
    } else if (s->expr && g->result_type && bw_type_is_scalar(g->result_type)) {
        uint32_t value = bw_gen_value(g, s->expr);
        bw_ins *i = bw_emit(g, BW_I_MOVE, s->span);
        i->dst = g->result;
        i->a = value;
        i->cls = (uint8_t)bw_type_class(g->result_type);
    } else if (s->expr) {
        bw_gen_discard(g, s->expr);
    }
    bw_emit(g, BW_I_RETURN, s->span);
}

void bw_gen_statement(bw_gen *g, const bw_stmt *s)
{
    if (!s || g->failed)
        return;
    if (g->code->count > BW_MAX_CODE) {
        bw_gen_error(g, BW_MSG_PROGRAM_SIZE, s->span,
                     "shorten the chain of functions that call each other",
                     "inlining makes this kernel too large");
        return;
    }
    switch (s->kind) {
    case BW_SM_EMPTY: break;
    case BW_SM_EXPR: bw_gen_discard(g, s->expr); break;
    case BW_SM_DECLARE: gen_declare(g, s); break;
    case BW_SM_BLOCK: {
        bool script = g->script;
        g->script = false;
        for (const bw_stmt *i = s->body; i; i = i->next)
            bw_gen_statement(g, i);
        g->script = script;
        break;
    }
    case BW_SM_IF: gen_if(g, s); break;
    case BW_SM_LOOP: gen_loop(g, s); break;
    case BW_SM_DO: gen_do(g, s); break;
    case BW_SM_SWITCH: gen_switch(g, s); break;
    case BW_SM_CASE: gen_case(g, s); break;
    case BW_SM_BREAK: bw_emit(g, BW_I_BREAK, s->span); break;
    case BW_SM_CONTINUE:
        g->continues = true;
        bw_emit(g, BW_I_CONTINUE, s->span);
        break;
    case BW_SM_RETURN: gen_return(g, s); break;
    }
}

/* ---- calls
 * --------------------------------------------------------------------------------------------- */

/* Puts an argument where its parameter is. */
static void bind_parameter(bw_gen *g, bw_symbol *param, const bw_expr *arg)
{
    uint32_t value = BW_NO_REG;
    if (param->is_reference && arg->lvalue) {
        bw_lvalue lv = bw_gen_lvalue(g, arg);
        value = bw_gen_address(g, &lv);
    } else if (param->is_reference) { /* a constant bound to const T & */
        bool whole = param->type->kind == BW_TY_STRUCT;
        uint32_t at = whole ? bw_gen_aggregate(g, arg) : bw_local_space(g, param->type, arg->span);
        bw_lvalue lv = bw_local_lvalue(at, param->type, arg->span);
        if (!whole)
            bw_gen_store(g, &lv, bw_gen_value(g, arg));
        value = bw_gen_address(g, &lv);
    } else if (param->type->kind == BW_TY_HANDLE) {
        return;
    } else {
        bw_place_symbol(g, param);
        uint32_t place = param->place; /* the argument may call the same function */
        bw_gen_initialize(g, param, arg);
        param->place = place;
        return;
    }
    bw_place_symbol(g, param);
    bw_ins *i = bw_emit(g, BW_I_COPY, arg->span);
    i->dst = param->place;
    i->a = value;
    i->cls = BW_U64;
}

/* A later argument may call the same function, and so place its parameters anew. */
static void bind_arguments(bw_gen *g, bw_function *f, const bw_expr *e)
{
    uint32_t *places = bw_arena_alloc(g->arena, (f->param_count + 1) * sizeof *places);
    for (uint32_t k = 0; k < f->param_count; k++) {
        bind_parameter(g, f->params[k], e->call.args[k]);
        places[k] = f->params[k]->place;
    }
    for (uint32_t k = 0; k < f->param_count; k++)
        f->params[k]->place = places[k];
}

uint32_t bw_gen_call(bw_gen *g, const bw_expr *e)
{
    bw_function *f = e->call.function;
    if (f->in_generation || g->depth >= BW_MAX_INLINE) {
        bw_gen_error(g, BW_MSG_RECURSION, e->span, "write it as a loop",
                     "'%s' calls itself: recursion is not in the "
                     "language",
                     f->name);
        return 0;
    }
    if (!f->parsed || !f->body) {
        bw_gen_error(g, BW_MSG_UNDEFINED_FUNCTION, e->span, "give it a body in this file",
                     "'%s' is declared but not defined", f->name);
        return 0;
    }
    bind_arguments(g, f, e);
    bw_gen outer = *g;
    f->in_generation = true;
    g->call = call_from(g, e->span, f->name);
    g->depth++;
    g->script = false;
    g->cases = NULL;
    g->result_type = f->result;
    g->result = 0;
    if (f->result->kind == BW_TY_STRUCT) {
        g->result_at = bw_local_space(g, f->result, e->span);
    } else if (bw_type_is_scalar(f->result)) {
        g->result = bw_variable(g);
        bw_ins *i = bw_emit(g, BW_I_FRESH, e->span);
        i->dst = g->result;
        i->origin =
            bw_origin_of(g, e->span, bw_arena_format(g->arena, "'%s' ends without return", f->name),
                         "return a value on every path");
    }
    bw_emit(g, BW_I_FUNC, e->span);
    bw_gen_statement(g, f->body);
    bw_emit(g, BW_I_ENDFUNC, e->span);
    f->in_generation = false;
    uint32_t result = f->result->kind == BW_TY_STRUCT ? g->result_at : g->result;
    g->depth = outer.depth;
    g->call = outer.call;
    g->script = outer.script;
    g->cases = outer.cases;
    g->result_type = outer.result_type;
    g->result = outer.result;
    g->result_at = outer.result_at;
    return result;
}

/* ---- launches
 * -------------------------------------------------------------------------------------------- */

static void store_pointer(bw_gen *g, uint32_t place, const bw_type *type, const char *name,
                          bw_span span)
{
    uint32_t object = bw_object_of(g, name, type->elem, NULL, 0, span);
    uint32_t value = bw_constant_reg(g, BW_U64, (int64_t)BW_POINTER(BW_TAG_OBJECT + object, 0), 0);
    bw_lvalue lv = bw_local_lvalue(place, type, span);
    bw_gen_store(g, &lv, value);
}

/* A struct that the host fills: its pointers stand for global arrays, its numbers are those that
 * the launch lists, or unknown. */
static void bind_struct(bw_gen *g, const bw_type *type, uint32_t place, const char *name,
                        const bw_expr *list, uint32_t *at, bw_span span)
{
    if (type->kind == BW_TY_ARRAY) {
        for (int64_t k = 0; k < type->count && !g->failed; k++)
            bind_struct(g, type->elem, place + (uint32_t)k * type->elem->size, name, list, at,
                        span);
        return;
    }
    if (type->kind == BW_TY_STRUCT) {
        for (uint32_t k = 0; k < type->member_count; k++) {
            const bw_member *m = &type->members[k];
            const char *path = bw_arena_format(g->arena, "%s.%s", name, m->name);
            if (!type->members[k].overlaid)
                bind_struct(g, m->type, place + m->offset, path, list, at, span);
        }
        return;
    }
    const bw_expr *e = list && *at < list->list.count ? list->list.items[*at] : NULL;
    bw_lvalue lv = bw_local_lvalue(place, type, span);
    ++*at;
    if (e)
        bw_gen_store(g, &lv, bw_gen_value(g, e));
    else if (type->kind == BW_TY_POINTER)
        store_pointer(g, place, type, name, span);
    else
        bw_gen_store(
            g, &lv,
            bw_gen_unknown(g, span, bw_arena_format(g->arena, "kernel argument '%s'", name),
                           "list the struct's members in the launch: { 1024, pointer, … }"));
}

static void bind_kernel_argument(bw_gen *g, bw_symbol *param, const bw_expr *arg)
{
    if (param->type->kind == BW_TY_STRUCT && (!arg || arg->kind == BW_EX_LIST)) {
        uint32_t at = 0;
        bw_place_symbol(g, param);
        bind_struct(g, param->type, param->place, param->name, arg, &at, param->span);
        return;
    }
    if (param->type->kind == BW_TY_POINTER && (!arg || (arg->kind == BW_EX_CONST))) {
        uint32_t object = bw_object_of(g, param->name, param->type->elem, NULL, 0, param->span);
        bw_place_symbol(g, param);
        uint32_t value =
            bw_constant_reg(g, BW_U64, (int64_t)BW_POINTER(BW_TAG_OBJECT + object, 0), 0);
        bw_lvalue lv = {.kind = param->storage == BW_ST_LOCAL ? BW_LV_LOCAL : BW_LV_REGISTER,
                        .place = param->place,
                        .type = param->type,
                        .span = param->span};
        if (lv.kind == BW_LV_REGISTER) {
            bw_ins *i = bw_emit(g, BW_I_COPY, param->span);
            i->dst = param->place;
            i->a = value;
            i->cls = BW_U64;
        } else {
            bw_gen_store(g, &lv, value);
        }
    } else if (arg) {
        size_t before = g->code->count;
        bind_parameter(g, param, arg);
        for (size_t k = before; k < g->code->count; k++)
            g->code->items[k].flags |= BW_INS_ARGUMENT;
    } else {
        bw_place_symbol(g, param);
        if (param->storage == BW_ST_REGISTER) {
            bw_ins *i = bw_emit(g, BW_I_FRESH, param->span);
            i->dst = param->place;
            i->origin = bw_origin_of(
                g, param->span, bw_arena_format(g->arena, "kernel argument '%s'", param->name),
                bw_arena_format(g->arena, "give it a number: -D %s=16", param->name));
        }
    }
}

static void gen_laws(bw_gen *g)
{
    for (size_t k = 0; k < g->code->object_count; k++) {
        bw_object *o = &g->code->objects[k];
        if (!o->assume || !o->assume->law)
            continue;
        bw_symbol *index = o->assume->index;
        index->place = bw_variable(g);
        uint32_t entry = (uint32_t)here(g);
        uint32_t value = bw_gen_value(g, o->assume->law);
        uint32_t kept = bw_variable(g);
        bw_ins *i = bw_emit(g, BW_I_CONVERT, o->assume->span);
        i->cls = (uint8_t)bw_type_class(o->assume->law->type);
        i->number = bw_type_is_float(o->elem) ? BW_F64 : BW_I64;
        i->a = value;
        i->dst = kept;
        bw_emit(g, BW_I_ENDLAW, o->assume->span);
        o = &g->code->objects[k];
        o->law_entry = entry;
        o->law_index = index->place;
        o->law_value = kept;
    }
}

static void place_extern(bw_gen *g, const bw_ast_launch *launch)
{
    bw_code *c = g->code;
    c->dynamic_shared = launch->dynamic_shared;
    if (g->extern_reg == BW_NO_REG)
        return;
    uint32_t base = (c->static_shared + 15) / 16 * 16;
    bw_constant *k = &c->constants[g->extern_constant];
    k->cls = BW_U64;
    k->integer = (int64_t)BW_POINTER(BW_TAG_SHARED, base);
    BW_GROW(c->shared, c->shared_count, c->shared_capacity);
    c->shared[c->shared_count++] =
        (bw_shared_object){g->extern_name, base, c->dynamic_shared, g->extern_span};
    if (c->dynamic_shared == 0)
        bw_gen_error(g, BW_MSG_DYNAMIC_SHARED, g->extern_span,
                     launch->kernel ? "give its bytes with --shared 4096, or as the launch's third "
                                      "number: kernel<<<grid, block, bytes>>>(…)"
                                    : "give the array a size: a script has no launch to name it",
                     "'%s' is extern, but the launch asks for no dynamic shared memory",
                     g->extern_name);
    c->static_shared = base;
}

bool bw_generate(bw_arena *arena, const bw_source *source, const bw_ast_launch *launch,
                 bw_stmt *script, bw_assume *assumes, size_t assume_count, bw_sites *sites,
                 bw_code *code, bw_diags *diags)
{
    bw_gen g = {.arena = arena,
                .source = source,
                .diags = diags,
                .code = code,
                .sites = sites,
                .assumes = assumes,
                .assume_count = assume_count,
                .extern_reg = BW_NO_REG};
    for (int k = 0; k < BW_SPECIALS; k++)
        code->specials[k] = BW_NO_REG;
    bw_function *f = launch->kernel;
    bw_emit(&g, BW_I_FUNC, launch->span);
    if (f) {
        f->in_generation = true;
        for (uint32_t k = 0; k < f->param_count; k++)
            bind_kernel_argument(&g, f->params[k], k < launch->arg_count ? launch->args[k] : NULL);
        if (!f->body)
            bw_gen_error(&g, BW_MSG_UNDEFINED_FUNCTION, launch->span, "give it a body",
                         "'%s' is not defined", f->name);
        bw_gen_statement(&g, f->body);
        f->in_generation = false;
    } else {
        for (const bw_stmt *s = script; s; s = s->next) {
            g.script = true;
            bw_gen_statement(&g, s);
        }
    }
    bw_emit(&g, BW_I_ENDFUNC, launch->span);
    bw_emit(&g, BW_I_EXIT, launch->span);
    gen_laws(&g);
    place_extern(&g, launch);
    return !g.failed;
}

void bw_code_finish(bw_code *code)
{
    free(code->items);
    free(code->is_variable);
    free(code->constants);
    free(code->shared);
    free(code->objects);
    free(code->unknowns);
    free(code->tables);
    free(code->local_origins);
    *code = (bw_code){0};
}
