/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bankwise: what a warp's shared-memory request costs on an NVIDIA card.
 *
 * The model as a C library. It owns the table of architectures, the cost of a request, the schedule
 * that explains the cost, and the profiler counters derived from it. It knows no file, no terminal,
 * no pattern language and no CUDA. Everything is a pure function of its arguments: no I/O, no
 * global state, no allocation; any function may be called from any thread. An architecture that is
 * NULL, as bw_arch_find answers to a name that it does not know, is an error and no crash; other
 * pointers must not be NULL.
 *
 * Words: a *word* is 4 bytes and word w lies in bank w mod 32; a *wavefront* is one pass of the
 * banks; a *phase* is the group of lanes the hardware serves together. See docs in README.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_H
#define BANKWISE_H

#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How far a number may be trusted. Every report names it. */
typedef enum bw_basis {
    BW_BASIS_MEASURED,   /* this rule was measured on this architecture                         */
    BW_BASIS_ASSUMED,    /* measured on another architecture, or by analogy to a measured rule  */
    BW_BASIS_DOCUMENTED, /* as NVIDIA's documents state; never measured by this project         */
} bw_basis;

/* The rules an architecture follows. */
typedef enum bw_rules {
    BW_RULES_CC1,     /* 16 banks, half-warps, one broadcast word a step                        */
    BW_RULES_FERMI,   /* 32 banks of 4 bytes, multicast, half-warps for 8 bytes                 */
    BW_RULES_KEPLER4, /* 32 banks of 8 bytes addressed in 4-byte mode                           */
    BW_RULES_KEPLER8, /* 32 banks of 8 bytes in 8-byte mode                                     */
    BW_RULES_MODERN,  /* compute capability 5.0 and later, as measured (bw_card)                */
} bw_rules;

/* One card family. Strings are static. Sizes are bytes. */
typedef struct bw_arch {
    const char *name; /* "sm_90" */
    uint16_t cc;      /* compute capability * 10: 90 */
    bw_rules rules;
    uint8_t banks;             /* 16 or 32 */
    uint8_t bank_bytes;        /* 4 or 8 */
    uint32_t shared_per_block; /* the most a block can have, opt-in included */
    uint32_t shared_static;    /* the most nvcc lets static arrays of a block have */
    uint32_t shared_per_sm;
    uint32_t shared_reserved;  /* what the system takes of each block, for occupancy */
    uint16_t warps_per_sm;     /* resident warps an SM holds */
    uint16_t blocks_per_sm;    /* resident blocks an SM holds */
    const char *rules_source;  /* where the banking rules come from */
    const char *limits_source; /* where the sizes come from */
} bw_arch;

/* The architecture called `name` ("sm_90"; from there on "sm_90a" and "sm_120f" too), or NULL. */
const bw_arch *bw_arch_find(const char *name);

/* Architectures in order of compute capability: index 0 … bw_arch_count() - 1; NULL past the end.
 */
size_t bw_arch_count(void);
const bw_arch *bw_arch_at(size_t index);

/* What is taken where nobody names an architecture. */
#define BW_DEFAULT_ARCH "sm_90"

/* A card on which this project measured rules. Strings are static. */
typedef struct bw_card {
    uint16_t cc;            /* its compute capability * 10 */
    const char *arch;       /* "sm_90" */
    const char *name;       /* "NVIDIA H200" */
    const char *recordings; /* the folder of what was recorded there */
    const bool *measured;   /* by bw_op: whether the recordings cover the operation's rule */
} bw_card;

/* Measured cards in order of compute capability: from index 0; NULL past the end. */
const bw_card *bw_card_at(size_t index);
/* The card of `arch`'s compute capability that was measured, or NULL. */
const bw_card *bw_card_of(const bw_arch *arch);

typedef enum bw_status {
    BW_OK = 0,
    BW_UNSUPPORTED, /* the architecture has no such operation                                    */
    BW_MISALIGNED,  /* an active lane's address, or source, is no multiple of the operation's bytes
                     */
    BW_NO_LANES,    /* no lane takes part: such an instruction makes no request                 */
    BW_INVALID,     /* an operation outside the enumeration, no architecture or no visitor, or a */
                    /* source of more bytes than the operation moves */
    BW_OVERFLOW,    /* more requests than can be counted (tallies only)                          */
} bw_status;

