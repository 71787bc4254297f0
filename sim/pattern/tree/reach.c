/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "reach.h"

#include <string.h>

#include "index.h"
#include "parse.h"

void bw_note_part(bw_parser *p, size_t first, size_t from, size_t errors)
{
    bw_parts *c = p->constructs;
    if (c->count == c->capacity) {
        bw_part *old = c->items;
        c->capacity = c->capacity ? 2 * c->capacity : 64;
        c->items = bw_arena_alloc(p->arena, c->capacity * sizeof *old);
        if (old)
            memcpy(c->items, old, c->count * sizeof *old);
    }
    c->items[c->count++] = (bw_part){.first = first,
                                     .last = p->at,
                                     .from = from,
                                     .to = p->diags->count,
                                     .failed = p->diags->errors > errors};
}

static bool has_token(const bw_parser *p, const bw_part *c, bw_token_kind kind)
{
    for (size_t i = c->first; i < c->last; i++)
        if (bw_token_is(&p->tokens[i], kind))
            return true;
    return false;
}

/* The first token after `at` that begins something at the construct's own level. */
static size_t step(const bw_parser *p, size_t at)
{
    const bw_token *t = &p->tokens[at];
    bool opens = bw_token_is(t, BW_TOK_LPAREN) || bw_token_is(t, BW_TOK_LBRACE) ||
                 bw_token_is(t, BW_TOK_LBRACKET);
    return opens ? bw_after_brackets(p, at) : at + 1;
}

/* A name that the construct may declare: at its own level, before what a declarator goes on with.
 */
static bool declares(const bw_parser *p, size_t at)
{
    static const bw_token_kind after[] = {BW_TOK_LPAREN, BW_TOK_ASSIGN, BW_TOK_SEMICOLON,
                                          BW_TOK_COMMA,  BW_TOK_LBRACE, BW_TOK_LBRACKET,
                                          BW_TOK_COLON};
    return bw_is_name(&p->tokens[at]) &&
           bw_is_in(&p->tokens[at + 1], after, sizeof after / sizeof *after);
}

static uint32_t hash_name(const bw_token *t)
{
    return bw_hash_text(t->text, t->len);
}

static bw_index index_names(bw_parser *p)
{
    bw_index index = {0};
    const bw_parts *c = p->constructs;
    for (size_t k = 0; k < c->count; k++)
        for (size_t i = c->items[k].first; i < c->items[k].last; i = step(p, i))
            if (declares(p, i))
                bw_index_add(p->arena, &index, hash_name(&p->tokens[i]), (uint32_t)k);
    return index;
}

/* Whether a kernel of this construct is launched, by the name of its own level. */
static bool is_launched(const bw_parser *p, const bw_part *c)
{
    const bw_tree *tree = p->tree;
    for (size_t i = c->first; i < c->last; i = step(p, i))
        for (size_t k = 0; declares(p, i) && k < tree->launch_count; k++)
            if (tree->launches[k].kernel &&
                bw_token_named(&p->tokens[i], tree->launches[k].kernel->name))
                return true;
    return false;
}

/* Launches, and what is launched; where nothing is, all kernels. */
static bool is_root(const bw_parser *p, const bw_part *c)
{
    bool kernel = has_token(p, c, BW_TOK_GLOBAL), launches = has_token(p, c, BW_TOK_LAUNCH_OPEN);
    return launches || (kernel && (!p->tree->launch_count || is_launched(p, c)));
}

/* What its names may mean is reached too. */
static void follow(bw_parser *p, const bw_index *names, bw_part *c)
{
    c->followed = true;
    bool host = !has_token(p, c, BW_TOK_GLOBAL) && has_token(p, c, BW_TOK_LAUNCH_OPEN);
    for (size_t i = c->first; i < c->last; i++) {
        size_t at = 0;
        if (!bw_is_name(&p->tokens[i]) ||
            (host && !bw_token_is(&p->tokens[i + 1], BW_TOK_LAUNCH_OPEN)))
            continue;
        uint32_t hash = hash_name(&p->tokens[i]);
        for (uint32_t k; (k = bw_index_next(names, hash, &at)) != BW_NO_ROW;)
            p->constructs->items[k].reached = true;
    }
}

void bw_forget_unreached(bw_parser *p)
{
    bw_parts *c = p->constructs;
    bool failed = false;
    for (size_t k = 0; k < c->count; k++)
        failed |= c->items[k].failed;
    if (!failed || !p->kernel_form)
        return;
    bw_index names = index_names(p);
    for (size_t k = 0; k < c->count; k++)
        c->items[k].reached = is_root(p, &c->items[k]);
    for (bool more = true; more;) {
        more = false;
        for (size_t k = 0; k < c->count; k++) {
            if (!c->items[k].reached || c->items[k].followed)
                continue;
            follow(p, &names, &c->items[k]);
            more = true;
        }
    }
    for (size_t k = c->count; k-- > 0;) /* from the end: places before it stay */
        if (c->items[k].failed && !c->items[k].reached)
            bw_diags_forget(p->diags, c->items[k].from, c->items[k].to);
}

void bw_report_left_out(bw_parser *p)
{
    const bw_parts *c = p->constructs;
    if (!p->tree->launch_count || p->input->kernel)
        return;
    for (const bw_function *f = p->tree->functions; f; f = f->next) {
        if (!f->is_kernel || f->arguments)
            continue;
        for (size_t k = 0; k < c->count; k++) {
            const bw_part *of = &c->items[k];
            bw_span first = p->tokens[of->first].span, last = p->tokens[of->last - 1].span;
            bool here = f->span.offset >= first.offset && f->span.offset <= last.offset;
            if (!here || !has_token(p, of, BW_TOK_GLOBAL) || !has_token(p, of, BW_TOK_SHARED) ||
                is_launched(p, of))
                continue;
            bw_note(p->diags,
                    bw_diagnose(p->diags, BW_MSG_LEFT_OUT, p->source, f->span,
                                "kernel '%s' has no table: nothing launches it", f->name),
                    bw_is_template(f) ? "give %s" : "give --block 32x8 (and --grid), or %s",
                    bw_launch_advice(p->input, f));
            break;
        }
    }
}
