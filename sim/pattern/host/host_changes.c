/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What may change a variable of host code.
 *
 * A use that is not known to be a read is a write: a name that is handed to something unseen, bound
 * to a reference, or whose address is taken, has no value again, for what got hold of it may
 * write it whenever it likes.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <ctype.h>
#include <string.h>

#include "host_code.h"

typedef enum fate {
    FATE_READ,
    FATE_WRITTEN, /* here and now */
    FATE_ESCAPED, /* from here on, by what is not seen */
} fate;

/* ---- what the file declares ---- */

static bool may_declare(const bw_token *t)
{
    const bw_token *before = t - 1;
    return bw_is_name(t) && bw_token_is(t + 1, BW_TOK_LPAREN) &&
           (bw_is_name(before) || bw_token_is(before, BW_TOK_STAR) ||
            bw_token_is(before, BW_TOK_AND) || bw_token_is(before, BW_TOK_GREATER));
}

bw_declared *bw_host_knowledge(bw_parser *p)
{
    if (p->declared)
        return p->declared;
    bw_declared *d = p->declared = bw_arena_alloc(p->arena, sizeof *d);
    uint32_t count = 0;
    for (size_t at = 1; at + 1 < p->count; at++)
        count += may_declare(&p->tokens[at]);
    d->at = bw_arena_alloc(p->arena, (count + 1) * sizeof *d->at);
    for (size_t at = 1; at + 1 < p->count; at++) {
        const bw_token *t = &p->tokens[at];
        if (!may_declare(t))
            continue;
        bw_index_add(p->arena, &d->names, bw_hash_text(t->text, t->len), d->count);
        d->at[d->count++] = (uint32_t)at;
    }
    return d;
}

/* Whether parameter `index` of the function whose name is token `at` is a reference to what it may
 * change. */
static bool is_reference(const bw_parser *p, size_t at, int index)
{
    int depth = 0, parameter = 0;
    bool reference = false, constant = false;
    for (at++; at < p->count; at++) {
        const bw_token *t = &p->tokens[at];
        depth += bw_token_is(t, BW_TOK_LPAREN) - bw_token_is(t, BW_TOK_RPAREN);
        if (depth == 0 || (depth == 1 && bw_token_is(t, BW_TOK_COMMA) && parameter++ == index))
            break;
        bool pack = bw_token_is(t, BW_TOK_ELLIPSIS);
        reference |= (parameter == index || pack) &&
                     (bw_token_is(t, BW_TOK_AND) || bw_token_is(t, BW_TOK_AND_AND) || pack);
        constant |= parameter == index && bw_token_is(t, BW_TOK_CONST);
    }
    return reference && !constant;
}

/* ---- words ---- */

/* Words before which no operand ends, and after which a name is a use of it. */
static const bw_token_kind before_operand[] = {BW_TOK_RETURN, BW_TOK_CASE,   BW_TOK_ELSE,
                                               BW_TOK_DO,     BW_TOK_THROW,  BW_TOK_SIZEOF,
                                               BW_TOK_NEW,    BW_TOK_DELETE, BW_TOK_GOTO};
static const bw_token_kind changes[] = {
    BW_TOK_ASSIGN,     BW_TOK_ADD_ASSIGN, BW_TOK_SUB_ASSIGN, BW_TOK_MUL_ASSIGN, BW_TOK_DIV_ASSIGN,
    BW_TOK_REM_ASSIGN, BW_TOK_AND_ASSIGN, BW_TOK_OR_ASSIGN,  BW_TOK_XOR_ASSIGN, BW_TOK_SHL_ASSIGN,
    BW_TOK_SHR_ASSIGN, BW_TOK_INCREMENT,  BW_TOK_DECREMENT};
static const bw_token_kind plain_types[] = {
    BW_TOK_INT,   BW_TOK_UNSIGNED, BW_TOK_SIGNED, BW_TOK_LONG, BW_TOK_SHORT, BW_TOK_CHAR,
    BW_TOK_FLOAT, BW_TOK_DOUBLE,   BW_TOK_BOOL,   BW_TOK_AUTO, BW_TOK_DIM3};
