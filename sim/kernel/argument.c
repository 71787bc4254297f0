/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "argument.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a scalar is written as. */
static const struct scalar_type {
    const char *name;
    bw_param_kind kind;
    uint32_t size;
} scalar_types[] = {
    {"i8", BW_PARAM_SIGNED, 1},    {"u8", BW_PARAM_UNSIGNED, 1},  {"i16", BW_PARAM_SIGNED, 2},
    {"u16", BW_PARAM_UNSIGNED, 2}, {"i32", BW_PARAM_SIGNED, 4},   {"u32", BW_PARAM_UNSIGNED, 4},
    {"i64", BW_PARAM_SIGNED, 8},   {"u64", BW_PARAM_UNSIGNED, 8}, {"f32", BW_PARAM_REAL, 4},
    {"f64", BW_PARAM_REAL, 8},
};
#define SCALAR_TYPES (sizeof scalar_types / sizeof *scalar_types)
#define TYPE_LIST "i8, u8, i16, u16, i32, u32, i64, u64, f32 or f64"

/* One argument while it is read. */
typedef struct reader {
    bw_arena *arena;
    bw_diags *diags;
    const bw_argument *argument;
    const bw_addresses *addresses;
    const bw_kernel_launch *launch; /* NULL: none */
    bw_arguments *to;
    uint8_t *bytes; /* of the value */
    uint32_t size, capacity, align;
    uint32_t pointers[64]; /* offsets of pointers in it */
    unsigned pointer_count;
} reader;

static bool bad(reader *r, const char *note, const char *what)
{
    const bw_argument *a = r->argument;
    bool of_launch = r->launch && a->order == r->launch->order;
    bw_diagnostic *d =
        of_launch
            ? bw_diagnose(r->diags, BW_MSG_LAUNCH_ARGUMENT, r->launch->source, r->launch->span,
                          "argument %s of this launch, %s: %s", a->target, a->value, what)
            : bw_diagnose(r->diags, BW_MSG_LAUNCH_ARGUMENT, NULL, (bw_span){0, 0},
                          "--arg %s=%s: %s", a->target, a->value, what);
    bw_note(r->diags, d, "%s", note);
    return false;
}

/* ---- values ---- */

static void put(reader *r, const void *bytes, uint32_t size, uint32_t align)
{
    uint32_t at = (r->size + align - 1) / align * align;
    if (at + size > r->capacity)
        return; /* the caller checks the size of the whole before */
    memcpy(r->bytes + at, bytes, size);
    r->size = at + size;
    r->align = align > r->align ? align : r->align;
}

static bool put_integer(reader *r, const char *text, bw_param_kind kind, uint32_t size)
{
    char *end;
    errno = 0;
    bool negative = *text == '-';
    uint64_t value = negative ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
    if (end == text || *end || isspace((unsigned char)*text))
        return bad(r, "write a number, ptr, null, true, false, TYPE:NUMBER or bytes:HEX",
                   "this is no value");
    uint64_t most = size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
    uint64_t least = UINT64_MAX << (8 * size - 1); /* of the negative ones */
    bool fits = negative ? value >= least && kind != BW_PARAM_UNSIGNED : value <= most;
    if (errno || !fits)
        return bad(r, "give a smaller number, or a wider type: i64:NUMBER", "it does not fit");
    put(r, &value, size, size);
    return true;
}

static bool put_real(reader *r, const char *text, uint32_t size)
{
    char *end;
    double value = strtod(text, &end);
    end += *end == 'f' && end[1] == '\0';
    if (end == text || *end)
        return bad(r, "write it as 1.5 or f32:2", "this is no number");
    float single = (float)value;
    if (size == 8)
        put(r, &value, 8, 8);
    else
        put(r, &single, 4, 4);
    return true;
}

static bool put_pointer(reader *r)
{
    uint32_t index = (uint32_t)r->to->pointer_count + r->pointer_count;
    if (index >= r->addresses->limit || r->pointer_count == 64)
        return bad(r, "leave pointers that are not followed unknown",
                   "there are too many pointers");
    uint64_t address = r->addresses->at(index);
    put(r, &address, 8, 8);
    r->pointers[r->pointer_count++] = r->size - 8;
    return true;
}

/* @keys or @keys+64: a buffer that several kernels may have. */
static bool put_named(reader *r, const char *text)
{
    size_t len = strcspn(text + 1, "+");
    char *end = NULL;
    uint64_t plus = text[1 + len] ? strtoull(text + 2 + len, &end, 0) : 0;
    uint64_t address =
        r->addresses->named ? r->addresses->named(r->addresses->context, text + 1, len) : 0;
    if (!len || isdigit((unsigned char)text[1]) || (end && (*end || end == text + 2 + len)))
        return bad(r, "write @NAME, or @NAME+64 for a place in it", "this names no buffer");
    if (!address)
        return bad(r, "use one name for several of them", "there are too many buffers");
    address += plus;
    put(r, &address, 8, 8);
    return true;
}

