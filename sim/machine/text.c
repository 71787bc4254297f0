/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is common to the dialects: telling them apart, functions and instructions, finding a kernel.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "decode.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

/* How much of a text is looked at to tell its dialect: heads of fatbins and of profiles are long.
 */
#define LOOK_BYTES 65536

const char *bw_text_search(const char *text, size_t len, const char *needle)
{
    size_t n = strlen(needle);
    for (const char *at = text; n <= len; at++) {
        at = memchr(at, *needle, len - (size_t)(at - text));
        if (!at || n > len - (size_t)(at - text))
            return NULL;
        if (memcmp(at, needle, n) == 0)
            return at;
    }
    return NULL;
}

/* A statement's address in comment signs, as both disassemblers print it. */
static bool has_addresses(const char *text, size_t len)
{
    return bw_text_search(text, len, "/*0000*/") || bw_text_search(text, len, "/*00000000*/");
}

bw_dialect bw_sass_dialect(const char *text, size_t len)
{
    if (len > LOOK_BYTES)
        len = LOOK_BYTES;
    if (bw_text_search(text, len, "\"Address\"") && bw_text_search(text, len, "\"Source\""))
        return BW_DIALECT_NCU;
    if (bw_text_search(text, len, "Function : "))
        return BW_DIALECT_CUOBJDUMP;
    if (bw_text_search(text, len, ".headerflags") || bw_text_search(text, len, ".text."))
        return BW_DIALECT_NVDISASM;
    return has_addresses(text, len) ? BW_DIALECT_NVDISASM : BW_DIALECT_NONE;
}

const char *bw_dialect_name(bw_dialect dialect)
{
    static const char *const names[] = {
        [BW_DIALECT_NONE] = "no machine code",
        [BW_DIALECT_CUOBJDUMP] = "cuobjdump -sass",
        [BW_DIALECT_NVDISASM] = "nvdisasm",
        [BW_DIALECT_NCU] = "Nsight Compute's source page",
    };
    _Static_assert(sizeof names / sizeof *names == BW_DIALECT_NCU + 1, "a name for each");
    return names[dialect];
}

bw_function *bw_text_begin(bw_sass *sass, bw_span name, const char *arch)
{
    BW_GROW(sass->functions, sass->count, sass->capacity);
    bw_function *function = &sass->functions[sass->count++];
    *function = (bw_function){.shown.span = name, .shown.arch = arch};
    function->shown.name = bw_arena_copy(&sass->arena, sass->source->text + name.offset, name.len);
    return function;
}

bool bw_text_add(bw_sass *sass, bw_function *function, uint64_t address, bw_span statement,
                 bw_diags *diags)
{
    if (function->count == 0)
        function->base = address;
    uint64_t expected = function->base + function->count * BW_INS_BYTES;
    if (address != expected) {
        bw_diagnostic *d = bw_diagnose(diags, BW_MSG_MACHINE_TEXT, sass->source, statement,
                                       "address 0x%llx where 0x%llx was expected in %s",
                                       (unsigned long long)address, (unsigned long long)expected,
                                       function->shown.name);
        bw_note(diags, d, "the text is cut, or its lines are not in order");
        return false;
    }
    BW_GROW(function->ins, function->count, function->capacity);
    const bw_sass_counts none = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    const char *text = sass->source->text + statement.offset;
    function->ins[function->count++] =
        (bw_sass_ins){.address = (uint32_t)(address - function->base),
                      .span = statement,
                      .text = bw_arena_copy(&sass->arena, text, statement.len),
                      .name = "",
                      .profiled = none};
    return true;
}

long bw_function_label(const bw_function *function, const char *name, size_t len)
{
    for (size_t i = 0; i < function->label_count; i++)
        if (strncmp(function->labels[i].name, name, len) == 0 && !function->labels[i].name[len])
            return (long)function->labels[i].index;
    return -1;
}

/* Drops functions without instructions: declarations, and sections of other things. */
static void drop_empty(bw_sass *sass)
{
    size_t kept = 0;
    for (size_t i = 0; i < sass->count; i++) {
        bw_function *function = &sass->functions[i];
        if (function->count == 0) {
            free(function->ins);
            free(function->labels);
            continue;
        }
        sass->functions[kept++] = *function;
    }
    sass->count = kept;
}

static void show(bw_sass *sass)
{
    for (size_t i = 0; i < sass->count; i++) {
        sass->functions[i].shown.ins = sass->functions[i].ins;
        sass->functions[i].shown.count = sass->functions[i].count;
    }
}

