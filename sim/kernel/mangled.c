/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parameters of a mangled name: the Itanium C++ ABI, "Mangling", as far as kernels' names use
 * it. What is not read here (decltype, expressions, member pointers) leaves the signature unknown.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "signature.h"

/* Names nest a few levels; text that nests deeper is no compiler's. */
#define MAX_NESTING 64
#define MAX_SUBSTITUTIONS 256
#define MAX_ARGUMENTS 64
/* A parameter pack of more is refused. */
#define MAX_PARAMS 512
/* Names that refer to themselves grow twofold with each letter: longer ones than this are refused.
 */
#define MAX_TEXT 65536

/* A type or name: its text, and what the language's types are. */
typedef struct part {
    const char *text;
    bw_param_kind kind;
    bool is_pointer;
    const struct part *pack; /* of a template argument that is a pack */
    size_t pack_count;
    bool is_pack;
    bool of_pack; /* made of one of a pack: another is meant where it is referred to */
} part;

typedef struct reader {
    bw_arena *arena;
    const char *at;
    part known[MAX_SUBSTITUTIONS]; /* what S_, S0_ ... stand for */
    size_t known_count;
    part arguments[MAX_ARGUMENTS]; /* what T_, T0_ ... stand for */
    size_t argument_count;
    size_t pack_index; /* which of a pack T_ stands for, within Dp */
    bool in_pack;
    size_t pack_length; /* of the packs met in it */
    int depth;
    bool failed;
    bool has_arguments; /* the name read last ended in template arguments */
    bool keeps;         /* its template arguments are what T_ means */
    const char *own;    /* the function's name without its scope */
} reader;

static part fail(reader *r)
{
    r->failed = true;
    return (part){.text = ""};
}

static bool take(reader *r, const char *what)
{
    size_t n = strlen(what);
    if (strncmp(r->at, what, n) != 0)
        return false;
    r->at += n;
    return true;
}

static part remember(reader *r, part p)
{
    p.of_pack = r->in_pack && !p.is_pack;
    if (r->known_count == MAX_SUBSTITUTIONS || strlen(p.text) > MAX_TEXT)
        return fail(r);
    r->known[r->known_count++] = p;
    return p;
}

static part read_type(reader *r);
static part read_name(reader *r);
static part read_encoding(reader *r);

/* ---- numbers and references ---- */

/* Base 36 and one more, "_" is 0: of S…_ (36) and T…_ (10). */
static size_t read_index(reader *r, unsigned base)
{
    if (take(r, "_"))
        return 0;
    size_t value = 0;
    for (; isdigit((unsigned char)*r->at) || isupper((unsigned char)*r->at); r->at++) {
        unsigned digit = isdigit((unsigned char)*r->at) ? (unsigned)(*r->at - '0')
                                                        : (unsigned)(*r->at - 'A') + 10;
        if (digit >= base || value > MAX_SUBSTITUTIONS)
            return SIZE_MAX;
        value = value * base + digit;
    }
    return take(r, "_") ? value + 1 : SIZE_MAX;
}

/* Of a pack that is being gone through, the one whose turn it is. */
static part one_of(reader *r, part p)
{
    if (!p.is_pack || !r->in_pack)
        return p;
    r->pack_length = p.pack_count;
    return r->pack_index < p.pack_count ? p.pack[r->pack_index] : (part){.text = ""};
}

static part read_substitution(reader *r)
{
    static const struct {
        const char *code, *text;
    } standard[] = {{"t", "std"},          {"a", "std::allocator"}, {"b", "std::basic_string"},
                    {"s", "std::string"},  {"i", "std::istream"},   {"o", "std::ostream"},
                    {"d", "std::iostream"}};
    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
        if (take(r, standard[i].code))
            return (part){.text = standard[i].text};
    size_t index = read_index(r, 36);
    if (index >= r->known_count || r->known[index].of_pack)
        return fail(r);
    return one_of(r, r->known[index]);
}

static part read_template_parameter(reader *r)
{
    size_t index = read_index(r, 10);
    if (index >= r->argument_count)
        return fail(r);
    return r->arguments[index];
}

/* ---- template arguments ---- */

