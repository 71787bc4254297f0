/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine_report.h"

#include <jansson.h>
#include <string.h>

/* Enough digits that a mean is the same number when read back, without noise in the last place. */
#define REAL_DIGITS 12

/* A mean over trials: an integer where it is whole. */
static json_t *count_of(const bw_report *report, uint64_t sum)
{
    if (sum % report->trials == 0)
        return json_integer((json_int_t)(sum / report->trials));
    return json_real(bw_report_mean(report, sum));
}

/* Bytes of the UTF-8 sequence at `text` as jansson accepts it, or 0. */
static size_t sequence_length(const char *text)
{
    size_t length = 1;
    while (length < 4 && ((unsigned char)text[length] & 0xC0) == 0x80)
        length++;
    for (; length > 0; length--) {
        json_t *probe = json_stringn(text, length);
        json_decref(probe);
        if (probe)
            return length;
    }
    return 0;
}

json_t *bw_json_text(const char *text)
{
    if (!text)
        return json_null();
    json_t *whole = json_string(text);
    if (whole)
        return whole;
    bw_arena arena = {NULL};
    char *mended = bw_arena_alloc(&arena, 3 * strlen(text) + 1), *end = mended;
    while (*text) {
        size_t length = sequence_length(text);
        end = length ? (char *)memcpy(end, text, length) + length : stpcpy(end, "\xEF\xBF\xBD");
        text += length ? length : 1;
    }
    whole = json_string(mended);
    bw_arena_finish(&arena);
    return whole;
}

json_t *bw_json_shape(const uint32_t shape[3])
{
    return json_pack("[I,I,I]", (json_int_t)shape[0], (json_int_t)shape[1], (json_int_t)shape[2]);
}

static json_t *parameters_of(const bw_report *report)
{
    const bw_parameter *parameters;
    size_t count = bw_program_parameters(report->session->program, &parameters);
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++)
        json_object_set_new(object, parameters[i].name,
                            parameters[i].is_float ? json_real(parameters[i].real)
                                                   : json_integer(parameters[i].integer));
    return object;
}

static void set_counts(json_t *object, const bw_report *report, const bw_counts *sum)
{
    json_object_set_new(object, "requests", count_of(report, sum->requests));
    json_object_set_new(object, "wavefronts", count_of(report, sum->wavefronts));
    json_object_set_new(object, "ideal", count_of(report, sum->ideal));
    json_object_set_new(object, "excessive", count_of(report, bw_counts_excessive(sum)));
    json_object_set_new(object, "excess_layout", count_of(report, sum->excess_layout));
    json_object_set_new(object, "excess_serial", count_of(report, sum->excess_serial));
    json_object_set_new(object, "cycles", count_of(report, sum->cycles));
    if (sum->wavefronts_changing != sum->wavefronts)
        json_object_set_new(object, "wavefronts_if_values_change",
                            count_of(report, sum->wavefronts_changing));
}

static json_t *spread_of(const bw_spread *spread)
{
    return json_pack("{s:f,s:f,s:f,s:f,s:f,s:f}", "mean", spread->mean, "min", spread->min, "q05",
                     spread->q05, "q50", spread->q50, "q95", spread->q95, "max", spread->max);
}

/* The request that took the most wavefronts, for those who want to look closer. */
static json_t *worst_of(const bw_report *report, const bw_report_row *row)
{
    json_t *addresses = json_array();
    uint32_t lanes = bw_request_lanes(&row->worst);
    for (unsigned i = 0; i < BW_LANES; i++)
        json_array_append_new(
            addresses, lanes >> i & 1 ? json_integer((json_int_t)row->worst.addr[i]) : json_null());
    json_t *worst = json_pack("{s:i,s:I,s:I,s:i}", "wavefronts", (int)row->worst_wavefronts,
                              "index", (json_int_t)row->worst_index, "block",
                              (json_int_t)row->worst_block, "warp", (int)row->worst_warp);
    if (report->random)
        json_object_set_new(worst, "trial", json_integer((json_int_t)row->worst_trial));
    json_object_set_new(worst, "addresses", addresses);
    return worst;
}