static int hex_digit(char c)
{
    return isdigit((unsigned char)c)    ? c - '0'
           : isxdigit((unsigned char)c) ? (c | 32) - 'a' + 10
                                        : -1;
}

static bool put_bytes(reader *r, const char *text)
{
    size_t len = strlen(text);
    if (len == 0 || len % 2)
        return bad(r, "write two hexadecimal digits a byte, the lowest address first",
                   "these are no bytes");
    for (size_t i = 0; i < len; i += 2) {
        int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0)
            return bad(r, "write two hexadecimal digits a byte, the lowest address first",
                       "these are no bytes");
        uint8_t byte = (uint8_t)(high << 4 | low);
        put(r, &byte, 1, 1);
    }
    return true;
}

static bool looks_real(const char *text)
{
    bool hex = strncmp(text, "0x", 2) == 0 || strncmp(text, "-0x", 3) == 0;
    return !hex && (strpbrk(text, ".eE") || strcmp(text, "inf") == 0 || strcmp(text, "nan") == 0);
}

/* A number without a type. */
static bool put_untyped(reader *r, const char *text, const bw_param *param)
{
    if (param->kind == BW_PARAM_REAL && param->size >= 4)
        return put_real(r, text, param->size);
    if (param->kind == BW_PARAM_REAL)
        return bad(r, "give its bytes: bytes:003c is a __half of 1",
                   "a type of 2 bytes is not read");
    bool whole = param->size == 1 || param->size == 2 || param->size == 4 || param->size == 8;
    if (param->kind == BW_PARAM_OTHER && whole && !looks_real(text)) /* of an unknown type */
        return put_integer(r, text, *text == '-' ? BW_PARAM_SIGNED : BW_PARAM_UNSIGNED,
                           param->size);
    if (param->size && param->kind != BW_PARAM_OTHER)
        return put_integer(r, text,
                           param->kind == BW_PARAM_POINTER ? BW_PARAM_UNSIGNED : param->kind,
                           param->size);
    if (looks_real(text))
        return put_real(r, text, 4);
    errno = 0;
    long long value = strtoll(text, NULL, 0);
    bool wide = errno || value > UINT32_MAX || value < INT32_MIN;
    return put_integer(r, text, value < 0 ? BW_PARAM_SIGNED : BW_PARAM_UNSIGNED, wide ? 8 : 4);
}

static bool put_member(reader *r, const char *text, const bw_param *param)
{
    static const uint64_t null = 0;
    if (strcmp(text, "ptr") == 0)
        return put_pointer(r);
    if (text[0] == '@')
        return put_named(r, text);
    if (strcmp(text, "null") == 0) {
        put(r, &null, 8, 8);
        return true;
    }
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        uint64_t value = *text == 't';
        uint32_t size =
            param->size && param->size <= 8 && param->kind != BW_PARAM_OTHER ? param->size : 1;
        put(r, &value, size, size);
        return true;
    }
    const char *colon = strchr(text, ':');
    if (!colon)
        return put_untyped(r, text, param);
    if (strncmp(text, "bytes:", 6) == 0)
        return put_bytes(r, colon + 1);
    for (size_t i = 0; i < SCALAR_TYPES; i++)
        if (strlen(scalar_types[i].name) == (size_t)(colon - text) &&
            memcmp(scalar_types[i].name, text, (size_t)(colon - text)) == 0)
            return scalar_types[i].kind == BW_PARAM_REAL
                       ? put_real(r, colon + 1, scalar_types[i].size)
                       : put_integer(r, colon + 1, scalar_types[i].kind, scalar_types[i].size);
    return bad(r, "a type is " TYPE_LIST, "no such type");
}

/* The whole value, for a parameter of type `param`. */
static bool read_value(reader *r, const bw_param *param)
{
    static const bw_param of_struct = {.kind = BW_PARAM_OTHER};
    const char *text = r->argument->value;
    r->capacity = BW_PARAM_BYTES;
    r->bytes = bw_arena_alloc(r->arena, r->capacity);
    r->align = 1;
    bool list = strchr(text, ',') != NULL;
    if (strlen(text) > BW_PARAM_BYTES) /* each byte takes a letter at least */
        return bad(r, "a kernel has 32764 bytes of parameters at most", "it is too long");
    while (true) {
        size_t len = strcspn(text, ",");
        if (!put_member(r, bw_arena_copy(r->arena, text, len), list ? &of_struct : param))
            return false;
        if (!text[len])
            break;
        text += len + 1;
    }
    if (list)
        r->size = (r->size + r->align - 1) / r->align * r->align;
    return true;
}

