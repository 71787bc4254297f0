/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine_report.h"

#include <inttypes.h>
#include <string.h>

void bw_csv_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void write_header(FILE *out, bool machine)
{
    fputs("file,kernel,arch,block,grid,line,column,source,array,op,basis,requests,wavefronts,ideal,"
          "excessive,excess_layout,excess_serial,cycles,degree,degree_mean,trials,seed,"
          "wavefronts_min,wavefronts_q05,wavefronts_q50,wavefronts_q95,wavefronts_max,"
          "ncu_wavefronts,ncu_conflicts,ncu_sass_wavefronts,ncu_sass_ideal",
          out);
    fputs(machine ? BW_MACHINE_CSV_HEAD "\n" : "\n", out);
}

/* A mean over trials; a whole number without a point, so that spreadsheets keep it whole. */
static void write_count(FILE *out, const bw_report *report, uint64_t sum)
{
    if (sum % report->trials == 0)
        fprintf(out, ",%" PRIu64, sum / report->trials);
    else
        fprintf(out, ",%.6f", bw_report_mean(report, sum));
}

static void write_place(FILE *out, const bw_report *report, const bw_report_row *row)
{
    const bw_launch *launch = report->launch;
    bw_csv_text(out, report->session->input.source.name);
    putc(',', out);
    bw_csv_text(out, launch->kernel ? launch->kernel : "");
    fprintf(out, ",%s,%ux%ux%u,%ux%ux%u,%u,%u,", report->arch->name, launch->block[0],
            launch->block[1], launch->block[2], launch->grid[0], launch->grid[1], launch->grid[2],
            row->access->line, row->access->column);
    bw_csv_text(out, row->access->source);
    putc(',', out);
    bw_csv_text(out, row->access->array ? row->access->array : "");
    fprintf(out, ",%s,%s", bw_row_op(row), bw_basis_name(row->basis));
}

static void write_spread(FILE *out, const bw_report *report, const bw_report_row *row)
{
    const bw_spread *spread = &row->wavefront_spread;
    if (report->random)
        fprintf(out, ",%u,%" PRIu32 ",%.6g,%.6g,%.6g,%.6g,%.6g", report->trials, report->seed,
                spread->min, spread->q05, spread->q50, spread->q95, spread->max);
    else
        fputs(",,,,,,,", out);
}

static void write_row(const bw_writer *writer, const bw_report *report, const bw_report_row *row)
{
    FILE *out = writer->out;
    const bw_counts *sum = &row->sum;
    write_place(out, report, row);
    write_count(out, report, sum->requests);
    write_count(out, report, sum->wavefronts);
    write_count(out, report, sum->ideal);
    write_count(out, report, bw_counts_excessive(sum));
    write_count(out, report, sum->excess_layout);
    write_count(out, report, sum->excess_serial);
    write_count(out, report, sum->cycles);
    fprintf(out, ",%" PRIu32 ",%.6g", row->degree, row->degree_mean);
    write_spread(out, report, row);
    if (bw_has_profiler(report->arch)) {
        write_count(out, report, sum->ncu_wavefronts);
        write_count(out, report, sum->ncu_conflicts);
        write_count(out, report, sum->ncu_sass_wavefronts);
        write_count(out, report, sum->ncu_sass_ideal);
    } else {
        fputs(",,,,", out);
    }
    if (writer->machine)
        bw_machine_csv(out, row->access);
    putc('\n', out);
}

void bw_csv_report(bw_writer *writer, const bw_report *report)
{
    if (writer->written++ == 0) {
        writer->machine = bw_report_is_machine(report);
        write_header(writer->out, writer->machine);
    }
    for (size_t i = 0; i < report->count; i++)
        write_row(writer, report, &report->rows[i]);
}
