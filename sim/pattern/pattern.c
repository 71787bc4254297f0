/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "pattern.h"

#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "hooks.h"
#include "find_uses.h"
#include "vm_join.h"

typedef struct bw_pattern {
    bw_program program;
    bw_arena arena;
    const bw_source *source;
    bw_lines lines;
    bw_pattern_options options;
    bw_tokens tokens;
    bw_tree_input input;
    bw_given given;
    bw_tree tree;
    bw_code *codes; /* one a launch */
    bw_launch *launches;
    size_t launch_count;
    bw_sites sites;
    bw_access *accesses;
    size_t access_count, access_capacity;
    bw_expects expects;
    bw_launch_uses *uses; /* one a launch, filled when first asked for */
} bw_pattern;

/* ---- shapes
 * ---------------------------------------------------------------------------------------------- */

static void override(uint32_t to[3], const uint32_t from[3])
{
    if (!from[0])
        return;
    for (int i = 0; i < 3; i++)
        to[i] = from[i] ? from[i] : 1;
}

static void add_script(bw_tree *q)
{
    BW_GROW(q->launches, q->launch_count, q->launch_capacity);
    q->launches[q->launch_count++] = (bw_ast_launch){.grid = {1, 1, 1}, .block = {BW_LANES, 1, 1}};
}

/* A file of kernels of which none runs. */
static void report_nothing(bw_pattern *p, bw_diags *diags)
{
    const bw_function *first = NULL;
    for (const bw_function *f = p->tree.functions; f; f = f->next)
        if (f->is_kernel && (!first || f->span.offset < first->span.offset))
            first = f;
    if (p->options.kernel) {
        bw_note(diags,
                bw_diagnose(diags, BW_MSG_NOTHING_TO_RUN, NULL, (bw_span){0, 0},
                            "--kernel %s: no kernel that is launched is called so",
                            p->options.kernel),
                "%s",
                first ? "give a part of its name, and --block 32x8 or a --launch if nothing "
                        "launches it"
                      : "the file has no kernels");
        return;
    }
    bw_diagnostic *d =
        bw_diagnose(diags, BW_MSG_NOTHING_TO_RUN, p->source, first ? first->span : (bw_span){0, 0},
                    first ? "this kernel is never launched" : "nothing here accesses memory");
    if (first)
        bw_note(diags, d,
                bw_is_template(first) ? "give %s" : "give --block 32x8 (and --grid), or %s",
                bw_launch_advice(&p->input, first));
    else
        bw_note(diags, d, "add a line at the end: kernel<<<dim3(1), dim3(32, 8)>>>(…);");
}

/* --block, --grid and --shared change the launches of the file. */
static void shape_launches(bw_pattern *p, bw_diags *diags)
{
    bw_tree *q = &p->tree;
    const bw_pattern_options *o = &p->options;
    bw_span whole = {0, 0};
    if ((q->script || (!q->launch_count && !q->functions)) && !o->kernel)
        add_script(q);
    else if (!q->launch_count)
        report_nothing(p, diags);
    for (size_t i = 0; i < q->launch_count; i++) {
        if (q->launches[i].order)
            continue;
        override(q->launches[i].block, o->block);
        override(q->launches[i].grid, o->grid);
        if (o->has_shared)
            q->launches[i].dynamic_shared = o->shared;
        const uint32_t *b = q->launches[i].block;
        if ((uint64_t)b[0] * b[1] * b[2] > 1024 || b[0] > 1024 || b[1] > 1024 || b[2] > 64)
            bw_note(diags,
                    bw_diagnose(diags, BW_MSG_LAUNCH_SHAPE, NULL, whole,
                                "a block of %ux%ux%u cannot be launched", b[0], b[1], b[2]),
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
            bw_diagnose(diags, BW_MSG_SHARED_SIZE, p->source, span,
                        "the block needs %llu bytes of shared memory; a block on %s has at most %u",
                        (unsigned long long)total, arch->name, arch->shared_per_block),
            "make the arrays smaller, or choose another card with --arch");
    } else if (c->static_shared > arch->shared_static && c->dynamic_shared == 0) {
        bw_note(diags,
                bw_diagnose(diags, BW_MSG_STATIC_SHARED, p->source, span,
                            "%u bytes of static shared memory: nvcc accepts at most %u",
                            c->static_shared, arch->shared_static),
                "in a kernel, make the array 'extern __shared__' and give its bytes in the launch");
    }
}

