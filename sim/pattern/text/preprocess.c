/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "include.h"
#include "preprocess.h"

#include <stdlib.h>
#include <string.h>

#include "index.h"

/* Macros can grow a text without bound; no hand-written pattern comes near this. */
#define MAX_TOKENS ((size_t)1000000)
#define MAX_CONDITIONS 64
#define MAX_NESTING 200 /* of macro calls in arguments, and in the condition of an #if */
#define MAX_PARAMETERS 64
#define MAX_PACKS 16
#define NATURAL_PACK 16 /* no type of CUDA's needs more: packing to it changes nothing */

typedef struct macro macro;
struct macro {
    const char *name;
    bool function, variadic, active;
    size_t parameter_count, body_count;
    const bw_token *parameters, *body;
    bool *used; /* of one that -D gives: whether the text asked for it; else NULL */
};

/* Where tokens come from: pushed-back ones first (last in, first out), then the list. A pushed
 * BW_TOK_END whose text is a macro's name ends that macro's expansion. */
typedef struct feed {
    const bw_token *items;
    size_t count, at;
    bw_token *stack;
    size_t depth, capacity;
} feed;

typedef struct condition {
    bool taking, taken, parent;
    bw_span span;
} condition;

typedef struct preprocessor {
    bw_arena *arena;
    const bw_source *source;
    const bw_given *given;
    bw_tokens *out;
    bw_diags *diags;
    bw_words words;
    macro **macros; /* malloc'd: by name, NULL where it is undefined again */
    const char **macro_names;
    size_t macro_count, macro_capacity, name_capacity;
    bw_index macro_index;
    condition conditions[MAX_CONDITIONS];
    size_t depth;
    size_t produced;       /* tokens and expansions: what expanding has cost */
    unsigned nesting;      /* of macro calls in arguments */
    bool exhausted;        /* a limit was reported: macros stand for themselves from there on */
    bool packs[MAX_PACKS]; /* #pragma pack, pushed: the last is in force */
    size_t pack_depth;
    const char *folder; /* of the header that is read, "" for the file */
    unsigned includes;  /* headers within each other */
    size_t header_count;
    const char *once[BW_MAX_HEADERS]; /* headers that are not read again */
    size_t once_count;
    const char *header; /* that is read; NULL: the file itself */
    bw_span from;       /* the line that includes it, for all that it says */
} preprocessor;

/* The row of a name that is or was a macro's, or BW_NO_ROW. */
static uint32_t macro_row(const preprocessor *pp, const char *name, size_t len)
{
    uint32_t hash = bw_hash_text(name, len), row;
    size_t at = 0;
    while ((row = bw_index_next(&pp->macro_index, hash, &at)) != BW_NO_ROW)
        if (strncmp(pp->macro_names[row], name, len) == 0 && !pp->macro_names[row][len])
            break;
    return row;
}

static macro *find_macro(const preprocessor *pp, const bw_token *token)
{
    uint32_t row = macro_row(pp, token->text, token->len);
    macro *m = row == BW_NO_ROW || !bw_is_name(token) ? NULL : pp->macros[row];
    if (m && m->used)
        *m->used = true;
    return m;
}

static void add_macro(preprocessor *pp, macro *m)
{
    size_t len = strlen(m->name);
    uint32_t row = macro_row(pp, m->name, len);
    if (row == BW_NO_ROW) {
        row = (uint32_t)pp->macro_count;
        BW_GROW(pp->macro_names, pp->macro_count, pp->name_capacity);
        BW_GROW(pp->macros, pp->macro_count, pp->macro_capacity);
        pp->macro_names[pp->macro_count++] = m->name;
        bw_index_add(pp->arena, &pp->macro_index, bw_hash_text(m->name, len), row);
    }
    pp->macros[row] = m;
}

static bw_token *append(bw_tokens *list)
{
    BW_GROW(list->items, list->count, list->capacity);
    return &list->items[list->count++];
}

static void push_back(feed *f, bw_token token)
{
    BW_GROW(f->stack, f->depth, f->capacity);
    f->stack[f->depth++] = token;
}

