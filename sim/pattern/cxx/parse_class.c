/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Classes: what stands between the braces beside members: functions, constructors, conversions,
 * constants, types, and values of members.
 *
 * A function of a struct is a function whose first parameter is a reference to the object. A
 * constructor is one that makes an object of its own and returns it. The text of functions is read
 * when all members are known.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "cxx.h"

#define MAX_METHODS 256

/* A function found between the braces: where it begins, and when declared, where it goes on. */
typedef struct method {
    size_t at, body_at;
    bw_function *function;
    bw_scope *scope;
} method;

/* What is found between the braces and waits until all members are known. */
struct bw_class_text {
    size_t *defaults; /* by member, as in bw_record */
    uint32_t default_capacity;
    method methods[MAX_METHODS];
    uint32_t method_count;
};

static bw_class_text *text_of(bw_parser *p, bw_record_body *c)
{
    if (!c->text)
        c->text = bw_arena_alloc(p->arena, sizeof *c->text);
    return c->text;
}

/* ---- members
 * ------------------------------------------------------------------------------------- */

/* static constexpr int N = 4; takes no room. */
void bw_parse_static_member(bw_parser *p, const bw_specifiers *spec)
{
    do {
        bw_declarator d = bw_parse_declarator(p, spec->type);
        if (!d.name || !(spec->is_constexpr || spec->is_const) || !bw_type_is_arithmetic(d.type) ||
            !(bw_at(p, BW_TOK_ASSIGN) || bw_at(p, BW_TOK_LBRACE)))
            bw_syntax_error(p, BW_MSG_NOT_CONSTANT,
                            "write static constexpr int NAME = value;, or move it out",
                            "a static member must be a constant");
        const bw_type *type = d.type;
        bw_accept(p, BW_TOK_ASSIGN);
        bw_expr *value = bw_convert(p, bw_parse_initializer(p, &type), d.type);
        bw_symbol *s = bw_declare(p, bw_name_of(p, d.name), BW_SY_CONSTANT, d.type, d.name->span);
        s->value = value;
        if (!bw_is_constant(value) && !bw_is_error(value))
            bw_syntax_error(p, BW_MSG_NOT_CONSTANT, "use constants and constexpr values",
                            "this value is not constant");
    } while (bw_accept(p, BW_TOK_COMMA));
    bw_expect_token(p, BW_TOK_SEMICOLON, "after the member");
}

static void skip_default(bw_parser *p)
{
    for (int depth = 0; depth > 0 || !(bw_at(p, BW_TOK_COMMA) || bw_at(p, BW_TOK_SEMICOLON));) {
        if (bw_peek(p, 0)->kind == BW_TOK_END || (depth == 0 && bw_at(p, BW_TOK_RBRACE)))
            bw_syntax_error(p, BW_MSG_UNCLOSED, "put ';' after it",
                            "this member's value does not end");
        depth += bw_at(p, BW_TOK_LPAREN) || bw_at(p, BW_TOK_LBRACE) || bw_at(p, BW_TOK_LBRACKET);
        depth -= bw_at(p, BW_TOK_RPAREN) || bw_at(p, BW_TOK_RBRACE) || bw_at(p, BW_TOK_RBRACKET);
        bw_take(p);
    }
}

/* Room for a default value of each member; in the arena: an unwinding parser leaks nothing. */
static void grow_defaults(bw_parser *p, bw_record_body *c)
{
    bw_class_text *text = text_of(p, c);
    if (c->list.count <= text->default_capacity)
        return;
    size_t *old = text->defaults;
    uint32_t count = text->default_capacity;
    text->default_capacity = 2 * c->list.count;
    text->defaults = bw_arena_alloc(p->arena, text->default_capacity * sizeof *old);
    if (old)
        memcpy(text->defaults, old, count * sizeof *old);
}

void bw_parse_member_value(bw_parser *p, bw_record_body *c)
{
    grow_defaults(p, c);
    bw_accept(p, BW_TOK_ASSIGN);
    c->text->defaults[c->list.count - 1] = p->at;
    skip_default(p);
}

/* ---- functions: where they are
 * ------------------------------------------------------------------- */

