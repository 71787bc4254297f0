/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "instructions.h"

#include <inttypes.h>
#include <jansson.h>

#include "machine_report.h"

/* ---- JSON ---- */

static json_t *pair_of(uint64_t predicted, uint64_t measured)
{
    return json_pack("{s:I,s:o}", "predicted", (json_int_t)predicted, "measured",
                     measured == UINT64_MAX ? json_null() : json_integer((json_int_t)measured));
}

static json_t *row_of(const bw_ins_row *row)
{
    const bw_instruction *ins = row->ins;
    const bw_profiled_counts *p = &ins->profiled;
    json_t *object = json_pack(
        "{s:I,s:o,s:s,s:o,s:o}", "address", (json_int_t)ins->address, "text",
        bw_json_text(ins->text), "verdict", bw_ins_verdict_name(row->verdict), "executed",
        pair_of(ins->executed, p->executed), "threads", pair_of(ins->threads, p->threads));
    if (!row->asks)
        return object;
    json_object_set_new(object, "wavefronts", pair_of(row->wavefronts, p->wavefronts));
    json_object_set_new(object, "ideal", pair_of(row->ideal, p->ideal));
    json_object_set_new(object, "counter", json_integer((json_int_t)row->counter));
    return object;
}

static json_t *kernel_of(const bw_ins_kernel *k)
{
    const bw_launch *launch = k->report.launch;
    json_t *rows = json_array();
    for (size_t i = 0; i < k->count; i++)
        json_array_append_new(rows, row_of(&k->rows[i]));
    json_t *object = json_pack("{s:o,s:s,s:o,s:o,s:b,s:b}", "kernel", bw_json_text(launch->kernel),
                               "arch", k->report.arch->name, "block", bw_json_shape(launch->block),
                               "grid", bw_json_shape(launch->grid), "exact", k->exact,
                               "order_matters", k->report.run.ordered);
    const struct {
        const char *name;
        size_t count;
    } counts[] = {{"executed_equal", k->executed_equal},
                  {"threads_equal", k->threads_equal},
                  {"asking", k->asking},
                  {"wavefronts_equal", k->wavefronts_equal},
                  {"ideal_equal", k->ideal_equal},
                  {"findings", k->findings},
                  {"apart", k->apart}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        json_object_set_new(object, counts[i].name, json_integer((json_int_t)counts[i].count));
    json_object_set_new(object, "instructions", rows);
    return object;
}

void bw_ins_json(const bw_ins_comparison *all, FILE *out)
{
    json_t *kernels = json_array(), *missing = json_array();
    for (size_t i = 0; i < all->count; i++)
        if (all->kernels[i].ran)
            json_array_append_new(kernels, kernel_of(&all->kernels[i]));
        else
            json_array_append_new(missing, bw_json_text(all->kernels[i].name));
    json_t *document =
        json_pack("{s:s,s:o,s:o,s:o}", "schema", "bankwise.instructions/1", "report",
                  bw_json_text(all->input.source.name), "kernels", kernels, "not_run", missing);
    json_dumpf(document, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(document);
}

/* ---- CSV ---- */

static void write_pair(FILE *out, uint64_t predicted, uint64_t measured)
{
    fprintf(out, ",%" PRIu64 ",", predicted);
    if (measured != UINT64_MAX)
        fprintf(out, "%" PRIu64, measured);
}

void bw_ins_csv(const bw_ins_comparison *all, FILE *out)
{
    fputs("report,kernel,address,instruction,verdict,executed,executed_measured,threads,"
          "threads_measured,wavefronts,wavefronts_measured,ideal,ideal_measured,counter\n",
          out);
    for (size_t i = 0; i < all->count; i++)
        for (size_t r = 0; r < all->kernels[i].count; r++) {
            const bw_ins_row *row = &all->kernels[i].rows[r];
            const bw_profiled_counts *p = &row->ins->profiled;
            bw_csv_text(out, all->input.source.name);
            fputc(',', out);
            bw_csv_text(out, all->kernels[i].name);
            fprintf(out, ",0x%04" PRIx32 ",", row->ins->address);
            bw_csv_text(out, row->ins->text);
            fprintf(out, ",%s", bw_ins_verdict_name(row->verdict));
            write_pair(out, row->ins->executed, p->executed);
            write_pair(out, row->ins->threads, p->threads);
            write_pair(out, row->wavefronts, p->wavefronts);
            write_pair(out, row->ideal, p->ideal);
            fprintf(out, ",%" PRIu64 "\n", row->counter);
        }
}
