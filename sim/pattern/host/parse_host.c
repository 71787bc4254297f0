/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Host code: what stands around a kernel in a .cu file, read as far as its launches need.
 *
 * In a file of kernels, a function that is neither __global__, __device__ nor constexpr runs on the
 * host. Its launches are taken as if they stood at top level; declarations of constants and of dim3
 * before them are read, with -D for those that have no value here; everything else is passed over
 * unread (a name that it changes is forgotten). After a branch whose condition is not known, both
 * ways are taken, with a warning. A launch whose shape is not known is an error,
 * unless --grid and --block give it.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "hooks.h"
#include "index.h"
#include "launches.h"
#include "nodes.h"

static const bw_token_kind qualifiers[] = {BW_TOK_CONST, BW_TOK_CONSTEXPR, BW_TOK_STATIC};

/* ---- what is passed over -----------------------------------------------------------------------
 */

/* Where names stand that may be declared as functions: each with "(" after it and a type before. */
struct bw_declared {
    uint32_t *at; /* token indices */
    uint32_t count;
    bw_index names;
};

static bool may_declare(const bw_token *t)
{
    const bw_token *before = t - 1;
    return bw_is_name(t) && bw_token_is(t + 1, BW_TOK_LPAREN) &&
           (bw_is_name(before) || bw_token_is(before, BW_TOK_STAR) ||
            bw_token_is(before, BW_TOK_AND) || bw_token_is(before, BW_TOK_GREATER));
}

/* Of the whole file, found once. */
static const bw_declared *declared_functions(bw_parser *p)
{
    if (p->declared)
        return p->declared;
    bw_declared *d = p->declared = bw_arena_alloc(p->arena, sizeof *d);
    uint32_t count = 0;
    for (size_t at = 1; at + 1 < p->count; at++)
        count += may_declare(&p->tokens[at]);
    d->at = bw_arena_alloc(p->arena, (count + 1) * sizeof *d->at);
    for (size_t at = 1; at + 1 < p->count; at++) {
        const bw_token *t = &p->tokens[at];
        if (!may_declare(t))
            continue;
        bw_index_add(p->arena, &d->names, bw_hash_text(t->text, t->len), d->count);
        d->at[d->count++] = (uint32_t)at;
    }
    return d;
}

/* Whether parameter `index` of the function whose name is token `at` is a reference to what it may
 * change. */
static bool is_reference(const bw_parser *p, size_t at, int index)
{
    int depth = 0, parameter = 0;
    bool reference = false, constant = false;
    for (at++; at < p->count; at++) {
        const bw_token *t = &p->tokens[at];
        depth += bw_token_is(t, BW_TOK_LPAREN) - bw_token_is(t, BW_TOK_RPAREN);
        if (depth == 0 || (depth == 1 && bw_token_is(t, BW_TOK_COMMA) && parameter++ == index))
            break;
        reference |= parameter == index && bw_token_is(t, BW_TOK_AND);
        constant |= parameter == index && bw_token_is(t, BW_TOK_CONST);
    }
    return reference && !constant;
}

/* Whether the function that tokens [call], "(" … call takes its argument `index` by reference, as
 * far as this file shows it; functions of other files are taken to leave their arguments alone. */
static bool takes_reference(bw_parser *p, size_t call, int index)
{
    const bw_token *name = &p->tokens[call];
    const bw_declared *d = declared_functions(p);
    size_t probe = 0;
    uint32_t hash = bw_hash_text(name->text, name->len);
    for (uint32_t row; (row = bw_index_next(&d->names, hash, &probe)) != BW_NO_ROW;) {
        const bw_token *t = &p->tokens[d->at[row]];
        if (d->at[row] != call && t->len == name->len && memcmp(t->text, name->text, t->len) == 0 &&
            is_reference(p, d->at[row], index))
            return true;
    }
    return false;
}

