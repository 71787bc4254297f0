/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A report as a document, and what CSV shows of it.
 */
#include <stddef.h>

#include "layout_report.h"
#include "machine_report.h"

/* ---- numbers ---- */

void bw_put_counts(bw_node *to, const bw_counts *sum, uint64_t trials)
{
    const struct {
        const char *name;
        uint64_t sum;
    } rows[] = {
        {"requests", sum->requests},
        {"wavefronts", sum->wavefronts},
        {"ideal", sum->ideal},
        {"excessive", bw_counts_excessive(sum)},
        {"excess_layout", sum->excess_layout},
        {"excess_serial", sum->excess_serial},
        {"cycles", sum->cycles},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bw_put_mean(to, rows[i].name, rows[i].sum, trials);
}

static void put_counts(bw_node *to, const bw_report *report, const bw_counts *sum)
{
    bw_put_counts(to, sum, report->trials);
    if (sum->wavefronts_staying != sum->wavefronts)
        bw_put_mean(to, "wavefronts_if_values_stay", sum->wavefronts_staying, report->trials);
    uint64_t least, most;
    bw_counts_range(sum, &least, &most);
    if (sum->at_least)
        bw_put_mean(to, "sources_unknown", sum->at_least, report->trials);
    if (least != most) {
        bw_put_mean(to, "wavefronts_least_place", least, report->trials);
        bw_put_mean(to, "wavefronts_most_place", most, report->trials);
    }
}

/* The profiler's counters: of the launch by the names that its users know, of an access for CSV. */
static const struct {
    const char *name, *of_access;
    size_t offset;
} counters[BW_REPORT_COUNTERS] = {
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", ".ncu_wavefronts",
     offsetof(bw_counts, ncu_wavefronts)},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", ".ncu_conflicts",
     offsetof(bw_counts, ncu_conflicts)},
    {"memory_l1_wavefronts_shared", ".ncu_sass_wavefronts",
     offsetof(bw_counts, ncu_sass_wavefronts)},
    {"memory_l1_wavefronts_shared_ideal", ".ncu_sass_ideal", offsetof(bw_counts, ncu_sass_ideal)},
};

const char *bw_report_counter_name(size_t index)
{
    return counters[index].name;
}

uint64_t bw_report_counter(const bw_counts *sum, size_t index)
{
    return *(const uint64_t *)((const char *)sum + counters[index].offset);
}

static void put_counters(bw_node *to, const bw_report *report, const bw_counts *sum, bool of_access)
{
    for (size_t i = 0; i < BW_REPORT_COUNTERS; i++)
        bw_put_mean(to, of_access ? counters[i].of_access : counters[i].name,
                    bw_report_counter(sum, i), report->trials);
}

/* One line of the text table of distributions; the labels are for it alone. */
static void put_spread(bw_node *parent, const char *quantity, const bw_spread *spread,
                       const char *label, const bw_report_row *row)
{
    bw_node *to = bw_put_object(parent, quantity);
    BW_PUT(to, BW_M("mean", spread->mean), BW_M("standard_error", spread->error),
           BW_M("min", spread->min), BW_M("q05", spread->q05), BW_M("q50", spread->q50),
           BW_M("q95", spread->q95), BW_M("max", spread->max), BW_M(".line", label),
           BW_M(".op", row ? bw_row_op(row) : ""), BW_M(".quantity", quantity),
           BW_M(".source", row ? bw_access_text(to->arena, row->access) : ""));
}

/* ---- accesses ---- */

/* The request that took the most wavefronts, for those who want to look closer. */
static void put_worst(bw_node *parent, const bw_report *report, const bw_report_row *row)
{
    bw_node *worst = bw_put_object(parent, "worst");
    BW_PUT(worst, BW_M("wavefronts", row->worst_wavefronts), BW_M("index", row->worst_index),
           BW_M("block", row->worst_block), BW_M("warp", row->worst_warp));
    if (report->random)
        bw_put_integer(worst, "trial", row->worst_trial);
    bw_put_addresses(worst, "addresses", &row->worst);
}

/* What the text table shows beside the members of the document. */
static void put_labels(bw_node *to, const bw_report *report, const bw_report_row *row)
{
    bool worst = row == &report->rows[report->worst];
    BW_PUT(to,
           BW_M(".line", bw_arena_format(to->arena, "%s%s", worst ? "> " : "",
                                         bw_access_label(to->arena, row->access))),
           BW_M(".source", bw_access_text(to->arena, row->access)), BW_M(".op", bw_row_op(row)),
           BW_M(".share", bw_report_share(report, row)));
    if (bw_has_profiler(report->arch))
        put_counters(to, report, &row->sum, true);
}

