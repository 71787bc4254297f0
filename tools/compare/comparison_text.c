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
    FILE *out;
    unsigned width;
    bool colour;
    bool notes; /* what is said beside the numbers */
    bw_arena arena;
} text;

/* "99.97%"; 100 % only where all rows agree, and 0 only where none does. */
static const char *percent(text *to, const bw_rate *rate)
{
    double shown = 100 * rate->rate;
    if (!rate->trials)
        return "-";
    if (rate->hits < rate->trials && shown > 99.99)
        shown = 99.99;
    if (rate->hits > 0 && shown < 0.01)
        shown = 0.01;
    return bw_arena_format(&to->arena, "%.2f%%", shown);
}

/* The interval, rounded outwards. */
static const char *interval(text *to, const bw_rate *rate)
{
    if (!rate->trials)
        return "-";
    double low = (double)(int64_t)(rate->low * 10000) / 100;
    double high = (double)(int64_t)(rate->high * 10000 + 0.999999) / 100;
    return bw_arena_format(&to->arena, "%.2f to %.2f%%", low, high);
}

static void heading(text *to, const char *title)
{
    fprintf(to->out, "\n%s%s%s\n", to->colour ? "\033[1m" : "", title, to->colour ? "\033[0m" : "");
}

static void print_table(text *to, bw_table *table)
{
    bw_table_print(table, to->out, to->width, to->colour);
    bw_table_destroy(table);
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

static const bw_column summary_columns[] = {
    {.title = "column"},
    {.title = "rows", .right = true},
    {.title = "equal", .right = true},
    {.title = "rate", .right = true},
    {.title = "95% interval", .right = true},
    {.title = "tau-b", .right = true},
    {.title = "MAPE", .right = true},
    {.title = "against", .optional = 1},
};

static const char *tau_of(text *to, bw_column_id column)
{
    double tau;
    if (column >= BW_COLUMN_OWN)
        return "";
    const bw_sampler *sample = &to->all->samples[column];
    if (!bw_kendall(sample->x, sample->y, sample->count, &tau))
        return "-";
    return bw_arena_format(&to->arena, "%.4f", tau);
}

static void print_summary(text *to)
{
    bw_table *table =
        bw_table_create(summary_columns, sizeof summary_columns / sizeof *summary_columns);
    for (int i = 0; i < BW_COLUMN_IDS; i++) {
        bw_score total = bw_comparison_total(to->all, (bw_column_id)i);
        bw_rate rate = bw_rate_of(total.equal, total.rows);
        if (!to->all->has[i])
            continue;
        bw_table_row(table, total.equal < total.rows ? BW_ROW_ALERT : BW_ROW_PLAIN);
        bw_table_cell(table, "%s", bw_column_at(i)->name);
        bw_table_cell(table, "%" PRIu64, total.rows);
        bw_table_cell(table, "%" PRIu64, total.equal);
        bw_table_cell(table, "%s", percent(to, &rate));
        bw_table_cell(table, "%s", interval(to, &rate));
        bw_table_cell(table, "%s", tau_of(to, (bw_column_id)i));
        bw_table_cell(table, total.error_rows ? "%.2f%%" : "-", 100 * bw_score_mape(&total));
        bw_table_cell(table, "%s", bw_column_at(i)->compared);
    }
    fputc('\n', to->out);
    print_table(to, table);
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

static const bw_column op_columns[] = {
    {.title = "op"},
    {.title = "rows", .right = true},
    {.title = "equal", .right = true},
    {.title = "rate", .right = true},
    {.title = "95% interval", .right = true},
    {.title = "over", .right = true},
    {.title = "under", .right = true},
    {.title = "MAPE", .right = true, .optional = 1},
};

static void print_operations(text *to)
{
    bw_table *table = bw_table_create(op_columns, sizeof op_columns / sizeof *op_columns);
    for (int op = 0; op < BW_OP_COUNT; op++) {
        bw_score score = bw_comparison_own(to->all, (bw_op)op);
        bw_rate rate = bw_rate_of(score.equal, score.rows);
        if (!score.rows)
            continue;
        bw_table_row(table, score.equal < score.rows ? BW_ROW_ALERT : BW_ROW_PLAIN);
        bw_table_cell(table, "%s", bw_op_get((bw_op)op)->name);
        bw_table_cell(table, "%" PRIu64, score.rows);
        bw_table_cell(table, "%" PRIu64, score.equal);
        bw_table_cell(table, "%s", percent(to, &rate));
        bw_table_cell(table, "%s", interval(to, &rate));
        bw_table_cell(table, "%" PRIu64, score.over);
        bw_table_cell(table, "%" PRIu64, score.under);
        bw_table_cell(table, score.error_rows ? "%.2f%%" : "-", 100 * bw_score_mape(&score));
    }
    heading(to, "By operation (over: predicted more than measured)");
    print_table(to, table);
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
    print_table(to, table);
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

static const bw_column baseline_columns[] = {
    {.title = "baseline"},
    {.title = "equal", .right = true},
    {.title = "rate", .right = true},
    {.title = "95% interval", .right = true},
    {.title = "what it knows"},
};

static void print_baselines(text *to)
{
    bw_table *table =
        bw_table_create(baseline_columns, sizeof baseline_columns / sizeof *baseline_columns);
    bw_score own = bw_comparison_own(to->all, BW_OP_COUNT);
    for (int i = 0; i < BW_BASELINE_COUNT; i++) {
        bw_rate rate = bw_rate_of(own.baseline[i], own.rows);
        bw_table_row(table, i == BW_BASELINE_MODEL ? BW_ROW_STRONG : BW_ROW_PLAIN);
        bw_table_cell(table, "%s", bw_baseline_name((bw_baseline)i));
        bw_table_cell(table, "%" PRIu64, rate.hits);
        bw_table_cell(table, "%s", percent(to, &rate));
        bw_table_cell(table, "%s", interval(to, &rate));
        bw_table_cell(table, "%s", bw_baseline_text((bw_baseline)i));
    }
    heading(to, "What each rule is worth (on the same rows)");
    print_table(to, table);
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

void bw_comparison_text(const bw_comparison *all, FILE *out, unsigned width, bool colour)
{
    text to = {.all = all,
               .out = out,
               .width = width,
               .colour = colour,
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
