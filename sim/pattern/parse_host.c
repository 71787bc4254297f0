/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Host code: what stands around a kernel in a .cu file, read as far as its launches need.
 *
 * In a file of kernels, a function that is neither __global__, __device__ nor constexpr runs on the
 * host. Its launches are taken as if they stood at top level; declarations of constants and of dim3
 * before them are read; everything else is passed over unread (a name that it changes is
 * forgotten).
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "parse.h"

static bool is_one_of(const bw_token *token, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bw_token_is(token, words[i]))
            return true;
    return false;
}
#define ONE_OF(token, words) is_one_of(token, words, sizeof(words) / sizeof *(words))

/* Behind the bracket that opens at token `at`: the token after the one that closes it. */
static size_t behind_brackets(const bw_parser *p, size_t at)
{
    int depth = 0;
    for (; at < p->count && p->tokens[at].kind != BW_TOK_END; at++) {
        const bw_token *t = &p->tokens[at];
        depth += bw_token_is(t, "(") || bw_token_is(t, "{") || bw_token_is(t, "[");
        depth -= bw_token_is(t, ")") || bw_token_is(t, "}") || bw_token_is(t, "]");
        if (depth == 0)
            return at + 1;
    }
    return at;
}

bool bw_at_host_function(const bw_parser *p)
{
    static const char *const device[] = {"__global__", "__device__", "constexpr", "template",
                                         "struct",     "union",      "enum",      "class",
                                         "typedef",    "using",      "namespace", "asm"};
    static const char *const behind[] = {"const", "noexcept", "override", "final"};
    if (!p->kernel_form)
        return false;
    for (size_t at = p->at; at < p->count; at++) {
        const bw_token *t = &p->tokens[at];
        bool name = t->kind == BW_TOK_NAME;
        if (bw_token_is(t, "(") && at > p->at && p->tokens[at - 1].kind == BW_TOK_NAME) {
            at = behind_brackets(p, at);
            if (bw_token_is(&p->tokens[at < p->count ? at : p->count - 1], "(")) /* attributes */
                return false;
            while (at < p->count && ONE_OF(&p->tokens[at], behind))
                at++;
            return at < p->count && bw_token_is(&p->tokens[at], "{");
        }
        if (ONE_OF(t, device) ||
            !(name || bw_token_is(t, "*") || bw_token_is(t, "&") || bw_token_is(t, "::") ||
              bw_token_is(t, "<") || bw_token_is(t, ">") || bw_token_is(t, ",")))
            return false;
    }
    return false;
}

bool bw_at_launch(const bw_parser *p)
{
    if (bw_peek(p, 0)->kind != BW_TOK_NAME)
        return false;
    if (bw_token_is(bw_peek(p, 1), "<<<"))
        return true;
    if (!bw_token_is(bw_peek(p, 1), "<"))
        return false;
    for (size_t i = 2; !bw_token_is(bw_peek(p, i), ";") && bw_peek(p, i)->kind != BW_TOK_END; i++)
        if (bw_token_is(bw_peek(p, i), "<<<"))
            return true;
    return false;
}

static const char *const qualifiers[] = {"const", "constexpr", "static"};

bool bw_at_host_dim3(const bw_parser *p)
{
    size_t ahead = 0;
    while (ONE_OF(bw_peek(p, ahead), qualifiers))
        ahead++;
    return bw_token_is(bw_peek(p, ahead), "dim3") && bw_peek(p, ahead + 1)->kind == BW_TOK_NAME;
}

