/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "comparison.h"

#include <inttypes.h>
#include <string.h>

#include "table.h"
#include "wording.h"
#include "wrap.h"

/* What a text is made with. */
typedef struct text {
    const bw_comparison *all;
    const bw_node *document; /* of it */
    FILE *out;
    unsigned width;
    bool colour;
    bool notes; /* what is said beside the numbers */
    bw_arena arena;
} text;

static void heading(text *to, const char *title)
{
    fputc('\n', to->out);
    bw_print_strong(to->out, to->colour, title);
    fputc('\n', to->out);
}

/* A table of the elements of an array; rows that are `bad` stand out. */
static void print_table(text *to, const bw_field *fields, size_t count, const char *path,
                        bool (*bad)(const bw_node *row))
{
    bw_grid *grid = bw_grid_create(fields, count);
    for (const bw_node *row = bw_node_at(to->document, path)->first; row; row = row->next)
        bw_grid_row(grid, row, bad(row) ? BW_ROW_ALERT : BW_ROW_PLAIN);
    bw_grid_print(grid, to->out, to->width, to->colour);
}

static bool some_differ(const bw_node *row)
{
    return bw_node_at(row, "equal")->integer < bw_node_at(row, "rows")->integer;
}

/* "1 row", "2 rows". */
static const char *rows_text(text *to, uint64_t rows)
{
    return bw_words_count(&to->arena, rows, "row");
}

/* ---- where the rows come from ---- */

static const char *list_columns(text *to, const bool has[BW_COLUMN_IDS])
{
    const char *list = NULL;
    for (int i = 0; i < BW_COLUMN_IDS; i++)
        if (has[i])
            list = list ? bw_arena_format(&to->arena, "%s, %s", list, bw_column_at(i)->name)
                        : bw_column_at(i)->name;
    return list;
}

static void print_recording(text *to, const bw_recording *recording)
{
    const char *device = recording->device ? recording->device : "no card named";
    bw_print_sentence(to->out, to->width, 2, "%s: %s", recording->file, device);
    const char *ignored = recording->ignored && to->notes
                              ? bw_arena_format(&to->arena, "; not read: %s", recording->ignored)
                              : "";
    bw_print_sentence(to->out, to->width, 2, "  %s; compared: %s%s", rows_text(to, recording->rows),
                      list_columns(to, recording->has), ignored);
    if (recording->arch_note && to->notes)
        bw_print_sentence(to->out, to->width, 2, "  note: %s", recording->arch_note);
}

/* ---- by column ---- */

static const bw_field summary_columns[] = {
    BW_FIELD("column", "column", BW_ROLE_TEXT),
    BW_FIELD("rows", "rows", BW_ROLE_COUNT),
    BW_FIELD("equal", "equal", BW_ROLE_COUNT),
    BW_FIELD("rate", ".percent", BW_ROLE_CELL),
    BW_FIELD("95% interval", ".interval", BW_ROLE_CELL),
    BW_FIELD("tau-b", ".tau", BW_ROLE_CELL),
    BW_FIELD("MAPE", ".mape", BW_ROLE_CELL),
    BW_FIELD("against", "compared_with", BW_ROLE_TEXT, .optional = 1),
};

static void print_summary(text *to)
{
    fputc('\n', to->out);
    print_table(to, summary_columns, sizeof summary_columns / sizeof *summary_columns, "columns",
                some_differ);
}

/* The operations that the column's rule leaves out. */
static const char *exempt_ops(text *to, bw_column_id column)
{
    const char *list = "";
    for (int op = 0; op < BW_OP_COUNT; op++)
        if (to->all->scores[column][op].exempt)
            list = bw_arena_format(&to->arena, "%s%s%s", list, *list ? ", " : "",
                                   bw_op_get((bw_op)op)->name);
    return list;
}

/* Rows that were not scored are said, with the reason. */
static void print_unscored(text *to)
{
    for (int i = 0; i < BW_COLUMN_IDS; i++) {
        bw_column_id column = (bw_column_id)i;
        bw_score total = bw_comparison_total(to->all, column);
        const char *name = bw_column_at(column)->name;
        if (total.exempt)
            bw_print_sentence(to->out, to->width, 2, "%s: %s not compared: %s (%s).", name,
                              rows_text(to, total.exempt), bw_column_at(column)->exempt,
                              exempt_ops(to, column));
        if (total.unstable)
            bw_print_sentence(to->out, to->width, 2, "%s: %s not compared: marked unstable.", name,
                              rows_text(to, total.unstable));
        if (total.empty)
            bw_print_sentence(to->out, to->width, 2, "%s: %s without a value.", name,
                              rows_text(to, total.empty));
    }
    for (int i = 0; i < BW_COLUMN_OWN; i++)
        if (!to->all->has[i])
            bw_print_sentence(to->out, to->width, 2, "%s: no recording has this column.",
                              bw_column_at((bw_column_id)i)->name);
}

