/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "rewrite_private.h"

#include <inttypes.h>
#include <string.h>

/* ---- structs ---- */

/* The place before white space that ends at `at`: after a comment too, which is no token. */
static uint32_t before_blank(bw_writer *w, uint32_t at)
{
    while (at > 0 && strchr(" \t\r\n", w->source->text[at - 1]))
        at--;
    return at;
}

/* The white space that begins the line of `at`. */
static const char *indentation(bw_writer *w, uint32_t at)
{
    uint32_t from = at, to;
    while (from > 0 && w->source->text[from - 1] != '\n')
        from--;
    for (to = from; to < at && strchr(" \t", w->source->text[to]); to++)
        ;
    return bw_arena_copy(w->edits->arena, w->source->text + from, to - from);
}

static const char *filler_type(uint32_t align)
{
    switch (align) {
    case 1: return "char";
    case 2: return "short";
    case 4: return "float";
    case 8: return "double";
    default: return "float4";
    }
}

static const char *free_member_name(const bw_array *a)
{
    static const char *const names[] = {"unused", "padding", "unused_", "padding_"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        bool taken = false;
        for (unsigned i = 0; i < a->member_count; i++)
            taken |= strcmp(a->members[i].name, names[k]) == 0;
        if (!taken)
            return names[k];
    }
    return "bank_padding";
}

bool bw_rewrite_struct(bw_writer *w)
{
    bw_arena *arena = w->edits->arena;
    const bw_array *a = w->array;
    bw_span body;
    if (!a->struct_name || !bw_written_struct(&w->written, a->struct_name, &body))
        return bw_rewrite_refuse(w, a->span, "the struct's definition is not to be found");
    uint32_t count = w->layout->extra / a->align, stop = body.offset + body.len;
    bool one_line = !memchr(w->source->text + body.offset, '\n', body.len);
    const char *name = free_member_name(a);
    const char *many = count > 1 ? bw_arena_format(arena, "[%" PRIu32 "]", count) : "";
    const char *member = bw_arena_format(arena, "%s %s%s;", filler_type(a->align), name, many);
    uint32_t last = before_blank(w, stop);
    if (one_line)
        bw_rewrite_insert(w, last, bw_arena_format(arena, " %s", member));
    else
        bw_rewrite_insert(w, last, bw_arena_format(arena, "\n%s%s", indentation(w, last), member));
    return !a->is_extern || bw_rewrite_grow_launches(w);
}

/* A declaration of members: its text, and how many members it declares. */
typedef struct declaration {
    bw_span span; /* up to its semicolon, with the comment after it */
    uint32_t members;
} declaration;

static uint32_t declaration_end(bw_writer *w, uint32_t at, uint32_t end)
{
    const char *text = w->source->text;
    uint32_t stop = at;
    while (stop < end && (text[stop] == ' ' || text[stop] == '\t'))
        stop++;
    if (stop + 1 < end && text[stop] == '/' && text[stop + 1] == '/')
        while (stop < end && text[stop] != '\n')
            stop++;
    return stop > at && text[stop - 1] != ' ' ? stop : at;
}

static unsigned read_declarations(bw_writer *w, bw_span body, declaration *to, unsigned most)
{
    uint32_t end = body.offset + body.len, at = body.offset;
    unsigned count = 0;
    while ((at = bw_token_from(&w->written, at)->span.offset) < end && count < most) {
        uint32_t semicolon = bw_written_find(&w->written, at, end, BW_TOK_SEMICOLON);
        if (semicolon == end)
            return 0;
        uint32_t stop = declaration_end(w, semicolon + 1, end), members = 1;
        for (uint32_t comma = at;
             (comma = bw_written_find(&w->written, comma, semicolon, BW_TOK_COMMA)) < semicolon;
             comma++)
            members++;
        to[count++] = (declaration){{at, stop - at}, members};
        at = stop;
    }
    return count;
}

static const char *as_written(bw_writer *w, bw_span span)
{
    return bw_arena_copy(w->edits->arena, w->source->text + span.offset, span.len);
}

/* The layout's order, as an order of whole declarations. */
bool bw_rewrite_members(bw_writer *w)
{
    declaration lines[BW_MAX_MEMBERS];
    unsigned line_of[BW_MAX_MEMBERS], order[BW_MAX_MEMBERS] = {0}, ordered = 0, total = 0;
    bw_span body;
    if (!w->array->struct_name || !bw_written_struct(&w->written, w->array->struct_name, &body))
        return bw_rewrite_refuse(w, w->array->span, "the struct's definition is not to be found");
    unsigned count = read_declarations(w, body, lines, BW_MAX_MEMBERS);
    for (unsigned i = 0; i < count; i++)
        for (uint32_t k = 0; k < lines[i].members && total < BW_MAX_MEMBERS; k++)
            line_of[total++] = i;
    if (total != w->array->member_count)
        return bw_rewrite_refuse(w, body, "the struct's members are not plain declarations");
    for (unsigned i = 0; i < total; i++) {
        unsigned line = line_of[w->layout->member[i]];
        bool seen = false;
        for (unsigned k = 0; k < ordered; k++)
            seen |= order[k] == line;
        if (!seen)
            order[ordered++] = line;
    }
    if (ordered != count)
        return bw_rewrite_refuse(w, body, "the struct's members are not plain declarations");
    for (unsigned i = 0; i < count; i++)
        if (order[i] != i)
            bw_edit_add(w->edits, lines[i].span, as_written(w, lines[order[i]].span));
    return true;
}