/* What a parenthesis after them holds is read. */
static const bw_token_kind reading[] = {
    BW_TOK_IF,     BW_TOK_WHILE,  BW_TOK_FOR,          BW_TOK_SWITCH,
    BW_TOK_RETURN, BW_TOK_SIZEOF, BW_TOK_STATIC_CAST,  BW_TOK_REINTERPRET_CAST,
    BW_TOK_MIN,    BW_TOK_MAX,    BW_TOK_STATIC_ASSERT};

/* Functions of libraries that take their arguments by value or leave them as they are: where the
 * file itself declares one of the name, that counts. CUDA's, which begin with cuda or cu, do. */
static const char *const pure[] = {
    "malloc",    "calloc",      "realloc",     "free",   "printf", "fprintf", "snprintf", "sprintf",
    "puts",      "memset",      "memcpy",      "memcmp", "exit",   "assert",  "abs",      "fabs",
    "fabsf",     "sqrt",        "sqrtf",       "pow",    "powf",   "exp",     "expf",     "log",
    "log2",      "logf",        "ceil",        "ceilf",  "floor",  "floorf",  "round",    "srand",
    "rand",      "fread",       "fwrite",      "fopen",  "strlen", "fill",    "fill_n",   "iota",
    "to_string", "make_unique", "make_shared", "setw",   "resize", "reserve", "push_back"};

static bool is_pure(const bw_token *t)
{
    if (t->len > 4 && memcmp(t->text, "cuda", 4) == 0)
        return true;
    if (t->len > 3 && memcmp(t->text, "cu", 2) == 0 && isupper((unsigned char)t->text[2]))
        return true;
    for (size_t i = 0; i < sizeof pure / sizeof *pure; i++)
        if (bw_token_named(t, pure[i]))
            return true;
    return false;
}

static bool ends_operand(const bw_token *t)
{
    return t->kind == BW_TOK_NUMBER || t->kind == BW_TOK_CHARACTER || t->kind == BW_TOK_STRING ||
           bw_token_is(t, BW_TOK_RPAREN) || bw_token_is(t, BW_TOK_RBRACKET) ||
           (bw_is_name(t) && !BW_IS_IN(t, before_operand));
}

static bool is_type_at(const bw_parser *p, size_t at)
{
    bw_parser there = *p;
    there.at = at;
    return BW_IS_IN(&p->tokens[at], plain_types) || bw_at_type(&there);
}

/* The "<" that the ">" at token `at` closes; 0: none in this statement. */
static size_t open_angle(const bw_parser *p, size_t at)
{
    int depth = 0;
    for (size_t k = at; k > 0; k--) {
        const bw_token *t = &p->tokens[k];
        if (bw_token_is(t, BW_TOK_SEMICOLON) || bw_token_is(t, BW_TOK_LBRACE) ||
            bw_token_is(t, BW_TOK_RBRACE))
            return 0;
        depth += bw_token_is(t, BW_TOK_GREATER) - bw_token_is(t, BW_TOK_LESS);
        if (depth == 0)
            return k;
    }
    return 0;
}

/* ---- functions of the file ---- */

static fate fate_of(bw_parser *p, size_t at);

/* The name of parameter `index` of the function whose name is token `at`; NULL: it has none. */
static const bw_token *parameter_name(const bw_parser *p, size_t at, int index)
{
    size_t from = at + 2, to = bw_host_value_end(p, from);
    for (; index > 0 && bw_token_is(&p->tokens[to], BW_TOK_COMMA); index--) {
        from = to + 1;
        to = bw_host_value_end(p, from);
    }
    for (size_t k = from; k < to; k++)
        if (bw_token_is(&p->tokens[k], BW_TOK_ASSIGN))
            to = k;
    return index == 0 && to > from && bw_is_name(&p->tokens[to - 1]) ? &p->tokens[to - 1] : NULL;
}

/* What the function whose name is token `at` does to what it takes by reference: it writes it while
 * it runs, or keeps it, which is the case too where its body is not here. */
