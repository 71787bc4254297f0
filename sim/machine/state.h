/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * state: what a running kernel holds. For the files of this room alone.
 *
 * Owns the layout of warps, a block's shared memory and the machine around them. Unknown bits:
 * where bit l of `partly[slot]` is set, u[slot].v[l] has a 1 for every bit of lane l that is not
 * known, and that bit is 0 in v; elsewhere u is not to be looked at. Where bit l of `fully[slot]`
 * is set, all bits are unknown. `origin[slot]` numbers where the unknown came from
 * (machine.origins).
 *
 * Taint: what else a value depends on, by slot: the block's index in x, y, z (only while blocks are
 * folded), an approximate result, the order of atomics. Where `affine`, every lane's value is its
 * value in this block plus k . (other block's index - this one's), modulo 2^32.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_MACHINE_STATE_H
#define BANKWISE_MACHINE_STATE_H

#include "code.h"
#include "lanes.h"
#include "text.h"

#define BW_ALL UINT32_MAX

enum {
    BW_TAINT_X = 1,
    BW_TAINT_Y = 2,
    BW_TAINT_Z = 4,
    BW_TAINT_BLOCK = 7,
    BW_TAINT_APPROXIMATE = 8,
    BW_TAINT_ORDER = 16,
};

typedef struct bw_taint {
    uint8_t bits;
    bool affine;
    int32_t k[3];
} bw_taint;

typedef enum bw_group_state {
    BW_GROUP_READY,
    BW_GROUP_BSYNC,    /* waits at a BSYNC for the lanes of its barrier */
    BW_GROUP_WARPSYNC, /* waits at a WARPSYNC for a mask of lanes */
    BW_GROUP_BAR,      /* waits at a block's barrier */
    BW_GROUP_MBARRIER, /* waits for a phase of a barrier in shared memory */
} bw_group_state;

/* Lanes of a warp that run together. */
typedef struct bw_group {
    uint32_t mask;
    int32_t pc; /* index of the next instruction; of waiting ones that at which they wait */
    bw_group_state state;
    uint8_t barrier;
    uint32_t wanted; /* WARPSYNC: the mask; MBARRIER: which */
    uint64_t since;  /* steps of the warp when it began to run, for turns */
} bw_group;

typedef struct bw_warp {
    uint32_t index;
    bw_vec *v, *u; /* by slot */
    uint32_t *partly, *fully, *origin;
    bw_taint *taint;
    uint32_t p[BW_PREDICATES], pu[BW_PREDICATES], porigin[BW_PREDICATES];
    uint8_t ptaint[BW_PREDICATES];
    uint32_t b[16][BW_LANES]; /* convergence barriers: a lane's own mask of who takes part */
    uint32_t lanes, live;     /* that exist; that have not left */
    bw_group groups[BW_LANES];
    unsigned group_count;
    bw_vec tid[3];
    uint8_t *local, *local_unknown;   /* [byte / 4][lane][byte % 4]; grows downwards from the top */
    uint32_t local_size;              /* bytes a lane, a power of two */
    uint32_t bar_result, bar_unknown; /* of BAR.RED: predicate or count; whether it is unknown */
    uint32_t bar_count;
    uint64_t polls; /* loads of global memory in a row that found what they had found */
    uint32_t poll_pc, poll_hash;
} bw_warp;

#define BW_BARRIERS 16

/* A barrier of the block. */
typedef struct bw_bar {
    uint32_t *arrived;              /* lanes, by warp */
    uint32_t warps;                 /* that have arrived at all */
    uint32_t expected;              /* threads; 0: all that are there */
    uint32_t and_all, or_any, popc; /* of BAR.RED */
    bool unknown;
    bool used;
} bw_bar;

/* A barrier in shared memory: see mbarrier.c. */
typedef struct bw_mbarrier {
    uint32_t address;           /* bytes from the start of the block's shared memory */
    uint32_t expected, pending; /* arrivals of a phase, and those that are to come */
    uint32_t bytes;             /* that copies are still to bring before the phase ends */
    uint32_t copied;            /* that were last expected, more than any copy brings */
    bool odd;                   /* the parity of the phase */
} bw_mbarrier;

/* A request that waits until it is known for how many blocks it stands. */
typedef struct bw_stored_request {
    uint32_t ins, warp;
    bw_request request;
    size_t sources; /* 1 + its place among the machine's stored_sources; 0: none */
} bw_stored_request;

/* How many bytes of a constant bank there are at most. */
#define BW_BANK_BYTES 65536

typedef struct bw_constants {
    uint8_t *bytes, *known; /* malloc'd; known: one a byte, 0 or 255 */
    uint32_t size;
} bw_constants;