/* ---- struct of arrays ---- */

static const char *soa_members(bw_writer *w, const char *indent)
{
    bw_arena *arena = w->edits->arena;
    bw_span dims[BW_MAX_DIMENSIONS];
    uint32_t end;
    if (!bw_rewrite_declared(w, dims, &end))
        return NULL;
    const char *text = "", *size = bw_rewrite_copy(w, dims[0]);
    for (unsigned i = 0; i < w->array->member_count; i++) {
        const bw_array_member *m = &w->array->members[i];
        text = bw_arena_format(arena, "%s\n%s    %s %s", text, indent, m->elem_type, m->name);
        for (unsigned d = 0; d < m->dims; d++)
            text = bw_arena_format(arena, "%s[%" PRIu32 "]", text, m->dim[d]);
        text = bw_arena_format(arena, "%s[%s];", text, size);
    }
    return text;
}

/* The declaration of an array of structs: `static __shared__ struct body a[32], b[32];`. */
typedef struct soa_place {
    uint32_t start, type, type_end; /* of the statement; of "struct body" */
    uint32_t name, end;             /* of "a[32]" */
} soa_place;

/* The type's name in front of the array's, with `struct` where that stands before it. */
static bool find_soa_type(bw_writer *w, soa_place *at)
{
    const bw_token *type = bw_written_name(&w->written, at->start, at->name, w->array->struct_name);
    if (!type)
        return false;
    at->type_end = bw_token_end(type);
    if (type->span.offset > at->start && type[-1].kind == BW_TOK_STRUCT)
        type--;
    at->type = type->span.offset;
    return true;
}

/* `body a[32]` -> `struct { float mass[32]; … } a`; its neighbours get declarations of their own.
 */
bool bw_rewrite_soa_declaration(bw_writer *w)
{
    const bw_array *a = w->array;
    bw_arena *arena = w->edits->arena;
    bw_span dims[BW_MAX_DIMENSIONS];
    soa_place at = {.name = a->span.offset};
    if (a->is_extern)
        return bw_rewrite_refuse(w, a->span, "an extern array has no struct of its own");
    if (!bw_rewrite_declared(w, dims, &at.end))
        return false;
    at.start = bw_written_statement(&w->written, at.name);
    const bw_token *after = bw_token_from(&w->written, at.end);
    const bw_token *before = bw_token_before(&w->written, at.name);
    bool more = after->kind == BW_TOK_COMMA;
    if (!find_soa_type(w, &at) || !before || (!more && after->kind != BW_TOK_SEMICOLON))
        return bw_rewrite_refuse(w, a->span, "give the array a declaration of its own first");
    const char *indent = indentation(w, at.name), *members = soa_members(w, indent);
    const char *text = bw_arena_format(arena, "struct {%s\n%s} %s", members, indent, a->name);
    if (bw_token_end(before) == at.type_end) {
        bw_edit_add(w->edits, (bw_span){at.type, at.end - at.type}, text);
    } else if (before->kind == BW_TOK_COMMA) {
        bw_edit_add(w->edits, (bw_span){before->span.offset, at.end - before->span.offset},
                    bw_arena_format(arena, ";\n%s%s %s", indent,
                                    bw_rewrite_copy(w, (bw_span){at.start, at.type - at.start}),
                                    text));
    } else {
        return bw_rewrite_refuse(w, a->span, "give the array a declaration of its own first");
    }
    if (more)
        bw_edit_add(
            w->edits, (bw_span){at.end, bw_token_end(after) - at.end},
            bw_arena_format(arena, ";\n%s%s", indent,
                            bw_rewrite_copy(w, (bw_span){at.start, at.type_end - at.start})));
    return true;
}

/* `a[i].position[k]` -> `a.position[k][i]`. */
bool bw_rewrite_soa_use(bw_writer *w, const bw_use *use)
{
    bw_span index[BW_MAX_DIMENSIONS], inner;
    uint32_t end;
    const bw_array_member *member = NULL;
    if (use->by_alias)
        return bw_rewrite_refuse(w, use->name, "this is a pointer to its structs");
    if (!bw_rewrite_subscripts(w, use, index, &end))
        return false;
    for (unsigned i = 0; use->member && i < w->array->member_count; i++)
        if (strcmp(w->array->members[i].name, use->member) == 0)
            member = &w->array->members[i];
    if (!member)
        return bw_rewrite_refuse(w, use->name,
                                 "here the whole struct is used, not one of its members");
    const bw_token *dot = bw_token_from(&w->written, end);
    if (dot->kind != BW_TOK_DOT || !bw_token_named(dot + 1, member->name))
        return bw_rewrite_refuse(w, use->name, "the member is not written after the index");
    uint32_t at = bw_token_end(dot + 1);
    for (unsigned i = 0; i < member->dims; i++)
        if (!bw_written_group(&w->written, at, BW_TOK_LBRACKET, &inner, &at))
            return bw_rewrite_refuse(w, use->name,
                                     "here a member that is an array is used as a whole");
    uint32_t from = use->name.offset + use->name.len;
    bw_edit_add(w->edits, (bw_span){from, end - from}, "");
    bw_rewrite_insert(w, at,
                      bw_arena_format(w->edits->arena, "[%s]", bw_rewrite_copy(w, index[0])));
    return true;
}
