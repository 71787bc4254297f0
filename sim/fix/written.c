/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "written.h"

#include <stdlib.h>
#include <string.h>

void bw_written_make(bw_written *w, const bw_source *source)
{
    bw_diags unheard = {.count = 0}; /* whoever parses the text has said it */
    *w = (bw_written){.source = source};
    bw_lex_span(&w->arena, source, (bw_span){0, (uint32_t)source->len}, &w->tokens, &unheard);
    bw_diags_finish(&unheard);
}

void bw_written_finish(bw_written *w)
{
    bw_tokens_finish(&w->tokens);
    bw_arena_finish(&w->arena);
}

const bw_token *bw_token_from(const bw_written *w, uint32_t at)
{
    size_t low = 0, high = w->tokens.count - 1; /* the last is BW_TOK_END */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (w->tokens.items[middle].span.offset < at)
            low = middle + 1;
        else
            high = middle;
    }
    return &w->tokens.items[low];
}

const bw_token *bw_token_before(const bw_written *w, uint32_t at)
{
    const bw_token *t = bw_token_from(w, at);
    while (t > w->tokens.items)
        if (bw_token_end(--t) <= at)
            return t;
    return NULL;
}

/* How deep the brackets are after the token: 1 after an opening one, -1 after a closing one. */
static int depth_of(const bw_token *t)
{
    switch (t->kind) {
    case BW_TOK_LPAREN:
    case BW_TOK_LBRACKET:
    case BW_TOK_LBRACE: return 1;
    case BW_TOK_RPAREN:
    case BW_TOK_RBRACKET:
    case BW_TOK_RBRACE: return -1;
    default: return 0;
    }
}

/* The partner of an opening bracket; NULL where the text ends or another bracket closes before. */
static const bw_token *partner(const bw_token *open)
{
    bw_token_kind closing = open->kind == BW_TOK_LPAREN     ? BW_TOK_RPAREN
                            : open->kind == BW_TOK_LBRACKET ? BW_TOK_RBRACKET
                                                            : BW_TOK_RBRACE;
    int depth = 0;
    for (const bw_token *t = open; t->kind != BW_TOK_END; t++)
        if ((depth += depth_of(t)) == 0)
            return t->kind == closing ? t : NULL;
    return NULL;
}

bool bw_written_group(const bw_written *w, uint32_t at, bw_token_kind open, bw_span *inner,
                      uint32_t *end)
{
    const bw_token *first = bw_token_from(w, at);
    const bw_token *last = first->kind == open ? partner(first) : NULL;
    if (!last)
        return false;
    uint32_t from = bw_token_end(first);
    *inner = bw_written_trim(w, (bw_span){from, last->span.offset - from});
    *end = bw_token_end(last);
    return true;
}

uint32_t bw_written_find(const bw_written *w, uint32_t at, uint32_t end, bw_token_kind wanted)
{
    int depth = 0;
    for (const bw_token *t = bw_token_from(w, at); t->kind != BW_TOK_END; t++) {
        if (t->span.offset >= end)
            break;
        if (depth == 0 && t->kind == wanted)
            return t->span.offset;
        if ((depth += depth_of(t)) < 0)
            break;
    }
    return end;
}

bw_span bw_written_trim(const bw_written *w, bw_span span)
{
    uint32_t end = span.offset + span.len;
    const bw_token *first = bw_token_from(w, span.offset), *last = bw_token_before(w, end);
    if (!last || last->span.offset < span.offset)
        return (bw_span){span.offset, 0};
    return (bw_span){first->span.offset, bw_token_end(last) - first->span.offset};
}

const bw_token *bw_written_name(const bw_written *w, uint32_t at, uint32_t end, const char *name)
{
    for (const bw_token *t = bw_token_from(w, at); t->kind != BW_TOK_END; t++) {
        if (bw_token_end(t) > end)
            break;
        if (bw_token_named(t, name))
            return t;
    }
    return NULL;
}

/* `struct ... name {` with attributes between, or `typedef struct ... { ... } name;`: the brace. */
static const bw_token *struct_brace(const bw_token *t, const char *name)
{
    bool named = false;
    for (; t->kind != BW_TOK_LBRACE; t++) {
        if (t->kind == BW_TOK_LPAREN)
            t = partner(t);
        else if (bw_is_name(t))
            named = bw_token_named(t, name);
        else
            return NULL;
        if (!t)
            return NULL;
    }
    const bw_token *last = partner(t);
    return last && (named || bw_token_named(last + 1, name)) ? t : NULL;
}

