/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "kernel_private.h"

#include <stdlib.h>
#include <string.h>

#define NO_ACCESS UINT32_MAX
/* What the parameters' known bytes are cut into at most: a run and a gap take two bytes. */
#define MAX_RUNS (BW_PARAM_BYTES / 2)

bool bw_kernel_is_text(const char *text, size_t len)
{
    return bw_sass_dialect(text, len) != BW_DIALECT_NONE;
}

size_t bw_kernel_list(const bw_source *source, bw_arena *arena, const char ***names,
                      bw_diags *diags)
{
    bw_sass *sass = bw_sass_read(source, diags);
    size_t count = sass ? bw_sass_count(sass) : 0;
    *names = bw_arena_alloc(arena, (count + 1) * sizeof **names);
    for (size_t i = 0; i < count; i++) {
        const char *name = bw_sass_at(sass, i)->name;
        (*names)[i] = bw_arena_copy(arena, name, strlen(name));
    }
    bw_sass_destroy(sass);
    return count;
}

long bw_kernel_find(const bw_source *source, const char *part, bw_diags *diags)
{
    bw_sass *sass = bw_sass_read(source, diags);
    long found = sass ? bw_sass_find(sass, part, diags) : -1;
    bw_sass_destroy(sass);
    return found;
}

/* Several launches as one program, on one memory. */
typedef struct bw_kernels {
    bw_program program;
    bw_arena arena;
    bw_kernel_options options;
    bw_sass *sass;
    bw_kernel **items; /* in the arena, each malloc'd */
    size_t count;
    bw_kernel_memory memory;
    bw_launch *launches; /* in the arena: of all items, as are the next */
    bw_access *accesses;
    size_t access_count;
    size_t current; /* the last that ran for someone */
    size_t next;    /* the launch that memory is ready for */
    bool sized;     /* buffers are as long as is read */
} bw_kernels;

/* ---- as a program ---- */

static size_t launches(const bw_program *program, const bw_launch **found)
{
    const bw_kernels *all = (const bw_kernels *)program;
    *found = all->launches;
    return all->count;
}

static size_t parameters(const bw_program *program, const bw_parameter **found)
{
    const bw_kernels *all = (const bw_kernels *)program;
    const bw_kernel *k = all->items[all->current];
    *found = k->parameters;
    return k->parameter_count;
}

static size_t accesses(const bw_program *program, const bw_access **found)
{
    const bw_kernels *all = (const bw_kernels *)program;
    *found = all->accesses;
    return all->access_count;
}

static size_t instructions(const bw_program *program, const bw_instruction **found)
{
    const bw_kernels *all = (const bw_kernels *)program;
    const bw_kernel *k = all->items[all->current];
    *found = k->instructions;
    return k->text->count;
}

static size_t shared_arrays(const bw_program *program, const bw_shared_array **found)
{
    const bw_kernels *all = (const bw_kernels *)program;
    const bw_kernel *k = all->items[all->current];
    *found = k->arrays;
    return k->of_cubin ? k->of_cubin->array_count : 0;
}

static void destroy_kernel(bw_kernel *k)
{
    bw_kernel_data_finish(k);
    bw_kernel_cubin_finish(k);
    bw_arena_finish(&k->arena);
    free(k);
}

static void destroy(bw_program *program)
{
    bw_kernels *all = (bw_kernels *)program;
    for (size_t i = 0; i < all->count; i++)
        destroy_kernel(all->items[i]);
    bw_kernel_memory_finish(&all->memory);
    bw_sass_destroy(all->sass);
    bw_arena_finish(&all->arena);
    free(all);
}

/* ---- running ---- */

typedef struct runner {
    bw_kernel *kernel;
    const bw_sink *sink;
} runner;

static bool take(void *context, size_t ins, uint32_t warp, uint64_t block,
                 const bw_request *request, uint64_t copies)
{
    const runner *to = context;
    uint32_t index = to->kernel->access_of[ins];
    if (index == NO_ACCESS)
        return true;
    bw_request_origin origin = {
        .access = to->kernel->first_access + index, .warp = warp, .block = block};
    bw_access *access = &to->kernel->accesses[index];
    access->op = access->joins = request->op;
    return to->sink->request(to->sink->context, &origin, request, copies);
}

/* The stretches of the parameter block that are known. */
static size_t known_params(bw_kernel *k, bw_machine_param *params)
{
    const bw_arguments *a = &k->arguments;
    size_t count = 0;
    for (uint32_t at = 0; at < a->size; at++) {
        if (!a->known[at])
            continue;
        uint32_t from = at;
        while (at < a->size && a->known[at])
            at++;
        params[count++] = (bw_machine_param){from, at - from, a->bytes + from};
    }
    return count;
}

