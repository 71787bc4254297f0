/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * argument: what a kernel is launched with, from words to the bytes of its parameter block.
 *
 * An argument is given for a position (3), a place in the parameter block (@24), or by a name where
 * names are known. Its value is a scalar or several, laid out as the members of a struct:
 *
 *     4096   -1   0x10   true   1.5   i64:7   f64:2   ptr   null   ptr,4096,f32:1   bytes:0a0b0c0d
 *     @keys   @keys+64
 *
 * A scalar without a type has the parameter's, or where that is not known is an int, a long long
 * where it does not fit one, or a float. A pointer is given an address of its own; parameters that
 * the signature knows to be pointers get one where nothing is given.
 *
 * Owns nothing: everything lives in the arena. Errors say which argument, and what to write.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_ARGUMENT_H
#define BANKWISE_ARGUMENT_H

#include "program.h"
#include "signature.h"

/* A launch that is written out. */
typedef struct bw_kernel_launch {
    const bw_source *source; /* what it stands in, and the kernel's name there */
    bw_span span;
    const char *kernel; /* as people read it, with template arguments or without; or a part */
    uint32_t block[3], grid[3];
    bool has_dynamic;
    uint32_t dynamic;             /* bytes of shared memory beside the static ones */
    const bw_argument *arguments; /* by position; of the others nothing is said */
    size_t argument_count;
    unsigned order; /* among the options */
} bw_kernel_launch;

/* The parameter block of every architecture: 4 KiB, from CUDA 12.1 on sm_70 and later 32764 bytes
 * (CUDA C++ Programming Guide, "Kernel parameters"). */
#define BW_PARAM_BYTES 32764

/* A parameter in the block. */
typedef struct bw_param_place {
    bw_param param;
    bool placed; /* offset and size are known */
    bool given;
    uint32_t offset, size;
    const char *value; /* as given, or NULL */
} bw_param_place;

/* A pointer in the block. */
typedef struct bw_pointer_place {
    size_t position; /* of the parameter; SIZE_MAX: given by its offset */
    unsigned member; /* which pointer of that parameter, from 0 */
    uint32_t offset;
} bw_pointer_place;

typedef struct bw_arguments {
    uint8_t *bytes; /* the parameter block */
    bool *known;    /* by byte */
    uint32_t size;
    bw_param_place *places; /* by position */
    size_t count;
    bw_pointer_place *pointers; /* by index of the address that it was given */
    size_t pointer_count;
} bw_arguments;

/* The address that pointer `index` gets; `limit` is how many there are. That of the buffer called
 * `name` (@keys), which several kernels may have; 0: there are too many. NULL: there are none. */
typedef struct bw_addresses {
    uint64_t (*at)(uint32_t index);
    uint32_t limit;
    uint64_t (*named)(void *context, const char *name, size_t len);
    void *context;
} bw_addresses;

/* Lays the arguments out. Errors in those of `launch`, which may be NULL, have their place there.
 * False after errors. */
bool bw_arguments_place(bw_arguments *to, bw_arena *arena, const bw_signature *signature,
                        const bw_argument *given, size_t count, const bw_kernel_launch *launch,
                        const bw_addresses *addresses, bw_diags *diags);

/* The same arguments or data with names of parameters ("n", "p.1") as their positions; names that
 * no parameter has stay. In the arena. */
const bw_argument *bw_arguments_by_position(bw_arena *arena, const bw_signature *signature,
                                            const bw_argument *given, size_t count);

/* How to give the parameter at `offset` of the block: "--arg 3=VALUE", with its type where it is
 * known: "--arg 3=VALUE (int)". */
const char *bw_argument_flag(bw_arena *arena, const bw_arguments *arguments, uint32_t offset);
/* How to name pointer `index`, for data: "2", "3.1", "@24". */
const char *bw_pointer_name(bw_arena *arena, const bw_arguments *arguments, size_t index);

#endif
