/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "signature.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Deeper template arguments than people write: T1 names an argument that may be T1 of another. */
#define MAX_DEPTH 8

typedef struct text {
    const char *at;
    size_t len;
} text;

/* ---- types ---- */

/* The types of the language and of CUDA's headers that kernels take by value: vector_types.h. */
static const struct known_type {
    const char *name;
    bw_param_kind kind;
    uint8_t size, align;
} known_types[] = {
    {"bool", BW_PARAM_UNSIGNED, 1, 1},
    {"char", BW_PARAM_SIGNED, 1, 1},
    {"signed char", BW_PARAM_SIGNED, 1, 1},
    {"unsigned char", BW_PARAM_UNSIGNED, 1, 1},
    {"short", BW_PARAM_SIGNED, 2, 2},
    {"unsigned short", BW_PARAM_UNSIGNED, 2, 2},
    {"int", BW_PARAM_SIGNED, 4, 4},
    {"unsigned int", BW_PARAM_UNSIGNED, 4, 4},
    {"unsigned", BW_PARAM_UNSIGNED, 4, 4},
    {"wchar_t", BW_PARAM_SIGNED, 4, 4},
    {"char16_t", BW_PARAM_UNSIGNED, 2, 2},
    {"char32_t", BW_PARAM_UNSIGNED, 4, 4},
    {"long", BW_PARAM_SIGNED, 8, 8},
    {"unsigned long", BW_PARAM_UNSIGNED, 8, 8},
    {"long long", BW_PARAM_SIGNED, 8, 8},
    {"unsigned long long", BW_PARAM_UNSIGNED, 8, 8},
    {"size_t", BW_PARAM_UNSIGNED, 8, 8},
    {"__int128", BW_PARAM_SIGNED, 16, 16},
    {"unsigned __int128", BW_PARAM_UNSIGNED, 16, 16},
    {"float", BW_PARAM_REAL, 4, 4},
    {"double", BW_PARAM_REAL, 8, 8},
    {"__half", BW_PARAM_REAL, 2, 2},
    {"__nv_bfloat16", BW_PARAM_REAL, 2, 2},
    {"__half2", BW_PARAM_OTHER, 4, 4},
    {"__nv_bfloat162", BW_PARAM_OTHER, 4, 4},
    {"dim3", BW_PARAM_OTHER, 12, 4},
};

/* CUDA's vectors: "float4". A vector of 3 has its element's alignment; others their size, up to 16
 * bytes. */
static bool vector_type(const char *name, bw_param *param)
{
    static const struct {
        const char *name;
        uint8_t size;
    } elements[] = {{"char", 1},     {"uchar", 1},     {"short", 2}, {"ushort", 2},
                    {"int", 4},      {"uint", 4},      {"long", 8},  {"ulong", 8},
                    {"longlong", 8}, {"ulonglong", 8}, {"float", 4}, {"double", 8}};
    size_t len = strlen(name);
    char last = len ? name[len - 1] : 0;
    if (last < '1' || last > '4')
        return false;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        if (strlen(elements[i].name) != len - 1 || memcmp(name, elements[i].name, len - 1) != 0)
            continue;
        uint32_t count = (uint32_t)(last - '0'), size = elements[i].size * count;
        param->size = size;
        param->align = count == 3 ? elements[i].size : size > 16 ? 16 : size;
        return true;
    }
    return false;
}

static text trim(text t)
{
    while (t.len && isspace((unsigned char)*t.at))
        t.at++, t.len--;
    while (t.len && isspace((unsigned char)t.at[t.len - 1]))
        t.len--;
    return t;
}

/* Takes `word` off the front where it stands there as a word. */
static bool drop_word(text *t, const char *word)
{
    size_t n = strlen(word);
    if (t->len <= n || memcmp(t->at, word, n) != 0 || !isspace((unsigned char)t->at[n]))
        return false;
    *t = trim((text){t->at + n, t->len - n});
    return true;
}

static bool drop_last(text *t, const char *word)
{
    size_t n = strlen(word);
    if (t->len <= n || memcmp(t->at + t->len - n, word, n) != 0 ||
        isalnum((unsigned char)t->at[t->len - n - 1]) || t->at[t->len - n - 1] == '_')
        return false;
    *t = trim((text){t->at, t->len - n});
    return true;
}

static text without_qualifiers(text t)
{
    static const char *const first[] = {"const", "volatile", "struct", "class", "enum", "union"};
    static const char *const last[] = {"const", "volatile", "__restrict__", "__restrict",
                                       "restrict"};
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < sizeof first / sizeof *first; i++)
            again |= drop_word(&t, first[i]);
        for (size_t i = 0; i < sizeof last / sizeof *last; i++)
            again |= drop_last(&t, last[i]);
    }
    return t;
}

