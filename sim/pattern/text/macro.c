/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "macro.h"

#include <stdlib.h>
#include <string.h>

/* Macros can grow a text without bound; no hand-written pattern comes near this. */
#define MAX_TOKENS ((size_t)1000000)

/* The row of a name that is or was a macro's, or BW_NO_ROW. */
uint32_t bw_macro_row(const bw_preprocessor *pp, const char *name, size_t len)
{
    uint32_t hash = bw_hash_text(name, len), row;
    size_t at = 0;
    while ((row = bw_index_next(&pp->macro_index, hash, &at)) != BW_NO_ROW)
        if (strncmp(pp->macro_names[row], name, len) == 0 && !pp->macro_names[row][len])
            break;
    return row;
}

bw_macro *bw_macro_find(const bw_preprocessor *pp, const bw_token *token)
{
    uint32_t row = bw_macro_row(pp, token->text, token->len);
    bw_macro *m = row == BW_NO_ROW || !bw_is_name(token) ? NULL : pp->macros[row];
    if (m && m->used)
        *m->used = true;
    return m;
}

void bw_macro_add(bw_preprocessor *pp, bw_macro *m)
{
    size_t len = strlen(m->name);
    uint32_t row = bw_macro_row(pp, m->name, len);
    if (row == BW_NO_ROW) {
        row = (uint32_t)pp->macro_count;
        BW_GROW(pp->macro_names, pp->macro_count, pp->name_capacity);
        BW_GROW(pp->macros, pp->macro_count, pp->macro_capacity);
        pp->macro_names[pp->macro_count++] = m->name;
        bw_index_add(pp->arena, &pp->macro_index, bw_hash_text(m->name, len), row);
    }
    pp->macros[row] = m;
}

bw_token *bw_token_append(bw_token_list *list)
{
    BW_GROW(list->items, list->count, list->capacity);
    return &list->items[list->count++];
}

static void push_back(bw_feed *f, bw_token token)
{
    BW_GROW(f->stack, f->depth, f->capacity);
    f->stack[f->depth++] = token;
}

/* Next token, ending macros whose expansion is used up; false at the end. */
bool bw_feed_next(bw_preprocessor *pp, bw_feed *f, bw_token *token)
{
    while (f->depth) {
        *token = f->stack[--f->depth];
        if (token->kind != BW_TOK_END)
            return true;
        bw_macro *m = bw_macro_find(
            pp, &(bw_token){.kind = BW_TOK_NAME, .text = token->text, .len = token->len});
        if (m)
            m->active = false;
    }
    if (f->at >= f->count || f->items[f->at].kind == BW_TOK_END)
        return false;
    *token = f->items[f->at++];
    return true;
}

/* The token that `next` would give is "("; ends of macros before it are looked past. */
bool bw_parenthesis_follows(const bw_feed *f)
{
    for (size_t i = f->depth; i-- > 0;)
        if (f->stack[i].kind != BW_TOK_END)
            return bw_token_is(&f->stack[i], BW_TOK_LPAREN);
    return f->at < f->count && bw_token_is(&f->items[f->at], BW_TOK_LPAREN);
}

bw_span bw_span_join(bw_span a, bw_span b)
{
    uint32_t start = a.offset < b.offset ? a.offset : b.offset;
    uint32_t end_a = a.offset + a.len, end_b = b.offset + b.len;
    return (bw_span){start, (end_a > end_b ? end_a : end_b) - start};
}

/* Reads "(a, b, …)" into one list an argument; *whole grows to the closing parenthesis. */
static size_t read_arguments(bw_preprocessor *pp, bw_feed *f, const bw_macro *m,
                             bw_token_list *args, bw_span *whole)
{
    bw_token token;
    size_t count = 0;
    int depth = 0;
    bw_feed_next(pp, f, &token); /* the parenthesis */
    while (bw_feed_next(pp, f, &token)) {
        *whole = bw_span_join(*whole, token.span);
        pp->produced++;
        if (depth == 0 && bw_token_is(&token, BW_TOK_RPAREN))
            return count + (count || args[0].count || m->parameter_count == 1 ? 1 : 0);
        depth += bw_token_is(&token, BW_TOK_LPAREN) - bw_token_is(&token, BW_TOK_RPAREN);
        bool last = m->variadic && count + 1 >= m->parameter_count;
        if (depth == 0 && bw_token_is(&token, BW_TOK_COMMA) && !last) {
            if (++count >= BW_MAX_PARAMETERS)
                break;
        } else {
            *bw_token_append(&args[count]) = token;
        }
    }
    bw_note(pp->diags,
            bw_diagnose(pp->diags, BW_MSG_MACRO_CALL, pp->source, *whole,
                        "the call of macro '%s' does not end", m->name),
            "add ')' after its last argument");
    return 0;
}