static fate fate_in_body(bw_parser *p, size_t at, int index)
{
    bw_declared *d = bw_host_knowledge(p);
    const bw_token *name = parameter_name(p, at, index);
    size_t from = bw_after_brackets(p, at + 1);
    if (!name || !bw_token_is(&p->tokens[from], BW_TOK_LBRACE) || d->looking >= MOST_LOOKS)
        return FATE_ESCAPED;
    size_t to = bw_after_brackets(p, from);
    fate worst = FATE_WRITTEN;
    d->looking++;
    for (size_t k = from; k < to && worst != FATE_ESCAPED; k++) {
        const bw_token *t = &p->tokens[k];
        bool lambda = bw_token_is(t, BW_TOK_LBRACKET) && bw_token_is(t + 1, BW_TOK_AND);
        if (lambda || (t->len == name->len && memcmp(t->text, name->text, t->len) == 0 &&
                       fate_of(p, k) == FATE_ESCAPED))
            worst = FATE_ESCAPED;
    }
    d->looking--;
    return worst;
}

/* Whether the file declares the function that token `call` names; *does: what it does to its
 * argument `index`, which is a variable. */
static bool is_declared(bw_parser *p, size_t call, int index, fate *does)
{
    const bw_token *name = &p->tokens[call];
    const bw_declared *d = bw_host_knowledge(p);
    size_t probe = 0;
    bool found = false, seen = false;
    *does = FATE_READ;
    for (uint32_t row; (row = bw_index_next(&d->names, bw_hash_text(name->text, name->len),
                                            &probe)) != BW_NO_ROW;) {
        size_t at = d->at[row];
        const bw_token *t = &p->tokens[at];
        if (at == call || t->len != name->len || memcmp(t->text, name->text, t->len) != 0)
            continue;
        found = true;
        if (!is_reference(p, at, index))
            continue;
        bool body = bw_token_is(&p->tokens[bw_after_brackets(p, at + 1)], BW_TOK_LBRACE);
        fate here = body ? fate_in_body(p, at, index) : FATE_WRITTEN; /* a prototype */
        seen |= body;
        *does = here > *does ? here : *does;
    }
    if (*does == FATE_WRITTEN && !seen)
        *does = FATE_ESCAPED;
    return found;
}

/* ---- calls ---- */

/* What a function does to argument `index`, which is a variable alone; `call`: its name. */
static fate fate_in_call(bw_parser *p, size_t call, int index)
{
    const bw_token *name = &p->tokens[call], *before = name - 1;
    fate does;
    if (BW_IS_IN(name, reading) || is_type_at(p, call))
        return FATE_READ;
    if (BW_IS_IN(before, plain_types)) /* int m(n); dim3 g(n, 1); */
        return FATE_READ;
    if (bw_token_is(before, BW_TOK_GREATER)) { /* std::vector<float> v(n); */
        size_t open = open_angle(p, call - 1);
        return open && bw_token_named(&p->tokens[open - 1], "vector") ? FATE_READ : FATE_ESCAPED;
    }
    bool declares = bw_is_name(before) && !BW_IS_IN(before, before_operand);
    if (!declares && is_declared(p, call, index, &does))
        return does;
    return !declares && is_pure(name) ? FATE_READ : FATE_ESCAPED;
}

/* What stands before "(": a name, a template's arguments, a launch's shape, … */
static fate fate_in_parentheses(bw_parser *p, size_t open, int index)
{
    const bw_token *before = &p->tokens[open - 1];
    if (bw_token_is(before, BW_TOK_LAUNCH_CLOSE))
        return FATE_READ; /* kernels take all by value */
    if (bw_token_is(before, BW_TOK_GREATER)) {
        size_t angle = open_angle(p, open - 1);
        return angle ? fate_in_call(p, angle - 1, index) : FATE_ESCAPED;
    }
    if (bw_token_is(before, BW_TOK_RPAREN)) { /* (int)(n) */
        size_t k = open - 1;
        for (int depth = 0; k > 0; k--) {
            depth += bw_token_is(&p->tokens[k], BW_TOK_RPAREN);
            depth -= bw_token_is(&p->tokens[k], BW_TOK_LPAREN);
            if (depth == 0)
                break;
        }
        return is_type_at(p, k + 1) ? FATE_READ : FATE_ESCAPED;
    }
    return bw_is_name(before) ? fate_in_call(p, open - 1, index) : FATE_ESCAPED;
}

