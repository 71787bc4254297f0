/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "comparison.h"

#include <inttypes.h>

static void write_header(FILE *out)
{
    fputs("column,op,rows,equal,rate,low,high,over,under,mape,exempt,unstable,empty", out);
    for (int i = 0; i < BW_BASELINE_COUNT; i++)
        fprintf(out, ",equal_%s", bw_baseline_name((bw_baseline)i));
    fputc('\n', out);
}

/* Rates without rows, and baselines of columns that have none, are empty. */
static void write_score(FILE *out, const char *column, const char *op, const bw_score *score,
                        bool baselines)
{
    bw_rate rate = bw_rate_of(score->equal, score->rows);
    fprintf(out, "%s,%s,%" PRIu64 ",%" PRIu64 ",", column, op, score->rows, score->equal);
    if (score->rows)
        fprintf(out, "%.6g,%.6g,%.6g", rate.rate, rate.low, rate.high);
    else
        fputs(",,", out);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",", score->over, score->under);
    if (score->error_rows)
        fprintf(out, "%.6g", bw_score_mape(score));
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, score->exempt, score->unstable, score->empty);
    for (int i = 0; i < BW_BASELINE_COUNT; i++)
        if (baselines)
            fprintf(out, ",%" PRIu64, score->baseline[i]);
        else
            fputc(',', out);
    fputc('\n', out);
}

void bw_comparison_csv(const bw_comparison *all, FILE *out)
{
    write_header(out);
    for (int i = 0; i < BW_COLUMN_IDS; i++) {
        const char *name = bw_column_at((bw_column_id)i)->name;
        bool baselines = i < BW_COLUMN_OWN && !all->no_baselines;
        for (int op = 0; op < BW_OP_COUNT && all->has[i]; op++) {
            const bw_score *score = &all->scores[i][op];
            if (score->rows || score->exempt || score->unstable || score->empty)
                write_score(out, name, bw_op_get((bw_op)op)->name, score, baselines);
        }
        bw_score total = bw_comparison_total(all, (bw_column_id)i);
        if (all->has[i])
            write_score(out, name, "all", &total, baselines);
    }
}