static bw_token stringize(bw_preprocessor *pp, const bw_token_list *arg, bw_span span)
{
    size_t len = 2;
    for (size_t i = 0; i < arg->count; i++)
        len += arg->items[i].len + 1;
    char *text = bw_arena_alloc(pp->arena, len + 1), *at = text;
    *at++ = '"';
    for (size_t i = 0; i < arg->count; i++) {
        if (i && arg->items[i].spaced)
            *at++ = ' ';
        memcpy(at, arg->items[i].text, arg->items[i].len);
        at += arg->items[i].len;
    }
    *at++ = '"';
    return (bw_token){
        .kind = BW_TOK_STRING, .text = text, .len = (uint32_t)(at - text), .span = span};
}

static void paste(bw_preprocessor *pp, bw_token *left, const bw_token *right)
{
    char *text = bw_arena_alloc(pp->arena, left->len + right->len + 1);
    memcpy(text, left->text, left->len);
    memcpy(text + left->len, right->text, right->len);
    left->text = text;
    left->len += right->len;
    if (bw_is_sign(left) && !bw_is_sign(right))
        left->kind = right->kind;
    if (bw_is_name(left))
        left->kind = bw_words_find(&pp->words, text, left->len);
    if (bw_is_sign(left)) {
        bw_token_kind kind = bw_words_sign(&pp->words, text, left->len);
        left->kind = strlen(bw_spelling(kind)) == left->len ? kind : BW_TOK_SIGN;
    }
}

/* GNU's ", ## __VA_ARGS__": the comma stays by itself, and goes where no arguments come. */
static bool swallows_comma(const bw_macro *m, size_t i)
{
    return m->variadic && i >= 2 && bw_token_is(&m->body[i], BW_TOK_VA_ARGS) &&
           bw_token_is(&m->body[i - 1], BW_TOK_HASH_HASH) &&
           bw_token_is(&m->body[i - 2], BW_TOK_COMMA);
}

static int parameter_index(const bw_macro *m, const bw_token *token)
{
    for (size_t i = 0; i < m->parameter_count; i++) {
        const bw_token *p = &m->parameters[i];
        if (bw_is_name(token) && p->len == token->len && memcmp(p->text, token->text, p->len) == 0)
            return (int)i;
    }
    return -1;
}

/* The body with arguments put in, pushed back onto the feed. */
static void substitute(bw_preprocessor *pp, bw_feed *f, bw_macro *m, bw_token_list *args,
                       bw_span use)
{
    bw_token_list result = {0};
    size_t left_from = 0; /* where the left operand of a coming ## begins, empty or not */
    for (size_t i = 0; i < m->body_count && !pp->exhausted; i++) {
        const bw_token *token = &m->body[i];
        bool pastes = i + 1 < m->body_count && bw_token_is(&m->body[i + 1], BW_TOK_HASH_HASH);
        bool comma = swallows_comma(m, i);
        bool pasted = i > 0 && bw_token_is(&m->body[i - 1], BW_TOK_HASH_HASH) && !comma;
        size_t before = result.count;
        int index = parameter_index(m, token);
        if (m->function && bw_token_is(token, BW_TOK_HASH) && i + 1 < m->body_count &&
            parameter_index(m, token + 1) >= 0) {
            *bw_token_append(&result) = stringize(pp, &args[parameter_index(m, token + 1)], use);
            i++;
        } else if (bw_token_is(token, BW_TOK_HASH_HASH)) {
            continue; /* left_from stays: what stands before it is its left operand */
        } else if (index < 0) {
            *bw_token_append(&result) = *token;
            result.items[result.count - 1].span = use;
        } else {
            bw_token_list expanded = {0};
            bw_feed inner = {.items = args[index].items, .count = args[index].count};
            pp->nesting++;
            if (!pastes && !pasted)
                bw_expand(pp, &inner, &expanded);
            pp->nesting--;
            const bw_token_list *value = pastes || pasted ? &args[index] : &expanded;
            for (size_t k = 0; k < value->count; k++)
                *bw_token_append(&result) = value->items[k];
            free(inner.stack);
            free(expanded.items);
        }
        if (comma && result.count == before && before > 0)
            result.count--;
        if (pasted && before > left_from && result.count > before) {
            paste(pp, &result.items[before - 1], &result.items[before]);
            memmove(&result.items[before], &result.items[before + 1],
                    (result.count - before - 1) * sizeof *result.items);
            result.count--;
        }
        if (!pasted)
            left_from = before;
    }
    m->active = true;
    push_back(f, (bw_token){.kind = BW_TOK_END, .text = m->name, .len = (uint32_t)strlen(m->name)});
    for (size_t i = result.count; i-- > 0;)
        push_back(f, result.items[i]);
    pp->produced += result.count + 1;
    free(result.items);
}