/* "Li32E", "Lb1E", "LN1a4EnumE0E", "L_Z3foovE" */
static part read_literal(reader *r)
{
    if (take(r, "_Z")) {
        part p = read_encoding(r);
        return take(r, "E") ? p : fail(r);
    }
    read_type(r);
    const char *from = r->at, *stop = strchr(from, 'E');
    if (!stop)
        return fail(r);
    r->at = stop + 1;
    bool negative = *from == 'n';
    return (part){.text = bw_arena_format(r->arena, "%s%.*s", negative ? "-" : "",
                                          (int)(stop - from - negative), from + negative)};
}

static part read_argument(reader *r);

static part read_pack(reader *r)
{
    part items[MAX_ARGUMENTS];
    size_t count = 0;
    while (!r->failed && !take(r, "E")) {
        if (count == MAX_ARGUMENTS || !*r->at)
            return fail(r);
        items[count++] = read_argument(r);
    }
    part *kept = bw_arena_alloc(r->arena, (count + 1) * sizeof *kept);
    memcpy(kept, items, count * sizeof *kept);
    const char *text = "";
    for (size_t i = 0; i < count; i++)
        text = bw_arena_format(r->arena, "%s%s%s", text, i ? ", " : "", items[i].text);
    return (part){.text = text, .is_pack = true, .pack = kept, .pack_count = count};
}

static part read_argument(reader *r)
{
    if (take(r, "J"))
        return read_pack(r);
    if (take(r, "L"))
        return read_literal(r);
    if (take(r, "XT")) { /* an expression that is a template's parameter; others are not read */
        part p = read_template_parameter(r);
        return take(r, "E") ? p : fail(r);
    }
    return *r->at == 'X' ? fail(r) : read_type(r);
}

/* After "I": the arguments of `name`. */
static part read_arguments(reader *r, part name)
{
    part items[MAX_ARGUMENTS];
    size_t count = 0;
    const char *text = bw_arena_format(r->arena, "%s<", name.text);
    bool keeps = r->keeps;
    r->keeps = false;
    while (!r->failed && !take(r, "E")) {
        if (count == MAX_ARGUMENTS || !*r->at || strlen(text) > MAX_TEXT)
            return fail(r);
        items[count] = read_argument(r);
        text = bw_arena_format(r->arena, "%s%s%s", text, count ? ", " : "", items[count].text);
        count++;
    }
    r->keeps = keeps;
    if (keeps) {
        memcpy(r->arguments, items, count * sizeof *items);
        r->argument_count = count;
    }
    return (part){.text = bw_arena_format(r->arena, "%s>", text)};
}

/* ---- names ---- */

static part read_source_name(reader *r)
{
    char *end;
    unsigned long len = strtoul(r->at, &end, 10);
    if (end == r->at || len == 0 || len > strlen(end))
        return fail(r);
    r->at = end + len;
    const char *text = bw_arena_copy(r->arena, end, len);
    if (r->keeps)
        r->own = text;
    bool anonymous = strncmp(text, "_GLOBAL__N_", 11) == 0;
    return (part){.text = anonymous ? "(anonymous namespace)" : text};
}

/* A digit's run and "_" after an unnamed type's sign. */
static void skip_discriminator(reader *r)
{
    while (isdigit((unsigned char)*r->at))
        r->at++;
    take(r, "_");
}

static part read_unqualified(reader *r)
{
    part p;
    take(r, "L"); /* of internal linkage */
    if (isdigit((unsigned char)*r->at)) {
        p = read_source_name(r);
    } else if (take(r, "Ul")) { /* a lambda: its parameters do not matter */
        while (!r->failed && !take(r, "E")) {
            if (!*r->at)
                return fail(r);
            read_type(r);
        }
        skip_discriminator(r);
        p = (part){.text = "{lambda}"};
    } else if (take(r, "Ut")) {
        skip_discriminator(r);
        p = (part){.text = "{unnamed}"};
    } else if ((r->at[0] == 'C' || r->at[0] == 'D') && isdigit((unsigned char)r->at[1])) {
        r->at += 2;
        p = (part){.text = "{constructor}"};
    } else if (islower((unsigned char)r->at[0]) && islower((unsigned char)r->at[1])) {
        p = (part){.text = bw_arena_format(r->arena, "operator %.2s", r->at)};
        r->at += 2;
    } else {
        return fail(r);
    }
    while (take(r, "B")) /* tags of the ABI */
        read_source_name(r);
    return p;
}

static part join(reader *r, part scope, part name)
{
    if (!scope.text)
        return name;
    return (part){.text = bw_arena_format(r->arena, "%s::%s", scope.text, name.text)};
}

