/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What libFuzzer runs: one file, of which FUZZ_NAME chooses the target. A target may answer with
 * errors, in bounded time and memory; an abort, a sanitizer's report or a hang is a fault.
 *
 *   text       a pattern's text, parsed, run and tallied, for a card that its length chooses
 *   comment    what stands in a comment after an access: expectations and assumptions
 *   fix        a pattern's text, and the layouts that are proposed for it, applied
 *   request    bytes as a request: cost, schedule, counters, tallies; what must agree does
 *   sass       the text of machine code, executed
 *   cubin      an ELF file of machine code
 *   stream     a request stream or a recording, as text or in binary blocks
 *   answers    the same as bankwise-gpu answers it, compared with the model
 *   profiler   Nsight Compute's CSV
 *   names      names of kernels, JSON, cells of CSV
 */
#define _GNU_SOURCE /* memfd_create, fmemopen */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bankwise.h"
#include "comparison.h"
#include "cubin.h"
#include "fix.h"
#include "json.h"
#include "machine.h"
#include "plain.h"
#include "profiler.h"
#include "signature.h"
#include "stream.h"
#include "tally.h"
#include "utf8.h"

/* Small, so that a run is short: the budgets are part of what is tested. */
#define MAX_STEPS 20000
#define MAX_MEMORY ((size_t)16 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy whose allocation ends where it ends: overruns show. */
static char *exact(const uint8_t *data, size_t size)
{
    char *text = malloc(size ? size : 1);
    return size ? memcpy(text, data, size) : text;
}

static void demand(bool holds)
{
    if (!holds)
        abort();
}

static const bw_arch *arch_of(size_t size)
{
    return bw_arch_at(size % bw_arch_count());
}

static void show(bw_diags *diags)
{
    static FILE *nowhere;
    nowhere = nowhere ? nowhere : fopen("/dev/null", "w");
    bw_diags_show(diags, nowhere, true);
    bw_diags_finish(diags);
}

/* ---- patterns ---- */

static double draw(void *context, bw_law law, double a, double b)
{
    uint64_t *state = context;
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    double unit = (double)(*state >> 11) * 0x1p-53;
    (void)b;
    return law == BW_LAW_NORMAL ? unit : unit * a - 0.5 < 0 ? 0 : (double)(int64_t)(unit * a);
}

/* A table: the path itself, as text. */
static char *read_path(void *context, const char *path, size_t *len, const char **error)
{
    (void)context;
    *error = "no such file";
    *len = strlen(path);
    return *len ? strdup(path) : NULL;
}

static bw_pattern_options options_of(uint64_t *state, size_t size)
{
    return (bw_pattern_options){.arch = arch_of(size),
                                .max_steps = MAX_STEPS,
                                .max_memory = MAX_MEMORY,
                                .join = size & 1,
                                .host = {state, draw, read_path}};
}

static bool take(void *context, const bw_request_origin *origin, const bw_request *request,
                 uint64_t copies)
{
    return bw_tally_add(context, origin->access, origin->warp, origin->block, request, copies);
}

static void run_text(const char *text, size_t size)
{
    uint64_t state = size;
    bw_source source = {.name = "fuzz", .text = text, .len = size};
    bw_pattern_options options = options_of(&state, size);
    bw_diags diags = {.count = 0};
    bw_program *program = bw_pattern_parse(&source, &options, &diags);
    const bw_launch *launches;
    size_t count = diags.errors ? 0 : bw_program_launches(program, &launches);
    for (size_t i = 0; i < count && i < 3; i++) {
        bw_tally tally;
        bw_tally_init(&tally, options.arch);
        bw_sink sink = {&tally, take};
        bw_run run;
        size_t errors = diags.errors;
        bool good = bw_program_run(program, i, &sink, &run, &diags);
        demand(good == (diags.errors == errors));
        bw_counts all = bw_tally_total(&tally);
        demand(all.wavefronts >= all.ideal || all.at_least);
        bw_tally_finish(&tally);
    }
    show(&diags);
    bw_program_destroy(program);
}

static void fuzz_text(const uint8_t *data, size_t size)
{
    char *text = exact(data, size);
    run_text(text, size);
    free(text);
}

