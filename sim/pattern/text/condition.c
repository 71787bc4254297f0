/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "condition.h"

#include <stdlib.h>
#include <string.h>

#include "include.h"

typedef struct tester {
    const bw_token_list *tokens;
    size_t at;
    unsigned depth;
    bool failed;
} tester;

static const struct {
    bw_token_kind sign;
    int level;
} test_operators[] = {{BW_TOK_OR_OR, 1},      {BW_TOK_AND_AND, 2},       {BW_TOK_OR, 3},
                      {BW_TOK_XOR, 4},        {BW_TOK_AND, 5},           {BW_TOK_EQUAL, 6},
                      {BW_TOK_NOT_EQUAL, 6},  {BW_TOK_LESS, 7},          {BW_TOK_GREATER, 7},
                      {BW_TOK_LESS_EQUAL, 7}, {BW_TOK_GREATER_EQUAL, 7}, {BW_TOK_SHL, 8},
                      {BW_TOK_SHR, 8},        {BW_TOK_PLUS, 9},          {BW_TOK_MINUS, 9},
                      {BW_TOK_STAR, 10},      {BW_TOK_SLASH, 10},        {BW_TOK_PERCENT, 10}};

/* A value of #if: 64 bits, and whether they are unsigned, as C's intmax_t and uintmax_t are. */
typedef struct test_number {
    int64_t value;
    bool is_unsigned;
} test_number;

static test_number test_value(tester *t, int level);

static test_number test_operand(tester *t);

static test_number test_primary(tester *t)
{
    if (t->at >= t->tokens->count || t->depth > BW_MAX_NESTING) {
        t->failed = true;
        return (test_number){0};
    }
    t->depth++;
    test_number value = test_operand(t);
    t->depth--;
    return value;
}

/* A literal is unsigned by its suffix, or where no signed type holds it. */
static test_number test_literal(tester *t, const bw_token *token)
{
    bool real = false;
    test_number n = {0};
    double number = 0;
    if (!bw_number(token->text, token->len, &real, &n.value, &number) || real)
        t->failed = true;
    n.is_unsigned =
        n.value < 0 || memchr(token->text, 'u', token->len) || memchr(token->text, 'U', token->len);
    return n;
}

static test_number test_operand(tester *t)
{
    const bw_token *token = &t->tokens->items[t->at++];
    test_number n = {0};
    if (bw_token_is(token, BW_TOK_LPAREN)) {
        n = test_value(t, 0);
        t->failed |=
            t->at >= t->tokens->count || !bw_token_is(&t->tokens->items[t->at++], BW_TOK_RPAREN);
    } else if (bw_token_is(token, BW_TOK_NOT)) {
        n.value = !test_primary(t).value;
    } else if (bw_token_is(token, BW_TOK_MINUS)) {
        n = test_primary(t);
        n.value = (int64_t)(0 - (uint64_t)n.value);
    } else if (bw_token_is(token, BW_TOK_PLUS)) {
        n = test_primary(t);
    } else if (bw_token_is(token, BW_TOK_TILDE)) {
        n = test_primary(t);
        n.value = ~n.value;
    } else if (token->kind == BW_TOK_NUMBER) {
        n = test_literal(t, token);
    } else {
        t->failed |= !bw_is_name(token);
        n.value = bw_token_is(token, BW_TOK_TRUE); /* an unknown name is 0 */
    }
    return n;
}

/* Of two operands whose common type is unsigned. */
static uint64_t test_unsigned(const char *op, uint64_t a, uint64_t b)
{
    switch (op[0]) {
    case '/': return a / b;
    case '%': return a % b;
    case '<': return op[1] ? a <= b : a < b;
    default: return op[1] ? a >= b : a > b;
    }
}

static int64_t test_signed(const char *op, int64_t a, int64_t b)
{
    switch (op[0]) {
    case '|': return op[1] ? a || b : a | b;
    case '&': return op[1] ? a && b : a & b;
    case '^': return a ^ b;
    case '=': return a == b;
    case '!': return a != b;
    case '+': return (int64_t)((uint64_t)a + (uint64_t)b);
    case '-': return (int64_t)((uint64_t)a - (uint64_t)b);
    case '*': return (int64_t)((uint64_t)a * (uint64_t)b);
    case '/': return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
    case '%': return b == -1 ? 0 : a % b;
    case '<': return op[1] == '<' ? (int64_t)((uint64_t)a << (b & 63)) : op[1] ? a <= b : a < b;
    default: return op[1] == '>' ? a >> (b & 63) : op[1] ? a >= b : a > b;
    }
}

static test_number test_apply(tester *t, const char *op, test_number a, test_number b)
{
    bool shift = (op[0] == '<' || op[0] == '>') && op[1] == op[0];
    bool wraps = shift ? a.is_unsigned : a.is_unsigned || b.is_unsigned;
    bool truth =
        strchr("=!", op[0]) || (strchr("<>", op[0]) && !shift) || (strchr("|&", op[0]) && op[1]);
    test_number n = {.is_unsigned = wraps && !truth};
    if (strchr("/%", op[0]) && b.value == 0) {
        t->failed = true;
        return n;
    }
    if (wraps && shift && op[0] == '>')
        n.value = (int64_t)((uint64_t)a.value >> (b.value & 63));
    else if (wraps && strchr("/%<>", op[0]) && !shift)
        n.value = (int64_t)test_unsigned(op, (uint64_t)a.value, (uint64_t)b.value);
    else
        n.value = test_signed(op, a.value, b.value);
    return n;
}

