/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "spelling.h"

/* ---- primary expressions -----------------------------------------------------------------------
 */

static bw_expr *parse_number(bw_parser *p)
{
    const bw_token *token = bw_take(p);
    bool is_float = false;
    int64_t integer = 0;
    double real = 0;
    if (!bw_number(token->text, token->len, &is_float, &integer, &real)) {
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_NUMBER_FORM, p->source, token->span,
                            "'%.*s' is not a number", (int)token->len, token->text),
                "write 12, 0x1f, 1.5f or 2e3");
        return bw_new_error(p, token->span);
    }
    char last = token->text[token->len - 1];
    if (is_float)
        return bw_new_real(p, last == 'f' || last == 'F' ? &bw_ty_float : &bw_ty_double, real,
                           token->span);
    bool hex = token->len > 1 && token->text[0] == '0';
    bool u = false, l = false;
    for (uint32_t i = token->len; i-- > 0 && strchr("uUlL", token->text[i]);) {
        u |= token->text[i] == 'u' || token->text[i] == 'U';
        l |= token->text[i] == 'l' || token->text[i] == 'L';
    }
    const bw_type *type;
    if (!l && integer >= 0 && integer <= INT32_MAX)
        type = u ? &bw_ty_uint : &bw_ty_int;
    else if (!l && integer >= 0 && integer <= UINT32_MAX && (u || hex))
        type = &bw_ty_uint;
    else
        type = u || integer < 0 ? &bw_ty_ullong : &bw_ty_llong;
    return bw_new_integer(p, type, integer, token->span);
}

/* What stands between the quotes: one character, or an escape. -1 if it is neither. */
static int character_value(const char *text, uint32_t len)
{
    static const char escapes[] = "n\nt\tr\r\\\\''\"\"a\av\vf\fb\b??";
    if (len == 1 && text[0] != '\\')
        return (unsigned char)text[0];
    if (len < 2 || text[0] != '\\')
        return -1;
    for (size_t i = 0; len == 2 && i + 1 < sizeof escapes; i += 2)
        if (escapes[i] == text[1])
            return escapes[i + 1];
    char digits[8] = "", *end;
    uint32_t skip = text[1] == 'x' ? 2 : 1;
    if (len - skip < 1 || len - skip > 3 || !isxdigit((unsigned char)text[skip]))
        return -1;
    memcpy(digits, text + skip, len - skip);
    long value = strtol(digits, &end, skip == 2 ? 16 : 8);
    return *end || value > 255 ? -1 : (int)value;
}

static bw_expr *parse_character(bw_parser *p)
{
    const bw_token *token = bw_take(p);
    int value = token->len > 2 ? character_value(token->text + 1, token->len - 2) : -1;
    if (value < 0) {
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_NUMBER_FORM, p->source, token->span,
                            "%.*s is not one character", (int)token->len, token->text),
                "write 'a', '\\n', '\\0' or '\\x41'");
        return bw_new_error(p, token->span);
    }
    return bw_new_integer(p, &bw_ty_char, value, token->span);
}