static void fuzz_comment(const uint8_t *data, size_t size)
{
    static const char before[] = "__global__ void k(const int *t)\n{\n    __shared__ float s[64];\n"
                                 "    float v = s[t[threadIdx.x] & 63]; // ",
                      after[] = "\n}\nk<<<1, 32>>>(t);\n";
    size_t len = sizeof before - 1 + size + sizeof after - 1;
    char *text = malloc(len);
    memcpy(text, before, sizeof before - 1);
    if (size)
        memcpy(text + sizeof before - 1, data, size);
    memcpy(text + sizeof before - 1 + size, after, sizeof after - 1);
    run_text(text, len);
    free(text);
}

static void fuzz_fix(const uint8_t *data, size_t size)
{
    uint64_t state = size;
    char *text = exact(data, size);
    bw_source source = {.name = "fuzz", .text = text, .len = size};
    bw_fix_options options = {
        .pattern = options_of(&state, size), .search = {.max_pad = 4}, .trials = 1};
    options.pattern.join = false;
    bw_diags diags = {.count = 0};
    bw_fix fix;
    bool good = bw_fix_make(&fix, &source, &options, &diags);
    demand(good == (diags.errors == 0));
    show(&diags);
    bw_fix_finish(&fix);
    free(text);
}

/* ---- the model ---- */

static bool count_one(void *context, const bw_wavefront *wavefront)
{
    uint32_t *count = context;
    demand(wavefront->index == (*count)++);
    return true;
}

/* op, mask, then offsets of lanes that follow a stride unless bytes are left. */
static bw_request request_of(const uint8_t *data, size_t size)
{
    bw_request request = {.op = (bw_op)(size ? data[0] % BW_OP_COUNT : 0), .active = UINT32_MAX};
    if (size >= 5)
        memcpy(&request.active, data + 1, 4);
    uint32_t bytes = bw_op_get(request.op)->bytes;
    for (size_t lane = 0; lane < BW_LANES; lane++) {
        uint16_t at = (uint16_t)(lane * (size > 5 ? data[5] : 1));
        if (6 + 2 * lane + 2 <= size)
            memcpy(&at, data + 6 + 2 * lane, 2);
        request.addr[lane] = at * (size & 1 && bytes ? bytes : 1);
    }
    return request;
}

static void fuzz_request(const uint8_t *data, size_t size)
{
    bw_request request = request_of(data, size);
    for (size_t i = 0; i < bw_arch_count(); i++) {
        const bw_arch *arch = bw_arch_at(i);
        bw_cost cost;
        bw_ncu ncu;
        bw_status status = bw_cost_of(arch, &request, &cost);
        if (status == BW_OK) {
            uint32_t count = 0;
            demand(cost.wavefronts >= cost.ideal && cost.degree >= 1);
            demand(bw_schedule(arch, &request, count_one, &count) != BW_OK ||
                   count == cost.wavefronts);
            bw_request moved = request;
            for (unsigned lane = 0; lane < BW_LANES; lane++)
                moved.addr[lane] += 4 * bw_period(arch) * 32;
            bw_cost again;
            if (bw_cost_of(arch, &moved, &again) == BW_OK)
                demand(again.wavefronts == cost.wavefronts && again.degree == cost.degree);
        }
        bw_ncu_of(arch, &request, &ncu);
        bw_tally tally;
        bw_tally_init(&tally, arch);
        bool added = bw_tally_add(&tally, 0, 0, 0, &request, 3);
        demand(added == (status == BW_OK));
        demand(!added || bw_tally_total(&tally).wavefronts == 3 * (uint64_t)cost.wavefronts);
        bw_tally_finish(&tally);
    }
}

/* ---- machine code ---- */

static void execute(const bw_sass *sass, size_t kernel, size_t size)
{
    static uint8_t params[256];
    uint64_t pointer = bw_machine_pointer(0);
    for (size_t k = 0; k + 8 <= sizeof params; k += 8)
        memcpy(params + k, &pointer, 8);
    bw_machine_param param = {0, sizeof params, params};
    const bw_arch *arch = bw_arch_find("sm_90");
    bw_tally tally;
    bw_diags diags = {.count = 0};
    bw_tally_init(&tally, arch);
    bw_machine_launch launch = {.arch = arch,
                                .block = {1 + (uint32_t)size % 70, 1, 1},
                                .grid = {2, 1, 1},
                                .params = &param,
                                .param_count = 1,
                                .max_steps = MAX_STEPS,
                                .no_fold = size & 1,
                                .sink = bw_machine_tally,
                                .context = &tally};
    bw_machine_result result = bw_machine_run(sass, kernel, &launch, &diags);
    demand(result.status != BW_MACHINE_ERROR || diags.errors);
    bw_machine_result_finish(&result);
    bw_tally_finish(&tally);
    show(&diags);
}

