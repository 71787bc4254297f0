/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "beside.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "wording.h"
#include "wrap.h"

/* Of means over trials. */
#define DECIMALS 1

/* An access of one side, the other, or both. */
typedef struct pair {
    size_t launch;
    const bw_report *report[2];
    const bw_report_row *row[2];
} pair;

/* Tables of common lengths larger than this (accesses times accesses) are not made: accesses then
 * stand alone. */
#define MOST_COMPARED ((size_t)4 << 20)

typedef struct pairs {
    pair *items;
    size_t count, capacity;
} pairs;

/* ---- pairing ---- */

static void add_pair(pairs *to, pair item)
{
    BW_GROW(to->items, to->count, to->capacity);
    to->items[to->count++] = item;
}

static bool is_alike(const bw_report_row *a, const bw_report_row *b)
{
    return a->worst.op == b->worst.op && strcmp(a->access->source, b->access->source) == 0;
}

/* What an access does to shared memory: out of it, into it, or both. */
typedef enum direction { READS, WRITES, UPDATES } direction;

static direction direction_of(const bw_report_row *row)
{
    const bw_op_info *op = bw_op_get(row->worst.op);
    return op->reads && op->writes ? UPDATES : op->reads ? READS : WRITES;
}

static bool does_the_same(const bw_report_row *a, const bw_report_row *b)
{
    return direction_of(a) == direction_of(b);
}

/* Ways to find partners, the closest first. */
static bool (*const fits[])(const bw_report_row *, const bw_report_row *) = {is_alike,
                                                                             does_the_same};
#define WAYS (sizeof fits / sizeof *fits)

/* Accesses of both sides from one place to another. */
typedef struct stretch {
    size_t from[2], end[2];
} stretch;

/*
 * The longest common subsequence of accesses that fit, as lengths[i * (m + 1) + j] for the rests
 * that begin at i and j within the stretch. NULL where it would be too large a table.
 */
static uint32_t *common_lengths(const pair *base, const stretch *part, size_t way)
{
    size_t n = part->end[0] - part->from[0], m = part->end[1] - part->from[1];
    if (m && n > MOST_COMPARED / m)
        return NULL;
    uint32_t *length = bw_calloc((n + 1) * (m + 1), sizeof *length);
    for (size_t i = n; i-- > 0;)
        for (size_t j = m; j-- > 0;) {
            uint32_t down = length[(i + 1) * (m + 1) + j], right = length[i * (m + 1) + j + 1];
            length[i * (m + 1) + j] = fits[way](&base->report[0]->rows[part->from[0] + i],
                                                &base->report[1]->rows[part->from[1] + j])
                                          ? length[(i + 1) * (m + 1) + j + 1] + 1
                                      : down > right ? down
                                                     : right;
        }
    return length;
}

static void add_alone(pairs *to, const pair *base, const stretch *part)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = part->from[side]; i < part->end[side]; i++) {
            pair item = *base;
            item.row[side] = &base->report[side]->rows[i];
            add_pair(to, item);
        }
}

/* Pairs what fits in this way; what lies between two such pairs is paired in the next way, and what
 * fits in none stands alone. */
static void pair_stretch(pairs *to, const pair *base, stretch part, size_t way)
{
    if (way == WAYS || part.from[0] == part.end[0] || part.from[1] == part.end[1]) {
        add_alone(to, base, &part);
        return;
    }
    size_t n = part.end[0] - part.from[0], m = part.end[1] - part.from[1], i = 0, j = 0;
    stretch rest = part;
    uint32_t *length = common_lengths(base, &part, way);
    while (length && i < n && j < m) {
        const bw_report_row *a = &base->report[0]->rows[part.from[0] + i];
        const bw_report_row *b = &base->report[1]->rows[part.from[1] + j];
        if (fits[way](a, b)) {
            rest.end[0] = part.from[0] + i++;
            rest.end[1] = part.from[1] + j++;
            pair_stretch(to, base, rest, way + 1);
            add_pair(to, (pair){base->launch, {base->report[0], base->report[1]}, {a, b}});
            rest.from[0] = part.from[0] + i;
            rest.from[1] = part.from[1] + j;
        } else if (length[(i + 1) * (m + 1) + j] >= length[i * (m + 1) + j + 1]) {
            i++;
        } else {
            j++;
        }
    }
    rest.end[0] = part.end[0];
    rest.end[1] = part.end[1];
    pair_stretch(to, base, rest, way + 1);
    free(length);
}

static void pair_launch(pairs *to, size_t launch, const bw_report *a, const bw_report *b)
{
    pair base = {.launch = launch, .report = {a, b}};
    pair_stretch(to, &base, (stretch){{0, 0}, {a->count, b->count}}, 0);
}

