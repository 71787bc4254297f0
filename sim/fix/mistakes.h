/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mistakes: what people get wrong when they fix bank conflicts.
 *
 * Looks through a pattern for fixes that do not do what they were written for, and warns at the
 * place. A suspicion comes from the source; where the warning says that something costs, the
 * corrected source is run and must cost less. Does no I/O. Run it after the pattern itself ran
 * well.
 *
 *   pad-stride     the rows are declared with padding, the index steps by the old row length
 *   swapped-index  every access has the indices in the same, wrong order: [x][y] for [y][x]
 *   half-swizzle   some accesses of an array are swizzled and others are not
 *   swizzle-unit   a swizzle of byte offsets is used on an element index, or the other way round
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_MISTAKES_H
#define BANKWISE_MISTAKES_H

#include "pattern.h"

/* The warnings, index 0 …; BW_MSG_COUNT past the end. */
bw_message_id bw_mistake_at(size_t index);

/*
 * Adds warnings about `pattern`, which was parsed from `source` under `options` and was run, to
 * diags. `excess` holds the excessive wavefronts of each access: nothing is run again for an array
 * without any. Of a random pattern only the source is looked at.
 */
void bw_find_mistakes(bw_program *pattern, const bw_source *source,
                      const bw_pattern_options *options, const uint64_t *excess, size_t count,
                      bw_diags *diags);

#endif
