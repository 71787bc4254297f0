/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "pattern.h"

#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "parse.h"
#include "uses_private.h"
#include "vm_join.h"

struct bw_pattern {
    bw_arena arena;
    const bw_source *source;
    bw_pattern_options options;
    bw_tokens tokens;
    bw_parser parser;
    bw_code *codes; /* one a launch */
    bw_launch *launches;
    size_t launch_count;
    bw_sites sites;
    bw_access *accesses;
    size_t access_count, access_capacity;
    bw_expects expects;
    bw_launch_uses *uses; /* one a launch, filled when first asked for */
    bw_pattern_row *rows; /* of a request stream, which has no code; malloc'd */
    uint32_t *row_access; /* by row: its access */
    size_t row_count;
    bool is_random;
};

/* ---- shapes
 * ---------------------------------------------------------------------------------------------- */

static void override(uint32_t to[3], const uint32_t from[3])
{
    if (!from[0])
        return;
    for (int i = 0; i < 3; i++)
        to[i] = from[i] ? from[i] : 1;
}

static void add_launch(bw_parser *q, bw_function *kernel, bw_span span)
{
    BW_GROW(q->launches, q->launch_count, q->launch_capacity);
    q->launches[q->launch_count++] = (bw_ast_launch){
        .kernel = kernel, .grid = {1, 1, 1}, .block = {BW_LANES, 1, 1}, .span = span};
}

static int by_place(const void *a, const void *b)
{
    const bw_ast_launch *x = a, *y = b;
    return (x->span.offset > y->span.offset) - (x->span.offset < y->span.offset);
}

/* A file with no launch: --block launches its kernels. */
static void launch_all(bw_pattern *p, bw_diags *diags)
{
    bw_parser *q = &p->parser;
    const bw_function *other = NULL;
    for (bw_function *f = q->functions; f; f = f->next_instance) {
        if (f->is_kernel && !f->is_template && p->options.block[0])
            add_launch(q, f, f->span);
        else if (f->is_kernel && (!other || f->span.offset < other->span.offset))
            other = f;
    }
    if (q->launch_count) {
        qsort(q->launches, q->launch_count, sizeof *q->launches, by_place);
        return;
    }
    bw_diagnostic *d =
        bw_error(diags, p->source, other ? other->span : (bw_span){0, 0},
                 other ? "this kernel is never launched" : "nothing here accesses memory");
    if (other && !other->is_template)
        bw_note(diags, d,
                "give --block 32x8 (and --grid), or add a line at the end: "
                "%s<<<dim3(1), dim3(32, 8)>>>(…);",
                other->name);
    else
        bw_note(diags, d, "add a line at the end: %s%s<<<dim3(1), dim3(32, 8)>>>(…);",
                other ? other->name : "kernel", other ? "<…>" : "");
}

/* --block and --grid change launches; a kernel without a launch runs with them. */
static void shape_launches(bw_pattern *p, bw_diags *diags)
{
    bw_parser *q = &p->parser;
    const bw_pattern_options *o = &p->options;
    bw_span whole = {0, 0};
    if (q->script || (!q->launch_count && !q->functions))
        add_launch(q, NULL, whole);
    else if (!q->launch_count)
        launch_all(p, diags);
    for (size_t i = 0; i < q->launch_count; i++) {
        override(q->launches[i].block, o->block);
        override(q->launches[i].grid, o->grid);
        const uint32_t *b = q->launches[i].block;
        if ((uint64_t)b[0] * b[1] * b[2] > 1024 || b[0] > 1024 || b[1] > 1024 || b[2] > 64)
            bw_note(diags,
                    bw_error(diags, NULL, whole, "a block of %ux%ux%u cannot be launched", b[0],
                             b[1], b[2]),
                    "a block is at most 1024 x 1024 x 64 and 1024 threads in all");
    }
}