/* Launches beyond the other side's stand alone. */
static pairs pair_all(const bw_side sides[2])
{
    pairs all = {.items = NULL};
    size_t count = sides[0].count > sides[1].count ? sides[0].count : sides[1].count;
    bw_report none = {.count = 0, .trials = 1};
    for (size_t i = 0; i < count; i++)
        pair_launch(&all, i, i < sides[0].count ? &sides[0].reports[i] : &none,
                    i < sides[1].count ? &sides[1].reports[i] : &none);
    return all;
}

/* ---- numbers ---- */

static double wavefronts_of(const pair *item, int side)
{
    return item->row[side] ? bw_report_mean(item->report[side], item->row[side]->sum.wavefronts)
                           : 0;
}

static double excessive_of(const pair *item, int side)
{
    return item->row[side]
               ? bw_report_mean(item->report[side], bw_counts_excessive(&item->row[side]->sum))
               : 0;
}

static double sum_of(const pairs *all, int side, double (*number)(const pair *, int))
{
    double sum = 0;
    for (size_t i = 0; i < all->count; i++)
        sum += number(&all->items[i], side);
    return sum;
}

static const char *change_text(bw_arena *arena, double before, double after)
{
    double change = after - before;
    return change == 0 ? "="
                       : bw_arena_format(arena, "%s%s", change > 0 ? "+" : "",
                                         bw_words_number(arena, change, DECIMALS));
}

/* ---- text ---- */

/* A and B alone are the lines. */
static const bw_column columns[] = {
    {.title = "A", .right = true},
    {.title = "B", .right = true},
    {.title = "op"},
    {.title = "degree A", .right = true},
    {.title = "B", .right = true},
    {.title = "wavefronts A", .right = true},
    {.title = "B", .right = true},
    {.title = "change", .right = true},
    {.title = "source", .flexible = true},
};

static const char *line_text(bw_arena *arena, const bw_report_row *row)
{
    return row ? bw_arena_format(arena, "%u", row->access->line) : "-";
}

static const char *degree_text(bw_arena *arena, const bw_report_row *row)
{
    return row ? bw_arena_format(arena, "%" PRIu32 "-way", row->degree) : "-";
}

/* Where both are alike the text once, else what became of it. */
static const char *source_text(bw_arena *arena, const pair *item)
{
    const bw_report_row *a = item->row[0], *b = item->row[1];
    if (!a || !b)
        return bw_arena_format(arena, "only in %s: %s", a ? "A" : "B", (a ? a : b)->access->source);
    if (strcmp(a->access->source, b->access->source) == 0)
        return a->access->source;
    return bw_arena_format(arena, "%s -> %s", a->access->source, b->access->source);
}

static const char *op_text(bw_arena *arena, const pair *item)
{
    const bw_report_row *a = item->row[0], *b = item->row[1];
    if (!a || !b || a->worst.op == b->worst.op)
        return bw_row_op(a ? a : b);
    return bw_arena_format(arena, "%s -> %s", bw_row_op(a), bw_row_op(b));
}

static void add_row(bw_table *table, bw_arena *arena, const pair *item)
{
    double before = wavefronts_of(item, 0), after = wavefronts_of(item, 1);
    bw_table_row(table, after > before   ? BW_ROW_ALERT
                        : after < before ? BW_ROW_STRONG
                                         : BW_ROW_PLAIN);
    bw_table_cell(table, "%s", line_text(arena, item->row[0]));
    bw_table_cell(table, "%s", line_text(arena, item->row[1]));
    bw_table_cell(table, "%s", op_text(arena, item));
    bw_table_cell(table, "%s", degree_text(arena, item->row[0]));
    bw_table_cell(table, "%s", degree_text(arena, item->row[1]));
    bw_table_cell(table, "%s", item->row[0] ? bw_words_number(arena, before, DECIMALS) : "-");
    bw_table_cell(table, "%s", item->row[1] ? bw_words_number(arena, after, DECIMALS) : "-");
    bw_table_cell(table, "%s", change_text(arena, before, after));
    bw_table_cell(table, "%s", source_text(arena, item));
}

static void add_total(bw_table *table, bw_arena *arena, const pairs *all)
{
    double before = sum_of(all, 0, wavefronts_of), after = sum_of(all, 1, wavefronts_of);
    bw_table_rule(table);
    bw_table_row(table, BW_ROW_STRONG);
    bw_table_cell(table, "%s", "");
    bw_table_cell(table, "%s", "");
    bw_table_cell(table, "%s", "total");
    bw_table_cell(table, "%s", "");
    bw_table_cell(table, "%s", "");
    bw_table_cell(table, "%s", bw_words_number(arena, before, DECIMALS));
    bw_table_cell(table, "%s", bw_words_number(arena, after, DECIMALS));
    bw_table_cell(table, "%s", change_text(arena, before, after));
}

