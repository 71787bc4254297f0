/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where asynchronous copies read: the columns s0 … s31, zeros, held and placed of a request
 * stream.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "stream_private.h"

/* Of a lane whose source is not known, where a number must stand. */
#define UNKNOWN UINT64_MAX

enum { ZEROS = BW_LANES, HELD, PLACED };
_Static_assert(PLACED + 1 == BW_SOURCE_COLUMNS, "the columns of sources");
static const char *const others[] = {"zeros", "held", "placed"};

static void name_of(unsigned which, char name[8])
{
    if (which < BW_LANES)
        snprintf(name, 8, "s%u", which);
    else
        snprintf(name, 8, "%s", others[which - BW_LANES]);
}

bool bw_stream_find_sources(bw_stream_reader *reader)
{
    unsigned found = 0;
    char name[8], missing[8] = "";
    for (unsigned i = 0; i < BW_SOURCE_COLUMNS; i++) {
        name_of(i, name);
        reader->source_column[i] = bw_stream_column(reader, name);
        found += i < BW_LANES && reader->source_column[i] >= 0;
        if (i < BW_LANES && reader->source_column[i] < 0 && !*missing)
            memcpy(missing, name, sizeof missing);
    }
    reader->has_sources = found == BW_LANES;
    if (!found || found == BW_LANES)
        return true;
    bw_stream_fail(
        reader, reader->is_binary ? 0 : reader->line, BW_MSG_STREAM_HEADER,
        "the columns of sources are s0 to s31, and %s is missing; add it, or leave all out",
        missing);
    return false;
}

bool bw_stream_has_sources(const bw_stream_reader *reader)
{
    return reader->has_sources;
}

bool bw_stream_says_held(const bw_stream_reader *reader)
{
    return reader->has_sources && reader->source_column[HELD] >= 0;
}

bool bw_stream_is_source(const char *column)
{
    char name[8];
    for (unsigned i = 0; i < BW_SOURCE_COLUMNS; i++) {
        name_of(i, name);
        if (strcmp(name, column) == 0)
            return true;
    }
    return false;
}

/* ---- reading ---- */

static int bad_source(bw_stream_reader *r, uint64_t place, const char *format, unsigned lane,
                      const char *what)
{
    return bw_stream_fail(r, place, BW_MSG_LANE_ADDRESS, format, lane, what);
}

/* Lanes whose source must be known, or all of them unknown: -1 where only some are, else whether
 * they are. */
static int are_known(bw_stream_reader *r, uint64_t place, const uint64_t *numbers, uint32_t lanes)
{
    unsigned known = 0, wanted = (unsigned)__builtin_popcount(lanes), gap = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        known += numbers[lane] != UNKNOWN;
        gap = numbers[lane] == UNKNOWN ? lane : gap;
    }
    if (!known || known == wanted)
        return known == wanted;
    return bad_source(r, place, "s%u is empty and others are not%s", gap,
                      ": give the source of every lane that reads, or of none");
}

int bw_stream_take_sources(bw_stream_reader *reader, uint64_t place, const uint64_t *numbers,
                           bw_request *request, bw_sources *into)
{
    const bw_op_info *info = bw_op_get(request->op);
    uint32_t zeros = (uint32_t)numbers[ZEROS] & request->active;
    int known = info->copies ? are_known(reader, place, numbers, request->active & ~zeros) : 0;
    if (known < 1)
        return known < 0 ? -1 : 1;
    *into = (bw_sources){.cached = (uint32_t)numbers[HELD] & request->active,
                         .placed = numbers[PLACED] != 0};
    for (uint32_t left = request->active & ~zeros; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        into->addr[lane] = numbers[lane];
        into->bytes[lane] = (uint8_t)info->bytes;
        if (numbers[lane] % info->bytes)
            return bad_source(reader, place,
                              "s%u is no multiple of the bytes that the operation copies%s", lane,
                              ": sources are aligned as destinations are");
    }
    request->sources = into;
    return 1;
}

