/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "parse.h"

#include <string.h>

#include "index.h"

/* Words that may stand among a declaration's specifiers and mean nothing here. */
static const bw_token_kind ignored[] = {
    BW_TOK_INLINE,       BW_TOK_GNU_INLINE,   BW_TOK_FORCE_INLINE,  BW_TOK_NO_INLINE,
    BW_TOK_REGISTER,     BW_TOK_GNU_RESTRICT, BW_TOK_MS_RESTRICT,   BW_TOK_RESTRICT,
    BW_TOK_TYPENAME,     BW_TOK_MUTABLE,      BW_TOK_GRID_CONSTANT, BW_TOK_MANAGED,
    BW_TOK_THREAD_LOCAL, BW_TOK_PURE,         BW_TOK_EXPLICIT,
};

/* The words that make a type of C, and how often each was taken. */
typedef enum word {
    WORD_VOID,
    WORD_BOOL,
    WORD_CHAR,
    WORD_SHORT,
    WORD_INT,
    WORD_LONG,
    WORD_FLOAT,
    WORD_DOUBLE,
    WORD_UNSIGNED,
    WORD_SIGNED,
    WORD_AUTO,
    WORDS
} word;

static const struct {
    bw_token_kind kind;
    word word;
    int times;
} basic[] = {
    {BW_TOK_VOID, WORD_VOID, 1},         {BW_TOK_BOOL, WORD_BOOL, 1},
    {BW_TOK_C_BOOL, WORD_BOOL, 1},       {BW_TOK_CHAR, WORD_CHAR, 1},
    {BW_TOK_SHORT, WORD_SHORT, 1},       {BW_TOK_INT, WORD_INT, 1},
    {BW_TOK_LONG, WORD_LONG, 1},         {BW_TOK_INT64, WORD_LONG, 2},
    {BW_TOK_FLOAT, WORD_FLOAT, 1},       {BW_TOK_DOUBLE, WORD_DOUBLE, 1},
    {BW_TOK_UNSIGNED, WORD_UNSIGNED, 1}, {BW_TOK_SIGNED, WORD_SIGNED, 1},
    {BW_TOK_AUTO, WORD_AUTO, 1},
};
#define BASIC_WORDS (sizeof basic / sizeof *basic)

static bool is_basic(const bw_token *token)
{
    for (size_t i = 0; i < BASIC_WORDS; i++)
        if (bw_token_is(token, basic[i].kind))
            return true;
    return false;
}

static bool is_handle_name(const bw_token *token)
{
    return bw_token_is(token, BW_TOK_THREAD_BLOCK) ||
           bw_token_is(token, BW_TOK_THREAD_BLOCK_TILE) || bw_token_is(token, BW_TOK_THREAD_GROUP);
}

/* ---- names of types ----------------------------------------------------------------------------
 */

static bw_symbol *lookup_within(const bw_parser *p, const bw_scope *within, const bw_token *t)
{
    if (!bw_is_name(t))
        return NULL;
    return within ? bw_lookup_in(within, t->text, t->len) : bw_lookup(p, t->text, t->len);
}

/* The template that a name followed by "<" means: a struct's own name means it within the struct.
 */
static bw_type_template *template_of(const bw_symbol *s, const bw_token *next)
{
    if (!s || !bw_token_is(next, BW_TOK_LESS))
        return NULL;
    if (s->kind == BW_SY_TEMPLATE)
        return s->template;
    return s->kind == BW_SY_TYPE && s->type->record ? s->type->record->of : NULL;
}

/* NAME<…> at a token, as it was read in a scope: looking ahead reads it too, at each level of what
 * stands in the angle brackets. */
typedef struct bw_seen_type {
    size_t at, end, half_at;
    const bw_token *tokens;
    const bw_scope *scope;
    const bw_type *type;
} bw_seen_type;

struct bw_seen_types {
    bw_seen_type *items; /* in the arena */
    uint32_t count, capacity;
    bw_index index;
};

