/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lex: a pattern file's text as tokens and directive comments, macros expanded.
 *
 * Owns splitting, the preprocessor (#define, #undef, #if and its kin; #include, #pragma, #line are
 * passed over) and the comments that carry expectations and assumptions. It knows no grammar. All
 * memory comes from the arena given. A token made by a macro carries the place where the macro was
 * used, so that every diagnostic and access points into the file itself.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_LEX_H
#define BANKWISE_LEX_H

#include "program.h"
#include "words.h"

typedef struct bw_token {
    bw_token_kind kind;
    uint32_t len;
    const char *text; /* spelling; for strings and characters with the quotes */
    bw_span span;     /* place in the file (of the outermost macro use) */
    bool line_start;  /* first on its line */
    bool spaced;      /* white space before it */
    bool sealed;      /* a macro's own name inside its expansion: not expanded again */
    bool packed;      /* under a #pragma pack that makes structs tighter */
} bw_token;

/* A comment that speaks to us: "expect:" or "assume:", with the text after the colon. */
typedef struct bw_comment {
    bool is_assume;
    unsigned line;
    bw_span span; /* of the text after the colon */
} bw_comment;

#define BW_MOST_HANGING 8

typedef struct bw_tokens {
    bw_token
        *items; /* of the file, then of each text that comes with it; each ends with BW_TOK_END */
    size_t count, capacity;
    size_t file_count; /* of the file alone */
    bw_comment *comments;
    size_t comment_count, comment_capacity;
    const char *title;     /* of the first comment, or NULL */
    bw_parameter *defines; /* object-like macros that stand for one number */
    size_t define_count, define_capacity;
    bw_token missed; /* the first header that was not found, with the place that names it */
    size_t missed_count;
    bw_token hanging[BW_MOST_HANGING]; /* names that conditions after it ask for, in vain */
    size_t hanging_count;
} bw_tokens;

/* What the command line says of a file. */
typedef struct bw_given {
    const bw_arch *arch; /* for __CUDA_ARCH__ */
    const bw_define *defines;
    size_t define_count;
    bool *used;          /* by define: the file has its name */
    const bw_host *host; /* reads the file's own headers; NULL: nobody does */
} bw_given;

/* What -D gives the name, which it then has used; NULL: nothing. */
const bw_define *bw_given_define(const bw_given *given, const char *name);

/* Splits and expands the text, and those that it goes on in (bw_source.more), with one set of
 * macros. The defines that are given replace the macros of their names; those whose name the text
 * declares as no variable are macros before line 1. Errors go to diags; what was read is returned
 * all the same. The arrays are malloc'd: bw_tokens_finish. */
void bw_lex(bw_arena *arena, const bw_source *source, const bw_given *given, bw_tokens *tokens,
            bw_diags *diags);
void bw_tokens_finish(bw_tokens *tokens);

/* Splits text that is part of `source` (a comment's), without macros. */
void bw_lex_span(bw_arena *arena, const bw_source *source, bw_span span, bw_tokens *tokens,
                 bw_diags *diags);

static inline bool bw_token_is(const bw_token *token, bw_token_kind kind)
{
    return token->kind == kind;
}

/* A word, of the table or not. */
static inline bool bw_is_name(const bw_token *token)
{
    return token->kind >= BW_TOK_NAME && token->kind < BW_TOK_SIGN;
}

static inline bool bw_is_sign(const bw_token *token)
{
    return token->kind >= BW_TOK_SIGN;
}

/* True if the token is the word `name`, which is the program's. */
bool bw_token_named(const bw_token *token, const char *name);

/* The value of a number as -D takes it. False if `text` is no number. */
bool bw_number(const char *text, size_t len, bool *is_float, int64_t *integer, double *real);

#endif
