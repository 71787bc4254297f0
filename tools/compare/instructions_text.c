/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "instructions.h"

#include <inttypes.h>

#include "wording.h"
#include "wrap.h"

static const bw_field columns[] = {
    BW_FIELD("address", ".label", BW_ROLE_CELL),
    BW_FIELD("executed", "executed/.text", BW_ROLE_CELL),
    BW_FIELD("threads", "threads/.text", BW_ROLE_CELL, .optional = 2),
    BW_FIELD("wavefronts", "wavefronts/.text", BW_ROLE_CELL),
    BW_FIELD("ideal", "ideal/.text", BW_ROLE_CELL, .optional = 1),
    BW_FIELD("verdict", "verdict", BW_ROLE_TEXT),
    BW_FIELD("instruction", "text", BW_ROLE_TEXT, .flexible = true),
};

/* Those that ask shared memory, and all that differ. */
static bool is_shown(const bw_ins_row *row)
{
    return row->asks || row->verdict != BW_INS_EQUAL;
}

static void print_rows(const bw_ins_kernel *k, const bw_node *document, const bw_output *to)
{
    bool any = false;
    bw_grid *grid = bw_grid_create(columns, sizeof columns / sizeof *columns);
    const bw_node *row = bw_node_at(document, "instructions")->first;
    for (size_t i = 0; i < k->count; i++, row = row->next)
        if (is_shown(&k->rows[i])) {
            bw_grid_row(grid, row,
                        bw_ins_is_finding(k->rows[i].verdict) ? BW_ROW_ALERT : BW_ROW_PLAIN);
            any = true;
        }
    if (!any) {
        bw_grid_destroy(grid);
        return;
    }
    fputc('\n', to->file);
    bw_grid_print(grid, to->file, to->width, to->colour);
    fputc('\n', to->file);
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
                         const bw_node *document, const bw_output *to)
{
    FILE *out = to->file;
    unsigned width = to->width;
    bool quiet = all->args->values[BW_OPTION_QUIET].given;
    const bw_launch *launch = k->report.launch;
    bw_print_strong(out, to->colour, all->input.source.name);
    fputc('\n', out);
    bw_print_wrapped(out, width, 2,
                     bw_arena_format(arena, "kernel %s, block %s, grid %s, %s", launch->kernel,
                                     bw_words_shape(arena, launch->block),
                                     bw_words_shape(arena, launch->grid), k->report.arch->name));
    print_rows(k, document, to);
    if (!quiet)
        print_summary(arena, k, out, width);
}

void bw_ins_text(const bw_ins_comparison *all, const bw_node *document, const bw_output *output)
{
    FILE *out = output->file;
    const bw_node *kernel = bw_node_at(document, "kernels")->first;
    bw_arena arena = {NULL};
    size_t shown = 0, exact = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (!all->kernels[i].ran)
            continue;
        if (shown++)
            fputc('\n', out);
        exact += all->kernels[i].exact;
        print_kernel(all, &arena, &all->kernels[i], kernel, output);
        kernel = kernel->next;
    }
    if (all->count > 1)
        fprintf(out, "\n%zu of %zu kernels are exact%s\n", exact, all->count,
                shown < all->count ? "; some could not be run, see above" : "");
    bw_arena_finish(&arena);
}