static json_t *access_of(const bw_report *report, const bw_report_row *row)
{
    json_t *object =
        json_pack("{s:i,s:i,s:o,s:o,s:s}", "line", (int)row->access->line, "column",
                  (int)row->access->column, "source", bw_json_text(row->access->source), "array",
                  bw_json_text(row->access->array), "op", bw_row_op(row));
    set_counts(object, report, &row->sum);
    json_object_set_new(object, "degree", json_integer((json_int_t)row->degree));
    json_object_set_new(object, "degree_mean", json_real(row->degree_mean));
    json_object_set_new(object, "basis", json_string(bw_basis_name(row->basis)));
    if (row->access->joins != row->access->op)
        json_object_set_new(object, "joins", json_string(bw_op_get(row->access->joins)->name));
    bw_machine_json_access(object, row->access);
    json_object_set_new(object, "worst", worst_of(report, row));
    if (report->random)
        json_object_set_new(object, "distribution",
                            json_pack("{s:o,s:o}", "wavefronts", spread_of(&row->wavefront_spread),
                                      "degree", spread_of(&row->degrees)));
    return object;
}

/* By the names that the profiler's users know. */
static json_t *ncu_of(const bw_report *report)
{
    const bw_counts *sum = &report->sum;
    if (!bw_has_profiler(report->arch))
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                        count_of(report, sum->ncu_wavefronts));
    json_object_set_new(object, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                        count_of(report, sum->ncu_conflicts));
    json_object_set_new(object, "memory_l1_wavefronts_shared",
                        count_of(report, sum->ncu_sass_wavefronts));
    json_object_set_new(object, "memory_l1_wavefronts_shared_ideal",
                        count_of(report, sum->ncu_sass_ideal));
    json_object_set_new(object, "inexact_requests", count_of(report, sum->ncu_inexact));
    return object;
}

static json_t *report_of(const bw_report *report)
{
    const char *title = bw_program_title(report->session->program);
    json_t *object = json_object();
    json_object_set_new(object, "schema", json_string("bankwise.report/1"));
    json_object_set_new(object, "file", bw_json_text(report->session->input.source.name));
    if (title)
        json_object_set_new(object, "title", bw_json_text(title));
    json_object_set_new(object, "arch", json_string(report->arch->name));
    json_object_set_new(object, "basis", json_string(bw_basis_name(report->basis)));
    json_object_set_new(object, "kernel", bw_json_text(report->launch->kernel));
    json_object_set_new(object, "block", bw_json_shape(report->launch->block));
    json_object_set_new(object, "grid", bw_json_shape(report->launch->grid));
    if (report->launch->shared_bytes || !bw_report_is_machine(report)) /* which does not say it */
        json_object_set_new(object, "shared_bytes",
                            json_integer((json_int_t)report->launch->shared_bytes));
    json_object_set_new(object, "blocks_evaluated",
                        json_integer((json_int_t)report->run.blocks_evaluated));
    if (report->session->args->values[BW_OPTION_JOIN].given)
        json_object_set_new(object, "joined", json_true());
    json_object_set_new(object, "parameters", parameters_of(report));
    if (report->random) {
        json_object_set_new(object, "trials", json_integer((json_int_t)report->trials));
        json_object_set_new(object, "seed", json_integer((json_int_t)report->seed));
    }
    return object;
}

void bw_json_report(bw_writer *writer, const bw_report *report)
{
    json_t *object = report_of(report), *accesses = json_array(), *total = json_object();
    for (size_t i = 0; i < report->count; i++)
        json_array_append_new(accesses, access_of(report, &report->rows[i]));
    json_object_set_new(object, "accesses", accesses);
    set_counts(total, report, &report->sum);
    if (report->random)
        json_object_set_new(total, "distribution",
                            json_pack("{s:o}", "wavefronts", spread_of(&report->wavefront_spread)));
    json_object_set_new(object, "total", total);
    json_object_set_new(object, "ncu", ncu_of(report));
    bw_machine_json(object, report);
    if (!writer->document)
        writer->document = json_array();
    json_array_append_new(writer->document, object);
    writer->written++;
}

void bw_json_end(bw_writer *writer)
{
    json_t *all = writer->document ? writer->document : json_array();
    json_t *shown = json_array_size(all) == 1 ? json_array_get(all, 0) : all;
    json_dumpf(shown, writer->out, JSON_INDENT(2) | JSON_REAL_PRECISION(REAL_DIGITS));
    fputc('\n', writer->out);
    json_decref(all);
    writer->document = NULL;
}