bw_seen_types *bw_new_seen_types(bw_arena *arena)
{
    return bw_arena_alloc(arena, sizeof(bw_seen_types));
}

static uint32_t hash_place(const bw_parser *p)
{
    return bw_hash_number(bw_hash_number(0, p->at), (uintptr_t)p->scope);
}

/* Takes what was read before at this place; NULL: it was not. */
static const bw_type *take_seen(bw_parser *p)
{
    const bw_seen_types *seen = p->seen;
    size_t probe = 0;
    uint32_t hash = hash_place(p);
    for (uint32_t row; (row = bw_index_next(&seen->index, hash, &probe)) != BW_NO_ROW;) {
        const bw_seen_type *t = &seen->items[row];
        if (t->at != p->at || t->tokens != p->tokens || t->scope != p->scope)
            continue;
        p->at = t->end;
        p->half_at = t->half_at;
        return t->type;
    }
    return NULL;
}

static void note_seen(bw_parser *p, uint32_t hash, size_t start, const bw_type *type)
{
    bw_seen_types *seen = p->seen;
    if (seen->count == seen->capacity) {
        bw_seen_type *old = seen->items;
        seen->capacity = seen->capacity ? 2 * seen->capacity : 16;
        seen->items = bw_arena_alloc(p->arena, seen->capacity * sizeof *old);
        if (old)
            memcpy(seen->items, old, seen->count * sizeof *old);
    }
    bw_index_add(p->arena, &seen->index, hash, seen->count);
    seen->items[seen->count++] =
        (bw_seen_type){start, p->at, p->half_at, p->tokens, p->scope, type};
}

/* Takes NAME<…>. */
static const bw_type *take_instance(bw_parser *p, bw_type_template *template)
{
    const bw_type *known = take_seen(p);
    if (known)
        return known;
    uint32_t hash = hash_place(p);
    bw_template_value values[BW_MAX_TEMPLATE_PARAMETERS] = {{0}};
    size_t start = p->at;
    bool greater = p->no_greater;
    bw_take(p);
    bw_parse_template_arguments(p, &template->header, values);
    p->no_greater = greater;
    const bw_type *made = p->cxx->type_instance(p, template, values, bw_span_from(p, start));
    if (!made)
        bw_unwind(p);
    note_seen(p, hash, start, made);
    return made;
}

static bool is_named(const bw_token *token, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bw_token_named(token, names[i]))
            return true;
    return false;
}

/* Libraries whose insides the file does not show. */
static void refuse_library(bw_parser *p)
{
    static const char *const libraries[] = {"cub", "thrust", "cute", "cutlass"};
    static const char *const waiting[] = {
        "barrier", "pipeline", "make_pipeline", "latch", "pipeline_shared_state", "ptx", "device"};
    const bw_token *name = bw_peek(p, 0), *inner = bw_peek(p, 2);
    if (!bw_token_is(bw_peek(p, 1), BW_TOK_SCOPE) || bw_lookup(p, name->text, name->len))
        return;
    if (is_named(name, libraries, sizeof libraries / sizeof *libraries))
        bw_syntax_error(p, BW_MSG_LIBRARY_NAME,
                        "write the accesses to shared memory that it makes, or leave it out",
                        "'%.*s::%.*s' is a library's, which the file does not show", (int)name->len,
                        name->text, (int)inner->len, inner->text);
    if (bw_token_is(name, BW_TOK_CUDA) &&
        is_named(inner, waiting, sizeof waiting / sizeof *waiting))
        bw_syntax_error(p, BW_MSG_LIBRARY_NAME,
                        "write __syncthreads() where the block waits, and the copies as "
                        "__pipeline_memcpy_async(shared, global, 16)",
                        "'cuda::%.*s' is not in the language", (int)inner->len, inner->text);
}