/* The host variable at token `at` may have another value after its statement than before. */
static bool is_changed(bw_parser *p, size_t at)
{
    static const bw_token_kind changes[] = {BW_TOK_ASSIGN,     BW_TOK_ADD_ASSIGN, BW_TOK_SUB_ASSIGN,
                                            BW_TOK_MUL_ASSIGN, BW_TOK_DIV_ASSIGN, BW_TOK_REM_ASSIGN,
                                            BW_TOK_AND_ASSIGN, BW_TOK_OR_ASSIGN,  BW_TOK_XOR_ASSIGN,
                                            BW_TOK_SHL_ASSIGN, BW_TOK_SHR_ASSIGN, BW_TOK_INCREMENT,
                                            BW_TOK_DECREMENT};
    const bw_token *before = &p->tokens[at] - 1, *after = &p->tokens[at] + 1;
    if (bw_token_is(after, BW_TOK_DOT))
        after += 2;
    bool address = bw_token_is(before, BW_TOK_AND) && (bw_token_is(before - 1, BW_TOK_LPAREN) ||
                                                       bw_token_is(before - 1, BW_TOK_COMMA));
    bool read = bw_token_is(before, BW_TOK_SHR); /* std::cin >> n */
    if (BW_IS_IN(after, changes) || bw_token_is(before, BW_TOK_INCREMENT) ||
        bw_token_is(before, BW_TOK_DECREMENT) || address || read)
        return true;
    bool alone = (bw_token_is(before, BW_TOK_LPAREN) || bw_token_is(before, BW_TOK_COMMA)) &&
                 (bw_token_is(after, BW_TOK_RPAREN) || bw_token_is(after, BW_TOK_COMMA));
    int depth = 0, index = 0;
    for (size_t k = at; alone && k-- > 0;) { /* f(a, NAME): which argument of which function? */
        const bw_token *t = &p->tokens[k];
        if (bw_token_is(t, BW_TOK_SEMICOLON) || bw_token_is(t, BW_TOK_LBRACE) ||
            bw_token_is(t, BW_TOK_RBRACE))
            return false;
        if (bw_token_is(t, BW_TOK_LPAREN) && depth == 0)
            return k > 0 && bw_is_name(&p->tokens[k - 1]) && takes_reference(p, k - 1, index);
        depth += bw_token_is(t, BW_TOK_RPAREN) - bw_token_is(t, BW_TOK_LPAREN);
        index += depth == 0 && bw_token_is(t, BW_TOK_COMMA);
    }
    return false;
}

/* Host code that may change a constant or a dim3: it is not known any longer. */
static void forget_changed(bw_parser *p, size_t from, size_t to)
{
    for (size_t at = from > 2 ? from : 2; at < to; at++) {
        const bw_token *t = &p->tokens[at];
        if (!bw_is_name(t) || bw_token_is(t - 1, BW_TOK_DOT))
            continue;
        bw_symbol *s = bw_lookup(p, t->text, t->len);
        bool number = s && s->kind == BW_SY_CONSTANT && !s->is_const;
        bool shape = s && s->kind == BW_SY_DIM3;
        if ((number || shape) && is_changed(p, at)) {
            s->kind = number ? BW_SY_UNKNOWN : s->kind;
            if (shape)
                s->unknown = t;
        }
    }
}

/* Whether the name at token `at` has a value that is known, or is a part of one: std::, Tile<4>. */
static bool is_known_name(const bw_parser *p, size_t at)
{
    const bw_token *t = &p->tokens[at];
    const bw_symbol *s = bw_lookup(p, t->text, t->len);
    bw_parser there = *p;
    there.at = at;
    if (bw_token_is(t + 1, BW_TOK_SCOPE) && (!s || s->kind == BW_SY_TYPE))
        return true;
    if (at > 1 &&
        bw_token_is(t - 1, BW_TOK_SCOPE)) { /* a struct's own: looked up when it is read */
        const bw_symbol *of = bw_lookup(p, (t - 2)->text, (t - 2)->len);
        if (bw_token_is(t - 2, BW_TOK_GREATER) || (of && of->kind == BW_SY_TYPE))
            return true;
    }
    return s ? s->kind == BW_SY_CONSTANT || s->kind == BW_SY_DIM3 || s->kind == BW_SY_TYPE ||
                   s->kind == BW_SY_FUNCTION || s->kind == BW_SY_TEMPLATE
             : bw_at_type(&there);
}

