/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "parse.h"

#include <string.h>

/* Words that may stand among a declaration's specifiers and mean nothing here. */
static const char *const ignored[] = {
    "inline",       "__inline__",   "__forceinline__",   "__noinline__",
    "register",     "__restrict__", "__restrict",        "restrict",
    "typename",     "mutable",      "__grid_constant__", "__managed__",
    "thread_local", "__nv_pure__",
};

static const char *const basic[] = {"void", "bool",  "char",   "short",    "int",
                                    "long", "float", "double", "unsigned", "signed",
                                    "auto", "_Bool", "__int64"};

static bool in_list(const bw_token *token, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bw_token_is(token, list[i]))
            return true;
    return false;
}
#define IN(token, list) in_list(token, list, sizeof(list) / sizeof *(list))

static bool is_handle_name(const bw_token *token)
{
    return bw_token_is(token, "thread_block") || bw_token_is(token, "thread_block_tile") ||
           bw_token_is(token, "coalesced_group") || bw_token_is(token, "thread_group");
}

/* Namespaces whose names stand for themselves here: cg::sync is sync. */
static size_t skip_qualifier(const bw_parser *p, size_t ahead)
{
    while (bw_peek(p, ahead)->kind == BW_TOK_NAME && bw_token_is(bw_peek(p, ahead + 1), "::") &&
           bw_peek(p, ahead + 2)->kind == BW_TOK_NAME)
        ahead += 2;
    return ahead;
}

static const bw_type *type_symbol(const bw_parser *p, const bw_token *token)
{
    if (token->kind != BW_TOK_NAME)
        return NULL;
    const bw_symbol *s = bw_lookup(p, token->text, token->len);
    if (s)
        return s->kind == BW_SY_TYPE ? s->type : NULL;
    return bw_type_named(token->text, token->len);
}

bool bw_at_type(const bw_parser *p)
{
    const bw_token *token = bw_peek(p, skip_qualifier(p, 0));
    return IN(token, basic) || bw_token_is(token, "const") || bw_token_is(token, "volatile") ||
           bw_token_is(token, "struct") || bw_token_is(token, "union") ||
           bw_token_is(token, "enum") || IN(token, ignored) ||
           (is_handle_name(token) && !bw_lookup(p, token->text, token->len)) ||
           type_symbol(p, token);
}

bool bw_at_declaration(const bw_parser *p)
{
    static const char *const storage[] = {"__shared__",        "extern",        "static",
                                          "constexpr",         "typedef",       "using",
                                          "__global__",        "__device__",    "__host__",
                                          "__constant__",      "__align__",     "alignas",
                                          "__launch_bounds__", "__attribute__", "static_assert"};
    if (IN(bw_peek(p, 0), storage) || (bw_at(p, "[") && bw_token_is(bw_peek(p, 1), "[")))
        return true;
    if (!bw_at_type(p))
        return false;
    /* float4(…), half2{…} begin expressions */
    size_t ahead = skip_qualifier(p, 0);
    const bw_token *next = bw_peek(p, ahead + 1), *star = bw_peek(p, ahead + 2);
    if (bw_token_is(next, "(") && (bw_token_is(star, "*") || bw_token_is(star, "&")) &&
        bw_peek(p, ahead + 3)->kind == BW_TOK_NAME && bw_token_is(bw_peek(p, ahead + 4), ")") &&
        bw_token_is(bw_peek(p, ahead + 5), "["))
        return true; /* float (*row)[33] */
    return !((bw_token_is(next, "(") || bw_token_is(next, "{")) &&
             !bw_token_is(bw_peek(p, 0), "struct") && !bw_token_is(bw_peek(p, 0), "union") &&
             !bw_token_is(bw_peek(p, 0), "enum"));
}

static uint32_t parse_alignment(bw_parser *p)
{
    bw_expect_token(p, "(", "behind the alignment specifier");
    bw_span span = bw_peek(p, 0)->span;
    int64_t value;
    if (bw_at_type(p))
        value = bw_parse_type_name(p)->align;
    else
        value = bw_parse_integer(p, "an alignment", 1);
    bw_expect_token(p, ")", "behind the alignment");
    if (value < 1 || value > 1024 || (value & (value - 1))) {
        bw_note(p->diags,
                bw_error(p->diags, p->source, span, "an alignment of %lld bytes is not possible",
                         (long long)value),
                "use a power of two from 1 to 1024");
        return 1;
    }
    return (uint32_t)value;
}

