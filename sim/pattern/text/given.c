/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "given.h"

#include <stdlib.h>
#include <string.h>

/* Macros that nvcc has and that kernels test. */
void bw_predefine(bw_preprocessor *pp)
{
    const bw_arch *arch = pp->given->arch;
    const char *cuda_arch = bw_arena_format(pp->arena, "%u0", arch ? arch->cc : 90u);
    const char *pairs[][2] = {{"__CUDACC__", "1"},
                              {"__CUDA_ARCH__", cuda_arch},
                              {"__cplusplus", "201703L"},
                              {"__CUDACC_VER_MAJOR__", "13"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        bw_macro *m = bw_arena_alloc(pp->arena, sizeof *m);
        bw_token *body = bw_arena_alloc(pp->arena, sizeof *body);
        *body = (bw_token){
            .kind = BW_TOK_NUMBER, .text = pairs[i][1], .len = (uint32_t)strlen(pairs[i][1])};
        *m = (bw_macro){.name = pairs[i][0], .body = body, .body_count = 1};
        bw_macro_add(pp, m);
    }
}

/* Words after which a name is used, not declared. */
static bool uses_next(const bw_token *t)
{
    static const bw_token_kind words[] = {
        BW_TOK_RETURN,   BW_TOK_CASE,        BW_TOK_ELSE,   BW_TOK_GOTO,   BW_TOK_DO,
        BW_TOK_SIZEOF,   BW_TOK_NEW,         BW_TOK_DELETE, BW_TOK_CONST,  BW_TOK_VOLATILE,
        BW_TOK_STATIC,   BW_TOK_CONSTEXPR,   BW_TOK_INLINE, BW_TOK_EXTERN, BW_TOK_TYPENAME,
        BW_TOK_SHARED,   BW_TOK_DEVICE,      BW_TOK_GLOBAL, BW_TOK_HOST,   BW_TOK_THROW,
        BW_TOK_OPERATOR, BW_TOK_FORCE_INLINE};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bw_token_is(t, words[i]))
            return true;
    return false;
}

/* Whether the comma at `at` stands between the names of one declaration: int a = 1, b; */
static bool within_declaration(const bw_token *items, size_t at)
{
    int depth = 0;
    while (at > 0) {
        const bw_token *t = &items[at - 1];
        depth += bw_token_is(t, BW_TOK_RPAREN) || bw_token_is(t, BW_TOK_RBRACKET);
        depth -= bw_token_is(t, BW_TOK_LPAREN) || bw_token_is(t, BW_TOK_LBRACKET);
        if (depth < 0)
            return false;
        if (bw_token_is(t, BW_TOK_SEMICOLON) || bw_token_is(t, BW_TOK_LBRACE) ||
            bw_token_is(t, BW_TOK_RBRACE))
            break;
        at--;
    }
    return bw_is_name(&items[at]) && bw_is_name(&items[at + 1]) && !uses_next(&items[at]);
}

/* Whether the name at `at`, which has neighbours, is a variable's, declared there. */
static bool declares_variable(const bw_token *items, size_t at)
{
    static const bw_token_kind ends[] = {BW_TOK_ASSIGN,  BW_TOK_COMMA,  BW_TOK_SEMICOLON,
                                         BW_TOK_RPAREN,  BW_TOK_LBRACE, BW_TOK_LBRACKET,
                                         BW_TOK_GREATER, BW_TOK_COLON,  BW_TOK_LPAREN};
    const bw_token *before = &items[at - 1], *after = &items[at + 1];
    bool ended = false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        ended = ended || bw_token_is(after, ends[i]);
    if (!ended)
        return false;
    if (bw_is_name(before))
        return !uses_next(before);
    if (bw_token_is(before, BW_TOK_AND)) /* int &n, not mask & n */
        return at > 1 &&
               (bw_token_is(before - 1, BW_TOK_INT) || bw_token_is(before - 1, BW_TOK_UNSIGNED) ||
                bw_token_is(before - 1, BW_TOK_FLOAT) || bw_token_named(before - 1, "size_t") ||
                bw_token_is(before - 1, BW_TOK_AUTO));
    return bw_token_is(before, BW_TOK_COMMA) && within_declaration(items, at - 1);
}

/* Whether the text declares a variable or parameter of this name, outside of directives. */
static bool declares(const bw_tokens *raw, const char *name)
{
    size_t len = strlen(name);
    bool directive = false;
    for (size_t i = 1; i + 1 < raw->count; i++) {
        const bw_token *t = &raw->items[i];
        if (t->line_start)
            directive = bw_token_is(t, BW_TOK_HASH);
        bool first = raw->items[i - 1].line_start && bw_token_is(&raw->items[i - 1], BW_TOK_HASH);
        if (!directive && !first && bw_is_name(t) && t->len == len &&
            memcmp(t->text, name, len) == 0 && declares_variable(raw->items, i))
            return true;
    }
    return false;
}

/* #define NAME VALUE, as nvcc does before line 1. */
static void define_one(bw_preprocessor *pp, const bw_define *define, bool *used)
{
    const char *text = bw_arena_format(pp->arena, "%s", define->value);
    bw_source *source = bw_arena_alloc(pp->arena, sizeof *source);
    *source = (bw_source){.name = bw_arena_format(pp->arena, "-D %s", define->name),
                          .text = text,
                          .len = strlen(text)};
    bw_tokens value = {0};
    bw_lex_span(pp->arena, source, (bw_span){0, (uint32_t)source->len}, &value, pp->diags);
    size_t count = value.count - 1; /* the last ends the text */
    bw_macro *m = bw_arena_alloc(pp->arena, sizeof *m);
    bw_token *body = bw_arena_alloc(pp->arena, (count + 1) * sizeof *body);
    memcpy(body, value.items, count * sizeof *body);
    *m = (bw_macro){.name = define->name, .body = body, .body_count = count, .used = used};
    bw_macro_add(pp, m);
    bw_tokens_finish(&value);
}

void bw_define_given(bw_preprocessor *pp, const bw_tokens *raw)
{
    const bw_given *given = pp->given;
    for (size_t i = 0; i < given->define_count; i++)
        if (!declares(raw, given->defines[i].name))
            define_one(pp, &given->defines[i], &given->used[i]);
}

/* Those of the command line that the text used are parameters where they are numbers, as those are
 * that the text defines. */
void bw_add_given_parameters(bw_preprocessor *pp)
{
    for (size_t i = 0; i < pp->macro_count; i++) {
        const bw_macro *m = pp->macros[i];
        bool known = !m || !m->used || !*m->used;
        for (size_t k = 0; !known && k < pp->out->define_count; k++)
            known = strcmp(pp->out->defines[k].name, m->name) == 0;
        bw_parameter p = {.name = m ? m->name : NULL};
        const bw_define *define = known ? NULL : bw_given_define(pp->given, m->name);
        if (!define ||
            !bw_number(define->value, strlen(define->value), &p.is_float, &p.integer, &p.real))
            continue;
        BW_GROW(pp->out->defines, pp->out->define_count, pp->out->define_capacity);
        pp->out->defines[pp->out->define_count++] = p;
    }
}