/* ---- places ---- */

static bool store(reader *r, uint32_t offset, size_t position)
{
    bw_arguments *to = r->to;
    if (offset > BW_PARAM_BYTES || r->size > BW_PARAM_BYTES - offset)
        return bad(r, "a kernel has 32764 bytes of parameters at most",
                   "it lies past the parameters");
    memcpy(to->bytes + offset, r->bytes, r->size);
    memset(to->known + offset, true, r->size);
    to->size = offset + r->size > to->size ? offset + r->size : to->size;
    for (unsigned i = 0; i < r->pointer_count; i++)
        to->pointers[to->pointer_count++] =
            (bw_pointer_place){position, i, offset + r->pointers[i]};
    return true;
}

static const bw_argument *given_at(const bw_argument *given, size_t count, size_t position)
{
    for (size_t i = 0; i < count; i++)
        if (isdigit((unsigned char)given[i].target[0]) &&
            strtoul(given[i].target, NULL, 10) == position)
            return &given[i];
    return NULL;
}

/* Reads the value of a parameter and learns its size where the signature does not tell it. */
static bool read_place(reader *r, bw_param_place *place)
{
    const bw_param *param = &place->param;
    if (!read_value(r, param))
        return false;
    if (param->size && r->size != param->size) {
        const char *what = bw_arena_format(r->arena, "%u bytes for a parameter of %u%s%s%s",
                                           r->size, param->size, param->type ? " (" : "",
                                           param->type ? param->type : "", param->type ? ")" : "");
        return bad(r, "give a value of the parameter's type", what);
    }
    place->given = true;
    place->value = r->argument->value;
    place->size = r->size;
    if (!param->align)
        place->param.align = r->align;
    return true;
}

static bool no_such_position(reader *r, size_t count)
{
    const char *note =
        count == 1 ? "it has 1 parameter: --arg 0=VALUE"
                   : bw_arena_format(r->arena, "it has %zu parameters, counted from 0", count);
    return bad(r, note, "the kernel has no such parameter");
}

/* A position after a parameter of which nothing is known cannot be placed. */
static bool report_unplaced(reader *r, size_t position, const bw_param *param)
{
    const char *note = bw_arena_format(
        r->arena, "give --arg %zu=VALUE%s%s%s too, or say where this one lies: --arg @OFFSET=%s",
        position, param->type ? " (" : "", param->type ? param->type : "", param->type ? ")" : "",
        r->argument->value);
    return bad(r, note, "its place is not known: the size of a parameter before it is not");
}

/* Lays out the parameter at `position`; false after an error. */
static bool place_one(bw_arguments *to, reader *r, size_t position, uint32_t *offset)
{
    bw_param_place *place = &to->places[position];
    static const bw_argument a_pointer = {"", "ptr", 0};
    bool pointer = place->param.kind == BW_PARAM_POINTER;
    if (!r->argument && pointer)
        r->argument = &a_pointer;
    if (r->argument && !read_place(r, place))
        return false;
    place->given &= r->argument != &a_pointer;
    uint32_t size = r->argument ? place->size : place->param.size, align = place->param.align;
    place->placed = size && (align || place->param.has_offset);
    if (!place->placed)
        return true;
    *offset = place->param.has_offset ? place->param.offset : (*offset + align - 1) / align * align;
    place->offset = *offset;
    place->size = size;
    *offset += size;
    return !r->argument || store(r, place->offset, position);
}

static bool place_positions(reader *base, const bw_signature *signature, const bw_argument *given,
                            size_t count)
{
    bw_arguments *to = base->to;
    uint32_t offset = 0;
    size_t unplaced = SIZE_MAX;
    bool good = true;
    for (size_t i = 0; i < to->count; i++) {
        reader r = *base;
        r.argument = given_at(given, count, i);
        if (i < signature->count)
            to->places[i].param = signature->params[i];
        if (unplaced == SIZE_MAX) {
            good &= place_one(to, &r, i, &offset);
            unplaced = to->places[i].placed ? SIZE_MAX : i;
        } else if (r.argument) {
            good = report_unplaced(&r, unplaced, &to->places[unplaced].param);
        }
    }
    return good;
}

static bool place_offset(reader *r)
{
    char *end;
    const char *text = r->argument->target + 1;
    unsigned long offset = strtoul(text, &end, 0);
    static const bw_param any = {.kind = BW_PARAM_OTHER};
    if (end == text || *end || offset >= BW_PARAM_BYTES)
        return bad(r, "write --arg @24=VALUE: bytes from the first parameter", "no such place");
    return read_value(r, &any) && store(r, (uint32_t)offset, SIZE_MAX);
}

