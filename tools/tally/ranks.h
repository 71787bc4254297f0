/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ranks: the processes that tally together.
 *
 * With the Meson option `mpi`, those that mpirun started; else this one alone. Owns MPI from its
 * beginning to its end, and knows nothing of what is sent. One thread at a time.
 */
#ifndef BANKWISE_RANKS_H
#define BANKWISE_RANKS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct bw_ranks {
    unsigned rank, count; /* from 0 */
} bw_ranks;

/* To be called once, before the others. */
bw_ranks bw_ranks_begin(void);
/* Sends a text from each rank to rank 0, which gets them all: texts[r], malloc'd, with a zero byte
 * after them. On other ranks nothing is filled. */
void bw_ranks_gather(const bw_ranks *ranks, const char *text, size_t len, char **texts,
                     size_t *lens);
/* The largest of the ranks' numbers, on all of them. */
int bw_ranks_most(const bw_ranks *ranks, int number);
void bw_ranks_end(const bw_ranks *ranks);

#endif