typedef struct bw_machine {
    const bw_sass *sass;
    const bw_function *function;
    bw_arena arena;
    bw_code code;
    const bw_lane_tools *tools;
    const bw_machine_launch *launch;
    const bw_arch *arch;
    unsigned cc;
    bw_diags *diags;
    bw_machine_result *result;
    bw_constants banks[8];
    uint32_t threads, warp_count;
    bw_warp *warps;
    bw_bar bars[BW_BARRIERS];
    bw_mbarrier *mbarriers; /* those that the block has initialised */
    size_t mbarrier_count, mbarrier_capacity;
    bool turn_over; /* the warp polls: others first */
    /* shared memory of the block; addresses of the machine begin at shared_base */
    uint8_t *shared, *shared_unknown;
    uint32_t *shared_origin; /* by word */
    uint32_t shared_size, shared_base;
    uint8_t shared_taint; /* of anything that was stored */
    uint32_t block[3];    /* the index of the block that runs */
    /* the blocks for which this run stands so far: low[d] <= index < high[d] */
    bool fold;
    uint32_t low[3], high[3];
    uint64_t copies; /* that a request made at once stands for */
    bool folded_out; /* collapsed to one block for good: requests go out at once */
    bw_stored_request *stored;
    size_t stored_count, stored_capacity;
    bw_sources *stored_sources;
    size_t sources_count, sources_capacity;
    bw_copy_state *copies_seen; /* what L1 holds of what the block's copies read */
    bw_machine_counts *block_counts;
    uint64_t block_requests;
    uint64_t steps, step_limit, block_steps;
    uint64_t progress;          /* counts what other warps could be waiting for */
    bw_machine_origin *origins; /* malloc'd; [0] is none */
    uint32_t origin_count, origin_capacity;
    uint32_t *ins_origin; /* by instruction: the latest origin there */
    bool exploring;       /* a need was met: runs on for other needs, counts no longer matter */
    uint64_t explore_limit;
    uint32_t *explored; /* by instruction: how often an unknown branch was met */
    bool stopped, failed;
    size_t last_buffer;
} bw_machine;

/* Upper words of generic addresses. Values as seen on a card; any that collide with no pointer do.
 */
#define BW_SHARED_WINDOW 0x7f52u
#define BW_LOCAL_WINDOW 0x7f53u
/* The stack pointer at the beginning. */
#define BW_STACK_TOP 0x00fffd00u

static inline uint32_t bw_unknown_bits(const bw_warp *w, uint32_t slot, int lane)
{
    return w->partly[slot] >> lane & 1 ? w->u[slot].v[lane] : 0;
}

/* Some lanes of a slot are known now. */
static inline void bw_known(bw_warp *w, uint32_t slot, uint32_t mask)
{
    w->partly[slot] &= ~mask;
    w->fully[slot] &= ~mask;
}

static inline bw_span bw_ins_span(const bw_machine *m, uint32_t ins)
{
    return m->function->ins[ins].span;
}

/* ---- exec.c ---- */
/* Runs a group until it waits, leaves, or its turn is over. False where the run must end. */
bool bw_exec_group(bw_machine *m, bw_warp *w, unsigned group, uint64_t turn);

/* ---- unknown.c ---- */
/* Makes lanes of a slot unknown. */
void bw_poison(bw_warp *w, uint32_t slot, uint32_t mask, uint32_t origin);
/* One lane's value, of which the bits in u are not known (and 0 in v). */
void bw_set_partial(bw_warp *w, uint32_t slot, int lane, uint32_t v, uint32_t u);
void bw_poison_pred(bw_warp *w, unsigned slot, uint32_t mask, uint32_t origin);
/* The evaluator of instruction i where some source is unknown. */
void bw_unknown_alu(bw_machine *m, bw_warp *w, const bw_ins *i, uint32_t mask, const bw_io *io,
                    const uint32_t in_unknown[2]);
/* All that i writes becomes unknown. */
void bw_unknown_results(bw_warp *w, const bw_ins *i, uint32_t mask, uint32_t origin);
/* The origin of the first unknown source of i. */
uint32_t bw_source_origin(const bw_warp *w, const bw_ins *i, uint32_t mask);
void bw_set_pred(bw_warp *w, unsigned slot, uint32_t mask, uint32_t bits, uint32_t unknown,
                 uint32_t origin);

/* ---- needs.c ---- */
uint32_t bw_origin_add(bw_machine *m, bw_machine_origin origin);
uint32_t bw_origin_made(bw_machine *m, bw_machine_from kind, uint32_t ins);
uint32_t bw_origin_load(bw_machine *m, uint32_t ins, bool has_address, uint64_t address);
void bw_need_add(bw_machine *m, bw_machine_need_kind kind, uint32_t ins, uint32_t origin);
/* An error at an instruction. Ends the run. */
bool bw_fail(bw_machine *m, bw_message_id id, uint32_t ins, const char *note, const char *format,
             ...) __attribute__((format(printf, 5, 6)));

/* ---- fold.c ---- */
/* A value with this taint decides something that matters. */
void bw_fold_matters(bw_machine *m, uint8_t bits);
void bw_fold_alu(bw_machine *m, bw_warp *w, const bw_ins *i, uint32_t mask, uint8_t bits);
/* Results of i that depend on `bits` in no known form. */
void bw_fold_results(bw_warp *w, const bw_ins *i, uint32_t mask, uint8_t bits);
uint8_t bw_fold_sources(const bw_warp *w, const bw_ins *i);
static inline void bw_set_taint(bw_warp *w, uint32_t slot, uint32_t mask, uint8_t bits)
{
    bool all = (w->live & ~mask) == 0;
    w->taint[slot] = (bw_taint){.bits = (uint8_t)(bits | (all ? 0 : w->taint[slot].bits))};
}

