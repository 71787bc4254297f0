/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * text: disassembly of any dialect -> kernels as lists of statements with addresses, labels, lines.
 *
 * Owns what the dialects look like. It must not know what any opcode means. Everything lives in the
 * bw_sass's arena, but for the arrays, which are malloc'd; bw_sass_destroy frees both. Not
 * thread-safe while reading; read-only afterwards.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_MACHINE_TEXT_H
#define BANKWISE_MACHINE_TEXT_H

#include "machine.h"

/* Instructions are 16 bytes on every architecture from sm_70. */
#define BW_INS_BYTES 16

typedef struct bw_label {
    const char *name;
    uint32_t index; /* of the instruction that follows it */
} bw_label;

/* A section of constants in the text (.nv.constant2.NAME). */
typedef struct bw_bank_text {
    const char *kernel; /* "" for all */
    uint32_t bank;
    uint8_t *bytes; /* malloc'd */
    size_t size, capacity;
} bw_bank_text;

typedef struct bw_function {
    bw_sass_kernel shown;
    bw_sass_ins *ins; /* malloc'd */
    size_t count, capacity;
    uint64_t base;    /* address of the first instruction, as the text has it */
    bw_label *labels; /* malloc'd */
    size_t label_count, label_capacity;
    bool ended; /* the mark that closes a function was seen */
} bw_function;

struct bw_sass {
    bw_arena arena;
    const bw_source *source;
    bw_dialect dialect;
    bw_function *functions; /* malloc'd */
    size_t count, capacity;
    bw_bank_text *banks; /* malloc'd */
    size_t bank_count, bank_capacity;
};

/* Begins a function named text[span]; it stays valid until the next is begun. */
bw_function *bw_text_begin(bw_sass *sass, bw_span name, const char *arch);
/* Adds an instruction; false after an error. `address` is as the text has it. */
bool bw_text_add(bw_sass *sass, bw_function *function, uint64_t address, bw_span statement,
                 bw_diags *diags);

/* Where `needle` lies in text[0..len), or NULL. */
const char *bw_text_search(const char *text, size_t len, const char *needle);

/* The two families of dialects. */
void bw_text_disassembly(bw_sass *sass, bw_diags *diags);
void bw_text_profile(bw_sass *sass, bw_diags *diags);

/* The index of the instruction that label name[0..len) stands before, or -1. */
long bw_function_label(const bw_function *function, const char *name, size_t len);

#endif