static bw_expr *unknown_name(bw_parser *p, const bw_token *token)
{
    const char *best = NULL;
    size_t least = token->len > 5 ? 3 : token->len > 1 ? 2 : 1; /* one letter is like any other */
    for (const bw_scope *scope = p->scope; scope; scope = scope->parent)
        for (const bw_symbol *s = scope->symbols; s; s = s->next) {
            size_t d = bw_edit_distance(s->name, strlen(s->name), token->text, token->len);
            if (d < least && *s->name) {
                least = d;
                best = s->name;
            }
        }
    static const char *const known[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (bw_edit_distance(known[i], strlen(known[i]), token->text, token->len) < least)
            best = known[i];
    bw_diagnostic *d = bw_diagnose(p->diags, BW_MSG_UNKNOWN_NAME, p->source, token->span,
                                   "unknown identifier '%.*s'", (int)token->len, token->text);
    if (best)
        bw_note(p->diags, d, "did you mean '%s'?", best);
    else
        bw_note(p->diags, d, "declare it, or make it a parameter: const int %.*s = …;",
                (int)token->len, token->text);
    return bw_new_error(p, token->span);
}

_Static_assert(BW_BLOCK_X == BW_THREAD_X + 3 && BW_BLOCKDIM_X == BW_THREAD_X + 6 &&
                   BW_GRIDDIM_X == BW_THREAD_X + 9,
               "three axes each, in the order of parse_special's words");

/* uint3 t = threadIdx; */
static bw_expr *whole_special(bw_parser *p, int base, bw_span span)
{
    bw_expr **axes = bw_arena_alloc(p->arena, 3 * sizeof *axes);
    for (int axis = 0; axis < 3; axis++) {
        axes[axis] = bw_new_special(p, (bw_special)(BW_THREAD_X + 3 * base + axis), span);
    }
    const bw_type *type = base < 2 ? bw_type_named("uint3", 5) : bw_type_named("dim3", 4);
    return bw_new_intrinsic(p, BW_IN_MAKE, 0, type, span, 3, axes);
}

/* threadIdx.x and its kin. */
static bw_expr *parse_special(bw_parser *p)
{
    static const bw_token_kind bases[] = {BW_TOK_THREAD_IDX, BW_TOK_BLOCK_IDX, BW_TOK_BLOCK_DIM,
                                          BW_TOK_GRID_DIM};
    size_t start = p->at;
    for (int i = 0; i < 4; i++) {
        if (!bw_at(p, bases[i]))
            continue;
        bw_take(p);
        const bw_token *member = bw_peek(p, 1);
        if (!bw_at(p, BW_TOK_DOT))
            return whole_special(p, i, bw_span_from(p, start));
        if (member->len != 1 || member->text[0] < 'x' || member->text[0] > 'z')
            bw_syntax_error(p, BW_MSG_UNKNOWN_MEMBER, "write its .x, .y or .z", "'%s' is a triple",
                            bw_spelling(bases[i]));
        int axis = member->text[0] - 'x';
        bw_take(p);
        bw_take(p);
        return bw_new_special(p, (bw_special)(BW_THREAD_X + 3 * i + axis), bw_span_from(p, start));
    }
    return NULL;
}

static bw_expr *parse_unary(bw_parser *p);

static bw_expr *parse_sizeof(bw_parser *p, bool align)
{
    size_t start = p->at - 1;
    const bw_type *type = NULL;
    if (bw_at(p, BW_TOK_LPAREN) && (p->at++, bw_at_type(p)))
        type = bw_parse_type_name(p);
    if (type && !bw_at(p, BW_TOK_LPAREN) && !bw_at(p, BW_TOK_LBRACE)) {
        bw_expect_token(p, BW_TOK_RPAREN, "after the type");
    } else { /* sizeof(s) / 4 divides the size; sizeof(short(x)) is of a value */
        if (type || bw_token_is(&p->tokens[p->at - 1], BW_TOK_LPAREN))
            p->at = start + 1;
        type = parse_unary(p)->type;
    }
    return bw_new_integer(p, &bw_ty_ulong, align ? type->align : type->size,
                          bw_span_from(p, start));
}

/* T(e), T{…} and dim3(…). */
static bw_expr *parse_construction(bw_parser *p)
{
    size_t start = p->at;
    const bw_type *type = bw_parse_specifiers(p).type;
    if (bw_at(p, BW_TOK_LBRACE))
        return bw_parse_construction_of(p, type, start);
    if (!bw_at(p, BW_TOK_LPAREN))
        bw_expect_token(p, BW_TOK_LPAREN, "after the type");
    if (type->kind == BW_TY_STRUCT)
        return bw_parse_construction_of(p, type, start);
    bw_take(p);
    bw_expr *e = bw_at(p, BW_TOK_RPAREN) ? bw_new_integer(p, &bw_ty_int, 0, bw_peek(p, 0)->span)
                                         : bw_parse_expression(p);
    bw_expect_token(p, BW_TOK_RPAREN, "after the value");
    return bw_cast(p, e, type, bw_span_from(p, start));
}

/* A cast to a reference, (T &)lvalue, is *(T *)&lvalue. */
static bw_expr *cast_to(bw_parser *p, bw_expr *e, const bw_declarator *d, bw_span span)
{
    if (!d->is_reference || bw_is_error(e))
        return bw_cast(p, e, d->type, span);
    bw_expr *address = bw_new_address(p, e, span);
    return bw_is_error(address)
               ? address
               : bw_new_deref(p, bw_cast(p, address, bw_type_pointer(p->arena, d->type), span),
                              span);
}

/* static_cast<T>(e) and its kin. */
static bw_expr *parse_named_cast(bw_parser *p)
{
    size_t start = p->at;
    bw_take(p);
    bw_expect_token(p, BW_TOK_LESS, "after the cast");
    bw_specifiers s = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, s.type);
    bw_close_angle(p, "after the cast's type");
    bw_expect_token(p, BW_TOK_LPAREN, "after the cast");
    bw_expr *e = bw_parse_expression(p);
    bw_expect_token(p, BW_TOK_RPAREN, "after the cast's operand");
    return cast_to(p, e, &d, bw_span_from(p, start));
}