/* Next token, ending macros whose expansion is used up; false at the end. */
static bool next(preprocessor *pp, feed *f, bw_token *token)
{
    while (f->depth) {
        *token = f->stack[--f->depth];
        if (token->kind != BW_TOK_END)
            return true;
        macro *m = find_macro(
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
static bool parenthesis_follows(const feed *f)
{
    for (size_t i = f->depth; i-- > 0;)
        if (f->stack[i].kind != BW_TOK_END)
            return bw_token_is(&f->stack[i], BW_TOK_LPAREN);
    return f->at < f->count && bw_token_is(&f->items[f->at], BW_TOK_LPAREN);
}

static void expand(preprocessor *pp, feed *f, bw_tokens *out);

static bw_span join(bw_span a, bw_span b)
{
    uint32_t start = a.offset < b.offset ? a.offset : b.offset;
    uint32_t end_a = a.offset + a.len, end_b = b.offset + b.len;
    return (bw_span){start, (end_a > end_b ? end_a : end_b) - start};
}

/* Reads "(a, b, …)" into one list an argument; *whole grows to the closing parenthesis. */
static size_t read_arguments(preprocessor *pp, feed *f, const macro *m, bw_tokens *args,
                             bw_span *whole)
{
    bw_token token;
    size_t count = 0;
    int depth = 0;
    next(pp, f, &token); /* the parenthesis */
    while (next(pp, f, &token)) {
        *whole = join(*whole, token.span);
        pp->produced++;
        if (depth == 0 && bw_token_is(&token, BW_TOK_RPAREN))
            return count + (count || args[0].count || m->parameter_count == 1 ? 1 : 0);
        depth += bw_token_is(&token, BW_TOK_LPAREN) - bw_token_is(&token, BW_TOK_RPAREN);
        bool last = m->variadic && count + 1 >= m->parameter_count;
        if (depth == 0 && bw_token_is(&token, BW_TOK_COMMA) && !last) {
            if (++count >= MAX_PARAMETERS)
                break;
        } else {
            *append(&args[count]) = token;
        }
    }
    bw_note(pp->diags,
            bw_diagnose(pp->diags, BW_MSG_MACRO_CALL, pp->source, *whole,
                        "the call of macro '%s' does not end", m->name),
            "add ')' after its last argument");
    return 0;
}

static bw_token stringize(preprocessor *pp, const bw_tokens *arg, bw_span span)
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

static void paste(preprocessor *pp, bw_token *left, const bw_token *right)
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
static bool swallows_comma(const macro *m, size_t i)
{
    return m->variadic && i >= 2 && bw_token_is(&m->body[i], BW_TOK_VA_ARGS) &&
           bw_token_is(&m->body[i - 1], BW_TOK_HASH_HASH) &&
           bw_token_is(&m->body[i - 2], BW_TOK_COMMA);
}

static int parameter_index(const macro *m, const bw_token *token)
{
    for (size_t i = 0; i < m->parameter_count; i++) {
        const bw_token *p = &m->parameters[i];
        if (bw_is_name(token) && p->len == token->len && memcmp(p->text, token->text, p->len) == 0)
            return (int)i;
    }
    return -1;
}

/* The body with arguments put in, pushed back onto the feed. */
static void substitute(preprocessor *pp, feed *f, macro *m, bw_tokens *args, bw_span use)
{
    bw_tokens result = {0};
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
            *append(&result) = stringize(pp, &args[parameter_index(m, token + 1)], use);
            i++;
        } else if (bw_token_is(token, BW_TOK_HASH_HASH)) {
            continue; /* left_from stays: what stands before it is its left operand */
        } else if (index < 0) {
            *append(&result) = *token;
            result.items[result.count - 1].span = use;
        } else {
            bw_tokens expanded = {0};
            feed inner = {.items = args[index].items, .count = args[index].count};
            pp->nesting++;
            if (!pastes && !pasted)
                expand(pp, &inner, &expanded);
            pp->nesting--;
            const bw_tokens *value = pastes || pasted ? &args[index] : &expanded;
            for (size_t k = 0; k < value->count; k++)
                *append(&result) = value->items[k];
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

static void give_up(preprocessor *pp, bw_span span, const char *message, const char *note)
{
    if (!pp->exhausted)
        bw_note(pp->diags,
                bw_diagnose(pp->diags, BW_MSG_MACRO_GROWTH, pp->source, span, "%s", message), "%s",
                note);
    pp->exhausted = true;
}

/* False, with an error, where expanding has become too much. */
static bool within_limits(preprocessor *pp, bw_span span)
{
    if (pp->produced > MAX_TOKENS)
        give_up(pp, span,
                bw_arena_format(pp->arena, "macros grow to more than %zu tokens", MAX_TOKENS),
                "look for a macro that doubles itself");
    else if (pp->nesting > MAX_NESTING)
        give_up(
            pp, span,
            bw_arena_format(pp->arena, "macro calls nested more than %d levels deep", MAX_NESTING),
            "use fewer calls within each other's arguments");
    return !pp->exhausted;
}

/* Expands the macro that `token` names. False if it is no call of one. */
static bool expand_macro(preprocessor *pp, feed *f, bw_token *token)
{
    macro *m = bw_is_name(token) && !token->sealed ? find_macro(pp, token) : NULL;
    if (!m)
        return false;
    if (m->active) {
        token->sealed = true;
        return false;
    }
    if (m->function && !parenthesis_follows(f))
        return false;
    if (!within_limits(pp, token->span))
        return false;
    size_t room = m->function ? MAX_PARAMETERS : 0; /* not on the stack: calls nest */
    bw_tokens *args = room ? bw_calloc(room, sizeof *args) : NULL;
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

static void expand(preprocessor *pp, feed *f, bw_tokens *out)
{
    bw_token token;
    while (!pp->exhausted && next(pp, f, &token))
        if (!expand_macro(pp, f, &token))
            *append(out) = token;
}

/* _Pragma("unroll") says nothing about costs. True if that was the token. */
static bool skip_pragma(preprocessor *pp, feed *f, const bw_token *token)
{
    if (!bw_token_is(token, BW_TOK_PRAGMA_OPERATOR) || !parenthesis_follows(f))
        return false;
    bw_token part;
    while (next(pp, f, &part) && !bw_token_is(&part, BW_TOK_RPAREN))
        continue;
    return true;
}

/* ---- #if --------------------------------------------------------------------------------------
 */

typedef struct tester {
    const bw_tokens *tokens;
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
    if (t->at >= t->tokens->count || t->depth > MAX_NESTING) {
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
static bool test_line(preprocessor *pp, const bw_token *line, size_t count, bw_span span)
{
    bw_tokens replaced = {0}, expanded = {0};
    for (size_t i = 0; i < count; i++) {
        if (bw_token_is(&line[i], BW_TOK_DEFINED) && i + 1 < count) {
            bool paren = bw_token_is(&line[i + 1], BW_TOK_LPAREN);
            const bw_token *name = &line[i + 1 + paren < count ? i + 1 + paren : i];
            bw_token *token = append(&replaced);
            *token = line[i];
            token->kind = BW_TOK_NUMBER;
            token->text = find_macro(pp, name) ? "1" : "0";
            if (token->text[0] == '0')
                bw_note_condition(pp->out, name, span);
            token->len = 1;
            i += paren ? 3 : 1;
        } else {
            *append(&replaced) = line[i];
        }
    }
    feed f = {.items = replaced.items, .count = replaced.count};
    expand(pp, &f, &expanded);
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

/* ---- directives -------------------------------------------------------------------------------
 */

/* A macro whose body is one number is a parameter: -D changes it and reports show it. */
static void define_parameter(preprocessor *pp, macro *m)
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

static void undefine(preprocessor *pp, const bw_token *name)
{
    uint32_t row = macro_row(pp, name->text, name->len);
    if (row != BW_NO_ROW)
        pp->macros[row] = NULL;
}

static void define(preprocessor *pp, const bw_token *line, size_t count, bw_span span)
{
    if (count == 0 || !bw_is_name(&line[0])) {
        bw_note(pp->diags,
                bw_diagnose(pp->diags, BW_MSG_MACRO_DEFINITION, pp->source, span,
                            "#define without a name"),
                "write #define NAME value");
        return;
    }
    macro *m = bw_arena_alloc(pp->arena, sizeof *m);
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
        if (at == count || m->parameter_count >= MAX_PARAMETERS) {
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
    add_macro(pp, m);
}

static void open_condition(preprocessor *pp, bool value, bw_span span)
{
    bool parent = pp->depth == 0 || pp->conditions[pp->depth - 1].taking;
    if (pp->depth == MAX_CONDITIONS) {
        bw_diagnose(pp->diags, BW_MSG_IF_BALANCE, pp->source, span,
                    "more than %d nested conditions", MAX_CONDITIONS);
        return;
    }
    pp->conditions[pp->depth++] = (condition){parent && value, value, parent, span};
}

static bool taking(const preprocessor *pp)
{
    return pp->depth == 0 || pp->conditions[pp->depth - 1].taking;
}

/* #if, #ifdef, #ifndef, #elif, #else, #endif. False if the line is none of them. */
static bool condition_line(preprocessor *pp, const bw_token *line, size_t count, bw_span span)
{
    condition *top = pp->depth ? &pp->conditions[pp->depth - 1] : NULL;
    bool is_else = bw_token_is(line, BW_TOK_ELSE), is_elif = bw_token_is(line, BW_TOK_ELIF),
         is_end = bw_token_is(line, BW_TOK_ENDIF);
    if (bw_token_is(line, BW_TOK_IFDEF) || bw_token_is(line, BW_TOK_IFNDEF)) {
        bool known = count > 1 && find_macro(pp, &line[1]);
        if (count > 1 && !known)
            bw_note_condition(pp->out, &line[1], span);
        open_condition(pp, known == bw_token_is(line, BW_TOK_IFDEF), span);
    } else if (bw_token_is(line, BW_TOK_IF)) {
        open_condition(pp, taking(pp) && test_line(pp, line + 1, count - 1, span), span);
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

/* #pragma pack(n), pack(), pack(push, n), pack(pop): whether structs are laid out tighter. */
static void pack(preprocessor *pp, const bw_token *line, size_t count)
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
    if (pushes && pp->pack_depth + 1 < MAX_PACKS) {
        pp->packs[pp->pack_depth + 1] = pp->packs[pp->pack_depth];
        pp->pack_depth++;
    }
    if (given)
        pp->packs[pp->pack_depth] = bytes < NATURAL_PACK;
    else if (!pushes && !pops)
        pp->packs[pp->pack_depth] = false;
}

static void read_feed(preprocessor *pp, const bw_token *items, size_t count);

static bool is_read_once(const preprocessor *pp, const char *path)
{
    for (size_t i = 0; i < pp->once_count; i++)
        if (strcmp(pp->once[i], path) == 0)
            return true;
    return false;
}

/* A header's text, in the place of the line that names it: what it says stands there. */
static void read_header(preprocessor *pp, const char *path, const char *text, size_t len,
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
static void include(preprocessor *pp, const bw_token *line, size_t count, bw_span span)
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
        give_up(pp, span, "more headers than can be meant", "look for one that includes itself");
    else if (!is_read_once(pp, path))
        read_header(pp, path, text, len, span);
}

static void directive(preprocessor *pp, const bw_token *line, size_t count, bw_span span)
{
    if (count == 0 || condition_line(pp, line, count, span) || !taking(pp))
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

/* Macros that nvcc has and that kernels test. */
static void predefine(preprocessor *pp)
{
    const bw_arch *arch = pp->given->arch;
    const char *cuda_arch = bw_arena_format(pp->arena, "%u0", arch ? arch->cc : 90u);
    const char *pairs[][2] = {{"__CUDACC__", "1"},
                              {"__CUDA_ARCH__", cuda_arch},
                              {"__cplusplus", "201703L"},
                              {"__CUDACC_VER_MAJOR__", "13"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        macro *m = bw_arena_alloc(pp->arena, sizeof *m);
        bw_token *body = bw_arena_alloc(pp->arena, sizeof *body);
        *body = (bw_token){
            .kind = BW_TOK_NUMBER, .text = pairs[i][1], .len = (uint32_t)strlen(pairs[i][1])};
        *m = (macro){.name = pairs[i][0], .body = body, .body_count = 1};
        add_macro(pp, m);
    }
}

/* ---- macros of the command line
 * ------------------------------------------------------------------ */

/* Words after which a name is used, not declared. */
static bool uses_next(const bw_token *t)
{
    static const bw_token_kind words[] = {
        BW_TOK_RETURN,   BW_TOK_CASE,        BW_TOK_ELSE,   BW_TOK_GOTO,   BW_TOK_DO,
        BW_TOK_SIZEOF,   BW_TOK_NEW,         BW_TOK_DELETE, BW_TOK_CONST,  BW_TOK_VOLATILE,
        BW_TOK_STATIC,   BW_TOK_CONSTEXPR,   BW_TOK_INLINE, BW_TOK_EXTERN, BW_TOK_TYPENAME,
        BW_TOK_SHARED,   BW_TOK_DEVICE,      BW_TOK_GLOBAL, BW_TOK_HOST,   BW_TOK_THROW,
        BW_TOK_OPERATOR, BW_TOK_FORCE_INLINE};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bw_token_is(t, words[i]))
            return true;
    return false;
}

/* Whether the comma at `at` stands between the names of one declaration: int a = 1, b; */
static bool within_declaration(const bw_token *items, size_t at)
{
    int depth = 0;
    while (at > 0) {
        const bw_token *t = &items[at - 1];
        depth += bw_token_is(t, BW_TOK_RPAREN) || bw_token_is(t, BW_TOK_RBRACKET);
        depth -= bw_token_is(t, BW_TOK_LPAREN) || bw_token_is(t, BW_TOK_LBRACKET);
        if (depth < 0)
            return false;
        if (bw_token_is(t, BW_TOK_SEMICOLON) || bw_token_is(t, BW_TOK_LBRACE) ||
            bw_token_is(t, BW_TOK_RBRACE))
            break;
        at--;
    }
    return bw_is_name(&items[at]) && bw_is_name(&items[at + 1]) && !uses_next(&items[at]);
}

/* Whether the name at `at`, which has neighbours, is a variable's, declared there. */
static bool declares_variable(const bw_token *items, size_t at)
{
    static const bw_token_kind ends[] = {BW_TOK_ASSIGN,  BW_TOK_COMMA,  BW_TOK_SEMICOLON,
                                         BW_TOK_RPAREN,  BW_TOK_LBRACE, BW_TOK_LBRACKET,
                                         BW_TOK_GREATER, BW_TOK_COLON,  BW_TOK_LPAREN};
    const bw_token *before = &items[at - 1], *after = &items[at + 1];
    bool ended = false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        ended = ended || bw_token_is(after, ends[i]);
    if (!ended)
        return false;
    if (bw_is_name(before))
        return !uses_next(before);
    if (bw_token_is(before, BW_TOK_AND)) /* int &n, not mask & n */
        return at > 1 &&
               (bw_token_is(before - 1, BW_TOK_INT) || bw_token_is(before - 1, BW_TOK_UNSIGNED) ||
                bw_token_is(before - 1, BW_TOK_FLOAT) || bw_token_named(before - 1, "size_t") ||
                bw_token_is(before - 1, BW_TOK_AUTO));
    return bw_token_is(before, BW_TOK_COMMA) && within_declaration(items, at - 1);
}

/* Whether the text declares a variable or parameter of this name, outside of directives. */
static bool declares(const bw_tokens *raw, const char *name)
{
    size_t len = strlen(name);
    bool directive = false;
    for (size_t i = 1; i + 1 < raw->count; i++) {
        const bw_token *t = &raw->items[i];
        if (t->line_start)
            directive = bw_token_is(t, BW_TOK_HASH);
        bool first = raw->items[i - 1].line_start && bw_token_is(&raw->items[i - 1], BW_TOK_HASH);
        if (!directive && !first && bw_is_name(t) && t->len == len &&
            memcmp(t->text, name, len) == 0 && declares_variable(raw->items, i))
            return true;
    }
    return false;
}

/* #define NAME VALUE, as nvcc does before line 1. */
static void define_given(preprocessor *pp, const bw_define *define, bool *used)
{
    const char *text = bw_arena_format(pp->arena, "%s", define->value);
    bw_source *source = bw_arena_alloc(pp->arena, sizeof *source);
    *source = (bw_source){.name = bw_arena_format(pp->arena, "-D %s", define->name),
                          .text = text,
                          .len = strlen(text)};
    bw_tokens value = {0};
    bw_lex_span(pp->arena, source, (bw_span){0, (uint32_t)source->len}, &value, pp->diags);
    size_t count = value.count - 1; /* the last ends the text */
    macro *m = bw_arena_alloc(pp->arena, sizeof *m);
    bw_token *body = bw_arena_alloc(pp->arena, (count + 1) * sizeof *body);
    memcpy(body, value.items, count * sizeof *body);
    *m = (macro){.name = define->name, .body = body, .body_count = count, .used = used};
    add_macro(pp, m);
    bw_tokens_finish(&value);
}

static void define_all_given(preprocessor *pp, const bw_tokens *raw)
{
    const bw_given *given = pp->given;
    for (size_t i = 0; i < given->define_count; i++)
        if (!declares(raw, given->defines[i].name))
            define_given(pp, &given->defines[i], &given->used[i]);
}

/* One line that begins with '#': from the token after it to the last on the line. */
static void read_directive(preprocessor *pp, feed *f)
{
    bw_span span = f->items[f->at++].span;
    size_t start = f->at;
    while (f->at < f->count && f->items[f->at].kind != BW_TOK_END && !f->items[f->at].line_start)
        span = join(span, f->items[f->at++].span);
    directive(pp, f->items + start, f->at - start, span);
}

/* Those of the command line that the text used are parameters where they are numbers, as those are
 * that the text defines. */
static void add_given_parameters(preprocessor *pp)
{
    for (size_t i = 0; i < pp->macro_count; i++) {
        const macro *m = pp->macros[i];
        bool known = !m || !m->used || !*m->used;
        for (size_t k = 0; !known && k < pp->out->define_count; k++)
            known = strcmp(pp->out->defines[k].name, m->name) == 0;
        bw_parameter p = {.name = m ? m->name : NULL};
        const bw_define *define = known ? NULL : bw_given_define(pp->given, m->name);
        if (!define ||
            !bw_number(define->value, strlen(define->value), &p.is_float, &p.integer, &p.real))
            continue;
        BW_GROW(pp->out->defines, pp->out->define_count, pp->out->define_capacity);
        pp->out->defines[pp->out->define_count++] = p;
    }
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
    *append(out) = token;
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

static void read_feed(preprocessor *pp, const bw_token *items, size_t count)
{
    feed f = {.items = items, .count = count};
    for (;;) {
        if (f.depth == 0 && f.at < f.count && f.items[f.at].line_start &&
            bw_token_is(&f.items[f.at], BW_TOK_HASH)) {
            read_directive(pp, &f);
            continue;
        }
        bw_token token;
        if (pp->exhausted || !next(pp, &f, &token))
            break;
        token.packed = pp->packs[pp->pack_depth];
        if (taking(pp) && !expand_macro(pp, &f, &token) && !skip_pragma(pp, &f, &token))
            take_token(pp->out, token);
    }
    free(f.stack);
}

static void read_tokens(preprocessor *pp, const bw_tokens *raw)
{
    size_t before = pp->out->count;
    read_feed(pp, raw->items, raw->count);
    if (pp->exhausted) /* what is left means nothing */
        pp->out->count = before;
    *append(pp->out) = raw->items[raw->count - 1];
}

void bw_preprocess(bw_arena *arena, const bw_source *source, const bw_given *given,
                   const bw_tokens *raw, size_t count, bw_tokens *out, bw_diags *diags)
{
    preprocessor pp = {
        .arena = arena, .source = source, .given = given, .out = out, .diags = diags};
    bw_words_init(&pp.words);
    predefine(&pp);
    define_all_given(&pp, raw);
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
    add_given_parameters(&pp);
    free(pp.macros);
    free(pp.macro_names);
}