static const char *launch_name(const bw_ast_launch *launch)
{
    return launch->kernel ? launch->kernel->full_name : NULL;
}

/* Of the kernels that only --block launches, those that touch no shared memory say nothing beside
 * others. */
static void drop_launches_of_nothing(bw_pattern *p)
{
    bw_tree *q = &p->tree;
    size_t kept = 0, left = p->launch_count;
    for (size_t i = 0; i < p->launch_count; i++) {
        if (q->launches[i].implied && !p->codes[i].shared_count && left > 1) {
            bw_code_finish(&p->codes[i]);
            left--;
            continue;
        }
        q->launches[kept] = q->launches[i];
        p->codes[kept] = p->codes[i];
        p->launches[kept++] = p->launches[i];
    }
    q->launch_count = p->launch_count = kept;
}

static void generate(bw_pattern *p, bw_diags *diags)
{
    bw_tree *q = &p->tree;
    p->launch_count = q->launch_count;
    p->codes = bw_calloc(p->launch_count, sizeof *p->codes);
    p->launches = bw_calloc(p->launch_count, sizeof *p->launches);
    for (size_t i = 0; i < p->launch_count; i++) {
        bw_ast_launch *launch = &q->launches[i];
        bw_code *c = &p->codes[i];
        if (bw_generate(&p->arena, p->source, launch, q->script, q->assumes, q->assume_count,
                        &p->sites, c, diags)) {
            bw_code_alignment(c);
            bw_code_loops(c);
            bw_code_optimize(c);
            check_shared_size(p, c, launch, diags);
        }
        bw_launch *l = &p->launches[i];
        *l = (bw_launch){.kernel = launch_name(launch), .span = launch->span};
        memcpy(l->block, launch->block, sizeof l->block);
        memcpy(l->grid, launch->grid, sizeof l->grid);
        l->shared_bytes = c->static_shared + c->dynamic_shared;
    }
    drop_launches_of_nothing(p);
    for (size_t i = 0; i < q->assume_count; i++)
        if (!q->assumes[i].used)
            bw_note(diags,
                    bw_diagnose(diags, BW_MSG_ASSUMPTION, p->source, q->assumes[i].span,
                                "nothing global is called '%s'", q->assumes[i].name),
                    "name a pointer parameter of a launched kernel, or a global array");
}

/* ---- as a program ---- */

static void destroy(bw_program *program)
{
    bw_pattern *p = (bw_pattern *)program;
    for (size_t i = 0; p->codes && i < p->launch_count; i++)
        bw_code_finish(&p->codes[i]);
    free(p->codes);
    free(p->launches);
    free(p->sites.items);
    free(p->sites.calls);
    free(p->expects.items);
    free(p->uses);
    bw_tree_finish(&p->tree);
    bw_tokens_finish(&p->tokens);
    bw_arena_finish(&p->arena);
    free(p);
}

static const char *title(const bw_program *program)
{
    return ((const bw_pattern *)program)->tokens.title;
}

static size_t parameters(const bw_program *program, const bw_parameter **found)
{
    const bw_pattern *p = (const bw_pattern *)program;
    *found = p->tree.parameters;
    return p->tree.parameter_count;
}

static size_t launches(const bw_program *program, const bw_launch **found)
{
    const bw_pattern *p = (const bw_pattern *)program;
    *found = p->launches;
    return p->launch_count;
}

static size_t expects(const bw_program *program, const bw_expect **found)
{
    const bw_pattern *p = (const bw_pattern *)program;
    *found = p->expects.items;
    return p->expects.count;
}

static bool expects_of(const bw_program *program, const bw_expect *expect, const bw_access *access)
{
    const bw_pattern *p = (const bw_pattern *)program;
    return bw_expect_applies(expect, access, p->accesses, p->access_count, &p->lines,
                             p->tree.statements, p->tree.statement_count);
}

static bool is_random(const bw_program *program)
{
    return ((const bw_pattern *)program)->tree.is_random;
}