const bw_scope *bw_take_qualifiers(bw_parser *p)
{
    const bw_scope *within = NULL;
    if (bw_is_name(bw_peek(p, 0)))
        refuse_library(p);
    while (bw_is_name(bw_peek(p, 0))) {
        const bw_symbol *s = lookup_within(p, within, bw_peek(p, 0));
        bw_type_template *template = template_of(s, bw_peek(p, 1));
        size_t after = template ? bw_after_angles(p, 1) : 1;
        if (!bw_token_is(bw_peek(p, after), BW_TOK_SCOPE) || !bw_is_name(bw_peek(p, after + 1)))
            break;
        const bw_type *type = s && s->kind == BW_SY_TYPE ? s->type : NULL;
        if (template)
            type = take_instance(p, template);
        else
            bw_take(p);
        bw_take(p);
        bw_accept(p, BW_TOK_TEMPLATE);
        const bw_token *space = &p->tokens[p->at - 2]; /* before "::", and perhaps "template" */
        const bw_scope *spaced = template ? NULL : bw_space_with(p, space, bw_peek(p, 0));
        within = type && type->record  ? type->record->scope
                 : type && type->names ? type->names
                                       : spaced;
    }
    return within;
}

/* The type that the name at the next token means, by itself; NULL for none. */
static const bw_type *type_symbol(const bw_parser *p, const bw_scope *within)
{
    const bw_token *token = bw_peek(p, 0);
    if (!bw_is_name(token))
        return NULL;
    const bw_symbol *s = lookup_within(p, within, token);
    if (s && s->kind == BW_SY_TEMPLATE)
        return template_of(s, bw_peek(p, 1)) ? &bw_ty_int : NULL;
    if (s)
        return s->kind == BW_SY_TYPE ? s->type : NULL;
    return within ? NULL : bw_type_named(token->text, token->len);
}

bool bw_at_type(const bw_parser *q)
{
    bw_parser ahead = *q, *p = &ahead;
    const bw_scope *within = bw_take_qualifiers(p);
    const bw_token *token = bw_peek(p, 0);
    return is_basic(token) || bw_token_is(token, BW_TOK_CONST) ||
           bw_token_is(token, BW_TOK_VOLATILE) || bw_token_is(token, BW_TOK_STRUCT) ||
           bw_token_is(token, BW_TOK_UNION) || bw_token_is(token, BW_TOK_ENUM) ||
           BW_IS_IN(token, ignored) || bw_token_is(token, BW_TOK_CLASS) ||
           bw_token_is(token, BW_TOK_DECLTYPE) ||
           (is_handle_name(token) && !bw_lookup(p, token->text, token->len)) ||
           type_symbol(p, within);
}

static void skip_parentheses(bw_parser *p)
{
    int depth = 0;
    do {
        depth += bw_at(p, BW_TOK_LPAREN) - bw_at(p, BW_TOK_RPAREN);
        if (bw_peek(p, 0)->kind == BW_TOK_END)
            bw_syntax_error(p, BW_MSG_UNCLOSED, "add ')'", "these parentheses do not end");
        bw_take(p);
    } while (depth > 0);
}

/* How many tokens a type's name takes, with what qualifies it and its template arguments. */
static size_t name_length(const bw_parser *q)
{
    bw_parser ahead = *q, *p = &ahead;
    const bw_scope *within = bw_take_qualifiers(p);
    const bw_symbol *s = lookup_within(p, within, bw_peek(p, 0));
    size_t after = template_of(s, bw_peek(p, 1)) ? bw_after_angles(p, 1) : 1;
    if (bw_at(p, BW_TOK_DECLTYPE)) {
        bw_take(p);
        skip_parentheses(p);
        after = 0;
    }
    return ahead.at - q->at + after;
}