/* NAME in a function of a struct that has it as a member: this->NAME. */
static bw_expr *own_member(bw_parser *p, const bw_token *name)
{
    bw_expr *object = p->cxx->own_object(p, name->span);
    p->at -= !object; /* the name is what is wrong */
    if (!object)
        bw_syntax_error(p, BW_MSG_NEEDS_OBJECT, "write object.member, or make it static constexpr",
                        "the member '%.*s' needs an object", (int)name->len, name->text);
    const bw_member *m = bw_type_member(object->type, name->text, name->len);
    return m ? bw_new_member(p, object, m, name->span) : unknown_name(p, name);
}

/* A constant that headers of C and CUDA define, after its name; NULL for another name. */
static bw_expr *standard_constant(bw_parser *p, const bw_token *token)
{
    static const struct {
        const char *name;
        const bw_type *type;
        double value;
    } rows[] = {
        {"warpSize", &bw_ty_int, BW_LANES},
        {"true", &bw_ty_bool, 1},
        {"false", &bw_ty_bool, 0},
        {"nullptr", &bw_ty_long, 0},
        {"NULL", &bw_ty_long, 0},
        {"INT_MAX", &bw_ty_int, INT32_MAX},
        {"INT_MIN", &bw_ty_int, INT32_MIN},
        {"UINT_MAX", &bw_ty_uint, UINT32_MAX},
        {"INFINITY", &bw_ty_float, INFINITY},
        {"CUDART_INF_F", &bw_ty_float, INFINITY},
        {"FLT_MAX", &bw_ty_float, (double)FLT_MAX},
        {"FLT_MIN", &bw_ty_float, (double)FLT_MIN},
        {"M_PI", &bw_ty_double, 3.14159265358979323846},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!bw_token_named(token, rows[i].name))
            continue;
        if (bw_type_is_float(rows[i].type))
            return bw_new_real(p, rows[i].type, rows[i].value, token->span);
        return bw_new_integer(p, rows[i].type, (int64_t)rows[i].value, token->span);
    }
    return NULL;
}

/* What a declared name stands for, after the name that began at token `start`. */
static bw_expr *symbol_value(bw_parser *p, bw_symbol *s, const bw_token *token, size_t start)
{
    switch (s->kind) {
    case BW_SY_FUNCTION: {
        bw_expr *object = s->function->is_method ? p->cxx->own_object(p, token->span) : NULL;
        return bw_parse_user_call(p, s->function, object, start);
    }
    case BW_SY_UNKNOWN: return unknown_name(p, token);
    case BW_SY_CONSTANT: return bw_new_constant(p, s, token->span);
    case BW_SY_TEMPLATE:
        bw_syntax_error(p, BW_MSG_TEMPLATE_ARGUMENT,
                        bw_arena_format(p->arena, "write %s<…>, with its arguments", s->name),
                        "'%s' is a template", s->name);
    case BW_SY_DIM3: return p->host->dim3_member(p, s, token);
    default: return bw_new_symbol(p, s, token->span);
    }
}

