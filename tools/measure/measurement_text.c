/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measurement.h"

#include <inttypes.h>
#include <string.h>

#include "plain.h"
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

static const bw_field columns[] = {
    BW_FIELD("line", "line", BW_ROLE_COUNT),
    BW_FIELD("op", "op", BW_ROLE_TEXT),
    BW_FIELD("verdict", "verdict", BW_ROLE_TEXT),
    BW_FIELD("requests", "requests", BW_ROLE_COUNT, .optional = 1),
    BW_FIELD("wavefronts", ".wavefronts", BW_ROLE_CELL),
    BW_FIELD("cycles", ".cycles", BW_ROLE_CELL),
    BW_FIELD("source", "source", BW_ROLE_TEXT, .flexible = true),
};

static void print_table(text *to, const bw_measured_launch *launch, const bw_node *document)
{
    bw_grid *grid = bw_grid_create(columns, sizeof columns / sizeof *columns);
    const bw_node *row = bw_node_at(document, "accesses")->first;
    for (size_t i = 0; i < launch->count; i++, row = row->next) {
        bw_verdict verdict = launch->accesses[i].verdict;
        bool bad = verdict != BW_VERDICT_MATCH && verdict != BW_VERDICT_UNMEASURED;
        bw_grid_row(grid, row, bad ? BW_ROW_ALERT : BW_ROW_PLAIN);
    }
    bw_grid_print(grid, to->out, to->width, to->colour);
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
    if (to->colour)
        bw_put_style(to->out, BW_STYLE_BOLD);
    bw_print_sentence(to->out, to->width, 2, "%s: %s, block %s, grid %s", launch->file, what,
                      bw_words_shape(&to->arena, launch->block),
                      bw_words_shape(&to->arena, launch->grid));
    if (to->colour)
        bw_put_style(to->out, BW_STYLE_OFF);
    if (launch->random && to->notes)
        bw_print_sentence(to->out, to->width, 2, "Random: one sample, seed %" PRIu64 ".",
                          to->all->args->values[BW_OPTION_SEED].number);
}

static void print_launch(text *to, const bw_measured_launch *launch, const bw_node *document)
{
    fputc('\n', to->out);
    print_title(to, launch);
    if (!launch->count) {
        fputs("No access to shared memory.\n", to->out);
        return;
    }
    fputc('\n', to->out);
    print_table(to, launch, document);
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

void bw_measurement_text(const bw_measurement *all, const bw_node *document,
                         const bw_output *output)
{
    text to = {.all = all,
               .out = output->file,
               .width = output->width,
               .colour = output->colour,
               .notes = !all->args->values[BW_OPTION_QUIET].given};
    const bw_node *launch = bw_node_at(document, "launches")->first;
    print_origin(&to);
    if (to.notes)
        bw_print_wrapped(to.out, to.width, 2, "Wavefronts and cycles are predicted / measured.");
    for (size_t i = 0; i < all->count; i++, launch = launch->next)
        print_launch(&to, &all->launches[i], launch);
    print_total(&to);
    bw_arena_finish(&to.arena);
}
