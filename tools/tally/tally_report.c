/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tally_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "wording.h"
#include "wrap.h"

#define SCHEMA "bankwise.tally/1"

/* ---- the document ---- */

static void put_sums(bw_node *to, const bw_total *sum)
{
    BW_PUT(to, BW_M("requests", (int64_t)sum->requests),
           BW_M("wavefronts", (int64_t)sum->wavefronts), BW_M("ideal", (int64_t)sum->ideal),
           BW_M("excessive", (int64_t)(sum->wavefronts - sum->ideal)),
           BW_M("excess_layout", (int64_t)sum->excess_layout),
           BW_M("excess_serial", (int64_t)sum->excess_serial), BW_M("cycles", (int64_t)sum->cycles),
           BW_M("degree", sum->degree), BW_M("degree_sum", (int64_t)sum->degree_sum));
    bw_put_mean(to, "degree_mean", sum->degree_sum, sum->requests ? sum->requests : 1);
    BW_PUT(to, BW_M("at_least", (int64_t)sum->at_least), BW_M("basis", bw_basis_name(sum->basis)));
}

/* A number that is not said is null. */
static void put_said(bw_node *to, const char *name, uint64_t number)
{
    bw_put_count(to, name, number != 0, number);
}

static const char *hexadecimal(bw_node *to, const char *format, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, format, number);
    return bw_arena_text(to->arena, text);
}

/* Of the source or of the machine code. */
static const char *place_of(bw_node *to, const bw_total_key *key)
{
    if (key->has_address)
        return hexadecimal(to, "0x%04" PRIx64, key->address);
    if (key->line && key->column)
        return bw_arena_format(to->arena, "%" PRIu64 ":%" PRIu64, key->line, key->column);
    return key->line ? bw_arena_format(to->arena, "%" PRIu64, key->line) : "";
}

/* The example's addresses, as cells of CSV. */
static void put_cells(bw_node *to, const bw_request *request)
{
    static const char *const names[BW_LANES] = {
        ".a0",  ".a1",  ".a2",  ".a3",  ".a4",  ".a5",  ".a6",  ".a7",  ".a8",  ".a9",  ".a10",
        ".a11", ".a12", ".a13", ".a14", ".a15", ".a16", ".a17", ".a18", ".a19", ".a20", ".a21",
        ".a22", ".a23", ".a24", ".a25", ".a26", ".a27", ".a28", ".a29", ".a30", ".a31"};
    uint32_t lanes = bw_request_lanes(request);
    for (unsigned lane = 0; lane < BW_LANES; lane++)
        bw_put_count(to, names[lane], lanes >> lane & 1, request->addr[lane]);
}

static void put_example(bw_node *parent, const bw_total *row)
{
    const bw_total_example *worst = &row->worst;
    bw_node *to = bw_put_object(parent, "worst");
    BW_PUT(to, BW_M("wavefronts", worst->wavefronts), BW_M("file", worst->file),
           BW_M("line", (int64_t)worst->line), BW_M("block", (int64_t)worst->block),
           BW_M("warp", (int64_t)worst->warp),
           BW_M("active", hexadecimal(to, "%08" PRIx64, worst->request.active)));
    bw_put_addresses(to, "addresses", &worst->request);
    put_cells(to, &worst->request);
}

static void put_instruction(bw_node *parent, const bw_total *row, const bw_total *sum)
{
    const bw_total_key *key = &row->key;
    uint64_t excess = sum->wavefronts - sum->ideal;
    bw_node *to = bw_put_object(parent, NULL);
    bw_put_text(to, "kernel", key->kernel);
    put_said(to, "line", key->line);
    put_said(to, "column", key->column);
    bw_put_text(to, "address",
                key->has_address ? hexadecimal(to, "0x%" PRIx64, key->address) : NULL);
    BW_PUT(to, BW_M("opcode", key->opcode), BW_M("op", bw_op_get(key->op)->name));
    put_sums(to, row);
    put_example(to, row);
    BW_PUT(to, BW_M(".place", place_of(to, key)), BW_M(".kernel", key->kernel ? key->kernel : ""),
           BW_M(".op", key->opcode ? key->opcode : bw_op_get(key->op)->name),
           BW_M(".share", excess ? (double)(row->wavefronts - row->ideal) / (double)excess : 0.0));
}