/* : a(x), b{y} between a constructor's parameters and its body. */
static void skip_member_initializers(bw_parser *p)
{
    do {
        while (!bw_at(p, BW_TOK_LPAREN) && !bw_at(p, BW_TOK_LBRACE) &&
               bw_peek(p, 0)->kind != BW_TOK_END)
            bw_take(p);
        bw_skip_bracketed(p);
    } while (bw_accept(p, BW_TOK_COMMA));
}

static void skip_method(bw_parser *p)
{
    if (bw_accept(p, BW_TOK_TEMPLATE))
        p->at += bw_after_angles(p, 0);
    while (!bw_at(p, BW_TOK_SEMICOLON) && !bw_at(p, BW_TOK_LBRACE)) {
        if (bw_peek(p, 0)->kind == BW_TOK_END)
            bw_syntax_error(p, BW_MSG_UNCLOSED, "give it a body", "this function does not end");
        if (bw_at(p, BW_TOK_LPAREN))
            bw_skip_bracketed(p);
        else if (bw_accept(p, BW_TOK_COLON))
            skip_member_initializers(p);
        else
            bw_take(p);
    }
    if (!bw_accept(p, BW_TOK_SEMICOLON))
        bw_skip_braces(p);
}

/* ---- functions: what they are
 * -------------------------------------------------------------------- */

/* The words before a constructor's or conversion's name. Returns what follows them. */
static size_t after_words(const bw_parser *p, size_t at)
{
    static const bw_token_kind words[] = {
        BW_TOK_DEVICE,   BW_TOK_HOST,       BW_TOK_INLINE,    BW_TOK_FORCE_INLINE, BW_TOK_CONSTEXPR,
        BW_TOK_EXPLICIT, BW_TOK_GNU_INLINE, BW_TOK_NO_INLINE, BW_TOK_STATIC,       BW_TOK_FRIEND};
    for (;; at++) {
        bool word = false;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            word |= bw_token_is(&p->tokens[at], words[i]);
        if (!word)
            return at;
    }
}

/* The object that a function of a struct is called for: its first parameter. */
void bw_declare_object(bw_parser *p, bw_function *f, const bw_type *object)
{
    bw_symbol *self = bw_declare(p, "this", BW_SY_VARIABLE, object, f->span);
    self->storage = BW_ST_REGISTER;
    self->is_reference = true;
    f->params = bw_arena_alloc(p->arena, sizeof *f->params);
    f->params[f->param_count++] = self;
}

void bw_declare_instance_object(bw_parser *p, bw_function *made, const bw_function *of)
{
    if (of->is_method)
        bw_declare_object(p, made, of->params[0]->type);
}

/* What a constructor makes. */
static void declare_made(bw_parser *p, const bw_record_body *c, bw_function *f)
{
    bw_symbol *made = bw_declare(p, "this", BW_SY_VARIABLE, c->type, f->span);
    made->storage = BW_ST_LOCAL;
    f->made = made;
}

static void declare_constructor(bw_parser *p, bw_record_body *c, method *m)
{
    const bw_token *name = bw_take(p);
    bw_function *f = bw_new_function(p, c->base, name->span);
    f->result = c->type;
    bw_scope *outer = p->scope;
    bw_push_scope(p);
    declare_made(p, c, f);
    bw_parse_parameters(p, f);
    m->scope = p->scope;
    p->scope = outer;
    m->function = bw_add_function(p, &c->record->constructors, f);
    m->body_at = p->at;
}

static void declare_conversion(bw_parser *p, bw_record_body *c, method *m)
{
    bw_function *f = bw_new_function(p, "operator", bw_take(p)->span);
    bw_specifiers spec = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, spec.type);
    f->is_method = true;
    f->returns_reference = d.is_reference;
    f->result = d.is_reference ? bw_type_pointer(p->arena, d.type) : d.type;
    f->full_name = f->name =
        bw_arena_format(p->arena, "operator %s", bw_type_name(p->arena, d.type));
    bw_scope *outer = p->scope;
    bw_push_scope(p);
    bw_declare_object(p, f, c->type);
    bw_parse_parameters(p, f);
    m->scope = p->scope;
    p->scope = outer;
    f->next_overload = c->record->conversions;
    c->record->conversions = f;
    m->function = f;
    m->body_at = p->at;
}