/* A name that the file does not declare, after it. */
static bw_expr *undeclared(bw_parser *p, const bw_token *token)
{
    if (bw_is_builtin(token))
        return bw_parse_call(p, token);
    bw_expr *standard = standard_constant(p, token);
    if (standard)
        return standard;
    if (!bw_at(p, BW_TOK_LPAREN))
        return unknown_name(p, token);
    bw_note(p->diags,
            bw_diagnose(p->diags, BW_MSG_UNKNOWN_FUNCTION, p->source, token->span,
                        "unknown function '%.*s'", (int)token->len, token->text),
            "define it as a __device__ function above its use; bankwise-pattern(5) lists the "
            "built-in ones");
    bw_expr **args;
    bw_parse_arguments(p, &args);
    return bw_new_error(p, token->span);
}

/* After the name of one of the file's functions that is also a built-in one's: whether the call is
 * of that, because none of the file's takes so many arguments. */
static bool is_builtin_call(const bw_parser *p, const bw_symbol *s, const bw_token *name)
{
    if (!bw_at(p, BW_TOK_LPAREN) || !bw_is_builtin(name))
        return false;
    size_t end = bw_after_brackets(p, p->at) - 1, count = end > p->at + 1;
    for (size_t i = p->at + 1; i < end; i++) {
        if (bw_token_is(&p->tokens[i], BW_TOK_LPAREN) ||
            bw_token_is(&p->tokens[i], BW_TOK_LBRACE) ||
            bw_token_is(&p->tokens[i], BW_TOK_LBRACKET))
            i = bw_after_brackets(p, i) - 1;
        count += bw_token_is(&p->tokens[i], BW_TOK_COMMA);
    }
    for (const bw_function *f = s->function; f; f = f->next_overload) {
        uint32_t own = f->is_method, least = own;
        while (!bw_is_template(f) && least < f->param_count && !f->defaults[least])
            least++;
        if (bw_is_template(f) || (count + own >= least && count + own <= f->param_count))
            return false;
    }
    return true;
}

static bw_expr *parse_name(bw_parser *p)
{
    size_t start = p->at;
    if (bw_token_is(bw_peek(p, 1), BW_TOK_SCOPE)) {
        bw_refuse_keyword(p);
        if (bw_token_is(bw_peek(p, 2), BW_TOK_WMMA))
            p->at += 2;
        bw_refuse_keyword(p);
    }
    const bw_scope *within = bw_take_qualifiers(p);
    bw_accept(p, BW_TOK_SCOPE);
    const bw_token *token = bw_peek(p, 0);
    bw_symbol *s = within ? bw_lookup_in(within, token->text, token->len)
                          : p->cxx->captured(p, bw_lookup(p, token->text, token->len), token);
    if (within && !s)
        bw_syntax_error(p, BW_MSG_UNKNOWN_MEMBER, "declare it in the struct",
                        "the struct has no '%.*s'", (int)token->len, token->text);
    if (s && s->kind == BW_SY_MEMBER)
        return own_member(p, bw_take(p));
    if (!s)
        bw_refuse_keyword(p);
    if (!s && bw_at(p, BW_TOK_NUMERIC_LIMITS) && bw_token_is(bw_peek(p, 1), BW_TOK_LESS))
        return p->cxx->limits(p);
    if (bw_token_is(bw_peek(p, 1), BW_TOK_LAUNCH_OPEN))
        bw_syntax_error(p, BW_MSG_LAUNCH_PLACE, "move the launch to top level, below the kernel",
                        "a kernel is launched at top level only");
    bw_take(p);
    if (s && s->kind == BW_SY_FUNCTION && is_builtin_call(p, s, token))
        return bw_parse_call(p, token);
    return s ? symbol_value(p, s, token, start) : undeclared(p, token);
}

static bw_expr *parse_string(bw_parser *p)
{
    const bw_token *token = bw_take(p);
    while (bw_peek(p, 0)->kind == BW_TOK_STRING)
        bw_take(p);
    bw_expr *e = bw_new_expr(p, BW_EX_STRING, bw_type_pointer(p->arena, &bw_ty_char), token->span);
    return e;
}

static bw_expr *parse_parenthesized(bw_parser *p)
{
    size_t start = p->at;
    bool greater = p->no_greater;
    p->no_greater = false;
    bw_take(p);
    bw_expr *e = bw_parse_expression(p);
    bw_expect_token(p, BW_TOK_RPAREN, "after the expression");
    p->no_greater = greater;
    if (!e->lvalue)
        e->span = bw_span_from(p, start);
    return e;
}