uint64_t bw_stream_no_source(unsigned which)
{
    return which < BW_LANES ? UNKNOWN : which == PLACED;
}

/* A cell as a number: lane masks are hexadecimal as `active` is, but in the cells of a .bwr, and
 * the others decimal. */
static bool cell_number(const bw_stream_reader *r, unsigned which, const char *cell,
                        uint64_t *number)
{
    char *end;
    bool mask = which == ZEROS || which == HELD;
    *number = bw_stream_no_source(which);
    if (!*cell)
        return true;
    errno = 0;
    *number = strtoull(cell, &end, mask && !r->is_binary ? 16 : 10);
    bool starts =
        mask ? strchr("0123456789abcdefABCDEF", *cell) != NULL : *cell >= '0' && *cell <= '9';
    return starts && !*end && !errno && (!mask || *number <= UINT32_MAX) &&
           (which != PLACED || *number <= 1);
}

int bw_stream_read_sources(bw_stream_reader *reader, uint64_t place, bw_request *request)
{
    uint64_t numbers[BW_SOURCE_COLUMNS];
    if (!reader->has_sources)
        return 1;
    for (unsigned i = 0; i < BW_SOURCE_COLUMNS; i++) {
        int column = reader->source_column[i];
        char name[8];
        name_of(i, name);
        numbers[i] = bw_stream_no_source(i);
        if (column < 0 || cell_number(reader, i, reader->fields[column], &numbers[i]))
            continue;
        return bw_stream_fail(
            reader, place, BW_MSG_LANE_ADDRESS,
            i < BW_LANES  ? "%s is no number; write the byte address in global memory that "
                            "the lane copies from, or leave it empty where it is not known"
            : i == PLACED ? "%s is neither 0 nor 1; write 1 where sources are addresses of "
                            "the card, 0 where they count from the start of arrays"
                          : "%s is no lane mask; write up to eight hexadecimal digits, "
                            "like 0000ffff, or leave it empty",
            name);
    }
    return bw_stream_take_sources(reader, place, numbers, request, &reader->sources);
}

/* ---- writing ---- */

void bw_stream_source_numbers(const bw_request *request, uint64_t numbers[BW_SOURCE_COLUMNS])
{
    const bw_sources *sources = bw_op_get(request->op)->copies ? request->sources : NULL;
    numbers[ZEROS] = numbers[HELD] = 0;
    for (unsigned lane = 0; lane < BW_LANES; lane++) {
        bool active = sources && request->active >> lane & 1;
        numbers[lane] = active && sources->bytes[lane] ? sources->addr[lane] : UNKNOWN;
        numbers[ZEROS] |= (uint64_t)(active && !sources->bytes[lane]) << lane;
    }
    if (sources)
        numbers[HELD] = sources->cached & request->active;
    numbers[PLACED] = !sources || sources->placed;
}

void bw_stream_write_sources(FILE *file, const bw_request *request)
{
    uint64_t numbers[BW_SOURCE_COLUMNS];
    bool known = bw_op_get(request->op)->copies && request->sources;
    bw_stream_source_numbers(request, numbers);
    for (unsigned lane = 0; lane < BW_LANES; lane++)
        if (numbers[lane] == UNKNOWN)
            putc(',', file);
        else
            fprintf(file, ",%" PRIu64, numbers[lane]);
    if (known)
        fprintf(file, ",%08" PRIx64 ",%08" PRIx64 ",%d", numbers[ZEROS], numbers[HELD],
                numbers[PLACED] != 0);
    else
        fputs(",,,", file);
}

void bw_stream_write_source_names(FILE *file, char before)
{
    char name[8];
    for (unsigned i = 0; i < BW_SOURCE_COLUMNS; i++) {
        name_of(i, name);
        fprintf(file, "%c%s", before, name);
    }
}
