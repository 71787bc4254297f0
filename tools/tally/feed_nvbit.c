/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text that NVBit's tool mem_trace prints, among what the program itself prints:
 *
 *     MEMTRACE: CTX 0x... - LAUNCH - Kernel pc 0x... - Kernel name NAME - grid launch id N - grid
 *         size X,Y,Z - block size X,Y,Z - nregs N - shmem N - cuda stream id N      (one line)
 *     MEMTRACE: CTX 0x... - grid_launch_id N - CTA X,Y,Z - warp N - OPCODE - 0x... (32 addresses)
 *
 * It does not say which lanes are active, so all threads of the warp are taken to be; it has no
 * address of the instruction, so instructions of a kernel are told by their opcode.
 */
#define _GNU_SOURCE /* memmem */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "feed_private.h"

#define FIRST "MEMTRACE: "
#define MOST_LAUNCHES                                                                              \
    64 /* that are remembered; launches may overlap, and seldom more than a few                    \
        */

typedef struct launch {
    uint64_t id;
    char *kernel; /* malloc'd; NULL: none here */
    uint64_t grid[3], threads;
} launch;

typedef struct trace {
    launch launches[MOST_LAUNCHES];
    unsigned next;
} trace;

static bool is_trace(const char *start, size_t len)
{
    return memmem(start, len, FIRST, sizeof FIRST - 1) != NULL ||
           memmem(start, len, "NVBit (NVidia Binary Instrumentation Tool", 41) != NULL;
}

static bool open_trace(bw_feed *feed)
{
    feed->state = bw_calloc(1, sizeof(trace));
    feed->guesses_lanes = true;
    return true;
}

static void close_trace(bw_feed *feed)
{
    trace *t = feed->state;
    for (unsigned i = 0; t && i < MOST_LAUNCHES; i++)
        free(t->launches[i].kernel);
}

static int bad_line(bw_feed *feed, const char *what)
{
    return bw_feed_fail(feed, true, BW_MSG_TRACE_LINE, "is the file whole?", "%s", what);
}

/* What follows `name` in the line. */
static const char *after(const char *line, const char *name)
{
    const char *at = strstr(line, name);
    return at ? at + strlen(name) : NULL;
}

static int read_launch(bw_feed *feed)
{
    trace *t = feed->state;
    const char *name = after(feed->line, "Kernel name "), *end = NULL;
    uint64_t block[3];
    for (const char *at = name; at && (at = strstr(at, " - grid launch id ")); at++)
        end = at; /* the last: a name may hold anything */
    launch found = {.threads = 0};
    const char *grid = end ? after(end, " - grid size ") : NULL;
    const char *threads = end ? after(end, " - block size ") : NULL;
    if (!grid || !threads || !bw_read_three(grid, found.grid) || !bw_read_three(threads, block))
        return bad_line(feed, "the launch does not say its kernel, grid and block");
    found.id = strtoull(end + strlen(" - grid launch id "), NULL, 10);
    found.threads = block[0] * block[1] * block[2];
    found.kernel = bw_alloc((size_t)(end - name) + 1);
    memcpy(found.kernel, name, (size_t)(end - name));
    found.kernel[end - name] = '\0';
    launch *to = &t->launches[t->next++ % MOST_LAUNCHES];
    free(to->kernel);
    *to = found;
    return 0;
}

static const launch *launch_of(const trace *t, uint64_t id)
{
    for (unsigned i = 0; i < MOST_LAUNCHES; i++)
        if (t->launches[i].kernel && t->launches[i].id == id)
            return &t->launches[i];
    return NULL;
}

/* The lanes of a warp that are threads of the block. */
static uint32_t lanes_of(const launch *from, uint64_t warp)
{
    if (!from || from->threads >= (warp + 1) * BW_LANES || from->threads <= warp * BW_LANES)
        return UINT32_MAX;
    return (1u << (from->threads - warp * BW_LANES)) - 1;
}

static int take_event(bw_feed *feed, bw_feed_batch *batch, const char *opcode,
                      const char *addresses, const launch *from, const uint64_t block[3],
                      uint64_t warp)
{
    bw_sass_event event = {opcode, bw_sass_of(feed, opcode, true), lanes_of(from, warp), {0}, 0, 0};
    if (event.sass.class == BW_SASS_OTHER) {
        feed->table.skipped++;
        return 0;
    }
    if (event.sass.class != BW_SASS_SHARED) {
        bw_totals_other(
            &feed->table, opcode,
            event.sass.why ? event.sass.why : "the trace does not say where shared memory is", 1);
        return 0;
    }
    for (unsigned lane = 0; lane < BW_LANES; lane++)
        if (!bw_read_hex(&addresses, &event.addr[lane]))
            return bad_line(feed, "there are not 32 addresses");
    uint64_t linear = from ? block[0] + from->grid[0] * (block[1] + from->grid[1] * block[2]) : 0;
    if (!bw_feed_take(feed, batch, &event, linear, warp))
        return 0;
    bw_total_key key = {
        .kernel = from ? from->kernel : NULL, .opcode = opcode, .op = event.sass.op};
    batch->keys[batch->count - 1] = bw_feed_key_of(feed, &key);
    return 0;
}

static int read_event(bw_feed *feed, bw_feed_batch *batch)
{
    const char *id = after(feed->line, " - grid_launch_id "), *cta = after(feed->line, " - CTA ");
    const char *warp = after(feed->line, " - warp ");
    const char *opcode = warp ? after(warp, " - ") : NULL;
    char *end = opcode ? strstr(opcode, " - ") : NULL;
    uint64_t block[3];
    if (!id || !end || !cta || !bw_read_three(cta, block))
        return bad_line(feed, "the access does not say its launch, block, warp and opcode");
    *end = '\0';
    return take_event(feed, batch, opcode, end + 3, launch_of(feed->state, strtoull(id, NULL, 10)),
                      block, strtoull(warp, NULL, 10));
}

static int read_trace(bw_feed *feed, bw_feed_batch *batch)
{
    int got = 1, found;
    while (batch->count < batch->most && (got = bw_feed_line(feed)) == 1) {
        const char *at = strstr(feed->line, FIRST);
        if (!at)
            continue; /* of the program that was traced */
        found = strstr(at, " - LAUNCH - ") ? read_launch(feed) : read_event(feed, batch);
        if (found < 0)
            return -1;
    }
    return got;
}

const bw_feed_form bw_feed_nvbit = {"text of mem_trace", is_trace, open_trace, read_trace,
                                    close_trace};
