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
    const char *name; /* of a buffer that several kernels may have; NULL: an argument's own */
    bool has_law;     /* else nothing is known of its content at first */
    uint8_t *bytes;   /* malloc'd; what the kernel changes */
    uint8_t *unknown; /* malloc'd, of a named one: by byte, not 0 where it is not known */
    uint64_t size;
    char *file; /* FILE: its content, malloc'd, and its size */
    size_t file_size;
} bw_kernel_data;

/* The buffers that arguments call @NAME. */
typedef struct bw_kernel_memory {
    bw_kernel_data *data; /* malloc'd; their pointers are counted down from the last */
    size_t count;
} bw_kernel_memory;

/* So many names at most, and so many pointers less in each kernel. */
#define BW_KERNEL_NAMES 90

/* One launch. */
typedef struct bw_kernel {
    const bw_arch *arch;
    bw_arena arena;
    const bw_source *source;
    bw_kernel_options options;
    const bw_kernel_launch *given; /* as it is written; NULL: by the options */
    bw_kernel_memory *memory;      /* of all launches of the program */
    const bw_sass *sass;
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
    bool copies;           /* it has asynchronous copies */
    uint32_t first_access; /* of the program's: that of its first */
    uint32_t *access_of;   /* by instruction: index of its access, or UINT32_MAX */
} bw_kernel;

/* kernel_data.c: reads the laws and files. False after errors. */
bool bw_kernel_data_read(bw_kernel *k, bw_diags *diags);
/* Fills all buffers as they are before the kernel runs. */
void bw_kernel_data_fill(bw_kernel *k);
/* Makes buffers larger that something needed lies past. True where one grew. */
bool bw_kernel_data_grow(bw_kernel *k, const bw_machine_result *result);
void bw_kernel_data_finish(bw_kernel *k);

/* The address of the buffer of this name, which is made; 0: there are too many. Of `context`, a
 * bw_kernel_memory. */
uint64_t bw_kernel_memory_named(void *context, const char *name, size_t len);
/* Reads the data that options give for names ("@keys"). False after errors. */
bool bw_kernel_memory_read(bw_kernel_memory *memory, const bw_kernel_options *options,
                           bw_diags *diags);
/* As before the first launch. */
void bw_kernel_memory_reset(bw_kernel_memory *memory, const bw_kernel_options *options);
void bw_kernel_memory_finish(bw_kernel_memory *memory);
bool bw_kernel_is_name(const char *target); /* of a named buffer: "@keys" */

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
