/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_private.h"

/* What a buffer whose law has no end begins with, and the factor it grows by: most kernels that are
 * looked at read less, and filling this takes a millisecond. */
#define FIRST_SIZE (UINT64_C(1) << 20)
#define GROWTH 4
/* A constant bank (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
 */
#define BANK_SIZE 65536
#define MAX_BANK 31

static bool bad(bw_diags *diags, const bw_argument *given, const char *what, const char *note)
{
    bw_note(diags,
            bw_diagnose(diags, BW_MSG_LAUNCH_DATA, NULL, (bw_span){0, 0}, "--data %s=%s: %s",
                        given->target, given->value, what),
            "%s", note);
    return false;
}

/* The pointers that data can be given for, as one text. */
static const char *pointer_list(bw_kernel *k)
{
    const char *list = "";
    for (size_t i = 0; i < k->arguments.pointer_count; i++)
        list = bw_arena_format(&k->arena, "%s%s%s", list, i ? ", " : "",
                               bw_pointer_name(&k->arena, &k->arguments, i));
    return *list ? bw_arena_format(&k->arena, "pointers are known at: %s", list)
                 : "no argument is known to be a pointer; give it as --arg 0=ptr";
}

/* What the data is of. */
static bool find_target(bw_kernel *k, bw_kernel_data *d, bw_diags *diags)
{
    const char *target = d->given->target;
    if (target[0] == 'c' && isdigit((unsigned char)target[1])) {
        char *end;
        unsigned long bank = strtoul(target + 1, &end, 10);
        d->pointer = SIZE_MAX;
        d->bank = (uint32_t)bank;
        d->size = BANK_SIZE;
        return (!*end && bank > 0 && bank <= MAX_BANK) ||
               bad(diags, d->given, "no such constant bank", "write --data c3=LAW: banks 1 to 31");
    }
    size_t len = strlen(target);
    bool first = len > 2 && strcmp(target + len - 2, ".0") == 0; /* "3.0" is "3" */
    for (size_t i = 0; i < k->arguments.pointer_count; i++) {
        const char *name = bw_pointer_name(&k->arena, &k->arguments, i);
        if (strcmp(name, target) == 0 ||
            (first && strlen(name) == len - 2 && memcmp(name, target, len - 2) == 0)) {
            d->pointer = i;
            d->size = FIRST_SIZE;
            return true;
        }
    }
    return bad(diags, d->given, "no pointer is there", pointer_list(k));
}

static bool read_file(const bw_host *host, bw_kernel_data *d, bw_diags *diags)
{
    const char *error = "files cannot be read here";
    d->file =
        host->read_file ? host->read_file(host->context, d->law.path, &d->file_size, &error) : NULL;
    if (!d->file)
        return bad(diags, d->given, error, "give the name of a file that holds the buffer's bytes");
    if (d->pointer == SIZE_MAX && d->file_size > BANK_SIZE)
        return bad(diags, d->given, "the file is larger than a constant bank",
                   "a bank has 65536 bytes");
    d->size = d->file_size;
    return true;
}

bool bw_kernel_data_read(bw_kernel *k, bw_diags *diags)
{
    bool good = true;
    k->data = bw_arena_alloc(&k->arena, (k->options.data_count + 1) * sizeof *k->data);
    for (size_t i = 0; i < k->options.data_count; i++) {
        if (bw_kernel_is_name(k->options.data[i].target))
            continue;
        bw_kernel_data *d = &k->data[k->data_count++];
        d->has_law = true;
        d->given = &k->options.data[i];
        const char *wrong = bw_data_read(&d->law, d->given->value);
        if (wrong)
            good = bad(diags, d->given, "this says nothing about data", wrong);
        else if (!find_target(k, d, diags))
            good = false;
        else if (d->law.kind == BW_DATA_FILE && !read_file(&k->options.host, d, diags))
            good = false;
        for (size_t j = 0; good && j + 1 < k->data_count; j++)
            if (k->data[j].pointer == d->pointer && k->data[j].bank == d->bank)
                good = bad(diags, d->given, "it has data already", "give the data of each once");
    }
    return good;
}

void bw_kernel_data_fill(bw_kernel *k)
{
    for (size_t i = 0; i < k->data_count; i++) {
        bw_kernel_data *d = &k->data[i];
        if (!d->bytes)
            d->bytes = bw_alloc(d->size + 1);
        if (d->law.kind == BW_DATA_FILE)
            memcpy(d->bytes, d->file, d->size);
        else
            bw_data_fill(&d->law, k->options.seed, (uint32_t)i, d->bytes, d->size);
    }
}

/* The size that covers `address` bytes of a buffer, within the budget; the old one where none. */
static uint64_t larger(const bw_kernel_options *options, uint64_t size, uint64_t offset)
{
    uint64_t most = options->max_memory ? options->max_memory : BW_DEFAULT_MAX_MEMORY;
    uint64_t wanted = size;
    while (wanted <= offset && wanted <= most / GROWTH)
        wanted *= GROWTH;
    return wanted > offset ? wanted : size;
}

