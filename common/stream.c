/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "stream_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "csv.h"

#define FIRST_BUFFER ((size_t)256 << 10)
#define QUOTED 40 /* bytes of a bad cell that a message shows */

/* ---- errors ---- */

static int fail_with(bw_stream_reader *r, uint64_t place, bw_message_id id, const char *format,
                     va_list args)
{
    const char *unit = r->is_binary ? " byte " : "";
    va_list again;
    va_copy(again, args);
    int head = snprintf(NULL, 0, "%s:%s%" PRIu64 ": ", r->name, unit, place);
    int tail = vsnprintf(NULL, 0, format, args);
    size_t size = (size_t)(head < 0 ? 0 : head) + (size_t)(tail < 0 ? 0 : tail) + 1;
    free(r->error);
    r->error = bw_calloc(size, 1);
    size_t used = (size_t)snprintf(r->error, size, "%s:%s%" PRIu64 ": ", r->name, unit, place);
    vsnprintf(r->error + used, size - used, format, again);
    va_end(again);
    r->failed = true;
    r->error_id = id;
    return -1;
}

int bw_stream_fail(bw_stream_reader *reader, uint64_t place, bw_message_id id, const char *format,
                   ...)
{
    va_list args;
    va_start(args, format);
    fail_with(reader, place, id, format, args);
    va_end(args);
    return -1;
}

/* At the line that was read last. */
static int fail(bw_stream_reader *r, bw_message_id id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int fail(bw_stream_reader *r, bw_message_id id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_with(r, r->line ? r->line : 1, id, format, args);
    va_end(args);
    return -1;
}

/* What a message may show of a cell: printable, and not too long. */
static const char *quote(const char *cell, char out[QUOTED + 4])
{
    size_t n = 0;
    for (; cell[n] && n < QUOTED; n++)
        out[n] = (unsigned char)cell[n] < 0x20 || cell[n] == 0x7f ? '?' : cell[n];
    out[n] = '\0';
    if (cell[n]) {
        while (n && ((unsigned char)out[n - 1] & 0xc0) == 0x80)
            n--;
        n -= n && (unsigned char)out[n - 1] >= 0xc0;
        memcpy(out + n, "...", 4);
    }
    return out;
}

/* ---- lines ---- */

bool bw_stream_fill(bw_stream_reader *reader)
{
    bw_stream_reader *r = reader;
    if (r->at) {
        r->before += r->at;
        memmove(r->data, r->data + r->at, r->end - r->at);
        r->end -= r->at;
        r->at = 0;
    }
    if (r->end == r->capacity) {
        if (r->capacity >= BW_STREAM_MOST) {
            r->line++;
            fail(r, BW_MSG_STREAM_ROW,
                 "the line is longer than %zu bytes; is this a request stream?", BW_STREAM_MOST);
            return false;
        }
        r->capacity *= 2;
        r->data = bw_realloc(r->data, r->capacity + 1);
    }
    errno = 0;
    size_t got = fread(r->data + r->end, 1, r->capacity - r->end, r->file);
    r->end += got;
    if (got == 0 && ferror(r->file)) {
        bw_stream_fail(r,
                       r->is_binary ? r->before + r->end
                       : r->line    ? r->line
                                    : 1,
                       BW_MSG_CANNOT_READ, "cannot read: %s; check the file and the disk",
                       errno ? strerror(errno) : "input error");
        return false;
    }
    r->at_eof = got == 0;
    return got != 0;
}

/* The next line, NUL-terminated and without its end, or NULL at the end or after an error. */
static char *next_line(bw_stream_reader *r, size_t *len)
{
    size_t scanned = 0;
    char *stop;
    for (;;) {
        stop = memchr(r->data + r->at + scanned, '\n', r->end - r->at - scanned);
        if (stop || r->at_eof)
            break;
        scanned = r->end - r->at;
        if (!bw_stream_fill(r) && r->failed)
            return NULL;
    }
    if (!stop && r->at == r->end)
        return NULL;
    char *line = r->data + r->at;
    *len = (size_t)((stop ? stop : r->data + r->end) - line);
    r->at += *len + (stop != NULL);
    line[*len] = '\0';
    r->line++;
    if (*len && line[*len - 1] == '\r')
        line[--*len] = '\0';
    return line;
}

/* ---- comments ---- */

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t len = strlen(text);
    while (len && (text[len - 1] == ' ' || text[len - 1] == '\t'))
        text[--len] = '\0';
    return text;
}

