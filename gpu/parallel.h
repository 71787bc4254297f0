/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parallel: a loop on all cores.
 *
 * Owns the threads it starts; they have ended when it returns. What the work does is the caller's
 * business, and so is that two stretches do not touch the same data.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_PARALLEL_H
#define BANKWISE_PARALLEL_H

#include <stddef.h>

/* More than this many threads are never started. */
#define BW_MAX_THREADS 256u

/* Cores that this process may use. */
unsigned bw_cores(void);

/* Calls work(context, thread, begin, end) for consecutive stretches of 0 … count-1, each on a
 * thread of its own (thread: 0 … threads-1), and waits. Where a thread cannot be started, its
 * stretch is done by the caller. */
void bw_parallel(unsigned threads, size_t count, void *context,
                 void (*work)(void *context, unsigned thread, size_t begin, size_t end));

#endif
