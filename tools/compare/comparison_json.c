/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "comparison.h"

#include <jansson.h>

#include "report.h"

#define REAL_DIGITS 12

static void set_rate(json_t *object, uint64_t hits, uint64_t trials)
{
    bw_rate rate = bw_rate_of(hits, trials);
    json_object_set_new(object, "rows", json_integer((json_int_t)trials));
    json_object_set_new(object, "equal", json_integer((json_int_t)hits));
    json_object_set_new(object, "rate", trials ? json_real(rate.rate) : json_null());
    json_object_set_new(object, "low", json_real(rate.low));
    json_object_set_new(object, "high", json_real(rate.high));
}

static void set_score(json_t *object, const bw_score *score)
{
    set_rate(object, score->equal, score->rows);
    json_object_set_new(object, "over", json_integer((json_int_t)score->over));
    json_object_set_new(object, "under", json_integer((json_int_t)score->under));
    json_object_set_new(object, "mape",
                        score->error_rows ? json_real(bw_score_mape(score)) : json_null());
    json_object_set_new(object, "not_compared",
                        json_pack("{s:I,s:I,s:I}", "exempt", (json_int_t)score->exempt, "unstable",
                                  (json_int_t)score->unstable, "empty", (json_int_t)score->empty));
}

static bool has_rows(const bw_score *score)
{
    return score->rows || score->exempt || score->unstable || score->empty;
}

static json_t *recordings_of(const bw_comparison *all)
{
    json_t *array = json_array();
    for (size_t i = 0; i < all->recording_count; i++) {
        const bw_recording *from = &all->recordings[i];
        json_t *columns = json_array();
        for (int c = 0; c < BW_COLUMN_IDS; c++)
            if (from->has[c])
                json_array_append_new(columns, json_string(bw_column_at((bw_column_id)c)->name));
        json_array_append_new(array, json_pack("{s:o,s:o,s:o,s:s,s:o,s:I,s:o}", "file",
                                               bw_json_text(from->file), "device",
                                               bw_json_text(from->device), "driver",
                                               bw_json_text(from->driver), "arch", from->arch->name,
                                               "note", bw_json_text(from->arch_note), "rows",
                                               (json_int_t)from->rows, "columns", columns));
    }
    return array;
}

