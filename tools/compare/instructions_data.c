/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "instructions.h"

#include <inttypes.h>

#include "machine_report.h"

/* ---- the document ---- */

static void put_pair(bw_node *parent, const char *name, uint64_t predicted, uint64_t measured)
{
    bw_node *to = bw_put_object(parent, name);
    bw_put_integer(to, "predicted", (int64_t)predicted);
    bw_put_count(to, "measured", measured != UINT64_MAX, measured);
}

/* Rows that do not ask shared memory have no costs in JSON, and zeroes in CSV. */
static void put_row(bw_node *parent, const bw_ins_row *row)
{
    const bw_instruction *ins = row->ins;
    const bw_profiled_counts *p = &ins->profiled;
    bw_node *to = bw_put_object(parent, NULL);
    BW_PUT(to, BW_M("address", ins->address), BW_M("text", ins->text),
           BW_M("verdict", bw_ins_verdict_name(row->verdict)),
           BW_M(".address", bw_arena_format(to->arena, "0x%04" PRIx32, ins->address)));
    put_pair(to, "executed", ins->executed, p->executed);
    put_pair(to, "threads", ins->threads, p->threads);
    put_pair(to, row->asks ? "wavefronts" : ".wavefronts", row->wavefronts, p->wavefronts);
    put_pair(to, row->asks ? "ideal" : ".ideal", row->ideal, p->ideal);
    bw_put_integer(to, row->asks ? "counter" : ".counter", (int64_t)row->counter);
}

static void put_kernel(bw_node *parent, const bw_ins_kernel *k)
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
           BW_M("apart", k->apart));
    bw_node *rows = bw_put_array(to, "instructions");
    for (size_t i = 0; i < k->count; i++)
        put_row(rows, &k->rows[i]);
}

void bw_ins_json(const bw_ins_comparison *all, FILE *out)
{
    bw_arena arena = {NULL};
    bw_node *document = bw_node_object(&arena);
    BW_PUT(document, BW_M("schema", "bankwise.instructions/1"),
           BW_M("report", all->input.source.name));
    bw_node *kernels = bw_put_array(document, "kernels");
    for (size_t i = 0; i < all->count; i++)
        if (all->kernels[i].ran)
            put_kernel(kernels, &all->kernels[i]);
    bw_node *missing = bw_put_array(document, "not_run");
    for (size_t i = 0; i < all->count; i++)
        if (!all->kernels[i].ran)
            bw_put_text(missing, NULL, all->kernels[i].name);
    bw_node_json(document, out, BW_JSON_INDENTED);
    bw_arena_finish(&arena);
}

/* ---- CSV ---- */

#define EITHER(title, name)                                                                        \
    BW_FIELD(title, name "/predicted", BW_ROLE_PLAIN),                                             \
        BW_FIELD(title "_measured", name "/measured", BW_ROLE_PLAIN)

void bw_ins_csv(const bw_ins_comparison *all, FILE *out)
{
    static const bw_field fields[] = {BW_ABOVE("report"),
                                      BW_ABOVE("kernel"),
                                      BW_FIELD("address", ".address", BW_ROLE_PLAIN),
                                      BW_FIELD("instruction", "text", BW_ROLE_PLAIN),
                                      BW_SAME("verdict"),
                                      EITHER("executed", "executed"),
                                      EITHER("threads", "threads"),
                                      EITHER("wavefronts", "wavefronts"),
                                      EITHER("ideal", "ideal"),
                                      BW_SAME("counter")};
    enum { FIELDS = sizeof fields / sizeof *fields };
    bw_csv_header(fields, FIELDS, out);
    for (size_t i = 0; i < all->count; i++) {
        bw_arena arena = {NULL};
        bw_node *above = bw_node_object(&arena), *rows = bw_put_array(above, "rows");
        BW_PUT(above, BW_M("report", all->input.source.name), BW_M("kernel", all->kernels[i].name));
        for (size_t r = 0; r < all->kernels[i].count; r++) {
            bw_ins_row row = all->kernels[i].rows[r];
            row.asks = true; /* every cell is there */
            put_row(rows, &row);
        }
        bw_csv_rows(fields, FIELDS, rows, above, out);
        bw_arena_finish(&arena);
    }
}
