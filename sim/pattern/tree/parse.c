/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "parse.h"
#include "reach.h"

#include <stdlib.h>
#include <string.h>

#include "index.h"

const bw_token *bw_peek(const bw_parser *p, size_t ahead)
{
    size_t at = p->at + ahead;
    return &p->tokens[at < p->count ? at : p->count - 1];
}

bool bw_at(const bw_parser *p, bw_token_kind kind)
{
    return bw_token_is(bw_peek(p, 0), kind);
}

bool bw_is_in(const bw_token *token, const bw_token_kind *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bw_token_is(token, words[i]))
            return true;
    return false;
}

const bw_token *bw_take(bw_parser *p)
{
    const bw_token *token = bw_peek(p, 0);
    if (p->at + 1 < p->count)
        p->at++;
    return token;
}

bool bw_accept(bw_parser *p, bw_token_kind kind)
{
    if (!bw_at(p, kind))
        return false;
    bw_take(p);
    return true;
}

const char *bw_name_of(bw_parser *p, const bw_token *token)
{
    return bw_arena_copy(p->arena, token->text, token->len);
}

bw_span bw_span_from(const bw_parser *p, size_t first_token)
{
    bw_span first = p->tokens[first_token].span;
    uint32_t start = first.offset, end = first.offset + first.len;
    for (size_t i = first_token + 1; i < p->at; i++) {
        bw_span s = p->tokens[i].span;
        start = s.offset < start ? s.offset : start;
        end = s.offset + s.len > end ? s.offset + s.len : end;
    }
    return (bw_span){start, end - start};
}

void bw_unwind(bw_parser *p)
{
    longjmp(*p->recover, 1);
}

void bw_syntax_error(bw_parser *p, bw_message_id id, const char *note, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    bw_diagnostic *d = bw_diagnose(p->diags, id, p->source, bw_peek(p, 0)->span, "%s", message);
    if (note)
        bw_note(p->diags, d, "%s", note);
    bw_unwind(p);
}

void bw_expect_token(bw_parser *p, bw_token_kind kind, const char *where)
{
    if (bw_accept(p, kind))
        return;
    const bw_token *token = bw_peek(p, 0);
    const char *text = bw_spelling(kind);
    char note[128];
    snprintf(note, sizeof note, "put '%s' %s", text, where);
    if (token->kind == BW_TOK_END)
        bw_syntax_error(p, BW_MSG_EXPECTED_TOKEN, note,
                        "expected '%s' %s, found the end of the file", text, where);
    bw_syntax_error(p, BW_MSG_EXPECTED_TOKEN, note, "expected '%s' %s, found '%.*s'", text, where,
                    (int)token->len, token->text);
}

void bw_enter(bw_parser *p)
{
    if (++p->depth > BW_MAX_DEPTH)
        bw_syntax_error(p, BW_MSG_NESTING_DEPTH, "split it into several statements",
                        "nested more than %d levels deep", BW_MAX_DEPTH);
}

void bw_leave(bw_parser *p)
{
    p->depth--;
}

void bw_check_chain(bw_parser *p, unsigned *links)
{
    if (++*links > BW_MAX_CHAIN)
        bw_syntax_error(p, BW_MSG_NESTING_DEPTH, "split it into several statements",
                        "more than %d operators in a row", BW_MAX_CHAIN);
}

void bw_push_scope(bw_parser *p)
{
    bw_scope *scope = bw_arena_alloc(p->arena, sizeof *scope);
    scope->parent = p->scope;
    p->scope = scope;
}

void bw_pop_scope(bw_parser *p)
{
    p->scope = p->scope->parent;
}

/* More symbols than this are looked up by hash. */
#define FEW_SYMBOLS 8

static bw_symbol *find_in(const bw_scope *scope, const char *name, size_t len, uint32_t hash)
{
    bool few = !scope->bucket_count;
    bw_symbol *s = few ? scope->symbols : scope->buckets[hash & (scope->bucket_count - 1)];
    for (; s; s = few ? s->next : s->next_alike)
        if (s->hash == hash && strncmp(s->name, name, len) == 0 && s->name[len] == '\0')
            return s;
    return NULL;
}

bw_symbol *bw_lookup_in(const bw_scope *scope, const char *name, size_t len)
{
    return find_in(scope, name, len, bw_hash_text(name, len));
}

bw_symbol *bw_lookup(const bw_parser *p, const char *name, size_t len)
{
    uint32_t hash = bw_hash_text(name, len);
    for (const bw_scope *scope = p->scope; scope; scope = scope->parent) {
        bw_symbol *s = find_in(scope, name, len, hash);
        if (s)
            return s;
    }
    /* who "using" a namespace is, is not followed: its names are found where no other is */
    for (const bw_scope *scope = p->spaces ? *p->spaces : NULL; scope; scope = scope->next_space) {
        bw_symbol *s = find_in(scope, name, len, hash);
        if (s)
            return s;
    }
    return NULL;
}

