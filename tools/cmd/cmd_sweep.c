/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "plain.h"
#include "plot.h"
#include "sweep.h"
#include "wording.h"
#include "wrap.h"

/* Of means over trials. */
#define DECIMALS 2

/* Bars of the terminal's plot are as long as there is room, and at least so long. */
#define LEAST_BAR 8

/* ---- progress ---- */

static void show_progress(size_t done, size_t count)
{
    enum { WIDTH = 40 };
    char bar[WIDTH + 1];
    size_t filled = done * WIDTH / count;
    memset(bar, '.', WIDTH);
    memset(bar, '#', filled);
    bar[WIDTH] = '\0';
    if (done == count)
        fprintf(stderr, "\r%*s\r", WIDTH + 32, "");
    else
        fprintf(stderr, "\r[%s] %zu of %zu", bar, done, count);
    fflush(stderr);
}

/* ---- the document ---- */

/* A sweep, and what is written of it. */
typedef struct result {
    bw_sweep *sweep;
    bw_node *document;
    const bw_node *points, *failed; /* of it; together one for each point */
} result;

static double largest(const bw_sweep *sweep)
{
    double most = 1;
    for (size_t i = 0; i < sweep->count; i++)
        most = sweep->points[i].wavefronts > most ? sweep->points[i].wavefronts : most;
    return most;
}

/* '=' for the ideal wavefronts, '#' for the excessive ones; anything is a sign at least. */
static const char *bar_text(bw_arena *arena, const bw_point *point, double most, unsigned width)
{
    unsigned ideal = (unsigned)(point->ideal * width / most + 0.5);
    unsigned all = (unsigned)(point->wavefronts * width / most + 0.5);
    ideal = ideal || point->ideal == 0 ? ideal : 1;
    all = point->excessive > 0 && all <= ideal ? ideal + 1 : all < ideal ? ideal : all;
    char *text = bw_arena_alloc(arena, all + 1);
    memset(text, '=', ideal);
    memset(text + ideal, '#', all - ideal);
    return text;
}

static unsigned bar_width(const bw_sweep *sweep, const bw_output *out)
{
    unsigned name = (unsigned)strlen(sweep->ranges[0].name);
    unsigned taken = (name > 4 ? name : 4) + 38; /* the other columns */
    return out->width > taken + LEAST_BAR ? out->width - taken : LEAST_BAR;
}

/* The values of the parameters at a point; the second names are for the table and for CSV. */
static void put_values(bw_node *to, const bw_sweep *sweep, size_t index, bool hidden)
{
    static const char *const places[] = {".1", ".2"};
    for (unsigned r = 0; r < sweep->range_count && r < sizeof places / sizeof *places; r++)
        bw_put_integer(to, hidden ? places[r] : sweep->ranges[r].name,
                       bw_sweep_value(sweep, r, index));
}

static void put_point(bw_node *parent, const bw_sweep *sweep, size_t index, double most,
                      unsigned width)
{
    const bw_point *p = &sweep->points[index];
    bw_node *to = bw_put_object(parent, NULL);
    put_values(bw_put_object(to, "values"), sweep, index, false);
    BW_PUT(to, BW_M("degree", p->degree), BW_M("degree_mean", p->degree_mean));
    bw_put_number(to, "requests", p->requests);
    bw_put_number(to, "wavefronts", p->wavefronts);
    bw_put_number(to, "ideal", p->ideal);
    bw_put_number(to, "excessive", p->excessive);
    bw_put_number(to, "cycles", p->cycles);
    put_values(to, sweep, index, true);
    BW_PUT(to, BW_M(".degree", bw_arena_format(to->arena, "%" PRIu32 "-way", p->degree)),
           BW_M(".bar", bar_text(to->arena, p, most, width)));
}

static void put_failed(bw_node *parent, const bw_sweep *sweep, size_t index)
{
    bw_node *to = bw_put_object(parent, NULL);
    put_values(to, sweep, index, false);
    put_values(to, sweep, index, true);
    bw_put_text(to, ".degree", "fails");
}

static void put_range(bw_node *parent, const bw_range *range)
{
    bw_node *to = bw_put_object(parent, NULL);
    BW_PUT(to, BW_M("name", range->name), BW_M("from", range->from), BW_M("to", range->to));
    if (range->step) {
        bw_put_integer(to, "step", range->step);
        return;
    }
    bw_node *values = bw_put_array(to, "values");
    for (size_t i = 0; i < range->count; i++)
        bw_put_integer(values, NULL, range->values[i]);
}

