/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A comparison as a document, and what CSV shows of it.
 */
#include "comparison.h"

#include <string.h>

/* ---- scores ---- */

/* "99.97%"; 100 % only where all rows agree, and 0 only where none does. */
static const char *percent(bw_arena *arena, const bw_rate *rate)
{
    double shown = 100 * rate->rate;
    if (!rate->trials)
        return "-";
    if (rate->hits < rate->trials && shown > 99.99)
        shown = 99.99;
    if (rate->hits > 0 && shown < 0.01)
        shown = 0.01;
    return bw_arena_format(arena, "%.2f%%", shown);
}

/* The interval, rounded outwards. */
static const char *interval(bw_arena *arena, const bw_rate *rate)
{
    if (!rate->trials)
        return "-";
    double low = (double)(int64_t)(rate->low * 10000) / 100;
    double high = (double)(int64_t)(rate->high * 10000 + 0.999999) / 100;
    return bw_arena_format(arena, "%.2f to %.2f%%", low, high);
}

static void put_rate(bw_node *to, uint64_t hits, uint64_t trials)
{
    bw_rate rate = bw_rate_of(hits, trials);
    BW_PUT(to, BW_M("rows", trials), BW_M("equal", hits));
    bw_put_known(to, "rate", trials, rate.rate);
    BW_PUT(to, BW_M("low", rate.low), BW_M("high", rate.high));
    if (trials) { /* without rows, the interval says nothing */
        bw_put_real(to, ".low", rate.low);
        bw_put_real(to, ".high", rate.high);
    }
    BW_PUT(to, BW_M(".percent", percent(to->arena, &rate)),
           BW_M(".interval", interval(to->arena, &rate)));
}

static void put_score(bw_node *to, const bw_score *score)
{
    put_rate(to, score->equal, score->rows);
    BW_PUT(to, BW_M("over", score->over), BW_M("under", score->under));
    bw_put_known(to, "mape", score->error_rows, bw_score_mape(score));
    bw_put_text(to, ".mape",
                score->error_rows ? bw_arena_format(to->arena, "%.2f%%", 100 * bw_score_mape(score))
                                  : "-");
    bw_node *others = bw_put_object(to, "not_compared");
    BW_PUT(others, BW_M("exempt", score->exempt), BW_M("unstable", score->unstable),
           BW_M("empty", score->empty));
}

static bool has_rows(const bw_score *score)
{
    return score->rows || score->exempt || score->unstable || score->empty;
}

/* ---- columns ---- */

/* What the baselines get right, for CSV: of the model's own columns. */
static void put_baseline_hits(bw_node *to, const bw_comparison *all, bw_column_id column,
                              const bw_score *score)
{
    if (column >= BW_COLUMN_OWN || all->no_baselines)
        return;
    bw_node *hits = bw_put_object(to, ".baselines");
    for (int i = 0; i < BW_BASELINE_COUNT; i++)
        bw_put_integer(hits, bw_baseline_name((bw_baseline)i), (int64_t)score->baseline[i]);
}

static void put_operations(bw_node *parent, const bw_comparison *all, bw_column_id column)
{
    bw_node *array = bw_put_array(parent, "operations");
    for (int op = 0; op < BW_OP_COUNT; op++) {
        const bw_score *score = &all->scores[column][op];
        if (!has_rows(score))
            continue;
        bw_node *to = bw_put_object(array, NULL);
        bw_put_text(to, "op", bw_op_get((bw_op)op)->name);
        put_score(to, score);
        put_baseline_hits(to, all, column, score);
    }
}

static void put_tau(bw_node *to, const bw_comparison *all, bw_column_id column)
{
    double tau = 0;
    bool own = column < BW_COLUMN_OWN;
    const bw_sampler *sample = own ? &all->samples[column] : NULL;
    bool ranked = own && bw_kendall(sample->x, sample->y, sample->count, &tau);
    bw_put_known(to, "kendall_tau_b", ranked, tau);
    bw_put_text(to, ".tau", ranked ? bw_arena_format(to->arena, "%.4f", tau) : own ? "-" : "");
}