/* In an expression of host code, tokens [from, to): the first that is neither number, operator nor
 * a name whose value is known; NULL where there is none. */
static const bw_token *host_unknown(const bw_parser *p, size_t from, size_t to)
{
    static const bw_token_kind words[] = {BW_TOK_SIZEOF, BW_TOK_TRUE, BW_TOK_FALSE, BW_TOK_MIN,
                                          BW_TOK_MAX,    BW_TOK_X,    BW_TOK_Y,     BW_TOK_Z};
    for (size_t at = from; at < to; at++) {
        const bw_token *t = &p->tokens[at];
        if (t->kind == BW_TOK_NUMBER || t->kind == BW_TOK_CHARACTER || BW_IS_IN(t, words))
            continue;
        if (bw_is_sign(t)) {
            if (bw_token_is(t, BW_TOK_LBRACE) || bw_token_is(t, BW_TOK_LBRACKET) ||
                bw_token_is(t, BW_TOK_ARROW))
                return t;
            continue;
        }
        const bw_symbol *s = bw_lookup(p, t->text, t->len);
        if (s && s->kind == BW_SY_DIM3 && s->unknown)
            return s->unknown;
        if (!bw_is_name(t) || !is_known_name(p, at))
            return t;
    }
    return NULL;
}

static bool is_known_text(const bw_parser *p, size_t from, size_t to)
{
    return !host_unknown(p, from, to);
}

/* ---- launches
 * ------------------------------------------------------------------------------------ */

/* Whether `token` names a number of host code that has no value but one that -D could give. */
static bool is_variable(const bw_parser *p, const bw_token *token)
{
    const bw_symbol *s = bw_lookup(p, token->text, token->len);
    return bw_is_name(token) && (!s || s->kind == BW_SY_UNKNOWN) &&
           !bw_token_is(token + 1, BW_TOK_LPAREN) && !bw_token_is(token + 1, BW_TOK_DOT) &&
           !bw_token_is(token + 1, BW_TOK_ARROW) && !bw_token_is(token + 1, BW_TOK_LBRACKET) &&
           !bw_token_is(token + 1, BW_TOK_SCOPE);
}

/* As bw_parse_extents, to token `end`. Returns the token whose value is not known here (then `dims`
 * are not to be used), or NULL. */
static const bw_token *parse_extents(bw_parser *p, uint32_t dims[3], size_t end, bool bracketed)
{
    const bw_token *unknown = host_unknown(p, p->at + bracketed, end - bracketed);
    if (unknown)
        p->at = end;
    else
        bw_parse_extents(p, dims, bracketed);
    return unknown;
}

/* A grid or a block: a number, dim3(…), {…} or the name of a dim3; to the comma, bracket or ">>>"
 * after it. Returns as parse_extents. */
static const bw_token *parse_shape(bw_parser *p, uint32_t dims[3])
{
    size_t end = bw_host_value_end(p, p->at);
    const bw_token *first = bw_peek(p, 0);
    const bw_symbol *s = bw_is_name(first) ? bw_lookup(p, first->text, first->len) : NULL;
    if (s && s->kind == BW_SY_DIM3 && p->at + 1 == end) {
        memcpy(dims, s->dims, sizeof s->dims);
        bw_take(p);
        return s->unknown;
    }
    bool named = bw_accept(p, BW_TOK_DIM3);
    if (named && !bw_at(p, BW_TOK_LBRACE) && !bw_at(p, BW_TOK_LPAREN))
        bw_expect_token(p, BW_TOK_LPAREN, "after dim3");
    return parse_extents(p, dims, end, named || bw_at(p, BW_TOK_LBRACE));
}

