/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of a kernel's parameters, from the source that it was compiled from.
 *
 * The source need not be of the language that patterns are written in: only the heads of functions
 * after __global__ are looked at, as text. Where two heads fit and name their parameters in
 * different ways, nothing is known.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <ctype.h>
#include <string.h>

#include "signature.h"

typedef struct piece {
    const char *text;
    size_t len;
} piece;

typedef struct scanner {
    const char *at, *end;
    piece word; /* an identifier, or one other character; empty at the end */
} scanner;

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* After a comment or a literal that begins at s->at; false where none does. */
static bool skip_one(scanner *s)
{
    const char *at = s->at;
    size_t left = (size_t)(s->end - at);
    if (left > 1 && at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
        bool line = at[1] == '/';
        for (at += 2; at < s->end; at++)
            if (line ? *at == '\n' : (*at == '/' && at[-1] == '*' && at - s->at > 2))
                break;
        s->at = at < s->end ? at + 1 : s->end;
        return true;
    }
    if (left && (*at == '"' || *at == '\'')) {
        char quote = *at;
        for (at++; at < s->end && *at != quote && *at != '\n'; at++)
            at += *at == '\\' && at + 1 < s->end;
        s->at = at < s->end ? at + 1 : s->end;
        return true;
    }
    return false;
}

static void next(scanner *s)
{
    while (s->at < s->end && (isspace((unsigned char)*s->at) || skip_one(s)))
        s->at += s->at < s->end && isspace((unsigned char)*s->at);
    const char *from = s->at;
    if (s->at < s->end && is_word(*s->at))
        while (s->at < s->end && is_word(*s->at))
            s->at++;
    else
        s->at += s->at < s->end;
    s->word = (piece){from, (size_t)(s->at - from)};
}

static bool is(piece word, const char *text)
{
    return word.len == strlen(text) && memcmp(word.text, text, word.len) == 0;
}

/* Words of a type that stand where a name may. */
static bool is_type_word(piece word)
{
    static const char *const words[] = {
        "const", "volatile", "unsigned", "signed", "char",   "short", "int",  "long",
        "float", "double",   "bool",     "void",   "struct", "class", "enum", "typename"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (is(word, words[k]))
            return true;
    return false;
}

/* A parameter, up to the "," or ")" that ends it. Its name is the last word outside brackets that
 * is no type's, or the one in (*name). Whether there is anything but "void". */
static bool read_name(scanner *s, piece *name)
{
    int depth = 0;
    bool any = false, first = true, settled = false;
    *name = (piece){"", 0};
    for (; s->word.len && (depth || (!is(s->word, ",") && !is(s->word, ")"))); next(s)) {
        char c = *s->word.text;
        any = any || !is(s->word, "void");
        if (depth == 0 && !settled) {
            if (c == '(') { /* (*name) */
                while (next(s), is(s->word, "*") || is(s->word, "&"))
                    ;
                *name = s->word;
                settled = true;
                depth++;
            } else if (c == '=' || c == '[') {
                settled = true;
            } else if (c == '<' || c == ':') {
                *name = (piece){"", 0}; /* of a type */
            } else if (is_word(c) && !isdigit((unsigned char)c) && !first) {
                *name = is_type_word(s->word) ? (piece){"", 0} : s->word;
            }
            first = false;
            if (settled && c == '(')
                continue;
        }
        depth += c == '(' || c == '[' || c == '{' || c == '<';
        depth -= c == ')' || c == ']' || c == '}' || c == '>';
    }
    return any;
}

/* From the word after "(" to the ")" that closes it: each parameter's name. How many there are;
 * `names` has room for `most`. SIZE_MAX where the text ends before. */
static size_t read_names(scanner *s, piece *names, size_t most)
{
    for (size_t count = 0;; next(s)) {
        piece name;
        bool any = read_name(s, &name);
        if (any && count < most)
            names[count] = name;
        count += any;
        if (!is(s->word, ","))
            return s->word.len ? count : SIZE_MAX;
    }
}

/* The next head of a function `name` after __global__; false where there is none. s->word is the
 * one after its "(". */
static bool find_head(scanner *s, const char *name)
{
    bool global = false;
    piece before = {"", 0};
    for (next(s); s->word.len; before = s->word, next(s)) {
        if (is(s->word, "__global__"))
            global = true;
        else if (is(s->word, ";") || is(s->word, "{") || is(s->word, "}"))
            global = false;
        else if (global && is(s->word, "(") && is(before, name)) {
            next(s);
            return true;
        }
    }
    return false;
}

void bw_signature_take_names(bw_signature *signature, bw_arena *arena, const char *text, size_t len)
{
    size_t count = signature->count;
    piece *names = bw_arena_alloc(arena, (count + 1) * sizeof *names), *kept = NULL;
    scanner s = {.at = text, .end = text + len};
    if (!signature->name || !signature->known || !count)
        return;
    while (find_head(&s, signature->name)) {
        if (read_names(&s, names, count) != count)
            continue;
        for (size_t i = 0; kept && i < count; i++)
            if (kept[i].len != names[i].len ||
                memcmp(kept[i].text, names[i].text, names[i].len) != 0)
                return;
        if (!kept)
            kept = bw_arena_alloc(arena, count * sizeof *kept);
        memcpy(kept, names, count * sizeof *kept);
    }
    for (size_t i = 0; kept && i < count; i++)
        signature->params[i].name =
            kept[i].len ? bw_arena_copy(arena, kept[i].text, kept[i].len) : NULL;
}
