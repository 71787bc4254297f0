/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the opcode kernels of a recording through the text of their machine code and holds each slot
 * against what the card wrote.
 *
 *     replay_opcodes FOLDER TEXT CUBIN
 *
 * FOLDER has kernels.csv, the files TEXT and CUBIN and the results NAME.out, unpacked
 * (tests/recorded/sm_90-h200/opcodes/README). Lines, with tabs between:
 *
 *     kernel NAME STATUS STEPS
 *     slot NAME SLOT SAME UNKNOWN DIFFERENT OFF THREAD WORD CARD   of its words; how far off those
 *                                           that differ are at most, as floats: the lesser of the
 *                                           difference and the relative one; the first of them
 *     code NAME MNEMONIC EXECUTED WHY       warp instructions; why its result is left unknown
 *     count NAME ADDRESS TEXT EXECUTED PROFILED THREADS PROFILED   that are not the profile's
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <inttypes.h>
#include <math.h>

#include "cubin.h"
#include "launches.h"
#include "operands.h"

#define SEED 1
#define POINTERS 4u

typedef struct kernel_row {
    char name[32], function[40], kind[16];
    uint32_t grid, block, slots;
} kernel_row;

typedef struct files {
    const bw_sass *sass;
    const bw_cubin *cubin;
    const char *folder;
} files;

static bw_operands kind_of(const char *name)
{
    for (unsigned k = 0; k < BW_OPERANDS_COUNT; k++)
        if (strcmp(bw_operands_name((bw_operands)k), name) == 0)
            return (bw_operands)k;
    fprintf(stderr, "replay_opcodes: no kind of operands: %s\n", name);
    exit(3);
}

/* ---- what came out ---- */

static double off_by(uint32_t word, uint32_t card)
{
    float x, y;
    memcpy(&x, &word, 4);
    memcpy(&y, &card, 4);
    if (isnan(x) || isnan(y) || isinf(x) || isinf(y))
        return isnan(x) && isnan(y) ? 0 : INFINITY;
    double off = fabs((double)x - y), size = fabs((double)y);
    return size > 1 ? off / size : off;
}

static void print_slots(const kernel_row *row, const uint32_t *words, const uint8_t *unknown,
                        const uint32_t *card)
{
    uint32_t threads = row->grid * row->block;
    for (uint32_t s = 0; s < row->slots; s++) {
        uint32_t same = 0, open = 0, different = 0;
        size_t first = 0;
        double most = 0;
        for (uint32_t t = 0; t < threads; t++) {
            size_t at = (size_t)t * row->slots + s;
            const uint8_t *u = unknown + 4 * at;
            if (u[0] | u[1] | u[2] | u[3])
                open++;
            else if (words[at] == card[at])
                same++;
            else {
                double off = off_by(words[at], card[at]);
                most = off > most ? off : most;
                first = different++ ? first : at;
            }
        }
        printf("slot\t%s\t%u\t%u\t%u\t%u", row->name, s, same, open, different);
        if (different)
            printf("\t%g\t%zu\t%08x\t%08x", most, first / row->slots, words[first], card[first]);
        putchar('\n');
    }
}

static void print_code(const kernel_row *row, const bw_sass_kernel *kernel,
                       const bw_machine_result *result)
{
    for (size_t k = 0; k < kernel->count && k < result->count; k++)
        if (result->counts[k].executed)
            printf("code\t%s\t%s\t%" PRIu64 "\t%s\n", row->name, kernel->ins[k].name,
                   result->counts[k].executed,
                   kernel->ins[k].unmodelled ? kernel->ins[k].unmodelled : "");
}

/* Instructions whose executed or thread counts are not those of the profile: a line each. */
static void print_wrong_counts(const kernel_row *row, const bw_sass_kernel *kernel,
                               const bw_machine_result *result)
{
    for (size_t k = 0; kernel->profiled && k < kernel->count && k < result->count; k++) {
        const bw_sass_counts *p = &kernel->ins[k].profiled;
        const bw_machine_counts *c = &result->counts[k];
        if (p->executed != c->executed || p->threads != c->threads)
            printf("count\t%s\t%04" PRIx32 "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
                   "\n",
                   row->name, kernel->ins[k].address, kernel->ins[k].text, c->executed, p->executed,
                   c->threads, p->threads);
    }
}

/* ---- a launch ---- */