static bw_node *document_of(bw_arena *arena, const bw_totals *totals, const bw_arch *arch)
{
    bw_node *root = bw_node_object(arena);
    bw_total sum = bw_totals_sum(totals);
    BW_PUT(root, BW_M("schema", SCHEMA), BW_M("arch", arch->name));
    bw_node *files = bw_put_array(root, "files");
    for (size_t i = 0; i < totals->file_count; i++) {
        const bw_total_file *file = &totals->files[i];
        BW_PUT(bw_put_object(files, NULL), BW_M("name", file->name), BW_M("form", file->form),
               BW_M("lanes_guessed", file->guesses_lanes));
    }
    put_sums(root, &sum);
    BW_PUT(root, BW_M("skipped", (int64_t)totals->skipped), BW_M("idle", (int64_t)totals->idle));
    bw_node *others = bw_put_array(root, "unpriced");
    for (size_t i = 0; i < totals->other_count; i++)
        BW_PUT(bw_put_object(others, NULL), BW_M("opcode", totals->others[i].opcode),
               BW_M("why", totals->others[i].why), BW_M("count", (int64_t)totals->others[i].count));
    bw_node *rows = bw_put_array(root, "instructions");
    for (size_t i = 0; i < totals->count; i++)
        put_instruction(rows, &totals->rows[i], &sum);
    return root;
}

char *bw_tally_json(const bw_totals *totals, const bw_arch *arch, size_t *len)
{
    bw_arena arena = {NULL};
    char *text = NULL;
    FILE *out = open_memstream(&text, len);
    if (!out)
        bw_out_of_memory();
    bw_node_json(document_of(&arena, totals, arch), out, BW_JSON_NARROW);
    if (fclose(out) != 0)
        bw_out_of_memory();
    bw_arena_finish(&arena);
    return text;
}

/* ---- CSV ---- */

#define CELL(n) BW_FIELD("a" #n, "worst/.a" #n, BW_ROLE_PLAIN)

static const bw_field csv_fields[] = {
    BW_SAME("op"),
    BW_FIELD("active", "worst/active", BW_ROLE_PLAIN),
    CELL(0),
    CELL(1),
    CELL(2),
    CELL(3),
    CELL(4),
    CELL(5),
    CELL(6),
    CELL(7),
    CELL(8),
    CELL(9),
    CELL(10),
    CELL(11),
    CELL(12),
    CELL(13),
    CELL(14),
    CELL(15),
    CELL(16),
    CELL(17),
    CELL(18),
    CELL(19),
    CELL(20),
    CELL(21),
    CELL(22),
    CELL(23),
    CELL(24),
    CELL(25),
    CELL(26),
    CELL(27),
    CELL(28),
    CELL(29),
    CELL(30),
    CELL(31),
    BW_SAME("kernel"),
    BW_SAME("line"),
    BW_SAME("column"),
    BW_SAME("address"),
    BW_SAME("opcode"),
    BW_SAME("requests"),
    BW_SAME("wavefronts"),
    BW_SAME("ideal"),
    BW_SAME("excessive"),
    BW_SAME("excess_layout"),
    BW_SAME("excess_serial"),
    BW_FIELD("cycles_predicted", "cycles", BW_ROLE_PLAIN),
    BW_SAME("degree"),
    BW_SAME("degree_mean"),
    BW_SAME("at_least"),
    BW_SAME("basis"),
    BW_FIELD("worst_wavefronts", "worst/wavefronts", BW_ROLE_PLAIN),
    BW_FIELD("worst_file", "worst/file", BW_ROLE_PLAIN),
    BW_FIELD("worst_line", "worst/line", BW_ROLE_PLAIN),
    BW_FIELD("worst_block", "worst/block", BW_ROLE_PLAIN),
    BW_FIELD("worst_warp", "worst/warp", BW_ROLE_PLAIN),
};

/* ---- text ---- */

