/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "scan.h"

#include <ctype.h>
#include <string.h>

static bool starts(const bw_source *s, uint32_t at, const char *text)
{
    size_t len = strlen(text);
    return at + len <= s->len && memcmp(s->text + at, text, len) == 0;
}

/* Behind the comment at `at`, or `at` where there is none. */
static uint32_t behind_comment(const bw_source *s, uint32_t at)
{
    const char *end = starts(s, at, "//") ? "\n" : starts(s, at, "/*") ? "*/" : NULL;
    if (!end)
        return at;
    for (uint32_t i = at + 2; i < s->len; i++)
        if (starts(s, i, end))
            return i + (uint32_t)strlen(end);
    return (uint32_t)s->len;
}

/* Behind the string or character at `at`, or `at`. */
static uint32_t behind_string(const bw_source *s, uint32_t at)
{
    char quote = s->text[at];
    if (quote != '"' && quote != '\'')
        return at;
    for (at++; at < s->len && s->text[at] != quote; at++)
        at += s->text[at] == '\\';
    return at < s->len ? at + 1 : (uint32_t)s->len;
}

uint32_t bw_scan_skip(const bw_source *s, uint32_t at)
{
    while (at < s->len) {
        uint32_t next = isspace((unsigned char)s->text[at]) ? at + 1 : behind_comment(s, at);
        if (next == at)
            break;
        at = next;
    }
    return at;
}

uint32_t bw_scan_back(const bw_source *s, uint32_t at)
{
    while (at > 0 && isspace((unsigned char)s->text[at - 1]))
        at--;
    return at;
}

uint32_t bw_scan_find(const bw_source *s, uint32_t at, uint32_t end, char wanted)
{
    int depth = 0;
    while (at < end) {
        uint32_t next = behind_comment(s, at);
        next = next == at ? behind_string(s, at) : next;
        if (next != at) {
            at = next;
            continue;
        }
        char c = s->text[at];
        if (c == wanted && depth == 0)
            return at;
        depth += c == '(' || c == '[' || c == '{';
        depth -= c == ')' || c == ']' || c == '}';
        if (depth < 0)
            return end;
        at++;
    }
    return end;
}

bool bw_scan_group(const bw_source *s, uint32_t at, char open, bw_span *inner, uint32_t *end)
{
    char close = (char)(open == '(' ? ')' : open == '[' ? ']' : '}');
    at = bw_scan_skip(s, at);
    if (at >= s->len || s->text[at] != open)
        return false;
    uint32_t stop = bw_scan_find(s, at + 1, (uint32_t)s->len, close);
    if (stop >= s->len)
        return false;
    *inner = (bw_span){at + 1, stop - at - 1};
    *end = stop + 1;
    return true;
}

uint32_t bw_scan_text(const bw_source *s, bw_span span, const char *text)
{
    uint32_t end = span.offset + span.len;
    for (uint32_t at = span.offset; at < end; at++)
        if (starts(s, at, text))
            return at;
    return end;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

uint32_t bw_scan_name(const bw_source *s, uint32_t at)
{
    uint32_t end = at;
    if (at < s->len && isdigit((unsigned char)s->text[at]))
        return 0;
    while (end < s->len && is_word(s->text[end]))
        end++;
    return end - at;
}

bw_span bw_scan_trim(const bw_source *s, bw_span span)
{
    uint32_t from = span.offset, to = span.offset + span.len;
    while (from < to && isspace((unsigned char)s->text[from]))
        from++;
    while (to > from && isspace((unsigned char)s->text[to - 1]))
        to--;
    return (bw_span){from, to - from};
}

static bool is_name(const bw_source *s, uint32_t at, uint32_t len, const char *name)
{
    return len == strlen(name) && memcmp(s->text + at, name, len) == 0;
}

/* `struct … name {` with attributes between, or `typedef struct … { … } name;`. */
static bool struct_at(const bw_source *s, uint32_t at, const char *name, bw_span *body)
{
    bool named = false;
    uint32_t len, end;
    for (at = bw_scan_skip(s, at); at < s->len && s->text[at] != '{'; at = bw_scan_skip(s, at)) {
        bw_span inner;
        if ((len = bw_scan_name(s, at)) > 0) {
            named = is_name(s, at, len, name);
            at += len;
        } else if (!bw_scan_group(s, at, '(', &inner, &at)) {
            return false;
        }
    }
    if (!bw_scan_group(s, at, '{', body, &end))
        return false;
    end = bw_scan_skip(s, end);
    return named || is_name(s, end, bw_scan_name(s, end), name);
}

bool bw_scan_struct(const bw_source *s, const char *name, bw_span *body)
{
    for (uint32_t at = 0; at < s->len;) {
        uint32_t next = bw_scan_skip(s, at);
        next = next == at ? behind_string(s, at) : next;
        uint32_t len = next == at ? bw_scan_name(s, at) : 0;
        if (len && is_name(s, at, len, "struct") && struct_at(s, at + len, name, body))
            return true;
        at = next != at ? next : len ? at + len : at + 1;
    }
    return false;
}