static void run(const files *from, const kernel_row *row, size_t index)
{
    static const char *const statuses[] = {"ok", "needs", "error", "stopped"};
    bw_operands kind = kind_of(row->kind);
    size_t threads = (size_t)row->grid * row->block, len, out_bytes = threads * row->slots * 4;
    uint64_t pointers[POINTERS];
    bw_machine_buffer buffers[POINTERS];
    char name[64];
    for (uint32_t k = 0; k < POINTERS; k++) {
        size_t size = k == 3 ? out_bytes : threads * bw_operands_size(kind);
        pointers[k] = bw_machine_pointer(k);
        buffers[k] = (bw_machine_buffer){pointers[k], size, malloc(size), calloc(1, size)};
        if (k == 3)
            memset(buffers[k].bytes, 0xa5, size);
        else
            bw_operands_make(kind, k, SEED, threads, buffers[k].bytes);
    }
    const bw_cubin_kernel *c = bw_cubin_find(from->cubin, row->function);
    bw_machine_param param = {0, sizeof pointers, (const uint8_t *)pointers};
    bw_machine_launch launch = {.block = {row->block, 1, 1},
                                .grid = {row->grid, 1, 1},
                                .shared = c->shared_static ? c->shared_static : 1024,
                                .params = &param,
                                .param_count = 1,
                                .buffers = buffers,
                                .buffer_count = POINTERS,
                                .banks = c->banks,
                                .bank_count = c->bank_count};
    const bw_sass_kernel *kernel = bw_sass_at(from->sass, index);
    if (!kernel->arch)
        launch.arch = bw_arch_find(from->cubin->arch);
    bw_diags diags = {0};
    bw_machine_result r = bw_machine_run(from->sass, index, &launch, &diags);
    bw_diags_print(&diags, stderr, false);
    printf("kernel\t%s\t%s\t%" PRIu64 "\n", row->name, statuses[r.status], r.steps);
    snprintf(name, sizeof name, "%s.out", row->name);
    char *card = read_file(from->folder, name, &len);
    if (len != out_bytes)
        exit(3);
    if (r.status == BW_MACHINE_OK) {
        print_slots(row, (const uint32_t *)(const void *)buffers[3].bytes, buffers[3].unknown,
                    (const uint32_t *)(const void *)card);
        print_code(row, kernel, &r);
        print_wrong_counts(row, kernel, &r);
    }
    for (uint32_t k = 0; k < POINTERS; k++) {
        free(buffers[k].bytes);
        free(buffers[k].unknown);
    }
    free(card);
    bw_machine_result_finish(&r);
    bw_diags_finish(&diags);
}

/* Every kernel of the list that text and cubin have. */
static void run_all(const files *from, char *list)
{
    for (char *line = strtok(list, "\r\n"); line; line = strtok(NULL, "\r\n")) {
        kernel_row row;
        if (sscanf(line, "%31[^,],%39[^,],%15[^,],%u,%u,%u", row.name, row.function, row.kind,
                   &row.grid, &row.block, &row.slots) != 6 ||
            !bw_cubin_find(from->cubin, row.function))
            continue;
        for (size_t k = 0; k < bw_sass_count(from->sass); k++)
            if (strcmp(bw_sass_at(from->sass, k)->name, row.function) == 0) {
                run(from, &row, k);
                break; /* a profile has a page for each launch: the first is of the results */
            }
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fputs("usage: replay_opcodes FOLDER TEXT CUBIN\n", stderr);
        return 3;
    }
    size_t len;
    bw_source text = {.name = argv[2]}, elf = {.name = argv[3]};
    text.text = read_file(argv[1], argv[2], &text.len);
    elf.text = read_file(argv[1], argv[3], &elf.len);
    bw_diags diags = {0};
    files from = {bw_sass_read(&text, &diags), bw_cubin_read(&elf, &diags), argv[1]};
    bw_diags_print(&diags, stderr, false);
    bw_diags_finish(&diags);
    if (!from.sass || !from.cubin)
        return 3;
    char *list = read_file(argv[1], "kernels.csv", &len);
    run_all(&from, list);
    free(list);
    bw_sass_destroy((bw_sass *)(uintptr_t)from.sass);
    bw_cubin_destroy((bw_cubin *)(uintptr_t)from.cubin);
    free((void *)(uintptr_t)text.text);
    free((void *)(uintptr_t)elf.text);
    return 0;
}