static bw_expr *parse_primary(bw_parser *p)
{
    const bw_token *token = bw_peek(p, 0);
    if (token->kind == BW_TOK_NUMBER)
        return parse_number(p);
    if (token->kind == BW_TOK_CHARACTER)
        return parse_character(p);
    if (token->kind == BW_TOK_STRING)
        return parse_string(p);
    if (bw_at(p, BW_TOK_LPAREN))
        return parse_parenthesized(p);
    if (bw_at(p, BW_TOK_SCOPE) && bw_is_name(bw_peek(p, 1))) {
        bw_take(p);
        return parse_name(p);
    }
    if (bw_at(p, BW_TOK_LBRACKET))
        return p->cxx->lambda(p);
    if (bw_at(p, BW_TOK_THIS))
        return p->cxx->self(p);
    if (bw_is_name(token)) {
        if (bw_at(p, BW_TOK_SIZEOF) || bw_at(p, BW_TOK_ALIGNOF) || bw_at(p, BW_TOK_C_ALIGNOF))
            return parse_sizeof(p, bw_take(p)->text[0] != 's');
        if (bw_at(p, BW_TOK_STATIC_CAST) || bw_at(p, BW_TOK_REINTERPRET_CAST) ||
            bw_at(p, BW_TOK_CONST_CAST))
            return parse_named_cast(p);
        bw_expr *special = bw_lookup(p, token->text, token->len) ? NULL : parse_special(p);
        if (special)
            return special;
        if (bw_at_type(p))
            return parse_construction(p);
        return parse_name(p);
    }
    if (token->kind == BW_TOK_END)
        bw_syntax_error(p, BW_MSG_EXPECTED_EXPRESSION, "finish the statement",
                        "expected an expression, found the end of the file");
    if (bw_at(p, BW_TOK_RBRACE))
        bw_syntax_error(p, BW_MSG_EXPECTED_EXPRESSION, "remove it, or add the '{' that it closes",
                        "expected an expression, found '}'");
    bw_syntax_error(p, BW_MSG_EXPECTED_EXPRESSION, NULL, "expected an expression, found '%.*s'",
                    (int)token->len, token->text);
}

/* " x y size()": what a struct has, for a note. */
static const char *known_members(bw_parser *p, const bw_type *type)
{
    const char *list = "";
    for (uint32_t i = 0; i < type->member_count && i < 12; i++)
        list = bw_arena_format(p->arena, "%s %s", list, type->members[i].name);
    int shown = 0;
    for (const bw_symbol *s = type->record ? type->record->scope->symbols : NULL; s; s = s->next)
        if (s->kind == BW_SY_FUNCTION && shown++ < 12)
            list = bw_arena_format(p->arena, "%s %s()", list, s->name);
    return list;
}

/* "(…)" after what is no function. */
static bw_expr *refuse_call(bw_parser *p, const bw_expr *e, size_t start)
{
    bw_expr **args;
    bw_parse_arguments(p, &args);
    bw_span span = bw_span_from(p, start);
    if (!bw_is_error(e))
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_NOT_CALLABLE, p->source, span, "%s cannot be called",
                            bw_type_name(p->arena, e->type)),
                "call a function, a lambda, or a struct with an operator()");
    return bw_new_error(p, span);
}