void bw_parse_host_dim3(bw_parser *p)
{
    while (ONE_OF(bw_peek(p, 0), qualifiers))
        bw_take(p);
    bw_take(p); /* dim3 */
    const bw_token *name = bw_take(p);
    bw_symbol *s =
        bw_declare(p, bw_name_of(p, name), BW_SY_DIM3, bw_type_named("dim3", 4), name->span);
    s->dims[0] = s->dims[1] = s->dims[2] = 1;
    const char *close = bw_accept(p, "(") ? ")" : bw_accept(p, "{") ? "}" : NULL;
    if (!close && bw_accept(p, "=")) {
        if (bw_accept(p, "dim3"))
            bw_expect_token(p, "(", "behind dim3");
        else
            bw_expect_token(p, "(", "or dim3(…) behind '='");
        close = ")";
    }
    for (int i = 0; close && i < 3 && !bw_at(p, close); i++) {
        int64_t value = bw_parse_integer(p, "a launch dimension", 1);
        s->dims[i] = value < 0 || value > UINT32_MAX ? 0 : (uint32_t)value;
        if (!bw_accept(p, ","))
            break;
    }
    if (close)
        bw_expect_token(p, close, "behind the dimensions");
    if (bw_accept(p, ",")) { /* dim3 grid(8), block(32); */
        p->at--;
        bw_parse_host_dim3(p); /* takes the comma for the word */
        return;
    }
    bw_expect_token(p, ";", "behind the declaration");
}

/* ---- what is passed over -----------------------------------------------------------------------
 */

