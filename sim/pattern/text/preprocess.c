/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "preprocess.h"

#include <stdlib.h>
#include <string.h>

#include "condition.h"
#include "given.h"
#include "include.h"

#define NATURAL_PACK 16 /* no type of CUDA's needs more: packing to it changes nothing */

/* A macro whose body is one number is a parameter: -D changes it and reports show it. */
static void define_parameter(bw_preprocessor *pp, bw_macro *m)
{
    const bw_define *define = m->function ? NULL : bw_given_define(pp->given, m->name);
    bool negative = m->body_count == 2 && bw_token_is(&m->body[0], BW_TOK_MINUS);
    bw_parameter p = {.name = m->name};
    if (define) {
        bw_token *token = bw_arena_alloc(pp->arena, sizeof *token);
        size_t len = strlen(define->value);
        bool truth = strcmp(define->value, "true") == 0 || strcmp(define->value, "false") == 0;
        if (!truth && !bw_number(define->value, len, &p.is_float, &p.integer, &p.real)) {
            bw_note(pp->diags,
                    bw_diagnose(pp->diags, BW_MSG_DEFINE_VALUE, NULL, (bw_span){0, 0},
                                "-D %s=%s: the value is not a number", m->name, define->value),
                    "write -D %s=32", m->name);
            return;
        }
        if (truth)
            p.integer = define->value[0] == 't';
        *token = (bw_token){.kind = !truth      ? BW_TOK_NUMBER
                                    : p.integer ? BW_TOK_TRUE
                                                : BW_TOK_FALSE,
                            .text = define->value,
                            .len = (uint32_t)len};
        if (define->value[0] == '-') { /* a number token has no sign: make it (0-N) by parts */
            bw_token *parts = bw_arena_alloc(pp->arena, 4 * sizeof *parts);
            parts[0] = (bw_token){.kind = BW_TOK_LPAREN, .text = "(", .len = 1};
            parts[1] = (bw_token){.kind = BW_TOK_MINUS, .text = "-", .len = 1};
            parts[2] = (bw_token){
                .kind = BW_TOK_NUMBER, .text = define->value + 1, .len = (uint32_t)len - 1};
            parts[3] = (bw_token){.kind = BW_TOK_RPAREN, .text = ")", .len = 1};
            m->body = parts;
            m->body_count = 4;
        } else {
            m->body = token;
            m->body_count = 1;
        }
    } else if (m->function || m->body_count != 1 + (size_t)negative ||
               m->body[negative].kind != BW_TOK_NUMBER ||
               !bw_number(m->body[negative].text, m->body[negative].len, &p.is_float, &p.integer,
                          &p.real)) {
        return;
    } else if (negative) {
        p.integer = -p.integer;
        p.real = -p.real;
    }
    BW_GROW(pp->out->defines, pp->out->define_count, pp->out->define_capacity);
    pp->out->defines[pp->out->define_count++] = p;
}

static void undefine(bw_preprocessor *pp, const bw_token *name)
{
    uint32_t row = bw_macro_row(pp, name->text, name->len);
    if (row != BW_NO_ROW)
        pp->macros[row] = NULL;
}

static void define(bw_preprocessor *pp, const bw_token *line, size_t count, bw_span span)
{
    if (count == 0 || !bw_is_name(&line[0])) {
        bw_note(pp->diags,
                bw_diagnose(pp->diags, BW_MSG_MACRO_DEFINITION, pp->source, span,
                            "#define without a name"),
                "write #define NAME value");
        return;
    }
    bw_macro *m = bw_arena_alloc(pp->arena, sizeof *m);
    m->name = bw_arena_copy(pp->arena, line[0].text, line[0].len);
    size_t at = 1;
    if (count > 1 && bw_token_is(&line[1], BW_TOK_LPAREN) && !line[1].spaced) {
        bw_token *names = bw_arena_alloc(pp->arena, sizeof *names * count);
        m->function = true;
        for (at = 2; at < count && !bw_token_is(&line[at], BW_TOK_RPAREN); at++) {
            if (bw_token_is(&line[at], BW_TOK_ELLIPSIS)) {
                m->variadic = true;
                names[m->parameter_count++] =
                    (bw_token){.kind = BW_TOK_VA_ARGS, .text = "__VA_ARGS__", .len = 11};
            } else if (!bw_token_is(&line[at], BW_TOK_COMMA)) {
                names[m->parameter_count++] = line[at];
            }
        }
        if (at == count || m->parameter_count >= BW_MAX_PARAMETERS) {
            bw_note(pp->diags,
                    bw_diagnose(pp->diags, BW_MSG_MACRO_DEFINITION, pp->source, span,
                                "the macro's parameters do not end"),
                    "write #define NAME(a, b) body, with fewer than 64 parameters");
            return;
        }
        m->parameters = names;
        at++;
    }
    bw_token *body = bw_arena_alloc(pp->arena, sizeof *body * (count - at + 1));
    if (count > at)
        memcpy(body, line + at, sizeof *body * (count - at));
    m->body = body;
    m->body_count = count - at;
    undefine(pp, &line[0]);
    define_parameter(pp, m);
    bw_macro_add(pp, m);
}

