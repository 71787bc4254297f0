/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reason: why a request costs more than its ideal, in words.
 *
 * Every sentence is checked against the request before it is said: a stride is named only where
 * its gcd gives the very degree that the model found; else the words and lanes that meet in one
 * bank are listed. It knows no report and no output. Pure but for the arena.
 */
#ifndef BANKWISE_REASON_H
#define BANKWISE_REASON_H

#include "arena.h"
#include "bankwise.h"

/* A sentence without its full stop, starting in lower case; NULL where the request has no excess
 * or where nothing certain can be said. It lives in `arena`. */
const char *bw_reason(bw_arena *arena, const bw_arch *arch, const bw_request *request);

/*
 * The distance in bytes between neighbouring active lanes of a phase (of a matrix operation:
 * between the rows of a matrix), where it is the same for all in every phase; phases may lie
 * anywhere. False where no phase has two lanes, or where it varies.
 */
bool bw_lane_stride(const bw_request *request, int64_t *bytes);

#endif
