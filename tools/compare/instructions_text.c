/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "instructions.h"

#include <inttypes.h>

#include "machine_report.h"
#include "table.h"
#include "wording.h"
#include "wrap.h"

/* Predicted and measured in one cell where they are equal, else both. */
static const bw_column columns[] = {
    {.title = "address", .right = true},
    {.title = "executed", .right = true},
    {.title = "threads", .right = true, .optional = 2},
    {.title = "wavefronts", .right = true},
    {.title = "ideal", .right = true, .optional = 1},
    {.title = "verdict"},
    {.title = "instruction", .flexible = true},
};

static const char *pair_text(bw_arena *arena, uint64_t predicted, uint64_t measured)
{
    if (measured == UINT64_MAX)
        return bw_arena_format(arena, "%" PRIu64 " / -", predicted);
    if (predicted == measured)
        return bw_arena_format(arena, "%" PRIu64, predicted);
    return bw_arena_format(arena, "%" PRIu64 " / %" PRIu64, predicted, measured);
}

static void add_row(bw_arena *arena, bw_table *table, const bw_ins_row *row)
{
    const bw_instruction *ins = row->ins;
    const bw_profiled_counts *p = &ins->profiled;
    bool finding = row->verdict == BW_INS_CONTROL || row->verdict == BW_INS_OVER ||
                   row->verdict == BW_INS_UNDER;
    bw_table_row(table, finding ? BW_ROW_ALERT : BW_ROW_PLAIN);
    bw_table_cell(table, "%s0x%04" PRIx32, finding ? "> " : "", ins->address);
    bw_table_cell(table, "%s", pair_text(arena, ins->executed, p->executed));
    bw_table_cell(table, "%s", pair_text(arena, ins->threads, p->threads));
    bw_table_cell(table, "%s", row->asks ? pair_text(arena, row->wavefronts, p->wavefronts) : "");
    bw_table_cell(table, "%s", row->asks ? pair_text(arena, row->ideal, p->ideal) : "");
    bw_table_cell(table, "%s", bw_ins_verdict_name(row->verdict));
    bw_table_cell(table, "%s", ins->text);
}

/* Those that ask shared memory, and all that differ. */
static bool is_shown(const bw_ins_row *row)
{
    return row->asks || row->verdict != BW_INS_EQUAL;
}

static void print_rows(bw_arena *arena, const bw_ins_kernel *k, FILE *out, unsigned width,
                       bool colour)
{
    bool any = false;
    bw_table *table = bw_table_create(columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < k->count; i++)
        if (is_shown(&k->rows[i])) {
            add_row(arena, table, &k->rows[i]);
            any = true;
        }
    if (any) {
        fputc('\n', out);
        bw_table_print(table, out, width, colour);
        fputc('\n', out);
    }
    bw_table_destroy(table);
}

static void print_verdicts(const bw_ins_kernel *k, FILE *out, unsigned width)
{
    bool met[BW_INS_VERDICTS] = {false};
    for (size_t i = 0; i < k->count; i++)
        met[k->rows[i].verdict] = true;
    for (int v = 0; v < BW_INS_VERDICTS; v++)
        if (met[v] && bw_ins_verdict_text((bw_ins_verdict)v))
            bw_print_wrapped(out, width, 2, bw_ins_verdict_text((bw_ins_verdict)v));
}

static void print_summary(bw_arena *arena, const bw_ins_kernel *k, FILE *out, unsigned width)
{
    bw_print_wrapped(out, width, 2,
                     bw_arena_format(arena,
                                     "Control flow: of %s, %zu executed counts and %zu thread "
                                     "counts are equal.",
                                     bw_words_count(arena, k->count, "instruction"),
                                     k->executed_equal, k->threads_equal));
    bw_print_wrapped(out, width, 2,
                     bw_arena_format(arena,
                                     "Banks: of %zu that ask shared memory, %zu have equal "
                                     "wavefronts and %zu an equal ideal.",
                                     k->asking, k->wavefronts_equal, k->ideal_equal));
    print_verdicts(k, out, width);
    if (k->report.run.ordered && k->findings)
        bw_print_wrapped(out, width, 2,
                         "Order: what an atomic returned, or a race left, reached an address or a "
                         "branch; such counts go by timing and differ from run to run.");
    bw_print_wrapped(out, width, 2,
                     k->exact      ? "Exact."
                     : k->findings ? "Not exact."
                                   : "Exact but for what is told apart.");
}

static void print_kernel(const bw_ins_comparison *all, bw_arena *arena, const bw_ins_kernel *k,
                         FILE *out, unsigned width, bool colour)
{
    bool quiet = all->args->values[BW_OPTION_QUIET].given;
    const bw_launch *launch = k->report.launch;
    fprintf(out, "%s%s%s\n", colour ? "\033[1m" : "", all->input.source.name,
            colour ? "\033[0m" : "");
    bw_print_wrapped(out, width, 2,
                     bw_arena_format(arena, "kernel %s, block %s, grid %s, %s", launch->kernel,
                                     bw_words_shape(arena, launch->block),
                                     bw_words_shape(arena, launch->grid), k->report.arch->name));
    print_rows(arena, k, out, width, colour);
    if (!quiet)
        print_summary(arena, k, out, width);
}

void bw_ins_text(const bw_ins_comparison *all, FILE *out, unsigned width, bool colour)
{
    bw_arena arena = {NULL};
    size_t shown = 0, exact = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (!all->kernels[i].ran)
            continue;
        if (shown++)
            fputc('\n', out);
        exact += all->kernels[i].exact;
        print_kernel(all, &arena, &all->kernels[i], out, width, colour);
    }
    if (all->count > 1)
        fprintf(out, "\n%zu of %zu kernels are exact%s\n", exact, all->count,
                shown < all->count ? "; some could not be run, see above" : "");
    bw_arena_finish(&arena);
}
