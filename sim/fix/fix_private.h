/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fix_private: what fix.c (proposals) and prove.c (runs) share. Internal to sim/fix.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_FIX_PRIVATE_H
#define BANKWISE_FIX_PRIVATE_H

#include "fix.h"

#define BW_NO_SUBJECT UINT32_MAX

/* The arrays of each launch of a pattern, and the subject each is part of. */
typedef struct bw_atlas {
    const bw_array *arrays;
    size_t count;
    uint32_t *subject, *instance; /* by array; in the fix's arena */
} bw_atlas;

typedef struct bw_recorder {
    bw_fix *fix;
    bw_atlas *launches;   /* malloc'd */
    bw_subject *subjects; /* all arrays; malloc'd */
    size_t count, capacity;
} bw_recorder;

/* A run's tallies, one a launch; its total; its end. */
void bw_fix_run_begin(bw_fix_run *run, const bw_program *pattern, const bw_arch *arch);
void bw_fix_run_end(bw_fix_run *run);
void bw_fix_run_finish(bw_fix_run *run);

/* Finds the arrays of all launches; rec->fix is set, and its pattern parsed. */
void bw_recorder_begin(bw_recorder *rec);
/* Runs the file: fills fix->before and the traffic of each array. False after an error, in diags.
 */
bool bw_fix_record(bw_recorder *rec, bw_diags *diags);

/* Runs the file again, for what each proposal of an array must ask for in its changed file. */
bool bw_fix_expect(bw_recorder *rec, uint32_t subject, bw_proposal *proposals, size_t count);
/* Whether a layout of `array` is one of `other` as well: both hold the struct that changes. */
bool bw_fix_is_shared(const bw_layout *layout, const bw_array *array, const bw_array *other);
/* Whether two subjects are of one group, or one. */
bool bw_fix_is_with(const bw_subject *s, const bw_subject *other);
/* Runs the changed file. False where it is not the old program with its data moved. */
bool bw_fix_verify(bw_fix *fix, bw_proposal *proposal);
/* Drops from an array's search what other random values do not confirm. */
void bw_fix_drop_chance(bw_fix *fix, bw_recorder *rec, bw_subject *subject, uint32_t index);

#endif
