/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "cubin.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MACHINE_CUDA 190 /* EM_CUDA */
/* The ABI version from which on (CUDA 13) bits 8 to 15 of e_flags hold the architecture; before,
 * bits 0 to 7. Seen in cubins of nvcc 12 and 13. */
#define ABI_WIDE_ARCH 8

/* .nv.info: records of a format, an attribute and a value. */
#define FORMAT_SIZED 4 /* the value is a size of 16 bits, and so many bytes */
#define ATTR_PARAM_CBANK 0x0a
#define ATTR_KPARAM_INFO 0x17
#define ATTR_CBANK_PARAM_SIZE 0x19
#define ATTR_REGCOUNT 0x2f

#define RESERVED 1024 /* shared memory that the system takes from sm_90 on */
#define MAX_BANKS 8
#define MAX_ARRAYS 1024 /* of a kernel in shared memory */
#define MAX_PARAMS 4096 /* the parameter block of sm_70 and later has 32,764 bytes at most */

typedef struct section {
    const char *name;
    uint64_t offset, size, type;
} section;

typedef struct reader {
    const bw_source *source;
    bw_diags *diags;
    const uint8_t *bytes;
    size_t len;
    section *sections;
    size_t count;
    bw_cubin *cubin;
    uint32_t reserved;
} reader;

bool bw_is_cubin(const void *bytes, size_t len)
{
    Elf64_Ehdr head;
    if (len < sizeof head)
        return false;
    memcpy(&head, bytes, sizeof head);
    return memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
           head.e_ident[EI_DATA] == ELFDATA2LSB && head.e_machine == MACHINE_CUDA;
}

/* The end of a stretch of the file; 0 where it is past its end. */
static uint64_t end_of(uint64_t offset, uint64_t size, uint64_t len)
{
    return offset <= len && size <= len - offset ? offset + size : 0;
}

/* The end of the last of the sections; 0 where one is past the end. */
static uint64_t end_of_sections(const Elf64_Ehdr *head, const char *bytes, size_t len)
{
    uint64_t last = end_of(head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr), len);
    for (unsigned i = 0; i < head->e_shnum && last; i++) {
        Elf64_Shdr s;
        memcpy(&s, bytes + head->e_shoff + i * sizeof s, sizeof s);
        if (s.sh_type == SHT_NOBITS || s.sh_size == 0)
            continue;
        uint64_t end = end_of(s.sh_offset, s.sh_size, len);
        last = end == 0 || end > last ? end : last;
    }
    return last;
}

size_t bw_cubin_size(const void *bytes, size_t len)
{
    Elf64_Ehdr head;
    if (!bw_is_cubin(bytes, len))
        return 0;
    memcpy(&head, bytes, sizeof head);
    if (head.e_shentsize != sizeof(Elf64_Shdr) || !head.e_shnum)
        return 0;
    uint64_t sections = end_of_sections(&head, bytes, len);
    uint64_t segments = end_of(head.e_phoff, (uint64_t)head.e_phnum * head.e_phentsize,
                               (uint64_t)len + BW_CUBIN_MISSING);
    uint64_t last = sections > segments ? sections : segments;
    return sections && (segments || !head.e_phnum) ? (size_t)last : 0;
}

static bool is_inside(const reader *r, uint64_t offset, uint64_t size)
{
    return offset <= r->len && size <= r->len - offset;
}

/* ---- sections ---- */

static bool fail(reader *r, uint64_t at, const char *what)
{
    bw_diagnose(r->diags, BW_MSG_CUBIN_DAMAGED, NULL, (bw_span){0},
                "%s: the cubin is cut or damaged: %s at byte %" PRIu64, r->source->name, what, at);
    return false;
}

/* A string of the table that lies at [start, start + size), or NULL. */
static const char *string_at(const reader *r, uint64_t start, uint64_t size, uint32_t at)
{
    if (at >= size)
        return NULL;
    const char *text = (const char *)r->bytes + start + at;
    return memchr(text, 0, size - at) ? text : NULL;
}

static bool read_sections(reader *r, const Elf64_Ehdr *head)
{
    if (head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shstrndx >= head->e_shnum ||
        !is_inside(r, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)))
        return fail(r, head->e_shoff, "no table of sections");
    r->sections = calloc(head->e_shnum, sizeof *r->sections);
    if (!r->sections)
        return fail(r, 0, "no memory for its sections");
    Elf64_Shdr names;
    memcpy(&names, r->bytes + head->e_shoff + head->e_shstrndx * sizeof names, sizeof names);
    if (!is_inside(r, names.sh_offset, names.sh_size))
        return fail(r, names.sh_offset, "no names of sections");
    for (unsigned i = 0; i < head->e_shnum; i++) {
        Elf64_Shdr s;
        memcpy(&s, r->bytes + head->e_shoff + i * sizeof s, sizeof s);
        const char *name = string_at(r, names.sh_offset, names.sh_size, s.sh_name);
        if (!name || (s.sh_type != SHT_NOBITS && !is_inside(r, s.sh_offset, s.sh_size)))
            return fail(r, s.sh_offset, "a section past the end");
        if (s.sh_type == SHT_NOBITS && s.sh_size > UINT32_MAX)
            return fail(r, s.sh_offset, "a section of an impossible size");
        r->sections[r->count++] = (section){name, s.sh_offset, s.sh_size, s.sh_type};
    }
    return true;
}