static void skip_parentheses(bw_parser *p)
{
    int depth = 0;
    do {
        depth += bw_at(p, "(") - bw_at(p, ")");
        if (bw_peek(p, 0)->kind == BW_TOK_END)
            bw_syntax_error(p, "add ')'", "these parentheses do not end");
        bw_take(p);
    } while (depth > 0);
}

/* __align__(n), alignas(n), __attribute__((…)), __launch_bounds__(…), [[…]] */
void bw_skip_attributes(bw_parser *p, bw_specifiers *into)
{
    for (;;) {
        if (bw_accept(p, "__align__") || bw_accept(p, "alignas")) {
            uint32_t align = parse_alignment(p);
            if (into && align > into->align)
                into->align = align;
        } else if (bw_at(p, "__attribute__") && bw_token_is(bw_peek(p, 3), "aligned") &&
                   bw_token_is(bw_peek(p, 4), "(")) {
            p->at += 4;
            uint32_t align = parse_alignment(p);
            if (into && align > into->align)
                into->align = align;
            bw_expect_token(p, ")", "behind aligned(…)");
            bw_expect_token(p, ")", "behind the attribute");
        } else if (bw_accept(p, "__attribute__") || bw_accept(p, "__launch_bounds__") ||
                   bw_accept(p, "__cluster_dims__") || bw_accept(p, "__maxnreg__")) {
            if (bw_at(p, "("))
                skip_parentheses(p);
        } else if (bw_at(p, "[") && bw_token_is(bw_peek(p, 1), "[")) {
            while (!(bw_at(p, "]") && bw_token_is(bw_peek(p, 1), "]")) &&
                   bw_peek(p, 0)->kind != BW_TOK_END)
                bw_take(p);
            bw_take(p);
            bw_take(p);
        } else {
            return;
        }
    }
}

/* ---- struct, union, enum -----------------------------------------------------------------------
 */

#define MAX_STRUCT ((uint32_t)1 << 24) /* bytes; no card has room for more in a thread or block */

typedef struct member_list {
    bw_member *items;
    uint32_t count, capacity, size, align;
    bool is_union;
} member_list;

static void add_member(bw_parser *p, member_list *list, const char *name, const bw_type *type,
                       uint32_t align, bw_span span)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (name && strcmp(list->items[i].name, name) == 0)
            bw_error(p->diags, p->source, span, "the member '%s' is declared twice", name);
    if (list->count == list->capacity) { /* in the arena: an unwinding parser leaks nothing */
        bw_member *old = list->items;
        list->capacity = list->capacity ? list->capacity * 2 : 8;
        list->items = bw_arena_alloc(p->arena, list->capacity * sizeof *old);
        if (old)
            memcpy(list->items, old, list->count * sizeof *old);
    }
    uint32_t offset = list->is_union ? 0 : (list->size + align - 1) / align * align;
    list->items[list->count++] = (bw_member){name, type, offset};
    uint32_t end = offset + type->size;
    if (end > MAX_STRUCT || type->size > MAX_STRUCT)
        bw_syntax_error(p, "make its arrays smaller", "this struct is larger than 16 MiB");
    list->size = end > list->size ? end : list->size;
    list->align = align > list->align ? align : list->align;
}

/* static constexpr int N = 4; takes no room. It is known by its bare name, as S::N is read here. */
static void parse_static_member(bw_parser *p, const bw_specifiers *spec)
{
    do {
        bw_declarator d = bw_parse_declarator(p, spec->type);
        if (!d.name || !(spec->is_constexpr || spec->is_const) || !bw_type_is_arithmetic(d.type) ||
            !bw_accept(p, "="))
            bw_syntax_error(p, "write static constexpr int NAME = value;, or move it out",
                            "a static member must be a constant");
        bw_expr *value = bw_convert(p, bw_parse_assignment(p), d.type);
        bw_symbol *s = bw_declare(p, bw_name_of(p, d.name), BW_SY_CONSTANT, d.type, d.name->span);
        if (!bw_is_constant(value))
            bw_syntax_error(p, "use constants and constexpr values", "this value is not constant");
        s->value = value;
    } while (bw_accept(p, ","));
    bw_expect_token(p, ";", "behind the member");
}