static bw_expr *parse_member_access(bw_parser *p, bw_expr *e, size_t start)
{
    bool arrow = bw_at(p, BW_TOK_ARROW);
    bw_take(p);
    bw_accept(p, BW_TOK_TEMPLATE);
    const bw_token *name = bw_take(p);
    if (!bw_is_name(name))
        bw_syntax_error(p, BW_MSG_EXPECTED_NAME, "write object.member", "expected a member's name");
    bw_span span = bw_span_from(p, start);
    if (e->type->kind == BW_TY_HANDLE)
        return bw_parse_method(p, e, name, span);
    if (e->type == &bw_ty_group)
        return bw_parse_group_method(p, e, name, span);
    if (arrow)
        e = bw_new_deref(p, e, span);
    if (bw_is_error(e))
        return e;
    if (e->type->kind == BW_TY_STRUCT && e->type->members == bw_ty_coalesced.members)
        return bw_parse_coalesced(p, e, name, span);
    const bw_record *r = e->type->kind == BW_TY_STRUCT ? e->type->record : NULL;
    const bw_type *whole = r ? r->type : e->type;
    bw_expr *inner = r ? p->cxx->inner(p, e, name, start) : NULL;
    if (inner)
        return inner;
    if (whole->kind == BW_TY_STRUCT && !whole->members && p->diags->errors)
        return bw_new_error(p, span); /* its definition was not understood */
    const bw_member *m =
        whole->kind == BW_TY_STRUCT ? bw_type_member(whole, name->text, name->len) : NULL;
    if (!m) {
        bw_diagnostic *d = bw_diagnose(p->diags, BW_MSG_UNKNOWN_MEMBER, p->source, name->span,
                                       "%s has no member '%.*s'", bw_type_name(p->arena, e->type),
                                       (int)name->len, name->text);
        const char *list = known_members(p, whole);
        bw_note(p->diags, d, *list ? "its members are:%s" : "it is no struct%s", list);
        return bw_new_error(p, span);
    }
    return bw_new_member(p, e, m, span);
}

static bw_expr *parse_postfix(bw_parser *p)
{
    size_t start = p->at;
    bw_expr *e = parse_primary(p);
    for (unsigned links = 0;; bw_check_chain(p, &links)) {
        if (bw_accept(p, BW_TOK_LBRACKET)) {
            bool greater = p->no_greater;
            p->no_greater = false;
            bw_expr *index = bw_parse_expression(p);
            bw_expect_token(p, BW_TOK_RBRACKET, "after the index");
            p->no_greater = greater;
            bw_span span = bw_span_from(p, start);
            bw_expr *user = e->type->kind == BW_TY_STRUCT && e->type->record
                                ? p->cxx->apply_operator(p, "operator[]", e, index, span)
                                : NULL;
            e = user ? user : bw_new_index(p, e, index, span);
        } else if (bw_at(p, BW_TOK_LPAREN)) {
            bw_expr *called = p->cxx->call_object(p, e, start);
            e = called ? called : refuse_call(p, e, start);
        } else if (bw_at(p, BW_TOK_DOT) || bw_at(p, BW_TOK_ARROW)) {
            e = parse_member_access(p, e, start);
        } else if (bw_at(p, BW_TOK_INCREMENT) || bw_at(p, BW_TOK_DECREMENT)) {
            bw_binary op = bw_take(p)->text[0] == '+' ? BW_ADD : BW_SUB;
            e = bw_new_step(p, op, true, e, bw_span_from(p, start));
        } else {
            return e;
        }
    }
}

/* "(" begins a cast if a type follows and it is no T(…) inside parentheses. */
static bool at_cast(const bw_parser *p)
{
    if (!bw_at(p, BW_TOK_LPAREN))
        return false;
    bw_parser ahead = *p;
    ahead.at++;
    if (!bw_at_type(&ahead))
        return false;
    while (bw_is_name(bw_peek(&ahead, 0)) || bw_at(&ahead, BW_TOK_SCOPE))
        ahead.at++;
    if (bw_at(&ahead, BW_TOK_LESS))
        ahead.at += bw_after_angles(&ahead, 0);
    while (bw_is_name(bw_peek(&ahead, 0)) || bw_at(&ahead, BW_TOK_SCOPE))
        ahead.at++;
    if (bw_at(&ahead, BW_TOK_LPAREN)) /* (float (*)[33]) */
        return bw_token_is(bw_peek(&ahead, 1), BW_TOK_STAR) &&
               bw_token_is(bw_peek(&ahead, 2), BW_TOK_RPAREN);
    return bw_at(&ahead, BW_TOK_RPAREN) || bw_at(&ahead, BW_TOK_STAR) || bw_at(&ahead, BW_TOK_AND);
}