static json_t *operations_of(const bw_comparison *all, bw_column_id column)
{
    json_t *array = json_array();
    for (int op = 0; op < BW_OP_COUNT; op++) {
        const bw_score *score = &all->scores[column][op];
        if (!has_rows(score))
            continue;
        json_t *object = json_pack("{s:s}", "op", bw_op_get((bw_op)op)->name);
        set_score(object, score);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *columns_of(const bw_comparison *all)
{
    json_t *array = json_array();
    for (int i = 0; i < BW_COLUMN_IDS; i++) {
        bw_column_id column = (bw_column_id)i;
        bw_score total = bw_comparison_total(all, column);
        double tau;
        if (!all->has[i])
            continue;
        json_t *object = json_pack("{s:s,s:s,s:s}", "column", bw_column_at(column)->name,
                                   "compared_with", bw_column_at(column)->compared,
                                   "exempt_because", bw_column_at(column)->exempt);
        set_score(object, &total);
        bool ranked = i < BW_COLUMN_OWN &&
                      bw_kendall(all->samples[i].x, all->samples[i].y, all->samples[i].count, &tau);
        json_object_set_new(object, "kendall_tau_b", ranked ? json_real(tau) : json_null());
        json_object_set_new(object, "operations", operations_of(all, column));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *confusion_of(const bw_comparison *all)
{
    json_t *array = json_array();
    for (size_t i = 0; i < all->cell_count; i++)
        json_array_append_new(array, json_pack("{s:I,s:I,s:I}", "predicted",
                                               (json_int_t)all->cells[i].predicted, "measured",
                                               (json_int_t)all->cells[i].measured, "rows",
                                               (json_int_t)all->cells[i].rows));
    return array;
}

static json_t *request_of(const bw_request *request)
{
    char mask[16];
    json_t *addresses = json_array();
    uint32_t lanes = bw_request_lanes(request);
    snprintf(mask, sizeof mask, "%08x", request->active);
    for (unsigned i = 0; i < BW_LANES; i++)
        json_array_append_new(addresses, lanes >> i & 1 ? json_integer((json_int_t)request->addr[i])
                                                        : json_null());
    return json_pack("{s:s,s:s,s:o}", "op", bw_op_get(request->op)->name, "active", mask,
                     "addresses", addresses);
}

static json_t *mismatches_of(const bw_comparison *all)
{
    json_t *array = json_array();
    for (size_t i = 0; i < all->mismatch_count; i++) {
        const bw_mismatch *at = &all->mismatches[i];
        json_array_append_new(array, json_pack("{s:o,s:i,s:s,s:i,s:f,s:o}", "file",
                                               bw_json_text(at->file), "line", (int)at->line,
                                               "column", bw_column_at(at->column)->name,
                                               "predicted", (int)at->predicted, "measured",
                                               at->measured, "request", request_of(&at->request)));
    }
    return array;
}

static json_t *line_of(const bw_comparison *all)
{
    bw_line line;
    const bw_sampler *times = &all->times;
    if (!bw_robust_line(times->x, times->y, times->count, &line))
        return json_null();
    return json_pack("{s:f,s:f,s:f,s:I,s:I}", "intercept", line.intercept, "slope", line.slope,
                     "median_absolute_residual", line.residual, "rows", (json_int_t)times->seen,
                     "sample", (json_int_t)times->count);
}

static json_t *baseline_operations(const bw_comparison *all, int baseline)
{
    json_t *array = json_array();
    for (int op = 0; op < BW_OP_COUNT; op++) {
        bw_score own = bw_comparison_own(all, (bw_op)op);
        if (!own.rows)
            continue;
        json_t *object = json_pack("{s:s}", "op", bw_op_get((bw_op)op)->name);
        set_rate(object, own.baseline[baseline], own.rows);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *baselines_of(const bw_comparison *all)
{
    json_t *array = json_array();
    bw_score own = bw_comparison_own(all, BW_OP_COUNT);
    for (int i = 0; i < BW_BASELINE_COUNT && !all->no_baselines; i++) {
        json_t *object = json_pack("{s:s,s:s}", "name", bw_baseline_name((bw_baseline)i), "knows",
                                   bw_baseline_text((bw_baseline)i));
        set_rate(object, own.baseline[i], own.rows);
        json_object_set_new(object, "operations", baseline_operations(all, i));
        json_array_append_new(array, object);
    }
    return array;
}

void bw_comparison_json(const bw_comparison *all, FILE *out)
{
    const bw_value *least = &all->args->values[BW_OPTION_MIN_MATCH];
    json_t *object = json_object();
    json_object_set_new(object, "schema", json_string("bankwise.compare/1"));
    json_object_set_new(object, "recordings", recordings_of(all));
    json_object_set_new(object, "rows", json_integer((json_int_t)all->rows));
    json_object_set_new(object, "columns", columns_of(all));
    json_object_set_new(object, "confusion", confusion_of(all));
    json_object_set_new(object, "confusion_dropped", json_integer((json_int_t)all->cells_dropped));
    json_object_set_new(object, "mismatches", mismatches_of(all));
    json_object_set_new(object, "line", line_of(all));
    json_object_set_new(object, "baselines", baselines_of(all));
    json_object_set_new(object, "min_match", least->given ? json_real(least->real) : json_null());
    json_object_set_new(object, "passed", json_boolean(bw_comparison_passes(all)));
    json_dumpf(object, out, JSON_INDENT(2) | JSON_REAL_PRECISION(REAL_DIGITS));
    fputc('\n', out);
    json_decref(object);
}