/* After "N". Each prefix can be referred to later, the whole name cannot. */
static part read_nested(reader *r)
{
    part p = {.text = NULL};
    while (*r->at && strchr("rVKRO", *r->at))
        r->at++;
    r->has_arguments = false;
    for (bool fresh = false; !r->failed;) {
        if (take(r, "E"))
            return p.text ? p : fail(r);
        if (fresh)
            remember(r, p);
        fresh = true;
        if (take(r, "I")) {
            p = p.text ? read_arguments(r, p) : fail(r);
            r->has_arguments = true;
            continue;
        }
        r->has_arguments = false;
        if (take(r, "S")) {
            p = read_substitution(r);
            fresh = false;
        } else if (take(r, "T")) {
            p = read_template_parameter(r);
        } else {
            p = join(r, p, read_unqualified(r));
        }
    }
    return fail(r);
}

/* After "Z": something within a function. */
static part read_local(reader *r)
{
    bool keeps = r->keeps;
    r->keeps = false;
    part function = read_encoding(r);
    r->keeps = keeps;
    if (!take(r, "E"))
        return fail(r);
    part entity = {.text = "string"};
    if (!take(r, "s"))
        entity = read_name(r);
    if (take(r, "__"))
        skip_discriminator(r);
    else if (*r->at == '_' && isdigit((unsigned char)r->at[1]))
        r->at += 2;
    return join(r, function, entity);
}

static part read_name(reader *r)
{
    if (r->failed || ++r->depth > MAX_NESTING)
        return fail(r);
    part p;
    bool found = false; /* a substitution: it is known already */
    r->has_arguments = false;
    if (take(r, "N")) {
        p = read_nested(r);
    } else if (take(r, "Z")) {
        p = read_local(r);
    } else {
        if (take(r, "St")) {
            p = join(r, (part){.text = "std"}, read_unqualified(r));
        } else if (take(r, "S")) {
            p = read_substitution(r);
            found = true;
        } else {
            p = read_unqualified(r);
        }
        if (take(r, "I")) {
            if (!found)
                remember(r, p);
            p = read_arguments(r, p);
            r->has_arguments = true;
        }
    }
    r->depth--;
    return p;
}

/* ---- types ---- */

static const struct builtin {
    const char *code, *text;
} builtins[] = {
    {"v", "void"},
    {"w", "wchar_t"},
    {"b", "bool"},
    {"c", "char"},
    {"a", "signed char"},
    {"h", "unsigned char"},
    {"s", "short"},
    {"t", "unsigned short"},
    {"i", "int"},
    {"j", "unsigned int"},
    {"l", "long"},
    {"m", "unsigned long"},
    {"x", "long long"},
    {"y", "unsigned long long"},
    {"n", "__int128"},
    {"o", "unsigned __int128"},
    {"f", "float"},
    {"d", "double"},
    {"e", "long double"},
    {"g", "__float128"},
    {"z", "..."},
    {"DF16_", "_Float16"},
    {"DF16b", "__bf16"},
    {"Dh", "_Float16"},
    {"Dn", "std::nullptr_t"},
    {"Di", "char32_t"},
    {"Ds", "char16_t"},
    {"Du", "char8_t"},
    {"Da", "auto"},
};

static part pointer_to(reader *r, const char *mark)
{
    part to = read_type(r);
    const char *space = *to.text && strchr("*&", to.text[strlen(to.text) - 1]) ? "" : " ";
    return remember(r, (part){.text = bw_arena_format(r->arena, "%s%s%s", to.text, space, mark),
                              .is_pointer = true});
}

static part qualified(reader *r, const char *word)
{
    part p = read_type(r);
    const char *text = p.is_pointer ? bw_arena_format(r->arena, "%s%s", p.text, word)
                                    : bw_arena_format(r->arena, "%s %s", word, p.text);
    return remember(r, (part){.text = text, .is_pointer = p.is_pointer});
}

/* After "F": a function's type, which only pointers lead to. */
static part read_function(reader *r)
{
    take(r, "Y");
    while (!r->failed && !take(r, "E")) {
        if (!*r->at)
            return fail(r);
        read_type(r);
    }
    return remember(r, (part){.text = "(*)()"});
}

static part read_array(reader *r)
{
    char *end;
    unsigned long count = strtoul(r->at, &end, 10);
    r->at = end;
    if (!take(r, "_"))
        return fail(r);
    part p = read_type(r);
    return remember(r, (part){.text = bw_arena_format(r->arena, "%s [%lu]", p.text, count)});
}