static void parse_member_line(bw_parser *p, member_list *list)
{
    bw_specifiers spec = bw_parse_specifiers(p);
    if (spec.is_static) {
        parse_static_member(p, &spec);
        return;
    }
    if (bw_at(p, ";") && spec.type->kind == BW_TY_STRUCT && !spec.type->name) {
        /* an anonymous struct or union: its members are ours */
        uint32_t align = spec.type->align;
        uint32_t size = list->size, base = list->is_union ? 0 : (size + align - 1) / align * align;
        for (uint32_t i = 0; i < spec.type->member_count; i++) {
            const bw_member *m = &spec.type->members[i];
            add_member(p, list, m->name, m->type, 1, spec.span);
            list->items[list->count - 1].offset = base + m->offset;
        }
        list->size = base + spec.type->size > size ? base + spec.type->size : size;
        list->align = align > list->align ? align : list->align;
    } else {
        do {
            bw_declarator d = {0};
            if (!bw_at(p, "("))
                d = bw_parse_declarator(p, spec.type);
            if (!d.name && !bw_at(p, "("))
                bw_syntax_error(p, "write TYPE NAME;", "a member needs a name");
            if (bw_at(p, "("))
                bw_syntax_error(p, "make it a __device__ function that takes the struct",
                                "functions in structs are not in the language");
            if (bw_at(p, ":"))
                bw_syntax_error(p, "use a whole integer, with shifts and masks",
                                "bit-fields are not in the language");
            if (d.is_reference || d.type->kind == BW_TY_AUTO || d.type->kind == BW_TY_VOID)
                bw_syntax_error(p, "use a plain type", "a member cannot have this type");
            uint32_t align = d.type->align > spec.align ? d.type->align : spec.align;
            add_member(p, list, bw_name_of(p, d.name), d.type, align, d.name->span);
            if (bw_accept(p, "="))
                bw_parse_assignment(p);
        } while (bw_accept(p, ","));
    }
    bw_expect_token(p, ";", "behind the member");
}

static const bw_type *parse_struct(bw_parser *p, bool is_union)
{
    bw_specifiers attributes = {0};
    bw_skip_attributes(p, &attributes);
    const bw_token *name = bw_peek(p, 0)->kind == BW_TOK_NAME ? bw_take(p) : NULL;
    bw_skip_attributes(p, &attributes);
    if (!bw_at(p, "{")) {
        bw_symbol *s = name ? bw_lookup(p, name->text, name->len) : NULL;
        if (s && s->kind == BW_SY_TYPE)
            return s->type;
        const bw_type *vector = name ? bw_type_named(name->text, name->len) : NULL;
        if (vector)
            return vector;
        bw_syntax_error(p, "define it first, with its members", "this struct has no definition");
    }
    bw_type *type = bw_arena_alloc(p->arena, sizeof *type);
    *type = (bw_type){
        .kind = BW_TY_STRUCT, .align = 1, .size = 1, .name = name ? bw_name_of(p, name) : NULL};
    if (name)
        bw_declare(p, type->name, BW_SY_TYPE, type, name->span);
    bw_take(p);
    member_list list = {.is_union = is_union, .align = 1};
    bw_enter(p);
    while (!bw_at(p, "}")) {
        if (bw_accept(p, "public")) {
            bw_expect_token(p, ":", "behind public");
            continue;
        }
        parse_member_line(p, &list);
    }
    bw_leave(p);
    bw_take(p);
    bw_skip_attributes(p, &attributes);
    type->members = list.items;
    type->member_count = list.count;
    type->over_aligned = attributes.align > list.align;
    type->align = type->over_aligned ? attributes.align : list.align;
    type->size = (list.size + type->align - 1) / type->align * type->align;
    if (type->size == 0)
        type->size = 1;
    return type;
}

static const bw_type *parse_enum(bw_parser *p)
{
    if (!bw_accept(p, "class"))
        bw_accept(p, "struct");
    const bw_type *type = &bw_ty_int;
    const bw_token *name = bw_peek(p, 0)->kind == BW_TOK_NAME ? bw_take(p) : NULL;
    if (bw_accept(p, ":"))
        type = bw_parse_type_name(p);
    if (name && !bw_at(p, "{")) {
        bw_symbol *s = bw_lookup(p, name->text, name->len);
        return s && s->kind == BW_SY_TYPE ? s->type : type;
    }
    if (name)
        bw_declare(p, bw_name_of(p, name), BW_SY_TYPE, type, name->span);
    bw_expect_token(p, "{", "behind enum");
    for (uint64_t next = 0; !bw_at(p, "}"); next++) {
        const bw_token *item = bw_take(p);
        if (item->kind != BW_TOK_NAME)
            bw_syntax_error(p, "write enum { A, B = 4 };", "an enum holds names");
        if (bw_accept(p, "="))
            next = (uint64_t)bw_parse_integer(p, "an enum's value", (int64_t)next);
        bw_symbol *s = bw_declare(p, bw_name_of(p, item), BW_SY_CONSTANT, type, item->span);
        s->value = bw_new_integer(p, type, (int64_t)next, item->span);
        if (!bw_accept(p, ","))
            break;
    }
    bw_expect_token(p, "}", "behind the enum's names");
    return type;
}