static test_number test_operators_from(tester *t, int level)
{
    test_number value = test_primary(t);
    while (!t->failed && t->at < t->tokens->count) {
        const bw_token *token = &t->tokens->items[t->at];
        size_t i = 0, count = sizeof test_operators / sizeof *test_operators;
        while (i < count && !bw_token_is(token, test_operators[i].sign))
            i++;
        if (i < count && test_operators[i].level > level) {
            t->at++;
            test_number right = test_value(t, test_operators[i].level);
            value = test_apply(t, bw_spelling(test_operators[i].sign), value, right);
        } else if (level == 0 && bw_token_is(token, BW_TOK_QUESTION)) {
            t->at++;
            test_number yes = test_value(t, 0);
            t->failed |=
                t->at >= t->tokens->count || !bw_token_is(&t->tokens->items[t->at++], BW_TOK_COLON);
            test_number no = test_value(t, 0), chosen = value.value ? yes : no;
            chosen.is_unsigned = yes.is_unsigned || no.is_unsigned;
            return chosen;
        } else {
            break;
        }
    }
    return value;
}

static test_number test_value(tester *t, int level)
{
    t->depth++;
    test_number value = test_operators_from(t, level);
    t->depth--;
    return value;
}

/* The truth of an #if line. */
static bool test_line(bw_preprocessor *pp, const bw_token *line, size_t count, bw_span span)
{
    bw_token_list replaced = {0}, expanded = {0};
    for (size_t i = 0; i < count; i++) {
        if (bw_token_is(&line[i], BW_TOK_DEFINED) && i + 1 < count) {
            bool paren = bw_token_is(&line[i + 1], BW_TOK_LPAREN);
            const bw_token *name = &line[i + 1 + paren < count ? i + 1 + paren : i];
            bw_token *token = bw_token_append(&replaced);
            *token = line[i];
            token->kind = BW_TOK_NUMBER;
            token->text = bw_macro_find(pp, name) ? "1" : "0";
            if (token->text[0] == '0')
                bw_note_condition(pp->out, name, span);
            token->len = 1;
            i += paren ? 3 : 1;
        } else {
            *bw_token_append(&replaced) = line[i];
        }
    }
    bw_feed f = {.items = replaced.items, .count = replaced.count};
    bw_expand(pp, &f, &expanded);
    for (size_t i = 0; i < expanded.count; i++)
        if (expanded.items[i].kind == BW_TOK_NAME)
            bw_note_condition(pp->out, &expanded.items[i], span);
    tester t = {.tokens = &expanded};
    int64_t value = test_value(&t, 0).value;
    if (t.failed || t.at < expanded.count)
        bw_note(pp->diags,
                bw_diagnose(pp->diags, BW_MSG_IF_CONDITION, pp->source, span,
                            "this condition cannot be evaluated"),
                "#if takes integers, macros, defined(NAME) and C's operators");
    free(f.stack);
    free(replaced.items);
    free(expanded.items);
    return value != 0;
}

static void open_condition(bw_preprocessor *pp, bool value, bw_span span)
{
    bool parent = pp->depth == 0 || pp->conditions[pp->depth - 1].taking;
    if (pp->depth == BW_MAX_CONDITIONS) {
        bw_diagnose(pp->diags, BW_MSG_IF_BALANCE, pp->source, span,
                    "more than %d nested conditions", BW_MAX_CONDITIONS);
        return;
    }
    pp->conditions[pp->depth++] = (bw_condition){parent && value, value, parent, span};
}

bool bw_taking(const bw_preprocessor *pp)
{
    return pp->depth == 0 || pp->conditions[pp->depth - 1].taking;
}

/* #if, #ifdef, #ifndef, #elif, #else, #endif. False if the line is none of them. */
bool bw_condition_line(bw_preprocessor *pp, const bw_token *line, size_t count, bw_span span)
{
    bw_condition *top = pp->depth ? &pp->conditions[pp->depth - 1] : NULL;
    bool is_else = bw_token_is(line, BW_TOK_ELSE), is_elif = bw_token_is(line, BW_TOK_ELIF),
         is_end = bw_token_is(line, BW_TOK_ENDIF);
    if (bw_token_is(line, BW_TOK_IFDEF) || bw_token_is(line, BW_TOK_IFNDEF)) {
        bool known = count > 1 && bw_macro_find(pp, &line[1]);
        if (count > 1 && !known)
            bw_note_condition(pp->out, &line[1], span);
        open_condition(pp, known == bw_token_is(line, BW_TOK_IFDEF), span);
    } else if (bw_token_is(line, BW_TOK_IF)) {
        open_condition(pp, bw_taking(pp) && test_line(pp, line + 1, count - 1, span), span);
    } else if ((is_else || is_elif || is_end) && !top) {
        bw_note(pp->diags,
                bw_diagnose(pp->diags, BW_MSG_IF_BALANCE, pp->source, span, "#%.*s without #if",
                            (int)line->len, line->text),
                "remove it, or add the #if that it belongs to");
    } else if (is_else || is_elif) {
        bool value =
            !top->taken && top->parent && (is_else || test_line(pp, line + 1, count - 1, span));
        top->taking = value;
        top->taken |= value;
    } else if (is_end) {
        pp->depth--;
    } else {
        return false;
    }
    return true;
}
