/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measurement.h"

#include <inttypes.h>
#include <string.h>

#include "table.h"
#include "wording.h"
#include "wrap.h"

/* What a text is made with. */
typedef struct text {
    const bw_measurement *all;
    FILE *out;
    unsigned width;
    bool colour;
    bool notes; /* what is said beside the tables */
    bw_arena arena;
} text;

/* ---- where the numbers come from ---- */

static void print_origin(text *to)
{
    const bw_measurement *all = to->all;
    const char *kept = all->recording
                           ? bw_arena_format(&to->arena, "%s, recorded on ", all->recording)
                           : "Measured on ";
    bw_print_sentence(to->out, to->width, 2, "%s%s%s%s%s%s; %zu different requests", kept,
                      all->device ? all->device : "a card that is not named",
                      all->driver ? ", driver " : "", all->driver ? all->driver : "",
                      all->date ? ", " : "", all->date ? all->date : "", all->requests.count);
    if (all->arch_note)
        bw_print_sentence(to->out, to->width, 2, "note: %s", all->arch_note);
}

/* ---- one launch ---- */

static const bw_column columns[] = {
    {.title = "line", .right = true},
    {.title = "op"},
    {.title = "verdict"},
    {.title = "requests", .right = true, .optional = 1},
    {.title = "wavefronts", .right = true},
    {.title = "cycles", .right = true},
    {.title = "source", .flexible = true},
};

/* "1024 / 1024": predicted and measured. */
static const char *both(text *to, uint64_t predicted, bool known, uint64_t measured)
{
    if (!known)
        return bw_arena_format(&to->arena, "%" PRIu64 " / -", predicted);
    return bw_arena_format(&to->arena, "%" PRIu64 " / %" PRIu64, predicted, measured);
}

static void add_row(text *to, bw_table *table, const bw_measured_access *access)
{
    bool bad = access->verdict != BW_VERDICT_MATCH && access->verdict != BW_VERDICT_UNMEASURED;
    bw_table_row(table, bad ? BW_ROW_ALERT : BW_ROW_PLAIN);
    bw_table_cell(table, "%u", access->line);
    bw_table_cell(table, "%s", bw_op_get(access->op)->name);
    bw_table_cell(table, "%s", bw_verdict_name(access->verdict));
    bw_table_cell(table, "%" PRIu64, access->requests);
    bw_table_cell(
        table, "%s",
        both(to, access->wavefronts, access->has_wavefronts, access->measured_wavefronts));
    bw_table_cell(table, "%s",
                  both(to, access->cycles, access->has_cycles, access->measured_cycles));
    bw_table_cell(table, "%s", access->source);
}

/* Whether the clock shows only that a result takes longer than the wavefronts. */
static bool is_floored(const bw_measured_access *access)
{
    return access->has_cycles && !access->has_wavefronts;
}

static void print_reasons(text *to, const bw_measured_launch *launch)
{
    bool floored = false;
    for (size_t i = 0; i < launch->count; i++) {
        const bw_measured_access *access = &launch->accesses[i];
        floored |= is_floored(access);
        if (access->reason)
            bw_print_sentence(to->out, to->width, 2, "Line %u, %s: %s: %s.", access->line,
                              bw_op_get(access->op)->name, bw_verdict_name(access->verdict),
                              access->reason);
    }
    if (floored)
        bw_print_wrapped(
            to->out, to->width, 2,
            "Wavefronts are not measured where a result takes longer than they do; cycles "
            "are.");
}

/* Requests that disagree, for 'bankwise-gpu run' and for a closer look. */
static void print_examples(text *to, const bw_measured_launch *launch)
{
    bool any = false;
    for (size_t i = 0; i < launch->count; i++) {
        size_t example = launch->accesses[i].example;
        if (example == BW_UNIQUE_NONE)
            continue;
        if (!any)
            bw_stream_write_header(to->out, "");
        any = true;
        fprintf(to->out, "# line %u\n", launch->accesses[i].line);
        bw_stream_write_request(to->out, &to->all->requests.items[example].request);
        fputc('\n', to->out);
    }
}

static void print_title(text *to, const bw_measured_launch *launch)
{
    const char *what =
        launch->kernel ? bw_arena_format(&to->arena, "kernel %s", launch->kernel) : "script";
    if (launch->of > 1)
        what = bw_arena_format(&to->arena, "%s (launch %zu of %zu)", what, launch->index + 1,
                               launch->of);
    bw_print_sentence(to->out, to->width, 2, "%s%s%s: %s, block %s, grid %s",
                      to->colour ? "\033[1m" : "", launch->file, to->colour ? "\033[0m" : "", what,
                      bw_words_shape(&to->arena, launch->block),
                      bw_words_shape(&to->arena, launch->grid));
    if (launch->random && to->notes)
        bw_print_sentence(to->out, to->width, 2, "Random: one sample, seed %" PRIu64 ".",
                          to->all->args->values[BW_OPTION_SEED].number);
}

static void print_launch(text *to, const bw_measured_launch *launch)
{
    fputc('\n', to->out);
    print_title(to, launch);
    if (!launch->count) {
        fputs("No access to shared memory.\n", to->out);
        return;
    }
    fputc('\n', to->out);
    bw_table *table = bw_table_create(columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < launch->count; i++)
        add_row(to, table, &launch->accesses[i]);
    bw_table_print(table, to->out, to->width, to->colour);
    bw_table_destroy(table);
    if (to->notes)
        print_reasons(to, launch);
    print_examples(to, launch);
}

/* ---- all together ---- */

static void print_total(text *to)
{
    const uint64_t *counts = to->all->by_verdict;
    uint64_t sum = 0;
    const char *list = "";
    for (int i = 0; i < BW_VERDICTS; i++) {
        sum += counts[i];
        if (counts[i])
            list = bw_arena_format(&to->arena, "%s%s%" PRIu64 " %s", list, *list ? ", " : "",
                                   counts[i], bw_verdict_name((bw_verdict)i));
    }
    fprintf(to->out, "\n%" PRIu64 " access%s: %s\n", sum, sum == 1 ? "" : "es",
            sum ? list : "nothing to measure");
}

void bw_measurement_text(const bw_measurement *all, FILE *out, unsigned width, bool colour)
{
    text to = {.all = all,
               .out = out,
               .width = width,
               .colour = colour,
               .notes = !all->args->values[BW_OPTION_QUIET].given};
    print_origin(&to);
    if (to.notes)
        bw_print_wrapped(to.out, to.width, 2, "Wavefronts and cycles are predicted / measured.");
    for (size_t i = 0; i < all->count; i++)
        print_launch(&to, &all->launches[i]);
    print_total(&to);
    bw_arena_finish(&to.arena);
}
