/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"

typedef struct stream {
    bw_program program;
    bw_arena arena;
    const bw_source *source;
    bw_launch launch;
    bw_row *rows;         /* malloc'd, as is the next */
    uint32_t *row_access; /* by row: its access */
    size_t row_count;
    bw_access *accesses; /* in the arena */
    size_t access_count;
} stream;

static bw_span line_span(const bw_source *source, unsigned line)
{
    size_t len;
    const char *text = bw_source_line(source, line, &len);
    return (bw_span){(uint32_t)(text - source->text), (uint32_t)len};
}

static bool check_row(stream *p, const bw_row *row, bw_diags *diags)
{
    const bw_op_info *info = bw_op_get(row->request.op);
    uint32_t limit = p->program.arch->shared_per_block;
    int lane = bw_request_bad_lane(&row->request, limit);
    if (lane < 0)
        return true;
    uint32_t a = row->request.addr[lane];
    bw_diagnostic *d =
        bw_diagnose(diags, BW_MSG_LANE_ADDRESS, p->source, line_span(p->source, row->line),
                    a % info->bytes ? "misaligned access: lane %d uses byte address %u"
                                    : "lane %d uses byte address %u, past the shared memory",
                    lane, a);
    if (a % info->bytes)
        bw_note(diags, d, "%s needs a multiple of %u", info->name, info->bytes);
    else
        bw_note(diags, d, "a block on %s has %u bytes", p->program.arch->name, limit);
    return false;
}

/* "ffffffff: 0, 4, 8, 12, …": the lanes and their first addresses. */
static const char *row_text(stream *p, const bw_request *r)
{
    const char *text = bw_arena_format(&p->arena, "%08x:", r->active);
    int shown = 0;
    for (uint32_t left = bw_request_lanes(r); left; left &= left - 1, shown++) {
        if (shown == 4)
            return bw_arena_format(&p->arena, "%s ...", text);
        text = bw_arena_format(&p->arena, "%s%s %u", text, shown ? "," : "",
                               r->addr[__builtin_ctz(left)]);
    }
    return text;
}

/* The access that a row belongs to: its own, or in a long stream its operation's. */
static uint32_t access_of_row(stream *p, const bw_row *row, bool own)
{
    for (size_t k = 0; !own && k < p->access_count; k++)
        if (p->accesses[k].op == row->request.op)
            return (uint32_t)k;
    p->accesses[p->access_count] =
        (bw_access){.span = line_span(p->source, row->line),
                    .line = row->line,
                    .column = 1,
                    .source = own ? row_text(p, &row->request) : "all rows of this operation",
                    .array = "shared memory",
                    .op = row->request.op,
                    .joins = row->request.op};
    return (uint32_t)p->access_count++;
}

static size_t launches(const bw_program *program, const bw_launch **found)
{
    *found = &((const stream *)program)->launch;
    return 1;
}

static size_t accesses(const bw_program *program, const bw_access **found)
{
    const stream *p = (const stream *)program;
    *found = p->accesses;
    return p->access_count;
}

static bool run_rows(bw_program *program, size_t launch, const bw_sink *sink, bw_run *run,
                     bw_diags *diags)
{
    const stream *p = (const stream *)program;
    (void)diags;
    if (launch)
        return false;
    run->blocks_evaluated = 1;
    for (size_t k = 0; k < p->row_count; k++) {
        bw_request_origin origin = {.access = p->row_access[k]};
        run->steps++;
        if (!sink->request(sink->context, &origin, &p->rows[k].request, p->rows[k].count))
            break;
    }
    return true;
}

static void destroy(bw_program *program)
{
    stream *p = (stream *)program;
    free(p->rows);
    free(p->row_access);
    bw_arena_finish(&p->arena);
    free(p);
}

static const bw_front_end front_end = {
    .name = "request stream",
    .launches = launches,
    .accesses = accesses,
    .run = run_rows,
    .destroy = destroy,
};

static void keep_sources(stream *p, bw_request *request)
{
    if (!bw_op_get(request->op)->copies || !request->sources)
        return;
    bw_sources *kept = bw_arena_alloc(&p->arena, sizeof *kept);
    *kept = *request->sources;
    request->sources = kept;
    p->program.sources = true;
}

bw_program *bw_rows_program(const bw_source *source, const bw_row *rows, size_t count,
                            const bw_arch *arch, bw_diags *diags)
{
    stream *p = bw_calloc(1, sizeof *p);
    bool own = count <= BW_ROWS_SHOWN;
    p->program.front = &front_end;
    p->source = source;
    p->program.arch = arch;
    p->rows = bw_alloc(count * sizeof *rows);
    memcpy(p->rows, rows, count * sizeof *rows);
    for (size_t k = 0; k < count; k++)
        keep_sources(p, &p->rows[k].request);
    p->row_access = bw_calloc(count, sizeof *p->row_access);
    p->row_count = count;
    p->accesses = bw_arena_alloc(&p->arena, (own ? count : BW_OP_COUNT) * sizeof *p->accesses);
    p->launch = (bw_launch){.block = {BW_LANES, 1, 1}, .grid = {1, 1, 1}};
    for (size_t k = 0; k < count; k++)
        if (check_row(p, &rows[k], diags))
            p->row_access[k] = access_of_row(p, &rows[k], own);
    return &p->program;
}