bool bw_at_declaration(const bw_parser *p)
{
    static const bw_token_kind storage[] = {
        BW_TOK_SHARED,        BW_TOK_EXTERN,    BW_TOK_STATIC,       BW_TOK_CONSTEXPR,
        BW_TOK_TYPEDEF,       BW_TOK_USING,     BW_TOK_GLOBAL,       BW_TOK_DEVICE,
        BW_TOK_HOST,          BW_TOK_CONSTANT,  BW_TOK_ALIGN,        BW_TOK_ALIGNAS,
        BW_TOK_LAUNCH_BOUNDS, BW_TOK_ATTRIBUTE, BW_TOK_STATIC_ASSERT};
    if (BW_IS_IN(bw_peek(p, 0), storage) ||
        (bw_at(p, BW_TOK_LBRACKET) && bw_token_is(bw_peek(p, 1), BW_TOK_LBRACKET)))
        return true;
    if (!bw_at_type(p))
        return false;
    /* float4(…), half2{…} begin expressions */
    size_t ahead = name_length(p) - 1;
    const bw_token *next = bw_peek(p, ahead + 1), *star = bw_peek(p, ahead + 2);
    if (bw_token_is(next, BW_TOK_LPAREN) &&
        (bw_token_is(star, BW_TOK_STAR) || bw_token_is(star, BW_TOK_AND)) &&
        bw_is_name(bw_peek(p, ahead + 3)) && bw_token_is(bw_peek(p, ahead + 4), BW_TOK_RPAREN) &&
        bw_token_is(bw_peek(p, ahead + 5), BW_TOK_LBRACKET))
        return true;                     /* float (*row)[33] */
    if (bw_token_is(next, BW_TOK_SCOPE)) /* Tile<4>::rows(), a value */
        return false;
    return !((bw_token_is(next, BW_TOK_LPAREN) || bw_token_is(next, BW_TOK_LBRACE)) &&
             !bw_at(p, BW_TOK_STRUCT) && !bw_at(p, BW_TOK_CLASS) && !bw_at(p, BW_TOK_UNION) &&
             !bw_at(p, BW_TOK_ENUM));
}

static uint32_t parse_alignment(bw_parser *p)
{
    bw_expect_token(p, BW_TOK_LPAREN, "after the alignment specifier");
    bw_span span = bw_peek(p, 0)->span;
    int64_t value;
    if (bw_at_type(p))
        value = bw_parse_type_name(p)->align;
    else
        value = bw_parse_integer(p, "an alignment", 1);
    bw_expect_token(p, BW_TOK_RPAREN, "after the alignment");
    if (value < 1 || value > 1024 || (value & (value - 1))) {
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_ALIGNMENT, p->source, span,
                            "an alignment of %lld bytes is not possible", (long long)value),
                "use a power of two from 1 to 1024");
        return 1;
    }
    return (uint32_t)value;
}

static void raise_alignment(uint32_t *align, uint32_t to)
{
    if (align && to > *align)
        *align = to;
}

/* What __attribute__((aligned)) means without a number: the largest that any type needs. */
#define LARGEST_ALIGNMENT 16

/* Attributes that change what a type is. The others say nothing of costs. */
typedef enum attribute {
    ATTRIBUTE_OTHER,
    ATTRIBUTE_ALIGNED,
    ATTRIBUTE_DROPPED,
    ATTRIBUTE_REFUSED
} attribute;

static attribute attribute_kind(const bw_token *name, const char **note)
{
    static const struct {
        const char *name;
        attribute kind;
        const char *note;
    } rows[] = {
        {"aligned", ATTRIBUTE_ALIGNED, NULL},
        {"ext_vector_type", ATTRIBUTE_DROPPED, NULL},
        {"packed", ATTRIBUTE_REFUSED, BW_PACKED_NOTE},
        {"vector_size", ATTRIBUTE_REFUSED,
         "nvcc has no such vectors in device code: use float4 or a struct"},
        {"mode", ATTRIBUTE_REFUSED, "name the type itself"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t len = strlen(rows[i].name);
        bool marked = name->len == len + 4 && memcmp(name->text, "__", 2) == 0;
        if ((marked || name->len == len) &&
            memcmp(name->text + 2 * marked, rows[i].name, len) == 0) {
            *note = rows[i].note;
            return rows[i].kind;
        }
    }
    return ATTRIBUTE_OTHER;
}

static void take_attribute(bw_parser *p, uint32_t *align)
{
    while (bw_token_is(bw_peek(p, 1), BW_TOK_SCOPE)) /* gnu:: */
        p->at += 2;
    const char *note = NULL;
    const bw_token *name = bw_peek(p, 0);
    attribute kind = bw_is_name(name) ? attribute_kind(name, &note) : ATTRIBUTE_OTHER;
    if (kind == ATTRIBUTE_REFUSED)
        bw_syntax_error(p, BW_MSG_NOT_IN_LANGUAGE, note,
                        "the attribute '%.*s' is not in the language", (int)name->len, name->text);
    if (kind == ATTRIBUTE_DROPPED && !p->input->keeps_vectors)
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_VECTOR_ATTRIBUTE, p->source, name->span,
                            "nvcc drops '%.*s': the type stays that of one element", (int)name->len,
                            name->text),
                "use a vector type of CUDA's, such as float4");
    bw_take(p);
    bool arguments = bw_at(p, BW_TOK_LPAREN);
    if (kind == ATTRIBUTE_ALIGNED)
        raise_alignment(align, arguments ? parse_alignment(p) : LARGEST_ALIGNMENT);
    else if (arguments)
        skip_parentheses(p);
}