bool bw_written_struct(const bw_written *w, const char *name, bw_span *body)
{
    for (const bw_token *t = w->tokens.items; t->kind != BW_TOK_END; t++) {
        const bw_token *brace = t->kind == BW_TOK_STRUCT ? struct_brace(t + 1, name) : NULL;
        if (!brace)
            continue;
        *body = (bw_span){bw_token_end(brace), partner(brace)->span.offset - bw_token_end(brace)};
        return true;
    }
    return false;
}

/* Whether the token's line is a directive. */
static bool in_directive(const bw_written *w, const bw_token *t)
{
    while (t > w->tokens.items && !t->line_start)
        t--;
    return t->kind == BW_TOK_HASH;
}

uint32_t bw_written_statement(const bw_written *w, uint32_t at)
{
    const bw_token *t = bw_token_from(w, at);
    for (; t > w->tokens.items; t--) {
        bw_token_kind before = t[-1].kind;
        if (before == BW_TOK_SEMICOLON || before == BW_TOK_LBRACE || before == BW_TOK_RBRACE ||
            (t->line_start && in_directive(w, t - 1)))
            break;
    }
    return t->span.offset;
}

/* ---- shapes ---- */

/* Whether it binds looser than +, as an operator between two operands. */
static bool is_loose(bw_token_kind kind)
{
    switch (kind) {
    case BW_TOK_SHL:
    case BW_TOK_SHR:
    case BW_TOK_LESS:
    case BW_TOK_GREATER:
    case BW_TOK_LESS_EQUAL:
    case BW_TOK_GREATER_EQUAL:
    case BW_TOK_EQUAL:
    case BW_TOK_NOT_EQUAL:
    case BW_TOK_AND:
    case BW_TOK_XOR:
    case BW_TOK_OR:
    case BW_TOK_AND_AND:
    case BW_TOK_OR_OR:
    case BW_TOK_QUESTION:
    case BW_TOK_COLON:
    case BW_TOK_COMMA:
    case BW_TOK_ASSIGN:
    case BW_TOK_SHL_ASSIGN:
    case BW_TOK_SHR_ASSIGN:
    case BW_TOK_ADD_ASSIGN:
    case BW_TOK_SUB_ASSIGN:
    case BW_TOK_MUL_ASSIGN:
    case BW_TOK_DIV_ASSIGN:
    case BW_TOK_REM_ASSIGN:
    case BW_TOK_AND_ASSIGN:
    case BW_TOK_OR_ASSIGN:
    case BW_TOK_XOR_ASSIGN: return true;
    default: return false;
    }
}

/* A number that is what it reads like: small, and not octal. */
static bool is_decimal(const bw_token *t)
{
    if (t->kind != BW_TOK_NUMBER || t->len >= 9 || (t->text[0] == '0' && t->len > 1))
        return false;
    for (uint32_t i = 0; i < t->len; i++)
        if (t->text[i] < '0' || t->text[i] > '9')
            return false;
    return true;
}

static bool is_atomic(const bw_token *t)
{
    return bw_is_name(t) || t->kind == BW_TOK_NUMBER || t->kind == BW_TOK_DOT;
}

/* What the signs outside brackets make of it. */
static void look_at_signs(bw_shape *shape, const bw_token *first)
{
    int depth = 0;
    shape->atom = shape->product = true;
    for (const bw_token *t = first; t->kind != BW_TOK_END; t++) {
        shape->atom &= is_atomic(t);
        int change = depth_of(t);
        depth += change;
        if (depth != 0 || change != 0 || !bw_is_sign(t) || t->kind == BW_TOK_DOT)
            continue;
        shape->loose |= is_loose(t->kind);
        shape->product &= t->kind == BW_TOK_STAR;
    }
}

bw_shape bw_shape_of(const char *text)
{
    bw_source source = {.name = "", .text = text, .len = strlen(text)};
    bw_shape shape = {.atom = false};
    bw_written w;
    bw_written_make(&w, &source);
    const bw_token *first = w.tokens.items, *end = first + w.tokens.count - 1;
    look_at_signs(&shape, first);
    shape.bracketed = first->kind == BW_TOK_LPAREN && partner(first) == end - 1;
    shape.decimal = end == first + 1 && is_decimal(first);
    /* the sign before the last token is outside brackets where that token is */
    shape.sum =
        !shape.loose && end - first >= 3 && end[-2].kind == BW_TOK_PLUS && is_decimal(end - 1);
    if (shape.sum) {
        shape.plus = end[-2].span.offset;
        shape.addend = end[-1].span.offset;
    }
    if (shape.decimal || shape.sum)
        shape.number = strtoull(end[-1].text, NULL, 10);
    bw_written_finish(&w);
    return shape;
}