const bw_scope *bw_space_with(const bw_parser *p, const bw_token *space, const bw_token *name)
{
    if (!bw_is_name(name))
        return NULL;
    for (const bw_scope *scope = *p->spaces; scope; scope = scope->next_space)
        if (strlen(scope->space) == space->len &&
            memcmp(scope->space, space->text, space->len) == 0 &&
            bw_lookup_in(scope, name->text, name->len))
            return scope;
    return NULL;
}

bool bw_is_global(const bw_scope *scope)
{
    return !scope->parent || scope->space;
}

/* More buckets, each with its symbols in order. */
static void spread(bw_parser *p, bw_scope *scope)
{
    scope->bucket_count = scope->bucket_count ? 4 * scope->bucket_count : 4 * FEW_SYMBOLS;
    scope->buckets = bw_arena_alloc(p->arena, scope->bucket_count * sizeof *scope->buckets);
    for (bw_symbol *s = scope->symbols; s; s = s->next) {
        bw_symbol **end = &scope->buckets[s->hash & (scope->bucket_count - 1)];
        while (*end)
            end = &(*end)->next_alike;
        s->next_alike = NULL;
        *end = s;
    }
}

static void add_symbol(bw_parser *p, bw_scope *scope, bw_symbol *s)
{
    s->next = scope->symbols;
    scope->symbols = s;
    scope->count++;
    if (scope->count > FEW_SYMBOLS && scope->count > scope->bucket_count) {
        spread(p, scope);
    } else if (scope->bucket_count) {
        bw_symbol **bucket = &scope->buckets[s->hash & (scope->bucket_count - 1)];
        s->next_alike = *bucket;
        *bucket = s;
    }
}

bw_symbol *bw_declare(bw_parser *p, const char *name, bw_symbol_kind kind, const bw_type *type,
                      bw_span span)
{
    size_t len = strlen(name);
    uint32_t hash = bw_hash_text(name, len);
    bw_symbol *old = find_in(p->scope, name, len, hash);
    if (old && kind == BW_SY_TYPE && old->kind == kind && bw_type_same(old->type, type))
        return old; /* typedef struct P { … } P; */
    if (old && kind != BW_SY_FUNCTION &&
        !(old->kind == BW_SY_VARIABLE && kind == old->kind && old->is_extern)) {
        bw_diagnostic *d = bw_diagnose(p->diags, BW_MSG_DECLARED_TWICE, p->source, span,
                                       "'%s' is declared twice in one scope", name);
        bw_also(p->diags, d, p->source, old->span, "the first declaration is here");
        bw_note(p->diags, d, "rename one of them, or put each into a block of its own");
    }
    bw_symbol *s = bw_arena_alloc(p->arena, sizeof *s);
    *s = (bw_symbol){.name = name, .hash = hash, .kind = kind, .type = type, .span = span};
    add_symbol(p, p->scope, s);
    return s;
}

void bw_skip_statement(bw_parser *p, size_t start)
{
    p->at = start;
    bool header =
        bw_at(p, BW_TOK_FOR) || bw_at(p, BW_TOK_IF); /* its semicolons stand in parentheses */
    int braces = 0, parens = 0;
    for (; bw_peek(p, 0)->kind != BW_TOK_END; bw_take(p)) {
        parens += bw_at(p, BW_TOK_LPAREN) - bw_at(p, BW_TOK_RPAREN);
        braces += bw_at(p, BW_TOK_LBRACE);
        if (bw_at(p, BW_TOK_RBRACE)) {
            if (braces == 0)
                return; /* it closes what the statement stands in */
            if (--braces == 0) {
                bw_take(p);
                bw_accept(p, BW_TOK_SEMICOLON);
                return;
            }
        }
        if (bw_at(p, BW_TOK_SEMICOLON) && braces == 0 && (parens <= 0 || !header)) {
            bw_take(p);
            return;
        }
    }
}

size_t bw_after_brackets(const bw_parser *p, size_t at)
{
    int depth = 0;
    for (; at < p->count && p->tokens[at].kind != BW_TOK_END; at++) {
        const bw_token *t = &p->tokens[at];
        depth += bw_token_is(t, BW_TOK_LPAREN) || bw_token_is(t, BW_TOK_LBRACE) ||
                 bw_token_is(t, BW_TOK_LBRACKET);
        depth -= bw_token_is(t, BW_TOK_RPAREN) || bw_token_is(t, BW_TOK_RBRACE) ||
                 bw_token_is(t, BW_TOK_RBRACKET);
        if (depth == 0)
            return at + 1;
    }
    return at;
}