/* A list of attributes up to the bracket that closes it. */
static void take_attributes(bw_parser *p, bw_token_kind close, uint32_t *align)
{
    while (!bw_at(p, close) && bw_peek(p, 0)->kind != BW_TOK_END)
        if (!bw_accept(p, BW_TOK_COMMA))
            take_attribute(p, align);
    bw_expect_token(p, close, "after the attributes");
    bw_expect_token(p, close, "after the attributes");
}

/* __align__(n), alignas(n), __attribute__((…)), __launch_bounds__(…), [[…]] */
static void skip_attributes(bw_parser *p, uint32_t *align)
{
    for (;;) {
        if (bw_accept(p, BW_TOK_ALIGN) || bw_accept(p, BW_TOK_ALIGNAS)) {
            raise_alignment(align, parse_alignment(p));
        } else if (bw_accept(p, BW_TOK_ATTRIBUTE)) {
            bw_expect_token(p, BW_TOK_LPAREN, "after __attribute__");
            bw_expect_token(p, BW_TOK_LPAREN, "after __attribute__");
            take_attributes(p, BW_TOK_RPAREN, align);
        } else if (bw_accept(p, BW_TOK_LAUNCH_BOUNDS) || bw_accept(p, BW_TOK_CLUSTER_DIMS) ||
                   bw_accept(p, BW_TOK_MAX_REGISTERS)) {
            if (bw_at(p, BW_TOK_LPAREN))
                skip_parentheses(p);
        } else if (bw_at(p, BW_TOK_LBRACKET) && bw_token_is(bw_peek(p, 1), BW_TOK_LBRACKET)) {
            p->at += 2;
            take_attributes(p, BW_TOK_RBRACKET, align);
        } else {
            return;
        }
    }
}

void bw_skip_attributes(bw_parser *p, bw_specifiers *into)
{
    skip_attributes(p, into ? &into->align : NULL);
}

/* ---- enum ---------------------------------------------------------------------------------------
 */

/* What an enum is that says no type: int, or the first type after it that has all values. */
static const bw_type *enum_of(const bw_expr *least, const bw_expr *most)
{
    if (!most || (most->integer <= INT32_MAX && least->integer >= INT32_MIN))
        return &bw_ty_int;
    if (least->integer >= 0 && most->integer <= UINT32_MAX)
        return &bw_ty_uint;
    return &bw_ty_long;
}

