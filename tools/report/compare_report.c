/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- the document ---- */

/* Where both are alike the text once, else what became of it. */
static const char *source_text(bw_arena *arena, const pair *item)
{
    const bw_report_row *a = item->row[0], *b = item->row[1];
    if (!a || !b)
        return bw_arena_format(arena, "only in %s: %s", a ? "A" : "B",
                               bw_access_text(arena, (a ? a : b)->access));
    if (strcmp(a->access->source, b->access->source) == 0)
        return bw_access_text(arena, a->access);
    return bw_arena_format(arena, "%s -> %s", a->access->source, b->access->source);
}

static const char *op_text(bw_arena *arena, const pair *item)
{
    const bw_report_row *a = item->row[0], *b = item->row[1];
    if (!a || !b || a->worst.op == b->worst.op)
        return bw_row_op(a ? a : b);
    return bw_arena_format(arena, "%s -> %s", bw_row_op(a), bw_row_op(b));
}

static void put_side(bw_node *parent, const char *name, const pair *item, int side)
{
    const bw_report_row *row = item->row[side];
    if (!row) {
        bw_put_null(parent, name);
        return;
    }
    bw_node *to = bw_put_object(parent, name);
    BW_PUT(to, BW_M("line", row->access->line), BW_M("column", row->access->column),
           BW_M("source", row->access->source), BW_M("op", bw_row_op(row)),
           BW_M("degree", row->degree), BW_M("wavefronts", wavefronts_of(item, side)),
           BW_M("excessive", excessive_of(item, side)));
}

static void put_pair(bw_node *parent, const pair *item)
{
    bw_node *to = bw_put_object(parent, NULL);
    bw_put_integer(to, "launch", (int64_t)item->launch + 1);
    put_side(to, "a", item, 0);
    put_side(to, "b", item, 1);
    BW_PUT(to, BW_M(".op", op_text(to->arena, item)),
           BW_M(".change", change_text(to->arena, wavefronts_of(item, 0), wavefronts_of(item, 1))),
           BW_M(".source", source_text(to->arena, item)));
}

static void put_sums(bw_node *parent, const char *name, const pairs *all,
                     double (*number)(const pair *, int))
{
    bw_node *to = bw_put_object(parent, name);
    BW_PUT(to, BW_M("a", sum_of(all, 0, number)), BW_M("b", sum_of(all, 1, number)));
}

/* The last line of the text table, as a row like the others. */
static void put_total(bw_node *parent, const pairs *all)
{
    double before = sum_of(all, 0, wavefronts_of), after = sum_of(all, 1, wavefronts_of);
    bw_node *total = bw_put_object(parent, ".total");
    bw_put_real(bw_put_object(total, "a"), "wavefronts", before);
    bw_put_real(bw_put_object(total, "b"), "wavefronts", after);
    BW_PUT(total, BW_M(".op", "total"), BW_M(".change", change_text(total->arena, before, after)));
}

static bw_node *document_of(bw_arena *arena, const bw_args *args, const bw_side sides[2],
                            const pairs *all)
{
    bw_node *document = bw_node_object(arena);
    BW_PUT(document, BW_M("schema", "bankwise.beside/1"),
           BW_M("a", sides[0].session->input.source.name),
           BW_M("b", sides[1].session->input.source.name),
           BW_M("arch", args->values[BW_OPTION_ARCH].arch->name));
    bw_node *list = bw_put_array(document, "accesses");
    for (size_t i = 0; i < all->count; i++)
        put_pair(list, &all->items[i]);
    put_sums(document, "wavefronts", all, wavefronts_of);
    put_sums(document, "excessive", all, excessive_of);
    put_total(document, all);
    return document;
}

/* ---- text ---- */

