/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A launch as it is written: kernel<<<grid, block, shared>>>(arguments).
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

#define HOW_LAUNCH "write kernel<<<grid, block>>>(arguments)"
/* As nvcc allows; bw_arguments_place says what a kernel takes. */
#define MOST_ARGUMENTS 1024
#define MOST_DYNAMIC (1u << 20)

typedef struct reader {
    bw_arena *arena;
    bw_diags *diags;
    const bw_source *source;
    const bw_define *defines;
    size_t define_count;
    bool *used; /* by definition */
    size_t at;
} reader;

static bool bad(reader *r, size_t at, size_t len, const char *what, const char *note)
{
    bw_note(r->diags,
            bw_diagnose(r->diags, BW_MSG_LAUNCH_PLACE, r->source,
                        (bw_span){(uint32_t)at, (uint32_t)len}, "%s", what),
            "%s", note);
    return false;
}

static char look(const reader *r)
{
    return r->at < r->source->len ? r->source->text[r->at] : '\0';
}

static void skip_space(reader *r)
{
    while (isspace((unsigned char)look(r)))
        r->at++;
}

static bool take(reader *r, const char *word)
{
    skip_space(r);
    size_t len = strlen(word);
    if (r->source->len - r->at < len || memcmp(r->source->text + r->at, word, len) != 0)
        return false;
    r->at += len;
    return true;
}

static size_t name_length(const reader *r)
{
    size_t len = 0;
    const char *text = r->source->text + r->at;
    while (r->at + len < r->source->len && (isalnum((unsigned char)text[len]) || text[len] == '_'))
        len++;
    return isdigit((unsigned char)look(r)) ? 0 : len;
}

/* What -D gives the name, or NULL. */
static const char *defined(reader *r, const char *name, size_t len)
{
    for (size_t i = 0; i < r->define_count; i++)
        if (strlen(r->defines[i].name) == len && memcmp(r->defines[i].name, name, len) == 0) {
            r->used[i] = true;
            return r->defines[i].value;
        }
    return NULL;
}

/* ---- the shape ---- */

static bool read_number(reader *r, uint64_t most, uint64_t *value)
{
    skip_space(r);
    size_t at = r->at, len = name_length(r);
    const char *text = r->source->text + at;
    const char *given = len ? defined(r, text, len) : NULL;
    char *end;
    if (len && !given)
        return bad(r, at, len, "nothing is known of this name",
                   bw_arena_format(r->arena, "write the number, or give it with -D %.*s=…",
                                   (int)len, text));
    const char *digits = given ? given : bw_arena_copy(r->arena, text, r->source->len - at);
    errno = 0;
    *value = strtoull(digits, &end, 0);
    if (!isdigit((unsigned char)*digits) || errno || *value > most || (given && *end))
        return bad(r, at, len ? len : 1, "a number within the limits belongs here", HOW_LAUNCH);
    r->at += given ? len : (size_t)(end - digits);
    while (strchr("uUlL", look(r)) && look(r))
        r->at++;
    return true;
}

/* 4, dim3(4, 2), {4, 2} or 4x2. */
static bool read_shape(reader *r, uint32_t shape[3], bool block)
{
    static const uint64_t most[2][3] = {{2147483647, 65535, 65535}, {1024, 1024, 64}};
    skip_space(r);
    size_t start = r->at;
    bool named = take(r, "dim3"), braces = take(r, "{"), brackets = !braces && take(r, "(");
    uint64_t value;
    if (named && !braces && !brackets)
        return bad(r, start, 4, "dim3 has its numbers in brackets", "write dim3(4, 2)");
    shape[0] = shape[1] = shape[2] = 1;
    for (int i = 0; i < 3; i++) {
        if (!read_number(r, most[block][i], &value))
            return false;
        if (!value)
            return bad(r, start, r->at - start, "a number of a shape is 0", HOW_LAUNCH);
        shape[i] = (uint32_t)value;
        bool more = braces || brackets ? take(r, ",") : look(r) == 'x' && take(r, "x");
        if (!more)
            break;
    }
    if ((braces && !take(r, "}")) || (brackets && !take(r, ")")))
        return bad(r, r->at, 1, "the bracket does not end here", "write dim3(4, 2)");
    if (block && (uint64_t)shape[0] * shape[1] * shape[2] > 1024)
        return bad(r, start, r->at - start, "a block has 1024 threads at most", HOW_LAUNCH);
    return true;
}

/* ---- the arguments ---- */

