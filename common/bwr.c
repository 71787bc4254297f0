/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * .bwr: a request stream in binary blocks. All numbers are little-endian, whatever the machine.
 *
 *      0       8    10   12      16      20   24       32
 *     +-------+----+----+-------+-------+----+--------+------------------------------+
 *     | magic | 1  | 0  | order | bytes | 0  | sum    | text: bytes                  |  the head
 *     +-------+----+----+-------+-------+----+--------+------------------------------+
 *
 *     The text: comment lines, "ops: ld.32 ld.64 …" (a record's operation is the place in this
 *     list), "columns: launch line …" (the numbers after the addresses), line ends up to a multiple
 *     of 8 bytes.
 *
 *      0      4       8       12        16      24       32
 *     +------+-------+-------+---------+-------+--------+----------------------------+
 *     | BLOC | count | bytes | packing | first | sum    | records: bytes             |  a block
 *     +------+-------+-------+---------+-------+--------+----------------------------+
 *     | LAST | 0     | 0     | 0       | first | sum    |                               the end
 *     +------+-------+-------+---------+-------+--------+
 *
 *     `first` is how many records come before, so that a lost block is noticed. `packing` is 0. A
 *     record is 34 numbers of 4 bytes (operation, active, a0 … a31) and one of 8 bytes for each
 *     column.
 *
 * `sum` is of the 32 bytes and what follows, with 0 in its own place: sum_of.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "random.h"
#include "stream_private.h"

#define VERSION 1u
#define ORDER 0x01020304u
#define HEAD 32u
#define SUM_AT 24u
#define RECORD ((size_t)(2 + BW_LANES) * 4)
#define BLOCK_RECORDS 1024u
#define NAMED 34u /* op, active, a0 … a31: the columns that every stream has */
#define DIGITS 21 /* of a number in a cell, with its NUL */

static const unsigned char magic[BW_STREAM_MAGIC_BYTES] = {0x89, 'B',  'W',  'R',
                                                           '\r', '\n', 0x1a, '\n'};

/* ---- numbers ---- */

static uint32_t get32(const char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return le32toh(value);
}

static uint64_t get64(const char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return le64toh(value);
}

static void put32(char *at, uint32_t value)
{
    value = htole32(value);
    memcpy(at, &value, sizeof value);
}

static void put64(char *at, uint64_t value)
{
    value = htole64(value);
    memcpy(at, &value, sizeof value);
}

/* ---- the checksum ---- */

#define STRIPES 16u /* words that are summed side by side */

typedef uint32_t four __attribute__((vector_size(16), may_alias));

/* Fletcher's two sums of the words of each stripe, modulo 2^32. */
static void add_stripes(const char *bytes, size_t blocks, four a[STRIPES / 4], four b[STRIPES / 4])
{
    for (size_t i = 0; i < blocks; i++, bytes += STRIPES * 4) {
        for (unsigned k = 0; k < STRIPES / 4; k++) {
            four word;
            memcpy(&word, bytes + k * sizeof word, sizeof word);
            a[k] += word;
            b[k] += a[k];
        }
    }
}

/*
 * Word i goes to stripe i mod 16: a += word, b += a. The end is filled up with zeros. The stripes'
 * sums are mixed in order, each step one-to-one, so that a change within a stripe's sums is never
 * lost: a damaged word always shows, and what remains of other damage is one of 2^64.
 */
static uint64_t sum_of(const char *bytes, size_t len)
{
    four a[STRIPES / 4] = {{0}}, b[STRIPES / 4] = {{0}};
    size_t whole = len / (STRIPES * 4);
    char rest[STRIPES * 4] = {0};
    memcpy(rest, bytes + whole * sizeof rest, len - whole * sizeof rest);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    add_stripes(bytes, whole, a, b);
#else
    for (size_t i = 0; i < whole; i++) {
        char turned[STRIPES * 4];
        for (size_t k = 0; k < STRIPES; k++) {
            uint32_t word = get32(bytes + i * sizeof turned + k * 4);
            memcpy(turned + k * 4, &word, sizeof word);
        }
        add_stripes(turned, 1, a, b);
    }
    for (size_t k = 0; k < STRIPES; k++) {
        uint32_t word = get32(rest + k * 4);
        memcpy(rest + k * 4, &word, sizeof word);
    }
#endif
    add_stripes(rest, 1, a, b);
    uint64_t sum = bw_random_mix(len);
    for (unsigned k = 0; k < STRIPES; k++)
        sum = bw_random_mix(sum ^ ((uint64_t)b[k / 4][k % 4] << 32 | a[k / 4][k % 4]));
    return sum;
}