static bool grow(const bw_kernel_options *options, bw_kernel_data *data, size_t count,
                 const bw_machine_result *result)
{
    bool grown = false;
    for (size_t n = 0; n < result->need_count; n++) {
        const bw_machine_origin *from = &result->needs[n].origin;
        if (!from->has_address)
            continue;
        for (size_t i = 0; i < count; i++) {
            bw_kernel_data *d = &data[i];
            if (d->pointer == SIZE_MAX || d->law.kind == BW_DATA_FILE)
                continue;
            uint64_t base = bw_machine_pointer((uint32_t)d->pointer);
            if (bw_machine_pointer_index(from->address) != (int)d->pointer || from->address < base)
                continue;
            uint64_t size = larger(options, d->size, from->address - base);
            grown |= size > d->size;
            if (size > d->size) {
                free(d->bytes);
                free(d->unknown);
                d->bytes = d->unknown = NULL;
                d->size = size;
            }
        }
    }
    return grown;
}

bool bw_kernel_data_grow(bw_kernel *k, const bw_machine_result *result)
{
    bool own = grow(&k->options, k->data, k->data_count, result);
    return grow(&k->options, k->memory->data, k->memory->count, result) || own;
}

/* ---- buffers with names ---- */

bool bw_kernel_is_name(const char *target)
{
    return target[0] == '@' && (isalpha((unsigned char)target[1]) || target[1] == '_');
}

static bw_kernel_data *named(bw_kernel_memory *memory, const char *name, size_t len)
{
    for (size_t i = 0; i < memory->count; i++)
        if (strlen(memory->data[i].name) == len && memcmp(memory->data[i].name, name, len) == 0)
            return &memory->data[i];
    if (memory->count == BW_KERNEL_NAMES)
        return NULL;
    memory->data = bw_realloc(memory->data, (memory->count + 1) * sizeof *memory->data);
    bw_kernel_data *d = &memory->data[memory->count];
    char *copy = bw_alloc(len + 1);
    memcpy(copy, name, len);
    copy[len] = '\0';
    *d = (bw_kernel_data){
        .name = copy, .pointer = BW_MACHINE_POINTERS - 1 - memory->count, .size = FIRST_SIZE};
    memory->count++;
    return d;
}

uint64_t bw_kernel_memory_named(void *context, const char *name, size_t len)
{
    const bw_kernel_data *d = named(context, name, len);
    return d ? bw_machine_pointer((uint32_t)d->pointer) : 0;
}

bool bw_kernel_memory_read(bw_kernel_memory *memory, const bw_kernel_options *options,
                           bw_diags *diags)
{
    bool good = true;
    for (size_t i = 0; i < options->data_count; i++) {
        const bw_argument *given = &options->data[i];
        if (!bw_kernel_is_name(given->target))
            continue;
        bw_kernel_data *d = NULL;
        for (size_t k = 0; k < memory->count; k++)
            if (strcmp(memory->data[k].name, given->target + 1) == 0)
                d = &memory->data[k];
        bw_data_law law;
        const char *wrong = bw_data_read(&law, given->value);
        if (!d) {
            good = bad(diags, given, "no argument has this name",
                       "write it in the place of a pointer: --launch 'k<<<1, 32>>>(@keys)'");
            continue;
        }
        d->given = given;
        d->has_law = true;
        d->law = law;
        if (wrong)
            good = bad(diags, given, "this says nothing about data", wrong);
        else if (law.kind == BW_DATA_FILE && !read_file(&options->host, d, diags))
            good = false;
    }
    return good;
}

void bw_kernel_memory_reset(bw_kernel_memory *memory, const bw_kernel_options *options)
{
    for (size_t i = 0; i < memory->count; i++) {
        bw_kernel_data *d = &memory->data[i];
        if (!d->bytes) {
            d->bytes = bw_alloc(d->size + 1);
            d->unknown = bw_alloc(d->size + 1);
        }
        memset(d->unknown, d->has_law ? 0 : 255, d->size);
        if (!d->has_law)
            memset(d->bytes, 0, d->size);
        else if (d->law.kind == BW_DATA_FILE)
            memcpy(d->bytes, d->file, d->size);
        else
            bw_data_fill(&d->law, options->seed, (uint32_t)i, d->bytes, d->size);
    }
}

void bw_kernel_memory_finish(bw_kernel_memory *memory)
{
    for (size_t i = 0; i < memory->count; i++) {
        free((char *)memory->data[i].name);
        free(memory->data[i].bytes);
        free(memory->data[i].unknown);
        free(memory->data[i].file);
    }
    free(memory->data);
}

void bw_kernel_data_finish(bw_kernel *k)
{
    for (size_t i = 0; i < k->data_count; i++) {
        free(k->data[i].bytes);
        free(k->data[i].file);
    }
}