static bw_machine_result execute(bw_kernel *k, bw_machine_sink sink, void *context, bw_diags *diags)
{
    bw_machine_launch launch = {.arch = k->arch,
                                .shared = k->options.shared,
                                .max_steps = k->options.max_steps,
                                .sink = sink,
                                .context = context};
    memcpy(launch.block, k->launch.block, sizeof launch.block);
    memcpy(launch.grid, k->launch.grid, sizeof launch.grid);
    bw_machine_param *params = bw_alloc(MAX_RUNS * sizeof *params);
    const bw_kernel_memory *memory = k->memory;
    bw_machine_buffer *buffers = bw_calloc(k->data_count + memory->count + 1, sizeof *buffers);
    size_t in_file = k->of_cubin ? k->of_cubin->bank_count : 0;
    bw_machine_bank *banks = bw_calloc(k->data_count + in_file + 1, sizeof *banks);
    launch.params = params;
    launch.param_count = known_params(k, params);
    launch.buffers = buffers;
    launch.banks = banks;
    bw_kernel_data_fill(k);
    for (size_t i = 0; i < k->data_count; i++) {
        const bw_kernel_data *d = &k->data[i];
        if (d->pointer == SIZE_MAX)
            banks[launch.bank_count++] = (bw_machine_bank){d->bank, (uint32_t)d->size, d->bytes};
        else
            buffers[launch.buffer_count++] =
                (bw_machine_buffer){.base = bw_machine_pointer((uint32_t)d->pointer),
                                    .size = d->size,
                                    .bytes = d->bytes};
    }
    for (size_t i = 0; i < memory->count; i++)
        buffers[launch.buffer_count++] =
            (bw_machine_buffer){.base = bw_machine_pointer((uint32_t)memory->data[i].pointer),
                                .size = memory->data[i].size,
                                .bytes = memory->data[i].bytes,
                                .unknown = memory->data[i].unknown};
    for (size_t i = 0; i < in_file; i++) /* after what was given, which wins */
        banks[launch.bank_count++] = k->of_cubin->banks[i];
    bw_machine_result result = bw_machine_run(k->sass, k->index, &launch, diags);
    free(params);
    free(buffers);
    free(banks);
    return result;
}

/* Runs the launches before `end` from the first on, unheard. True where a buffer grew. */
static bool run_unheard(bw_kernels *all, size_t end)
{
    bool grown = false;
    bw_kernel_memory_reset(&all->memory, &all->options);
    for (size_t i = 0; i < end; i++) {
        bw_diags unheard = {.count = 0};
        bw_machine_result result = execute(all->items[i], NULL, NULL, &unheard);
        grown |= bw_kernel_data_grow(all->items[i], &result);
        bw_machine_result_finish(&result);
        bw_diags_finish(&unheard);
    }
    return grown;
}

/* Buffers whose law has no end are as long as the kernels read: found by running them unheard. */
static void size_buffers(bw_kernels *all)
{
    bool any = all->memory.count > 0;
    for (size_t i = 0; i < all->count; i++)
        any |= all->items[i]->data_count > 0;
    while (any && run_unheard(all, all->count))
        ;
    all->sized = true;
    all->next = all->count; /* memory is that after all of them */
}

/* Memory becomes what launch `index` finds. */
static void make_ready(bw_kernels *all, size_t index)
{
    if (!all->sized)
        size_buffers(all);
    if (all->next != index)
        run_unheard(all, index);
}

static void keep_counts(bw_kernel *k, const bw_machine_result *result, bw_run *run)
{
    for (size_t i = 0; i < result->count && i < k->text->count; i++) {
        const bw_machine_counts *from = &result->counts[i];
        bw_instruction *to = &k->instructions[i];
        to->executed = from->executed;
        to->threads = from->threads;
        to->requests = from->requests;
        to->unpriced = from->unpriced;
        to->matrix_quarters = from->matrix_quarters;
        run->unknown += from->skipped;
    }
    run->steps = result->steps;
    run->blocks_evaluated = result->blocks_run;
    run->scaled = result->folded;
    run->sampled = result->sampled;
    run->approximate = result->approximate_matters;
    run->ordered = result->order_matters;
    run->least = result->requests_least;
    run->most = result->requests_most;
}