/*
 * What one request costs.
 *
 * wavefronts >= ideal; wavefronts - ideal = excess_layout + excess_serial. excess_serial is what
 * would remain if every distinct word had a bank of its own (equal words that an atomic or an
 * asynchronous copy serialises: no layout cures it); excess_layout is the rest.
 *
 * On older architectures `degree` is what NVIDIA's guides call n-way: on Kepler the bank rows of 8
 * bytes that a phase asks of one bank, on Fermi one more for a 16-byte access, on compute
 * capability 1.x the steps of a half-warp. Where the guide leaves a choice to the card (the
 * broadcast word of 1.x) the count is the least that its rule allows. Fermi's extra way and 1.x's
 * single broadcast are excess_serial.
 */
typedef struct bw_cost {
    uint32_t wavefronts;
    uint32_t ideal;
    uint32_t cycles; /* wavefronts, or the floor of wide loads and 64-bit atomics if larger */
    uint32_t degree; /* largest number of distinct words one phase asks of one bank; 1 is free */
    uint32_t phases; /* phases that have an active lane (loops: of the first round's load) */
    uint32_t rounds; /* rounds of a compare-and-swap loop; 1 for everything else */
    uint32_t excess_layout;
    uint32_t excess_serial;
    bool merged;   /* lane pairs merged: halves or quarters were served together */
    bool at_least; /* a copy whose sources are not known: its destinations alone, so perhaps more */
    /* Of a copy through L1 whose sources are known: the passes in which L1 looks up its lines; 0
     * for everything else. Then `wavefronts` counts the banks of sources as well as of
     * destinations. */
    uint8_t passes;
    /*
     * A loop on 8 bytes in which both halves of the warp share an address goes by values, which a
     * request does not carry: `wavefronts` is its cost where every swap leaves the value as it was
     * (adding 0), this where every swap changes it, so that the later half fails and goes round
     * again. Equal to wavefronts for everything else. Measured: gpu/MEASURED.md, gpu-loops.csv.
     */
    uint32_t wavefronts_changing;
    bw_basis basis;
} bw_cost;

/*
 * Computes the cost of `request` on `arch` into *cost. On anything but BW_OK, *cost is zeroed.
 * Adding a multiple of bw_period bytes to all addresses changes nothing as long as they stay
 * aligned.
 */
bw_status bw_cost_of(const bw_arch *arch, const bw_request *request, bw_cost *cost);

/*
 * Computes the costs of `count` requests into costs[0 … count-1], as bw_cost_of does one by one and
 * to the bit the same, at the speed of the memory that the requests lie in where they are many and
 * of few operations. `statuses` may be NULL; else statuses[i] is what bw_cost_of would return.
 * Returns how many are not BW_OK; their costs are zeroed. `requests` and `costs` must not overlap.
 * Where the processor has AVX2, it is used.
 */
size_t bw_cost_batch(const bw_arch *arch, const bw_request *requests, size_t count, bw_cost *costs,
                     bw_status *statuses);

/*
 * What L1 holds of the lines that copies read, as far as it is known: the caller's, one for each
 * block, which starts with nothing in L1 (or, `warm`, with everything). Recordings reach to about
 * 200 lines; beyond that L1 may let go of some, which is not modelled. Private but for its size.
 */
#define BW_COPY_LINES 2048u /* 256 KiB, all of the largest L1 so far; then it starts anew */
#define BW_COPY_SLOTS 4096u
typedef struct bw_copy_state {
    bool warm;
    uint32_t lines;
    uint64_t line[BW_COPY_SLOTS];
    uint8_t sectors[BW_COPY_SLOTS]; /* one bit each; 0: the slot is free */
} bw_copy_state;

/* Starts a block. */
void bw_copy_start(bw_copy_state *state, bool warm);
/* Sets sources->cached, the lanes of the copy whose line is there as far as it is wanted, and notes
 * what the copy asks for. To be called for each copy through L1, in order. */
void bw_copy_touch(bw_copy_state *state, const bw_request *request, bw_sources *sources);

/*
 * The wavefronts of a request at several places of the arrays that it copies from, where those are
 * not known: wavefronts[0] is bw_cost.wavefronts, with arrays at multiples of 4 GiB, the others at
 * multiples of 256 bytes. All the same for every other request.
 */