static bw_diagnostic *report_unknown(bw_parser *p, const char *what, size_t start,
                                     const bw_token *unknown)
{
    return bw_diagnose(p->diags, BW_MSG_LAUNCH_UNKNOWN, p->source, bw_span_from(p, start),
                       "the %s of this launch is not known: it depends on '%.*s'", what,
                       (int)unknown->len, unknown->text);
}

static bool launch_shape(bw_parser *p, uint32_t dims[3], bool grid)
{
    size_t start = p->at;
    const bw_token *unknown = parse_shape(p, dims);
    if (!unknown)
        return true;
    dims[0] = dims[1] = dims[2] = 1;
    bw_diagnostic *d = report_unknown(p, grid ? "grid" : "block", start, unknown);
    const char *option = grid ? "--grid 4x4" : "--block 32x8";
    if (is_variable(p, unknown))
        bw_note(p->diags, d, "give it with %s, or the value with -D %.*s=…", option,
                (int)unknown->len, unknown->text);
    else
        bw_note(p->diags, d, "give it with %s", option);
    return true;
}

static bool unknown_bytes(bw_parser *p)
{
    size_t start = p->at, end = bw_host_value_end(p, start);
    const bw_token *unknown = host_unknown(p, start, end);
    if (!unknown)
        return false;
    p->at = end;
    bw_diagnostic *d = report_unknown(p, "dynamic shared memory", start, unknown);
    if (is_variable(p, unknown))
        bw_note(p->diags, d, "give the value with -D %.*s=…", (int)unknown->len, unknown->text);
    else
        bw_note(p->diags, d, "write the number of bytes");
    return true;
}

static bool is_unknown(const bw_parser *p, size_t from, size_t to)
{
    return host_unknown(p, from, to);
}

/* ---- declarations
 * --------------------------------------------------------------------------------- */

/* block.x of a dim3 of the host, after its name. */
static bw_expr *parse_dim3_member(bw_parser *p, const bw_symbol *s, const bw_token *token)
{
    bw_expect_token(p, BW_TOK_DOT, "after a dim3");
    const bw_token *member = bw_take(p);
    int axis = member->len == 1 ? member->text[0] - 'x' : 3;
    if (axis < 0 || axis > 2)
        bw_syntax_error(p, BW_MSG_UNKNOWN_MEMBER, "write .x, .y or .z",
                        "a dim3 has no such member");
    if (s->unknown)
        bw_syntax_error(p, BW_MSG_LAUNCH_UNKNOWN, "write the number",
                        "'%.*s' has no value that is known here", (int)token->len, token->text);
    return bw_new_integer(p, &bw_ty_uint, s->dims[axis], token->span);
}

static void parse_dim3(bw_parser *p)
{
    while (BW_IS_IN(bw_peek(p, 0), qualifiers))
        bw_take(p);
    do {
        bw_take(p); /* dim3, or the comma of: dim3 grid(8), block(32); */
        const bw_token *name = bw_take(p);
        bw_symbol *s =
            bw_declare(p, bw_name_of(p, name), BW_SY_DIM3, bw_type_named("dim3", 4), name->span);
        s->dims[0] = s->dims[1] = s->dims[2] = 1;
        if (bw_accept(p, BW_TOK_ASSIGN))
            s->unknown = parse_shape(p, s->dims);
        else if (bw_at(p, BW_TOK_LPAREN) || bw_at(p, BW_TOK_LBRACE))
            s->unknown = parse_extents(p, s->dims, bw_host_value_end(p, p->at), true);
    } while (bw_at(p, BW_TOK_COMMA) && bw_is_name(bw_peek(p, 1)));
    bw_expect_token(p, BW_TOK_SEMICOLON, "after the declaration");
}

