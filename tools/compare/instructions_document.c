/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A comparison of instructions as a document, and what CSV shows of it.
 */
#include "instructions.h"

#include <inttypes.h>

#include "machine_report.h"

/* One cell where predicted and measured are equal, else both. */
static const char *pair_text(bw_arena *arena, uint64_t predicted, uint64_t measured)
{
    if (measured == UINT64_MAX)
        return bw_arena_format(arena, "%" PRIu64 " / -", predicted);
    if (predicted == measured)
        return bw_arena_format(arena, "%" PRIu64, predicted);
    return bw_arena_format(arena, "%" PRIu64 " / %" PRIu64, predicted, measured);
}

static void put_pair(bw_node *parent, const char *name, uint64_t predicted, uint64_t measured)
{
    bw_node *to = bw_put_object(parent, name);
    bw_put_integer(to, "predicted", (int64_t)predicted);
    bw_put_count(to, "measured", measured != UINT64_MAX, measured);
    bw_put_text(to, ".text", pair_text(to->arena, predicted, measured));
}

static void put_banks(bw_node *to, const bw_ins_row *row)
{
    put_pair(to, "wavefronts", row->wavefronts, row->ins->profiled.wavefronts);
    put_pair(to, "ideal", row->ideal, row->ins->profiled.ideal);
    bw_put_integer(to, "counter", (int64_t)row->counter);
}

static void put_row(bw_node *parent, const bw_ins_row *row)
{
    const bw_instruction *ins = row->ins;
    bw_node *to = bw_put_object(parent, NULL);
    const char *address = bw_arena_format(to->arena, "0x%04" PRIx32, ins->address);
    const char *mark = bw_ins_is_finding(row->verdict) ? "> " : "";
    BW_PUT(to, BW_M("address", ins->address), BW_M("text", ins->text),
           BW_M("verdict", bw_ins_verdict_name(row->verdict)), BW_M(".address", address),
           BW_M(".label", bw_arena_format(to->arena, "%s%s", mark, address)));
    put_pair(to, "executed", ins->executed, ins->profiled.executed);
    put_pair(to, "threads", ins->threads, ins->profiled.threads);
    if (row->asks)
        put_banks(to, row);
    put_banks(bw_put_object(to, ".banks"), row); /* CSV has them of all instructions */
}

static void put_kernel(bw_node *parent, const bw_ins_comparison *all, const bw_ins_kernel *k)
{
    const bw_launch *launch = k->report.launch;
    bw_node *to = bw_put_object(parent, NULL);
    BW_PUT(to, BW_M("kernel", launch->kernel), BW_M("arch", k->report.arch->name));
    bw_put_shape(to, "block", launch->block);
    bw_put_shape(to, "grid", launch->grid);
    BW_PUT(to, BW_M("exact", k->exact), BW_M("order_matters", k->report.run.ordered),
           BW_M("executed_equal", k->executed_equal), BW_M("threads_equal", k->threads_equal),
           BW_M("asking", k->asking), BW_M("wavefronts_equal", k->wavefronts_equal),
           BW_M("ideal_equal", k->ideal_equal), BW_M("findings", k->findings),
           BW_M("apart", k->apart), BW_M(".report", all->input.source.name),
           BW_M(".name", k->name));
    bw_node *rows = bw_put_array(to, "instructions");
    for (size_t i = 0; i < k->count; i++)
        put_row(rows, &k->rows[i]);
}

static bw_node *document_of(bw_arena *arena, const bw_ins_comparison *all)
{
    bw_node *document = bw_node_object(arena);
    BW_PUT(document, BW_M("schema", "bankwise.instructions/1"),
           BW_M("report", all->input.source.name));
    bw_node *kernels = bw_put_array(document, "kernels");
    bw_node *missing = bw_put_array(document, "not_run");
    for (size_t i = 0; i < all->count; i++)
        if (all->kernels[i].ran)
            put_kernel(kernels, all, &all->kernels[i]);
        else
            bw_put_text(missing, NULL, all->kernels[i].name);
    return document;
}

static const bw_field columns[] = {
    BW_FIELD("report", "^.report", BW_ROLE_PLAIN),
    BW_FIELD("kernel", "^.name", BW_ROLE_PLAIN),
    BW_FIELD("address", ".address", BW_ROLE_PLAIN),
    BW_FIELD("instruction", "text", BW_ROLE_PLAIN),
    BW_SAME("verdict"),
    BW_FIELD("executed", "executed/predicted", BW_ROLE_PLAIN),
    BW_FIELD("executed_measured", "executed/measured", BW_ROLE_PLAIN),
    BW_FIELD("threads", "threads/predicted", BW_ROLE_PLAIN),
    BW_FIELD("threads_measured", "threads/measured", BW_ROLE_PLAIN),
    BW_FIELD("wavefronts", ".banks/wavefronts/predicted", BW_ROLE_PLAIN),
    BW_FIELD("wavefronts_measured", ".banks/wavefronts/measured", BW_ROLE_PLAIN),
    BW_FIELD("ideal", ".banks/ideal/predicted", BW_ROLE_PLAIN),
    BW_FIELD("ideal_measured", ".banks/ideal/measured", BW_ROLE_PLAIN),
    BW_FIELD("counter", ".banks/counter", BW_ROLE_PLAIN),
};
#define COLUMNS (sizeof columns / sizeof *columns)

static void write_csv(const bw_node *document, FILE *out)
{
    bw_csv_header(columns, COLUMNS, out);
    const bw_node *kernel = bw_node_at(document, "kernels")->first;
    for (; kernel; kernel = kernel->next)
        bw_csv_rows(columns, COLUMNS, bw_node_at(kernel, "instructions"), kernel, out);
}

void bw_ins_write(const bw_ins_comparison *all, const bw_output *output)
{
    bw_arena arena = {NULL};
    const bw_node *document = document_of(&arena, all);
    switch ((bw_format)all->args->values[BW_OPTION_FORMAT].number) {
    case BW_FORMAT_JSON: bw_node_json(document, output->file, BW_JSON_INDENTED); break;
    case BW_FORMAT_CSV: write_csv(document, output->file); break;
    default: bw_ins_text(all, document, output); break;
    }
    bw_arena_finish(&arena);
}
