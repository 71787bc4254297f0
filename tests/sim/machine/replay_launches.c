/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the recorded launches of a program and holds each instruction's counts against the
 * profiler's.
 *
 *     replay_launches FOLDER [without BUFFER…]
 *
 * FOLDER has source.csv (Nsight Compute's source page: machine code and counts) and launches.txt
 * with the buffers beside it, as gpu/launches.c writes them. A line for each kernel that the
 * profile and the list share and that has an instruction on shared memory, with tabs between:
 *
 *     KERNEL CLASS INSTRUCTIONS SHARED STEPS STATUS FIRST
 *
 * CLASS is "exact" (executed and thread counts of every instruction, wavefronts and ideal of those
 * on shared memory), "shared" (the same of those on shared memory only) or "differs"; SHARED counts
 * those; FIRST is the first instruction that differs, with both counts. With `without`, the named
 * buffers' content is not given: what is still exact does not need it.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "tally.h"

#define MAX_PARAMS 256
#define MAX_BUFFERS 256
#define MAX_STEPS UINT64_C(400000000)

typedef struct recorded {
    char *name;
    bw_machine_launch launch;
    bw_machine_param params[MAX_PARAMS];
    bw_machine_buffer buffers[MAX_BUFFERS];
} recorded;

static const char *folder;
static char **without;
static int without_count;

static void stop(const char *what, const char *which)
{
    fprintf(stderr, "replay_launches: %s: %s\n", what, which);
    exit(3);
}

static char *read_file(const char *name, size_t *len)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        stop("cannot read", path);
    *len = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*len + 1);
    if (!text || fread(text, 1, *len, file) != *len)
        stop("cannot read", path);
    fclose(file);
    text[*len] = 0;
    return text;
}

static bool is_left_out(const char *file)
{
    for (int i = 0; i < without_count; i++)
        if (strcmp(without[i], file) == 0)
            return true;
    return strcmp(file, "-") == 0;
}

/* ---- launches.txt ---- */

static void read_argument(recorded *r, const char *line)
{
    unsigned index, offset, size;
    int at = 0;
    if (sscanf(line, "arg %u offset %u size %u hex %n", &index, &offset, &size, &at) != 3 || !at ||
        r->launch.param_count == MAX_PARAMS)
        stop("not understood", line);
    uint8_t *bytes = malloc(size + 1);
    for (unsigned i = 0; bytes && i < size; i++) {
        unsigned byte;
        if (sscanf(line + at + 2 * i, "%2x", &byte) != 1)
            stop("not understood", line);
        bytes[i] = (uint8_t)byte;
    }
    r->params[r->launch.param_count++] = (bw_machine_param){offset, size, bytes};
}

static void read_pointer(recorded *r, const char *line)
{
    unsigned index, at, number;
    uint64_t plus, size, pointer;
    char file[256];
    if (sscanf(line, "pointer %u at %u buffer %u plus %" SCNu64 " size %" SCNu64 " file %255s",
               &index, &at, &number, &plus, &size, file) != 6)
        stop("not understood", line);
    memcpy(&pointer, r->params[r->launch.param_count - 1].bytes + at, sizeof pointer);
    for (size_t i = 0; i < r->launch.buffer_count; i++)
        if (r->buffers[i].base == pointer - plus)
            return;
    if (is_left_out(file))
        return;
    if (r->launch.buffer_count == MAX_BUFFERS)
        stop("too many buffers", line);
    size_t len;
    uint8_t *bytes = (uint8_t *)read_file(file, &len);
    r->buffers[r->launch.buffer_count++] =
        (bw_machine_buffer){pointer - plus, len, bytes, calloc(len ? len : 1, 1)};
}

/* Reads the launch that begins at `text`; returns where the next one does. */
static char *read_launch(char *text, recorded *r)
{
    *r = (recorded){.name = NULL};
    for (char *line = text; *line;) {
        char *end = strchr(line, '\n');
        if (!end)
            stop("cut", line);
        *end = 0;
        if (strncmp(line, "launch ", 7) == 0 && r->name) {
            *end = '\n';
            return line;
        }
        bw_machine_launch *l = &r->launch;
        if (strncmp(line, "launch ", 7) == 0) {
            r->name = malloc(strlen(line));
            if (sscanf(line, "launch %s grid %u %u %u block %u %u %u", r->name, &l->grid[0],
                       &l->grid[1], &l->grid[2], &l->block[0], &l->block[1], &l->block[2]) != 7)
                stop("not understood", line);
        } else if (strncmp(line, "arg ", 4) == 0) {
            read_argument(r, line);
        } else if (strncmp(line, "pointer ", 8) == 0) {
            read_pointer(r, line);
        } else if (*line != '#') {
            stop("not understood", line);
        }
        line = end + 1;
        text = line;
    }
    return text;
}

static void finish_launch(recorded *r)
{
    for (size_t i = 0; i < r->launch.param_count; i++)
        free((void *)(uintptr_t)r->params[i].bytes);
    for (size_t i = 0; i < r->launch.buffer_count; i++) {
        free(r->buffers[i].bytes);
        free(r->buffers[i].unknown);
    }
    free(r->name);
}