/* block.x = 32; False if the statement is another. */
static bool parse_host_axis(bw_parser *p)
{
    const bw_token *name = bw_peek(p, 0), *axis = bw_peek(p, 2);
    if (!bw_is_name(name) || !bw_token_is(name + 1, BW_TOK_DOT) ||
        !bw_token_is(name + 3, BW_TOK_ASSIGN) || axis->len != 1 || axis->text[0] < 'x' ||
        axis->text[0] > 'z')
        return false;
    bw_symbol *s = bw_lookup(p, name->text, name->len);
    size_t end = bw_host_value_end(p, p->at);
    if (!s || s->kind != BW_SY_DIM3 || !bw_token_is(&p->tokens[end], BW_TOK_SEMICOLON))
        return false;
    p->at += 4;
    uint32_t value[3] = {1, 1, 1};
    const bw_token *unknown = parse_extents(p, value, end, false);
    s->dims[axis->text[0] - 'x'] = value[0];
    if (unknown)
        s->unknown = unknown;
    bw_expect_token(p, BW_TOK_SEMICOLON, "after the statement");
    return true;
}

/* Where the list of names of a declaration begins; 0 if no known type begins it. */
static size_t after_type(const bw_parser *p)
{
    static const bw_token_kind unfit[] = {BW_TOK_STRUCT, BW_TOK_UNION, BW_TOK_ENUM, BW_TOK_AUTO,
                                          BW_TOK_VOID};
    bw_parser there = *p;
    bool type = false;
    for (;; there.at++) {
        const bw_token *t = bw_peek(&there, 0);
        if (BW_IS_IN(t, unfit))
            return 0;
        while (bw_token_is(bw_peek(&there, 1), BW_TOK_SCOPE))
            there.at += 2;
        if (bw_token_is(bw_peek(&there, 1), BW_TOK_LESS)) /* std::vector<…> */
            return 0;
        if (!bw_at_type(&there) && !bw_at(&there, BW_TOK_CONSTEXPR) &&
            !bw_at(&there, BW_TOK_STATIC))
            break;
        type |= !bw_at(&there, BW_TOK_CONST);
    }
    return type ? there.at : 0;
}

/* NAME = VALUE, or NAME alone, as tokens [from, to): declared, with its value where that is known.
 */
static void host_constant(bw_parser *p, const bw_specifiers *spec, size_t from, size_t to)
{
    const bw_token *name = &p->tokens[from];
    if (!bw_is_name(name) || !bw_type_is_arithmetic(spec->type))
        return;
    const char *text = bw_name_of(p, name);
    bool given = bw_is_defined(p, text); /* by -D */
    bool value =
        to > from + 2 && bw_token_is(name + 1, BW_TOK_ASSIGN) && is_known_text(p, from + 2, to);
    bw_expr *e = NULL;
    if (value) {
        p->at = from + 2;
        e = bw_convert(p, bw_parse_assignment(p), spec->type);
    } else if (given) {
        e = bw_type_is_float(spec->type) ? bw_new_real(p, spec->type, 0, name->span)
                                         : bw_new_integer(p, spec->type, 0, name->span);
    }
    bool known = e && bw_is_constant(e);
    bw_symbol *s =
        bw_declare(p, text, known ? BW_SY_CONSTANT : BW_SY_UNKNOWN, spec->type, name->span);
    s->value = known && given ? bw_parameter_value(p, text, e) : e;
    s->is_const = given || spec->is_const || spec->is_constexpr;
}

/* NAME = VALUE; of a variable declared before. False if the statement is another. */
static bool parse_host_assignment(bw_parser *p)
{
    const bw_token *name = bw_peek(p, 0);
    size_t end = bw_host_value_end(p, p->at);
    if (!bw_is_name(name) || !bw_token_is(name + 1, BW_TOK_ASSIGN) ||
        !bw_token_is(&p->tokens[end], BW_TOK_SEMICOLON))
        return false;
    bw_symbol *s = bw_lookup(p, name->text, name->len);
    if (!s || s->is_const || (s->kind != BW_SY_UNKNOWN && s->kind != BW_SY_CONSTANT) ||
        !is_known_text(p, p->at + 2, end))
        return false;
    p->at += 2;
    bw_expr *e = bw_convert(p, bw_parse_assignment(p), s->type);
    s->kind = bw_is_constant(e) ? BW_SY_CONSTANT : BW_SY_UNKNOWN;
    s->value = e;
    return true;
}