static void check_shared_size(bw_pattern *p, const bw_code *c, const bw_ast_launch *launch,
                              bw_diags *diags)
{
    const bw_arch *arch = p->options.arch;
    uint64_t total = (uint64_t)c->static_shared + c->dynamic_shared;
    bw_span span = c->shared_count ? c->shared[c->shared_count - 1].span : launch->span;
    if (total > arch->shared_per_block) {
        bw_note(
            diags,
            bw_error(diags, p->source, span,
                     "the block needs %llu bytes of shared memory; a block on %s has at most %u",
                     (unsigned long long)total, arch->name, arch->shared_per_block),
            "make the arrays smaller, or choose another card with --arch");
    } else if (c->static_shared > arch->shared_static && c->dynamic_shared == 0) {
        bw_note(diags,
                bw_warning(diags, BW_WARN_STATIC_SHARED, p->source, span,
                           "%u bytes of static shared memory: nvcc accepts at most %u",
                           c->static_shared, arch->shared_static),
                "in a kernel, make the array 'extern __shared__' and give its bytes in the launch");
    }
}

static const char *launch_name(const bw_ast_launch *launch)
{
    return launch->kernel ? launch->kernel->full_name : NULL;
}

static void generate(bw_pattern *p, bw_diags *diags)
{
    bw_parser *q = &p->parser;
    p->launch_count = q->launch_count;
    p->codes = bw_calloc(p->launch_count, sizeof *p->codes);
    p->launches = bw_calloc(p->launch_count, sizeof *p->launches);
    for (size_t i = 0; i < p->launch_count; i++) {
        bw_ast_launch *launch = &q->launches[i];
        bw_code *c = &p->codes[i];
        if (bw_generate(&p->arena, p->source, launch, q->script, q->assumes, q->assume_count,
                        &p->sites, c, diags)) {
            bw_code_alignment(c);
            bw_code_optimize(c);
            check_shared_size(p, c, launch, diags);
        }
        bw_launch *l = &p->launches[i];
        *l = (bw_launch){.kernel = launch_name(launch), .span = launch->span};
        memcpy(l->block, launch->block, sizeof l->block);
        memcpy(l->grid, launch->grid, sizeof l->grid);
        l->shared_bytes = c->static_shared + c->dynamic_shared;
    }
    for (size_t i = 0; i < q->assume_count; i++)
        if (!q->assumes[i].used)
            bw_note(diags,
                    bw_error(diags, p->source, q->assumes[i].span, "nothing global is called '%s'",
                             q->assumes[i].name),
                    "name a pointer parameter of a launched kernel, or a global array");
}

/* ---- the interface
 * ----------------------------------------------------------------------------------------- */

static void unused_defines(bw_pattern *p, const bool *used, bw_diags *diags)
{
    const bw_parser *q = &p->parser;
    for (size_t i = 0; i < p->options.define_count; i++) {
        if (used[i])
            continue;
        bw_diagnostic *d = bw_error(diags, NULL, (bw_span){0, 0}, "-D %s: %s has no such parameter",
                                    p->options.defines[i].name, p->source->name);
        const char *list = "";
        for (size_t k = 0; k < q->parameter_count; k++)
            list = bw_arena_format(&p->arena, "%s %s", list, q->parameters[k].name);
        if (*list)
            bw_note(diags, d, "its parameters are:%s", list);
        else
            bw_note(diags, d, "it has none: a parameter is a line such as: const int %s = 1;",
                    p->options.defines[i].name);
    }
}

bw_pattern *bw_pattern_parse(const bw_source *source, const bw_pattern_options *options,
                             bw_diags *diags)
{
    bw_pattern *p = bw_calloc(1, sizeof *p);
    p->source = source;
    p->options = *options;
    if (!p->options.arch)
        p->options.arch = bw_arch_find("sm_90");
    if (!p->options.max_steps)
        p->options.max_steps = BW_DEFAULT_MAX_STEPS;
    if (!p->options.max_memory)
        p->options.max_memory = BW_DEFAULT_MAX_MEMORY;
    size_t errors = diags->errors;
    if (source->len > INT32_MAX / 2) {
        bw_error(diags, NULL, (bw_span){0, 0}, "%s: the file is too large", source->name);
        return p;
    }
    bool *used = bw_calloc(options->define_count + 1, sizeof *used);
    bw_lex(&p->arena, source, &p->options, used, &p->tokens, diags);
    bw_parser *q = &p->parser;
    *q = (bw_parser){.arena = &p->arena,
                     .source = source,
                     .options = &p->options,
                     .diags = diags,
                     .tokens = p->tokens.items,
                     .count = p->tokens.count,
                     .used_defines = used,
                     .is_random = &p->is_random};
    for (size_t i = 0; i < p->tokens.define_count; i++) {
        BW_GROW(q->parameters, q->parameter_count, q->parameter_capacity);
        q->parameters[q->parameter_count++] = p->tokens.defines[i];
    }
    bw_parse_file(q);
    for (size_t i = 0; i < p->tokens.comment_count; i++) {
        if (p->tokens.comments[i].is_assume)
            bw_parse_assume(q, &p->tokens.comments[i]);
        else
            bw_expects_read(&p->expects, source, &p->tokens.comments[i], diags);
    }
    unused_defines(p, used, diags);
    free(used);
    if (diags->errors == errors)
        shape_launches(p, diags);
    if (diags->errors == errors)
        generate(p, diags);
    return p;
}

