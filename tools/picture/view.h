/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view: the requests of a pattern that are worth showing, and where they were made.
 *
 * Runs the launches of a session and picks requests: of each access the worst one, or the K-th, or
 * every different one. It prices requests with the model and knows no picture and no output.
 * Memory grows with what is picked, not with what is run.
 */
#ifndef BANKWISE_VIEW_H
#define BANKWISE_VIEW_H

#include "session.h"

/* A request and where it comes from. */
typedef struct bw_view {
    const bw_launch *launch;
    size_t launch_index;
    const bw_access *access;
    size_t access_index;
    bw_request request;
    bw_cost cost;
    uint32_t warp;   /* from 0, as threadIdx says */
    uint64_t block;  /* linear, x fastest */
    uint64_t number; /* from 1, among those of this access that passed the filter */
    uint64_t of;     /* how many did */
    uint64_t equal;  /* how many were like this one: same operation, lanes and addresses; only
                        counted where all different ones are picked, else 0 */
} bw_view;

/* What to pick. Zero means no limit. */
typedef struct bw_view_filter {
    unsigned line;
    bool has_warp;
    uint32_t warp;
    uint64_t number; /* the K-th request of each access */
    bool all;        /* every different request */
} bw_view_filter;

/* Different requests of an access beyond these are counted, not kept. */
#define BW_VIEWS_MAX 256

typedef struct bw_views {
    bw_view *items; /* malloc'd; by launch, then place */
    size_t count, capacity;
    uint64_t dropped;  /* different requests beyond BW_VIEWS_MAX */
    uint64_t requests; /* that the filter by line let through, and the largest warp of them */
    uint32_t last_warp;
    uint64_t last_request; /* the largest number of a request of one access, by line and warp */
    bw_arena arena;        /* what requests point to */
} bw_views;

/* Runs all launches (a random pattern once, with its seed). False after an error, in the session's
 * diagnostics. bw_views_finish frees. */
bool bw_views_pick(bw_views *views, bw_session *session, const bw_view_filter *filter);
void bw_views_finish(bw_views *views);

/* The view with the most excessive wavefronts; of equal ones that with the most wavefronts, then
 * with the most lanes, then the first. Meaningful where there is a view. */
size_t bw_views_worst(const bw_views *views);

/* "warp 0, request 1 of 32", with the block where there are several. In `arena`. */
const char *bw_view_place(const bw_view *view, bw_arena *arena);

#endif