/* One word of an argument as --arg takes it; `list`: within braces. NULL: "_". */
static const char *word_of(reader *r, const char *text, size_t len, bool list)
{
    const char *given = defined(r, text, len);
    char *word = bw_arena_copy(r->arena, text, len);
    if (given)
        return given;
    if (strcmp(word, "_") == 0)
        return NULL;
    if (strcmp(word, "nullptr") == 0 || strcmp(word, "NULL") == 0)
        return "null";
    if (isdigit((unsigned char)*word) || *word == '-' || *word == '.') {
        bool hex = strncmp(word, "0x", 2) == 0;
        bool real = !hex && strpbrk(word, ".eE");
        if (real && list)
            return bw_arena_format(r->arena, "%s:%.*s", strchr(word, 'f') ? "f32" : "f64",
                                   (int)strcspn(word, "fF"), word);
        while (!real && len && strchr("uUlL", word[len - 1]))
            word[--len] = '\0';
        return word;
    }
    bool plain = isalpha((unsigned char)*word) || *word == '_';
    for (const char *c = word; *c; c++)
        plain = plain && (isalnum((unsigned char)*c) || *c == '_');
    bool literal = strcmp(word, "true") == 0 || strcmp(word, "false") == 0 ||
                   strcmp(word, "null") == 0 || strcmp(word, "inf") == 0 ||
                   strcmp(word, "nan") == 0;
    return plain && !literal ? "ptr" : word; /* a name stands for a pointer */
}

/* The argument in text[0..len): its value, or NULL where it is not given. */
static const char *read_value(reader *r, const char *text, size_t len)
{
    bool list = len && text[0] == '{';
    const char *value = NULL;
    if (!list)
        return word_of(r, text, len, false);
    for (size_t at = 0; at < len;) {
        size_t from = at + strspn(text + at, " {},\t"), to = from;
        while (to < len && !strchr(" {},\t", text[to]))
            to++;
        if (from >= len)
            break;
        const char *word = word_of(r, text + from, to - from, true);
        value = bw_arena_format(r->arena, "%s%s%s", value ? value : "", value ? "," : "",
                                word ? word : "ptr");
        at = to;
    }
    return value;
}

static bool read_arguments(reader *r, bw_kernel_launch *to)
{
    bw_argument *list = bw_arena_alloc(r->arena, MOST_ARGUMENTS * sizeof *list);
    size_t open = r->at;
    unsigned position = 0;
    to->arguments = list;
    if (!take(r, "("))
        return true; /* none is given */
    for (bool last = take(r, ")"); !last; position++) {
        skip_space(r);
        size_t from = r->at;
        for (int depth = 0; look(r) && (depth || !strchr(",)", look(r))); r->at++)
            depth += strchr("({", look(r)) ? 1 : strchr(")}", look(r)) ? -1 : 0;
        size_t len = r->at - from;
        while (len && isspace((unsigned char)r->source->text[from + len - 1]))
            len--;
        if (!look(r))
            return bad(r, open, 1, "this bracket does not end", "put ')' after the arguments");
        if (!len || position == MOST_ARGUMENTS)
            return bad(r, from, 1, "an argument is missing", "write _ for one that is not given");
        const char *value = read_value(r, r->source->text + from, len);
        if (value)
            list[to->argument_count++] =
                (bw_argument){bw_arena_format(r->arena, "%u", position), value, to->order};
        last = look(r) == ')';
        r->at++;
    }
    return true;
}

bool bw_kernel_launch_read(bw_kernel_launch *to, bw_arena *arena, const bw_source *source,
                           const bw_define *defines, size_t define_count, bool *used,
                           bw_diags *diags)
{
    reader r = {.arena = arena,
                .diags = diags,
                .source = source,
                .defines = defines,
                .define_count = define_count,
                .used = used};
    uint64_t dynamic = 0;
    skip_space(&r);
    size_t start = r.at;
    while (look(&r) && r.source->len - r.at >= 3 && memcmp(source->text + r.at, "<<<", 3) != 0)
        r.at++;
    size_t end = r.at;
    while (end > start && isspace((unsigned char)source->text[end - 1]))
        end--;
    to->source = source;
    to->span = (bw_span){(uint32_t)start, (uint32_t)(end - start)};
    to->kernel = bw_arena_copy(arena, source->text + start, end - start);
    if (end == start || !take(&r, "<<<"))
        return bad(&r, start, end > start ? end - start : 1, "this is no launch", HOW_LAUNCH);
    if (!read_shape(&r, to->grid, false))
        return false;
    if (!take(&r, ","))
        return bad(&r, r.at, 1, "a comma belongs between grid and block", HOW_LAUNCH);
    if (!read_shape(&r, to->block, true))
        return false;
    to->has_dynamic = take(&r, ",");
    if (to->has_dynamic && !read_number(&r, MOST_DYNAMIC, &dynamic))
        return false;
    to->dynamic = (uint32_t)dynamic;
    while (look(&r) && !take(&r, ">>>")) /* a stream says nothing of costs */
        r.at++;
    if (r.at < 3 || memcmp(source->text + r.at - 3, ">>>", 3) != 0)
        return bad(&r, r.at, 1, "the shape does not end", HOW_LAUNCH);
    if (!read_arguments(&r, to))
        return false;
    take(&r, ";");
    skip_space(&r);
    return !look(&r) ||
           bad(&r, r.at, 1, "unexpected text after the launch", "give each launch by itself");
}