bw_sass *bw_sass_read(const bw_source *source, bw_diags *diags)
{
    bw_dialect dialect =
        source->len < UINT32_MAX ? bw_sass_dialect(source->text, source->len) : BW_DIALECT_NONE;
    if (dialect == BW_DIALECT_NONE) {
        bw_diagnostic *d = bw_diagnose(diags, BW_MSG_NOT_MACHINE_CODE, source, (bw_span){0},
                                       "no machine code is in this text");
        bw_note(diags, d,
                "give what cuobjdump -sass, nvdisasm -c or nvdisasm -gi prints, or Nsight "
                "Compute with --page source --csv");
        return NULL;
    }
    bw_sass *sass = bw_calloc(1, sizeof *sass);
    sass->source = source;
    sass->dialect = dialect;
    size_t errors = diags->errors;
    if (dialect == BW_DIALECT_NCU)
        bw_text_profile(sass, diags);
    else
        bw_text_disassembly(sass, diags);
    drop_empty(sass);
    for (size_t i = 0; i < sass->count && diags->errors == errors; i++)
        bw_describe(sass, &sass->functions[i], diags);
    show(sass);
    if (diags->errors == errors && sass->count == 0)
        bw_diagnose(diags, BW_MSG_MACHINE_TEXT, source, (bw_span){0},
                    "no instruction is in this text of %s", bw_dialect_name(dialect));
    if (diags->errors != errors) {
        bw_sass_destroy(sass);
        return NULL;
    }
    return sass;
}

void bw_sass_destroy(bw_sass *sass)
{
    if (!sass)
        return;
    for (size_t i = 0; i < sass->count; i++) {
        free(sass->functions[i].ins);
        free(sass->functions[i].labels);
    }
    for (size_t i = 0; i < sass->bank_count; i++)
        free(sass->banks[i].bytes);
    free(sass->banks);
    free(sass->functions);
    bw_arena_finish(&sass->arena);
    free(sass);
}

size_t bw_sass_count(const bw_sass *sass)
{
    return sass->count;
}

const bw_sass_kernel *bw_sass_at(const bw_sass *sass, size_t index)
{
    return index < sass->count ? &sass->functions[index].shown : NULL;
}

/* ---- finding a kernel by name ---- */

/* The identifier of a function's name as people read it: "void a::f<int>(int *)" has "f". */
static bw_span identifier(const char *name)
{
    const char *anonymous = "(anonymous namespace)::", *begin = name, *end;
    const char *inside = strstr(name, anonymous);
    if (inside)
        begin = inside + strlen(anonymous);
    end = begin + strcspn(begin, "<(");
    for (const char *p = end; p > begin; p--)
        if (p[-1] == ' ' || p[-1] == ':') {
            begin = p;
            break;
        }
    return (bw_span){(uint32_t)(begin - name), (uint32_t)(end - begin)};
}

static bool is_mangled(const char *name)
{
    return strncmp(name, "_Z", 2) == 0;
}

/* Whether a mangled name has the identifier of a readable one: _Z10m01_windowPf has "10m01_window".
 */
static bool mangles(const char *mangled, const char *readable)
{
    bw_span id = identifier(readable);
    char head[16];
    int n = snprintf(head, sizeof head, "%u", id.len);
    for (const char *p = mangled; id.len && (p = strstr(p, head)); p++)
        if (strncmp(p + n, readable + id.offset, id.len) == 0)
            return true;
    return false;
}

static bool matches(const char *name, const char *part)
{
    if (strstr(name, part))
        return true;
    if (is_mangled(name) && !is_mangled(part))
        return strpbrk(part, "<( ") && mangles(name, part);
    return is_mangled(part) && !is_mangled(name) && mangles(part, name);
}

static void list_kernels(const bw_sass *sass, bw_diags *diags, bw_diagnostic *d, const char *part)
{
    bw_arena arena = {0};
    const char *list = "the kernels are:";
    size_t shown = 0;
    for (size_t i = 0; i < sass->count && shown < 40; i++)
        if (!part || matches(sass->functions[i].shown.name, part)) {
            list = bw_arena_format(&arena, "%s\n  %s", list, sass->functions[i].shown.name);
            shown++;
        }
    bw_note(diags, d, "%s", list);
    bw_arena_finish(&arena);
}

/* Among kernels of one name the last, which is that of the newest architecture. */
long bw_sass_find(const bw_sass *sass, const char *part, bw_diags *diags)
{
    long found = -1;
    bool several = false, exact = false;
    for (size_t i = 0; i < sass->count; i++) {
        const char *name = sass->functions[i].shown.name;
        bool equal = part && strcmp(name, part) == 0;
        if ((part && !matches(name, part)) || (exact && !equal))
            continue;
        if (found >= 0 && exact == equal && strcmp(sass->functions[found].shown.name, name) != 0)
            several = true;
        if (equal && !exact)
            several = false;
        exact = exact || equal;
        found = (long)i;
    }
    if (found >= 0 && !several)
        return found;
    bw_diagnostic *d;
    if (found < 0)
        d = bw_diagnose(diags, BW_MSG_UNKNOWN_KERNEL, NULL, (bw_span){0},
                        "%s: no kernel is called \"%s\"", sass->source->name, part ? part : "");
    else if (part)
        d = bw_diagnose(diags, BW_MSG_UNKNOWN_KERNEL, NULL, (bw_span){0},
                        "%s: several kernels are called \"%s\"", sass->source->name, part);
    else
        d = bw_diagnose(diags, BW_MSG_UNKNOWN_KERNEL, NULL, (bw_span){0},
                        "%s: there are several kernels; name one", sass->source->name);
    list_kernels(sass, diags, d, found < 0 ? NULL : part);
    return -1;
}