static void collect(result *to, const bw_output *out)
{
    bw_sweep *sweep = to->sweep;
    double most = largest(sweep);
    unsigned width = bar_width(sweep, out);
    to->document = bw_node_object(&sweep->arena);
    BW_PUT(to->document, BW_M("schema", "bankwise.sweep/1"), BW_M("file", sweep->input.source.name),
           BW_M("arch", bw_sweep_arch(sweep)->name), BW_M("basis", bw_basis_name(sweep->basis)));
    if (sweep->line)
        bw_put_integer(to->document, strncmp(sweep->line, "0x", 2) ? "line" : "address",
                       strtoll(sweep->line, NULL, 0));
    bw_node *ranges = bw_put_array(to->document, "ranges");
    for (unsigned r = 0; r < sweep->range_count; r++)
        put_range(ranges, &sweep->ranges[r]);
    bw_node *points = bw_put_array(to->document, "points");
    bw_node *failed = bw_put_array(to->document, sweep->failed ? "failed" : ".failed");
    for (size_t i = 0; i < sweep->count; i++)
        if (sweep->points[i].failed)
            put_failed(failed, sweep, i);
        else
            put_point(points, sweep, i, most, width);
    to->points = points;
    to->failed = failed;
}

/* The points in the order of the sweep, those that failed among them. */
typedef struct rows {
    const bw_point *at, *end;
    const bw_node *point, *failed;
} rows;

static rows rows_of(const result *to)
{
    return (rows){to->sweep->points, to->sweep->points + to->sweep->count, to->points->first,
                  to->failed->first};
}

static const bw_node *next_row(rows *from)
{
    if (from->at == from->end)
        return NULL;
    const bw_node **which = from->at++->failed ? &from->failed : &from->point;
    const bw_node *row = *which;
    *which = row->next;
    return row;
}

/* ---- text: one parameter ---- */

static void comb_text(result *to, const bw_output *out)
{
    const bw_field fields[] = {
        BW_FIELD(to->sweep->ranges[0].name, ".1", BW_ROLE_COUNT),
        BW_FIELD("degree", ".degree", BW_ROLE_CELL),
        BW_FIELD("wavefronts", "wavefronts", BW_ROLE_COUNT, .digits = DECIMALS),
        BW_FIELD("ideal", "ideal", BW_ROLE_COUNT, .digits = DECIMALS),
        BW_FIELD("excess", "excessive", BW_ROLE_COUNT, .digits = DECIMALS),
        BW_FIELD("=ideal #excess", ".bar", BW_ROLE_TEXT),
    };
    bw_grid *grid = bw_grid_create(fields, sizeof fields / sizeof *fields);
    rows at = rows_of(to);
    for (const bw_node *row; (row = next_row(&at));)
        bw_grid_row(grid, row, BW_ROW_PLAIN);
    bw_grid_print(grid, out->file, out->width, out->colour);
}

