/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * opcode_kernels: runs the kernels of the opcode recording
 * (tests/recorded/sm_90-h200/opcodes/README) through the text of their machine code.
 */
#ifndef BANKWISE_TESTS_OPCODE_KERNELS_H
#define BANKWISE_TESTS_OPCODE_KERNELS_H

#include "cubin.h"
#include "launches.h"
#include "operands.h"

#define SEED 1
#define POINTERS 4u

/* A row of kernels.csv. */
typedef struct kernel_row {
    char name[32], function[40], kind[16];
    uint32_t grid, block, slots;
} kernel_row;

/* A text with the cubin that it is of; the file names are relative to `folder`. */
typedef struct text_files {
    const char *folder;
    bw_source text, elf;
    bw_sass *sass;
    bw_cubin *cubin;
} text_files;

static inline bool open_files(text_files *f, const char *folder, const char *text, const char *elf)
{
    bw_diags diags = {0};
    *f = (text_files){.folder = folder, .text.name = text, .elf.name = elf};
    f->text.text = read_file(folder, text, &f->text.len);
    f->elf.text = read_file(folder, elf, &f->elf.len);
    f->sass = bw_sass_read(&f->text, &diags);
    f->cubin = bw_cubin_read(&f->elf, &diags);
    bw_diags_print(&diags, stderr, false);
    bw_diags_finish(&diags);
    return f->sass && f->cubin;
}

static inline void close_files(text_files *f)
{
    bw_sass_destroy(f->sass);
    bw_cubin_destroy(f->cubin);
    free((void *)(uintptr_t)f->text.text);
    free((void *)(uintptr_t)f->elf.text);
}

static inline bw_operands kind_of(const char *name)
{
    for (unsigned k = 0; k < BW_OPERANDS_COUNT; k++)
        if (strcmp(bw_operands_name((bw_operands)k), name) == 0)
            return (bw_operands)k;
    fprintf(stderr, "no kind of operands: %s\n", name);
    exit(3);
}

/* The next row at *at of kernels.csv whose kernel text and cubin have; its index in the text, -1
 * after the last. A profile has a page for each launch: the first is of the results. */
static inline long next_kernel(const text_files *f, const char **at, kernel_row *row)
{
    while (**at) {
        const char *line = *at;
        *at += strcspn(line, "\n");
        *at += **at == '\n';
        if (sscanf(line, "%31[^,\n],%39[^,\n],%15[^,\n],%u,%u,%u", row->name, row->function,
                   row->kind, &row->grid, &row->block, &row->slots) != 6 ||
            !bw_cubin_find(f->cubin, row->function))
            continue;
        for (size_t k = 0; k < bw_sass_count(f->sass); k++)
            if (strcmp(bw_sass_at(f->sass, k)->name, row->function) == 0)
                return (long)k;
    }
    return -1;
}

/* What a kernel left in its results, and what the card did. */
typedef struct kernel_output {
    bw_machine_result result;
    size_t words;
    uint32_t *out, *card;
    uint8_t *unknown; /* by byte */
} kernel_output;

static inline kernel_output run_kernel(const text_files *f, const kernel_row *row, size_t index)
{
    bw_operands kind = kind_of(row->kind);
    size_t threads = (size_t)row->grid * row->block, len;
    kernel_output o = {.words = threads * row->slots};
    uint64_t pointers[POINTERS];
    bw_machine_buffer buffers[POINTERS];
    char name[64];
    for (uint32_t k = 0; k < POINTERS; k++) {
        size_t size = k == 3 ? o.words * 4 : threads * bw_operands_size(kind);
        pointers[k] = bw_machine_pointer(k);
        buffers[k] = (bw_machine_buffer){pointers[k], size, malloc(size), calloc(1, size)};
        if (k == 3)
            memset(buffers[k].bytes, 0xa5, size);
        else
            bw_operands_make(kind, k, SEED, threads, buffers[k].bytes);
    }
    const bw_cubin_kernel *c = bw_cubin_find(f->cubin, row->function);
    bw_machine_param param = {0, sizeof pointers, (const uint8_t *)pointers};
    bw_machine_launch launch = {.block = {row->block, 1, 1},
                                .grid = {row->grid, 1, 1},
                                .shared = c->shared_static ? c->shared_static : 1024,
                                .params = &param,
                                .param_count = 1,
                                .buffers = buffers,
                                .buffer_count = POINTERS,
                                .banks = c->banks,
                                .bank_count = c->bank_count};
    if (!bw_sass_at(f->sass, index)->arch)
        launch.arch = bw_arch_find(f->cubin->arch);
    bw_diags diags = {0};
    o.result = bw_machine_run(f->sass, index, &launch, &diags);
    bw_diags_print(&diags, stderr, false);
    bw_diags_finish(&diags);
    snprintf(name, sizeof name, "%s.out", row->name);
    o.card = (uint32_t *)(void *)read_file(f->folder, name, &len);
    if (len != o.words * 4)
        exit(3);
    o.out = (uint32_t *)(void *)buffers[3].bytes;
    o.unknown = buffers[3].unknown;
    for (uint32_t k = 0; k < 3; k++) {
        free(buffers[k].bytes);
        free(buffers[k].unknown);
    }
    return o;
}

static inline void finish_output(kernel_output *o)
{
    free(o->out);
    free(o->unknown);
    free(o->card);
    bw_machine_result_finish(&o->result);
}

#endif