static bool run_launch(bw_program *program, size_t index, const bw_sink *sink, bw_run *run,
                       bw_diags *diags)
{
    bw_kernels *all = (bw_kernels *)program;
    size_t errors = diags->errors;
    if (index >= all->count)
        return false;
    bw_kernel *k = all->items[index];
    runner to = {k, sink};
    make_ready(all, index);
    all->current = index;
    all->next = index + 1;
    bw_machine_result result = execute(k, take, &to, diags);
    keep_counts(k, &result, run);
    if (result.status == BW_MACHINE_NEEDS)
        bw_kernel_report_needs(k, &result, diags);
    bool good = (result.status == BW_MACHINE_OK || result.status == BW_MACHINE_STOPPED) &&
                diags->errors == errors;
    bw_machine_result_finish(&result);
    return good;
}

static const bw_front_end front_end = {
    .name = "machine code",
    .parameters = parameters,
    .launches = launches,
    .accesses = accesses,
    .instructions = instructions,
    .shared_arrays = shared_arrays,
    .run = run_launch,
    .destroy = destroy,
};

/* ---- reading ---- */

static const bw_origin_line *copy_lines(bw_kernel *k, const bw_sass_line *line)
{
    if (!line)
        return NULL;
    bw_origin_line *copy = bw_arena_alloc(&k->arena, sizeof *copy);
    *copy = (bw_origin_line){line->file, line->line, copy_lines(k, line->inlined_at)};
    return copy;
}

static void add_instruction(bw_kernel *k, size_t i, const bw_lines *lines)
{
    const bw_sass_ins *from = &k->text->ins[i];
    bw_instruction *to = &k->instructions[i];
    bw_place place = bw_lines_place(lines, from->span.offset);
    bool same_line = i && k->text->ins[i - 1].line == from->line;
    *to = (bw_instruction){
        .address = from->address,
        .span = from->span,
        .line = place.line,
        .text = from->text,
        .place = same_line ? to[-1].place : copy_lines(k, from->line),
        .is_shared = from->shared,
        .unmodelled = from->unmodelled,
        .profiled = {from->profiled.executed, from->profiled.threads, from->profiled.wavefronts,
                     from->profiled.ideal},
    };
    k->copies |= from->copies;
    k->access_of[i] = from->shared ? (uint32_t)k->access_count : NO_ACCESS;
    if (from->shared)
        k->accesses[k->access_count++] = (bw_access){.span = from->span,
                                                     .line = place.line,
                                                     .column = place.column,
                                                     .source = from->text,
                                                     .array = "shared memory",
                                                     .op = BW_OP_LD_32,
                                                     .joins = BW_OP_LD_32,
                                                     .instruction = to};
}

static void add_instructions(bw_kernel *k)
{
    size_t count = k->text->count;
    k->instructions = bw_arena_alloc(&k->arena, count * sizeof *k->instructions);
    k->accesses = bw_arena_alloc(&k->arena, count * sizeof *k->accesses);
    k->access_of = bw_arena_alloc(&k->arena, count * sizeof *k->access_of);
    bw_lines lines = bw_lines_of(&k->arena, k->source);
    for (size_t i = 0; i < count; i++)
        add_instruction(k, i, &lines);
}

/* Machine code of one architecture does not run on another. */
static bool choose_arch(bw_kernel *k, bw_diags *diags)
{
    const char *name = k->text->arch;
    const bw_arch *of_text = name ? bw_arch_find(name) : NULL, *wanted = k->options.arch;
    if (name && !of_text) {
        bw_diagnose(diags, BW_MSG_MACHINE_ARCHITECTURE, k->source, k->text->span,
                    "no rules are known for %s", name);
        return false;
    }
    if (wanted && of_text && wanted != of_text) {
        bw_note(diags,
                bw_diagnose(diags, BW_MSG_MACHINE_ARCHITECTURE, NULL, (bw_span){0, 0},
                            "--arch %s: %s is machine code of %s", wanted->name, k->source->name,
                            name),
                "leave --arch out, or compile the kernel for %s", wanted->name);
        return false;
    }
    k->arch = of_text ? of_text : wanted ? wanted : bw_arch_find("sm_90");
    return true;
}

static void set_shape(uint32_t to[3], const uint32_t from[3])
{
    for (int i = 0; i < 3; i++)
        to[i] = from[i] ? from[i] : 1;
}

/* The arguments that are numbers, for reports. */
static void add_parameters(bw_kernel *k)
{
    const bw_arguments *a = &k->arguments;
    k->parameters = bw_arena_alloc(&k->arena, (a->count + 1) * sizeof *k->parameters);
    for (size_t i = 0; i < a->count; i++) {
        const char *text = a->places[i].value;
        char *end;
        if (!a->places[i].given)
            continue;
        bw_parameter *p = &k->parameters[k->parameter_count];
        *p = (bw_parameter){.name = bw_arena_format(&k->arena, "arg %zu", i)};
        p->integer = strtoll(text, &end, 0);
        p->is_float = *end != '\0';
        if (p->is_float)
            p->real = strtod(text, &end);
        k->parameter_count += end != text && !*end;
    }
}

