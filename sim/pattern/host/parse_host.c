/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Host code: what stands around a kernel in a .cu file, read as far as its launches need.
 *
 * In a file of kernels, a function that is neither __global__, __device__ nor constexpr runs on the
 * host. Its launches are taken as if they stood at top level. A variable has a value only where
 * every write to it is seen; after a branch or loop that may write it, or where code that is not
 * seen can, it has none, and -D gives it one. Where a branch's condition is not known, both ways
 * are taken, with a warning. A launch whose shape is not known is an error, unless --grid and
 * --block give it.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "host_code.h"

static const bw_token_kind qualifiers[] = {BW_TOK_CONST, BW_TOK_CONSTEXPR, BW_TOK_STATIC};

/* ---- what is known
 * --------------------------------------------------------------------------------
 */

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

/* The note on it says what to do. */
static void unknown_value(bw_parser *p, bw_diagnostic *d)
{
    (void)p;
    (void)d;
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

void bw_host_declare_dim3(bw_parser *p, const bw_token *name, size_t from, size_t to,
                          bw_scope *scope)
{
    bw_symbol *s =
        bw_declare(p, bw_name_of(p, name), BW_SY_DIM3, bw_type_named("dim3", 4), name->span);
    bw_scope *here = p->scope;
    size_t at = p->at;
    s->dims[0] = s->dims[1] = s->dims[2] = 1;
    p->scope = scope;
    p->at = from;
    const bw_token *first = &p->tokens[from];
    if (from < to && (bw_token_is(first, BW_TOK_LPAREN) || bw_token_is(first, BW_TOK_LBRACE)))
        s->unknown = parse_extents(p, s->dims, to, true);
    else if (from < to)
        s->unknown = parse_shape(p, s->dims);
    p->scope = here;
    p->at = at;
    s->is_mutable = true;
    s->escaped = bw_host_knowledge(p)->jumps;
    s->unknown = s->escaped ? name : s->unknown;
}

static void parse_dim3(bw_parser *p)
{
    bool constant = false;
    while (BW_IS_IN(bw_peek(p, 0), qualifiers))
        constant |= !bw_token_is(bw_take(p), BW_TOK_STATIC);
    do {
        bw_take(p); /* dim3, or the comma of: dim3 grid(8), block(32); */
        const bw_token *name = bw_take(p);
        size_t from = p->at + bw_at(p, BW_TOK_ASSIGN), to = bw_host_value_end(p, p->at);
        bw_host_forget(p, from, to);
        bw_host_declare_dim3(p, name, from, to, p->scope);
        bw_lookup(p, name->text, name->len)->is_mutable = !constant;
        p->at = to;
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
    if (!s || s->kind != BW_SY_DIM3 || s->escaped ||
        !bw_token_is(&p->tokens[end], BW_TOK_SEMICOLON))
        return false;
    bw_host_forget(p, p->at + 4, end);
    p->at += 4;
    uint32_t value[3] = {1, 1, 1};
    const bw_token *unknown = parse_extents(p, value, end, false);
    s->dims[axis->text[0] - 'x'] = value[0];
    if (unknown)
        s->unknown = unknown;
    bw_expect_token(p, BW_TOK_SEMICOLON, "after the statement");
    return true;
}

size_t bw_host_after_type(const bw_parser *p)
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

static bool is_arithmetic_name(const bw_specifiers *spec, const bw_token *name)
{
    return bw_is_name(name) && bw_type_is_arithmetic(spec->type);
}

void bw_host_declare(bw_parser *p, const bw_specifiers *spec, const bw_token *name, size_t from,
                     size_t to, bw_scope *scope)
{
    if (!is_arithmetic_name(spec, name))
        return;
    const char *text = bw_name_of(p, name);
    bool given = bw_is_defined(p, text); /* by -D */
    bool constant = spec->is_const || spec->is_constexpr, jumps = bw_host_knowledge(p)->jumps;
    bw_scope *here = p->scope;
    p->scope = scope;
    bool value = from < to && is_known_text(p, from, to) && (constant || !jumps);
    bw_expr *e = NULL;
    if (value) {
        size_t at = p->at;
        p->at = from;
        e = bw_convert(p, bw_parse_assignment(p), spec->type);
        p->at = at;
    } else if (given) {
        e = bw_type_is_float(spec->type) ? bw_new_real(p, spec->type, 0, name->span)
                                         : bw_new_integer(p, spec->type, 0, name->span);
    }
    p->scope = here;
    bool known = e && bw_is_constant(e);
    bw_symbol *s =
        bw_declare(p, text, known ? BW_SY_CONSTANT : BW_SY_UNKNOWN, spec->type, name->span);
    s->value = known && given ? bw_parameter_value(p, text, e) : e;
    s->is_mutable = !given && !constant;
    s->escaped = jumps || (spec->is_static && !constant); /* it keeps what the last call wrote */
    if (s->escaped && s->is_mutable)
        s->kind = BW_SY_UNKNOWN;
}

/* NAME = VALUE, NAME{VALUE} or NAME alone, as tokens [from, to). */
static void host_constant(bw_parser *p, const bw_specifiers *spec, size_t from, size_t to)
{
    const bw_token *name = &p->tokens[from], *sign = name + 1;
    bool brackets = bw_token_is(sign, BW_TOK_LBRACE) || bw_token_is(sign, BW_TOK_LPAREN);
    bool value = to > from + 2 && (brackets || bw_token_is(sign, BW_TOK_ASSIGN));
    bw_host_forget(p, from + 1, to);
    bw_host_declare(p, spec, name, value ? from + 2 : to, to - brackets, p->scope);
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
    if (!s || !s->is_mutable || s->escaped ||
        (s->kind != BW_SY_UNKNOWN && s->kind != BW_SY_CONSTANT) || !s->type ||
        !bw_type_is_arithmetic(s->type) || !is_known_text(p, p->at + 2, end))
        return false;
    bw_host_forget(p, p->at + 2, end);
    p->at += 2;
    bw_expr *e = bw_convert(p, bw_parse_assignment(p), s->type);
    s->kind = bw_is_constant(e) ? BW_SY_CONSTANT : BW_SY_UNKNOWN;
    s->value = e;
    return true;
}

/* TYPE NAME = VALUE, …; False if the statement is no declaration of a known type. */
static bool parse_host_constants(bw_parser *p, size_t end)
{
    size_t from = bw_host_after_type(p);
    if (!from || from >= end)
        return false;
    for (size_t k = from; k < end; k++) /* a pointer, a reference, a function's prototype */
        if (k == from && !bw_is_name(&p->tokens[k]))
            return false;
    bw_specifiers spec = bw_parse_specifiers(p);
    for (size_t at; from < end; from = at + 1) {
        at = bw_host_value_end(p, from);
        host_constant(p, &spec, from, at);
    }
    return true;
}

/* ---- kernels by another name -----------------------------------------------------------------
 */

/* The kernel that tokens [from, to) name: k, &k, k<32>; NULL: they name none. */
static bw_function *named_kernel(bw_parser *p, size_t from, size_t to)
{
    if (bw_token_is(&p->tokens[from], BW_TOK_AND))
        from++;
    const bw_token *name = &p->tokens[from];
    bw_symbol *s = from < to && bw_is_name(name) ? bw_lookup(p, name->text, name->len) : NULL;
    if (!s || s->kind != BW_SY_FUNCTION || !s->function->is_kernel || s->is_mutable)
        return NULL;
    bw_function *f = s->function;
    if (!bw_is_template(f))
        return from + 1 == to ? f : NULL;
    bw_template_value values[BW_MAX_TEMPLATE_PARAMETERS] = {{0}};
    if (!bw_token_is(name + 1, BW_TOK_LESS) || !is_known_text(p, from + 2, to - 1))
        return NULL;
    size_t at = p->at;
    p->at = from + 1;
    bw_parse_template_arguments(p, f->template, values);
    bool whole = p->at == to;
    p->at = at;
    return whole ? bw_instantiate(p, f, values, name->span) : NULL;
}

/* auto NAME = k<32>; void (*NAME)(float *) = &k; False if the statement is another. */
static bool parse_kernel_name(bw_parser *p, size_t start, size_t end)
{
    size_t at = start, sign;
    for (sign = start; sign < end && !bw_token_is(&p->tokens[sign], BW_TOK_ASSIGN); sign++)
        if (bw_token_is(&p->tokens[sign], BW_TOK_LBRACE))
            return false;
    if (sign + 1 >= end)
        return false;
    while (BW_IS_IN(&p->tokens[at], qualifiers))
        at++;
    const bw_token *name = NULL;
    if (bw_token_is(&p->tokens[at], BW_TOK_AUTO)) {
        at += 1 + bw_token_is(&p->tokens[at + 1], BW_TOK_STAR);
        name = at + 1 == sign ? &p->tokens[at] : NULL;
    } else if (bw_token_is(&p->tokens[at], BW_TOK_VOID) &&
               bw_token_is(&p->tokens[at + 1], BW_TOK_LPAREN) &&
               bw_token_is(&p->tokens[at + 2], BW_TOK_STAR) &&
               bw_token_is(&p->tokens[at + 4], BW_TOK_RPAREN)) {
        name = &p->tokens[at + 3];
    }
    bw_function *f = name && bw_is_name(name) ? named_kernel(p, sign + 1, end) : NULL;
    if (!f)
        return false;
    bw_symbol *s = bw_declare(p, bw_name_of(p, name), BW_SY_FUNCTION, &bw_ty_void, name->span);
    s->function = f;
    s->is_mutable = true;
    if (bw_host_knowledge(p)->jumps)
        s->kind = BW_SY_UNKNOWN;
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
        bw_parser named = there; /* a parameter of a template has a type that is not known here */
        while (BW_IS_IN(bw_peek(&named, 0), qualifiers))
            named.at++;
        if (!bw_at_type(&named))
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

static void host_statement(bw_parser *p);

void bw_host_block(bw_parser *p)
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
    bw_host_forget(p, start, end);
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

/* One that does not run. */
static void skip_statement(bw_parser *p)
{
    size_t start = p->at;
    bw_skip_substatement(p);
    bw_host_pass_over(p, start, p->at);
}

/* if (…) around a launch. Where its condition is not known, a way begins with what neither way
 * changes. */
static void host_if(bw_parser *p)
{
    size_t start = p->at;
    int64_t value = 1;
    bw_skip_substatement(p);
    size_t end = p->at;
    p->at = start;
    bw_take(p);
    bw_accept(p, BW_TOK_CONSTEXPR);
    bool known = known_condition(p, &value);
    if (!known)
        bw_host_forget(p, start, end);
    if (value)
        host_statement(p);
    else
        skip_statement(p);
    if (!known)
        bw_host_forget(p, start, end);
    if (bw_accept(p, BW_TOK_ELSE)) {
        if (!known || !value)
            host_statement(p);
        else
            skip_statement(p);
    }
    if (!known)
        bw_host_forget(p, start, end);
}

/* The body of a switch, at "{". With `value`, what stands after its label, or after default if
 * `matched` says that there is no such label; without, all. With `run` false nothing is read.
 * Returns whether the label was found. */
static bool host_cases(bw_parser *p, const int64_t *value, bool run, bool matched)
{
    bool active = !value, found = false, ended = false;
    size_t start = p->at, end = bw_after_brackets(p, p->at);
    bw_take(p);
    while (!bw_at(p, BW_TOK_RBRACE) && bw_peek(p, 0)->kind != BW_TOK_END) {
        bool is_case = bw_at(p, BW_TOK_CASE);
        if (is_case || bw_at(p, BW_TOK_DEFAULT)) {
            bw_take(p);
            bool same =
                is_case ? bw_parse_integer(p, "a case label", 0) == (value ? *value : 0) : !matched;
            bw_expect_token(p, BW_TOK_COLON, "after the label");
            if (!value)
                bw_host_forget(p, start, end); /* any label may have come before */
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
        bw_host_forget(p, start, p->at);
}

/* A loop around a launch runs alike ever again: its launch is predicted once. */
static void host_loop(bw_parser *p)
{
    bool header = !bw_at(p, BW_TOK_DO);
    size_t start = p->at;
    bw_skip_substatement(p);
    size_t end = p->at;
    bw_host_forget(p, start, end); /* another value each time round */
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
    bw_host_forget(p, start, end);
}

/* Keeps the launch's arguments that are variables without a value: they are asked for if something
 * else has to be. */
static void note_unknown_arguments(bw_parser *p, size_t end)
{
    bw_declared *d = bw_host_knowledge(p);
    size_t at = p->at;
    while (at < end && !bw_token_is(&p->tokens[at], BW_TOK_LAUNCH_CLOSE))
        at++;
    for (at += 2; at < end && d->unknown_count < MOST_UNKNOWN; at++) {
        const bw_token *t = &p->tokens[at];
        bool alone = (bw_token_is(t - 1, BW_TOK_LPAREN) || bw_token_is(t - 1, BW_TOK_COMMA)) &&
                     (bw_token_is(t + 1, BW_TOK_RPAREN) || bw_token_is(t + 1, BW_TOK_COMMA));
        const bw_symbol *s = alone && bw_is_name(t) ? bw_lookup(p, t->text, t->len) : NULL;
        bool known = false;
        for (unsigned i = 0; i < d->unknown_count; i++)
            known |=
                d->unknown[i]->len == t->len && memcmp(d->unknown[i]->text, t->text, t->len) == 0;
        if (s && s->kind == BW_SY_UNKNOWN && !known)
            d->unknown[d->unknown_count++] = t;
    }
}

void bw_host_report_arguments(bw_parser *p)
{
    const bw_declared *d = bw_host_knowledge(p);
    for (unsigned i = 0; i < d->unknown_count; i++) {
        const bw_token *t = d->unknown[i];
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_LAUNCH_UNKNOWN, p->source, t->span,
                            "the argument '%.*s' of this launch is not known", (int)t->len,
                            t->text),
                "give the value with -D %.*s=…, if the kernel's accesses depend on it", (int)t->len,
                t->text);
    }
}

/* After a faulty launch the next ones are read still. */
static void guarded_launch(bw_parser *p, size_t end)
{
    jmp_buf here, *outer = p->recover;
    bw_scope *scope = p->scope;
    unsigned depth = p->depth;
    p->recover = &here;
    note_unknown_arguments(p, end);
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

/* try { … } catch (…) { … }: what it writes may have been written or not. */
static void host_try(bw_parser *p)
{
    size_t start = p->at;
    bw_take(p);
    bw_host_block(p);
    bw_host_forget(p, start, p->at);
    while (bw_token_named(bw_peek(p, 0), "catch")) {
        size_t from = p->at;
        bw_take(p);
        bw_skip_bracketed(p);
        bw_skip_bracketed(p);
        bw_host_forget(p, from, p->at);
    }
}

static bool at_try(const bw_parser *p)
{
    return bw_token_named(bw_peek(p, 0), "try") && bw_token_is(bw_peek(p, 1), BW_TOK_LBRACE);
}

/* A statement without launches, tokens [start, end). */
static void host_plain(bw_parser *p, size_t start, size_t end)
{
    if (!parse_host_axis(p) && !parse_host_assignment(p) && !parse_kernel_name(p, start, end - 1) &&
        !parse_host_constants(p, end - 1))
        bw_host_forget(p, start, end);
    p->at = end;
}

/* The launch whose "<<<" is token `open`, as it is written. */
static const char *launch_text(bw_parser *p, size_t open, size_t end)
{
    size_t from = open - 1, to = open;
    if (bw_token_is(&p->tokens[from], BW_TOK_GREATER)) {
        while (from > 0 && !bw_token_is(&p->tokens[from], BW_TOK_LESS))
            from--;
        from--;
    }
    while (to < end && !bw_token_is(&p->tokens[to], BW_TOK_LAUNCH_CLOSE))
        to++;
    to = to + 1 < end ? bw_after_brackets(p, to + 1) : end;
    const char *text = "";
    for (size_t at = from; at < to; at++)
        text = bw_arena_format(p->arena, "%s%s%.*s", text,
                               p->tokens[at].spaced && at > from ? " " : "", (int)p->tokens[at].len,
                               p->tokens[at].text);
    return text;
}

/* A larger statement that has launches: a call that can be followed, or an error. */
static void host_larger(bw_parser *p, size_t start, size_t end)
{
    size_t open = start;
    while (open < end && !bw_token_is(&p->tokens[open], BW_TOK_LAUNCH_OPEN))
        open++;
    if (open == end) {
        if (!bw_host_follow(p, start, end))
            host_plain(p, start, end);
        p->at = end;
        return;
    }
    p->at = start;
    bw_note(p->diags,
            bw_diagnose(p->diags, BW_MSG_LAUNCH_PLACE, p->source, p->tokens[start].span,
                        "a launch within a larger statement of host code"),
            "write it as a line of its own, at the end of the file, or give it as an option: "
            "--launch '%s'",
            launch_text(p, open, end));
    bw_host_forget(p, start, end);
    p->at = end;
}

static void host_statement(bw_parser *p)
{
    size_t start = p->at;
    bw_enter(p);
    if (at_try(p)) {
        host_try(p);
        bw_leave(p);
        return;
    }
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
    } else if (!bw_host_launches(p, start, end)) {
        host_plain(p, start, end);
    } else if (bw_at(p, BW_TOK_LBRACE)) {
        bw_host_block(p);
    } else if (bw_at(p, BW_TOK_IF)) {
        host_if(p);
    } else if (bw_at(p, BW_TOK_SWITCH)) {
        host_switch(p);
    } else if (bw_at(p, BW_TOK_FOR) || bw_at(p, BW_TOK_WHILE) || bw_at(p, BW_TOK_DO)) {
        host_loop(p);
    } else if (bw_at_launch(p)) {
        guarded_launch(p, end);
        bw_host_forget(p, start, end);
    } else {
        host_larger(p, start, end);
    }
    bw_leave(p);
}

const bw_host_hooks bw_host_room = {
    .function = bw_host_add_function,
    .function_template = bw_host_add_template,
    .finish = bw_host_finish,
    .dim3 = parse_dim3,
    .dim3_member = parse_dim3_member,
    .shape = launch_shape,
    .unknown_bytes = unknown_bytes,
    .unknown_value = unknown_value,
    .is_unknown = is_unknown,
    .deduce = deduce_launch,
};