static const bw_field columns[] = {

    BW_FIELD("place", ".place", BW_ROLE_CELL),
    BW_FIELD("op", ".op", BW_ROLE_TEXT),
    BW_FIELD("degree", "degree", BW_ROLE_WAYS),
    BW_FIELD("requests", "requests", BW_ROLE_COUNT),
    BW_FIELD("wavefronts", "wavefronts", BW_ROLE_COUNT),
    BW_FIELD("ideal", "ideal", BW_ROLE_COUNT, .optional = 2),
    BW_FIELD("excess", "excessive", BW_ROLE_COUNT),
    BW_FIELD("cycles", "cycles", BW_ROLE_COUNT, .optional = 1),
    BW_FIELD("share", ".share", BW_ROLE_PERCENT, .optional = 1),
    BW_FIELD("kernel", ".kernel", BW_ROLE_TEXT, .flexible = true),
};

static void print_table(const bw_tally_writer *to, const bw_node *root)
{
    bw_grid *grid = bw_grid_create(columns, sizeof columns / sizeof *columns);
    const bw_node *rows = bw_node_at(root, "instructions");
    for (const bw_node *row = rows->first; row; row = row->next)
        bw_grid_row(grid, row, BW_ROW_PLAIN);
    bw_grid_rule(grid);
    bw_grid_row(grid, root, BW_ROW_PLAIN);
    bw_grid_print(grid, to->out, to->width, to->colour);
}

static void print_example(const bw_tally_writer *to, const bw_totals *totals, bw_arena *arena)
{
    bw_total sum = bw_totals_sum(totals);
    const bw_total_example *worst = &sum.worst;
    bw_print_sentence(to->out, to->width, 0,
                      "The worst request is a %s of %s, at %s:%" PRIu64
                      "; with --format csv, each row has its worst as 'bankwise explain' takes it.",
                      bw_op_get(worst->request.op)->name,
                      bw_words_count(arena, worst->wavefronts, "wavefront"), worst->file,
                      worst->line);
}

static void print_unpriced(const bw_tally_writer *to, const bw_totals *totals, bw_arena *arena)
{
    if (totals->skipped)
        bw_print_sentence(to->out, to->width, 0, "Passed over: %s that %s not shared memory's.",
                          bw_words_count(arena, totals->skipped, "instruction"),
                          totals->skipped == 1 ? "is" : "are");
    if (totals->idle)
        bw_print_sentence(to->out, to->width, 0, "Without an active lane: %s.",
                          bw_words_count(arena, totals->idle, "instruction"));
    for (size_t i = 0; i < totals->other_count; i++)
        bw_print_sentence(to->out, to->width, 2, "Not priced: %" PRIu64 " of %s: %s.",
                          totals->others[i].count, totals->others[i].opcode, totals->others[i].why);
    for (size_t i = 0; i < totals->file_count; i++)
        if (totals->files[i].guesses_lanes) {
            bw_print_sentence(to->out, to->width, 0,
                              "The text of mem_trace does not say which lanes are active: all "
                              "threads of a warp were taken.");
            break;
        }
}

static void print_text(const bw_tally_writer *to, const bw_totals *totals, const bw_arch *arch,
                       const bw_node *root, bw_arena *arena)
{
    bw_total sum = bw_totals_sum(totals);
    if (totals->count) {
        print_table(to, root);
        putc('\n', to->out);
    }
    if (!to->quiet && totals->count)
        print_example(to, totals, arena);
    print_unpriced(to, totals, arena);
    if (sum.at_least)
        bw_print_sentence(to->out, to->width, 0,
                          "Of %s the sources are not known: their wavefronts are those of the "
                          "destinations, at least.",
                          bw_words_count(arena, sum.at_least, "copy request"));
    if (totals->count)
        bw_print_sentence(to->out, to->width, 0, "Rules: %s on %s.", bw_basis_name(sum.basis),
                          arch->name);
    else
        fputs("No request of shared memory.\n", to->out);
}

void bw_tally_write(const bw_tally_writer *writer, const bw_totals *totals, const bw_arch *arch)
{
    bw_arena arena = {NULL};
    bw_node *root = document_of(&arena, totals, arch);
    size_t count = sizeof csv_fields / sizeof *csv_fields;
    switch (writer->format) {
    case BW_FORMAT_JSON: bw_node_json(root, writer->out, BW_JSON_NARROW); break;
    case BW_FORMAT_CSV:
        bw_csv_header(csv_fields, count, writer->out);
        bw_csv_rows(csv_fields, count, bw_node_at(root, "instructions"), root, writer->out);
        break;
    default: print_text(writer, totals, arch, root, &arena); break;
    }
    bw_arena_finish(&arena);
}