static bool is_given_at(const bw_argument *list, size_t count, const char *target, unsigned order)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].target, target) == 0 && list[i].order > order)
            return true;
    return false;
}

/* Those of the list that are for this kernel, without its name, and before them those of its launch
 * that nothing later replaces. */
static const bw_argument *for_kernel(bw_kernel *k, const bw_argument *list, size_t *count,
                                     bool with_launch)
{
    const bw_kernel_launch *l = with_launch ? k->given : NULL;
    size_t of_launch = l ? l->argument_count : 0, n = 0;
    bw_argument *kept = bw_arena_alloc(&k->arena, (*count + of_launch + 1) * sizeof *kept);
    for (size_t i = 0; i < *count; i++) {
        const char *colon = strrchr(list[i].target, ':');
        const char *part =
            colon ? bw_arena_copy(&k->arena, list[i].target, (size_t)(colon - list[i].target)) : "";
        const char *target = colon ? colon + 1 : list[i].target;
        bool replaced = l && is_given_at(l->arguments, of_launch, target, list[i].order);
        if (strstr(k->text->name, part) && !replaced)
            kept[n++] =
                (bw_argument){colon ? colon + 1 : list[i].target, list[i].value, list[i].order};
    }
    size_t own = n;
    for (size_t i = 0; i < of_launch; i++)
        if (!is_given_at(kept, own, l->arguments[i].target, l->order))
            kept[n++] = l->arguments[i];
    *count = n;
    return kept;
}

static bool uses_names(const bw_kernel_options *o)
{
    for (size_t i = 0; i < o->argument_count; i++)
        if (strchr(o->arguments[i].value, '@'))
            return true;
    return false;
}

/* The dynamic bytes of a launch, and the static ones where they are known; else the most. */
static uint32_t shared_of(const bw_kernel *k)
{
    if (!k->given)
        return k->options.shared;
    return k->of_cubin ? k->of_cubin->shared_static + k->given->dynamic : 0;
}

static bool lay_out(bw_kernel *k, bw_diags *diags)
{
    const bw_kernel_options *o = &k->options;
    uint32_t limit = BW_MACHINE_POINTERS - (uses_names(o) ? BW_KERNEL_NAMES : 0);
    const bw_addresses addresses = {bw_machine_pointer, limit, bw_kernel_memory_named, k->memory};
    k->signature = bw_signature_of(&k->arena, k->text->name);
    if (!bw_kernel_cubin_read(k, diags))
        return false;
    if (o->source_text)
        bw_signature_take_names(&k->signature, &k->arena, o->source_text, o->source_len);
    k->options.arguments =
        bw_arguments_by_position(&k->arena, &k->signature, o->arguments, o->argument_count);
    k->options.data = bw_arguments_by_position(&k->arena, &k->signature, o->data, o->data_count);
    bool good = bw_arguments_place(&k->arguments, &k->arena, &k->signature, o->arguments,
                                   o->argument_count, k->given, &addresses, diags);
    if (!good || !bw_kernel_data_read(k, diags))
        return false;
    if (!o->block[0]) {
        bw_kernel_report_launch(k, diags);
        return false;
    }
    k->launch = (bw_launch){.kernel = k->signature.readable, .span = k->text->span};
    k->options.shared = shared_of(k);
    k->launch.shared_bytes = o->shared;
    add_parameters(k);
    set_shape(k->launch.block, o->block);
    set_shape(k->launch.grid, o->grid);
    return true;
}

/* ---- which kernel a launch means ---- */

/* A name without spaces, casts and return type, up to its parameters: "k<32,float>". */
static const char *plain_name(bw_arena *arena, const char *name)
{
    char *plain = bw_arena_alloc(arena, strlen(name) + 1);
    size_t n = 0;
    int angles = 0;
    if (strncmp(name, "void ", 5) == 0)
        name += 5;
    for (; *name && (*name != '(' || angles); name++) {
        if (*name == '(') { /* (int)32 */
            name += strcspn(name, ")");
            continue;
        }
        angles += (*name == '<') - (*name == '>');
        if (*name != ' ')
            plain[n++] = *name;
    }
    return plain;
}

/* The kernel whose name, with its template arguments or, if `base`, without, is the launch's; -1:
 * none, -2: several. */