/* A and B alone are the lines. */
static const bw_field columns[] = {
    BW_FIELD("A", "a/line", BW_ROLE_COUNT),
    BW_FIELD("B", "b/line", BW_ROLE_COUNT),
    BW_FIELD("op", ".op", BW_ROLE_TEXT),
    BW_FIELD("degree A", "a/degree", BW_ROLE_WAYS),
    BW_FIELD("B", "b/degree", BW_ROLE_WAYS),
    BW_FIELD("wavefronts A", "a/wavefronts", BW_ROLE_COUNT, .digits = DECIMALS),
    BW_FIELD("B", "b/wavefronts", BW_ROLE_COUNT, .digits = DECIMALS),
    BW_FIELD("change", ".change", BW_ROLE_CELL),
    BW_FIELD("source", ".source", BW_ROLE_TEXT, .flexible = true),
};

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

static void print_table(bw_writer *writer, const bw_node *document, const pairs *all)
{
    bw_grid *grid = bw_grid_create(columns, sizeof columns / sizeof *columns);
    const bw_node *row = bw_node_at(document, "accesses")->first;
    for (size_t i = 0; i < all->count; i++, row = row->next) {
        double before = wavefronts_of(&all->items[i], 0), after = wavefronts_of(&all->items[i], 1);
        if (i && all->items[i].launch != all->items[i - 1].launch)
            bw_grid_rule(grid);
        bw_grid_row(grid, row,
                    after > before   ? BW_ROW_ALERT
                    : after < before ? BW_ROW_STRONG
                                     : BW_ROW_PLAIN);
    }
    bw_grid_rule(grid);
    bw_grid_row(grid, bw_node_at(document, ".total"), BW_ROW_STRONG);
    bw_grid_print(grid, writer->out, writer->width, writer->colour);
}

static void write_text(bw_writer *writer, const bw_node *document, const pairs *all)
{
    bool notes = !writer->args->values[BW_OPTION_QUIET].given;
    if (notes)
        fprintf(writer->out, "A: %s\nB: %s\n\n", bw_node_at(document, "a")->text,
                bw_node_at(document, "b")->text);
    print_table(writer, document, all);
    if (notes) {
        fputc('\n', writer->out);
        bw_print_wrapped(writer->out, writer->width, 0, verdict(document->arena, all));
    }
}

/* ---- CSV ---- */

static const bw_field csv_columns[] = {BW_SAME("launch"),
                                       BW_FIELD("line_a", "a/line", BW_ROLE_PLAIN),
                                       BW_FIELD("source_a", "a/source", BW_ROLE_PLAIN),
                                       BW_FIELD("op_a", "a/op", BW_ROLE_PLAIN),
                                       BW_FIELD("degree_a", "a/degree", BW_ROLE_PLAIN),
                                       BW_FIELD("wavefronts_a", "a/wavefronts", BW_ROLE_PLAIN),
                                       BW_FIELD("excessive_a", "a/excessive", BW_ROLE_PLAIN),
                                       BW_FIELD("line_b", "b/line", BW_ROLE_PLAIN),
                                       BW_FIELD("source_b", "b/source", BW_ROLE_PLAIN),
                                       BW_FIELD("op_b", "b/op", BW_ROLE_PLAIN),
                                       BW_FIELD("degree_b", "b/degree", BW_ROLE_PLAIN),
                                       BW_FIELD("wavefronts_b", "b/wavefronts", BW_ROLE_PLAIN),
                                       BW_FIELD("excessive_b", "b/excessive", BW_ROLE_PLAIN)};
#define CSV_COLUMNS (sizeof csv_columns / sizeof *csv_columns)

void bw_compare_report(bw_writer *writer, const bw_side sides[2])
{
    bw_arena arena = {NULL};
    pairs all = pair_all(sides);
    const bw_node *document = document_of(&arena, writer->args, sides, &all);
    switch ((bw_format)writer->args->values[BW_OPTION_FORMAT].number) {
    case BW_FORMAT_JSON: bw_node_json(document, writer->out, BW_JSON_INDENTED); break;
    case BW_FORMAT_CSV:
        bw_csv_header(csv_columns, CSV_COLUMNS, writer->out);
        bw_csv_rows(csv_columns, CSV_COLUMNS, bw_node_at(document, "accesses"), NULL, writer->out);
        break;
    default: write_text(writer, document, &all); break;
    }
    free(all.items);
    bw_arena_finish(&arena);
}