/* The calls that lead to an access, the innermost first. */
static void put_calls(bw_node *parent, const bw_access *access)
{
    bw_node *calls = bw_put_array(parent, "calls");
    for (const bw_call_site *c = access->call; c; c = c->from) {
        bw_node *to = bw_put_object(calls, NULL);
        BW_PUT(to, BW_M("line", c->line), BW_M("function", c->function));
    }
}

static void put_access(bw_node *parent, const bw_report *report, const bw_report_row *row)
{
    const bw_access *access = row->access;
    bw_node *to = bw_put_object(parent, NULL);
    BW_PUT(to, BW_M("line", access->line), BW_M("column", access->column),
           BW_M("source", access->source), BW_M("array", access->array),
           BW_M("op", bw_row_op(row)));
    put_counts(to, report, &row->sum);
    BW_PUT(to, BW_M("degree", row->degree), BW_M("degree_mean", row->degree_mean),
           BW_M("basis", bw_basis_name(row->basis)));
    if (access->joins != access->op)
        bw_put_text(to, "joins", bw_op_get(access->joins)->name);
    if (!access->instruction)
        put_calls(to, access);
    bw_machine_put_access(to, access);
    put_worst(to, report, row);
    put_labels(to, report, row);
    if (!report->random)
        return;
    bw_node *distribution = bw_put_object(to, "distribution");
    put_spread(distribution, "wavefronts", &row->wavefront_spread,
               bw_arena_format(to->arena, "%u", access->line), row);
    put_spread(distribution, "degree", &row->degrees, "", NULL);
}

/* ---- the launch ---- */

static void put_parameters(bw_node *parent, const bw_report *report)
{
    const bw_parameter *parameters;
    size_t count = bw_program_parameters(report->session->program, &parameters);
    bw_node *to = bw_put_object(parent, "parameters");
    for (size_t i = 0; i < count; i++) { /* a document may outlive its session */
        const char *name = bw_arena_format(to->arena, "%s", parameters[i].name);
        if (parameters[i].is_float)
            bw_put_real(to, name, parameters[i].real);
        else
            bw_put_integer(to, name, parameters[i].integer);
    }
}

static void put_launch(bw_node *to, const bw_report *report)
{
    const char *title = bw_program_title(report->session->program);
    BW_PUT(to, BW_M("schema", "bankwise.report/2"),
           BW_M("file", report->session->input.source.name));
    if (title)
        bw_put_text(to, "title", title);
    BW_PUT(to, BW_M("arch", report->arch->name), BW_M("basis", bw_basis_name(report->basis)),
           BW_M("kernel", report->launch->kernel));
    bw_put_shape(to, "block", report->launch->block);
    bw_put_shape(to, "grid", report->launch->grid);
    if (report->launch->shared_bytes || !bw_report_is_machine(report)) /* which does not say it */
        bw_put_integer(to, "shared_bytes", report->launch->shared_bytes);
    bw_put_integer(to, "blocks_evaluated", (int64_t)report->run.blocks_evaluated);
    if (report->session->args->values[BW_OPTION_JOIN].given)
        bw_put_bool(to, "joined", true);
    put_parameters(to, report);
    if (report->random) {
        BW_PUT(to, BW_M("trials", report->trials), BW_M("seed", report->seed));
        if (report->sampled)
            BW_PUT(to, BW_M("blocks_sampled", report->sampled));
    }
}

static void put_total(bw_node *parent, const bw_report *report)
{
    bw_node *total = bw_put_object(parent, "total");
    put_counts(total, report, &report->sum);
    bw_put_text(total, ".op", "total");
    if (report->random)
        put_spread(bw_put_object(total, "distribution"), "wavefronts", &report->wavefront_spread,
                   "total", NULL);
}

bw_node *bw_put_report(bw_node *parent, const bw_report *report)
{
    bw_node *to = bw_put_object(parent, NULL);
    put_launch(to, report);
    bw_node *accesses = bw_put_array(to, "accesses");
    for (size_t i = 0; i < report->count; i++)
        put_access(accesses, report, &report->rows[i]);
    put_total(to, report);
    if (bw_has_profiler(report->arch)) {
        bw_node *ncu = bw_put_object(to, "ncu");
        put_counters(ncu, report, &report->sum, false);
        bw_put_mean(ncu, "inexact_requests", report->sum.ncu_inexact, report->trials);
    } else {
        bw_put_null(to, "ncu");
    }
    bw_machine_put(to, report);
    bw_layout_put(to, report);
    return to;
}

