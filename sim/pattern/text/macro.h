/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * macro: macros by name, and their expansion.
 *
 * Owns the table of macros, the feed that gives tokens back and the limits of what may grow; and
 * the state that reading a file's directives, conditions and macros share. It knows no directive.
 * Macros and their bodies are the arena's. Internal to lex.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_MACRO_H
#define BANKWISE_MACRO_H

#include "include.h"
#include "index.h"
#include "lex.h"

#define BW_MAX_CONDITIONS 64
#define BW_MAX_NESTING 200 /* of macro calls in arguments, and in the condition of an #if */
#define BW_MAX_PARAMETERS 64
#define BW_MAX_PACKS 16

/* Tokens alone: arguments and bodies, many of which are open where calls nest. malloc'd. */
typedef struct bw_token_list {
    bw_token *items;
    size_t count, capacity;
} bw_token_list;

typedef struct bw_macro {
    const char *name;
    bool function, variadic, active;
    size_t parameter_count, body_count;
    const bw_token *parameters, *body;
    bool *used; /* of one that -D gives: whether the text asked for it; else NULL */
} bw_macro;

/* Where tokens come from: pushed-back ones first (last in, first out), then the list. A pushed
 * BW_TOK_END whose text is a macro's name ends that macro's expansion. */
typedef struct bw_feed {
    const bw_token *items;
    size_t count, at;
    bw_token *stack; /* malloc'd: whoever makes the feed frees it */
    size_t depth, capacity;
} bw_feed;

typedef struct bw_condition {
    bool taking, taken, parent;
    bw_span span;
} bw_condition;

typedef struct bw_preprocessor {
    bw_arena *arena;
    const bw_source *source;
    const bw_given *given;
    bw_tokens *out;
    bw_diags *diags;
    bw_words words;
    bw_macro **macros; /* malloc'd: by name, NULL where it is undefined again */
    const char **macro_names;
    size_t macro_count, macro_capacity, name_capacity;
    bw_index macro_index;
    bw_condition conditions[BW_MAX_CONDITIONS];
    size_t depth;
    size_t produced;          /* tokens and expansions: what expanding has cost */
    unsigned nesting;         /* of macro calls in arguments */
    bool exhausted;           /* a limit was reported: macros stand for themselves from there on */
    bool packs[BW_MAX_PACKS]; /* #pragma pack, pushed: the last is in force */
    size_t pack_depth;
    const char *folder; /* of the header that is read, "" for the file */
    unsigned includes;  /* headers within each other */
    size_t header_count;
    const char *once[BW_MAX_HEADERS]; /* headers that are not read again */
    size_t once_count;
    const char *header; /* that is read; NULL: the file itself */
} bw_preprocessor;

/* The row of a name that is or was a macro's, or BW_NO_ROW. */
uint32_t bw_macro_row(const bw_preprocessor *pp, const char *name, size_t len);
/* The macro that the token names, which is then used; NULL: none. */
bw_macro *bw_macro_find(const bw_preprocessor *pp, const bw_token *token);
/* In the place of an earlier one of the name. */
void bw_macro_add(bw_preprocessor *pp, bw_macro *m);

/* Room for one more token at the list's end. */
bw_token *bw_token_append(bw_token_list *list);
/* Next token, ending macros whose expansion is used up; false at the end. */
bool bw_feed_next(bw_preprocessor *pp, bw_feed *f, bw_token *token);
/* The token that bw_feed_next would give is "("; ends of macros before it are looked past. */
bool bw_parenthesis_follows(const bw_feed *f);
/* From the first byte of one to the last of the other. */
bw_span bw_span_join(bw_span a, bw_span b);

/* Says once that something has grown too much; macros stand for themselves from there on. */
void bw_give_up(bw_preprocessor *pp, bw_span span, const char *message, const char *note);
/* Expands the macro that `token` names, onto the feed. False if it is no call of one. */
bool bw_expand_macro(bw_preprocessor *pp, bw_feed *f, bw_token *token);
/* Appends what the feed gives to `out`, expanded. */
void bw_expand(bw_preprocessor *pp, bw_feed *f, bw_token_list *out);

#endif