static bw_expr *parse_unary(bw_parser *p)
{
    size_t start = p->at;
    bw_expr *e;
    bw_enter(p);
    if (at_cast(p)) {
        bw_take(p);
        bw_specifiers s = bw_parse_specifiers(p);
        bw_declarator d = bw_parse_declarator(p, s.type);
        bw_expect_token(p, BW_TOK_RPAREN, "after the cast's type");
        e = bw_at(p, BW_TOK_LBRACE) ? bw_parse_initializer(p, &d.type) : parse_unary(p);
        e = cast_to(p, e, &d, bw_span_from(p, start));
    } else if (bw_at(p, BW_TOK_INCREMENT) || bw_at(p, BW_TOK_DECREMENT)) {
        bw_binary op = bw_take(p)->text[0] == '+' ? BW_ADD : BW_SUB;
        bw_expr *operand = parse_unary(p);
        e = bw_new_step(p, op, false, operand, bw_span_from(p, start));
    } else if (bw_accept(p, BW_TOK_PLUS)) {
        e = bw_value(p, parse_unary(p));
        if (bw_type_is_arithmetic(e->type))
            e = bw_convert(p, e, bw_type_promote(e->type));
        e = bw_without_place(p, e, bw_span_from(p, start));
    } else if (bw_at(p, BW_TOK_MINUS) || bw_at(p, BW_TOK_TILDE) || bw_at(p, BW_TOK_NOT)) {
        char c = bw_take(p)->text[0];
        bw_expr *operand = parse_unary(p);
        e = bw_new_unary(p,
                         c == '-'   ? BW_EX_NEG
                         : c == '~' ? BW_EX_INVERT
                                    : BW_EX_NOT,
                         operand, bw_span_from(p, start));
    } else if (bw_accept(p, BW_TOK_STAR)) {
        bw_expr *operand = parse_unary(p);
        e = bw_new_deref(p, operand, bw_span_from(p, start));
    } else if (bw_accept(p, BW_TOK_AND)) {
        bw_expr *operand = parse_unary(p);
        e = bw_new_address(p, operand, bw_span_from(p, start));
    } else {
        e = parse_postfix(p);
    }
    bw_leave(p);
    return e;
}

/* ---- binary, conditional, assignment -----------------------------------------------------------
 */

static const struct {
    bw_token_kind sign;
    int level;
    int op; /* bw_binary, or -1 for &&, -2 for || */
} operators[] = {
    {BW_TOK_OR_OR, 1, -2},         {BW_TOK_AND_AND, 2, -1},          {BW_TOK_OR, 3, BW_OR},
    {BW_TOK_XOR, 4, BW_XOR},       {BW_TOK_AND, 5, BW_AND},          {BW_TOK_EQUAL, 6, BW_EQ},
    {BW_TOK_NOT_EQUAL, 6, BW_NE},  {BW_TOK_LESS, 7, BW_LT},          {BW_TOK_GREATER, 7, BW_GT},
    {BW_TOK_LESS_EQUAL, 7, BW_LE}, {BW_TOK_GREATER_EQUAL, 7, BW_GE}, {BW_TOK_SHL, 8, BW_SHL},
    {BW_TOK_SHR, 8, BW_SHR},       {BW_TOK_PLUS, 9, BW_ADD},         {BW_TOK_MINUS, 9, BW_SUB},
    {BW_TOK_STAR, 10, BW_MUL},     {BW_TOK_SLASH, 10, BW_DIV},       {BW_TOK_PERCENT, 10, BW_REM},
};

static int operator_at(const bw_parser *p)
{
    const bw_token *token = bw_peek(p, 0);
    if (!bw_is_sign(token) || (p->no_greater && token->text[0] == '>'))
        return -1;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (bw_token_is(token, operators[i].sign))
            return (int)i;
    return -1;
}

static bw_expr *parse_binary(bw_parser *p, int level)
{
    size_t start = p->at;
    bw_expr *a = parse_unary(p);
    unsigned links = 0;
    for (int i; (i = operator_at(p)) >= 0 && operators[i].level > level;) {
        bw_check_chain(p, &links);
        bw_take(p);
        bw_expr *b = parse_binary(p, operators[i].level);
        bw_span span = bw_span_from(p, start);
        a = operators[i].op >= 0
                ? bw_new_binary(p, (bw_binary)operators[i].op, a, b, span)
                : bw_new_logical(p, operators[i].op == -1 ? BW_EX_AND : BW_EX_OR, a, b, span);
    }
    return a;
}