/* Host code that may change a constant: it is one no longer. */
static void forget_changed(bw_parser *p, size_t from, size_t to)
{
    static const char *const changes[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"};
    for (size_t at = from; at < to; at++) {
        const bw_token *t = &p->tokens[at], *after = t + 1;
        if (t->kind != BW_TOK_NAME || at == 0)
            continue;
        const bw_token *before = t - 1;
        bool address = bw_token_is(before, "&") && at > 1 &&
                       (bw_token_is(before - 1, "(") || bw_token_is(before - 1, ","));
        bool changed = ONE_OF(after, changes) || bw_token_is(before, "++") ||
                       bw_token_is(before, "--") || address;
        bw_symbol *s = changed ? bw_lookup(p, t->text, t->len) : NULL;
        if (s && (s->kind == BW_SY_CONSTANT || s->kind == BW_SY_DIM3) && !s->is_const)
            s->name = "";
    }
}

/* Numbers, operators and names whose values are known. */
static bool is_known_text(const bw_parser *p, size_t from, size_t to)
{
    static const char *const words[] = {"sizeof", "true", "false", "min", "max", "x", "y", "z"};
    for (size_t at = from; at < to; at++) {
        const bw_token *t = &p->tokens[at];
        if (t->kind == BW_TOK_NUMBER || t->kind == BW_TOK_CHAR || ONE_OF(t, words))
            continue;
        if (t->kind == BW_TOK_PUNCT) {
            if (bw_token_is(t, "{") || bw_token_is(t, "[") || bw_token_is(t, "->"))
                return false;
            continue;
        }
        bw_parser there = *p;
        there.at = at;
        const bw_symbol *s = bw_lookup(p, t->text, t->len);
        bool known = s ? s->kind == BW_SY_CONSTANT || s->kind == BW_SY_DIM3 || s->kind == BW_SY_TYPE
                       : bw_at_type(&there);
        if (t->kind != BW_TOK_NAME || !known)
            return false;
    }
    return true;
}

/* Where the list of names of a declaration begins; 0 if no known type begins it. */
static size_t behind_type(const bw_parser *p)
{
    static const char *const unfit[] = {"struct", "union", "enum", "auto", "void"};
    bw_parser there = *p;
    bool type = false;
    for (;; there.at++) {
        const bw_token *t = bw_peek(&there, 0);
        if (ONE_OF(t, unfit))
            return 0;
        while (bw_token_is(bw_peek(&there, 1), "::"))
            there.at += 2;
        if (bw_token_is(bw_peek(&there, 1), "<")) /* std::vector<…> */
            return 0;
        if (!bw_at_type(&there) && !bw_at(&there, "constexpr") && !bw_at(&there, "static"))
            break;
        type |= !bw_at(&there, "const");
    }
    return type ? there.at : 0;
}

/* NAME = VALUE as tokens [from, to): declared where the value is known. */
static void host_constant(bw_parser *p, const bw_specifiers *spec, size_t from, size_t to)
{
    const bw_token *name = &p->tokens[from];
    bool value = to > from + 2 && name->kind == BW_TOK_NAME && bw_token_is(name + 1, "=") &&
                 is_known_text(p, from + 2, to);
    if (!value || !bw_type_is_arithmetic(spec->type))
        return;
    p->at = from + 2;
    bw_expr *e = bw_convert(p, bw_parse_assignment(p), spec->type);
    if (!bw_is_constant(e))
        return;
    bw_symbol *s = bw_declare(p, bw_name_of(p, name), BW_SY_CONSTANT, spec->type, name->span);
    s->value = e;
    s->is_const = spec->is_const || spec->is_constexpr;
}

/* TYPE NAME = VALUE, …; False if the statement is no declaration of a known type. */
static bool parse_host_constants(bw_parser *p, size_t end)
{
    size_t from = behind_type(p), at = from;
    if (!from || from >= end)
        return false;
    bw_specifiers spec = bw_parse_specifiers(p);
    for (int depth = 0; at <= end; at++) {
        const bw_token *t = &p->tokens[at];
        depth += bw_token_is(t, "(") || bw_token_is(t, "{") || bw_token_is(t, "[");
        depth -= bw_token_is(t, ")") || bw_token_is(t, "}") || bw_token_is(t, "]");
        if (at < end && (depth > 0 || !bw_token_is(t, ",")))
            continue;
        host_constant(p, &spec, from, at);
        from = at + 1;
    }
    return true;
}

/* ---- statements --------------------------------------------------------------------------------
 */

static bool has_launch(const bw_parser *p, size_t from, size_t to)
{
    for (size_t at = from; at < to; at++)
        if (bw_token_is(&p->tokens[at], "<<<"))
            return true;
    return false;
}

static void host_statement(bw_parser *p);

static void host_block(bw_parser *p)
{
    bw_take(p);
    bw_push_scope(p);
    while (!bw_at(p, "}") && bw_peek(p, 0)->kind != BW_TOK_END)
        host_statement(p);
    bw_pop_scope(p);
    bw_expect_token(p, "}", "at the end of the block");
}

/* if (…) around a launch: taken where the condition is known. */
static void host_if(bw_parser *p)
{
    bw_take(p);
    bw_accept(p, "constexpr");
    size_t start = p->at, end = behind_brackets(p, p->at);
    if (!is_known_text(p, start, end))
        bw_syntax_error(
            p, "write the launch that you mean as a line of its own, at the end of the file",
            "a launch under a condition of host code that is not known here");
    bool taken = bw_parse_integer(p, "a condition", 0) != 0;
    p->at = end;
    if (taken)
        host_statement(p);
    else
        bw_skip_substatement(p);
    if (bw_accept(p, "else")) {
        if (taken)
            bw_skip_substatement(p);
        else
            host_statement(p);
    }
}

/* A loop around a launch runs alike ever again: its launch is predicted once. */
static void host_loop(bw_parser *p)
{
    bool header = !bw_at(p, "do");
    bw_take(p);
    if (header) {
        size_t end = behind_brackets(p, p->at);
        forget_changed(p, p->at, end);
        p->at = end;
    }
    host_statement(p);
    if (!header) {
        bw_expect_token(p, "while", "behind the body of do");
        p->at = behind_brackets(p, p->at);
        bw_expect_token(p, ";", "behind do … while");
    }
}

static void host_statement(bw_parser *p)
{
    size_t start = p->at;
    bw_enter(p);
    bw_skip_substatement(p);
    size_t end = p->at;
    p->at = start;
    if (bw_at_host_dim3(p)) {
        bw_parse_host_dim3(p);
    } else if (!has_launch(p, start, end)) {
        if (!parse_host_constants(p, end - 1))
            forget_changed(p, start, end);
        p->at = end;
    } else if (bw_at(p, "{")) {
        host_block(p);
    } else if (bw_at(p, "if")) {
        host_if(p);
    } else if (bw_at(p, "for") || bw_at(p, "while") || bw_at(p, "do")) {
        host_loop(p);
    } else if (bw_at_launch(p)) {
        bw_parse_launch(p);
    } else {
        bw_syntax_error(p, "write the launch as a line of its own, at the end of the file",
                        "a launch within a larger statement of host code");
    }
    bw_leave(p);
}

void bw_parse_host_function(bw_parser *p)
{
    while (!bw_at(p, "("))
        bw_take(p);
    p->at = behind_brackets(p, p->at);
    while (!bw_at(p, "{"))
        bw_take(p);
    host_block(p);
}
