/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
    bw_arena *arena;
    const char *at, *end;
    unsigned depth;
} reader;

static void skip_space(reader *r)
{
    while (r->at < r->end && *r->at && strchr(" \t\r\n", *r->at))
        r->at++;
}

static bool take(reader *r, char sign)
{
    skip_space(r);
    if (r->at == r->end || *r->at != sign)
        return false;
    r->at++;
    return true;
}

static bool take_word(reader *r, const char *word)
{
    size_t len = strlen(word);
    if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0)
        return false;
    r->at += len;
    return true;
}

/* ---- texts ---- */

/* The four digits of \uXXXX, or -1. */
static long take_unit(reader *r)
{
    long unit = 0;
    if (r->end - r->at < 4)
        return -1;
    for (int i = 0; i < 4; i++, r->at++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = *r->at ? strchr(digits, *r->at) : NULL;
        if (!digit)
            return -1;
        unit = unit * 16 + (digit - digits) % 16;
    }
    return unit;
}

static char *put_utf8(char *to, unsigned long c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    } else {
        *to++ = (char)(0xf0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 0x3f));
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    }
    return to;
}

/* What stands after "\u": a character, or two halves of one. NULL where it is none, or zero. */
static char *take_character(reader *r, char *to)
{
    long unit = take_unit(r);
    if (unit >= 0xd800 && unit < 0xdc00) {
        if (!take_word(r, "\\u"))
            return NULL;
        long low = take_unit(r);
        if (low < 0xdc00 || low > 0xdfff)
            return NULL;
        unit = 0x10000 + (unit - 0xd800) * 0x400 + (low - 0xdc00);
    } else if (unit <= 0 || (unit >= 0xdc00 && unit < 0xe000)) {
        return NULL;
    }
    return put_utf8(to, (unsigned long)unit);
}

static char *take_escape(reader *r, char *to)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (r->at == r->end)
        return NULL;
    char name = *r->at++;
    const char *found = name ? strchr(names, name) : NULL;
    if (name == 'u')
        return take_character(r, to);
    if (found)
        *to++ = values[found - names];
    return found ? to : NULL;
}

/* The text after its first quote; it is never longer than what is written. NULL: it is none. */
static const char *take_text(reader *r)
{
    const char *stop = r->at;
    while (stop < r->end && *stop != '"')
        stop += *stop == '\\' ? 2 : 1;
    if (stop >= r->end)
        return NULL;
    char *text = bw_arena_alloc(r->arena, (size_t)(stop - r->at) + 1), *to = text;
    while (to && r->at < stop) {
        if ((unsigned char)*r->at < 0x20)
            return NULL;
        if (*r->at == '\\') {
            r->at++;
            to = take_escape(r, to);
        } else {
            *to++ = *r->at++;
        }
    }
    if (!to || r->at != stop)
        return NULL;
    r->at++;
    *to = '\0';
    return text;
}

/* ---- values ---- */

static bool take_number(reader *r, double *number)
{
    static const char parts[] = "+-.0123456789Ee";
    char text[64];
    size_t len = 0;
    while (r->at + len < r->end && r->at[len] && strchr(parts, r->at[len]))
        len++;
    if (!len || len >= sizeof text || !strchr("-0123456789", *r->at))
        return false;
    memcpy(text, r->at, len);
    text[len] = '\0';
    char *end;
    *number = strtod(text, &end);
    r->at += end - text;
    return end == text + len;
}

static bool take_value(reader *r, bw_json *value);

/* The values of an array, or the members of an object, after its opening sign. */
static bool take_list(reader *r, bw_json *list, char close)
{
    const bw_json **next = &list->first;
    if (take(r, close))
        return true;
    if (++r->depth > BW_JSON_DEPTH)
        return false;
    do {
        bw_json *item = bw_arena_alloc(r->arena, sizeof *item);
        const char *name = NULL;
        if (close == '}' && (!take(r, '"') || !(name = take_text(r)) || !take(r, ':')))
            return false;
        if (!take_value(r, item))
            return false;
        item->name = name;
        *next = item;
        next = &item->next;
    } while (take(r, ','));
    r->depth--;
    return take(r, close);
}

static bool take_value(reader *r, bw_json *value)
{
    static const struct {
        const char *word;
        bw_json_kind kind;
    } words[] = {{"null", BW_JSON_NULL}, {"true", BW_JSON_TRUE}, {"false", BW_JSON_FALSE}};
    skip_space(r);
    *value = (bw_json){.kind = BW_JSON_NUMBER};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (take_word(r, words[i].word)) {
            value->kind = words[i].kind;
            return true;
        }
    if (take(r, '"')) {
        value->kind = BW_JSON_TEXT;
        return (value->text = take_text(r)) != NULL;
    }
    if (take(r, '[')) {
        value->kind = BW_JSON_ARRAY;
        return take_list(r, value, ']');
    }
    if (take(r, '{')) {
        value->kind = BW_JSON_OBJECT;
        return take_list(r, value, '}');
    }
    return take_number(r, &value->number);
}

const bw_json *bw_json_read(bw_arena *arena, const char *text, size_t len, size_t *at)
{
    reader r = {.arena = arena, .at = text, .end = text + len};
    bw_json *value = bw_arena_alloc(arena, sizeof *value);
    bool good = take_value(&r, value);
    skip_space(&r);
    *at = (size_t)(r.at - text);
    return good && r.at == r.end ? value : NULL;
}

const bw_json *bw_json_member(const bw_json *object, const char *name)
{
    const bw_json *at = object && object->kind == BW_JSON_OBJECT ? object->first : NULL;
    while (at && strcmp(at->name, name) != 0)
        at = at->next;
    return at;
}

const char *bw_json_text(const bw_json *object, const char *name)
{
    const bw_json *member = bw_json_member(object, name);
    return member && member->kind == BW_JSON_TEXT ? member->text : NULL;
}