static long find_plain(bw_kernels *all, const char *wanted, bool base)
{
    long found = -1;
    for (size_t i = 0; i < bw_sass_count(all->sass); i++) {
        const char *name = bw_sass_at(all->sass, i)->name;
        bw_signature s = bw_signature_of(&all->arena, name);
        const char *plain = base ? s.name : plain_name(&all->arena, s.readable);
        const char *scope = strrchr(plain, ':');
        bool same = plain && (strcmp(plain, wanted) == 0 ||
                              (!base && scope && strcmp(scope + 1, wanted) == 0));
        if (!same)
            continue;
        if (found >= 0 && strcmp(bw_sass_at(all->sass, (size_t)found)->name, name) != 0)
            return -2;
        found = (long)i;
    }
    return found;
}

static long find_kernel(bw_kernels *all, const bw_kernel_launch *given, bw_diags *diags)
{
    const char *wanted = plain_name(&all->arena, given->kernel);
    bw_diags lost = {.count = 0};
    long found = find_plain(all, wanted, false);
    if (found == -1)
        found = find_plain(all, wanted, true);
    if (found < 0)
        found = bw_sass_find(all->sass, given->kernel, &lost);
    if (found < 0 && lost.count)
        bw_note(diags,
                bw_diagnose(diags, BW_MSG_UNKNOWN_KERNEL, given->source, given->span, "%s",
                            lost.items[0].message),
                "%s", lost.items[0].note);
    bw_diags_finish(&lost);
    return found;
}

/* ---- the program ---- */

static bw_kernel *make_kernel(bw_kernels *all, const bw_source *source, size_t index,
                              const bw_kernel_launch *given)
{
    bw_kernel *k = bw_calloc(1, sizeof *k);
    k->source = source;
    k->options = all->options;
    k->given = given;
    k->memory = &all->memory;
    k->sass = all->sass;
    k->index = index;
    k->text = bw_sass_at(all->sass, index);
    if (given) {
        memcpy(k->options.block, given->block, sizeof given->block);
        memcpy(k->options.grid, given->grid, sizeof given->grid);
    }
    k->options.arguments = for_kernel(k, all->options.arguments, &k->options.argument_count, true);
    k->options.data = for_kernel(k, all->options.data, &k->options.data_count, false);
    return k;
}

/* All accesses in one list, in the order of the launches. */
static void gather(bw_kernels *all)
{
    for (size_t i = 0; i < all->count; i++)
        all->access_count += all->items[i]->access_count;
    for (size_t i = 0; i < all->count; i++)
        all->program.sources |= all->items[i]->copies;
    all->launches = bw_arena_alloc(&all->arena, (all->count + 1) * sizeof *all->launches);
    all->accesses = bw_arena_alloc(&all->arena, (all->access_count + 1) * sizeof *all->accesses);
    uint32_t first = 0;
    for (size_t i = 0; i < all->count; i++) {
        bw_kernel *k = all->items[i];
        all->launches[i] = k->launch;
        memcpy(all->accesses + first, k->accesses, k->access_count * sizeof *k->accesses);
        k->accesses = all->accesses + first;
        k->first_access = first;
        first += (uint32_t)k->access_count;
    }
}

static bool add_kernel(bw_kernels *all, const bw_source *source, long index,
                       const bw_kernel_launch *given, bw_diags *diags)
{
    if (index < 0 || (size_t)index >= bw_sass_count(all->sass))
        return false;
    bw_kernel *k = make_kernel(all, source, (size_t)index, given);
    all->items[all->count++] = k;
    if (!choose_arch(k, diags) || !lay_out(k, diags))
        return false;
    add_instructions(k);
    return true;
}

bw_program *bw_kernel_read(const bw_source *source, const bw_kernel_options *options,
                           bw_diags *diags)
{
    bw_sass *sass = bw_sass_read(source, diags);
    if (!sass)
        return NULL;
    bw_kernels *all = bw_calloc(1, sizeof *all);
    bool good = true;
    all->program.front = &front_end;
    all->options = *options;
    all->sass = sass;
    all->items = bw_arena_alloc(&all->arena, (options->launch_count + 1) * sizeof *all->items);
    for (size_t i = 0; i < options->launch_count; i++) {
        const bw_kernel_launch *given = &options->launches[i];
        good &= add_kernel(all, source, find_kernel(all, given, diags), given, diags);
    }
    if (!options->launch_count)
        good = add_kernel(all, source,
                          options->nth ? (long)options->nth - 1
                                       : bw_sass_find(sass, options->kernel, diags),
                          NULL, diags);
    good = good && bw_kernel_memory_read(&all->memory, options, diags);
    if (!good) {
        destroy(&all->program);
        return NULL;
    }
    all->program.arch = all->items[0]->arch;
    gather(all);
    return &all->program;
}
