/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fix: what to write instead, proved by predicting it.
 *
 * Runs a pattern, searches for each of its shared arrays that has excess the layouts that cost
 * least, writes each as a change of the source, and runs the changed source. A proposal is kept
 * only if every request of the changed source is the old one with its addresses moved by one and
 * the same map, one to one: then every element that was written is still the one that is read. It
 * does no I/O; random numbers and table files come through the pattern's host.
 *
 * Ownership: a bw_fix owns everything in it until bw_fix_finish; the source must outlive it.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_FIX_H
#define BANKWISE_FIX_H

#include "rewrite.h"
#include "search.h"
#include "tally.h"

typedef struct bw_fix_options {
    bw_pattern_options pattern;
    bw_search_options search; /* max_growth is set from max_shared */
    const char *array;        /* only arrays of this name; NULL: all */
    size_t only;              /* only subject `only` - 1; 0: all */
    uint64_t max_shared;      /* bytes that a block may use; 0: what the card has */
    unsigned trials;          /* runs of a random pattern; at least 1 */
    /* Called before the trials of each launch; NULL: nothing is random. Series 0 is searched,
     * series 1 has other values: a gain must show there as well, or it was chance. */
    void (*reseed)(void *context, unsigned series);
    void *context;
} bw_fix_options;

/* One run of a whole pattern: all launches, all trials. */
typedef struct bw_fix_run {
    bw_tally *tallies; /* one a launch; rows by access index */
    uint32_t *shared;  /* bytes of shared memory of a block, one a launch */
    size_t launches;
    bw_counts total;
} bw_fix_run;

/* A change of the source, predicted. */
typedef struct bw_proposal {
    bw_layout layout;
    const char *title;  /* "pad the rows: [32][32] -> [32][33]" */
    const char *reason; /* a sentence that a reader can check */
    char *text;         /* the whole changed source */
    size_t len;
    bw_fix_run after;
    bool reaches_bound; /* no layout can cost less */
    uint64_t cycles;    /* of the array's requests */
    int64_t growth;     /* bytes of a block, in the launch where it is largest */
    uint32_t burden;
    bw_placement *places; /* private: of each launch */
    bw_program *pattern;  /* private: the changed source, parsed; its accesses for a report */
    bw_source source;     /* private */
    uint64_t *expected;   /* private: a hash of what each launch must ask */
} bw_proposal;

/* A kind of layout that would help but cannot be written here. */
typedef struct bw_obstacle {
    bw_layout_kind kind;
    const char *why;
    bw_span where;
} bw_obstacle;

/* How far the answer for an array goes. */
typedef enum bw_answer {
    BW_ANSWER_BEST,         /* the first proposal costs what no layout can better */
    BW_ANSWER_BEST_FOUND,   /* nothing in the space is better; the bound is lower */
    BW_ANSWER_NONE,         /* proof: as it is, it costs what no layout can better */
    BW_ANSWER_NONE_FOUND,   /* nothing in the space is better than as it is; the bound is lower */
    BW_ANSWER_NOT_WRITABLE, /* layouts that help exist, but not one could be written */
    BW_ANSWER_UNDECIDED, /* its requests ask other arrays too: changing it alone decides nothing */
} bw_answer;

/* A shared array of the pattern. */
typedef struct bw_subject {
    const char *name;
    const char *shape; /* "float tile[32][32]" */
    bw_span span;
    bw_counts before; /* of its requests */
    bw_search search;
    bw_proposal *proposals; /* malloc'd; by cycles, then bytes, then what there is to write */
    size_t count;
    bw_obstacle obstacles[BW_LAYOUT_KINDS];
    size_t obstacle_count;
    uint32_t group; /* subjects of one group change together; 0: it changes alone */
    bool solved;    /* it has excess and was asked for: what follows is filled */
    bw_answer answer;
    bool partial; /* some requests were not searched: too many, or of several arrays */
    bw_traffic traffic;
} bw_subject;

/* An access that asks a further array: its requests take lanes to several. */
typedef struct bw_further {
    uint32_t access, subject;
} bw_further;

typedef struct bw_fix {
    bw_arena arena;
    const bw_source *source;
    bw_fix_options options;
    bw_program *pattern; /* the source, parsed */
    bw_fix_run before;
    uint32_t *subject_of; /* by access: index into subjects, UINT32_MAX for none; malloc'd */
    size_t access_count;
    bw_further *also; /* malloc'd */
    size_t also_count, also_capacity;
    bw_subject *subjects; /* malloc'd; all arrays, in the order of launches and places */
    size_t count;
    bool interrupted;
} bw_fix;

/* False where the pattern has errors or a run fails (in diags). Finish it in any case. */
bool bw_fix_make(bw_fix *fix, const bw_source *source, const bw_fix_options *options,
                 bw_diags *diags);
void bw_fix_finish(bw_fix *fix);

/* The counts of one array's accesses in a run of the file or of a change of it. */
bw_counts bw_fix_counts(const bw_fix *fix, const bw_fix_run *run, const bw_subject *subject);
bool bw_fix_is_access_of(const bw_fix *fix, size_t access, const bw_subject *subject);
/* The same, of the subject with that index. */
bool bw_fix_is_access_at(const bw_fix *fix, size_t access, size_t subject);
/* Whether a launch has the array. */
bool bw_fix_in_launch(const bw_fix *fix, size_t launch, const bw_subject *subject);

/* Blocks that an SM can hold: by shared memory, by warps and by the card's limit on blocks. */
uint32_t bw_blocks_on_sm(const bw_arch *arch, uint32_t shared_bytes, uint32_t threads);

/* The name of a kind: "pad", "xor" … Static. */
const char *bw_layout_kind_name(bw_layout_kind kind);
/* The title and the reason of a layout of `array`, in words; in the arena. */
const char *bw_layout_title(bw_arena *arena, const bw_layout *layout, const bw_array *array);
const char *bw_layout_reason(bw_arena *arena, const bw_layout *layout, const bw_array *array);
/* "float tile[32][32]". */
const char *bw_array_shape(bw_arena *arena, const bw_array *array);

#endif
