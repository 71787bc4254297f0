/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cache: compiled kernels where other programs keep them: folders of files, and files that hold
 * cubins among other things.
 *
 *     Triton   NAME.cubin, and NAME.json with a block's warps and shared memory
 *     CuPy     HASH.cubin: a checksum, then the cubin
 *     Numba    index and data files with cubins in what Python wrote
 *
 * None of those forms is read: a cubin is found by how it begins and by its own tables, wherever it
 * lies, and nothing that Python wrote is executed. What is compressed is not found, as in the cache
 * of JAX 0.11. It runs no program; see binary.h for what follows.
 */
#ifndef BANKWISE_CACHE_H
#define BANKWISE_CACHE_H

#include "session.h"

/* Whether a cubin lies somewhere in the bytes, but not just at their beginning. */
bool bw_cache_is_container(const char *bytes, size_t len);

/*
 * Finds the cubin that --kernel and --arch mean in the session's input, a folder or such a file. It
 * is left in the temporary folder, *path, or where it is a file by itself. False after an error,
 * which was said: none, or several, with their list.
 */
bool bw_cache_find(bw_session *session, const char **path);

/* What a file beside a cubin says of its launches; all zero where there is none, or it says
 * nothing. */
bw_launch_choice bw_cache_launch(bw_arena *arena, const char *cubin);

#endif
