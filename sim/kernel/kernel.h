/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernel: a compiled kernel with its launch as a program (run/program.h).
 *
 * Owns what a launch needs beside the machine code: which kernel of the text, its arguments and the
 * content of its buffers, and the asking for what is missing. Executing is sim/machine's. It knows
 * no command line and no file; a data file comes through the host.
 *
 * Such a program has one launch, an access for each instruction that can ask shared memory, and
 * instructions. Running it twice gives the same: buffers begin anew.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_KERNEL_H
#define BANKWISE_KERNEL_H

#include "argument.h"

typedef struct bw_kernel_options {
    const bw_arch *arch; /* NULL: as the text says, sm_90 where it does not */
    const char *kernel;  /* its name or a part of it; NULL: the only one */
    size_t nth;          /* the n-th of the text, from 1, whatever it is called; 0: by name */
    uint32_t block[3];   /* 0 in [0]: not given, which is an error */
    uint32_t grid[3];    /* 0 in [0]: one block */
    uint32_t shared;     /* bytes of a block, static and dynamic; 0: the most a block can have */
    /* These and their texts must outlive the program. A target that begins with a part of a
     * kernel's name and ':' ("m04:1") is for the kernels that the part is of. */
    const bw_argument *arguments;
    size_t argument_count;
    const bw_argument
        *data; /* target "2", "3.1" or "@24" of a pointer, or "c3" of a constant bank */
    size_t data_count;
    const bw_kernel_launch *launches; /* run one after another, on one memory; then `kernel` to */
    size_t launch_count;              /* `shared` say nothing. 0: one launch, as those say */
    /* The source that it was compiled from, for names of parameters; NULL: none. */
    const char *source_text;
    size_t source_len;
    const char *cubin; /* the file that the text was made of, for what the text lacks; NULL: none */
    uint64_t max_steps; /* warp instructions; past them blocks are sampled. 0: the default */
    size_t max_memory;  /* bytes of buffers; 0: the default */
    uint32_t seed;      /* of random data */
    bw_host host;       /* read_file */
} bw_kernel_options;

/* Reads kernel<<<grid, block, shared>>>(arguments); to->order is set before. Names are those that
 * -D gives; used[i] says that defines[i] was. False after an error, which has its place in
 * `source`. In the arena. */
bool bw_kernel_launch_read(bw_kernel_launch *to, bw_arena *arena, const bw_source *source,
                           const bw_define *defines, size_t define_count, bool *used,
                           bw_diags *diags);

/* The names of the kernels of a text, in its order; 0 after errors. The list is in the arena. */
size_t bw_kernel_list(const bw_source *source, bw_arena *arena, const char ***names,
                      bw_diags *diags);
/* The index of the kernel that `part` names, or -1 after an error that lists them. */
long bw_kernel_find(const bw_source *source, const char *part, bw_diags *diags);

/* A file of compiled kernels, to choose among several: see machine/cubin.h. Whether bytes are one;
 * reading it (NULL after an error; `source` must outlive it); its architecture ("sm_90"); whether
 * it has a kernel whose name has `part` in it (NULL: any). */
typedef struct bw_cubin bw_kernel_file;
bool bw_kernel_is_file(const char *bytes, size_t len);
bw_kernel_file *bw_kernel_file_read(const bw_source *source, bw_diags *diags);
void bw_kernel_file_destroy(bw_kernel_file *file); /* accepts NULL */
const char *bw_kernel_file_arch(const bw_kernel_file *file);
bool bw_kernel_file_has(const bw_kernel_file *file, const char *part);
/* Its kernels' names, mangled; NULL past the end. And how many bytes the file has that begins at
 * `bytes`; 0 where none does; it may lack some zeros at its end (bw_cubin_size). */
const char *bw_kernel_file_name(const bw_kernel_file *file, size_t index);
size_t bw_kernel_file_size(const char *bytes, size_t len);

/* Whether a text is machine code, by its content. */
bool bw_kernel_is_text(const char *text, size_t len);

/*
 * Reads the machine code, finds the kernel and lays out its launch. `source` must outlive the
 * program. NULL after errors in `diags`, of which all that is wrong with the launch is one each.
 */
bw_program *bw_kernel_read(const bw_source *source, const bw_kernel_options *options,
                           bw_diags *diags);

#endif