/* In {n, m}: of a number, an array or a dim3, or of what is not seen. */
static fate fate_in_braces(const bw_parser *p, size_t open)
{
    static const bw_token_kind block[] = {BW_TOK_RPAREN, BW_TOK_SEMICOLON, BW_TOK_LBRACE,
                                          BW_TOK_RBRACE, BW_TOK_ELSE,      BW_TOK_DO};
    static const bw_token_kind value[] = {BW_TOK_ASSIGN, BW_TOK_LPAREN,   BW_TOK_COMMA,
                                          BW_TOK_RETURN, BW_TOK_RBRACKET, BW_TOK_DIM3};
    const bw_token *before = &p->tokens[open - 1];
    if (BW_IS_IN(before, block))
        return FATE_WRITTEN; /* int a, n, b; */
    bool plain = BW_IS_IN(before, value) || BW_IS_IN(before - 1, plain_types);
    return plain ? FATE_READ : FATE_ESCAPED;
}

/* The bracket that is open at token `at`; the commas since. */
static size_t opening(const bw_parser *p, size_t at, int *commas)
{
    int depth = 0;
    *commas = 0;
    for (size_t k = at; k-- > 0;) {
        const bw_token *t = &p->tokens[k];
        bool opens = bw_token_is(t, BW_TOK_LPAREN) || bw_token_is(t, BW_TOK_LBRACE) ||
                     bw_token_is(t, BW_TOK_LBRACKET);
        if (depth == 0 &&
            (opens || bw_token_is(t, BW_TOK_SEMICOLON) || bw_token_is(t, BW_TOK_LAUNCH_OPEN)))
            return k;
        depth += bw_token_is(t, BW_TOK_RPAREN) || bw_token_is(t, BW_TOK_RBRACE) ||
                 bw_token_is(t, BW_TOK_RBRACKET);
        depth -= opens;
        *commas += depth == 0 && bw_token_is(t, BW_TOK_COMMA);
    }
    return 0;
}

/* A variable alone, tokens [first, last], between brackets or commas. */
static fate fate_alone(bw_parser *p, size_t first, size_t last)
{
    static const bw_token_kind begins[] = {BW_TOK_LPAREN, BW_TOK_COMMA, BW_TOK_LBRACE,
                                           BW_TOK_QUESTION, BW_TOK_COLON};
    static const bw_token_kind ends[] = {BW_TOK_RPAREN, BW_TOK_COMMA, BW_TOK_RBRACE, BW_TOK_COLON,
                                         BW_TOK_QUESTION};
    while (BW_IS_IN(&p->tokens[first - 1], begins) && BW_IS_IN(&p->tokens[last + 1], ends)) {
        int index;
        size_t open = opening(p, first, &index), close = bw_after_brackets(p, open) - 1;
        const bw_token *before = &p->tokens[open ? open - 1 : 0];
        if (!bw_token_is(&p->tokens[open], BW_TOK_LPAREN))
            return bw_token_is(&p->tokens[open], BW_TOK_LBRACE) ? fate_in_braces(p, open)
                                                                : FATE_READ;
        bool called = bw_is_name(before) ? !BW_IS_IN(before, before_operand)
                                         : bw_token_is(before, BW_TOK_GREATER) ||
                                               bw_token_is(before, BW_TOK_LAUNCH_CLOSE) ||
                                               bw_token_is(before, BW_TOK_RPAREN) ||
                                               bw_token_is(before, BW_TOK_RBRACKET);
        if (called)
            return fate_in_parentheses(p, open, index);
        if (BW_IS_IN(&p->tokens[close + 1], changes))
            return FATE_WRITTEN; /* (n)++ */
        if (bw_token_is(before, BW_TOK_AND) && !ends_operand(before - 1))
            return FATE_ESCAPED; /* &(n) */
        first = open;
        last = close;
    }
    return FATE_READ;
}