void bw_pattern_destroy(bw_pattern *p)
{
    if (!p)
        return;
    for (size_t i = 0; p->codes && i < p->launch_count; i++)
        bw_code_finish(&p->codes[i]);
    free(p->codes);
    free(p->launches);
    free(p->sites.items);
    free(p->expects.items);
    free(p->parser.statements);
    free(p->rows);
    free(p->row_access);
    free(p->uses);
    free(p->parser.parameters);
    free(p->parser.launches);
    free(p->parser.assumes);
    bw_tokens_finish(&p->tokens);
    bw_arena_finish(&p->arena);
    free(p);
}

const char *bw_pattern_title(const bw_pattern *p)
{
    return p->tokens.title;
}

size_t bw_pattern_parameters(const bw_pattern *p, const bw_parameter **parameters)
{
    *parameters = p->parser.parameters;
    return p->parser.parameter_count;
}

size_t bw_pattern_launches(const bw_pattern *p, const bw_launch **launches)
{
    *launches = p->launches;
    return p->launch_count;
}

size_t bw_pattern_expects(const bw_pattern *p, const bw_expect **expects)
{
    *expects = p->expects.items;
    return p->expects.count;
}

bool bw_pattern_expects_of(const bw_pattern *p, const bw_expect *expect, const bw_access *access)
{
    return bw_expect_applies(expect, access, p->accesses, p->access_count, p->source,
                             p->parser.statements, p->parser.statement_count);
}

bool bw_pattern_is_random(const bw_pattern *p)
{
    return p->is_random;
}

size_t bw_pattern_accesses(const bw_pattern *p, const bw_access **accesses)
{
    *accesses = p->accesses;
    return p->access_count;
}

/* ---- request streams ---------------------------------------------------------------------------
 */

static bw_span line_span(const bw_source *source, unsigned line)
{
    size_t len;
    const char *text = bw_source_line(source, line, &len);
    return (bw_span){(uint32_t)(text - source->text), (uint32_t)len};
}

static bool check_row(bw_pattern *p, const bw_pattern_row *row, bw_diags *diags)
{
    const bw_op_info *info = bw_op_get(row->request.op);
    uint32_t limit = p->options.arch->shared_per_block;
    int lane = bw_request_bad_lane(&row->request, limit);
    if (lane < 0)
        return true;
    uint32_t a = row->request.addr[lane];
    bw_diagnostic *d =
        bw_error(diags, p->source, line_span(p->source, row->line),
                 a % info->bytes ? "misaligned access: lane %d uses byte address %u"
                                 : "lane %d uses byte address %u, past the shared memory",
                 lane, a);
    if (a % info->bytes)
        bw_note(diags, d, "%s needs a multiple of %u", info->name, info->bytes);
    else
        bw_note(diags, d, "a block on %s has %u bytes", p->options.arch->name, limit);
    return false;
}

/* "ffffffff: 0, 4, 8, 12, …": the lanes and their first addresses. */
static const char *row_text(bw_pattern *p, const bw_request *r)
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
static uint32_t access_of_row(bw_pattern *p, const bw_pattern_row *row, bool own)
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