static void put_columns(bw_node *parent, const bw_comparison *all)
{
    bw_node *array = bw_put_array(parent, "columns");
    for (int i = 0; i < BW_COLUMN_IDS; i++) {
        bw_column_id column = (bw_column_id)i;
        bw_score total = bw_comparison_total(all, column);
        if (!all->has[i])
            continue;
        bw_node *to = bw_put_object(array, NULL);
        BW_PUT(to, BW_M("column", bw_column_at(column)->name),
               BW_M("compared_with", bw_column_at(column)->compared),
               BW_M("exempt_because", bw_column_at(column)->exempt));
        put_score(to, &total);
        put_tau(to, all, column);
        put_operations(to, all, column);
        put_baseline_hits(to, all, column, &total);
        bw_put_text(to, ".op", "all");
    }
}

/* ---- the rest ---- */

static void put_recordings(bw_node *parent, const bw_comparison *all)
{
    bw_node *array = bw_put_array(parent, "recordings");
    for (size_t i = 0; i < all->recording_count; i++) {
        const bw_recording *from = &all->recordings[i];
        bw_node *to = bw_put_object(array, NULL);
        BW_PUT(to, BW_M("file", from->file), BW_M("device", from->device),
               BW_M("driver", from->driver), BW_M("arch", from->arch->name),
               BW_M("note", from->arch_note), BW_M("rows", from->rows));
        bw_node *columns = bw_put_array(to, "columns");
        for (int c = 0; c < BW_COLUMN_IDS; c++)
            if (from->has[c])
                bw_put_text(columns, NULL, bw_column_at((bw_column_id)c)->name);
    }
}

static void put_confusion(bw_node *parent, const bw_comparison *all)
{
    bw_node *array = bw_put_array(parent, "confusion");
    for (size_t i = 0; i < all->cell_count; i++) {
        bw_node *to = bw_put_object(array, NULL);
        BW_PUT(to, BW_M("predicted", all->cells[i].predicted),
               BW_M("measured", all->cells[i].measured), BW_M("rows", all->cells[i].rows));
    }
    bw_put_integer(parent, "confusion_dropped", (int64_t)all->cells_dropped);
}

static void put_mismatches(bw_node *parent, const bw_comparison *all)
{
    bw_node *array = bw_put_array(parent, "mismatches");
    for (size_t i = 0; i < all->mismatch_count; i++) {
        const bw_mismatch *at = &all->mismatches[i];
        bw_node *to = bw_put_object(array, NULL);
        BW_PUT(to, BW_M("file", at->file), BW_M("line", at->line),
               BW_M("column", bw_column_at(at->column)->name), BW_M("predicted", at->predicted),
               BW_M("measured", at->measured));
        bw_put_request(bw_put_object(to, "request"), &at->request);
    }
}

static void put_line(bw_node *parent, const bw_comparison *all)
{
    bw_line line;
    const bw_sampler *times = &all->times;
    if (!bw_robust_line(times->x, times->y, times->count, &line)) {
        bw_put_null(parent, "line");
        return;
    }
    bw_node *to = bw_put_object(parent, "line");
    BW_PUT(to, BW_M("intercept", line.intercept), BW_M("slope", line.slope),
           BW_M("median_absolute_residual", line.residual), BW_M("rows", times->seen),
           BW_M("sample", times->count));
}

static void put_baselines(bw_node *parent, const bw_comparison *all)
{
    bw_node *array = bw_put_array(parent, "baselines");
    bw_score own = bw_comparison_own(all, BW_OP_COUNT);
    for (int i = 0; i < BW_BASELINE_COUNT && !all->no_baselines; i++) {
        bw_node *to = bw_put_object(array, NULL);
        BW_PUT(to, BW_M("name", bw_baseline_name((bw_baseline)i)),
               BW_M("knows", bw_baseline_text((bw_baseline)i)));
        put_rate(to, own.baseline[i], own.rows);
        bw_node *operations = bw_put_array(to, "operations");
        for (int op = 0; op < BW_OP_COUNT; op++) {
            bw_score score = bw_comparison_own(all, (bw_op)op);
            if (!score.rows)
                continue;
            bw_node *one = bw_put_object(operations, NULL);
            bw_put_text(one, "op", bw_op_get((bw_op)op)->name);
            put_rate(one, score.baseline[i], score.rows);
        }
    }
}