static size_t accesses(const bw_program *program, const bw_access **found)
{
    const bw_pattern *p = (const bw_pattern *)program;
    *found = p->accesses;
    return p->access_count;
}

static bool run_launch(bw_program *program, size_t launch, const bw_sink *sink, bw_run *run,
                       bw_diags *diags)
{
    bw_pattern *p = (bw_pattern *)program;
    if (launch >= p->launch_count || !p->codes[launch].count)
        return false;
    const bw_launch *l = &p->launches[launch];
    bw_vm vm = {.code = &p->codes[launch],
                .source = p->source,
                .lines = &p->lines,
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
                .shared.size = l->shared_bytes,
                .run = run,
                .sample = program->sample,
                .max_steps = p->options.max_steps};
    for (size_t i = 0; i < p->sites.count; i++) /* the arrays of another launch lie elsewhere */
        p->sites.items[i].latest = -1;
    memcpy(vm.shape.block, l->block, sizeof vm.shape.block);
    memcpy(vm.shape.grid, l->grid, sizeof vm.shape.grid);
    bool good = bw_vm_run(&vm, p->codes[launch].blocks_alike, p->options.max_memory, l->span);
    bw_joiner_destroy(vm.joiner);
    return good;
}

static const bw_front_end front_end = {
    .name = "pattern",
    .title = title,
    .parameters = parameters,
    .expects = expects,
    .expects_of = expects_of,
    .is_random = is_random,
    .launches = launches,
    .accesses = accesses,
    .run = run_launch,
    .destroy = destroy,
};

/* ---- parsing ---- */