static void declare_method(bw_parser *p, bw_record_body *c, method *m)
{
    p->at = m->at;
    bw_template *template = bw_at(p, BW_TOK_TEMPLATE) ? bw_parse_method_template(p) : NULL;
    size_t name_at = after_words(p, p->at);
    const bw_token *name = &p->tokens[name_at], *next = &p->tokens[name_at + 1];
    bool own = bw_token_named(name, c->base) && bw_token_is(next, BW_TOK_LPAREN);
    bool conversion = bw_token_is(name, BW_TOK_OPERATOR) && bw_is_name(next);
    if (bw_token_is(name, BW_TOK_TILDE))
        return; /* what is left behind costs nothing */
    if (template && (own || conversion))
        bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE, "write it for the types in use",
                        "a constructor or conversion cannot be a template here");
    if (own || conversion) {
        p->at = name_at;
        if (own)
            declare_constructor(p, c, m);
        else
            declare_conversion(p, c, m);
        return;
    }
    bw_scope *outer = p->scope;
    bool friend = bw_accept(p, BW_TOK_FRIEND); /* an operator beside the struct: it has no object */
    if (template) {                            /* the parameters' names stand in its header */
        bw_push_scope(p);
        for (uint32_t i = 0; i < template->count; i++) {
            const bw_template_parameter *t = &template->parameters[i];
            bw_symbol *s = bw_declare(p, t->name, t->is_type ? BW_SY_TYPE : BW_SY_CONSTANT,
                                      &bw_ty_int, template->span);
            s->value = bw_new_integer(p, &bw_ty_int, 1, template->span);
        }
    }
    bw_specifiers spec = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, spec.type);
    p->scope = outer;
    if (!d.name || !bw_at(p, BW_TOK_LPAREN))
        bw_syntax_error(p, BW_MSG_EXPECTED_TOKEN, "write TYPE NAME(…) { … }",
                        "expected a function");
    bw_function *f = bw_new_function(p, bw_name_of(p, d.name), d.name->span);
    f->template = template;
    f->is_constexpr = spec.is_constexpr;
    f->is_method = !spec.is_static && !friend;
    f->returns_reference = d.is_reference;
    f->result = d.is_reference ? bw_type_pointer(p->arena, d.type) : d.type;
    bw_push_scope(p);
    if (template) { /* only the object: the rest is parsed for each set of arguments */
        f->params = bw_arena_alloc(p->arena, sizeof *f->params);
        f->params[0] = bw_declare(p, "this", BW_SY_VARIABLE, c->type, f->span);
        f->params[0]->is_reference = true;
        template->name = f->name;
        template->span = f->span;
        template->body_at = p->at;
    } else {
        if (f->is_method)
            bw_declare_object(p, f, c->type);
        bw_parse_parameters(p, f);
    }
    m->scope = p->scope;
    p->scope = outer;
    m->function = bw_register_function(p, f);
    m->body_at = template ? 0 : p->at;
}

/* ---- functions: their bodies
 * --------------------------------------------------------------------- */

static void append(bw_stmt ***end, bw_stmt *s)
{
    **end = s;
    while (**end)
        *end = &(**end)->next;
}

static bw_expr *object(bw_parser *p, const bw_function *f, bw_span span)
{
    return bw_new_symbol(p, f->made, span);
}