/* What follows `prefix` in a section's name, or NULL. */
static const char *after(const section *s, const char *prefix)
{
    size_t len = strlen(prefix);
    return strncmp(s->name, prefix, len) == 0 ? s->name + len : NULL;
}

static const section *section_of(const reader *r, const char *prefix, const char *kernel)
{
    for (size_t i = 0; i < r->count; i++) {
        const char *rest = after(&r->sections[i], prefix);
        if (rest && strcmp(rest, kernel) == 0)
            return &r->sections[i];
    }
    return NULL;
}

/* ---- .nv.info ---- */

typedef struct attribute {
    unsigned id;
    const uint8_t *value;
    uint32_t size; /* of the value; 2 where it is part of the record's head */
} attribute;

static uint32_t number(const uint8_t *at, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)at[i] << 8 * i;
    return value;
}

/* The record at *at, which goes to the next; false at the end. */
static bool next_attribute(const reader *r, const section *s, uint64_t *at, attribute *a)
{
    if (s->size - *at < 4)
        return false;
    const uint8_t *record = r->bytes + s->offset + *at;
    *a = (attribute){record[1], record + 2, 2};
    *at += 4;
    if (record[0] != FORMAT_SIZED)
        return true;
    *a = (attribute){record[1], record + 4, number(record + 2, 2)};
    if (a->size > s->size - *at)
        return false;
    *at += a->size;
    return true;
}

static void add_param(bw_cubin_kernel *k, const uint8_t *value)
{
    uint32_t index = number(value + 4, 2), offset = number(value + 6, 2),
             bits = number(value + 8, 4);
    if (index >= MAX_PARAMS)
        return;
    if (index >= k->param_count) {
        k->params = bw_realloc(k->params, (index + 1) * sizeof *k->params);
        memset(k->params + k->param_count, 0, (index + 1 - k->param_count) * sizeof *k->params);
        k->param_count = index + 1;
    }
    k->params[index] = (bw_cubin_param){offset, bits >> 18};
}

static void read_info(const reader *r, const section *s, bw_cubin_kernel *k)
{
    attribute a;
    for (uint64_t at = 0; next_attribute(r, s, &at, &a);) {
        if (a.id == ATTR_KPARAM_INFO && a.size == 12)
            add_param(k, a.value);
        else if (a.id == ATTR_CBANK_PARAM_SIZE && a.size == 2)
            k->param_bytes = number(a.value, 2);
        else if (a.id == ATTR_PARAM_CBANK && a.size == 8)
            k->param_bytes = number(a.value + 6, 2);
    }
}

/* ---- kernels ---- */

/* The symbol table's name of symbol `index`, or NULL. */
static const char *symbol_name(const reader *r, uint32_t index)
{
    const section *symbols = section_of(r, ".symtab", ""), *strings = section_of(r, ".strtab", "");
    Elf64_Sym symbol;
    if (!symbols || !strings || index >= symbols->size / sizeof symbol)
        return NULL;
    memcpy(&symbol, r->bytes + symbols->offset + index * sizeof symbol, sizeof symbol);
    return string_at(r, strings->offset, strings->size, symbol.st_name);
}

static void read_registers(reader *r)
{
    const section *s = section_of(r, ".nv.info", "");
    attribute a;
    for (uint64_t at = 0; s && next_attribute(r, s, &at, &a);) {
        const char *name =
            a.id == ATTR_REGCOUNT && a.size == 8 ? symbol_name(r, number(a.value, 4)) : NULL;
        for (size_t k = 0; name && k < r->cubin->count; k++)
            if (strcmp(r->cubin->kernels[k].name, name) == 0)
                r->cubin->kernels[k].registers = number(a.value + 4, 4);
    }
}

/* ".nv.constant3" is the module's, ".nv.constant2.KERNEL" the kernel's own. */
static void read_banks(const reader *r, bw_cubin_kernel *k)
{
    for (size_t i = 0; i < r->count; i++) {
        const section *s = &r->sections[i];
        const char *rest = after(s, ".nv.constant");
        if (!rest || s->type == SHT_NOBITS || s->size == 0)
            continue;
        char *end;
        unsigned long bank = strtoul(rest, &end, 10);
        bool own = *end == '.' && strcmp(end + 1, k->name) == 0;
        if (end == rest || bank == 0 || bank > 31 || (*end && !own) || k->bank_count == MAX_BANKS)
            continue;
        k->banks = bw_realloc(k->banks, (k->bank_count + 1) * sizeof *k->banks);
        k->banks[k->bank_count++] =
            (bw_machine_bank){(uint32_t)bank, (uint32_t)s->size, r->bytes + s->offset};
    }
}