bw_expr *bw_parse_conditional(bw_parser *p)
{
    size_t start = p->at;
    bw_enter(p);
    bw_expr *e = parse_binary(p, 0);
    if (bw_accept(p, BW_TOK_QUESTION)) {
        bool greater = p->no_greater;
        p->no_greater = false;
        bw_expr *a = bw_parse_expression(p);
        p->no_greater = greater;
        bw_expect_token(p, BW_TOK_COLON, "between the two values of '?'");
        bw_expr *b = bw_parse_assignment(p);
        e = bw_new_conditional(p, e, a, b, bw_span_from(p, start));
    }
    bw_leave(p);
    return e;
}

bw_expr *bw_parse_assignment(bw_parser *p)
{
    static const struct {
        bw_token_kind sign;
        bw_binary op;
    } compound[] = {{BW_TOK_ADD_ASSIGN, BW_ADD}, {BW_TOK_SUB_ASSIGN, BW_SUB},
                    {BW_TOK_MUL_ASSIGN, BW_MUL}, {BW_TOK_DIV_ASSIGN, BW_DIV},
                    {BW_TOK_REM_ASSIGN, BW_REM}, {BW_TOK_AND_ASSIGN, BW_AND},
                    {BW_TOK_OR_ASSIGN, BW_OR},   {BW_TOK_XOR_ASSIGN, BW_XOR},
                    {BW_TOK_SHL_ASSIGN, BW_SHL}, {BW_TOK_SHR_ASSIGN, BW_SHR}};
    size_t start = p->at;
    bw_expr *a = bw_parse_conditional(p);
    if (bw_accept(p, BW_TOK_ASSIGN)) {
        const bw_type *type = a->type;
        bw_enter(p);
        bw_expr *b =
            bw_at(p, BW_TOK_LBRACE) ? bw_parse_initializer(p, &type) : bw_parse_assignment(p);
        bw_leave(p);
        bw_span span = bw_span_from(p, start);
        bw_expr *user = a->type->kind == BW_TY_STRUCT
                            ? p->cxx->apply_operator(p, "operator=", a, b, span)
                            : NULL;
        return user ? user : bw_new_assign(p, a, b, span);
    }
    for (size_t i = 0; i < sizeof compound / sizeof *compound; i++)
        if (bw_accept(p, compound[i].sign)) {
            bw_enter(p);
            bw_expr *b = bw_parse_assignment(p);
            bw_leave(p);
            return bw_new_compound(p, compound[i].op, a, b, bw_span_from(p, start));
        }
    return a;
}

bw_expr *bw_parse_expression(bw_parser *p)
{
    size_t start = p->at;
    bw_expr *a = bw_parse_assignment(p);
    for (unsigned links = 0; bw_accept(p, BW_TOK_COMMA);) {
        bw_check_chain(p, &links);
        bw_expr *b = bw_value(p, bw_parse_assignment(p));
        bw_expr *e = bw_new_expr(p, BW_EX_COMMA, b->type, bw_span_from(p, start));
        e->a = a;
        e->binary.b = b;
        a = e;
    }
    return a;
}

int64_t bw_parse_angled_integer(bw_parser *p, const char *what, int64_t fallback)
{
    bool greater = p->no_greater;
    p->no_greater = true;
    int64_t value = bw_parse_integer(p, what, fallback);
    p->no_greater = greater;
    return value;
}

int64_t bw_parse_integer(bw_parser *p, const char *what, int64_t fallback)
{
    bw_expr *e = bw_parse_conditional(p);
    if (bw_is_error(e))
        return fallback;
    if (bw_is_constant(e) && bw_type_is_integer(e->type))
        return e->integer;
    bw_note(p->diags,
            bw_diagnose(p->diags, BW_MSG_NOT_CONSTANT, p->source, e->span,
                        "%s must be an integer constant", what),
            "use numbers, const or constexpr values, #define and enum names");
    return fallback;
}
