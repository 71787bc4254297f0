/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tally_run: prices traces, by several threads.
 *
 * The totals are the same whatever the number of threads. Whichever thread has nothing to do takes
 * the next file, or, where all are taken, helps with one: reading goes in turns, pricing side by
 * side. Memory does not depend on the length of traces.
 */
#ifndef BANKWISE_TALLY_RUN_H
#define BANKWISE_TALLY_RUN_H

#include "message.h"
#include "totals.h"

#define BW_TALLY_MOST_THREADS 256u

/* What is wrong with a file. */
typedef struct bw_tally_problem {
    const char *error, *note; /* malloc'd; NULL: nothing */
    bw_message_id id;
} bw_tally_problem;

typedef struct bw_tally_progress {
    uint64_t requests;  /* priced */
    uint64_t bytes, of; /* of the files as they lie there; 0 where that is not known */
    double seconds;
} bw_tally_progress;

typedef struct bw_tally_job {
    const bw_arch *arch;
    const char *const *files;
    size_t file_count;
    unsigned threads;
    void (*progress)(const bw_tally_progress *progress, bool last); /* NULL: nobody watches */
} bw_tally_job;

/* Adds what the files cost to *totals; problems[i] is what is wrong with files[i]. What was read of
 * it before is in the totals. False where anything is wrong. */
bool bw_tally_run(const bw_tally_job *job, bw_totals *totals, bw_tally_problem *problems);
/* Frees the texts. */
void bw_tally_problem_finish(bw_tally_problem *problem);

#endif