#define BW_PLACES 16u
#define BW_ARRAY_SHIFT                                                                             \
    40 /* where the number of an array begins in an address that is not placed                     \
        */
bw_status bw_copy_places(const bw_arch *arch, const bw_request *request,
                         uint32_t wavefronts[BW_PLACES]);

/* By how many bytes (or a multiple) all addresses can move without any change of cost: the width of
 * a bank; in Kepler's 4-byte mode 256, as words i and i + 32 share a row of an aligned segment. 0
 * without an architecture. */
uint32_t bw_period(const bw_arch *arch);

/* What a group of lanes of a copy whose sources are known has in common. */
typedef enum bw_service {
    BW_SERVICE_PASS,   /* one tag pass took them, and their lines are not in L1 */
    BW_SERVICE_CACHED, /* their lines are in L1, or they read nothing */
    BW_SERVICE_ZERO,   /* they read nothing, and nothing is in L1 that others read */
} bw_service;

/* One wavefront of the schedule. A bank serves one word at most (on Kepler one 8-byte row). */
typedef struct bw_wavefront {
    uint32_t index; /* 0 … wavefronts - 1 */
    uint32_t phase; /* which phase of the request (or of the round) it belongs to */
    uint32_t round; /* round of a compare-and-swap loop, else 0 */
    uint32_t pass;  /* compare-and-swap: 0 reads, 1 swaps; else 0 */
    uint32_t lanes; /* lanes served (a wide access may be served in several wavefronts) */
    uint32_t bank_lanes[BW_LANES]; /* lanes served by each bank; 0: the bank idles */
    uint32_t bank_word[BW_LANES];  /* the word (address / 4) each busy bank gives or takes */
    /* Of a copy whose sources are known, else 0: */
    uint32_t group; /* which group of lanes, in the order of service, and what it has in common */
    bw_service service;
    uint32_t source_lanes[BW_LANES]; /* lanes that read from each bank of L1 */
} bw_wavefront;

/*
 * Calls visit(context, wavefront) for each wavefront of the request in order; exactly
 * bw_cost.wavefronts calls. Which of several colliding words goes first is not documented: the
 * schedule takes them in the order of their lowest lane. Stops early if visit returns false.
 * Supported for BW_RULES_MODERN, _FERMI and _KEPLER*; BW_UNSUPPORTED elsewhere. Of Fermi's 16-byte
 * accesses, each phase ends with a wavefront without lanes: the guide documents the extra pass but
 * not what it serves; of wgmma that is not known at all, so BW_UNSUPPORTED. A compare-and-swap
 * reads (pass 0) and then swaps (pass 1); in a loop, pass 0 is the load and pass 1 the two
 * wavefronts that the winners' swaps take in each phase. Of such a swap by itself, `lanes` has the
 * losers too: they are told.
 */
typedef bool (*bw_visit)(void *context, const bw_wavefront *wavefront);
bw_status bw_schedule(const bw_arch *arch, const bw_request *request, bw_visit visit,
                      void *context);

/*
 * What Nsight Compute shows for one request, by the names its users know. Matched against
 * recordings of Nsight Compute 2025.3 on sm_90; see tests/recorded. BW_UNSUPPORTED before sm_70,
 * where Nsight Compute does not run.
 */
typedef struct bw_ncu {
    uint32_t wavefronts;      /* l1tex__data_pipe_lsu_wavefronts_mem_shared.sum: 0 of a copy */
                              /* past L1, which it does not see                              */
    uint32_t conflicts;       /* l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum          */
    uint32_t sass_wavefronts; /* memory_l1_wavefronts_shared                                 */
    uint32_t sass_ideal;      /* memory_l1_wavefronts_shared_ideal                           */
    bool sass_exact;          /* false where the tool's own arithmetic is not known to us    */
    bool hw_exact;            /* false where the hardware's count is not settled             */
} bw_ncu;
bw_status bw_ncu_of(const bw_arch *arch, const bw_request *request, bw_ncu *ncu);

/* Whether the rule for `op` on `arch` was measured, assumed or documented. */
bw_basis bw_basis_of(const bw_arch *arch, bw_op op);
/* The same as a word: "measured", "assumed", "documented". Static storage. */
const char *bw_basis_name(bw_basis basis);
/* A status as a sentence fragment: "misaligned address". Static storage. */
const char *bw_status_text(bw_status status);

#ifdef __cplusplus
}
#endif
#endif
