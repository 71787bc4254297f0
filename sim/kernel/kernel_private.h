/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernel_private: what the files of this room share. Internal to sim/kernel.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_KERNEL_PRIVATE_H
#define BANKWISE_KERNEL_PRIVATE_H

#include "cubin.h"
#include "data.h"
#include "kernel.h"
#include "machine.h"

/* What a buffer or a constant bank holds. */
typedef struct bw_kernel_data {
    const bw_argument *given;
    bw_data_law law;
    size_t pointer; /* index of its pointer; SIZE_MAX: a constant bank */
    uint32_t bank;
    uint8_t *bytes; /* malloc'd; what the kernel changes */
    uint64_t size;
    char *file; /* FILE: its content, malloc'd, and its size */
    size_t file_size;
} bw_kernel_data;

typedef struct bw_kernel {
    bw_program program;
    bw_arena arena;
    const bw_source *source;
    bw_kernel_options options;
    bw_sass *sass;
    size_t index; /* of the kernel in it */
    const bw_sass_kernel *text;
    bw_signature signature;
    char *cubin_bytes; /* malloc'd, of options.cubin; NULL: none */
    bw_cubin *cubin;
    const bw_cubin_kernel *of_cubin; /* this kernel in it */
    bw_arguments arguments;
    bw_launch launch;
    bw_parameter *parameters; /* in the arena: arguments that are numbers */
    size_t parameter_count;
    bw_kernel_data *data; /* in the arena */
    size_t data_count;
    bw_shared_array *arrays;      /* in the arena: of the cubin */
    bw_instruction *instructions; /* in the arena, as are the next */
    bw_access *accesses;
    size_t access_count;
    uint32_t *access_of; /* by instruction: index of its access, or UINT32_MAX */
} bw_kernel;

/* kernel_data.c: reads the laws and files. False after errors. */
bool bw_kernel_data_read(bw_kernel *k, bw_diags *diags);
/* Fills all buffers as they are before the kernel runs. */
void bw_kernel_data_fill(bw_kernel *k);
/* Makes buffers larger that something needed lies past. True where one grew. */
bool bw_kernel_data_grow(bw_kernel *k, const bw_machine_result *result);
void bw_kernel_data_finish(bw_kernel *k);

/* kernel_cubin.c: reads options.cubin, if there is one, and completes the signature: the places and
 * sizes of all parameters. False after errors. */
bool bw_kernel_cubin_read(bw_kernel *k, bw_diags *diags);
void bw_kernel_cubin_finish(bw_kernel *k);

/* kernel_needs.c: an error for each thing that is missing, with the flag that gives it. */
void bw_kernel_report_needs(bw_kernel *k, const bw_machine_result *result, bw_diags *diags);
/* The launch shape is missing: it is asked for together with the arguments that may matter. */
void bw_kernel_report_launch(bw_kernel *k, bw_diags *diags);
/* "kernel.cu:95, inlined at main.cu:12"; NULL where the text has no line information. */
const char *bw_kernel_place_text(bw_arena *arena, const bw_sass_line *line);

#endif
