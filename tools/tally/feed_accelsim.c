/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel traces of Accel-Sim, as its README and the traces themselves document them:
 *
 *     -kernel name = NAME
 *     -grid dim = (X,Y,Z)
 *     -shmem base_addr = 0x...          and other lines of this form
 *     #BEGIN_TB
 *     thread block = X,Y,Z
 *     warp = N
 *     insts = N
 *     [line] PC mask N [N registers] opcode M [M registers] width [form addresses]
 *     #END_TB
 *
 * `line` is there where "-enable lineinfo = 1". Addresses follow a width that is not 0, of active
 * lanes alone: form 0 lists them, 1 has the first and the stride of lanes that follow each other,
 * 2 the first and the differences.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "feed_private.h"

typedef struct trace {
    char *kernel; /* malloc'd */
    uint64_t grid[3], block, warp;
    uint64_t window, window_end;
    bool has_lines, in_warp;
} trace;

static bool is_trace(const char *start, size_t len)
{
    static const char first[] = "-kernel name";
    for (const char *at = start, *end = start + len; at < end; at++) {
        if (*at == '\n' || *at == '\r' || *at == ' ')
            continue;
        return (size_t)(end - at) >= sizeof first - 1 && memcmp(at, first, sizeof first - 1) == 0;
    }
    return false;
}

static bool open_trace(bw_feed *feed)
{
    feed->state = bw_calloc(1, sizeof(trace));
    return true;
}

static void close_trace(bw_feed *feed)
{
    trace *t = feed->state;
    if (t)
        free(t->kernel);
}

static int bad_line(bw_feed *feed, const char *what)
{
    return bw_feed_fail(feed, true, BW_MSG_TRACE_LINE, "is the file whole?", "%s", what);
}

/* ---- what a kernel and its blocks say of themselves ---- */

/* "NAME = VALUE". */
static const char *value_of(const char *line, const char *name)
{
    size_t len = strlen(name);
    if (strncmp(line, name, len) != 0)
        return NULL;
    line += len + strspn(line + len, " ");
    return *line == '=' ? line + 1 + strspn(line + 1, " ") : NULL;
}

static int read_header(bw_feed *feed)
{
    trace *t = feed->state;
    const char *value;
    if ((value = value_of(feed->line, "-kernel name"))) {
        free(t->kernel);
        *t = (trace){.kernel = bw_copy_text(value)};
    } else if ((value = value_of(feed->line, "-grid dim"))) {
        if (!bw_read_three(value, t->grid))
            return bad_line(feed, "the grid is not (X,Y,Z)");
    } else if ((value = value_of(feed->line, "-shmem base_addr"))) {
        if (!bw_read_hex(&value, &t->window))
            return bad_line(feed, "the address is no hexadecimal number");
    } else if ((value = value_of(feed->line, "-local mem base_addr"))) {
        if (!bw_read_hex(&value, &t->window_end))
            return bad_line(feed, "the address is no hexadecimal number");
    } else if ((value = value_of(feed->line, "-enable lineinfo"))) {
        t->has_lines = *value == '1';
    }
    return 0;
}

/* Lines that are no instruction. 1: it is one; 0: it was taken; -1: an error. */
static int read_frame(bw_feed *feed)
{
    trace *t = feed->state;
    const char *line = feed->line, *value;
    uint64_t at[3];
    if (*line == '-')
        return read_header(feed);
    if (*line == '#' || line[strspn(line, " \t")] == '\0') {
        t->in_warp = t->in_warp && *line != '#';
        return 0;
    }
    if ((value = value_of(line, "thread block"))) {
        if (!bw_read_three(value, at))
            return bad_line(feed, "the block is not X,Y,Z");
        t->block = at[0] + t->grid[0] * (at[1] + t->grid[1] * at[2]);
        return 0;
    }
    if ((value = value_of(line, "warp"))) {
        t->warp = strtoull(value, NULL, 10);
        t->in_warp = true;
        return 0;
    }
    if (value_of(line, "insts"))
        return 0;
    if (!t->in_warp)
        return bad_line(feed, "an instruction outside of a warp; a .trace is made a .traceg by "
                              "Accel-Sim's post-traces-processing");
    return 1;
}

/* ---- addresses ---- */

static bool read_list(const char **at, bw_sass_event *event)
{
    for (uint32_t left = event->active; left; left &= left - 1)
        if (!bw_read_hex(at, &event->addr[__builtin_ctz(left)]))
            return false;
    return true;
}