/* ---- by operation ---- */

static const bw_field op_columns[] = {
    BW_FIELD("op", "op", BW_ROLE_TEXT),
    BW_FIELD("rows", "rows", BW_ROLE_COUNT),
    BW_FIELD("equal", "equal", BW_ROLE_COUNT),
    BW_FIELD("rate", ".percent", BW_ROLE_CELL),
    BW_FIELD("95% interval", ".interval", BW_ROLE_CELL),
    BW_FIELD("over", "over", BW_ROLE_COUNT),
    BW_FIELD("under", "under", BW_ROLE_COUNT),
    BW_FIELD("MAPE", ".mape", BW_ROLE_CELL, .optional = 1),
};

static void print_operations(text *to)
{
    heading(to, "By operation (over: predicted more than measured)");
    print_table(to, op_columns, sizeof op_columns / sizeof *op_columns, ".operations", some_differ);
}

/* ---- confusion ---- */

/* The values that share a row of the matrix. */
static const struct bin {
    int64_t least, most;
    const char *name;
} bins[] = {
    {INT64_MIN, 0, "<1"}, {1, 1, "1"},       {2, 2, "2"},
    {3, 3, "3"},          {4, 4, "4"},       {5, 8, "5-8"},
    {9, 16, "9-16"},      {17, 32, "17-32"}, {33, INT64_MAX, ">32"},
};
#define BINS (sizeof bins / sizeof *bins)

static unsigned bin_of(int64_t value)
{
    unsigned i = 0;
    while (value > bins[i].most)
        i++;
    return i;
}

static void print_matrix(text *to)
{
    uint64_t counts[BINS][BINS] = {{0}}, in_row[BINS] = {0}, in_column[BINS] = {0};
    bw_column columns[BINS + 1] = {{.title = "predicted", .right = true}};
    for (size_t i = 0; i < to->all->cell_count; i++) {
        const bw_confusion *cell = &to->all->cells[i];
        unsigned row = bin_of(cell->predicted), column = bin_of(cell->measured);
        counts[row][column] += cell->rows;
        in_row[row] += cell->rows;
        in_column[column] += cell->rows;
    }
    size_t shown = 1;
    for (unsigned i = 0; i < BINS; i++)
        if (in_column[i])
            columns[shown++] = (bw_column){.title = bins[i].name, .right = true};
    bw_table *table = bw_table_create(columns, shown);
    for (unsigned row = 0; row < BINS; row++) {
        if (!in_row[row])
            continue;
        bw_table_row(table, BW_ROW_PLAIN);
        bw_table_cell(table, "%s", bins[row].name);
        for (unsigned column = 0; column < BINS; column++)
            if (in_column[column])
                bw_table_cell(table, counts[row][column] ? "%" PRIu64 : ".", counts[row][column]);
    }
    bw_table_print(table, to->out, to->width, to->colour);
    bw_table_destroy(table);
}

/* Off the diagonal, most frequent first; no more than these are listed. */
#define CELLS_SHOWN 8

static void print_worst_cells(text *to)
{
    uint64_t below = UINT64_MAX;
    for (unsigned shown = 0; shown < CELLS_SHOWN;) {
        uint64_t most = 0;
        for (size_t i = 0; i < to->all->cell_count; i++) {
            const bw_confusion *cell = &to->all->cells[i];
            if (cell->predicted != cell->measured && cell->rows < below && cell->rows > most)
                most = cell->rows;
        }
        for (size_t i = 0; most && i < to->all->cell_count && shown < CELLS_SHOWN; i++) {
            const bw_confusion *cell = &to->all->cells[i];
            if (cell->predicted == cell->measured || cell->rows != most)
                continue;
            fprintf(to->out, "  predicted %" PRIu32 ", measured %" PRId64 ": %s\n", cell->predicted,
                    cell->measured, rows_text(to, cell->rows));
            shown++;
        }
        if (!most)
            return;
        below = most;
    }
}