/* Whether a declaration of the name at token `at` begins its statement: Foo<4> n; */
static bool declared_by_template(const bw_parser *p, size_t at)
{
    size_t angle = open_angle(p, at - 1), k;
    if (!angle || !bw_is_name(&p->tokens[angle - 1]))
        return false;
    for (k = angle - 1; k > 1 && bw_token_is(&p->tokens[k - 1], BW_TOK_SCOPE);)
        k -= 2;
    while (k > 0 && bw_token_is(&p->tokens[k - 1], BW_TOK_CONST))
        k--;
    const bw_token *start = &p->tokens[k ? k - 1 : 0];
    return bw_token_is(start, BW_TOK_SEMICOLON) || bw_token_is(start, BW_TOK_LBRACE) ||
           bw_token_is(start, BW_TOK_RBRACE) || bw_token_is(start, BW_TOK_LPAREN);
}

/* The variable at token `at`. */
static fate fate_of(bw_parser *p, size_t at)
{
    size_t last = at;
    if (bw_token_is(&p->tokens[at + 1], BW_TOK_DOT))
        last += 2; /* block.x */
    const bw_token *before = &p->tokens[at - 1], *after = &p->tokens[last + 1];
    bool follows = ends_operand(before - 1);
    if (BW_IS_IN(after, changes) || bw_token_is(before, BW_TOK_INCREMENT) ||
        bw_token_is(before, BW_TOK_DECREMENT) || bw_token_is(before, BW_TOK_SHR))
        return FATE_WRITTEN; /* std::cin >> n too */
    if (bw_is_name(after) || after->kind == BW_TOK_NUMBER || bw_token_is(after, BW_TOK_LBRACKET) ||
        (bw_token_is(after, BW_TOK_LPAREN) && last == at) || bw_token_is(after, BW_TOK_ARROW))
        return FATE_WRITTEN;
    if (bw_is_name(before) && !BW_IS_IN(before, before_operand))
        return FATE_WRITTEN; /* declared anew */
    bool pointer = bw_token_is(before, BW_TOK_AND) || bw_token_is(before, BW_TOK_AND_AND) ||
                   bw_token_is(before, BW_TOK_STAR);
    if (pointer && bw_is_name(before - 1) && is_type_at(p, at - 2))
        return FATE_WRITTEN;
    if (bw_token_is(before, BW_TOK_AND) && !follows)
        return FATE_ESCAPED;
    if (bw_token_is(before, BW_TOK_GREATER) && declared_by_template(p, at))
        return FATE_WRITTEN;
    return fate_alone(p, at, last);
}

/* ---- statements ---- */

/* Stretches of a statement in which names mean more than they do alone. */
typedef struct stretches {
    size_t lambda;    /* to here: a function that runs when it likes */
    size_t bound;     /* names of a structured binding */
    size_t reference; /* the value of a reference */
} stretches;

/* The end of the lambda whose "[" is token `at`; `at` if it is none. */
static size_t lambda_end(const bw_parser *p, size_t at)
{
    size_t k = bw_after_brackets(p, at);
    if (bw_token_is(&p->tokens[k], BW_TOK_LPAREN))
        k = bw_after_brackets(p, k);
    while (bw_is_name(&p->tokens[k]) || bw_token_is(&p->tokens[k], BW_TOK_ARROW))
        k++;
    return bw_token_is(&p->tokens[k], BW_TOK_LBRACE) ? bw_after_brackets(p, k) : at;
}