/* Whether the sum of these bytes, which begin with a head's or a block's 32, is the one in them.
 * Its place is 0 afterwards. */
static bool is_whole(char *bytes, size_t len)
{
    uint64_t sum = get64(bytes + SUM_AT);
    put64(bytes + SUM_AT, 0);
    return sum_of(bytes, len) == sum;
}

bool bw_stream_is_binary(const void *start, size_t len)
{
    return len >= BW_STREAM_MAGIC_BYTES && memcmp(start, magic, BW_STREAM_MAGIC_BYTES) == 0;
}

/* ---- the head ---- */

static int damaged(bw_stream_reader *r, uint64_t place, const char *what)
{
    return bw_stream_fail(r, place, BW_MSG_STREAM_DAMAGED,
                          "%s; what is before it was read, the rest is lost: copy the file again",
                          what);
}

/* At least so many bytes at data[at], or as many as there are. */
static bool have(bw_stream_reader *r, size_t bytes)
{
    while (r->end - r->at < bytes && !r->at_eof)
        if (!bw_stream_fill(r) && r->failed)
            return false;
    return true;
}

static bool have_all(bw_stream_reader *r, size_t bytes, const char *what)
{
    if (!have(r, bytes))
        return false;
    if (r->end - r->at >= bytes)
        return true;
    damaged(r, r->before + r->end, what);
    return false;
}

static void add_column(bw_stream_reader *r, const char *name)
{
    if (r->column_count < BW_STREAM_MAX_COLUMNS)
        r->columns[r->column_count++] = bw_copy_text(name);
}

/* The columns that CSV has, so that those who look for one find it. */
static void name_columns(bw_stream_reader *r)
{
    char name[8];
    add_column(r, "op");
    add_column(r, "active");
    for (unsigned lane = 0; lane < BW_LANES; lane++) {
        snprintf(name, sizeof name, "a%u", lane);
        add_column(r, name);
    }
}

static bool read_ops(bw_stream_reader *r, char *names)
{
    bw_bwr *b = &r->binary;
    size_t capacity = 0, count = 0;
    char *rest = NULL;
    for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        BW_GROW(b->ops, count, capacity);
        b->ops[count++] = bw_op_find(name, strlen(name));
    }
    b->op_count = (unsigned)count;
    return count > 0;
}

static bool read_columns(bw_stream_reader *r, char *names)
{
    char *rest = NULL;
    for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        if (r->binary.numbers++ == BW_STREAM_MAX_NUMBERS)
            return false;
        add_column(r, name);
    }
    return true;
}

static bool read_text(bw_stream_reader *r, char *text)
{
    bool good = true;
    char *rest = NULL;
    name_columns(r);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (*line == '#')
            bw_stream_note(r, line);
        else if (strncmp(line, "ops: ", 5) == 0)
            good = good && !r->binary.ops && read_ops(r, line + 5);
        else if (strncmp(line, "columns:", 8) == 0)
            good = good && read_columns(r, line + 8);
        else
            good = false;
    }
    return good && r->binary.ops;
}

