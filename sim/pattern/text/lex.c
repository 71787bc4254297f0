/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "lex.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "preprocess.h"

typedef struct scanner {
    bw_arena *arena;
    const bw_source *source;
    bw_tokens *out;
    bw_diags *diags;
    bw_words words;
    uint32_t at, end;
    unsigned line;
    bool line_start, spaced, seen_comment;
} scanner;

bool bw_token_named(const bw_token *token, const char *name)
{
    return bw_is_name(token) && strlen(name) == token->len &&
           memcmp(token->text, name, token->len) == 0;
}

static int peek(const scanner *s, uint32_t ahead)
{
    return s->at + ahead < s->end ? (unsigned char)s->source->text[s->at + ahead] : -1;
}

bw_token *bw_tokens_append(bw_tokens *tokens)
{
    BW_GROW(tokens->items, tokens->count, tokens->capacity);
    return &tokens->items[tokens->count++];
}

static void emit(scanner *s, bw_token_kind kind, uint32_t start)
{
    *bw_tokens_append(s->out) = (bw_token){.kind = kind,
                                           .len = s->at - start,
                                           .text = s->source->text + start,
                                           .span = {start, s->at - start},
                                           .line_start = s->line_start,
                                           .spaced = s->spaced};
    s->line_start = s->spaced = false;
}

/* The first comment gives the title: its "title:" line if it has one, else its first line. */
static void take_title(scanner *s, uint32_t start, uint32_t end)
{
    const char *text = s->source->text;
    while (start < end && (isspace((unsigned char)text[start]) || text[start] == '*'))
        start++;
    uint32_t stop = start;
    while (stop < end && text[stop] != '\n' && text[stop] != '\r')
        stop++;
    if (stop - start > 6 && memcmp(text + start, "title:", 6) == 0)
        for (start += 6; start < stop && text[start] == ' ';)
            start++;
    if (stop > start && (!s->out->title || !*s->out->title))
        s->out->title = bw_arena_copy(s->arena, text + start, stop - start);
}

/* Steps over a word that begins with the letters of `word`, in either case; false otherwise. */
static bool skip_word(const char *text, uint32_t *at, uint32_t end, const char *word)
{
    uint32_t i = *at;
    for (; *word; word++, i++)
        if (i >= end || tolower((unsigned char)text[i]) != *word)
            return false;
    while (i < end && isalpha((unsigned char)text[i]))
        i++;
    *at = i;
    return true;
}

static void skip_signs(const char *text, uint32_t *at, uint32_t end, const char *signs)
{
    while (*at < end && strchr(signs, text[*at]))
        ++*at;
}

/* "Expected 2-way": meant as an expectation, and silently none without this. */
static bool is_nearly_expectation(const char *text, uint32_t at, uint32_t end)
{
    static const char *const units[] = {"way", "wavefront", "excessive", "cycle"};
    if (!skip_word(text, &at, end, "expect"))
        return false;
    skip_signs(text, &at, end, " \t:=");
    if (skip_word(text, &at, end, "conflict")) {
        skip_signs(text, &at, end, " -");
        return skip_word(text, &at, end, "free");
    }
    uint32_t digits = at;
    while (at < end && isdigit((unsigned char)text[at]))
        at++;
    if (at == digits)
        return false;
    skip_signs(text, &at, end, " -");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (skip_word(text, &at, end, units[i]))
            return true;
    return false;
}

static void warn_of_expectation(scanner *s, uint32_t at, uint32_t end)
{
    const char *text = s->source->text;
    uint32_t stop = at;
    while (stop < end && text[stop] != '\n' && text[stop] != '\r')
        stop++;
    if (!is_nearly_expectation(text, at, stop))
        return;
    bw_note(s->diags,
            bw_diagnose(s->diags, BW_MSG_EXPECT, s->source, (bw_span){at, stop - at},
                        "this is no expectation: it does not begin with 'expect:'"),
            "write: // expect: 2-way");
}

static void take_comment(scanner *s, uint32_t start, uint32_t end, unsigned line)
{
    const char *text = s->source->text;
    uint32_t at = start;
    while (at < end && (text[at] == ' ' || text[at] == '\t' || text[at] == '*'))
        at++;
    bool expect = end - at >= 7 && memcmp(text + at, "expect:", 7) == 0;
    bool assume = end - at >= 7 && memcmp(text + at, "assume:", 7) == 0;
    if (!expect)
        warn_of_expectation(s, at, end);
    if (expect || assume) {
        BW_GROW(s->out->comments, s->out->comment_count, s->out->comment_capacity);
        s->out->comments[s->out->comment_count++] =
            (bw_comment){assume, line, {at + 7, end - (at + 7)}};
    } else if (!s->seen_comment && s->out->count == 0 &&
               !(end - at >= 4 && memcmp(text + at, "SPDX", 4) == 0)) {
        s->seen_comment = true;
        take_title(s, at, end);
    }
}