static part read_class(reader *r)
{
    bool known = r->at[0] == 'S' && r->at[1] != 't';
    part p = read_name(r);
    return known && !r->has_arguments ? p : remember(r, p);
}

/* What a type begins with, by its letter; false where it is none of these. */
static bool read_compound(reader *r, part *p)
{
    if (take(r, "P"))
        *p = pointer_to(r, "*");
    else if (take(r, "R"))
        *p = pointer_to(r, "&");
    else if (take(r, "O"))
        *p = pointer_to(r, "&&");
    else if (take(r, "K"))
        *p = qualified(r, "const");
    else if (take(r, "V"))
        *p = qualified(r, "volatile");
    else if (take(r, "r"))
        *p = qualified(r, "__restrict__");
    else if (take(r, "F"))
        *p = read_function(r);
    else if (take(r, "A"))
        *p = read_array(r);
    else
        return false;
    return true;
}

static part read_type_inside(reader *r)
{
    part p;
    if (read_compound(r, &p))
        return p;
    if (*r->at == 'T' && (r->at[1] == '_' || isdigit((unsigned char)r->at[1]))) {
        r->at++;
        p = one_of(r, remember(r, read_template_parameter(r)));
        return take(r, "I") ? remember(r, read_arguments(r, p)) : p;
    }
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (take(r, builtins[i].code))
            return (part){.text = builtins[i].text};
    if (isdigit((unsigned char)*r->at) || (*r->at && strchr("NSZ", *r->at)))
        return read_class(r);
    return fail(r);
}

static part read_type(reader *r)
{
    if (r->failed || ++r->depth > MAX_NESTING)
        return fail(r);
    bool keeps = r->keeps; /* the arguments of a class are not the function's */
    r->keeps = false;
    part p = read_type_inside(r);
    r->keeps = keeps;
    r->depth--;
    return p;
}

/* A function within a name: its parameters end where the name goes on. */
static part read_encoding(reader *r)
{
    part p = read_name(r);
    bool template = r->has_arguments;
    if (*r->at && *r->at != 'E' && template)
        read_type(r);
    while (!r->failed && *r->at && *r->at != 'E' && *r->at != '.')
        read_type(r);
    return p;
}

/* ---- the whole ---- */

static void add(reader *r, bw_signature *s, part p)
{
    if (s->count == MAX_PARAMS) {
        fail(r);
        return;
    }
    s->params[s->count] = bw_param_of(r->arena, p.text, strlen(p.text));
    if (p.is_pointer)
        s->params[s->count] =
            (bw_param){.type = p.text, .kind = BW_PARAM_POINTER, .size = 8, .align = 8};
    s->count++;
}

/* After "Dp": a parameter for each of the pack. */
static void add_pack(reader *r, bw_signature *s)
{
    const char *from = r->at;
    size_t known = r->known_count;
    r->in_pack = true;
    r->pack_index = 0;
    r->pack_length = 0;
    part p = read_type(r);
    size_t count = r->pack_length;
    for (size_t i = 0; i < count && !r->failed; i++) {
        if (i) { /* read again, for the next of the pack */
            r->at = from;
            r->known_count = known;
            r->pack_index = i;
            p = read_type(r);
        }
        add(r, s, p);
    }
    r->in_pack = false;
}

bw_signature bw_signature_mangled(bw_arena *arena, const char *name)
{
    reader *r = bw_arena_alloc(arena, sizeof *r);
    bw_signature s = {.params = bw_arena_alloc(arena, MAX_PARAMS * sizeof *s.params)};
    r->arena = arena;
    r->at = name + 2;
    r->keeps = true;
    part whole = read_name(r);
    bool template = r->has_arguments;
    r->keeps = false;
    s.name = r->own;
    if (template)
        read_type(r); /* what it returns */
    if (!*r->at)
        return s; /* a name without parameters: no function */
    while (!r->failed && *r->at && *r->at != '.') {
        if (take(r, "Dp"))
            add_pack(r, &s);
        else if (strcmp(r->at, "v") == 0)
            r->at++;
        else
            add(r, &s, read_type(r));
    }
    s.known = !r->failed;
    s.readable = bw_arena_format(arena, "%s(", whole.text);
    for (size_t i = 0; i < s.count; i++)
        s.readable = bw_arena_format(arena, "%s%s%s", s.readable, i ? ", " : "", s.params[i].type);
    s.readable = bw_arena_format(arena, "%s)", s.readable);
    return s;
}
