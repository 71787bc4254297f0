/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * machine: executes the text of compiled kernels (SASS) and yields their shared-memory requests.
 *
 * Owns the parsed text (bw_sass) and what a launch of one of its kernels does (bw_machine_run):
 * every instruction's executed count and thread count, every shared-memory request, what global
 * buffers hold afterwards, and, where something that matters is not known, the list of what is
 * needed. It knows no file, no terminal, no command line and no price: requests go to a sink, text
 * and data come in as bytes, errors go into a bw_diags. No global state; different objects may be
 * used by different threads.
 *
 * Units: addresses of instructions are bytes from the kernel's first instruction; addresses of
 * requests are bytes from the start of the block's shared memory; counts are for the whole grid.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_MACHINE_H
#define BANKWISE_MACHINE_H

#include "bankwise.h"
#include "diag.h"

/* ---- the text ------------------------------------------------------------------------------ */

typedef enum bw_dialect {
    BW_DIALECT_NONE,      /* no machine code was recognised                                    */
    BW_DIALECT_CUOBJDUMP, /* cuobjdump -sass                                                   */
    BW_DIALECT_NVDISASM,  /* nvdisasm, with -c or without, with -g or -gi or without            */
    BW_DIALECT_NCU,       /* Nsight Compute: --page source --csv                               */
} bw_dialect;

/* Where an instruction comes from: the innermost place first, then where that was inlined, ... */
typedef struct bw_sass_line {
    const char *file; /* as the text names it */
    uint32_t line;
    const struct bw_sass_line *inlined_at; /* NULL: the end of the chain */
} bw_sass_line;

/* What a profiler counted of one instruction; a field is UINT64_MAX where the text has no column.
 */
typedef struct bw_sass_counts {
    uint64_t executed, threads, wavefronts, ideal;
} bw_sass_counts;

typedef struct bw_sass_ins {
    uint32_t address;         /* bytes from the kernel's first instruction */
    bw_span span;             /* the statement in the text, guard included, without ";" */
    const char *text;         /* the same as a string, outer space removed */
    const char *name;         /* the opcode with its modifiers: "LDS.128" */
    const bw_sass_line *line; /* NULL where the text has no line information */
    bw_sass_counts profiled;
    bool shared; /* it can ask shared memory: LDS, STS, ATOMS, LDSM, STSM, LDGSTS, LD, ST ... */
    bool copies; /* into it, from global memory: LDGSTS */
    const char
        *unmodelled; /* why its result is left unknown or it is refused; NULL where it is exact */
} bw_sass_ins;

typedef struct bw_sass_kernel {
    const char
        *name; /* as in the text: mangled in a disassembly, for people in a profiler's page */
    const char *arch; /* "sm_90", or NULL where the text does not say */
    bw_span span;     /* the place of its name */
    const bw_sass_ins *ins;
    size_t count;
    bool profiled; /* the text holds a profiler's counts */
} bw_sass_kernel;

typedef struct bw_sass bw_sass;

/*
 * Reads text of any dialect. `source` must outlive the result. NULL after an error in `diags` (text
 * that is no machine code, cut, shuffled, or of an architecture before sm_70).
 */
bw_sass *bw_sass_read(const bw_source *source, bw_diags *diags);
void bw_sass_destroy(bw_sass *sass); /* accepts NULL */

/* Whether the text looks like machine code of some dialect: a quick look at its content. */
bw_dialect bw_sass_dialect(const char *text, size_t len);
const char *bw_dialect_name(bw_dialect dialect); /* static storage */

size_t bw_sass_count(const bw_sass *sass);
const bw_sass_kernel *bw_sass_at(const bw_sass *sass, size_t index);

/*
 * The kernel that `part` names: its whole name or a part of it, mangled or as a profiler shows it
 * ("m01_window(float *)" finds _Z10m01_windowPf). NULL `part`: the only kernel there is. Returns
 * its index, or -1 after an error that lists the kernels.
 */
long bw_sass_find(const bw_sass *sass, const char *part, bw_diags *diags);

/* ---- a launch ------------------------------------------------------------------------------ */

/* Bytes of the parameter block that are known. */
typedef struct bw_machine_param {
    uint32_t offset; /* from the first parameter */
    uint32_t size;
    const uint8_t *bytes;
} bw_machine_param;

/*
 * A buffer in global memory whose content is known. Loads read it, stores and atomics change it in
 * place, so it holds the kernel's results afterwards. `unknown` is NULL (all bytes are known) or
 * has one byte a byte, not 0 where the content is not known; stores of unknown values set it, or
 * are counted in bw_machine_result.unknown_stores where there is none.
 */
typedef struct bw_machine_buffer {
    uint64_t base; /* its address on the card */
    uint64_t size;
    uint8_t *bytes;
    uint8_t *unknown;
} bw_machine_buffer;

/* Bytes of a constant bank other than 0 (jump tables: bank 2, or 4). */
typedef struct bw_machine_bank {
    uint32_t bank;
    uint32_t size;
    const uint8_t *bytes;
} bw_machine_bank;

/*
 * One request of one warp. `ins` is the index of the instruction; `copies` says for how many blocks
 * it stands. Return false to end the run.
 */
typedef bool (*bw_machine_sink)(void *context, size_t ins, uint32_t warp, uint64_t block,
                                const bw_request *request, uint64_t copies);