static const char *verdict(bw_arena *arena, const pairs *all)
{
    double before = sum_of(all, 0, wavefronts_of), after = sum_of(all, 1, wavefronts_of);
    double less = sum_of(all, 0, excessive_of), more = sum_of(all, 1, excessive_of);
    const char *excess = bw_arena_format(
        arena, "%s of A's wavefronts were excessive, %s of B's are",
        bw_words_number(arena, less, DECIMALS), bw_words_number(arena, more, DECIMALS));
    if (before == after)
        return bw_arena_format(arena, "A and B take the same number of wavefronts; %s.", excess);
    return bw_arena_format(arena, "B takes %s wavefronts where A takes %s; %s.",
                           bw_words_number(arena, after, DECIMALS),
                           bw_words_number(arena, before, DECIMALS), excess);
}

static void write_text(bw_writer *writer, const bw_side sides[2], const pairs *all)
{
    bw_arena arena = {NULL};
    bool notes = !writer->args->values[BW_OPTION_QUIET].given;
    if (notes)
        fprintf(writer->out, "A: %s\nB: %s\n\n", sides[0].session->input.source.name,
                sides[1].session->input.source.name);
    bw_table *table = bw_table_create(columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < all->count; i++) {
        if (i && all->items[i].launch != all->items[i - 1].launch)
            bw_table_rule(table);
        add_row(table, &arena, &all->items[i]);
    }
    add_total(table, &arena, all);
    bw_table_print(table, writer->out, writer->width, writer->colour);
    bw_table_destroy(table);
    if (notes) {
        fputc('\n', writer->out);
        bw_print_wrapped(writer->out, writer->width, 0, verdict(&arena, all));
    }
    bw_arena_finish(&arena);
}

/* ---- CSV and JSON ---- */

static void csv_side(FILE *out, const pair *item, int side)
{
    const bw_report_row *row = item->row[side];
    if (!row) {
        fputs(",,,,,,", out);
        return;
    }
    fprintf(out, ",%u,", row->access->line);
    bw_csv_text(out, row->access->source);
    fprintf(out, ",%s,%" PRIu32 ",%.12g,%.12g", bw_row_op(row), row->degree,
            wavefronts_of(item, side), excessive_of(item, side));
}

static void write_csv(bw_writer *writer, const pairs *all)
{
    fputs("launch", writer->out);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 6; i++) {
            static const char *const names[] = {"line",   "source",     "op",
                                                "degree", "wavefronts", "excessive"};
            fprintf(writer->out, ",%s_%c", names[i], 'a' + side);
        }
    fputc('\n', writer->out);
    for (size_t i = 0; i < all->count; i++) {
        fprintf(writer->out, "%zu", all->items[i].launch + 1);
        csv_side(writer->out, &all->items[i], 0);
        csv_side(writer->out, &all->items[i], 1);
        fputc('\n', writer->out);
    }
}

static json_t *json_side(const pair *item, int side)
{
    const bw_report_row *row = item->row[side];
    if (!row)
        return json_null();
    return json_pack("{s:i,s:i,s:o,s:s,s:i,s:f,s:f}", "line", (int)row->access->line, "column",
                     (int)row->access->column, "source", bw_json_text(row->access->source), "op",
                     bw_row_op(row), "degree", (int)row->degree, "wavefronts",
                     wavefronts_of(item, side), "excessive", excessive_of(item, side));
}

static void write_json(bw_writer *writer, const bw_side sides[2], const pairs *all)
{
    json_t *document = json_object(), *list = json_array();
    for (size_t i = 0; i < all->count; i++)
        json_array_append_new(
            list, json_pack("{s:I,s:o,s:o}", "launch", (json_int_t)all->items[i].launch + 1, "a",
                            json_side(&all->items[i], 0), "b", json_side(&all->items[i], 1)));
    json_object_set_new(document, "schema", json_string("bankwise.beside/1"));
    json_object_set_new(document, "a", bw_json_text(sides[0].session->input.source.name));
    json_object_set_new(document, "b", bw_json_text(sides[1].session->input.source.name));
    json_object_set_new(document, "arch",
                        json_string(writer->args->values[BW_OPTION_ARCH].arch->name));
    json_object_set_new(document, "accesses", list);
    json_object_set_new(document, "wavefronts",
                        json_pack("{s:f,s:f}", "a", sum_of(all, 0, wavefronts_of), "b",
                                  sum_of(all, 1, wavefronts_of)));
    json_object_set_new(document, "excessive",
                        json_pack("{s:f,s:f}", "a", sum_of(all, 0, excessive_of), "b",
                                  sum_of(all, 1, excessive_of)));
    json_dumpf(document, writer->out, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    fputc('\n', writer->out);
    json_decref(document);
}

void bw_beside_write(bw_writer *writer, const bw_side sides[2])
{
    pairs all = pair_all(sides);
    switch ((bw_format)writer->args->values[BW_OPTION_FORMAT].number) {
    case BW_FORMAT_JSON: write_json(writer, sides, &all); break;
    case BW_FORMAT_CSV: write_csv(writer, &all); break;
    default: write_text(writer, sides, &all); break;
    }
    free(all.items);
}
