/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A measurement as a document, and what CSV shows of it.
 */
#include "measurement.h"

#include <inttypes.h>

static void put_verdicts(bw_node *parent, const uint64_t counts[BW_VERDICTS])
{
    bw_node *to = bw_put_object(parent, "verdicts");
    for (int i = 0; i < BW_VERDICTS; i++)
        bw_put_integer(to, bw_verdict_name((bw_verdict)i), (int64_t)counts[i]);
}

static void put_example(bw_node *parent, const bw_measurement *all, size_t index)
{
    if (index == BW_UNIQUE_NONE) {
        bw_put_null(parent, "example");
        return;
    }
    const bw_taken *taken = &all->taken[index];
    bw_node *to = bw_put_object(parent, "example");
    bw_put_request(to, &all->requests.items[index].request);
    bw_put_known(to, "cycles", taken->has_cycles, taken->cycles);
    bw_put_known(to, "hw_wavefronts", taken->has_wavefronts, taken->wavefronts);
}

/* Predicted and measured; and for the table "1024 / 1024", or "1024 / -". */
static void put_pair(bw_node *parent, const char *name, const char *shown, uint64_t predicted,
                     bool known, uint64_t measured)
{
    bw_node *to = bw_put_object(parent, name);
    bw_put_integer(to, "predicted", (int64_t)predicted);
    bw_put_count(to, "measured", known, measured);
    const char *other = known ? bw_arena_format(to->arena, "%" PRIu64, measured) : "-";
    bw_put_text(parent, shown, bw_arena_format(to->arena, "%" PRIu64 " / %s", predicted, other));
}

static void put_access(bw_node *parent, const bw_measurement *all, const bw_measured_access *access)
{
    bw_node *to = bw_put_object(parent, NULL);
    BW_PUT(to, BW_M("line", access->line), BW_M("column", access->column),
           BW_M("source", access->source), BW_M("array", access->array),
           BW_M("op", bw_op_get(access->op)->name),
           BW_M("verdict", bw_verdict_name(access->verdict)), BW_M("reason", access->reason),
           BW_M("requests", access->requests), BW_M("different", access->own.count));
    put_verdicts(to, access->by_verdict);
    put_pair(to, "wavefronts", ".wavefronts", access->wavefronts, access->has_wavefronts,
             access->measured_wavefronts);
    put_pair(to, "cycles", ".cycles", access->cycles, access->has_cycles, access->measured_cycles);
    put_example(to, all, access->example);
}

static void put_launch(bw_node *parent, const bw_measurement *all, const bw_measured_launch *launch)
{
    bw_node *to = bw_put_object(parent, NULL);
    BW_PUT(to, BW_M("file", launch->file), BW_M("title", launch->title),
           BW_M("kernel", launch->kernel), BW_M("launch", launch->index + 1));
    bw_put_shape(to, "block", launch->block);
    bw_put_shape(to, "grid", launch->grid);
    bw_put_count(to, "seed", launch->random, all->args->values[BW_OPTION_SEED].number);
    bw_node *accesses = bw_put_array(to, "accesses");
    for (size_t i = 0; i < launch->count; i++)
        put_access(accesses, all, &launch->accesses[i]);
}

static bw_node *document_of(bw_arena *arena, const bw_measurement *all)
{
    bw_node *document = bw_node_object(arena);
    BW_PUT(document, BW_M("schema", "bankwise.measure/1"), BW_M("device", all->device),
           BW_M("driver", all->driver), BW_M("date", all->date), BW_M("recording", all->recording),
           BW_M("arch", all->arch->name), BW_M("note", all->arch_note),
           BW_M("different_requests", all->requests.count));
    put_verdicts(document, all->by_verdict);
    bw_node *launches = bw_put_array(document, "launches");
    for (size_t i = 0; i < all->count; i++)
        put_launch(launches, all, &all->launches[i]);
    bw_put_bool(document, "passed", bw_measurement_passes(all));
    return document;
}

static const bw_field columns[] = {
    BW_ABOVE("file"),
    BW_ABOVE("launch"),
    BW_ABOVE("kernel"),
    BW_SAME("line"),
    BW_SAME("column"),
    BW_SAME("source"),
    BW_SAME("op"),
    BW_SAME("verdict"),
    BW_SAME("requests"),
    BW_SAME("different"),
    BW_FIELD("wavefronts", "wavefronts/predicted", BW_ROLE_PLAIN),
    BW_FIELD("measured_wavefronts", "wavefronts/measured", BW_ROLE_PLAIN),
    BW_FIELD("cycles", "cycles/predicted", BW_ROLE_PLAIN),
    BW_FIELD("measured_cycles", "cycles/measured", BW_ROLE_PLAIN),
    BW_SAME("reason")};
#define COLUMNS (sizeof columns / sizeof *columns)

static void write_csv(const bw_node *document, FILE *out)
{
    bw_csv_header(columns, COLUMNS, out);
    const bw_node *launch = bw_node_at(document, "launches")->first;
    for (; launch; launch = launch->next)
        bw_csv_rows(columns, COLUMNS, bw_node_at(launch, "accesses"), launch, out);
}

void bw_measurement_report(const bw_measurement *all, const bw_output *output)
{
    bw_arena arena = {NULL};
    const bw_node *document = document_of(&arena, all);
    switch ((bw_format)all->args->values[BW_OPTION_FORMAT].number) {
    case BW_FORMAT_JSON: bw_node_json(document, output->file, BW_JSON_INDENTED); break;
    case BW_FORMAT_CSV: write_csv(document, output->file); break;
    default: bw_measurement_text(all, document, output); break;
    }
    bw_arena_finish(&arena);
}