static void print_confusion(text *to)
{
    heading(to, "Confusion (predicted down, measured across, in rows)");
    print_matrix(to);
    print_worst_cells(to);
    if (to->all->cells_dropped)
        fprintf(to->out, "  %s of further pairs\n", rows_text(to, to->all->cells_dropped));
}

/* ---- mismatches ---- */

static void print_mismatches(text *to)
{
    const bw_comparison *all = to->all;
    if (!all->mismatch_count)
        return;
    heading(to, "First mismatches, as request lines ('bankwise-gpu run' takes them)");
    bw_stream_write_header(to->out, "");
    for (size_t i = 0; i < all->mismatch_count; i++) {
        const bw_mismatch *at = &all->mismatches[i];
        fprintf(to->out, "# %s:%u: %s: predicted %" PRIu32 ", measured %.10g\n", at->file, at->line,
                bw_column_at(at->column)->name, at->predicted, at->measured);
        bw_stream_write_request(to->out, &at->request);
        fputc('\n', to->out);
    }
}

/* ---- line and baselines ---- */

static void print_line(text *to)
{
    const bw_sampler *times = &to->all->times;
    bw_line line;
    heading(to, "Measured cycles against predicted wavefronts (robust fit)");
    if (!to->all->has[BW_COLUMN_CYCLES]) {
        fputs("  not made: no recording has the column cycles\n", to->out);
        return;
    }
    if (!bw_robust_line(times->x, times->y, times->count, &line)) {
        fputs("  not made: too few rows, or all of one wavefront count\n", to->out);
        return;
    }
    fprintf(to->out, "  cycles = %.4f %c %.4f x wavefronts; median absolute residual %.4f\n",
            line.intercept, line.slope < 0 ? '-' : '+', line.slope < 0 ? -line.slope : line.slope,
            line.residual);
    if (times->seen > times->count)
        fprintf(to->out, "  (of a sample: %zu of %" PRIu64 " rows)\n", times->count, times->seen);
}

static const bw_field baseline_columns[] = {
    BW_FIELD("baseline", "name", BW_ROLE_TEXT),
    BW_FIELD("equal", "equal", BW_ROLE_COUNT),
    BW_FIELD("rate", ".percent", BW_ROLE_CELL),
    BW_FIELD("95% interval", ".interval", BW_ROLE_CELL),
    BW_FIELD("what it knows", "knows", BW_ROLE_TEXT),
};

static void print_baselines(text *to)
{
    bw_grid *grid =
        bw_grid_create(baseline_columns, sizeof baseline_columns / sizeof *baseline_columns);
    int i = 0;
    for (const bw_node *row = bw_node_at(to->document, "baselines")->first; row; row = row->next)
        bw_grid_row(grid, row, i++ == BW_BASELINE_MODEL ? BW_ROW_STRONG : BW_ROW_PLAIN);
    heading(to, "What each rule is worth (on the same rows)");
    bw_grid_print(grid, to->out, to->width, to->colour);
}

/* ---- all together ---- */

static void print_verdict(text *to)
{
    const bw_value *least = &to->all->args->values[BW_OPTION_MIN_MATCH];
    if (!least->given)
        return;
    if (bw_comparison_passes(to->all))
        fprintf(to->out, "\npassed: each column agrees in at least %.15g%% of its rows\n",
                least->real);
    else
        fprintf(to->out,
                "\nfailed: a column agrees in less than %.15g%% of its rows, or has none\n",
                least->real);
}

void bw_comparison_text(const bw_comparison *all, const bw_node *document, const bw_output *output)
{
    text to = {.all = all,
               .document = document,
               .out = output->file,
               .width = output->width,
               .colour = output->colour,
               .notes = !all->args->values[BW_OPTION_QUIET].given};
    for (size_t i = 0; i < all->recording_count; i++)
        print_recording(&to, &all->recordings[i]);
    print_summary(&to);
    if (to.notes)
        print_unscored(&to);
    if (bw_comparison_own(all, BW_OP_COUNT).rows) {
        print_operations(&to);
        print_confusion(&to);
        print_mismatches(&to);
        print_line(&to);
        if (!all->no_baselines)
            print_baselines(&to);
    }
    print_verdict(&to);
    bw_arena_finish(&to.arena);
}