/* ---- specifiers --------------------------------------------------------------------------------
 */

typedef struct words {
    int longs, shorts, chars, ints, unsigneds, signeds, floats, doubles, voids, bools, autos;
} words;

static const bw_type *basic_type(bw_parser *p, const words *w)
{
    bool u = w->unsigneds > 0;
    if (w->voids)
        return &bw_ty_void;
    if (w->bools)
        return &bw_ty_bool;
    if (w->autos)
        return &bw_ty_auto;
    if (w->floats)
        return &bw_ty_float;
    if (w->doubles) {
        if (w->longs)
            bw_syntax_error(p, "use double", "long double does not exist on the GPU");
        return &bw_ty_double;
    }
    if (w->chars)
        return u ? &bw_ty_uchar : w->signeds ? &bw_ty_schar : &bw_ty_char;
    if (w->shorts)
        return u ? &bw_ty_ushort : &bw_ty_short;
    if (w->longs >= 2)
        return u ? &bw_ty_ullong : &bw_ty_llong;
    if (w->longs)
        return u ? &bw_ty_ulong : &bw_ty_long;
    return u ? &bw_ty_uint : &bw_ty_int;
}

static bool take_basic(bw_parser *p, words *w)
{
    int *const counts[] = {&w->voids, &w->bools,  &w->chars,   &w->shorts,    &w->ints,
                           &w->longs, &w->floats, &w->doubles, &w->unsigneds, &w->signeds,
                           &w->autos, &w->bools,  &w->longs};
    for (size_t i = 0; i < sizeof basic / sizeof *basic; i++)
        if (bw_accept(p, basic[i])) {
            ++*counts[i];
            if (i == 12) /* __int64 is long long */
                ++*counts[i];
            return true;
        }
    return false;
}

static const bw_type *parse_handle(bw_parser *p)
{
    bool tile = bw_at(p, "thread_block_tile");
    int64_t threads = 0;
    bw_take(p);
    if (tile) {
        bw_expect_token(p, "<", "behind thread_block_tile");
        threads = bw_parse_integer(p, "a tile's size", 32);
        while (bw_accept(p, ",")) {
            bw_accept(p, "cg");
            bw_accept(p, "::");
            bw_take(p);
        }
        bw_expect_token(p, ">", "behind the tile's size");
    }
    return bw_type_handle(p->arena, threads);
}