bw_pattern *bw_pattern_of_rows(const bw_source *source, const bw_pattern_row *rows, size_t count,
                               const bw_pattern_options *options, bw_diags *diags)
{
    bw_pattern *p = bw_calloc(1, sizeof *p);
    bool own = count <= BW_PATTERN_ROWS_SHOWN;
    p->source = source;
    p->options = *options;
    if (!p->options.arch)
        p->options.arch = bw_arch_find("sm_90");
    p->rows = bw_alloc(count * sizeof *rows);
    memcpy(p->rows, rows, count * sizeof *rows);
    p->row_access = bw_calloc(count, sizeof *p->row_access);
    p->row_count = count;
    p->accesses = bw_arena_alloc(&p->arena, (own ? count : BW_OP_COUNT) * sizeof *p->accesses);
    p->launches = bw_calloc(1, sizeof *p->launches);
    p->launches[0] = (bw_launch){.block = {BW_LANES, 1, 1}, .grid = {1, 1, 1}};
    p->launch_count = 1;
    for (size_t k = 0; k < count; k++)
        if (check_row(p, &rows[k], diags))
            p->row_access[k] = access_of_row(p, &rows[k], own);
    if (options->join)
        bw_note(diags,
                bw_error(diags, NULL, (bw_span){0, 0}, "--join: %s holds requests", source->name),
                "only a pattern says which accesses of a thread follow each other");
    for (size_t k = 0; k < options->define_count; k++)
        bw_note(diags,
                bw_error(diags, NULL, (bw_span){0, 0}, "-D %s: %s has no such parameter",
                         options->defines[k].name, source->name),
                "it is a request stream, and has none");
    return p;
}

static bool run_rows(bw_pattern *p, const bw_sink *sink, bw_run *run)
{
    run->blocks_evaluated = 1;
    for (size_t k = 0; k < p->row_count; k++) {
        bw_origin origin = {.access = p->row_access[k]};
        run->steps++;
        if (!sink->request(sink->context, &origin, &p->rows[k].request, p->rows[k].count))
            break;
    }
    return true;
}

bool bw_pattern_run(bw_pattern *p, size_t launch, const bw_sink *sink, bw_run *run, bw_diags *diags)
{
    *run = (bw_run){0};
    if (p->rows)
        return run_rows(p, sink, run);
    if (launch >= p->launch_count || !p->codes[launch].count)
        return false;
    const bw_launch *l = &p->launches[launch];
    bw_vm vm = {.code = &p->codes[launch],
                .source = p->source,
                .arena = &p->arena,
                .sites = &p->sites,
                .diags = diags,
                .host = &p->options.host,
                .sink = sink,
                .joiner = bw_joiner_create(p->options.join),
                .joining = true,
                .accesses = &p->accesses,
                .access_count = &p->access_count,
                .access_capacity = &p->access_capacity,
                .shared_bytes = l->shared_bytes,
                .max_steps = p->options.max_steps};
    memcpy(vm.block_dim, l->block, sizeof vm.block_dim);
    memcpy(vm.grid_dim, l->grid, sizeof vm.grid_dim);
    bool good = bw_vm_run(&vm, p->codes[launch].blocks_alike, run, p->options.max_memory, l->span);
    bw_joiner_destroy(vm.joiner);
    return good;
}

/* ---- what is declared and named ---- */

static const bw_launch_uses *uses_of(bw_pattern *p, size_t launch)
{
    static const bw_launch_uses none;
    if (launch >= p->launch_count || p->rows)
        return &none;
    if (!p->uses)
        p->uses = bw_calloc(p->launch_count, sizeof *p->uses);
    bw_launch_uses *uses = &p->uses[launch];
    if (!uses->known)
        *uses = bw_find_uses(&p->arena, p->source, p->parser.script,
                             p->parser.launches[launch].kernel, &p->codes[launch]);
    return uses;
}

size_t bw_pattern_arrays(bw_pattern *p, size_t launch, const bw_array **arrays)
{
    const bw_launch_uses *uses = uses_of(p, launch);
    *arrays = uses->arrays;
    return uses->array_count;
}

size_t bw_pattern_pointer_uses(bw_pattern *p, size_t launch, const bw_pointer_use **found)
{
    const bw_launch_uses *uses = uses_of(p, launch);
    *found = uses->pointers;
    return uses->pointer_count;
}