bool bw_bwr_begin(bw_stream_reader *reader)
{
    bw_stream_reader *r = reader;
    if (!have_all(r, HEAD, "the file ends within its head"))
        return false;
    char *head = r->data + r->at;
    uint32_t version = get32(head + 8), bytes = get32(head + 16);
    if (version != VERSION) {
        bw_stream_fail(r, 8, BW_MSG_STREAM_DAMAGED,
                       "this is version %" PRIu32 " of .bwr, version %u is read; write the file "
                       "again, or use the bankwise that wrote it",
                       version, VERSION);
        return false;
    }
    if (get32(head + 12) != ORDER || bytes > BW_STREAM_MOST - HEAD) {
        damaged(r, 12, "the head is damaged");
        return false;
    }
    if (!have_all(r, HEAD + bytes, "the file ends within its head"))
        return false;
    head = r->data + r->at;
    if (!is_whole(head, HEAD + bytes)) {
        damaged(r, 0, "the head is damaged");
        return false;
    }
    char *text = bw_alloc(bytes + 1);
    memcpy(text, head + HEAD, bytes);
    text[bytes] = '\0';
    bool good = read_text(r, text);
    free(text);
    r->at += HEAD + bytes;
    if (!good)
        bw_stream_fail(r, HEAD, BW_MSG_STREAM_HEADER,
                       "the text of the head does not say which operations and columns there are");
    r->binary.cells = bw_alloc((r->binary.numbers + 1) * DIGITS);
    return good && bw_stream_find_sources(r);
}

/* ---- blocks ---- */

static size_t record_bytes(const bw_bwr *b)
{
    return RECORD + b->numbers * sizeof(uint64_t);
}

/* Whether a block's or the end's 32 bytes can be what they say, before their sum is known. */
static bool is_likely(const bw_stream_reader *r, const char *at, bool *last)
{
    uint32_t count = get32(at + 4), bytes = get32(at + 8);
    *last = memcmp(at, "LAST", 4) == 0;
    if (get32(at + 12) != 0 || get64(at + 16) != r->binary.records)
        return false;
    if (*last)
        return count == 0 && bytes == 0;
    return memcmp(at, "BLOC", 4) == 0 && count && bytes <= BW_STREAM_MOST - HEAD &&
           count == bytes / record_bytes(&r->binary) && bytes % record_bytes(&r->binary) == 0;
}

static int read_end(bw_stream_reader *r)
{
    r->binary.ended = true;
    r->at += HEAD;
    if (!have(r, 1))
        return -1;
    return r->at == r->end ? 0 : damaged(r, r->before + r->at, "bytes follow the end");
}

/* 1: the records of the next block lie at data[at]; 0: that was the end; -1: an error. */
static int read_block(bw_stream_reader *r)
{
    bw_bwr *b = &r->binary;
    bool last;
    if (b->ended)
        return 0;
    b->block_start = r->before + r->at;
    if (!have_all(r, HEAD, "the file is cut: its end is missing"))
        return -1;
    if (!is_likely(r, r->data + r->at, &last))
        return damaged(r, b->block_start, "the block that begins here is damaged");
    size_t bytes = HEAD + get32(r->data + r->at + 8);
    if (!have_all(r, bytes, "the file is cut within a block"))
        return -1;
    if (!is_whole(r->data + r->at, bytes))
        return damaged(r, b->block_start, "the block that begins here is damaged");
    if (last)
        return read_end(r);
    b->left = get32(r->data + r->at + 4);
    r->at += HEAD;
    return 1;
}

/* A lane takes part, and the addresses are aligned: without branches, as nearly all are. */
static bool is_sound(const bw_request *request)
{
    uint32_t lanes = bw_request_lanes(request), bits = 0;
    if (lanes == UINT32_MAX) {
        for (unsigned lane = 0; lane < BW_LANES; lane++)
            bits |= request->addr[lane];
    } else {
        for (unsigned lane = 0; lane < BW_LANES; lane++)
            bits |= request->addr[lane] & -(lanes >> lane & 1);
    }
    return lanes && !(bits & (bw_op_get(request->op)->bytes - 1u));
}