/* TYPE NAME = VALUE, …; False if the statement is no declaration of a known type. */
static bool parse_host_constants(bw_parser *p, size_t end)
{
    size_t from = after_type(p);
    if (!from || from >= end)
        return false;
    bw_specifiers spec = bw_parse_specifiers(p);
    for (size_t at; from < end; from = at + 1) {
        at = bw_host_value_end(p, from);
        host_constant(p, &spec, from, at);
    }
    return true;
}

/* ---- types of a launch's arguments ------------------------------------------------------------
 */

/* The type of a pointer that host code declares before here as TYPE *NAME, or NULL. */
static const bw_type *declared_pointer(const bw_parser *p, const bw_token *name)
{
    static const bw_token_kind ends[] = {BW_TOK_SEMICOLON, BW_TOK_LBRACE, BW_TOK_RBRACE,
                                         BW_TOK_LPAREN};
    for (size_t at = p->at; at-- > 1;) {
        const bw_token *t = &p->tokens[at];
        if (!bw_is_name(t) || t->len != name->len || memcmp(t->text, name->text, name->len) != 0 ||
            !bw_token_is(t - 1, BW_TOK_STAR))
            continue;
        bw_parser there = *p;
        for (there.at = at; there.at > 0 && !BW_IS_IN(&p->tokens[there.at - 1], ends); there.at--)
            if (bw_token_is(&p->tokens[there.at - 1], BW_TOK_COMMA) && bw_at_type(&there))
                break;
        if (!bw_at_type(&there))
            continue;
        const bw_type *type = bw_parse_specifiers(&there).type;
        for (size_t star = at; star-- > there.at && bw_token_is(&p->tokens[star], BW_TOK_STAR);)
            type = bw_type_pointer(p->arena, type);
        return type;
    }
    return NULL;
}

static const bw_type *argument_type(const bw_parser *p, size_t from, size_t to)
{
    const bw_token *first = &p->tokens[from];
    bool name = to == from + 1 && bw_is_name(first);
    const bw_symbol *s = name ? bw_lookup(p, first->text, first->len) : NULL;
    if (name && !s)
        return declared_pointer(p, first);
    if (s && (s->kind == BW_SY_UNKNOWN || s->kind == BW_SY_CONSTANT))
        return s->type; /* that is known though its value may not be */
    if (s && s->kind == BW_SY_VARIABLE)
        return s->type->kind == BW_TY_ARRAY ? bw_type_pointer(p->arena, s->type->elem) : s->type;
    bw_parser there = *p;
    there.at = from;
    if (bw_at(&there, BW_TOK_LPAREN)) { /* (float *)pointer */
        there.at++;
        if (bw_at_type(&there))
            return bw_parse_type_name(&there);
        there.at--;
    }
    return from < to && is_known_text(p, from, to) ? bw_parse_assignment(&there)->type : NULL;
}

static void deduce_launch(bw_parser *p, const bw_function *kernel, bw_template_value *values,
                          bw_span span)
{
    bw_expr *args[64];
    size_t count = 0, end = bw_after_brackets(p, p->at) - 1;
    for (size_t from = p->at + 1, at; from < end && count < sizeof args / sizeof *args;
         from = at + 1) {
        at = bw_host_value_end(p, from);
        const bw_type *type = from < at ? argument_type(p, from, at) : NULL;
        args[count++] = bw_new_expr(p, BW_EX_CONST, type ? type : &bw_ty_error, p->tokens[at].span);
    }
    p->cxx->deduce(p, kernel, args, count, values, span);
}

/* ---- statements --------------------------------------------------------------------------------
 */

static bool has_launch(const bw_parser *p, size_t from, size_t to)
{
    for (size_t at = from; at < to; at++)
        if (bw_token_is(&p->tokens[at], BW_TOK_LAUNCH_OPEN))
            return true;
    return false;
}