/* `# key: value`; a later line of the same key replaces the earlier. */
void bw_stream_note(bw_stream_reader *reader, char *line)
{
    bw_stream_reader *r = reader;
    char *colon = strchr(line, ':');
    if (!colon)
        return;
    *colon = '\0';
    const char *key = trim(line + 1), *value = trim(colon + 1);
    for (unsigned i = 0; i < r->meta_count; i++)
        if (strcmp(r->metas[i].key, key) == 0) {
            free(r->metas[i].value);
            r->metas[i].value = bw_copy_text(value);
            return;
        }
    if (r->meta_count < BW_STREAM_MAX_META)
        r->metas[r->meta_count++] = (bw_stream_meta_line){bw_copy_text(key), bw_copy_text(value)};
}

const char *bw_stream_meta(const bw_stream_reader *reader, const char *key)
{
    for (unsigned i = 0; i < reader->meta_count; i++)
        if (strcmp(reader->metas[i].key, key) == 0)
            return reader->metas[i].value;
    return NULL;
}

/* The next line that is neither empty nor a comment. */
static char *next_content(bw_stream_reader *r)
{
    for (;;) {
        size_t len = 0;
        char *line = next_line(r, &len);
        if (!line)
            return NULL;
        if (r->line == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0) {
            line += 3;
            len -= 3;
        }
        if (memchr(line, '\0', len)) {
            fail(r, BW_MSG_NOT_TEXT,
                 "the line has a NUL byte; this is no text file, name a request stream in CSV");
            return NULL;
        }
        if (*line == '#')
            bw_stream_note(r, line);
        else if (*trim(line))
            return line;
    }
}

/* ---- cells ---- */