/* #pragma pack(n), pack(), pack(push, n), pack(pop): whether structs are laid out tighter. */
static void pack(bw_preprocessor *pp, const bw_token *line, size_t count)
{
    bool pushes = count > 1 && bw_token_named(&line[1], "push");
    bool pops = count > 1 && bw_token_named(&line[1], "pop");
    bool real = false, given = false;
    int64_t bytes = 0;
    double number = 0;
    for (size_t i = 0; i < count; i++)
        if (line[i].kind == BW_TOK_NUMBER)
            given = bw_number(line[i].text, line[i].len, &real, &bytes, &number);
    if (pops && pp->pack_depth)
        pp->pack_depth--;
    if (pushes && pp->pack_depth + 1 < BW_MAX_PACKS) {
        pp->packs[pp->pack_depth + 1] = pp->packs[pp->pack_depth];
        pp->pack_depth++;
    }
    if (given)
        pp->packs[pp->pack_depth] = bytes < NATURAL_PACK;
    else if (!pushes && !pops)
        pp->packs[pp->pack_depth] = false;
}

static void read_feed(bw_preprocessor *pp, const bw_token *items, size_t count);

static bool is_read_once(const bw_preprocessor *pp, const char *path)
{
    for (size_t i = 0; i < pp->once_count; i++)
        if (strcmp(pp->once[i], path) == 0)
            return true;
    return false;
}

/* A header's text, in the place of the line that names it: what it says stands there. */
static void read_header(bw_preprocessor *pp, const char *path, const char *text, size_t len,
                        bw_span span)
{
    bw_source *source = bw_arena_alloc(pp->arena, sizeof *source);
    *source = (bw_source){.name = path, .text = text, .len = len};
    bw_tokens raw = {0};
    bw_lex_span(pp->arena, source, (bw_span){0, (uint32_t)len}, &raw, pp->diags);
    for (size_t i = 0; i < raw.count; i++)
        raw.items[i].span = span;
    const char *folder = pp->folder, *header = pp->header;
    size_t depth = pp->depth;
    pp->folder = bw_folder_of(pp->arena, path);
    pp->header = path;
    pp->includes++;
    read_feed(pp, raw.items, raw.count - 1);
    pp->includes--;
    pp->header = header;
    pp->folder = folder;
    if (pp->depth != depth)
        bw_note(pp->diags,
                bw_diagnose(pp->diags, BW_MSG_IF_BALANCE, pp->source, span,
                            "'%s' has an #if that does not end", path),
                "add #endif there");
    pp->depth = depth < pp->depth ? depth : pp->depth;
    bw_tokens_finish(&raw);
}

/* #include "x": read where it lies beside the file. Those in angle brackets are a toolkit's. */
static void include(bw_preprocessor *pp, const bw_token *line, size_t count, bw_span span)
{
    if (count < 2 || line[1].kind != BW_TOK_STRING || bw_is_known_header(&line[1]))
        return;
    const char *path = "";
    size_t len = 0;
    const char *text = bw_header_text(pp->arena, pp->given->host, pp->folder ? pp->folder : "",
                                      &line[1], &path, &len);
    if (!text)
        bw_note_missed(pp->out, &line[1], span);
    else if (pp->includes == BW_MAX_INCLUDES || pp->header_count++ == BW_MAX_HEADERS)
        bw_give_up(pp, span, "more headers than can be meant", "look for one that includes itself");
    else if (!is_read_once(pp, path))
        read_header(pp, path, text, len, span);
}

static void directive(bw_preprocessor *pp, const bw_token *line, size_t count, bw_span span)
{
    if (count == 0 || bw_condition_line(pp, line, count, span) || !bw_taking(pp))
        return;
    if (bw_token_is(line, BW_TOK_DEFINE))
        define(pp, line + 1, count - 1, span);
    else if (bw_token_is(line, BW_TOK_UNDEF) && count > 1)
        undefine(pp, &line[1]);
    else if (bw_token_is(line, BW_TOK_INCLUDE))
        include(pp, line, count, span);
    else if (pp->header && count > 1 && bw_token_is(line, BW_TOK_PRAGMA) &&
             bw_token_named(&line[1], "once") && pp->once_count < BW_MAX_HEADERS)
        pp->once[pp->once_count++] = pp->header;
    else if (bw_token_is(line, BW_TOK_PRAGMA) && count > 1 && bw_token_named(&line[1], "pack"))
        pack(pp, line + 2, count - 2);
    else if (bw_token_is(line, BW_TOK_ERROR))
        bw_diagnose(pp->diags, BW_MSG_ERROR_DIRECTIVE, pp->source, span, "#error reached");
    else if (line->kind != BW_TOK_NUMBER && !bw_token_is(line, BW_TOK_PRAGMA) && /* # 12 "x.cu" */
             !bw_token_is(line, BW_TOK_LINE) && !bw_token_is(line, BW_TOK_WARNING))
        bw_note(pp->diags,
                bw_diagnose(pp->diags, BW_MSG_UNKNOWN_DIRECTIVE, pp->source, span,
                            "unknown directive '#%.*s'", (int)line->len, line->text),
                "known: define undef if ifdef ifndef elif else endif include pragma");
}