static int compare_values(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* "1-way: 1, 3, 5, ... 63", a line a degree. */
static void degrees_text(bw_sweep *sweep, const bw_output *out)
{
    uint32_t *values = bw_arena_alloc(&sweep->arena, sweep->count * sizeof *values);
    fputc('\n', out->file);
    if (sweep->ranges[0].from < 0 || sweep->ranges[0].to > INT32_MAX)
        return;
    for (uint32_t degree = 0; degree <= BW_LANES + 1; degree++) {
        unsigned count = 0;
        for (size_t i = 0; i < sweep->count; i++)
            if (!sweep->points[i].failed && sweep->points[i].degree == degree)
                values[count++] = (uint32_t)bw_sweep_value(sweep, 0, i);
        qsort(values, count, sizeof *values, compare_values);
        if (count)
            bw_print_wrapped(out->file, out->width, 2,
                             bw_arena_format(&sweep->arena, "%" PRIu32 "-way at %s = %s.", degree,
                                             sweep->ranges[0].name,
                                             bw_words_set(&sweep->arena, values, count)));
    }
}

/* ---- text: two parameters ---- */

static double shown_of(const bw_point *point, bool degree)
{
    return degree ? point->degree : point->wavefronts;
}

/* One block of columns of a map: the first parameter across, the second down. */
static void map_block(bw_sweep *sweep, const bw_output *out, bool degree, size_t from, size_t end,
                      int cell, int label)
{
    size_t across = sweep->ranges[0].count, down = sweep->ranges[1].count;
    fprintf(out->file, "%*s |", label, sweep->ranges[1].name);
    for (size_t x = from; x < end; x++)
        fprintf(out->file, "%*" PRId64, cell, bw_sweep_value(sweep, 0, x));
    fprintf(out->file, "  %s\n", sweep->ranges[0].name);
    for (int i = 0; i < label + 2 + (int)(end - from) * cell; i++)
        fputc(i == label + 1 ? '|' : '-', out->file);
    fputc('\n', out->file);
    for (size_t y = 0; y < down; y++) {
        fprintf(out->file, "%*" PRId64 " |", label, bw_sweep_value(sweep, 1, y * across));
        for (size_t x = from; x < end; x++) {
            const bw_point *point = &sweep->points[y * across + x];
            bool bad = out->colour && point->excessive > 0;
            if (bad)
                bw_put_style(out->file, BW_STYLE_ALERT);
            fprintf(out->file, "%*s", cell,
                    point->failed
                        ? "-"
                        : bw_words_number(&sweep->arena, shown_of(point, degree), DECIMALS));
            if (bad)
                bw_put_style(out->file, BW_STYLE_OFF);
        }
        fputc('\n', out->file);
    }
}

static int longest_cell(bw_sweep *sweep, bool degree)
{
    size_t most = 1;
    for (size_t i = 0; i < sweep->count; i++) {
        size_t length =
            strlen(bw_words_number(&sweep->arena, shown_of(&sweep->points[i], degree), DECIMALS));
        most = length > most ? length : most;
        length = strlen(bw_arena_format(&sweep->arena, "%" PRId64, bw_sweep_value(sweep, 0, i)));
        most = length > most ? length : most;
    }
    return (int)most + 1;
}

static void map_text(bw_sweep *sweep, const bw_output *out, bool degree)
{
    const bw_range *across = &sweep->ranges[0], *down = &sweep->ranges[1];
    int cell = longest_cell(sweep, degree), label = (int)strlen(down->name);
    const char *last = bw_arena_format(&sweep->arena, "%" PRId64, down->to);
    const char *first = bw_arena_format(&sweep->arena, "%" PRId64, down->from);
    label = (int)strlen(last) > label ? (int)strlen(last) : label;
    label = (int)strlen(first) > label ? (int)strlen(first) : label;
    int room = (int)out->width - label - 4 - (int)strlen(across->name);
    size_t block = room > cell ? (size_t)(room / cell) : 1;
    fprintf(out->file, "%s\n", degree ? "Degree (1 is free of conflicts):" : "Wavefronts:");
    for (size_t from = 0; from < across->count; from += block) {
        size_t end = from + block < across->count ? from + block : across->count;
        fputc('\n', out->file);
        map_block(sweep, out, degree, from, end, cell, label);
    }
}

/* ---- text ---- */

/* "STRIDE at 1, 2, 4 and 8" */
static const char *list_text(bw_sweep *sweep, const bw_range *range)
{
    enum { MOST = 8 };
    size_t shown = range->count <= MOST ? range->count : MOST - 1;
    const char *text =
        bw_arena_format(&sweep->arena, "%s at %" PRId64, range->name, range->values[0]);
    for (size_t i = 1; i < shown; i++)
        text = bw_arena_format(&sweep->arena, "%s%s%" PRId64, text,
                               i + 1 == range->count ? " and " : ", ", range->values[i]);
    if (shown < range->count)
        text = bw_arena_format(&sweep->arena, "%s and %zu more", text, range->count - shown);
    return text;
}

static const char *range_text(bw_sweep *sweep, unsigned which)
{
    const bw_range *range = &sweep->ranges[which];
    if (!range->step)
        return list_text(sweep, range);
    const char *step =
        range->step == 1 ? "" : bw_arena_format(&sweep->arena, " by %" PRId64, range->step);
    return bw_arena_format(&sweep->arena, "%s from %" PRId64 " to %" PRId64 "%s", range->name,
                           range->from, range->to, step);
}

static const char *heading(bw_sweep *sweep)
{
    const char *line = sweep->line ? bw_arena_format(&sweep->arena, ":%s", sweep->line) : "";
    const char *second =
        sweep->range_count > 1 ? bw_arena_format(&sweep->arena, ", %s", range_text(sweep, 1)) : "";
    return bw_arena_format(&sweep->arena, "%s%s: %s%s, %s", sweep->input.source.name, line,
                           range_text(sweep, 0), second, bw_sweep_arch(sweep)->name);
}

static const char *basis_text(const bw_sweep *sweep)
{
    const char *arch = bw_sweep_arch(sweep)->name;
    switch (sweep->basis) {
    case BW_BASIS_MEASURED:
        return bw_arena_format((bw_arena *)&sweep->arena, "measured on %s", arch);
    case BW_BASIS_ASSUMED:
        return bw_arena_format((bw_arena *)&sweep->arena,
                               "measured on %s, some or all assumed here",
                               bw_measured_archs((bw_arena *)&sweep->arena));
    default: return "as NVIDIA documents them, never measured by this project";
    }
}

static void sweep_text(result *to, const bw_output *out)
{
    bw_sweep *sweep = to->sweep;
    bool notes = !sweep->args->values[BW_OPTION_QUIET].given;
    if (notes)
        fprintf(out->file, "%s\n\n", heading(sweep));
    if (sweep->range_count == 1) {
        comb_text(to, out);
        if (notes)
            degrees_text(sweep, out);
    } else {
        map_text(sweep, out, true);
        fputc('\n', out->file);
        map_text(sweep, out, false);
    }
    if (notes) {
        if (sweep->failed && sweep->range_count > 1)
            fputs("\n-: the pattern fails there.\n", out->file);
        if (sweep->random)
            fputs("\nRandom: counts are means over the trials, degrees the largest.\n", out->file);
        fprintf(out->file, "%sRules: %s.\n", sweep->range_count > 1 && !sweep->random ? "\n" : "",
                basis_text(sweep));
    }
}

/* ---- CSV ---- */

static void sweep_csv(const result *to, FILE *out)
{
    const bw_field fields[] = {BW_FIELD(to->sweep->ranges[0].name, ".1", BW_ROLE_PLAIN),
                               BW_FIELD(to->sweep->ranges[1].name, ".2", BW_ROLE_PLAIN),
                               BW_SAME("degree"),
                               BW_SAME("degree_mean"),
                               BW_SAME("requests"),
                               BW_SAME("wavefronts"),
                               BW_SAME("ideal"),
                               BW_SAME("excessive"),
                               BW_SAME("cycles")};
    enum { COLUMNS = sizeof fields / sizeof *fields };
    bw_field shown[COLUMNS];
    size_t count = 0;
    for (size_t i = 0; i < COLUMNS; i++)
        if (i != 1 || to->sweep->range_count > 1)
            shown[count++] = fields[i];
    bw_csv_header(shown, count, out);
    rows at = rows_of(to);
    for (const bw_node *row; (row = next_row(&at));)
        bw_csv_row(shown, count, row, NULL, out);
}

/* ---- the command ---- */

static void write_sweep(bw_sweep *sweep, const bw_output *out)
{
    const bw_value *values = sweep->args->values;
    if (values[BW_OPTION_SVG].given) {
        bw_plot_svg(sweep, out->file, heading(sweep));
        return;
    }
    result to = {.sweep = sweep};
    collect(&to, out);
    switch ((bw_format)values[BW_OPTION_FORMAT].number) {
    case BW_FORMAT_JSON: bw_node_json(to.document, out->file, BW_JSON_INDENTED); break;
    case BW_FORMAT_CSV: sweep_csv(&to, out->file); break;
    default: sweep_text(&to, out); break;
    }
}

/* A line without accesses would be a sweep of nothing. */
static bool has_requests(const bw_sweep *sweep)
{
    for (size_t i = 0; i < sweep->count; i++)
        if (sweep->points[i].requests > 0)
            return true;
    if (sweep->line)
        bw_complain(BW_MSG_NOTHING_SELECTED, "'bankwise predict' lists the lines that have one",
                    "sweep: no access on line %s", sweep->line);
    return !sweep->line;
}

bw_exit bw_run_sweep(const bw_args *args)
{
    bw_output output;
    bw_sweep sweep;
    if (args->values[BW_OPTION_SVG].given && args->values[BW_OPTION_FORMAT].given) {
        bw_complain(BW_MSG_OPTION_CONFLICT, "leave one of them out", "--format with --svg");
        return BW_EXIT_USAGE;
    }
    if (!bw_output_open(&output, args))
        return BW_EXIT_USAGE;
    bool watched = isatty(STDERR_FILENO) && !args->values[BW_OPTION_QUIET].given;
    bw_exit code = bw_sweep_open(&sweep, args);
    if (code == BW_EXIT_DONE &&
        (!bw_sweep_run(&sweep, watched ? show_progress : NULL) || !has_requests(&sweep)))
        code = BW_EXIT_USAGE;
    bool good = code == BW_EXIT_DONE;
    if (good) {
        write_sweep(&sweep, &output);
        code = sweep.failed ? BW_EXIT_FINDING : BW_EXIT_DONE;
    }
    bw_sweep_close(&sweep);
    return bw_output_close(&output, good, code);
}