/* ---- special.c ---- */
void bw_exec_special(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask);
void bw_exec_ldc(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask);
/* Constant banks from the launch; fills the slots of a warp that hold constants. */
bool bw_constants_init(bw_machine *m);
void bw_constants_finish(bw_machine *m);
void bw_constants_fill(bw_machine *m, bw_warp *w);

/* ---- warpwide.c ---- */
void bw_exec_warpwide(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask, uint32_t group_mask);

/* ---- shared.c, global.c, atoms.c ---- */
typedef struct bw_addresses {
    uint64_t a[BW_LANES]; /* global, local, constants */
    bw_vec s;             /* shared: bytes from the start of the block's; 0 for inactive lanes */
    uint32_t unknown;     /* lanes whose address is not known */
    uint32_t far;         /* shared: lanes that mean another block's */
    uint32_t origin;
    uint8_t taint;
} bw_addresses;
void bw_address(const bw_warp *w, const bw_ins *i, uint32_t mask, bool wide, bw_addresses *out);
bool bw_exec_shared(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask);
/* Fills s and checks it; from the instruction's address, or from a. False ends the run. */
bool bw_shared_address(bw_machine *m, const bw_warp *w, uint32_t at, uint32_t mask, uint32_t size,
                       bw_addresses *out);
/* The lanes that mean this block's; the others are done with. */
uint32_t bw_shared_near(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask, bw_addresses *where);
bool bw_shared_from_generic(bw_machine *m, uint32_t at, uint32_t mask, uint32_t size,
                            bw_addresses *where);
bool bw_exec_generic_shared(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask,
                            bw_addresses *where);
bool bw_exec_global(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask);
bool bw_exec_local(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask);
bool bw_exec_atom(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask);
bool bw_exec_atoms(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask);
void bw_exec_load_result(bw_warp *w, const bw_ins *i, unsigned lane, const uint8_t *bytes,
                         const uint8_t *unknown);
/* Makes the request for lanes at addresses (relative to the machine's window); false ends the run.
 */
bool bw_request_make(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask,
                     const bw_addresses *addresses);
/* Gives stored request k to the sink, for so many blocks. */
bool bw_request_pass(bw_machine *m, size_t k, uint64_t copies);
/* Everything in shared memory may have changed. */
void bw_shared_unknown(bw_machine *m, uint32_t origin);
/* `size` bytes of a lane's store value. */
void bw_store_value(const bw_warp *w, const bw_ins *i, unsigned source, unsigned lane,
                    uint8_t *bytes, uint8_t *unknown);
/* Global memory that is given: where [address, address + size) lies; NULL where it is not. */
const bw_machine_buffer *bw_global_find(bw_machine *m, uint64_t address, uint32_t size);
void bw_global_read(bw_machine *m, uint64_t address, uint32_t size, uint8_t *bytes,
                    uint8_t *unknown, bool *found);
void bw_global_write(bw_machine *m, uint64_t address, uint32_t size, const uint8_t *bytes,
                     const uint8_t *unknown);
/* old op value, as an atomic leaves it. */
uint64_t bw_atom_apply(const bw_ins *i, uint64_t old, uint64_t value, uint64_t swap);

/* ---- mbarrier.c ---- */
void bw_mbarriers_reset(bw_machine *m);
void bw_exec_syncs(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask);
/* *barrier is the one whose phase has not ended, -1 where the wait is over. False ends the run. */
bool bw_mbarrier_wait(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask, int *barrier);
/* Where nothing goes on: whether some wait was ended that others end in time. */
bool bw_mbarriers_force(bw_machine *m);
void bw_exec_bulk(bw_machine *m, bw_warp *w, uint32_t at);

/* ---- control.c ---- */
typedef enum bw_flow { BW_FLOW_NEXT, BW_FLOW_JUMP, BW_FLOW_SWITCH, BW_FLOW_END } bw_flow;
/* Control instructions. NEXT: go on after it; JUMP: g->pc is set; SWITCH: the group waits, has left
 * or was split, look for another; END: the run ends. */
bw_flow bw_exec_control(bw_machine *m, bw_warp *w, unsigned group);
void bw_group_remove(bw_warp *w, unsigned group);
/* Lets go who waits for what has come true. */
void bw_warp_release(bw_machine *m, bw_warp *w);

/* ---- block.c ---- */
bool bw_block_init(bw_machine *m);
void bw_block_finish(bw_machine *m);
/* Runs the block m->block; false where the run must end. */
bool bw_block_run(bw_machine *m);
bool bw_bar_arrive(bw_machine *m, bw_warp *w, unsigned id, uint32_t count, uint32_t lanes);
void bw_bars_release(bw_machine *m);

#endif