static int bad_quotes(bw_stream_reader *r)
{
    return fail(r, BW_MSG_STREAM_ROW,
                "a quote opens a cell and none closes it; write \"...\" around the whole cell, "
                "and quotes within twice");
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* Inlined, so that the base is a constant: nearly all that is read of a stream are such digits. */
static inline bool read_digits(const char *cell, unsigned base, uint32_t *value)
{
    uint64_t sum = 0;
    if (!*cell)
        return false;
    for (; *cell; cell++) {
        unsigned digit = (unsigned)digit_value(*cell);
        if (digit >= base)
            return false;
        sum = sum * base + digit;
        if (sum > UINT32_MAX)
            return false;
    }
    *value = (uint32_t)sum;
    return true;
}

/* An unsigned 32-bit number and nothing else; "0x" before hexadecimal ones is optional. */
static bool parse_number(const char *cell, bool hexadecimal, uint32_t *value)
{
    if (cell[0] == '0' && (cell[1] == 'x' || cell[1] == 'X'))
        return read_digits(cell + 2, 16, value);
    return hexadecimal ? read_digits(cell, 16, value) : read_digits(cell, 10, value);
}

/* ---- header ---- */

int bw_stream_column(const bw_stream_reader *reader, const char *name)
{
    for (unsigned i = 0; i < reader->column_count; i++)
        if (strcmp(reader->columns[i], name) == 0)
            return (int)i;
    return -1;
}

const char *bw_stream_column_name(const bw_stream_reader *reader, unsigned index)
{
    return index < reader->column_count ? reader->columns[index] : NULL;
}

static bool need_column(bw_stream_reader *r, const char *name, unsigned *index)
{
    int at = bw_stream_column(r, name);
    if (at < 0) {
        char other = r->columns[0][strcspn(r->columns[0], ";\t")];
        if (r->column_count == 1 && other)
            fail(r, BW_MSG_STREAM_HEADER,
                 "cells are separated by commas, not by %s: export the table again",
                 other == ';' ? "semicolons" : "tabs");
        else
            fail(r, BW_MSG_STREAM_HEADER,
                 "the header row has no column %s; it must name op, active and a0 to a31", name);
        return false;
    }
    *index = (unsigned)at;
    return true;
}

static bool find_columns(bw_stream_reader *r)
{
    if (!need_column(r, "op", &r->op_column) || !need_column(r, "active", &r->active_column))
        return false;
    for (unsigned lane = 0; lane < BW_LANES; lane++) {
        char name[8];
        snprintf(name, sizeof name, "a%u", lane);
        if (!need_column(r, name, &r->addr_column[lane]))
            return false;
    }
    return true;
}

static bool read_header(bw_stream_reader *r)
{
    char *line = next_content(r);
    if (!line) {
        if (!r->failed)
            fail(r, BW_MSG_STREAM_HEADER,
                 "no header row before the end; a request stream begins with "
                 "op,active,a0,…,a31");
        return false;
    }
    unsigned count = bw_csv_split(line, ',', r->fields, BW_STREAM_MAX_COLUMNS);
    if (!count) {
        bad_quotes(r);
        return false;
    }
    if (count > BW_STREAM_MAX_COLUMNS) {
        fail(r, BW_MSG_STREAM_HEADER, "%u columns, %d are the most; leave out some", count,
             BW_STREAM_MAX_COLUMNS);
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        char shown[QUOTED + 4];
        if (*r->fields[i] && bw_stream_column(r, r->fields[i]) >= 0) {
            fail(r, BW_MSG_STREAM_HEADER, "two columns are called %s; rename one",
                 quote(r->fields[i], shown));
            return false;
        }
        r->columns[r->column_count++] = bw_copy_text(r->fields[i]);
    }
    return find_columns(r) && bw_stream_find_sources(r);
}

/* ---- rows ---- */

static bool read_op(bw_stream_reader *r, bw_request *request)
{
    const char *cell = r->fields[r->op_column];
    if (r->last_op == BW_OP_COUNT || strcmp(cell, bw_op_get(r->last_op)->name) != 0)
        r->last_op = bw_op_find(cell, strlen(cell));
    request->op = r->last_op;
    if (r->last_op != BW_OP_COUNT)
        return true;
    char shown[QUOTED + 4];
    fail(r, BW_MSG_UNKNOWN_OPERATION,
         "unknown operation '%s'; operations are named like ld.32, st.128, ldmatrix.x4, "
         "atom.add.u32, cp.async.16",
         quote(cell, shown));
    return false;
}

static bool read_active(bw_stream_reader *r, bw_request *request)
{
    const char *cell = r->fields[r->active_column];
    char shown[QUOTED + 4];
    if (!parse_number(cell, true, &request->active)) {
        fail(r, BW_MSG_LANE_MASK,
             "active is '%s'; write the lane mask as up to eight hexadecimal digits, "
             "like ffffffff",
             quote(cell, shown));
        return false;
    }
    if (bw_request_lanes(request) == 0) {
        fail(r, BW_MSG_LANE_MASK,
             "no lane takes part in this %s; set its lanes in active, or remove the row",
             bw_op_get(request->op)->name);
        return false;
    }
    return true;
}

static bool read_addresses(bw_stream_reader *r, bw_request *request)
{
    uint32_t lanes = bw_request_lanes(request);
    for (unsigned lane = 0; lane < BW_LANES; lane++) {
        const char *cell = r->fields[r->addr_column[lane]];
        char shown[QUOTED + 4];
        if (!*cell && !(lanes >> lane & 1)) {
            request->addr[lane] = 0;
            continue;
        }
        if (!parse_number(cell, false, &request->addr[lane])) {
            fail(r, BW_MSG_LANE_ADDRESS,
                 "a%u is '%s'; write lane %u's byte address as a number from 0 to %u%s", lane,
                 quote(cell, shown), lane, UINT32_MAX,
                 lanes >> lane & 1 ? "" : ", or leave it empty: the lane is inactive");
            return false;
        }
    }
    int bad = bw_request_bad_lane(request, 0);
    if (bad >= 0) {
        const bw_op_info *info = bw_op_get(request->op);
        fail(r, BW_MSG_LANE_ADDRESS,
             "a%d is %u, no multiple of %u; %s needs addresses aligned to its %u bytes", bad,
             request->addr[bad], info->bytes, info->name, info->bytes);
        return false;
    }
    return true;
}

/* Tells the form by the first bytes. */
static bool look(bw_stream_reader *r)
{
    while (r->end < BW_STREAM_MAGIC_BYTES && !r->at_eof)
        if (!bw_stream_fill(r) && r->failed)
            return false;
    r->known = true;
    r->is_binary = bw_stream_is_binary(r->data, r->end);
    return true;
}

bool bw_stream_begin(bw_stream_reader *reader)
{
    bw_stream_reader *r = reader;
    if (r->failed || (!r->known && !look(r)))
        return false;
    if (r->column_count)
        return true;
    return r->is_binary ? bw_bwr_begin(r) : read_header(r);
}

int bw_stream_next(bw_stream_reader *reader, bw_stream_row *row)
{
    bw_stream_reader *r = reader;
    if (!bw_stream_begin(r))
        return -1;
    if (r->is_binary)
        return bw_bwr_next(r, row);
    char *line = next_content(r);
    if (!line)
        return r->failed ? -1 : 0;
    unsigned count = bw_csv_split(line, ',', r->fields, BW_STREAM_MAX_COLUMNS);
    if (!count)
        return bad_quotes(r);
    if (count != r->column_count)
        return fail(r, BW_MSG_STREAM_ROW, "%u cells where the header row has %u; %s", count,
                    r->column_count,
                    count < r->column_count ? "the row is cut short: complete or remove it"
                                            : "remove the surplus commas");
    row->line = r->line;
    row->field_count = count;
    row->fields = r->fields;
    row->request.sources = NULL; /* the rest of the request is read */
    if (!read_op(r, &row->request) || !read_active(r, &row->request) ||
        !read_addresses(r, &row->request))
        return -1;
    return bw_stream_read_sources(r, r->line, &row->request);
}

/* The numbers that the batch wants of a row. */
static bool read_numbers(bw_stream_reader *r, const bw_stream_batch *batch, uint64_t *numbers)
{
    for (unsigned i = 0; i < batch->column_count; i++) {
        unsigned column = batch->columns[i];
        const char *cell = column < r->column_count ? r->fields[column] : "";
        char *end, shown[QUOTED + 4];
        errno = 0;
        numbers[i] = *cell ? strtoull(cell, &end, 10) : batch->empty[i];
        if (*cell && (*end || errno || *cell < '0' || *cell > '9')) {
            fail(r, BW_MSG_STREAM_COUNT, "%s is '%s'; write a whole number, or leave it empty",
                 r->columns[column], quote(cell, shown));
            return false;
        }
    }
    return true;
}

int bw_stream_read(bw_stream_reader *reader, bw_stream_batch *batch)
{
    bw_stream_reader *r = reader;
    bw_stream_row row;
    int got = 1;
    batch->count = 0;
    if (!bw_stream_begin(r))
        return -1;
    if (r->is_binary)
        return bw_bwr_read(r, batch);
    while (batch->count < batch->most && (got = bw_stream_next(r, &row)) == 1) {
        uint64_t *numbers = batch->numbers + batch->count * batch->column_count;
        if (!read_numbers(r, batch, numbers))
            return batch->count ? 1 : -1;
        if (batch->lines)
            batch->lines[batch->count] = row.line;
        if (batch->sources && row.request.sources)
            batch->sources[batch->count] = *row.request.sources;
        row.request.sources =
            batch->sources && row.request.sources ? &batch->sources[batch->count] : NULL;
        batch->requests[batch->count++] = row.request;
    }
    return batch->count ? 1 : got;
}

/* ---- opening and closing ---- */

bw_stream_reader *bw_stream_open(FILE *file, const char *name)
{
    bw_stream_reader *r = bw_calloc(1, sizeof *r);
    r->file = file;
    r->name = name;
    r->capacity = FIRST_BUFFER;
    r->data = bw_alloc(r->capacity + 1);
    r->last_op = BW_OP_COUNT;
    return r;
}

void bw_stream_close(bw_stream_reader *reader)
{
    if (!reader)
        return;
    for (unsigned i = 0; i < reader->meta_count; i++) {
        free(reader->metas[i].key);
        free(reader->metas[i].value);
    }
    for (unsigned i = 0; i < reader->column_count; i++)
        free(reader->columns[i]);
    free(reader->binary.ops);
    free(reader->binary.cells);
    free(reader->error);
    free(reader->data);
    free(reader);
}

uint64_t bw_stream_offset(const bw_stream_reader *reader)
{
    return reader->before + reader->at;
}

const char *bw_stream_error(const bw_stream_reader *reader)
{
    return reader->error ? reader->error : "";
}

bw_message_id bw_stream_error_id(const bw_stream_reader *reader)
{
    return reader->error_id;
}

/* ---- writing ---- */

static void write_names(FILE *file, const char *extra)
{
    fputs("op,active", file);
    for (unsigned lane = 0; lane < BW_LANES; lane++)
        fprintf(file, ",a%u", lane);
    fputs(extra, file);
}

void bw_stream_write_header(FILE *file, const char *extra)
{
    write_names(file, extra);
    putc('\n', file);
}

void bw_stream_write_header_with_sources(FILE *file, const char *extra)
{
    write_names(file, extra);
    bw_stream_write_source_names(file, ',');
    putc('\n', file);
}

static char *put_decimal(char *at, uint32_t value)
{
    char digits[10];
    unsigned n = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    while (n)
        *at++ = digits[--n];
    return at;
}

void bw_stream_write_request(FILE *file, const bw_request *request)
{
    char row[BW_LANES * 11 + 64], *at = row;
    const bw_op_info *info = bw_op_get(request->op);
    const char *name = info ? info->name : "invalid";
    size_t len = strlen(name);
    memcpy(at, name, len);
    at += len;
    *at++ = ',';
    for (int shift = 28; shift >= 0; shift -= 4)
        *at++ = "0123456789abcdef"[request->active >> shift & 15];
    for (unsigned lane = 0; lane < BW_LANES; lane++) {
        *at++ = ',';
        at = put_decimal(at, request->addr[lane]);
    }
    fwrite(row, 1, (size_t)(at - row), file);
}
