/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gpu_program: finding and running bankwise-gpu.
 *
 * The program that holds the CUDA runtime is a process of its own (its licence and this program's
 * do not mix), fed and read through files that have no name. Nothing of what it measures is looked
 * at here. One run at a time.
 */
#ifndef BANKWISE_GPU_PROGRAM_H
#define BANKWISE_GPU_PROGRAM_H

#include "options.h"

/*
 * Runs `bankwise-gpu run` on the request stream in `requests` (from its beginning) and leaves the
 * recording in `recording`, rewound. The program is --gpu, or $BANKWISE_GPU, or the one beside this
 * program, or the one on the PATH.
 *
 * BW_EXIT_DONE; BW_EXIT_SKIPPED where there is no program or no card; BW_EXIT_USAGE where it
 * refused the requests; BW_EXIT_INTERNAL otherwise. All but the first were said on standard error,
 * skipping in one line. *program is its name, in the arena, or NULL where none was found.
 */
bw_exit bw_gpu_run(bw_arena *arena, const bw_args *args, FILE *requests, FILE *recording,
                   const char **program);

#endif