/* What there is instead: "0 (float *out), 1 (int)". */
static bool no_such_name(reader *r, const bw_signature *signature)
{
    const char *list = "";
    for (size_t i = 0; i < signature->count; i++) {
        const bw_param *p = &signature->params[i];
        list =
            bw_arena_format(r->arena, "%s%s%zu (%s%s%s)", list, i ? ", " : "", i,
                            p->type ? p->type : "?", p->name ? ", " : "", p->name ? p->name : "");
    }
    bool named = signature->count && signature->params[0].name;
    const char *note =
        !signature->count ? "machine code has no names of parameters: give the position, from 0"
                          : bw_arena_format(r->arena, "%s: %s",
                                            named ? "its parameters are"
                                                  : "machine code has no names of parameters; give "
                                                    "the position",
                                            list);
    return bad(r, note, "no parameter of this name is known");
}

/* How many positions there are: the signature's, or as far as arguments were given. */
static bool count_positions(reader *r, const bw_signature *signature, const bw_argument *given,
                            size_t count)
{
    bool good = true;
    r->to->count = signature->count;
    for (size_t i = 0; i < count; i++) {
        r->argument = &given[i];
        if (given[i].target[0] == '@')
            continue;
        if (!isdigit((unsigned char)given[i].target[0])) {
            good = no_such_name(r, signature);
            continue;
        }
        size_t position = strtoul(given[i].target, NULL, 10);
        if (signature->known ? position >= signature->count : position >= BW_PARAM_BYTES)
            good = no_such_position(r, signature->known ? signature->count : BW_PARAM_BYTES);
        else if (position >= r->to->count)
            r->to->count = position + 1;
    }
    return good;
}

const bw_argument *bw_arguments_by_position(bw_arena *arena, const bw_signature *signature,
                                            const bw_argument *given, size_t count)
{
    bw_argument *all = bw_arena_alloc(arena, (count + 1) * sizeof *all);
    for (size_t i = 0; i < count; i++) {
        all[i] = given[i];
        size_t len = strcspn(given[i].target, ".");
        for (size_t k = 0; k < signature->count; k++) {
            const char *name = signature->params[k].name;
            if (name && strlen(name) == len && memcmp(name, given[i].target, len) == 0)
                all[i].target = bw_arena_format(arena, "%zu%s", k, given[i].target + len);
        }
    }
    return all;
}

bool bw_arguments_place(bw_arguments *to, bw_arena *arena, const bw_signature *signature,
                        const bw_argument *given, size_t count, const bw_kernel_launch *launch,
                        const bw_addresses *addresses, bw_diags *diags)
{
    reader r = {.arena = arena, .diags = diags, .addresses = addresses, .launch = launch, .to = to};
    *to = (bw_arguments){
        .bytes = bw_arena_alloc(arena, BW_PARAM_BYTES),
        .known = bw_arena_alloc(arena, BW_PARAM_BYTES),
        .pointers = bw_arena_alloc(arena, addresses->limit * sizeof *to->pointers),
    };
    bool good = count_positions(&r, signature, given, count);
    to->places = bw_arena_alloc(arena, (to->count + 1) * sizeof *to->places);
    good &= place_positions(&r, signature, given, count);
    for (size_t i = 0; i < count; i++) {
        reader one = r;
        one.argument = &given[i];
        if (given[i].target[0] == '@')
            good &= place_offset(&one);
    }
    return good;
}

/* ---- names ---- */

const char *bw_argument_flag(bw_arena *arena, const bw_arguments *arguments, uint32_t offset)
{
    for (size_t i = 0; i < arguments->count; i++) {
        const bw_param_place *p = &arguments->places[i];
        if (p->placed && offset >= p->offset && offset - p->offset < p->size)
            return p->param.type ? bw_arena_format(arena, "--arg %zu=VALUE (%s)", i, p->param.type)
                                 : bw_arena_format(arena, "--arg %zu=VALUE", i);
    }
    for (size_t i = 0; i < arguments->count; i++)
        if (!arguments->places[i].placed && arguments->places[i].param.type)
            return bw_arena_format(arena, "--arg %zu=VALUE (%s, or what follows it)", i,
                                   arguments->places[i].param.type);
    return bw_arena_format(arena, "--arg @%u=VALUE", offset);
}

const char *bw_pointer_name(bw_arena *arena, const bw_arguments *arguments, size_t index)
{
    const bw_pointer_place *p = &arguments->pointers[index];
    if (p->position == SIZE_MAX)
        return bw_arena_format(arena, "@%u", p->offset);
    return p->member ? bw_arena_format(arena, "%zu.%u", p->position, p->member)
                     : bw_arena_format(arena, "%zu", p->position);
}
