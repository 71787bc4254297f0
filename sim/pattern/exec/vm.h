/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vm: runs a launch's code, warp by warp, and hands its requests to a sink.
 *
 * vm.c owns the state of blocks and warps and the control flow; vm_ops.c computes values;
 * vm_request.c makes requests; vm_memory.c reads and writes memory. Internal to sim/pattern. One vm
 * a launch and thread.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_VM_H
#define BANKWISE_VM_H

#include "block.h"
#include "code.h"
#include "image.h"

#define BW_FOR_LANES(l) for (int l = 0; l < BW_LANES; l++)

/* A value for each lane. In a uniform register only element 0 counts, and `unknown` is 0 or ~0. */
typedef struct bw_reg {
    union {
        int32_t i[BW_LANES];
        uint32_t u[BW_LANES];
        int64_t l[BW_LANES];
        uint64_t q[BW_LANES];
        float f[BW_LANES];
        double d[BW_LANES];
    };
    uint32_t unknown; /* lanes whose value is not known */
    uint32_t origin;  /* where that came from: index into the code's unknowns */
    uint32_t home;    /* variables: the lanes active where it was declared */
    bool uniform;
} bw_reg;

typedef struct bw_frame {
    uint32_t saved;   /* active lanes before */
    uint32_t other;   /* IF: lanes for ELSE; SWITCH: lanes for default */
    uint32_t gone;    /* lanes that broke out (LOOP, SWITCH) or returned (FUNC) */
    uint32_t resting; /* LOOP: lanes that continued; SWITCH: lanes that wait for their label */
    uint32_t turns;   /* LOOP: how often it began again */
    uint32_t reg;     /* SWITCH: the value */
    uint32_t table;
} bw_frame;

#define BW_MAX_FRAMES 512

typedef struct bw_warp {
    bw_reg *regs;
    uint8_t *local;         /* words of lanes side by side: see vm_memory.c */
    uint32_t *local_state;  /* by byte: lanes where it is unknown */
    uint32_t *local_origin; /* by word */
    bw_frame frames[BW_MAX_FRAMES];
    uint8_t kinds[BW_MAX_FRAMES]; /* the bw_opcode that pushed each */
    uint32_t depth;
    uint32_t pc;
    uint32_t mask;   /* active lanes */
    uint32_t off;    /* lanes away: broken out, continued or returned */
    uint32_t all;    /* lanes the warp has */
    uint32_t exited; /* lanes that returned from the kernel */
    uint32_t index;  /* in the block */
    uint32_t phase;  /* barriers that it passed */
    bw_turn turn;    /* its barrier: the instruction after it */
    bw_span barrier; /* where it waits */
} bw_warp;

typedef struct bw_joiner bw_joiner;
typedef struct bw_races bw_races;

typedef struct bw_vm {
    const bw_code *code;
    const bw_source *source;
    const bw_lines *lines; /* of the source */
    bw_arena *arena;
    bw_sites *sites;
    bw_diags *diags;
    bw_span span; /* the launch */
    const bw_host *host;
    const bw_sink *sink;
    bw_joiner *joiner;    /* see vm_join.h */
    bool joining;         /* it wants to see requests */
    bw_access **accesses; /* the pattern's list, grown here */
    size_t *access_count, *access_capacity;
    bw_warp *warps;
    uint32_t warp_count;
    bw_image shared;
    bw_shape shape;
    uint32_t block_index[3];
    uint64_t block, copies;
    bw_block_sample sample;
    bw_run *run;
    unsigned laws; /* assumptions being evaluated, one for the sake of another */
    uint64_t steps, max_steps;
    bw_races *races; /* see vm_race.h */
    bool racing;     /* they want to see requests */
    bool *stored_to; /* by object: its given content no longer holds */
    bool overflowed; /* reported once a run */
    bool failed;     /* an error that ends the run */
    bool stopped;    /* the sink wants no more */
} bw_vm;

/* vm_ops.c: one value instruction of a warp. False if it is none of them. */
bool bw_vm_value(bw_vm *vm, bw_warp *w, const bw_ins *i);
void bw_reg_spread(bw_reg *r, bw_class cls); /* uniform to one value a lane */
uint32_t bw_reg_truth(const bw_reg *r);      /* lanes where an int32 is not 0 */
void bw_reg_set(bw_reg *r, bw_class cls, int64_t integer, double real);

/* vm_request.c: from addresses to requests. */
/* The lanes of an instruction by where their addresses point. */
typedef struct bw_places {
    uint64_t address[BW_LANES];
    uint32_t offset[BW_LANES]; /* within its space */
    uint32_t shared, local, object, bad;
    uint32_t object_index; /* of the lowest object lane */
} bw_places;

/* Sorts the lanes of `a` by space. */
void bw_find_places(const bw_vm *vm, const bw_reg *a, uint32_t lanes, bw_places *p);
/* The common case, fast: every active lane points into shared memory. */
bool bw_all_shared(const bw_reg *a, uint32_t lanes, uint32_t *offset);
/* Checks the request of instruction `i` and hands it on. False if it is impossible (reported). */
bool bw_make_request(bw_vm *vm, const bw_warp *w, const bw_ins *i, uint32_t lanes,
                     const uint32_t *offset);
/* Hands a request of site `site` to the sink. */
void bw_deliver(bw_vm *vm, uint32_t site, uint32_t warp, const bw_request *request);
/* Notes that accesses of the site can be joined to `op`. */
void bw_mark_joins(bw_vm *vm, uint32_t site, bw_op op);
/* Each place reports one error. */
void bw_report_unknown_address(bw_vm *vm, const bw_warp *w, const bw_ins *i, const bw_reg *a,
                               uint32_t lanes);
void bw_report_bad(bw_vm *vm, const bw_warp *w, const bw_ins *i, const bw_places *p);
/* A matrix instruction under a branch. */
void bw_report_matrix_lanes(bw_vm *vm, const bw_warp *w, const bw_ins *i);

static inline bw_site *bw_vm_site(bw_vm *vm, const bw_ins *i)
{
    return &vm->sites->items[i->site];
}

static inline int bw_lowest_lane(uint32_t lanes)
{
    return __builtin_ctz(lanes);
}

/* vm_memory.c: memory instructions and the values in memory. */
void bw_vm_memory(bw_vm *vm, bw_warp *w, const bw_ins *i);

/* vm.c */
/* Evaluates an assumption for each lane's element index, into value (floating elements) or integer.
 */
void bw_vm_law(bw_vm *vm, bw_warp *w, const bw_object *o, const int64_t *index, uint32_t lanes,
               double *value, int64_t *integer);
/* vm->shared.size says how much shared memory a block has; vm->run is filled. */
bool bw_vm_run(bw_vm *vm, bool scale, size_t max_memory, bw_span span);
/* Reports at a place; the run goes on unless the caller sets vm->failed. */
bw_diagnostic *bw_vm_error(bw_vm *vm, bw_message_id id, bw_span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Says where an unknown value came from and what would define it. */
void bw_vm_explain_unknown(bw_vm *vm, bw_diagnostic *d, uint32_t origin);

#endif