/* "A, B = 4": constants of the scope at hand. Returns the type that has them all. */
static const bw_type *parse_enum_names(bw_parser *p, const bw_type *given)
{
    const bw_expr *least = NULL, *most = NULL;
    const bw_type *type = given ? given : &bw_ty_long;
    for (uint64_t next = 0; !bw_at(p, BW_TOK_RBRACE); next++) {
        const bw_token *item = bw_take(p);
        if (!bw_is_name(item))
            bw_syntax_error(p, BW_MSG_EXPECTED_NAME, "write enum { A, B = 4 };",
                            "an enum holds names");
        bw_skip_attributes(p, NULL);
        if (bw_accept(p, BW_TOK_ASSIGN))
            next = (uint64_t)bw_parse_integer(p, "an enum's value", (int64_t)next);
        bw_symbol *s = bw_declare(p, bw_name_of(p, item), BW_SY_CONSTANT, type, item->span);
        s->value = bw_new_integer(p, type, (int64_t)next, item->span);
        least = !least || s->value->integer < least->integer ? s->value : least;
        most = !most || s->value->integer > most->integer ? s->value : most;
        if (!bw_accept(p, BW_TOK_COMMA))
            break;
    }
    return given ? given : enum_of(least, most);
}

/* The names of an enum become those of the scope around it, too, unless it is an enum class. */
static void finish_enum(bw_parser *p, bw_scope *own, const bw_type *type, bool scoped)
{
    for (bw_symbol *s = own->symbols; s; s = s->next) {
        s->type = type;
        s->value = bw_new_integer(p, type, s->value->integer, s->span);
        if (!scoped)
            bw_declare(p, s->name, BW_SY_CONSTANT, type, s->span)->value = s->value;
    }
}

/* Apart: what it needs of the stack is not needed for each type within another. */
__attribute__((noinline)) static const bw_type *parse_enum(bw_parser *p)
{
    bool scoped = bw_accept(p, BW_TOK_CLASS) || bw_accept(p, BW_TOK_STRUCT);
    const bw_type *given = scoped ? &bw_ty_int : NULL;
    bw_skip_attributes(p, NULL);
    const bw_token *name = bw_is_name(bw_peek(p, 0)) ? bw_take(p) : NULL;
    if (bw_accept(p, BW_TOK_COLON))
        given = bw_parse_type_name(p);
    if (name && !bw_at(p, BW_TOK_LBRACE)) {
        bw_symbol *s = bw_lookup(p, name->text, name->len);
        return s && s->kind == BW_SY_TYPE ? s->type : given ? given : &bw_ty_int;
    }
    bw_expect_token(p, BW_TOK_LBRACE, "after enum");
    bw_scope *outer = p->scope;
    bw_push_scope(p);
    bw_scope *own = p->scope;
    bw_type *type = bw_arena_alloc(p->arena, sizeof *type);
    *type = *parse_enum_names(p, given);
    type->names = own;
    p->scope = outer;
    bw_expect_token(p, BW_TOK_RBRACE, "after the enum's names");
    if (name)
        bw_declare(p, bw_name_of(p, name), BW_SY_TYPE, type, name->span);
    finish_enum(p, own, type, scoped);
    return type;
}

/* ---- specifiers --------------------------------------------------------------------------------
 */

static const bw_type *basic_type(bw_parser *p, const int w[WORDS])
{
    bool u = w[WORD_UNSIGNED] > 0;
    if (w[WORD_VOID])
        return &bw_ty_void;
    if (w[WORD_BOOL])
        return &bw_ty_bool;
    if (w[WORD_AUTO])
        return &bw_ty_auto;
    if (w[WORD_FLOAT])
        return &bw_ty_float;
    if (w[WORD_DOUBLE]) {
        if (w[WORD_LONG])
            bw_syntax_error(p, BW_MSG_NOT_IN_LANGUAGE, "use double",
                            "long double does not exist on the GPU");
        return &bw_ty_double;
    }
    if (w[WORD_CHAR])
        return u ? &bw_ty_uchar : w[WORD_SIGNED] ? &bw_ty_schar : &bw_ty_char;
    if (w[WORD_SHORT])
        return u ? &bw_ty_ushort : &bw_ty_short;
    if (w[WORD_LONG] >= 2)
        return u ? &bw_ty_ullong : &bw_ty_llong;
    if (w[WORD_LONG])
        return u ? &bw_ty_ulong : &bw_ty_long;
    return u ? &bw_ty_uint : &bw_ty_int;
}