static void unused_defines(bw_pattern *p, const bool *used, bw_diags *diags)
{
    const bw_tree *q = &p->tree;
    for (size_t i = 0; i < p->options.define_count; i++) {
        if (used[i])
            continue;
        bw_diagnostic *d = bw_diagnose(diags, BW_MSG_UNKNOWN_PARAMETER, NULL, (bw_span){0, 0},
                                       "-D %s: %s has no such parameter",
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

static void unused_arguments(bw_pattern *p, const bool *used, bw_diags *diags)
{
    const char *list = "";
    for (size_t i = 0; i < p->tree.launch_count; i++) {
        const bw_function *f = p->tree.launches[i].kernel;
        for (uint32_t k = 0; f && k < f->param_count; k++)
            list = bw_arena_format(&p->arena, "%s%s%s:%s", list, *list ? ", " : "", f->name,
                                   f->params[k]->name);
    }
    for (size_t i = 0; i < p->options.argument_count; i++)
        if (!used[i])
            bw_note(diags,
                    bw_diagnose(diags, BW_MSG_LAUNCH_ARGUMENT, NULL, (bw_span){0, 0},
                                "--arg %s=%s: no kernel that is launched has it",
                                p->options.arguments[i].target, p->options.arguments[i].value),
                    *list ? "the parameters are: %s" : "no launched kernel has parameters%s", list);
}

static void read_text(bw_pattern *p, bool *used, bool *used_arguments, bw_diags *diags)
{
    const bw_pattern_options *o = &p->options;
    p->given = (bw_given){o->arch, o->defines, o->define_count, used, &o->host};
    p->input = (bw_tree_input){.arena = &p->arena,
                               .source = p->source,
                               .tokens = &p->tokens,
                               .given = &p->given,
                               .has_shared = o->has_shared,
                               .shared = o->shared,
                               .kernel = o->kernel,
                               .launch_orders = o->launch_orders,
                               .arguments = o->arguments,
                               .argument_count = o->argument_count,
                               .used = used_arguments,
                               .host = &o->host,
                               .cxx = &bw_cxx_room,
                               .host_code = &bw_host_room};
    memcpy(p->input.block, o->block, sizeof p->input.block);
    memcpy(p->input.grid, o->grid, sizeof p->input.grid);
    bw_lex(&p->arena, p->source, &p->given, &p->tokens, diags);
    bw_tree_read(&p->tree, &p->input, diags);
    for (size_t i = 0; i < p->tokens.comment_count; i++)
        if (!p->tokens.comments[i].is_assume)
            bw_expects_read(&p->expects, p->source, &p->tokens.comments[i], diags);
}

/* What a header that is not there would have said: where a condition asks for it, or the text has
 * names that nothing declares. */
static void report_missed(bw_pattern *p, bool failed, bw_diags *diags)
{
    const bw_tokens *t = &p->tokens;
    bool nothing = !p->tree.script && !p->tree.functions && !p->tree.launch_count;
    if (!t->missed_count || (!t->hanging_count && !failed && !nothing))
        return;
    const char *more = t->missed_count > 1
                           ? bw_arena_format(&p->arena, ", nor %zu more", t->missed_count - 1)
                           : "";
    bw_diagnostic *d =
        bw_diagnose(diags, BW_MSG_MISSING_HEADER, p->source, t->missed.span,
                    "the header %.*s was not found%s", (int)t->missed.len, t->missed.text, more);
    if (t->hanging_count)
        bw_also(diags, d, p->source, t->hanging[0].span,
                "this condition hangs on it: nothing here defines '%.*s'", (int)t->hanging[0].len,
                t->hanging[0].text);
    bw_note(diags, d, "put it beside the file, or say with -D what it defines%s",
            t->hanging_count > 1 ? "; more conditions hang on it" : "");
    if (nothing)
        bw_note(diags,
                bw_diagnose(diags, BW_MSG_NOTHING_TO_RUN, p->source, t->missed.span,
                            "no kernel was seen"),
                "what the header defines may decide whether there is one");
}

bw_program *bw_pattern_parse(const bw_source *source, const bw_pattern_options *options,
                             bw_diags *diags)
{
    bw_pattern *p = bw_calloc(1, sizeof *p);
    p->program.front = &front_end;
    p->source = source;
    p->lines = bw_lines_of(&p->arena, source);
    p->options = *options;
    if (!p->options.arch)
        p->options.arch = bw_arch_find(BW_DEFAULT_ARCH);
    if (!p->options.max_steps)
        p->options.max_steps = BW_DEFAULT_MAX_STEPS;
    if (!p->options.max_memory)
        p->options.max_memory = BW_DEFAULT_MAX_MEMORY;
    p->program.arch = p->options.arch;
    size_t errors = diags->errors;
    if (source->len > INT32_MAX / 2) {
        bw_diagnose(diags, BW_MSG_CANNOT_READ, NULL, (bw_span){0, 0}, "%s: the file is too large",
                    source->name);
        return &p->program;
    }
    bool *used = bw_calloc(options->define_count + 1, sizeof *used);
    bool *used_arguments = bw_calloc(options->argument_count + 1, sizeof *used_arguments);
    read_text(p, used, used_arguments, diags);
    unused_defines(p, used, diags);
    if (diags->errors == errors)
        unused_arguments(p, used_arguments, diags);
    free(used);
    free(used_arguments);
    p->given.used = p->input.used = NULL;
    report_missed(p, diags->errors > errors, diags);
    if (diags->errors == errors)
        shape_launches(p, diags);
    if (diags->errors == errors)
        generate(p, diags);
    return &p->program;
}

/* ---- what is declared and named ---- */

static const bw_launch_uses *uses_of(bw_program *program, size_t launch)
{
    static const bw_launch_uses none;
    bw_pattern *p = program->front == &front_end ? (bw_pattern *)program : NULL;
    if (!p || launch >= p->launch_count)
        return &none;
    if (!p->uses)
        p->uses = bw_calloc(p->launch_count, sizeof *p->uses);
    bw_launch_uses *uses = &p->uses[launch];
    if (!uses->known)
        *uses = bw_find_uses(&p->arena, p->source, p->tree.script, p->tree.launches[launch].kernel,
                             &p->codes[launch]);
    return uses;
}

size_t bw_pattern_arrays(bw_program *program, size_t launch, const bw_array **arrays)
{
    const bw_launch_uses *uses = uses_of(program, launch);
    *arrays = uses->arrays;
    return uses->array_count;
}

size_t bw_pattern_pointer_uses(bw_program *program, size_t launch, const bw_pointer_use **found)
{
    const bw_launch_uses *uses = uses_of(program, launch);
    *found = uses->pointers;
    return uses->pointer_count;
}