static int by_base(const void *left, const void *right)
{
    const bw_cubin_array *a = left, *b = right;
    return a->base < b->base ? -1 : a->base > b->base;
}

/* The objects of the section that has a kernel's shared memory. */
static void read_arrays(const reader *r, const section *shared, bw_cubin_kernel *k)
{
    const section *table = section_of(r, ".symtab", ""), *names = section_of(r, ".strtab", "");
    size_t index = (size_t)(shared - r->sections);
    for (uint64_t at = 0; table && names && table->size - at >= sizeof(Elf64_Sym);
         at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, r->bytes + table->offset + at, sizeof symbol);
        const char *name = string_at(r, names->offset, names->size, symbol.st_name);
        if (symbol.st_shndx != index || ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || !name ||
            symbol.st_value < r->reserved || !symbol.st_size ||
            symbol.st_value + symbol.st_size > shared->size || k->array_count == MAX_ARRAYS)
            continue;
        k->arrays = bw_realloc(k->arrays, (k->array_count + 1) * sizeof *k->arrays);
        k->arrays[k->array_count++] = (bw_cubin_array){
            name, (uint32_t)symbol.st_value - r->reserved, (uint32_t)symbol.st_size};
    }
    if (k->array_count)
        qsort(k->arrays, k->array_count, sizeof *k->arrays, by_base);
}

static void read_kernel(reader *r, const char *name)
{
    bw_cubin *c = r->cubin;
    c->kernels = bw_realloc(c->kernels, (c->count + 1) * sizeof *c->kernels);
    bw_cubin_kernel *k = &c->kernels[c->count++];
    *k = (bw_cubin_kernel){.name = name, .shared_reserved = r->reserved};
    const section *info = section_of(r, ".nv.info.", name),
                  *shared = section_of(r, ".nv.shared.", name);
    if (info)
        read_info(r, info, k);
    if (shared) {
        k->shared_static = (uint32_t)shared->size;
        read_arrays(r, shared, k);
    }
    k->shared_static -= k->shared_static < r->reserved ? k->shared_static : r->reserved;
    read_banks(r, k);
}

/* A kernel is code that has parameters' records or a parameter bank; other functions have none. */
static void read_kernels(reader *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const char *name = after(&r->sections[i], ".text.");
        if (name && section_of(r, ".nv.constant0.", name))
            read_kernel(r, name);
    }
    read_registers(r);
}

bw_cubin *bw_cubin_read(const bw_source *source, bw_diags *diags)
{
    reader r = {.source = source,
                .diags = diags,
                .bytes = (const uint8_t *)source->text,
                .len = source->len};
    if (!bw_is_cubin(source->text, source->len)) {
        bw_diagnose(diags, BW_MSG_CUBIN_DAMAGED, NULL, (bw_span){0}, "%s: this is no cubin",
                    source->name);
        return NULL;
    }
    Elf64_Ehdr head;
    memcpy(&head, source->text, sizeof head);
    r.cubin = bw_realloc(NULL, sizeof *r.cubin);
    *r.cubin = (bw_cubin){.count = 0};
    unsigned arch =
        (head.e_ident[EI_ABIVERSION] >= ABI_WIDE_ARCH ? head.e_flags >> 8 : head.e_flags) & 0xff;
    snprintf(r.cubin->arch, sizeof r.cubin->arch, "sm_%u", arch);
    bool ok = read_sections(&r, &head);
    if (ok) {
        /* Of -G builds only the second is there, empty before sm_90. */
        const section *debug = section_of(&r, ".nv_debug.shared", "");
        bool reserves = section_of(&r, ".nv.shared.reserved.", "0") || (debug && debug->size);
        r.reserved = reserves ? RESERVED : 0;
        read_kernels(&r);
    }
    free(r.sections);
    if (ok)
        return r.cubin;
    bw_cubin_destroy(r.cubin);
    return NULL;
}

void bw_cubin_destroy(bw_cubin *cubin)
{
    if (!cubin)
        return;
    for (size_t i = 0; i < cubin->count; i++) {
        free(cubin->kernels[i].params);
        free(cubin->kernels[i].banks);
        free(cubin->kernels[i].arrays);
    }
    free(cubin->kernels);
    free(cubin);
}

const bw_cubin_kernel *bw_cubin_find(const bw_cubin *cubin, const char *name)
{
    for (size_t i = 0; i < cubin->count; i++)
        if (strcmp(cubin->kernels[i].name, name) == 0)
            return &cubin->kernels[i];
    return NULL;
}