void bw_skip_bracketed(bw_parser *p)
{
    int depth = 0;
    do {
        depth += bw_at(p, BW_TOK_LPAREN) || bw_at(p, BW_TOK_LBRACE);
        depth -= bw_at(p, BW_TOK_RPAREN) || bw_at(p, BW_TOK_RBRACE);
        if (bw_peek(p, 0)->kind == BW_TOK_END)
            bw_syntax_error(p, BW_MSG_UNCLOSED, "close it", "a bracket without its end");
        bw_take(p);
    } while (depth > 0);
}

void bw_skip_substatement(bw_parser *p)
{
    bw_enter(p);
    if (bw_at(p, BW_TOK_LBRACE)) {
        bw_skip_bracketed(p);
    } else if (bw_accept(p, BW_TOK_IF)) {
        bw_accept(p, BW_TOK_CONSTEXPR);
        bw_skip_bracketed(p);
        bw_skip_substatement(p);
        if (bw_accept(p, BW_TOK_ELSE))
            bw_skip_substatement(p);
    } else if (bw_at(p, BW_TOK_FOR) || bw_at(p, BW_TOK_WHILE) || bw_at(p, BW_TOK_SWITCH)) {
        bw_take(p);
        bw_skip_bracketed(p);
        bw_skip_substatement(p);
    } else if (bw_accept(p, BW_TOK_DO)) {
        bw_skip_substatement(p);
        bw_accept(p, BW_TOK_WHILE);
        bw_skip_bracketed(p);
        bw_expect_token(p, BW_TOK_SEMICOLON, "after do … while");
    } else {
        while (!bw_at(p, BW_TOK_SEMICOLON) && !bw_at(p, BW_TOK_RBRACE) &&
               bw_peek(p, 0)->kind != BW_TOK_END) {
            if (bw_at(p, BW_TOK_LPAREN) || bw_at(p, BW_TOK_LBRACE))
                bw_skip_bracketed(p);
            else
                bw_take(p);
        }
        bw_expect_token(p, BW_TOK_SEMICOLON, "after the statement");
    }
    bw_leave(p);
}

static bool has_kernel(const bw_parser *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (bw_token_is(&p->tokens[i], BW_TOK_LAUNCH_OPEN) ||
            bw_token_is(&p->tokens[i], BW_TOK_GLOBAL))
            return true;
    return false;
}

/* using namespace std; namespace cg = cooperative_groups; */
static void skip_to_semicolon(bw_parser *p)
{
    while (!bw_at(p, BW_TOK_SEMICOLON) && bw_peek(p, 0)->kind != BW_TOK_END)
        bw_take(p);
    bw_accept(p, BW_TOK_SEMICOLON);
}

static void append_script(bw_parser *p, bw_stmt *statement, bw_span span)
{
    statement = bw_after_pending(p, statement);
    if (!statement)
        return;
    if (p->kernel_form && statement->kind != BW_SM_EMPTY) {
        bw_note(
            p->diags,
            bw_diagnose(p->diags, BW_MSG_MIXED_FORMS, p->source, span,
                        "a statement at top level beside a kernel: a file is either a script or "
                        "kernels with their launches"),
            "move the statement into a kernel, or make it 'const NAME = value;'");
        return;
    }
    *p->script_end = statement;
    while (*p->script_end)
        p->script_end = &(*p->script_end)->next;
}

static void guarded_top_level(bw_parser *p);

/* After "{", to "}". */
static void parse_group(bw_parser *p, const char *where)
{
    bw_enter(p);
    while (!bw_at(p, BW_TOK_RBRACE) && bw_peek(p, 0)->kind != BW_TOK_END)
        guarded_top_level(p);
    bw_leave(p);
    bw_expect_token(p, BW_TOK_RBRACE, where);
}

/* What the command line launches stands in the place of all launches of the file. */
static bool launched_by_option(const bw_parser *p)
{
    return p->input->tokens->count > p->input->tokens->file_count;
}

static void skip_host_function(bw_parser *p)
{
    while (!bw_at(p, BW_TOK_LBRACE))
        bw_take(p);
    bw_skip_braces(p);
}