/* ---- counts ---- */

typedef struct outcome {
    size_t counts, wavefronts, shared, shared_wrong; /* instructions that differ in … */
    size_t first;                                    /* the first of them */
} outcome;

static outcome compare(const bw_sass_kernel *kernel, const bw_machine_result *result,
                       const bw_tally *tally)
{
    static const bw_counts none;
    outcome o = {.first = kernel->count};
    for (size_t i = 0; i < kernel->count; i++) {
        const bw_sass_counts *p = &kernel->ins[i].profiled;
        const bw_machine_counts *c = &result->counts[i];
        const bw_counts *t = i < tally->count ? &tally->rows[i].counts : &none;
        bool counts = p->executed == c->executed && p->threads == c->threads;
        bool waves = !kernel->ins[i].shared ||
                     (p->wavefronts == t->ncu_sass_wavefronts && p->ideal == t->ncu_sass_ideal);
        o.counts += !counts;
        o.wavefronts += !waves;
        o.shared += kernel->ins[i].shared;
        o.shared_wrong += kernel->ins[i].shared && (!counts || !waves);
        if ((!counts || !waves) && o.first == kernel->count)
            o.first = i;
    }
    return o;
}

static void print_first(const bw_sass_kernel *kernel, const bw_machine_result *result,
                        const bw_tally *tally, size_t i)
{
    static const bw_counts none;
    if (i == kernel->count)
        return;
    const bw_sass_counts *p = &kernel->ins[i].profiled;
    const bw_counts *t = i < tally->count ? &tally->rows[i].counts : &none;
    printf("%04" PRIx32 " %s: executed %" PRIu64 " %" PRIu64 " threads %" PRIu64 " %" PRIu64
           " wavefronts %" PRIu64 " %" PRIu64 " ideal %" PRIu64 " %" PRIu64,
           kernel->ins[i].address, kernel->ins[i].text, p->executed, result->counts[i].executed,
           p->threads, result->counts[i].threads, p->wavefronts, t->ncu_sass_wavefronts, p->ideal,
           t->ncu_sass_ideal);
}

static bool has_shared(const bw_sass_kernel *kernel)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->ins[i].shared)
            return true;
    return false;
}

static void replay(const bw_sass *sass, size_t index, recorded *r)
{
    static const char *const statuses[] = {"ok", "needs", "error", "stopped"};
    const bw_sass_kernel *kernel = bw_sass_at(sass, index);
    bw_diags diags = {0};
    bw_tally tally;
    bw_machine_launch *l = &r->launch;
    l->arch = bw_arch_find("sm_90");
    l->params = r->params;
    l->buffers = r->buffers;
    l->max_steps = MAX_STEPS;
    l->sink = bw_machine_tally;
    l->context = &tally;
    bw_tally_init(&tally, l->arch);
    bw_machine_result result = bw_machine_run(sass, index, l, &diags);
    outcome o = compare(kernel, &result, &tally);
    bool known = result.status == BW_MACHINE_OK && !result.sampled;
    printf("%s\t%s\t%zu\t%zu\t%" PRIu64 "\t%s%s%s\t", kernel->name,
           known && !o.counts && !o.wavefronts ? "exact"
           : known && !o.shared_wrong          ? "shared"
                                               : "differs",
           kernel->count, o.shared, result.steps, statuses[result.status],
           result.sampled ? " sampled" : "", result.order_matters ? " order" : "");
    print_first(kernel, &result, &tally, o.first);
    putchar('\n');
    bw_diags_print(&diags, stderr, false);
    bw_diags_finish(&diags);
    bw_machine_result_finish(&result);
    bw_tally_finish(&tally);
}

int main(int argc, char **argv)
{
    if (argc < 2 || (argc > 2 && strcmp(argv[2], "without") != 0))
        stop("usage", "replay_launches FOLDER [without BUFFER…]");
    folder = argv[1];
    without = argv + 3;
    without_count = argc > 3 ? argc - 3 : 0;
    bw_source source = {.name = "source.csv"};
    source.text = read_file("source.csv", &source.len);
    bw_diags diags = {0};
    bw_sass *sass = bw_sass_read(&source, &diags);
    bw_diags_print(&diags, stderr, false);
    if (!sass)
        stop("cannot read the machine code of", folder);
    size_t len;
    char *list = read_file("launches.txt", &len);
    bool *done = calloc(bw_sass_count(sass), sizeof *done);
    for (char *at = list; *at;) {
        recorded r;
        at = read_launch(at, &r);
        for (size_t i = 0; r.name && i < bw_sass_count(sass); i++)
            if (!done[i] && strcmp(bw_sass_at(sass, i)->name, r.name) == 0) {
                done[i] = true;
                if (has_shared(bw_sass_at(sass, i)))
                    replay(sass, i, &r);
                break;
            }
        finish_launch(&r);
    }
    free(done);
    free(list);
    bw_sass_destroy(sass);
    bw_diags_finish(&diags);
    free((void *)(uintptr_t)source.text);
    return 0;
}