bw_param bw_param_of(bw_arena *arena, const char *spelling, size_t len)
{
    text whole = trim((text){spelling, len}), t = without_qualifiers(whole);
    bw_param param = {.type = bw_arena_copy(arena, whole.at, whole.len), .kind = BW_PARAM_OTHER};
    bool pointer = t.len && (t.at[t.len - 1] == '*' || t.at[t.len - 1] == '&');
    const char *name = bw_arena_copy(arena, t.at, t.len);
    bool function = t.len && t.at[t.len - 1] == ')' && strstr(name, "(*");
    if (pointer || function) {
        param.kind = BW_PARAM_POINTER;
        param.size = param.align = 8;
        return param;
    }
    for (size_t i = 0; i < sizeof known_types / sizeof *known_types; i++)
        if (strcmp(known_types[i].name, name) == 0) {
            param.kind = known_types[i].kind;
            param.size = known_types[i].size;
            param.align = known_types[i].align;
            return param;
        }
    vector_type(name, &param);
    return param;
}

/* ---- readable names ---- */

/* The end of the list that begins after `from`: at the first `close` or ',' outside brackets. */
static size_t item_end(const char *name, size_t from, char close)
{
    int depth = 0;
    for (size_t i = from; name[i]; i++) {
        if (depth == 0 && (name[i] == close || name[i] == ','))
            return i;
        if (strchr("<([{", name[i]))
            depth++;
        else if (strchr(">)]}", name[i]))
            depth--;
    }
    return strlen(name);
}

/* The bracket that opens what name[end] closes, or SIZE_MAX. */
static size_t opening(const char *name, size_t end)
{
    int depth = 0;
    for (size_t i = end + 1; i-- > 0;) {
        if (strchr(">)]}", name[i]))
            depth++;
        else if (strchr("<([{", name[i]) && --depth == 0)
            return i;
    }
    return SIZE_MAX;
}

/* Template argument `n` (from 1) of the list that opens at name[list]; len 0: there is none. */
static text template_argument(const char *name, size_t list, unsigned long n)
{
    if (list == SIZE_MAX)
        return (text){name, 0};
    size_t at = list + 1;
    for (unsigned long i = 1;; i++) {
        size_t end = item_end(name, at, '>');
        if (i == n)
            return trim((text){name + at, end - at});
        if (name[end] != ',')
            return (text){name, 0};
        at = end + 1;
    }
}

/* "T1", which is what a template's parameter is called: its number, or 0. */
static unsigned long template_number(text t)
{
    t = without_qualifiers(t);
    if (t.len < 2 || t.len > 3 || t.at[0] != 'T' || !isdigit((unsigned char)t.at[1]) ||
        (t.len == 3 && !isdigit((unsigned char)t.at[2])))
        return 0;
    return strtoul(t.at + 1, NULL, 10); /* it stops at what is no digit */
}

static bw_param readable_param(bw_arena *arena, const char *name, text t, size_t list)
{
    for (int depth = 0; depth < MAX_DEPTH; depth++) {
        unsigned long n = template_number(t);
        text argument = n ? template_argument(name, list, n) : (text){name, 0};
        if (!argument.len)
            break;
        t = argument;
    }
    return bw_param_of(arena, t.at, t.len);
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bw_signature readable(bw_arena *arena, const char *name)
{
    size_t len = strlen(name), close = len, list = SIZE_MAX;
    while (close && isspace((unsigned char)name[close - 1]))
        close--;
    size_t open = close && name[close - 1] == ')' ? opening(name, close - 1) : SIZE_MAX;
    size_t end = open == SIZE_MAX ? close : open;
    if (end && name[end - 1] == '>') {
        list = opening(name, end - 1);
        end = list == SIZE_MAX ? end : list;
    }
    size_t begin = end;
    while (begin && is_name(name[begin - 1]))
        begin--;
    bw_signature s = {.name =
                          begin == end ? name : bw_arena_copy(arena, name + begin, end - begin)};
    if (open == SIZE_MAX)
        return s;
    s.known = true;
    s.params = bw_arena_alloc(arena, len * sizeof *s.params);
    for (size_t at = open + 1; at < close;) {
        size_t stop = item_end(name, at, ')');
        text t = trim((text){name + at, stop - at});
        bool none = t.len == 0 || (t.len == 4 && memcmp(t.at, "void", 4) == 0);
        if (!none)
            s.params[s.count++] = readable_param(arena, name, t, list);
        if (name[stop] != ',')
            break;
        at = stop + 1;
    }
    return s;
}

bw_signature bw_signature_of(bw_arena *arena, const char *name)
{
    bool mangled = strncmp(name, "_Z", 2) == 0;
    bw_signature s = mangled ? bw_signature_mangled(arena, name) : readable(arena, name);
    if (mangled && !s.known)
        s = (bw_signature){.name = s.name ? s.name : name};
    if (!s.readable)
        s.readable = name;
    return s;
}