static void newline(scanner *s)
{
    s->line++;
    s->line_start = s->spaced = true;
}

/* White space, line continuations and comments. */
static void skip_blank(scanner *s)
{
    for (int c; (c = peek(s, 0)) >= 0;) {
        if (c == '\n') {
            newline(s);
            s->at++;
        } else if (c == '\\' &&
                   (peek(s, 1) == '\n' || (peek(s, 1) == '\r' && peek(s, 2) == '\n'))) {
            s->at += peek(s, 1) == '\n' ? 2 : 3;
            s->line++;
            s->spaced = true;
        } else if (isspace(c)) {
            s->at++;
            s->spaced = true;
        } else if (c == '/' && peek(s, 1) == '/') {
            uint32_t start = s->at + 2;
            while (peek(s, 0) >= 0 && peek(s, 0) != '\n')
                s->at++;
            take_comment(s, start, s->at, s->line);
        } else if (c == '/' && peek(s, 1) == '*') {
            uint32_t start = s->at;
            unsigned line = s->line;
            for (s->at += 2; peek(s, 0) >= 0 && !(peek(s, 0) == '*' && peek(s, 1) == '/'); s->at++)
                if (peek(s, 0) == '\n')
                    s->line++;
            if (peek(s, 0) < 0) {
                bw_note(s->diags,
                        bw_diagnose(s->diags, BW_MSG_UNTERMINATED_COMMENT, s->source,
                                    (bw_span){start, 2}, "this comment does not end"),
                        "add */ where it should end");
                return;
            }
            take_comment(s, start + 2, s->at, line);
            s->at += 2;
            s->spaced = true;
        } else {
            return;
        }
    }
}

/* A preprocessing number: the sign belongs to an exponent only outside hexadecimal integers. */
static void scan_number(scanner *s)
{
    bool hex = peek(s, 0) == '0' && (peek(s, 1) == 'x' || peek(s, 1) == 'X');
    for (int c, before = 0; (c = peek(s, 0)) >= 0; before = c, s->at++) {
        bool exponent = hex ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
        if (!(isalnum(c) || c == '.' || c == '_' || (c == '\'' && isalnum(peek(s, 1))) ||
              (exponent && (c == '+' || c == '-'))))
            break;
    }
}

static void scan_quoted(scanner *s, int quote)
{
    uint32_t start = s->at++;
    while (peek(s, 0) >= 0 && peek(s, 0) != quote && peek(s, 0) != '\n')
        s->at += peek(s, 0) == '\\' && peek(s, 1) >= 0 ? 2 : 1;
    if (peek(s, 0) != quote) {
        bw_note(s->diags,
                bw_diagnose(s->diags, BW_MSG_UNTERMINATED_LITERAL, s->source, (bw_span){start, 1},
                            "this %s does not end", quote == '"' ? "string" : "character"),
                "close it on the same line");
        return;
    }
    s->at++;
    emit(s, quote == '"' ? BW_TOK_STRING : BW_TOK_CHARACTER, start);
}

static bool scan_sign(scanner *s)
{
    uint32_t start = s->at;
    bw_token_kind kind = bw_words_sign(&s->words, s->source->text + start, s->end - start);
    if (kind == BW_TOK_END)
        return false;
    s->at += (uint32_t)strlen(bw_spelling(kind));
    emit(s, kind, start);
    return true;
}