/* The active lanes follow each other: it is written so for no others. */
static bool read_stride(const char **at, bw_sass_event *event)
{
    uint64_t address;
    int64_t stride;
    uint32_t run = event->active >> __builtin_ctz(event->active);
    if (!bw_read_hex(at, &address) || !bw_read_decimal(at, &stride) || (run & (run + 1)) != 0)
        return false;
    for (uint32_t left = event->active; left; left &= left - 1, address += (uint64_t)stride)
        event->addr[__builtin_ctz(left)] = address;
    return true;
}

static bool read_differences(const char **at, bw_sass_event *event)
{
    uint64_t address;
    int64_t difference = 0;
    if (!bw_read_hex(at, &address))
        return false;
    for (uint32_t left = event->active; left; left &= left - 1) {
        if (left != event->active && !bw_read_decimal(at, &difference))
            return false;
        address += (uint64_t)difference;
        event->addr[__builtin_ctz(left)] = address;
    }
    return true;
}

static bool read_addresses(const char **at, bw_sass_event *event)
{
    int64_t form;
    if (!bw_read_decimal(at, &form))
        return false;
    switch (form) {
    case 0: return read_list(at, event);
    case 1: return read_stride(at, event);
    case 2: return read_differences(at, event);
    default: return false;
    }
}

/* ---- instructions ---- */

/* A count and so many words after it. */
static bool skip_registers(const char **at, int64_t *count)
{
    size_t len;
    if (!bw_read_decimal(at, count) || *count < 0 || *count > 64)
        return false;
    for (int64_t i = 0; i < *count; i++) {
        bw_read_word(at, &len);
        if (!len)
            return false;
    }
    return true;
}

static uint32_t key_of(bw_feed *feed, const bw_sass_event *event, uint64_t pc, uint64_t line)
{
    const trace *t = feed->state;
    bw_total_key key = {.kernel = t->kernel,
                        .line = line,
                        .has_address = true,
                        .address = pc,
                        .opcode = event->opcode,
                        .op = event->sass.op};
    return bw_feed_key_of(feed, &key);
}

static int read_instruction(bw_feed *feed, bw_feed_batch *batch)
{
    const trace *t = feed->state;
    const char *at = feed->line;
    char opcode[128];
    uint64_t pc, mask;
    int64_t line = 0, results, sources, width;
    size_t len;
    if ((t->has_lines && !bw_read_decimal(&at, &line)) || !bw_read_hex(&at, &pc) ||
        !bw_read_hex(&at, &mask) || mask > UINT32_MAX || !skip_registers(&at, &results))
        return bad_line(feed, "no address, mask and registers of an instruction");
    const char *word = bw_read_word(&at, &len);
    if (!len || len >= sizeof opcode)
        return bad_line(feed, "the instruction has no opcode");
    memcpy(opcode, word, len);
    opcode[len] = '\0';
    bw_sass_event event = {opcode,         bw_sass_of(feed, opcode, results > 0),
                           (uint32_t)mask, {0},
                           t->window,      t->window_end};
    if (event.sass.class == BW_SASS_OTHER) {
        feed->table.skipped++;
        return 0;
    }
    if (event.sass.class == BW_SASS_UNPRICED) {
        bw_totals_other(&feed->table, opcode, event.sass.why, 1);
        return 0;
    }
    if (!skip_registers(&at, &sources) || !bw_read_decimal(&at, &width))
        return bad_line(feed, "no width after the registers");
    if (!mask || !width) {
        feed->table.idle++;
        return 0;
    }
    if (!read_addresses(&at, &event))
        return bad_line(feed, "the addresses of the active lanes are not all there");
    if (width != bw_op_get(event.sass.op)->bytes)
        bw_totals_other(&feed->table, opcode, "it has another width than the model's operation", 1);
    else if (bw_feed_take(feed, batch, &event, t->block, t->warp))
        batch->keys[batch->count - 1] = key_of(feed, &event, pc, line > 0 ? (uint64_t)line : 0);
    return 0;
}

static int read_trace(bw_feed *feed, bw_feed_batch *batch)
{
    int got = 1;
    while (batch->count < batch->most && (got = bw_feed_line(feed)) == 1) {
        int found = read_frame(feed);
        if (found < 0 || (found > 0 && read_instruction(feed, batch) < 0))
            return -1;
    }
    return got;
}

const bw_feed_form bw_feed_accelsim = {"trace of Accel-Sim", is_trace, open_trace, read_trace,
                                       close_trace};