static bool take_basic(bw_parser *p, int w[WORDS])
{
    for (size_t i = 0; i < BASIC_WORDS; i++)
        if (bw_accept(p, basic[i].kind)) {
            w[basic[i].word] += basic[i].times;
            return true;
        }
    return false;
}

static const bw_type *parse_handle(bw_parser *p)
{
    bool tile = bw_at(p, BW_TOK_THREAD_BLOCK_TILE);
    int64_t threads = 0;
    if (bw_accept(p, BW_TOK_THREAD_GROUP))
        return &bw_ty_group;
    bw_take(p);
    if (tile) {
        bw_expect_token(p, BW_TOK_LESS, "after thread_block_tile");
        threads = bw_parse_angled_integer(p, "a tile's size", 32);
        while (bw_accept(p, BW_TOK_COMMA)) {
            bw_accept(p, BW_TOK_CG);
            bw_accept(p, BW_TOK_SCOPE);
            bw_take(p);
        }
        bw_expect_token(p, BW_TOK_GREATER, "after the tile's size");
    }
    return bw_type_handle(p->arena, threads);
}

/* A storage word, or false. */
static bool take_storage(bw_parser *p, bw_specifiers *s)
{
    const struct {
        bw_token_kind word;
        bool *flag;
    } rows[] = {
        {BW_TOK_CONST, &s->is_const},       {BW_TOK_CONSTEXPR, &s->is_constexpr},
        {BW_TOK_SHARED, &s->is_shared},     {BW_TOK_EXTERN, &s->is_extern},
        {BW_TOK_STATIC, &s->is_static},     {BW_TOK_GLOBAL, &s->is_kernel},
        {BW_TOK_DEVICE, &s->is_device},     {BW_TOK_CONSTANT, &s->is_constant_memory},
        {BW_TOK_TYPEDEF, &s->is_typedef},   {BW_TOK_HOST, &s->is_host},
        {BW_TOK_VOLATILE, &s->is_volatile},
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

/* A type by its name; NULL, after what qualifies it, where there is none. */
static const bw_type *take_named(bw_parser *p)
{
    const bw_scope *within = bw_take_qualifiers(p);
    const bw_token *token = bw_peek(p, 0);
    const bw_type *named = type_symbol(p, within);
    bw_type_template *template = template_of(lookup_within(p, within, token), bw_peek(p, 1));
    if (template)
        return take_instance(p, template);
    if (is_handle_name(token) && !bw_lookup(p, token->text, token->len))
        return parse_handle(p);
    if (named)
        bw_take(p);
    return named;
}

bw_specifiers bw_parse_specifiers(bw_parser *p)
{
    bw_specifiers s = {.span = bw_peek(p, 0)->span};
    int w[WORDS] = {0};
    bool any_basic = false;
    bw_enter(p);
    for (;;) {
        size_t before = p->at;
        bw_skip_attributes(p, &s);
        if (p->at != before || take_storage(p, &s))
            continue;
        if (bw_at(p, BW_TOK_AUTO))
            p->cxx->automatic(p);
        if (!s.type && take_basic(p, w)) {
            any_basic = true;
            continue;
        }
        if (s.type || any_basic)
            break;
        if (bw_accept(p, BW_TOK_STRUCT) || bw_accept(p, BW_TOK_CLASS))
            s.type = bw_parse_record(p, false, NULL, NULL);
        else if (bw_accept(p, BW_TOK_UNION))
            s.type = bw_parse_record(p, true, NULL, NULL);
        else if (bw_accept(p, BW_TOK_ENUM))
            s.type = parse_enum(p);
        else if (bw_at(p, BW_TOK_DECLTYPE)) {
            s.type = p->cxx->type_of(p);
        } else if (!(s.type = take_named(p))) {
            break;
        }
    }
    if (any_basic)
        s.type = basic_type(p, w);
    if (!s.type) {
        const bw_token *token = bw_peek(p, 0);
        bw_syntax_error(p, BW_MSG_UNKNOWN_TYPE,
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
    bw_leave(p);
    return s;
}

/* ---- declarators -------------------------------------------------------------------------------
 */

static const bw_type *parse_array_suffix(bw_parser *p, const bw_type *base)
{
    if (!bw_at(p, BW_TOK_LBRACKET) || bw_token_is(bw_peek(p, 1), BW_TOK_LBRACKET))
        return base;
    bw_span span = bw_take(p)->span;
    int64_t count = -1;
    if (!bw_at(p, BW_TOK_RBRACKET)) {
        count = bw_parse_integer(p, "an array's size", 1);
        if (count < 0 || count > ((int64_t)1 << 28)) {
            bw_note(p->diags,
                    bw_diagnose(p->diags, BW_MSG_ARRAY_SIZE, p->source, span,
                                "an array of %lld elements is not possible", (long long)count),
                    "give a size from 0 to 268435456");
            count = 1;
        }
    }
    bw_expect_token(p, BW_TOK_RBRACKET, "after the array's size");
    bw_enter(p);
    const bw_type *elem = parse_array_suffix(p, base);
    bw_leave(p);
    if (elem->kind == BW_TY_ARRAY && elem->count < 0) {
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_ARRAY_SIZE, p->source, span,
                            "only the first size can be left out"),
                "give every other dimension its size");
        elem = bw_type_array(p->arena, elem->elem, 1);
    }
    return bw_type_array(p->arena, elem, count);
}

/* A declared name; "operator" with its sign is one too. */
static const bw_token *take_name(bw_parser *p)
{
    const bw_token *name = bw_take(p);
    return bw_token_is(name, BW_TOK_OPERATOR) && bw_is_sign(bw_peek(p, 0))
               ? p->cxx->operator_name(p, name)
               : name;
}

bw_declarator bw_parse_declarator(bw_parser *p, const bw_type *base)
{
    bw_declarator d = {.type = base->refers ? base->refers : base, .is_reference = base->refers};
    unsigned depth = p->depth;
    bw_enter(p);
    for (;;) {
        skip_attributes(p, &d.align);
        if (bw_accept(p, BW_TOK_STAR)) {
            bw_enter(p); /* a level of the type, which others walk down */
            d.type = bw_type_pointer(p->arena, d.type);
        } else if (bw_at(p, BW_TOK_AND) || bw_at(p, BW_TOK_AND_AND)) {
            p->cxx->reference(p, &d);
        } else if (!(bw_accept(p, BW_TOK_CONST) || bw_accept(p, BW_TOK_GNU_RESTRICT) ||
                     bw_accept(p, BW_TOK_MS_RESTRICT) || bw_accept(p, BW_TOK_RESTRICT) ||
                     bw_accept(p, BW_TOK_VOLATILE) || bw_accept(p, BW_TOK_SHARED))) {
            break;
        }
    }
    if (bw_at(p, BW_TOK_LPAREN) &&
        (bw_token_is(bw_peek(p, 1), BW_TOK_STAR) || bw_token_is(bw_peek(p, 1), BW_TOK_AND))) {
        /* (*name)[n], (&name)[n]: the suffix belongs to what is pointed at */
        bw_take(p);
        bool pointer = bw_accept(p, BW_TOK_STAR);
        if (!pointer)
            p->cxx->reference(p, &d);
        while (bw_accept(p, BW_TOK_GNU_RESTRICT) || bw_accept(p, BW_TOK_CONST))
            continue;
        if (bw_is_name(bw_peek(p, 0)))
            d.name = bw_take(p);
        bw_expect_token(p, BW_TOK_RPAREN, "after the name");
        const bw_type *target = parse_array_suffix(p, d.type);
        d.type = pointer ? bw_type_pointer(p->arena, target) : target;
        d.is_reference = !pointer;
    } else {
        if (bw_is_name(bw_peek(p, 0)))
            d.name = take_name(p);
        skip_attributes(p, &d.align);
        d.type = parse_array_suffix(p, d.type);
    }
    skip_attributes(p, &d.align);
    p->depth = depth;
    return d;
}

const bw_type *bw_parse_type_name(bw_parser *p)
{
    bw_specifiers s = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, s.type);
    return d.type;
}