static int unsound(bw_stream_reader *r, uint64_t place, const bw_request *request)
{
    const bw_op_info *info = bw_op_get(request->op);
    int lane = bw_request_bad_lane(request, 0);
    if (lane < 0)
        return bw_stream_fail(r, place, BW_MSG_LANE_MASK,
                              "no lane takes part in the %s of record %" PRIu64, info->name,
                              r->binary.records + 1);
    return bw_stream_fail(r, place, BW_MSG_LANE_ADDRESS,
                          "a%d of record %" PRIu64 " is %" PRIu32 ", no multiple of %u; %s needs "
                          "addresses aligned to its %u bytes",
                          lane, r->binary.records + 1, request->addr[lane], info->bytes, info->name,
                          info->bytes);
}

/* 1, or -1 where the record cannot be. */
static inline int read_record(bw_stream_reader *r, bw_request *request)
{
    const bw_bwr *b = &r->binary;
    const char *at = r->data + r->at;
    uint32_t op = get32(at);
    if (op >= b->op_count || b->ops[op] == BW_OP_COUNT)
        return bw_stream_fail(r, r->before + r->at, BW_MSG_UNKNOWN_OPERATION,
                              "record %" PRIu64 " has operation %" PRIu32
                              " of the head's list, which this bankwise does not know",
                              b->records + 1, op);
    request->op = b->ops[op];
    request->active = get32(at + 4);
    memcpy(request->addr, at + 8, sizeof request->addr);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    for (unsigned lane = 0; lane < BW_LANES; lane++)
        request->addr[lane] = le32toh(request->addr[lane]);
#endif
    request->sources = NULL; /* the rest of the request is read */
    return is_sound(request) ? 1 : unsound(r, r->before + r->at, request);
}

static void pass_record(bw_stream_reader *r)
{
    r->at += record_bytes(&r->binary);
    r->binary.records++;
    r->binary.left--;
}

/* ---- what the reader does ---- */

int bw_bwr_next(bw_stream_reader *reader, bw_stream_row *row)
{
    bw_stream_reader *r = reader;
    bw_bwr *b = &r->binary;
    int got = b->left ? 1 : read_block(r);
    if (got < 1 || read_record(r, &row->request) < 0)
        return got < 1 ? got : -1;
    const char *at = r->data + r->at + RECORD;
    for (unsigned i = 0; i < NAMED; i++)
        r->fields[i] = "";
    r->fields[0] = bw_op_get(row->request.op)->name;
    for (unsigned i = 0; i < b->numbers; i++) {
        char *cell = b->cells + i * DIGITS;
        snprintf(cell, DIGITS, "%" PRIu64, get64(at + i * sizeof(uint64_t)));
        r->fields[NAMED + i] = cell;
    }
    uint64_t place = r->before + r->at;
    pass_record(r);
    row->line = (unsigned)b->records;
    row->field_count = r->column_count;
    row->fields = r->fields;
    return bw_stream_read_sources(r, place, &row->request);
}

/* The sources of a record of a batch: 1, or -1 after an error. */
static int batch_sources(bw_stream_reader *r, const bw_stream_batch *batch, const char *numbers)
{
    uint64_t found[BW_SOURCE_COLUMNS];
    for (unsigned i = 0; i < BW_SOURCE_COLUMNS; i++) {
        int column = r->source_column[i];
        found[i] = bw_stream_no_source(i);
        if (column >= (int)NAMED)
            found[i] = get64(numbers + ((unsigned)column - NAMED) * sizeof(uint64_t));
    }
    return bw_stream_take_sources(r, r->before + r->at, found, &batch->requests[batch->count],
                                  &batch->sources[batch->count]);
}

