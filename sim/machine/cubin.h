/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cubin: what the ELF file of compiled kernels says beside their code.
 *
 * A disassembly has the instructions; how parameters lie, how much shared memory a block has of
 * itself, and the constants that jump tables are in, only the file says. This reads them from the
 * bytes of a cubin (EM_CUDA, 64 bits, little-endian), whoever made it: nvcc, Triton, Numba, CuPy.
 * It knows no file and runs no program; code in the file is not looked at, and nothing in it is
 * trusted: every offset is checked.
 *
 * The layout was read from cubins of nvcc 13.0 for sm_75 to sm_120; the attributes' numbers are
 * those that `readelf -x .nv.info.KERNEL` shows of them, with the names that cuobjdump -elf prints.
 *
 * Units: bytes. Strings and bytes point into the file, which must outlive the result. Pure
 * functions but for the result's memory; different results may be used by different threads.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_CUBIN_H
#define BANKWISE_CUBIN_H

#include "diag.h"
#include "machine.h"

/* One parameter of a kernel: its place in the parameter block. */
typedef struct bw_cubin_param {
    uint32_t offset, size;
} bw_cubin_param;

/* An array in a block's shared memory, after the reserved bytes. */
typedef struct bw_cubin_array {
    const char *name; /* mangled */
    uint32_t base, bytes;
} bw_cubin_array;

typedef struct bw_cubin_kernel {
    const char *name; /* mangled */
    bw_cubin_param *params;
    uint32_t param_count;
    uint32_t param_bytes;     /* of the whole block */
    uint32_t shared_static;   /* a block's static shared memory, the reserved bytes left out */
    uint32_t shared_reserved; /* what the system takes before it: 1,024 from sm_90 on, else 0 */
    uint32_t registers;       /* of a thread; 0 where the file does not say */
    bw_cubin_array *arrays;   /* in shared memory, that the file's symbols name: with -G alone */
    uint32_t array_count;
    bw_machine_bank *banks; /* constant banks other than 0, the module's and the kernel's own */
    uint32_t bank_count;
} bw_cubin_kernel;

typedef struct bw_cubin {
    char arch[16]; /* "sm_90" */
    bw_cubin_kernel *kernels;
    size_t count;
} bw_cubin;

/* Whether the bytes begin as a cubin does (an ELF file of machine EM_CUDA). */
bool bw_is_cubin(const void *bytes, size_t len);

/* How many bytes the cubin has that begins here; 0 where none does, or one that goes on past the
 * end. The last few may be past it, which are zero: CuPy 14 leaves the last one off. */
size_t bw_cubin_size(const void *bytes, size_t len);
#define BW_CUBIN_MISSING 8

/*
 * Reads a cubin. NULL after an error in `diags`, at no place in it (it is no text): what is wrong
 * and at which byte. `source` names the file and has its bytes as text.
 */
bw_cubin *bw_cubin_read(const bw_source *source, bw_diags *diags);
void bw_cubin_destroy(bw_cubin *cubin); /* accepts NULL */
/* The kernel called exactly that, or NULL. */
const bw_cubin_kernel *bw_cubin_find(const bw_cubin *cubin, const char *name);

#endif