static void scan(scanner *s)
{
    for (skip_blank(s); peek(s, 0) >= 0; skip_blank(s)) {
        int c = peek(s, 0);
        uint32_t start = s->at;
        if (isalpha(c) || c == '_' || c == '$') {
            while (isalnum(peek(s, 0)) || peek(s, 0) == '_' || peek(s, 0) == '$')
                s->at++;
            emit(s, bw_words_find(&s->words, s->source->text + start, s->at - start), start);
        } else if (isdigit(c) || (c == '.' && isdigit(peek(s, 1)))) {
            scan_number(s);
            emit(s, BW_TOK_NUMBER, start);
        } else if (c == '"' || c == '\'') {
            scan_quoted(s, c);
        } else if (!scan_sign(s)) {
            bw_note(
                s->diags,
                bw_diagnose(s->diags, BW_MSG_UNEXPECTED_CHARACTER, s->source, (bw_span){s->at, 1},
                            isprint(c) ? "unexpected character '%c'" : "unexpected byte 0x%02x", c),
                "names and operators are plain ASCII; other characters belong in comments");
            do /* the bytes of one or more such characters: one error */
                s->at++;
            while (c >= 0x80 && peek(s, 0) >= 0x80);
        }
    }
}

static void finish(scanner *s)
{
    *bw_tokens_append(s->out) = (bw_token){
        .kind = BW_TOK_END, .text = "", .span = {s->end, 0}, .line_start = true, .spaced = true};
}

void bw_lex_span(bw_arena *arena, const bw_source *source, bw_span span, bw_tokens *tokens,
                 bw_diags *diags)
{
    scanner s = {.arena = arena,
                 .source = source,
                 .out = tokens,
                 .diags = diags,
                 .at = span.offset,
                 .end = span.offset + span.len,
                 .line = 1,
                 .line_start = true};
    bw_words_init(&s.words);
    scan(&s);
    finish(&s);
}

const bw_define *bw_given_define(const bw_given *given, const char *name)
{
    for (size_t i = 0; i < given->define_count; i++)
        if (strcmp(given->defines[i].name, name) == 0) {
            given->used[i] = true;
            return &given->defines[i];
        }
    return NULL;
}

void bw_lex(bw_arena *arena, const bw_source *source, const bw_given *given, bw_tokens *tokens,
            bw_diags *diags)
{
    uint32_t start = source->len >= 3 && memcmp(source->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    size_t count = 1, base = source->len + 1;
    for (const bw_source *more = source->more; more; more = more->more)
        count++;
    bw_tokens *raw = bw_calloc(count, sizeof *raw);
    bw_lex_span(arena, source, (bw_span){start, (uint32_t)source->len - start}, raw, diags);
    tokens->comments = raw->comments;
    tokens->comment_count = raw->comment_count;
    tokens->comment_capacity = raw->comment_capacity;
    tokens->title = raw->title;
    size_t next = 1;
    for (const bw_source *more = source->more; more; more = more->more, next++) {
        bw_lex_span(arena, more, (bw_span){0, (uint32_t)more->len}, &raw[next], diags);
        for (size_t i = 0; i < raw[next].count; i++)
            raw[next].items[i].span.offset += (uint32_t)base;
        base += more->len + 1;
    }
    bw_preprocess(arena, source, given, raw, count, tokens, diags);
    for (size_t i = 0; i < count; i++)
        free(raw[i].items);
    for (size_t i = 1; i < count; i++)
        free(raw[i].comments);
    free(raw);
}

void bw_tokens_finish(bw_tokens *tokens)
{
    free(tokens->items);
    free(tokens->comments);
    free(tokens->defines);
    *tokens = (bw_tokens){0};
}

bool bw_number(const char *text, size_t len, bool *is_float, int64_t *integer, double *real)
{
    char buffer[64];
    if (len == 0 || len >= sizeof buffer)
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < len; i++)
        if (text[i] != '\'') /* C++14 digit separators */
            buffer[kept++] = text[i];
    if (!kept)
        return false;
    buffer[kept] = '\0';
    const char *digits = buffer + (buffer[0] == '-' || buffer[0] == '+');
    bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    bool binary = digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B');
    char *end;
    *is_float = strpbrk(digits, hex ? ".pP" : ".eE") != NULL;
    if (!isdigit((unsigned char)digits[0]) && digits[0] != '.')
        return false;
    if (*is_float || (!hex && !binary && strchr("fF", buffer[kept - 1]))) {
        *is_float = true;
        *real = strtod(buffer, &end);
        *integer = 0;
        if (*end && strchr("fFlL", *end))
            end++;
        return *end == '\0';
    }
    errno = 0;
    uint64_t value = strtoull(binary ? digits + 2 : digits, &end, binary ? 2 : 0);
    if (errno == ERANGE) /* more than 64 bits */
        return false;
    while (*end && strchr("uUlL", *end))
        end++;
    *integer = buffer[0] == '-' ? (int64_t)(0 - value) : (int64_t)value;
    *real = (double)*integer;
    return *end == '\0';
}