int bw_bwr_read(bw_stream_reader *reader, bw_stream_batch *batch)
{
    bw_stream_reader *r = reader;
    bw_bwr *b = &r->binary;
    int got = 1;
    while (batch->count < batch->most && (b->left || (got = read_block(r)) == 1)) {
        const char *numbers = r->data + r->at + RECORD;
        if (read_record(r, &batch->requests[batch->count]) < 0)
            return batch->count ? 1 : -1;
        for (unsigned i = 0; i < batch->column_count; i++) {
            unsigned column = batch->columns[i];
            batch->numbers[batch->count * batch->column_count + i] =
                column >= NAMED && column < r->column_count
                    ? get64(numbers + (column - NAMED) * sizeof(uint64_t))
                    : batch->empty[i];
        }
        if (r->has_sources && batch->sources && batch_sources(r, batch, numbers) < 0)
            return batch->count ? 1 : -1;
        pass_record(r);
        if (batch->lines)
            batch->lines[batch->count] = b->records;
        batch->count++;
    }
    return batch->count ? 1 : got;
}

/* ---- writing ---- */

struct bw_bwr_writer {
    FILE *file;
    unsigned numbers;
    uint32_t count;   /* records in the block */
    uint64_t records; /* in those before */
    char *block;      /* room for one with its head; malloc'd */
};

/* Words of a text with a blank between. */
static unsigned count_words(const char *text)
{
    unsigned count = 0;
    for (const char *at = text; *(at += strspn(at, " ")); at += strcspn(at, " "))
        count++;
    return count;
}

static void write_head(FILE *file, const char *comments, const char *columns)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    if (!out)
        bw_out_of_memory();
    for (unsigned i = 0; i < HEAD; i++)
        putc(0, out);
    fprintf(out, "%sops:", comments);
    for (unsigned op = 0; op < BW_OP_COUNT; op++)
        fprintf(out, " %s", bw_op_get((bw_op)op)->name);
    fprintf(out, "\ncolumns: %s\n", columns);
    fflush(out);
    for (size_t at = len; at % 8; at++)
        putc('\n', out);
    if (fclose(out) != 0)
        bw_out_of_memory();
    memcpy(text, magic, BW_STREAM_MAGIC_BYTES);
    put32(text + 8, VERSION);
    put32(text + 12, ORDER);
    put32(text + 16, (uint32_t)(len - HEAD));
    put64(text + SUM_AT, sum_of(text, len));
    fwrite(text, 1, len, file);
    free(text);
}

bw_bwr_writer *bw_bwr_create(FILE *file, const char *head, const char *columns)
{
    bw_bwr_writer *w = bw_calloc(1, sizeof *w);
    w->file = file;
    w->numbers = count_words(columns);
    w->block = bw_calloc(1, HEAD + BLOCK_RECORDS * (RECORD + w->numbers * sizeof(uint64_t)));
    write_head(file, head, columns);
    return w;
}

static void write_block(bw_bwr_writer *w, const char *mark)
{
    size_t bytes = w->count * (RECORD + w->numbers * sizeof(uint64_t));
    memcpy(w->block, mark, 4);
    put32(w->block + 4, w->count);
    put32(w->block + 8, (uint32_t)bytes);
    put32(w->block + 12, 0);
    put64(w->block + 16, w->records);
    put64(w->block + SUM_AT, 0);
    put64(w->block + SUM_AT, sum_of(w->block, HEAD + bytes));
    fwrite(w->block, 1, HEAD + bytes, w->file);
    w->records += w->count;
    w->count = 0;
}

void bw_bwr_write(bw_bwr_writer *writer, const bw_request *request, const uint64_t *numbers)
{
    bw_bwr_writer *w = writer;
    char *at = w->block + HEAD + w->count * (RECORD + w->numbers * sizeof(uint64_t));
    put32(at, (uint32_t)request->op);
    put32(at + 4, request->active);
    for (unsigned lane = 0; lane < BW_LANES; lane++)
        put32(at + 8 + lane * 4, request->addr[lane]);
    for (unsigned i = 0; i < w->numbers; i++)
        put64(at + RECORD + i * sizeof(uint64_t), numbers[i]);
    if (++w->count == BLOCK_RECORDS)
        write_block(w, "BLOC");
}

void bw_bwr_finish(bw_bwr_writer *writer, bool whole)
{
    if (!writer)
        return;
    if (writer->count)
        write_block(writer, "BLOC");
    if (whole)
        write_block(writer, "LAST");
    free(writer->block);
    free(writer);
}