static void fuzz_sass(const uint8_t *data, size_t size)
{
    char *text = exact(data, size);
    bw_source source = {.name = "fuzz", .text = text, .len = size};
    bw_diags diags = {.count = 0};
    bw_sass *sass = bw_sass_read(&source, &diags);
    demand(sass || diags.errors);
    for (size_t k = 0; sass && k < bw_sass_count(sass) && k < 2; k++)
        execute(sass, k, size);
    bw_sass_destroy(sass);
    show(&diags);
    free(text);
}

static void fuzz_cubin(const uint8_t *data, size_t size)
{
    char *bytes = exact(data, size);
    bw_source source = {.name = "fuzz", .text = bytes, .len = size};
    bw_diags diags = {.count = 0};
    demand(bw_cubin_size(bytes, size) <= size + BW_CUBIN_MISSING);
    bw_cubin *cubin = bw_is_cubin(bytes, size) ? bw_cubin_read(&source, &diags) : NULL;
    for (size_t k = 0; cubin && k < cubin->count; k++)
        demand(bw_cubin_find(cubin, cubin->kernels[k].name) != NULL);
    bw_cubin_destroy(cubin);
    show(&diags);
    free(bytes);
}

/* ---- files ---- */

static void fuzz_stream(const uint8_t *data, size_t size)
{
    FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
    if (!file)
        return;
    bw_stream_reader *reader = bw_stream_open(file, "fuzz");
    bw_stream_row row;
    int got;
    while ((got = bw_stream_next(reader, &row)) == 1)
        demand(bw_op_get(row.request.op) != NULL);
    demand(got == 0 || bw_stream_error(reader) != NULL);
    bw_stream_column(reader, "cycles");
    bw_stream_meta(reader, "device");
    bw_stream_close(reader);
    fclose(file);
}

static void fuzz_answers(const uint8_t *data, size_t size)
{
    int descriptor = memfd_create("answers", MFD_CLOEXEC);
    demand(descriptor >= 0 && write(descriptor, data, size) == (ssize_t)size);
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    bw_args args = {.command = bw_command_find("compare")};
    args.values[BW_OPTION_ARCH].arch = bw_arch_find(BW_DEFAULT_ARCH);
    bw_comparison comparison;
    bw_comparison_begin(&comparison, &args);
    bw_comparison_read(&comparison, path);
    bw_comparison_end(&comparison);
    bw_comparison_finish(&comparison);
    close(descriptor);
}

static void fuzz_profiler(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                                        "memory_l1_wavefronts_shared", "ID"};
    char *text = exact(data, size);
    bw_profile profile = {.count = 0};
    demand(bw_profile_read(&profile, "fuzz", text, size, names, 3) || profile.error);
    bw_profile_finish(&profile);
    free(text);
}

static void fuzz_names(const uint8_t *data, size_t size)
{
    char *text = exact(data, size), *whole = strndup(text, size);
    bw_arena arena = {NULL};
    const char *name, *arguments;
    size_t at = 0;
    bw_signature_of(&arena, whole);
    if (strncmp(whole, "_Z", 2) == 0)
        bw_signature_mangled(&arena, whole);
    bw_kernel_parts(&arena, whole, &name, &arguments);
    bw_json_read(&arena, text, size, &at);
    demand(at <= size);
    bw_plain plain = {.commands = false};
    demand(bw_plain_mend(&plain, text, size, true) == size);
    for (size_t i = 0; i < size; i++) /* zero bytes and escapes are gone, but for our styles */
        demand(text[i] != '\0' && (text[i] != '\033' || (i + 1 < size && text[i + 1] == '[')));
    bw_arena_finish(&arena);
    free(whole);
    free(text);
}

typedef struct target {
    const char *name;
    void (*run)(const uint8_t *data, size_t size);
} target;

static const target targets[] = {
    {"text", fuzz_text},       {"comment", fuzz_comment}, {"fix", fuzz_fix},
    {"request", fuzz_request}, {"sass", fuzz_sass},       {"cubin", fuzz_cubin},
    {"stream", fuzz_stream},   {"answers", fuzz_answers}, {"profiler", fuzz_profiler},
    {"names", fuzz_names},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (strcmp(targets[i].name, FUZZ_NAME) == 0)
            targets[i].run(data, size);
    return 0;
}