static void parse_top_level(bw_parser *p)
{
    const bw_token *token = bw_peek(p, 0);
    size_t start = p->at;
    if (bw_accept(p, BW_TOK_SEMICOLON))
        return;
    bool assigned = bw_token_is(bw_peek(p, 2), BW_TOK_ASSIGN);
    if (bw_at(p, BW_TOK_USING) ? !assigned : bw_at(p, BW_TOK_NAMESPACE) && assigned) {
        skip_to_semicolon(p);
    } else if (bw_at(p, BW_TOK_EXTERN) && bw_peek(p, 1)->kind == BW_TOK_STRING) {
        bw_take(p);
        bw_take(p);
        if (bw_accept(p, BW_TOK_LBRACE))
            parse_group(p, "after extern \"C\"");
    } else if (bw_at(p, BW_TOK_NAMESPACE)) {
        bw_scope *outer = p->scope;
        p->cxx->name_space(p);
        parse_group(p, "after the namespace");
        p->scope = outer;
    } else if (bw_at(p, BW_TOK_TEMPLATE) && !bw_token_is(bw_peek(p, 1), BW_TOK_LESS)) {
        skip_to_semicolon(p); /* an explicit instantiation makes no launch */
    } else if (bw_at(p, BW_TOK_TEMPLATE)) {
        bw_parse_template(p);
    } else if (bw_at_launch(p)) {
        if (launched_by_option(p))
            bw_skip_substatement(p);
        else
            bw_parse_launch(p);
    } else if (p->kernel_form && bw_at_host_dim3(p)) {
        p->host->dim3(p);
    } else if (bw_at_host_function(p)) {
        if (launched_by_option(p))
            skip_host_function(p);
        else
            p->host->function(p);
    } else if (bw_at_declaration(p)) {
        bw_stmt *statement = bw_parse_declaration_statement(p);
        if (statement)
            bw_note_statement(p, start);
        append_script(p, statement, token->span);
    } else {
        bw_stmt *statement = bw_parse_statement(p);
        append_script(p, statement, bw_span_from(p, start));
    }
}

/* A namespace, or extern "C" with braces: what stands in it are constructs of their own. */
static bool at_group(const bw_parser *p)
{
    return bw_at(p, BW_TOK_NAMESPACE) ||
           (bw_at(p, BW_TOK_EXTERN) && bw_peek(p, 1)->kind == BW_TOK_STRING &&
            bw_token_is(bw_peek(p, 2), BW_TOK_LBRACE));
}

/* One top-level construct, with recovery. */
static void guarded_top_level(bw_parser *p)
{
    jmp_buf here, *outer = p->recover;
    size_t start = p->at, from = p->diags->count, errors = p->diags->errors;
    bool group = at_group(p);
    bw_scope *scope = p->scope;
    p->recover = &here;
    if (setjmp(here) == 0) {
        parse_top_level(p);
    } else {
        p->scope = scope;
        p->function = NULL;
        p->depth = p->loops = p->switches = 0;
        p->half_at = 0;
        p->pending = NULL;
        p->no_greater = p->labels = false;
        bw_skip_statement(p, start);
        if (bw_at(p, BW_TOK_RBRACE))
            bw_take(p);
    }
    if (!group)
        bw_note_part(p, start, from, errors);
    p->recover = outer;
}

static void parse_file(bw_parser *p)
{
    p->kernel_form = has_kernel(p);
    p->script_end = &p->tree->script;
    bw_push_scope(p);
    p->globals = p->scope;
    while (bw_peek(p, 0)->kind != BW_TOK_END)
        guarded_top_level(p);
    if (!launched_by_option(p))
        p->host->finish(p);
    bw_parse_given_launches(p);
    bw_launch_rest(p);
    bw_report_left_out(p);
    p->count = p->input->tokens->file_count;
}

/* Macros that stand for numbers are parameters too. */
static void take_macros(bw_tree *tree, const bw_tokens *tokens)
{
    for (size_t i = 0; i < tokens->define_count; i++) {
        BW_GROW(tree->parameters, tree->parameter_count, tree->parameter_capacity);
        tree->parameters[tree->parameter_count++] = tokens->defines[i];
    }
}

void bw_tree_read(bw_tree *tree, const bw_tree_input *input, bw_diags *diags)
{
    bw_parser p = {.cxx = input->cxx,
                   .host = input->host_code,
                   .input = input,
                   .tree = tree,
                   .arena = input->arena,
                   .source = input->source,
                   .diags = diags,
                   .tokens = input->tokens->items,
                   .count = input->tokens->file_count,
                   .seen = bw_new_seen_types(input->arena),
                   .constructs = bw_arena_alloc(input->arena, sizeof *p.constructs),
                   .spaces = bw_arena_alloc(input->arena, sizeof *p.spaces)};
    take_macros(tree, input->tokens);
    parse_file(&p);
    bw_forget_unreached(&p);
    for (size_t i = 0; i < input->tokens->comment_count; i++)
        if (input->tokens->comments[i].is_assume)
            bw_parse_assume(&p, &input->tokens->comments[i]);
}

void bw_tree_finish(bw_tree *tree)
{
    free(tree->launches);
    free(tree->assumes);
    free(tree->parameters);
    free(tree->statements);
}