void bw_give_up(bw_preprocessor *pp, bw_span span, const char *message, const char *note)
{
    if (!pp->exhausted)
        bw_note(pp->diags,
                bw_diagnose(pp->diags, BW_MSG_MACRO_GROWTH, pp->source, span, "%s", message), "%s",
                note);
    pp->exhausted = true;
}

/* False, with an error, where expanding has become too much. */
static bool within_limits(bw_preprocessor *pp, bw_span span)
{
    if (pp->produced > MAX_TOKENS)
        bw_give_up(pp, span,
                   bw_arena_format(pp->arena, "macros grow to more than %zu tokens", MAX_TOKENS),
                   "look for a macro that doubles itself");
    else if (pp->nesting > BW_MAX_NESTING)
        bw_give_up(pp, span,
                   bw_arena_format(pp->arena, "macro calls nested more than %d levels deep",
                                   BW_MAX_NESTING),
                   "use fewer calls within each other's arguments");
    return !pp->exhausted;
}

/* Expands the macro that `token` names. False if it is no call of one. */
bool bw_expand_macro(bw_preprocessor *pp, bw_feed *f, bw_token *token)
{
    bw_macro *m = bw_is_name(token) && !token->sealed ? bw_macro_find(pp, token) : NULL;
    if (!m)
        return false;
    if (m->active) {
        token->sealed = true;
        return false;
    }
    if (m->function && !bw_parenthesis_follows(f))
        return false;
    if (!within_limits(pp, token->span))
        return false;
    size_t room = m->function ? BW_MAX_PARAMETERS : 0; /* not on the stack: calls nest */
    bw_token_list *args = room ? bw_calloc(room, sizeof *args) : NULL;
    bw_span use = token->span;
    bool ok = true;
    if (m->function) {
        size_t errors = pp->diags->errors;
        size_t count = read_arguments(pp, f, m, args, &use);
        ok = pp->diags->errors == errors;
        if (ok && count != m->parameter_count &&
            !(m->variadic && count + 1 >= m->parameter_count)) {
            bw_note(pp->diags,
                    bw_diagnose(pp->diags, BW_MSG_MACRO_CALL, pp->source, use,
                                "macro '%s' takes %zu arguments, not %zu", m->name,
                                m->parameter_count, count),
                    "give one argument for each parameter of its #define");
            ok = false;
        }
    }
    if (ok)
        substitute(pp, f, m, args, use);
    else /* something must stand there, lest more errors follow */
        push_back(f, (bw_token){.kind = BW_TOK_NUMBER, .text = "1", .len = 1, .span = use});
    for (size_t i = 0; i < room; i++)
        free(args[i].items);
    free(args);
    return true;
}

void bw_expand(bw_preprocessor *pp, bw_feed *f, bw_token_list *out)
{
    bw_token token;
    while (!pp->exhausted && bw_feed_next(pp, f, &token))
        if (!bw_expand_macro(pp, f, &token))
            *bw_token_append(out) = token;
}
