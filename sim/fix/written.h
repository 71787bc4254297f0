/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * written: source text as its tokens, each at its place, for those who rewrite it.
 *
 * Owns finding one's way among the tokens that the language's own lexer makes of a text: brackets,
 * signs outside them, names. Places are byte offsets into the text; spans begin and end with a
 * token, so that no comment or string is taken for code. It knows no grammar, and no macro is
 * expanded.
 *
 * Ownership: bw_written_make takes memory, bw_written_finish gives it back; the text is the
 * caller's and outlives it.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_WRITTEN_H
#define BANKWISE_WRITTEN_H

#include "lex.h"

typedef struct bw_written {
    const bw_source *source;
    bw_arena arena;   /* the lexer's */
    bw_tokens tokens; /* as written */
} bw_written;

void bw_written_make(bw_written *w, const bw_source *source);
void bw_written_finish(bw_written *w);

/* The first token that begins at or after the place; BW_TOK_END at the end of the text. */
const bw_token *bw_token_from(const bw_written *w, uint32_t at);
/* The last token that ends at or before the place; NULL where there is none. */
const bw_token *bw_token_before(const bw_written *w, uint32_t at);
/* The place after a token. */
static inline uint32_t bw_token_end(const bw_token *token)
{
    return token->span.offset + token->span.len;
}

/* Whether the next token from `at` on is the bracket `open`; *inner gets the tokens between it and
 * its partner (an empty span after the bracket where there are none), *end the place after the
 * partner. False also where it is not closed. */
bool bw_written_group(const bw_written *w, uint32_t at, bw_token_kind open, bw_span *inner,
                      uint32_t *end);
/* The next sign `wanted` outside brackets in [at, end); `end` where there is none. */
uint32_t bw_written_find(const bw_written *w, uint32_t at, uint32_t end, bw_token_kind wanted);
/* From the first to the last token in the span; an empty span where it has none. */
bw_span bw_written_trim(const bw_written *w, bw_span span);
/* The first token in [at, end) that is the word `name`; NULL where there is none. */
const bw_token *bw_written_name(const bw_written *w, uint32_t at, uint32_t end, const char *name);
/* What stands between the braces of the definition of struct `name`, comments and all; false where
 * the source has none. */
bool bw_written_struct(const bw_written *w, const char *name, bw_span *body);
/* Where the statement of `at` begins: after the last `;`, brace or directive. */
uint32_t bw_written_statement(const bw_written *w, uint32_t at);

/* What an expression's text looks like. */
typedef struct bw_shape {
    bool atom;             /* names, numbers and members alone: binds tighter than any operator */
    bool bracketed;        /* one pair of brackets around all of it */
    bool loose;            /* outside brackets an operator that binds looser than + */
    bool product;          /* outside brackets no operator but * */
    bool decimal;          /* one number that is what it reads like: small, and not octal */
    bool sum;              /* ends with + and such a number, and is not loose */
    uint64_t number;       /* of `decimal` or `sum` */
    uint32_t plus, addend; /* of `sum`: the places of the sign and the number */
} bw_shape;

bw_shape bw_shape_of(const char *text);

#endif
