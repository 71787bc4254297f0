/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parser: where the reading of a file stands: tokens, scopes, and how errors unwind.
 *
 * All that reads goes through it: this room, and those that answer its hooks. It knows no grammar.
 * A copy of a parser looks ahead: tokens taken from the copy are still there, while what it finds
 * for the tree is the tree's. All memory is the parser's arena.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_PARSER_H
#define BANKWISE_PARSER_H

#include <setjmp.h>

#include "lex.h"
#include "tree.h"

/* A lambda's captures: its scope copies what it names by value. */
typedef struct bw_capture {
    bool all_by_copy, all_by_reference, closed;
    const bw_token *copied[16], *referred[16];
    unsigned copied_count, referred_count;
    bw_stmt *copies, **end; /* declarations that make the copies */
} bw_capture;

struct bw_scope {
    bw_scope *parent;
    bw_symbol *symbols; /* the last first */
    uint32_t count;
    uint32_t bucket_count; /* 0 while they are few, else a power of two */
    bw_symbol **buckets;   /* by hash: by next_alike, the last first */
    bw_capture *capture;   /* of a lambda's parameters */
    const char *space;     /* a namespace's name */
    bw_scope *next_space;  /* of the parser's */
};

typedef struct bw_declared bw_declared;
typedef struct bw_seen_types bw_seen_types;

typedef struct bw_parser {
    const bw_cxx_hooks *cxx;
    const bw_host_hooks *host;
    bw_arena *arena;
    const bw_source *source;
    const bw_tree_input *input;
    bw_tree *tree; /* what is read goes here, as it does from copies of a parser that look ahead */
    bw_diags *diags;
    const bw_token *tokens;
    size_t at, count;
    bw_scope *globals, *scope;
    struct bw_parts *constructs; /* of the file: see reach.h */
    bw_scope **spaces;           /* all namespaces, the last first: shared with copies */
    bw_function *function;       /* being parsed, or NULL */
    jmp_buf *recover;
    bool kernel_form; /* the file has a kernel or a launch */
    unsigned depth;   /* of nested expressions and statements */
    unsigned loops, switches;
    const bw_template_value *autos; /* what "auto" stands for in the parameters that are parsed */
    bool labels;                    /* directly in the body of a switch */
    bool no_greater;                /* inside <…>: ">" ends the expression */
    size_t half_at;                 /* 1 + the token ">>" whose first half closed a list; 0: none */
    bw_stmt *pending;               /* what runs before the statement that is being parsed */
    bw_stmt **script_end;
    unsigned order;        /* of the option that is read; 0: the file is */
    bw_seen_types *seen;   /* types of templates that were read: shared with copies */
    bw_declared *declared; /* what host code knows of the file's functions; NULL: not yet */
} bw_parser;

/* Nesting beyond this is an error: it would exhaust the stack. */
#define BW_MAX_DEPTH 200
/* Operators and brackets in a row: more would make the tree as deep. */
#define BW_MAX_CHAIN 1000
#define BW_MAX_TEMPLATE_PARAMETERS 32
#define BW_MAX_FUNCTION_PARAMETERS 64

bw_seen_types *bw_new_seen_types(bw_arena *arena);

/* ---- tokens ---- */
const bw_token *bw_peek(const bw_parser *p, size_t ahead);
bool bw_at(const bw_parser *p, bw_token_kind kind);
/* Whether the token is one of words[count]; BW_IS_IN: of an array. */
bool bw_is_in(const bw_token *token, const bw_token_kind *words, size_t count);
#define BW_IS_IN(token, words) bw_is_in(token, words, sizeof(words) / sizeof *(words))
bool bw_accept(bw_parser *p, bw_token_kind kind);
void bw_expect_token(bw_parser *p, bw_token_kind kind, const char *where);
const bw_token *bw_take(bw_parser *p);
bw_span bw_span_from(const bw_parser *p, size_t first_token); /* to the last token taken */
const char *bw_name_of(bw_parser *p, const bw_token *token);
/* One statement, unread: if with its else, a block, or up to the semicolon. */
void bw_skip_substatement(bw_parser *p);
/* Takes what stands in parentheses or braces, from the opening one on. */
void bw_skip_bracketed(bw_parser *p);
void bw_skip_braces(bw_parser *p); /* at "{" */
/* The token after the bracket, of any kind, that closes the one at token `at`; takes nothing. */
size_t bw_after_brackets(const bw_parser *p, size_t at);

/* ---- errors ---- */
/* Reports at the next token and unwinds. */
_Noreturn void bw_syntax_error(bw_parser *p, bw_message_id id, const char *note, const char *format,
                               ...) __attribute__((format(printf, 4, 5)));
_Noreturn void bw_unwind(bw_parser *p);
void bw_enter(bw_parser *p); /* one level deeper; unwinds with an error if too deep */
void bw_leave(bw_parser *p);

/* ---- scopes ---- */
bw_symbol *bw_lookup(const bw_parser *p, const char *name, size_t len);
bw_symbol *bw_lookup_in(const bw_scope *scope, const char *name, size_t len);
/* The namespace's scope that has the name; NULL: no namespace is called so, or it has no such name.
 */
const bw_scope *bw_space_with(const bw_parser *p, const bw_token *space, const bw_token *name);
bool bw_is_global(const bw_scope *scope); /* the file's, or a namespace's */
bw_symbol *bw_declare(bw_parser *p, const char *name, bw_symbol_kind kind, const bw_type *type,
                      bw_span span);
void bw_push_scope(bw_parser *p);
void bw_pop_scope(bw_parser *p);

#endif