/* TYPE &NAME = …, (…) or {…}, of what may be changed. */
static bool binds_reference(const bw_parser *p, size_t at)
{
    const bw_token *t = &p->tokens[at];
    if ((!bw_token_is(t, BW_TOK_AND) && !bw_token_is(t, BW_TOK_AND_AND)) || !bw_is_name(t + 1) ||
        !(bw_token_is(t + 2, BW_TOK_ASSIGN) || bw_token_is(t + 2, BW_TOK_LPAREN) ||
          bw_token_is(t + 2, BW_TOK_LBRACE)))
        return false;
    bool type = (bw_is_name(t - 1) && is_type_at(p, at - 1)) || bw_token_is(t - 1, BW_TOK_GREATER);
    bool first = bw_is_name(t - 1) && at > 1 &&
                 (bw_token_is(t - 2, BW_TOK_SEMICOLON) || bw_token_is(t - 2, BW_TOK_LBRACE) ||
                  bw_token_is(t - 2, BW_TOK_RBRACE) || bw_token_is(t - 2, BW_TOK_SCOPE));
    return (type || first) && !bw_token_is(t - 2, BW_TOK_CONST);
}

static void note_stretch(const bw_parser *p, size_t at, stretches *s)
{
    const bw_token *t = &p->tokens[at];
    if (bw_token_is(t, BW_TOK_LBRACKET)) {
        const bw_token *before = t - 1;
        bool binding = bw_token_is(before, BW_TOK_AUTO) ||
                       ((bw_token_is(before, BW_TOK_AND) || bw_token_is(before, BW_TOK_AND_AND)) &&
                        bw_token_is(before - 1, BW_TOK_AUTO));
        size_t end = binding                ? bw_after_brackets(p, at)
                     : ends_operand(before) ? at
                                            : lambda_end(p, at);
        if (binding)
            s->bound = end;
        else if (end > s->lambda)
            s->lambda = end;
    } else if (binds_reference(p, at)) {
        size_t end = bw_host_value_end(p, at + 3);
        s->reference = end > s->reference ? end : s->reference;
    }
}

static void forget(bw_symbol *s, const bw_token *at, bool escaped)
{
    if (s->kind == BW_SY_DIM3)
        s->unknown = at;
    else
        s->kind = BW_SY_UNKNOWN;
    s->escaped |= escaped;
}

static bool is_variable(const bw_symbol *s)
{
    return s->is_mutable && (s->kind == BW_SY_CONSTANT || s->kind == BW_SY_UNKNOWN ||
                             s->kind == BW_SY_DIM3 || s->kind == BW_SY_FUNCTION);
}

/* Whether the token names a variable, and not a member or what a namespace has. */
static bool stands_alone(const bw_token *t)
{
    return bw_is_name(t) && !bw_token_is(t - 1, BW_TOK_DOT) && !bw_token_is(t - 1, BW_TOK_ARROW) &&
           !bw_token_is(t - 1, BW_TOK_SCOPE) && !bw_token_is(t + 1, BW_TOK_SCOPE);
}

void bw_host_forget(bw_parser *p, size_t from, size_t to)
{
    stretches s = {0};
    for (size_t at = from > 2 ? from : 2; at < to; at++) {
        const bw_token *t = &p->tokens[at];
        note_stretch(p, at, &s);
        bw_symbol *v = stands_alone(t) ? bw_lookup(p, t->text, t->len) : NULL;
        if (!v || !is_variable(v))
            continue;
        fate f = at < s.bound ? FATE_WRITTEN : fate_of(p, at);
        if (at < s.reference || (f == FATE_WRITTEN && at < s.lambda))
            f = FATE_ESCAPED;
        if (f != FATE_READ)
            forget(v, t, f == FATE_ESCAPED);
    }
}

void bw_host_forget_shared(bw_parser *p)
{
    stretches s = {0};
    for (size_t at = 2; at < p->count; at++) {
        const bw_token *t = &p->tokens[at];
        note_stretch(p, at, &s);
        bw_symbol *v = stands_alone(t) ? bw_lookup_in(p->globals, t->text, t->len) : NULL;
        if (!v || !is_variable(v))
            continue;
        bool declared_here = t->span.offset == v->span.offset;
        bool another = !declared_here && bw_is_name(t - 1) && !BW_IS_IN(t - 1, before_operand);
        if (declared_here ? !v->is_local
                          : !another && (fate_of(p, at) != FATE_READ || at < s.reference))
            forget(v, t, true);
    }
}
