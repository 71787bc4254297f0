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

#include "opcode_kernels.h"

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

static void print_slots(const kernel_row *row, const kernel_output *o)
{
    const uint32_t *words = o->out, *card = o->card;
    const uint8_t *unknown = o->unknown;
    uint32_t threads = row->grid * row->block;
    for (uint32_t s = 0; s < row->slots; s++) {
        uint32_t same = 0, open = 0, different = 0;
        size_t first = 0;
        double most = 0;
        for (uint32_t t = 0; t < threads; t++) {
            size_t at = (size_t)t * row->slots + s;
            const uint8_t *u = &unknown[4 * at];
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

/* ---- */

int main(int argc, char **argv)
{
    static const char *const statuses[] = {"ok", "needs", "error", "stopped"};
    text_files f;
    if (argc != 4) {
        fputs("usage: replay_opcodes FOLDER TEXT CUBIN\n", stderr);
        return 3;
    }
    if (!open_files(&f, argv[1], argv[2], argv[3]))
        return 3;
    size_t len;
    char *list = read_file(argv[1], "kernels.csv", &len);
    const char *at = list;
    kernel_row row;
    for (long k; (k = next_kernel(&f, &at, &row)) >= 0;) {
        kernel_output o = run_kernel(&f, &row, (size_t)k);
        const bw_sass_kernel *kernel = bw_sass_at(f.sass, (size_t)k);
        printf("kernel\t%s\t%s\t%" PRIu64 "\n", row.name, statuses[o.result.status],
               o.result.steps);
        if (o.result.status == BW_MACHINE_OK) {
            print_slots(&row, &o);
            print_code(&row, kernel, &o.result);
            print_wrong_counts(&row, kernel, &o.result);
        }
        finish_output(&o);
    }
    free(list);
    close_files(&f);
    return 0;
}