static void host_statement(bw_parser *p);

static void host_block(bw_parser *p)
{
    bw_take(p);
    bw_push_scope(p);
    while (!bw_at(p, BW_TOK_RBRACE) && bw_peek(p, 0)->kind != BW_TOK_END)
        host_statement(p);
    bw_pop_scope(p);
    bw_expect_token(p, BW_TOK_RBRACE, "at the end of the block");
}

/* The condition of a branch around a launch, in brackets: its value, or
 * false with a warning. */
static bool known_condition(bw_parser *p, int64_t *value)
{
    size_t start = p->at, end = bw_after_brackets(p, p->at);
    const bw_token *unknown = host_unknown(p, start, end);
    if (unknown) {
        p->at = end;
        bw_diagnostic *d = bw_diagnose(
            p->diags, BW_MSG_HOST_BRANCH, p->source, bw_span_from(p, start),
            "'%.*s' is not known here: each launch is predicted, whichever way this goes",
            (int)unknown->len, unknown->text);
        if (is_variable(p, unknown))
            bw_note(p->diags, d, "give the value with -D %.*s=…", (int)unknown->len, unknown->text);
        else
            bw_note(p->diags, d, "delete the launches that are not meant");
        return false;
    }
    *value = bw_parse_integer(p, "a condition", 0);
    p->at = end;
    return true;
}

/* if (…) around a launch. */
static void host_if(bw_parser *p)
{
    size_t start = p->at;
    int64_t value = 1;
    bw_take(p);
    bw_accept(p, BW_TOK_CONSTEXPR);
    bool known = known_condition(p, &value);
    if (value)
        host_statement(p);
    else
        bw_skip_substatement(p);
    if (bw_accept(p, BW_TOK_ELSE)) {
        if (!known || !value)
            host_statement(p);
        else
            bw_skip_substatement(p);
    }
    if (!known)
        forget_changed(p, start, p->at);
}

/* The body of a switch, at "{". With `value`, what stands after its label, or after default if
 * `matched` says that there is no such label; without, all. With `run` false nothing is read.
 * Returns whether the label was found. */
static bool host_cases(bw_parser *p, const int64_t *value, bool run, bool matched)
{
    bool active = !value, found = false, ended = false;
    bw_take(p);
    while (!bw_at(p, BW_TOK_RBRACE) && bw_peek(p, 0)->kind != BW_TOK_END) {
        bool is_case = bw_at(p, BW_TOK_CASE);
        if (is_case || bw_at(p, BW_TOK_DEFAULT)) {
            bw_take(p);
            bool same =
                is_case ? bw_parse_integer(p, "a case label", 0) == (value ? *value : 0) : !matched;
            bw_expect_token(p, BW_TOK_COLON, "after the label");
            found |= is_case && same;
            active |= same && !ended;
        } else if (bw_at(p, BW_TOK_BREAK) && value) {
            ended |= active;
            active = false;
            bw_skip_substatement(p);
        } else if (active && run) {
            host_statement(p);
        } else {
            bw_skip_substatement(p);
        }
    }
    bw_expect_token(p, BW_TOK_RBRACE, "at the end of the switch");
    return found;
}

/* switch (…) around launches, as where a template takes the size of the block. */
static void host_switch(bw_parser *p)
{
    size_t start = p->at;
    int64_t number = 0;
    bw_take(p);
    bool known = known_condition(p, &number);
    size_t body = p->at;
    bw_push_scope(p);
    bool matched = host_cases(p, &number, false, false);
    p->at = body;
    host_cases(p, known ? &number : NULL, true, matched);
    bw_pop_scope(p);
    if (!known)
        forget_changed(p, start, p->at);
}