/* One line that begins with '#': from the token after it to the last on the line. */
static void read_directive(bw_preprocessor *pp, bw_feed *f)
{
    bw_span span = f->items[f->at++].span;
    size_t start = f->at;
    while (f->at < f->count && f->items[f->at].kind != BW_TOK_END && !f->items[f->at].line_start)
        span = bw_span_join(span, f->items[f->at++].span);
    directive(pp, f->items + start, f->at - start, span);
}

/* __attribute__((global)) is what the toolkit's headers make of __global__. */
static const struct {
    const char *name;
    bw_token_kind kind;
} space_attributes[] = {{"global", BW_TOK_GLOBAL},      {"device", BW_TOK_DEVICE},
                        {"host", BW_TOK_HOST},          {"shared", BW_TOK_SHARED},
                        {"constant", BW_TOK_CONSTANT},  {"managed", BW_TOK_MANAGED},
                        {"noinline", BW_TOK_NO_INLINE}, {"always_inline", BW_TOK_FORCE_INLINE}};
#define ATTRIBUTE_TOKENS 6 /* the word, two brackets, the name, two brackets */

/* Appends a token; where it ends such an attribute, the word stands in its place. */
static void take_token(bw_tokens *out, bw_token token)
{
    *bw_tokens_append(out) = token;
    if (!bw_token_is(&token, BW_TOK_RPAREN) || out->count < ATTRIBUTE_TOKENS)
        return;
    bw_token *first = &out->items[out->count - ATTRIBUTE_TOKENS];
    if (!bw_token_is(first, BW_TOK_ATTRIBUTE) || !bw_token_is(&first[1], BW_TOK_LPAREN) ||
        !bw_token_is(&first[2], BW_TOK_LPAREN) || !bw_token_is(&first[4], BW_TOK_RPAREN))
        return;
    for (size_t i = 0; i < sizeof space_attributes / sizeof *space_attributes; i++)
        if (bw_token_named(&first[3], space_attributes[i].name)) {
            first->kind = space_attributes[i].kind;
            first->text = bw_spelling(first->kind);
            first->len = (uint32_t)strlen(first->text);
            out->count -= ATTRIBUTE_TOKENS - 1;
        }
}

/* _Pragma("unroll") says nothing about costs. True if that was the token. */
static bool skip_pragma(bw_preprocessor *pp, bw_feed *f, const bw_token *token)
{
    if (!bw_token_is(token, BW_TOK_PRAGMA_OPERATOR) || !bw_parenthesis_follows(f))
        return false;
    bw_token part;
    while (bw_feed_next(pp, f, &part) && !bw_token_is(&part, BW_TOK_RPAREN))
        continue;
    return true;
}

static void read_feed(bw_preprocessor *pp, const bw_token *items, size_t count)
{
    bw_feed f = {.items = items, .count = count};
    for (;;) {
        if (f.depth == 0 && f.at < f.count && f.items[f.at].line_start &&
            bw_token_is(&f.items[f.at], BW_TOK_HASH)) {
            read_directive(pp, &f);
            continue;
        }
        bw_token token;
        if (pp->exhausted || !bw_feed_next(pp, &f, &token))
            break;
        token.packed = pp->packs[pp->pack_depth];
        if (bw_taking(pp) && !bw_expand_macro(pp, &f, &token) && !skip_pragma(pp, &f, &token))
            take_token(pp->out, token);
    }
    free(f.stack);
}

static void read_tokens(bw_preprocessor *pp, const bw_tokens *raw)
{
    size_t before = pp->out->count;
    read_feed(pp, raw->items, raw->count);
    if (pp->exhausted) /* what is left means nothing */
        pp->out->count = before;
    *bw_tokens_append(pp->out) = raw->items[raw->count - 1];
}

void bw_preprocess(bw_arena *arena, const bw_source *source, const bw_given *given,
                   const bw_tokens *raw, size_t count, bw_tokens *out, bw_diags *diags)
{
    bw_preprocessor pp = {
        .arena = arena, .source = source, .given = given, .out = out, .diags = diags};
    bw_words_init(&pp.words);
    bw_predefine(&pp);
    bw_define_given(&pp, raw);
    read_tokens(&pp, raw);
    out->file_count = out->count;
    if (pp.depth)
        bw_note(diags,
                bw_diagnose(diags, BW_MSG_IF_BALANCE, source, pp.conditions[pp.depth - 1].span,
                            "this #if does not end"),
                "add #endif");
    pp.depth = 0;
    for (size_t i = 1; i < count; i++)
        read_tokens(&pp, &raw[i]);
    bw_add_given_parameters(&pp);
    free(pp.macros);
    free(pp.macro_names);
}