/* ---- CSV ---- */

/* A mean over trials has decimals only where it is not whole, so that spreadsheets keep others
 * whole. */
static const bw_field columns[] = {
    BW_ABOVE("file"), BW_ABOVE("kernel"), BW_ABOVE("arch"), BW_ABOVE("block"), BW_ABOVE("grid"),
    BW_SAME("line"), BW_SAME("column"), BW_SAME("source"), BW_SAME("array"), BW_SAME("op"),
    BW_SAME("basis"), BW_FIELD("requests", "requests", BW_ROLE_COUNT, .digits = 6),
    BW_FIELD("wavefronts", "wavefronts", BW_ROLE_COUNT, .digits = 6),
    BW_FIELD("ideal", "ideal", BW_ROLE_COUNT, .digits = 6),
    BW_FIELD("excessive", "excessive", BW_ROLE_COUNT, .digits = 6),
    BW_FIELD("excess_layout", "excess_layout", BW_ROLE_COUNT, .digits = 6),
    BW_FIELD("excess_serial", "excess_serial", BW_ROLE_COUNT, .digits = 6),
    BW_FIELD("cycles", "cycles", BW_ROLE_COUNT, .digits = 6), BW_SAME("degree"),
    BW_FIELD("degree_mean", "degree_mean", BW_ROLE_SIGNIFICANT, .digits = 6), BW_ABOVE("trials"),
    BW_ABOVE("seed"),
    BW_FIELD("wavefronts_min", "distribution/wavefronts/min", BW_ROLE_SIGNIFICANT, .digits = 6),
    BW_FIELD("wavefronts_q05", "distribution/wavefronts/q05", BW_ROLE_SIGNIFICANT, .digits = 6),
    BW_FIELD("wavefronts_q50", "distribution/wavefronts/q50", BW_ROLE_SIGNIFICANT, .digits = 6),
    BW_FIELD("wavefronts_q95", "distribution/wavefronts/q95", BW_ROLE_SIGNIFICANT, .digits = 6),
    BW_FIELD("wavefronts_max", "distribution/wavefronts/max", BW_ROLE_SIGNIFICANT, .digits = 6),
    BW_FIELD("ncu_wavefronts", ".ncu_wavefronts", BW_ROLE_COUNT, .digits = 6),
    BW_FIELD("ncu_conflicts", ".ncu_conflicts", BW_ROLE_COUNT, .digits = 6),
    BW_FIELD("ncu_sass_wavefronts", ".ncu_sass_wavefronts", BW_ROLE_COUNT, .digits = 6),
    BW_FIELD("ncu_sass_ideal", ".ncu_sass_ideal", BW_ROLE_COUNT, .digits = 6),
    /* of machine code only */
    BW_FIELD("address", ".address", BW_ROLE_PLAIN), BW_SAME("executed"), BW_SAME("threads"),
    BW_FIELD("place", ".place", BW_ROLE_PLAIN)};
#define MACHINE_COLUMNS 4
#define COLUMNS (sizeof columns / sizeof *columns - MACHINE_COLUMNS)

/* ---- writing ---- */

void bw_write_report(bw_writer *writer, const bw_report *report)
{
    bw_arena arena = {NULL}; /* of one report; JSON keeps all */
    bw_format format = (bw_format)writer->args->values[BW_OPTION_FORMAT].number;
    if (!writer->document)
        writer->document = bw_node_array(&writer->arena);
    bw_node *to =
        bw_put_report(format == BW_FORMAT_JSON ? writer->document : bw_node_array(&arena), report);
    if (format == BW_FORMAT_CSV) {
        if (!writer->written)
            writer->machine = bw_report_is_machine(report);
        size_t shown = writer->machine ? COLUMNS + MACHINE_COLUMNS : COLUMNS;
        if (!writer->written)
            bw_csv_header(columns, shown, writer->out);
        bw_csv_rows(columns, shown, bw_node_at(to, "accesses"), to, writer->out);
    } else if (format == BW_FORMAT_TEXT) {
        bw_text_report(writer, report, to);
    }
    writer->written++;
    bw_arena_finish(&arena);
}

void bw_write_end(bw_writer *writer)
{
    const bw_node *all = writer->document;
    if (all && all->count)
        bw_node_json(all->count == 1 ? all->first : all, writer->out, BW_JSON_INDENTED);
    bw_arena_finish(&writer->arena);
}