/* A loop around a launch runs alike ever again: its launch is predicted once. */
static void host_loop(bw_parser *p)
{
    bool header = !bw_at(p, BW_TOK_DO);
    size_t start = p->at;
    bw_skip_substatement(p);
    forget_changed(p, start, p->at); /* another value each time round */
    p->at = start;
    bw_take(p);
    if (header)
        p->at = bw_after_brackets(p, p->at);
    host_statement(p);
    if (!header) {
        bw_expect_token(p, BW_TOK_WHILE, "after the body of do");
        p->at = bw_after_brackets(p, p->at);
        bw_expect_token(p, BW_TOK_SEMICOLON, "after do … while");
    }
}

/* After a faulty launch the next ones are read still. */
static void guarded_launch(bw_parser *p, size_t end)
{
    jmp_buf here, *outer = p->recover;
    bw_scope *scope = p->scope;
    unsigned depth = p->depth;
    p->recover = &here;
    if (setjmp(here) == 0) {
        bw_parse_launch(p);
    } else {
        p->scope = scope;
        p->function = NULL;
        p->depth = depth;
        p->at = end;
    }
    p->recover = outer;
}

static void host_statement(bw_parser *p)
{
    size_t start = p->at;
    bw_enter(p);
    bw_skip_substatement(p);
    size_t end = p->at;
    p->at = start;
    bw_parser named = *p;
    named.at += bw_at(p, BW_TOK_TYPEDEF) ? 1 : 3;
    bool names_type = bw_at(p, BW_TOK_TYPEDEF) ||
                      (bw_at(p, BW_TOK_USING) && bw_token_is(bw_peek(p, 2), BW_TOK_ASSIGN));
    if (names_type && bw_at_type(&named)) { /* using Config = Tile<64>; */
        bw_parse_declaration_statement(p);
    } else if (bw_at_host_dim3(p)) {
        parse_dim3(p);
    } else if (!has_launch(p, start, end)) {
        if (!parse_host_axis(p) && !parse_host_assignment(p) && !parse_host_constants(p, end - 1))
            forget_changed(p, start, end);
        p->at = end;
    } else if (bw_at(p, BW_TOK_LBRACE)) {
        host_block(p);
    } else if (bw_at(p, BW_TOK_IF)) {
        host_if(p);
    } else if (bw_at(p, BW_TOK_SWITCH)) {
        host_switch(p);
    } else if (bw_at(p, BW_TOK_FOR) || bw_at(p, BW_TOK_WHILE) || bw_at(p, BW_TOK_DO)) {
        host_loop(p);
    } else if (bw_at_launch(p)) {
        guarded_launch(p, end);
    } else {
        bw_syntax_error(p, BW_MSG_LAUNCH_PLACE,
                        "write the launch as a line of its own, at the end of the file",
                        "a launch within a larger statement of host code");
    }
    bw_leave(p);
}

/* (int n, float *data): those that -D gives a value. */
static void host_parameters(bw_parser *p)
{
    do { /* after "(" or a comma */
        bw_take(p);
        size_t end = bw_host_value_end(p, p->at), name = after_type(p);
        if (name && name < end) {
            bw_specifiers spec = bw_parse_specifiers(p);
            host_constant(p, &spec, name, name + 1);
        }
        p->at = end;
    } while (bw_at(p, BW_TOK_COMMA));
}

static void parse_function(bw_parser *p)
{
    while (!bw_at(p, BW_TOK_LPAREN))
        bw_take(p);
    size_t end = bw_after_brackets(p, p->at);
    bw_push_scope(p);
    host_parameters(p);
    p->at = end;
    while (!bw_at(p, BW_TOK_LBRACE))
        bw_take(p);
    host_block(p);
    bw_pop_scope(p);
}

/* Launches of a template of host code are not known before it is called. */
static void skip_function(bw_parser *p)
{
    while (!bw_at(p, BW_TOK_LBRACE))
        bw_take(p);
    bw_skip_braces(p);
}

const bw_host_hooks bw_host_room = {
    .function = parse_function,
    .function_template = skip_function,
    .dim3 = parse_dim3,
    .dim3_member = parse_dim3_member,
    .shape = launch_shape,
    .unknown_bytes = unknown_bytes,
    .is_unknown = is_unknown,
    .deduce = deduce_launch,
};