typedef struct bw_machine_launch {
    const bw_arch *arch; /* NULL: as the text says */
    uint32_t block[3], grid[3];
    uint32_t shared; /* bytes of shared memory a block has, static and dynamic; 0: the most */
    const bw_machine_param *params;
    size_t param_count;
    const bw_machine_buffer *buffers;
    size_t buffer_count;
    const bw_machine_bank *banks;
    size_t bank_count;
    uint64_t
        max_steps; /* warp instructions to execute at most; 0: 4e9. Past it blocks are sampled */
    bool no_fold;  /* execute every block, equal ones too */
    bw_machine_sink sink; /* may be NULL */
    void *context;
} bw_machine_launch;

/* The address that a pointer argument gets: buffers must not overlap, and what is at an address
 * tells which argument it came from. `index` counts pointer arguments, below 120. */
uint64_t bw_machine_pointer(uint32_t index);
#define BW_MACHINE_POINTERS 120
/* The pointer argument whose range an address lies in, or -1. */
int bw_machine_pointer_index(uint64_t address);

/* Where an unknown value comes from. */
typedef enum bw_machine_from {
    BW_MACHINE_FROM_NONE,
    BW_MACHINE_FROM_PARAM,    /* the parameter block at `offset` was not given    */
    BW_MACHINE_FROM_CONSTANT, /* another place of a constant bank: `bank`, `offset` */
    BW_MACHINE_FROM_LOAD, /* instruction `ins` loaded it from global memory at `address`          */
    BW_MACHINE_FROM_SHARED,  /* instruction `ins` loaded it from shared memory that was not written
                              */
    BW_MACHINE_FROM_LOCAL,   /* the same of local memory   */
    BW_MACHINE_FROM_SPECIAL, /* instruction `ins` reads a register that only a card knows (a clock)
                              */
    BW_MACHINE_FROM_OPCODE,  /* instruction `ins` is not modelled, or a modifier of it is not  */
    BW_MACHINE_FROM_UNWRITTEN, /* a register that no instruction had written */
    BW_MACHINE_FROM_ATOMIC, /* instruction `ins` is an atomic on global memory without content    */
    BW_MACHINE_FROM_BLOCK,  /* instruction `ins` reached another block's shared memory            */
} bw_machine_from;

typedef struct bw_machine_origin {
    bw_machine_from kind;
    uint32_t ins; /* UINT32_MAX where it names none */
    uint32_t bank, offset;
    bool has_address;
    uint64_t address; /* global memory: see bw_machine_pointer_index */
} bw_machine_origin;

/* What was done for want of a value. */
typedef enum bw_machine_need_kind {
    BW_MACHINE_NEED_BRANCH,  /* a branch, exit or barrier depends on it: the run stopped there  */
    BW_MACHINE_NEED_ADDRESS, /* a shared-memory address depends on it: the request is not counted */
    BW_MACHINE_NEED_GUARD, /* whether a shared-memory request is made depends on it: not counted */
} bw_machine_need_kind;

typedef struct bw_machine_need {
    bw_machine_need_kind kind;
    uint32_t ins; /* the instruction that needs it */
    bw_machine_origin origin;
    uint64_t count; /* warp instructions */
} bw_machine_need;

typedef enum bw_machine_status {
    BW_MACHINE_OK,
    BW_MACHINE_NEEDS,   /* something that matters is unknown: see `needs`                         */
    BW_MACHINE_ERROR,   /* an error in `diags`: refused opcode, deadlock, address out of bounds   */
    BW_MACHINE_STOPPED, /* the sink said so                                                       */
} bw_machine_status;

/* Counts of one instruction. */
typedef struct bw_machine_counts {
    uint64_t executed; /* warps: inst_executed */
    uint64_t threads;  /* lanes whose guard was true: thread_inst_executed_true */
    uint64_t requests; /* of shared memory, priced ones: what the sink got */
    uint64_t unknown;  /* requests not made, as an address or guard was unknown */
    uint64_t unpriced; /* requests for which there is no rule: other blocks' shared memory, ... */
    /* wgmma's own reads of shared memory, in quarters of a wavefront: a warp shows a quarter of the
     * warpgroup's 16 (A in shared memory) + N / 4. Measured on an H200 in 639 configurations. */
    uint64_t matrix_quarters;
    uint64_t skipped; /* branches on unknown data that were stepped over */
} bw_machine_counts;

typedef struct bw_machine_result {
    bw_machine_status status;
    bw_machine_counts *counts; /* one for each instruction */
    size_t count;
    uint64_t steps;                         /* warp instructions executed, without copies */
    uint64_t blocks;                        /* of the grid */
    uint64_t blocks_run;                    /* executed */
    bool sampled;                           /* the budget did not suffice: counts are estimates */
    bool folded;                            /* some block stood for several */
    uint64_t requests_least, requests_most; /* of a block that was run: the spread */
    bool approximate_matters; /* an approximate result (MUFU) reached an address or a branch */
    bool order_matters;       /* the order of atomics or races reached one                        */
    uint64_t unknown_stores; /* bytes of unknown value stored to a buffer that cannot say so      */
    bw_machine_need *needs;  /* each once, by instruction */
    size_t need_count;
} bw_machine_result;

/* Executes kernel `index`. The result is to be freed with bw_machine_result_finish, whatever its
 * status. Errors go into `diags`. */
bw_machine_result bw_machine_run(const bw_sass *sass, size_t index, const bw_machine_launch *launch,
                                 bw_diags *diags);
void bw_machine_result_finish(bw_machine_result *result);

/* ---- sums ---------------------------------------------------------------------------------- */

struct bw_tally;
/* A sink whose context is a struct bw_tally: adds each request to the row of its instruction. */
bool bw_machine_tally(void *tally, size_t ins, uint32_t warp, uint64_t block,
                      const bw_request *request, uint64_t copies);

#endif
