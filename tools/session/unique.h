/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unique: equal requests, each once.
 *
 * A set of requests in order of first appearance, with how often each was added. What lanes that
 * take no part have for addresses does not tell requests apart: it is kept as 0. It knows nothing
 * of where requests come from. Not thread-safe.
 */
#ifndef BANKWISE_UNIQUE_H
#define BANKWISE_UNIQUE_H

#include <stddef.h>

#include "request.h"

typedef struct bw_counted {
    bw_request request;
    uint64_t count;
} bw_counted;

/* Zero-initialise to begin. */
typedef struct bw_unique {
    bw_counted *items; /* malloc'd; [0, count) */
    size_t count, capacity;
    size_t *slots; /* index + 1 into items by hash; 0: free. Private. */
    size_t slot_count;
} bw_unique;

#define BW_UNIQUE_NONE SIZE_MAX

/* Adds `copies` to the request's count; returns its index, which stays the same. */
size_t bw_unique_add(bw_unique *set, const bw_request *request, uint64_t copies);
/* The request's index, or BW_UNIQUE_NONE. */
size_t bw_unique_find(const bw_unique *set, const bw_request *request);
/* How many different requests fit into `bytes`. */
size_t bw_unique_room(size_t bytes);
void bw_unique_finish(bw_unique *set);

#endif