/* One of ": a(x), b{y}". */
static void parse_member_initializer(bw_parser *p, const bw_record_body *c, const bw_function *f,
                                     bool *set, bw_stmt ***end)
{
    const bw_token *name = bw_take(p);
    size_t start = p->at - 1;
    const bw_member *m = bw_type_member(c->type, name->text, name->len);
    bool whole = bw_token_named(name, c->base);
    if (whole && bw_at(p, BW_TOK_LESS))
        p->at += bw_after_angles(p, 0);
    p->at -= !m && !whole; /* the name is what is wrong */
    if (!m && !whole)
        bw_syntax_error(p, BW_MSG_UNKNOWN_MEMBER, "name a member of the struct",
                        "%s has no member '%.*s'", c->type->name, (int)name->len, name->text);
    const bw_type *type = whole ? c->type : m->type;
    bool empty =
        bw_token_is(bw_peek(p, 1), BW_TOK_RPAREN) || bw_token_is(bw_peek(p, 1), BW_TOK_RBRACE);
    bw_expr *value;
    if (type->kind == BW_TY_ARRAY) {
        if (!empty)
            bw_syntax_error(p, BW_MSG_INITIALIZER, "assign its elements in the body",
                            "an array member cannot be initialised here");
        bw_skip_bracketed(p);
        value = NULL;
    } else if (empty && type->kind != BW_TY_STRUCT) {
        bw_skip_bracketed(p);
        value = bw_convert(p, bw_new_integer(p, &bw_ty_int, 0, name->span), type);
    } else {
        value = bw_parse_construction_of(p, type, start);
    }
    bw_expr *target = object(p, f, name->span);
    if (m) {
        set[m - c->type->members] = true;
        target = bw_new_member(p, target, m, name->span);
    }
    if (value)
        append(end, bw_new_expr_stmt(p, bw_new_assign(p, target, value, bw_span_from(p, start))));
}

/* The object, its members' values, the body, and the object as what is returned. */
static void parse_constructor_body(bw_parser *p, const bw_record_body *c, bw_function *f)
{
    bw_stmt *block = bw_new_stmt(p, BW_SM_BLOCK, f->span), **end = &block->body;
    bw_stmt *declare = bw_new_stmt(p, BW_SM_DECLARE, f->span);
    bool *set = bw_arena_alloc(p->arena, (c->type->member_count + 1) * sizeof *set);
    bw_stmt *first = NULL, **first_end = &first;
    declare->symbol = f->made;
    append(&end, declare);
    p->function = f;
    if (bw_accept(p, BW_TOK_COLON))
        do {
            parse_member_initializer(p, c, f, set, &first_end);
        } while (bw_accept(p, BW_TOK_COMMA));
    for (uint32_t i = 0; i < c->type->member_count; i++) {
        bw_expr *value = set[i] ? NULL : bw_default_of(p, c->type, i);
        bw_expr *target = bw_new_member(p, object(p, f, f->span), &c->type->members[i], f->span);
        if (value && c->type->members[i].type->kind != BW_TY_ARRAY)
            append(&end, bw_new_expr_stmt(p, bw_new_assign(p, target, value, f->span)));
    }
    append(&end, first);
    if (bw_accept(p, BW_TOK_ASSIGN)) /* = default; */
        bw_take(p);
    else if (bw_at(p, BW_TOK_LBRACE))
        append(&end, bw_parse_block(p));
    bw_stmt *back = bw_new_stmt(p, BW_SM_RETURN, f->span);
    back->expr = object(p, f, f->span);
    append(&end, back);
    f->body = block;
    f->parsed = true;
}

static void parse_method_body(bw_parser *p, const bw_record_body *c, const method *m)
{
    bw_function *f = m->function, *outer = p->function;
    if (!f || !m->body_at)
        return;
    p->at = m->body_at;
    p->scope = m->scope;
    if (f->made) {
        if (!bw_at(p, BW_TOK_SEMICOLON))
            parse_constructor_body(p, c, f);
    } else if (bw_at(p, BW_TOK_LBRACE)) {
        bw_parse_function_body(p, f);
    } else if (!bw_at(p, BW_TOK_SEMICOLON) && !bw_at(p, BW_TOK_ASSIGN)) {
        bw_syntax_error(p, BW_MSG_EXPECTED_TOKEN, "write { … }", "expected the function's body");
    }
    p->function = outer;
}

/* ---- the whole
 * ----------------------------------------------------------------------------------- */

