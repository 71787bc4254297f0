/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What comments assume of global memory: assume: NAME = LAW, a list of numbers, or @FILE.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdlib.h>
#include <string.h>

#include "parse.h"

typedef struct number_list {
    double *items;
    size_t count, capacity;
} number_list;

static void add_number(bw_parser *p, number_list *list, double value)
{
    if (list->count == list->capacity) {
        double *old = list->items;
        list->capacity = list->capacity ? list->capacity * 2 : 64;
        list->items = bw_arena_alloc(p->arena, list->capacity * sizeof *old);
        if (old)
            memcpy(list->items, old, list->count * sizeof *old);
    }
    list->items[list->count++] = value;
}

/* @FILE: numbers separated by commas or white space. No message repeats what the file holds: it may
 * be one that was never meant to be read. */
static void read_table(bw_parser *p, number_list *list, bw_span span)
{
    const bw_host *host = p->input->host;
    const char *text = p->source->text + span.offset;
    size_t len = span.len;
    while (len && (text[len - 1] == ' ' || text[len - 1] == '\r' || text[len - 1] == '\t'))
        len--;
    const char *path = bw_arena_copy(p->arena, text, len), *error = "files cannot be read here";
    size_t size = 0;
    char *data = host->read_file ? host->read_file(host->context, path, &size, &error) : NULL;
    if (!data) {
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_CANNOT_READ, p->source, span, "cannot read '%s': %s",
                            path, error),
                "give a path relative to the pattern file");
        return;
    }
    unsigned line = 1;
    for (size_t i = 0; i < size;) {
        size_t start = i;
        while (i < size && !strchr(" \t\r\n,;", data[i]))
            i++;
        bool is_float = false;
        int64_t integer = 0;
        double real = 0;
        if (i > start && !bw_number(data + start, i - start, &is_float, &integer, &real)) {
            bw_note(p->diags,
                    bw_diagnose(p->diags, BW_MSG_ASSUMPTION, p->source, span, "%s:%u: not a number",
                                path, line),
                    "write numbers, separated by commas or white space");
            break;
        }
        if (i > start)
            add_number(p, list, real);
        if (i < size) {
            line += data[i] == '\n';
            i++;
        }
    }
    free(data);
}

/* Whether an expression reads a variable of the code around it: it would have no value yet. */
static bool reads_variable(const bw_expr *e, const bw_symbol *index)
{
    if (!e)
        return false;
    if (e->kind == BW_EX_SYMBOL)
        return e->symbol != index && e->symbol->storage != BW_ST_GLOBAL;
    bw_children c = bw_children_of(e);
    bool found = false;
    for (uint32_t k = 0; k < c.count && !found; k++)
        found = reads_variable(bw_child(&c, k), index);
    return found;
}

static void parse_assumed_law(bw_parser *p, bw_assume *a)
{
    bw_push_scope(p);
    a->index = bw_declare(p, "i", BW_SY_VARIABLE, &bw_ty_llong, a->span);
    a->index->storage = BW_ST_REGISTER;
    bw_expr *first = bw_value(p, bw_parse_conditional(p));
    bw_pop_scope(p);
    number_list list = {0};
    if (!bw_at(p, BW_TOK_COMMA)) {
        a->law = first;
    } else {
        for (bw_expr *e = first;;) {
            if (!bw_is_constant(e)) {
                bw_note(p->diags,
                        bw_diagnose(p->diags, BW_MSG_ASSUMPTION, p->source, e->span,
                                    "a table holds numbers"),
                        "write assume: %s = 3, 1, 2", a->name);
                break;
            }
            add_number(p, &list, bw_type_is_float(e->type) ? e->real : (double)e->integer);
            if (!bw_accept(p, BW_TOK_COMMA) || bw_peek(p, 0)->kind == BW_TOK_END)
                break;
            e = bw_parse_conditional(p);
        }
    }
    if (a->law && reads_variable(a->law, a->index))
        bw_syntax_error(p, BW_MSG_ASSUMPTION, "write it with i, the element's index, and constants",
                        "an assumption cannot use a variable");
    a->table = list.items;
    a->table_count = list.count;
    if (bw_peek(p, 0)->kind != BW_TOK_END)
        bw_syntax_error(p, BW_MSG_ASSUMPTION,
                        "write assume: NAME = LAW, a list of numbers, or @FILE",
                        "unexpected text after the assumption");
}

static void parse_assume_tokens(bw_parser *p, bw_span span)
{
    const bw_token *name = bw_peek(p, 0);
    if (!bw_is_name(name) || !bw_token_is(bw_peek(p, 1), BW_TOK_ASSIGN))
        bw_syntax_error(p, BW_MSG_ASSUMPTION,
                        "write assume: NAME = LAW, as in assume: data = random(256)",
                        "an assumption names a global array");
    bw_take(p);
    bw_take(p);
    bw_assume a = {.name = bw_name_of(p, name), .span = name->span};
    if (bw_at(p, BW_TOK_AT)) {
        bw_span path = bw_take(p)->span;
        path.offset++;
        path.len = span.offset + span.len - path.offset;
        number_list list = {0};
        read_table(p, &list, path);
        a.table = list.items;
        a.table_count = list.count;
    } else {
        parse_assumed_law(p, &a);
    }
    bw_tree *tree = p->tree;
    BW_GROW(tree->assumes, tree->assume_count, tree->assume_capacity);
    tree->assumes[tree->assume_count++] = a;
}

void bw_parse_assume(bw_parser *p, const bw_comment *comment)
{
    bw_tokens tokens = {0};
    bw_lex_span(p->arena, p->source, comment->span, &tokens, p->diags);
    const bw_token *outer = p->tokens;
    size_t at = p->at, count = p->count;
    jmp_buf here, *recover = p->recover;
    bw_scope *scope = p->scope;
    p->tokens = tokens.items;
    p->at = 0;
    p->count = tokens.count;
    p->recover = &here;
    if (setjmp(here) == 0)
        parse_assume_tokens(p, comment->span);
    p->recover = recover;
    p->tokens = outer;
    p->at = at;
    p->count = count;
    p->scope = scope;
    p->depth = 0;
    bw_tokens_finish(&tokens);
}