/* A storage word, or false. */
static bool take_storage(bw_parser *p, bw_specifiers *s)
{
    const struct {
        const char *word;
        bool *flag;
    } rows[] = {
        {"const", &s->is_const},       {"constexpr", &s->is_constexpr},
        {"__shared__", &s->is_shared}, {"extern", &s->is_extern},
        {"static", &s->is_static},     {"__global__", &s->is_kernel},
        {"__device__", &s->is_device}, {"__constant__", &s->is_constant_memory},
        {"typedef", &s->is_typedef},   {"__host__", &s->is_host},
        {"volatile", &s->is_volatile},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (bw_accept(p, rows[i].word)) {
            *rows[i].flag = true;
            if (rows[i].flag == &s->is_extern && bw_peek(p, 0)->kind == BW_TOK_STRING)
                bw_take(p);
            return true;
        }
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (bw_accept(p, ignored[i]))
            return true;
    return false;
}

bw_specifiers bw_parse_specifiers(bw_parser *p)
{
    bw_specifiers s = {.span = bw_peek(p, 0)->span};
    words w = {0};
    bool any_basic = false;
    for (;;) {
        size_t before = p->at;
        bw_skip_attributes(p, &s);
        if (p->at != before || take_storage(p, &s))
            continue;
        if (!s.type && take_basic(p, &w)) {
            any_basic = true;
            continue;
        }
        if (s.type || any_basic)
            break;
        if (bw_accept(p, "struct"))
            s.type = parse_struct(p, false);
        else if (bw_accept(p, "union"))
            s.type = parse_struct(p, true);
        else if (bw_accept(p, "enum"))
            s.type = parse_enum(p);
        else {
            p->at += skip_qualifier(p, 0);
            const bw_token *token = bw_peek(p, 0);
            const bw_type *named = type_symbol(p, token);
            if (is_handle_name(token) && !bw_lookup(p, token->text, token->len))
                s.type = parse_handle(p);
            else if (named) {
                s.type = named;
                bw_take(p);
            } else
                break;
        }
    }
    if (any_basic)
        s.type = basic_type(p, &w);
    if (!s.type) {
        const bw_token *token = bw_peek(p, 0);
        bw_syntax_error(p,
                        "known are C's types, <stdint.h>'s, half, CUDA's vector types, and what "
                        "the file defines with struct, typedef or using",
                        "expected a type, found '%.*s'", (int)token->len, token->text);
    }
    if (s.is_const || s.is_constexpr) {
        bw_type *made = bw_arena_alloc(p->arena, sizeof *made);
        *made = *s.type;
        made->is_const = true;
        s.type = s.type->kind == BW_TY_STRUCT ? made : s.type;
    }
    return s;
}

/* ---- declarators -------------------------------------------------------------------------------
 */

static const bw_type *parse_array_suffix(bw_parser *p, const bw_type *base)
{
    if (!bw_at(p, "[") || bw_token_is(bw_peek(p, 1), "["))
        return base;
    bw_span span = bw_take(p)->span;
    int64_t count = -1;
    if (!bw_at(p, "]")) {
        count = bw_parse_integer(p, "an array's size", 1);
        if (count < 0 || count > ((int64_t)1 << 28)) {
            bw_note(p->diags,
                    bw_error(p->diags, p->source, span, "an array of %lld elements is not possible",
                             (long long)count),
                    "give a size from 0 to 268435456");
            count = 1;
        }
    }
    bw_expect_token(p, "]", "behind the array's size");
    bw_enter(p);
    const bw_type *elem = parse_array_suffix(p, base);
    bw_leave(p);
    if (elem->kind == BW_TY_ARRAY && elem->count < 0) {
        bw_note(p->diags,
                bw_error(p->diags, p->source, span, "only the first size can be left out"),
                "give every other dimension its size");
        elem = bw_type_array(p->arena, elem->elem, 1);
    }
    return bw_type_array(p->arena, elem, count);
}

bw_declarator bw_parse_declarator(bw_parser *p, const bw_type *base)
{
    bw_declarator d = {.type = base};
    unsigned depth = p->depth;
    bw_enter(p);
    for (;;) {
        bw_skip_attributes(p, NULL);
        if (bw_accept(p, "*")) {
            bw_enter(p); /* a level of the type, which others walk down */
            d.type = bw_type_pointer(p->arena, d.type);
        } else if (bw_accept(p, "&") || bw_accept(p, "&&")) {
            d.is_reference = true;
        } else if (!(bw_accept(p, "const") || bw_accept(p, "__restrict__") ||
                     bw_accept(p, "__restrict") || bw_accept(p, "restrict") ||
                     bw_accept(p, "volatile") || bw_accept(p, "__shared__"))) {
            break;
        }
    }
    if (bw_at(p, "(") && (bw_token_is(bw_peek(p, 1), "*") || bw_token_is(bw_peek(p, 1), "&"))) {
        /* (*name)[n], (&name)[n]: the suffix belongs to what is pointed at */
        bw_take(p);
        bool pointer = bw_at(p, "*");
        bw_take(p);
        while (bw_accept(p, "__restrict__") || bw_accept(p, "const"))
            continue;
        if (bw_peek(p, 0)->kind == BW_TOK_NAME)
            d.name = bw_take(p);
        bw_expect_token(p, ")", "behind the name");
        const bw_type *target = parse_array_suffix(p, d.type);
        d.type = pointer ? bw_type_pointer(p->arena, target) : target;
        d.is_reference = !pointer;
    } else {
        if (bw_peek(p, 0)->kind == BW_TOK_NAME)
            d.name = bw_take(p);
        bw_skip_attributes(p, NULL);
        d.type = parse_array_suffix(p, d.type);
    }
    p->depth = depth;
    return d;
}

const bw_type *bw_parse_type_name(bw_parser *p)
{
    bw_specifiers s = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, s.type);
    return d.type;
}

/* <A, B, …> behind a template's name, one value a parameter; false if there are none. */
bool bw_parse_template_arguments(bw_parser *p, const bw_function *function,
                                 bw_template_value *values)
{
    if (!bw_accept(p, "<"))
        return false;
    for (uint32_t i = 0; !bw_at(p, ">"); i++) {
        if (i >= function->template_count)
            bw_syntax_error(p, "give one argument for each parameter of its template<…>",
                            "too many template arguments for '%s'", function->name);
        if (function->templates[i].is_type) {
            values[i].type = bw_parse_type_name(p);
        } else {
            bw_span span = bw_peek(p, 0)->span;
            int64_t value = bw_parse_integer(p, "a template argument", 0);
            values[i].value = bw_new_integer(p, &bw_ty_long, value, span);
        }
        if (!bw_accept(p, ","))
            break;
    }
    bw_expect_token(p, ">", "behind the template arguments");
    return true;
}