/* The model's own columns together, by operation: for the text. */
static void put_own(bw_node *parent, const bw_comparison *all)
{
    bw_node *array = bw_put_array(parent, ".operations");
    for (int op = 0; op < BW_OP_COUNT; op++) {
        bw_score score = bw_comparison_own(all, (bw_op)op);
        if (!score.rows)
            continue;
        bw_node *to = bw_put_object(array, NULL);
        bw_put_text(to, "op", bw_op_get((bw_op)op)->name);
        put_score(to, &score);
    }
}

static bw_node *document_of(bw_arena *arena, const bw_comparison *all)
{
    const bw_value *least = &all->args->values[BW_OPTION_MIN_MATCH];
    bw_node *document = bw_node_object(arena);
    bw_put_text(document, "schema", "bankwise.compare/1");
    put_recordings(document, all);
    bw_put_integer(document, "rows", (int64_t)all->rows);
    put_columns(document, all);
    put_own(document, all);
    put_confusion(document, all);
    put_mismatches(document, all);
    put_line(document, all);
    put_baselines(document, all);
    bw_put_known(document, "min_match", least->given, least->real);
    bw_put_bool(document, "passed", bw_comparison_passes(all));
    return document;
}

/* ---- CSV ---- */

/* Rates without rows, and baselines of columns that have none, are empty. */
static const bw_field columns[] = {BW_ABOVE("column"),
                                   BW_SAME("op"),
                                   BW_SAME("rows"),
                                   BW_SAME("equal"),
                                   BW_FIELD("rate", "rate", BW_ROLE_SIGNIFICANT, .digits = 6),
                                   BW_FIELD("low", ".low", BW_ROLE_SIGNIFICANT, .digits = 6),
                                   BW_FIELD("high", ".high", BW_ROLE_SIGNIFICANT, .digits = 6),
                                   BW_SAME("over"),
                                   BW_SAME("under"),
                                   BW_FIELD("mape", "mape", BW_ROLE_SIGNIFICANT, .digits = 6),
                                   BW_FIELD("exempt", "not_compared/exempt", BW_ROLE_PLAIN),
                                   BW_FIELD("unstable", "not_compared/unstable", BW_ROLE_PLAIN),
                                   BW_FIELD("empty", "not_compared/empty", BW_ROLE_PLAIN)};
#define COLUMNS (sizeof columns / sizeof *columns)

static void write_csv(const bw_node *document, FILE *out)
{
    bw_field fields[COLUMNS + BW_BASELINE_COUNT];
    memcpy(fields, columns, sizeof columns);
    for (int i = 0; i < BW_BASELINE_COUNT; i++) {
        const char *name = bw_baseline_name((bw_baseline)i);
        fields[COLUMNS + i] = (bw_field)BW_FIELD(
            bw_arena_format(document->arena, "equal_%s", name),
            bw_arena_format(document->arena, ".baselines/%s", name), BW_ROLE_COUNT);
    }
    size_t count = COLUMNS + BW_BASELINE_COUNT;
    bw_csv_header(fields, count, out);
    const bw_node *column = bw_node_at(document, "columns")->first;
    for (; column; column = column->next) {
        bw_csv_rows(fields, count, bw_node_at(column, "operations"), column, out);
        fields[1].path = ".op"; /* "all" */
        bw_csv_row(fields, count, column, column, out);
        fields[1].path = columns[1].path;
    }
}

void bw_comparison_write(const bw_comparison *all, const bw_output *output)
{
    bw_arena arena = {NULL};
    const bw_node *document = document_of(&arena, all);
    switch ((bw_format)all->args->values[BW_OPTION_FORMAT].number) {
    case BW_FORMAT_JSON: bw_node_json(document, output->file, BW_JSON_INDENTED); break;
    case BW_FORMAT_CSV: write_csv(document, output->file); break;
    default: bw_comparison_text(all, document, output); break;
    }
    bw_arena_finish(&arena);
}