/* What stands at the next token between a struct's braces, if it is no member. */
bool bw_parse_class_line(bw_parser *p, bw_record_body *c)
{
    static const bw_token_kind access[] = {BW_TOK_PUBLIC, BW_TOK_PRIVATE, BW_TOK_PROTECTED};
    if (BW_IS_IN(bw_peek(p, 0), access) && bw_token_is(bw_peek(p, 1), BW_TOK_COLON)) {
        p->at += 2;
        return true;
    }
    if (bw_at(p, BW_TOK_FRIEND) &&
        (bw_token_is(bw_peek(p, 1), BW_TOK_STRUCT) || bw_token_is(bw_peek(p, 1), BW_TOK_CLASS))) {
        skip_method(p); /* who may look inside costs nothing */
        return true;
    }
    if (bw_at(p, BW_TOK_VIRTUAL))
        bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE, "write a plain __device__ function",
                        "'virtual' is not in the language");
    if (bw_at(p, BW_TOK_USING) || bw_at(p, BW_TOK_TYPEDEF) || bw_at(p, BW_TOK_STATIC_ASSERT)) {
        bw_parse_declaration_statement(p);
        return true;
    }
    if (!bw_at_method(p))
        return false;
    bw_class_text *text = text_of(p, c);
    if (text->method_count == MAX_METHODS)
        bw_syntax_error(p, BW_MSG_TOO_MANY, "split the struct",
                        "more than %d functions in a struct", MAX_METHODS);
    text->methods[text->method_count++] = (method){.at = p->at};
    skip_method(p);
    return true;
}

/* After the closing brace. */
void bw_finish_class(bw_parser *p, bw_record_body *c)
{
    bw_class_text *text = c->text;
    if (!text)
        return;
    if (text->defaults) {
        grow_defaults(p, c);
        c->record->defaults = text->defaults;
        c->record->has_defaults = true;
    }
    size_t at = p->at;
    unsigned loops = p->loops, switches = p->switches;
    bw_stmt *pending = p->pending;
    bw_scope *scope = p->scope;
    p->loops = p->switches = 0;
    p->pending = NULL;
    for (uint32_t i = 0; i < text->method_count; i++)
        declare_method(p, c, &text->methods[i]);
    for (uint32_t i = 0; i < text->method_count; i++)
        parse_method_body(p, c, &text->methods[i]);
    p->scope = scope;
    p->loops = loops;
    p->switches = switches;
    p->pending = pending;
    p->at = at;
}

/* ---- values
 * -------------------------------------------------------------------------------------- */

bw_expr *bw_default_of(bw_parser *p, const bw_type *type, uint32_t k)
{
    const bw_record *r = type->record;
    if (!r || !r->has_defaults || !r->defaults[k])
        return NULL;
    size_t at = p->at;
    bw_scope *scope = p->scope;
    const bw_type *of = type->members[k].type;
    p->at = r->defaults[k];
    p->scope = r->scope;
    bw_expr *value = bw_parse_initializer(p, &of);
    if (value->kind != BW_EX_LIST || !bw_type_same(value->type, of))
        value = bw_convert(p, value, of);
    p->at = at;
    p->scope = scope;
    return value;
}

bw_expr *bw_default_object(bw_parser *p, const bw_type *type, bw_span span)
{
    const bw_record *r = type->kind == BW_TY_STRUCT ? type->record : NULL;
    if (!r)
        return NULL;
    for (bw_function *f = r->constructors; f; f = f->next_overload)
        if (f->parsed && (f->param_count == 0 || f->defaults[0]))
            return bw_call(p, r->constructors, NULL, NULL, 0, span);
    if (!r->constructors && r->has_defaults)
        return bw_empty_list(p, type, span);
    return NULL;
}

bw_expr *bw_construct_object(bw_parser *p, const bw_type *type, bw_expr **args, size_t count,
                             bw_span span)
{
    bw_function *constructors = type->record ? type->record->constructors : NULL;
    if (constructors)
        return bw_call(p, constructors, NULL, args, count, span);
    return count == 1 ? bw_user_conversion(p, args[0], type) : NULL;
}

bw_expr *bw_parse_this(bw_parser *p)
{
    const bw_token *token = bw_take(p);
    bw_symbol *self = bw_lookup(p, "this", 4);
    if (!self)
        bw_syntax_error(p, BW_MSG_MISPLACED_WORD, "name the object",
                        "'this' outside a function of a struct");
    return bw_new_address(p, bw_new_symbol(p, self, token->span), token->span);
}

bw_expr *bw_own_object(bw_parser *p, bw_span span)
{
    bw_symbol *self = bw_lookup(p, "this", 4);
    return self ? bw_new_symbol(p, self, span) : NULL;
}

bw_expr *bw_bare_return(bw_parser *p, bw_span span)
{
    return p->function && p->function->made ? bw_new_symbol(p, p->function->made, span) : NULL;
}
