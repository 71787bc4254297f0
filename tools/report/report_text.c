/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"

#include <inttypes.h>
#include <string.h>

#include "exact.h"
#include "layout_report.h"
#include "machine_report.h"
#include "reason.h"
#include "wording.h"
#include "wrap.h"

/* What a text report is made with. */
typedef struct text {
    FILE *out;
    const bw_report *report;
    const bw_node *document; /* of it */
    bw_arena arena;
    unsigned width;
    bool colour;
    bool notes;    /* sentences under the table */
    bool counters; /* --metrics ncu */
} text;

#define COLUMNS 11
static const bw_field columns[COLUMNS] = {
    BW_FIELD("line", ".line", BW_ROLE_CELL),
    BW_FIELD("op", ".op", BW_ROLE_TEXT),
    BW_FIELD("degree", "degree", BW_ROLE_WAYS),
    BW_FIELD("mean", "degree_mean", BW_ROLE_FIXED, .digits = 2, .optional = 3),
    BW_FIELD("requests", "requests", BW_ROLE_COUNT, .optional = 2),
    BW_FIELD("wavefronts", "wavefronts", BW_ROLE_COUNT),
    BW_FIELD("ideal", "ideal", BW_ROLE_COUNT),
    BW_FIELD("excess", "excessive", BW_ROLE_COUNT),
    BW_FIELD("share", ".share", BW_ROLE_PERCENT),
    BW_FIELD("cycles", "cycles", BW_ROLE_COUNT, .optional = 1),
    BW_FIELD("source", ".source", BW_ROLE_TEXT, .flexible = true),
};

/* A mean over trials; of a single run a whole number. */
static const char *count_text(text *to, uint64_t sum)
{
    if (to->report->trials == 1)
        return bw_arena_format(&to->arena, "%" PRIu64, sum);
    return bw_arena_format(&to->arena, "%.1f", bw_report_mean(to->report, sum));
}

/* ---- what was run ---- */

static const char *parameter_text(text *to, const bw_parameter *parameter)
{
    if (parameter->is_float)
        return bw_arena_format(&to->arena, "%s=%g", parameter->name, parameter->real);
    return bw_arena_format(&to->arena, "%s=%" PRId64, parameter->name, parameter->integer);
}

/* Words parted by ", ", broken where a line would be wider than the terminal. */
static void print_list(text *to, const char *const *words, size_t count)
{
    unsigned column = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned width = bw_text_width(words[i]);
        if (column && column + width + 3 > to->width) {
            fputs(",\n  ", to->out);
            column = 2;
        } else if (i) {
            fputs(", ", to->out);
            column += 2;
        }
        fputs(words[i], to->out);
        column += width;
    }
    fputc('\n', to->out);
}

static void print_wrapped(text *to, unsigned indent, const char *sentence)
{
    bw_print_wrapped(to->out, to->width, indent, sentence);
}

static void print_title(text *to)
{
    const bw_report *report = to->report;
    const char *title = bw_program_title(report->session->program);
    const char *name = report->session->input.source.name;
    bw_print_strong(to->out, to->colour, name);
    bool fits = title && bw_text_width(name) + bw_text_width(title) + 2 <= to->width;
    if (fits)
        fprintf(to->out, ": %s", title);
    fputc('\n', to->out);
    if (title && !fits)
        print_wrapped(to, 0, title);
}

/* Names of template instances can be longer than a screen. */
static const char *kernel_text(text *to, const char *name)
{
    unsigned room = to->width > 20 ? to->width - 12 : 8;
    bool cut = bw_report_is_machine(to->report) && bw_text_width(name) > room;
    return cut ? bw_arena_format(&to->arena, "kernel %.*s...", (int)room, name)
               : bw_arena_format(&to->arena, "kernel %s", name);
}

static void print_what(text *to)
{
    const bw_report *report = to->report;
    const bw_launch *launch = report->launch;
    const bw_parameter *parameters;
    size_t count = bw_program_parameters(report->session->program, &parameters), n = 0;
    const char **words = bw_arena_alloc(&to->arena, (count + 8) * sizeof *words);
    if (bw_input_is_stream(&report->session->input)) { /* of no block that is known */
        words[n++] = bw_arena_format(&to->arena, "request stream, %s requests",
                                     count_text(to, report->sum.requests));
        words[n++] = report->arch->name;
        print_list(to, words, n);
        return;
    }
    words[n++] = launch->kernel ? kernel_text(to, launch->kernel) : "script";
    if (report->launch_count > 1)
        words[n - 1] = bw_arena_format(&to->arena, "%s (launch %zu of %zu)", words[n - 1],
                                       report->launch_index + 1, report->launch_count);
    words[n++] = bw_arena_format(&to->arena, "block %s", bw_words_shape(&to->arena, launch->block));
    words[n++] = bw_arena_format(&to->arena, "grid %s", bw_words_shape(&to->arena, launch->grid));
    if (launch->shared_bytes || !bw_report_is_machine(report)) /* which does not say it */
        words[n++] = bw_arena_format(&to->arena, "%u bytes shared", launch->shared_bytes);
    words[n++] = report->arch->name;
    for (size_t i = 0; i < count; i++)
        words[n++] = parameter_text(to, &parameters[i]);
    print_list(to, words, n);
}

/* ---- the table ---- */

static void print_table(text *to)
{
    bw_field fields[COLUMNS];
    memcpy(fields, columns, sizeof fields);
    if (bw_report_is_machine(to->report)) { /* whose accesses are instructions */
        fields[0].title = "address";
        fields[COLUMNS - 1].title = "instruction";
    }
    for (size_t i = 0; to->report->trials > 1 && i < COLUMNS; i++)
        if (fields[i].role == BW_ROLE_COUNT) { /* means, of which few are whole */
            fields[i].role = BW_ROLE_FIXED;
            fields[i].digits = 1;
        }
    bw_grid *grid = bw_grid_create(fields, COLUMNS);
    size_t index = 0;
    for (const bw_node *row = bw_node_at(to->document, "accesses")->first; row; row = row->next)
        bw_grid_row(grid, row, index++ == to->report->worst ? BW_ROW_ALERT : BW_ROW_PLAIN);
    bw_grid_rule(grid);
    bw_grid_row(grid, bw_node_at(to->document, "total"), BW_ROW_STRONG);
    bw_grid_print(grid, to->out, to->width, to->colour);
}

/* ---- trials ---- */

static const bw_field spread_columns[] = {
    BW_FIELD("line", ".line", BW_ROLE_CELL),
    BW_FIELD("op", ".op", BW_ROLE_TEXT),
    BW_FIELD("quantity", ".quantity", BW_ROLE_TEXT),
    BW_FIELD("mean", "mean", BW_ROLE_FIXED, .digits = 2),
    BW_FIELD("+-", "standard_error", BW_ROLE_FIXED, .digits = 2),
    BW_FIELD("min", "min", BW_ROLE_SIGNIFICANT, .digits = 6),
    BW_FIELD("5%", "q05", BW_ROLE_SIGNIFICANT, .digits = 6),
    BW_FIELD("50%", "q50", BW_ROLE_SIGNIFICANT, .digits = 6),
    BW_FIELD("95%", "q95", BW_ROLE_SIGNIFICANT, .digits = 6),
    BW_FIELD("max", "max", BW_ROLE_SIGNIFICANT, .digits = 6),
    BW_FIELD("source", ".source", BW_ROLE_TEXT, .optional = 1),
};

static bool varies(const bw_spread *spread)
{
    return spread->min < spread->max;
}

static size_t add_spreads(text *to, bw_grid *grid)
{
    const bw_node *access = bw_node_at(to->document, "accesses")->first;
    size_t varying = 0;
    for (size_t i = 0; access; access = access->next, i++) {
        const bw_report_row *row = &to->report->rows[i];
        if (!varies(&row->wavefront_spread) && !varies(&row->degrees))
            continue;
        varying++;
        bw_grid_row(grid, bw_node_at(access, "distribution/wavefronts"), BW_ROW_PLAIN);
        bw_grid_row(grid, bw_node_at(access, "distribution/degree"), BW_ROW_PLAIN);
    }
    return varying;
}

static void print_spreads(text *to)
{
    bw_grid *grid = bw_grid_create(spread_columns, sizeof spread_columns / sizeof *spread_columns);
    const bw_report *report = to->report;
    const uint32_t *shape = report->launch->grid;
    fprintf(to->out,
            "\nRandom: counts are means over %u trials, degrees the largest (seed %" PRIu32 ").\n",
            report->trials, report->seed);
    if (report->sampled)
        print_wrapped(
            to, 0,
            bw_arena_format(
                &to->arena,
                "An estimate: each trial ran %" PRIu64 " of %" PRIu64 " blocks, drawn anew, in the "
                "place of all; +- is the standard error of the mean. --trials N runs all, N times.",
                report->sampled, (uint64_t)shape[0] * shape[1] * shape[2]));
    else if (report->trials > 1)
        fputs("+- is the standard error of the mean.\n", to->out);
    if (!add_spreads(to, grid)) {
        fputs("No access varies between them.\n", to->out);
        bw_grid_destroy(grid);
        return;
    }
    bw_grid_row(grid, bw_node_at(to->document, "total/distribution/wavefronts"), BW_ROW_PLAIN);
    fputc('\n', to->out);
    bw_grid_print(grid, to->out, to->width, to->colour);
}

/* ---- sentences ---- */

size_t bw_text_code_length(const char *line, size_t length, size_t from)
{
    for (size_t i = from; i + 1 < length; i++)
        if (line[i] == '/' && line[i + 1] == '/')
            length = i;
    while (length > from && line[length - 1] == ' ')
        length--;
    return length;
}

static void print_instruction(FILE *out, const bw_instruction *i)
{
    bw_arena arena = {NULL};
    const char *place = bw_origin_text(&arena, i->place);
    fprintf(out, "\n  0x%04" PRIx32 " | %s\n", i->address, i->text);
    if (place)
        fprintf(out, "         | %s\n", place);
    bw_arena_finish(&arena);
}

bool bw_text_access(FILE *out, const bw_source *source, const bw_access *access, unsigned width)
{
    size_t length;
    if (access->instruction) {
        print_instruction(out, access->instruction);
        return true;
    }
    const char *line = bw_source_line(source, access->line, &length);
    size_t end = access->column - 1 + access->span.len;
    size_t room = width > 10 ? width - 10 : 0;
    if (end > length || end > room || memchr(line, '\t', length))
        return false;
    length = bw_text_code_length(line, length, end);
    if (length > room) {
        length = room;
        while (length && ((unsigned char)line[length] & 0xC0) == 0x80)
            length--; /* not within a character */
    }
    fprintf(out, "\n%6u | %.*s\n       | ", access->line, (int)length, line);
    for (unsigned i = 1; i < access->column; i++)
        fputs(((unsigned char)line[i - 1] & 0xC0) != 0x80 ? " " : "", out);
    for (unsigned i = 0; i < access->span.len; i++)
        fputs(i ? "~" : "^", out);
    fputc('\n', out);
    return true;
}

static const char *excess_text(text *to, const bw_counts *sum)
{
    const char *all = count_text(to, bw_counts_excessive(sum));
    if (!sum->excess_serial)
        return bw_arena_format(&to->arena, "%s excessive", all);
    if (!sum->excess_layout)
        return bw_arena_format(&to->arena, "%s excessive, all from serialised accesses", all);
    return bw_arena_format(&to->arena,
                           "%s excessive (%s by the layout, %s from serialised accesses)", all,
                           count_text(to, sum->excess_layout), count_text(to, sum->excess_serial));
}

static void print_verdict(text *to)
{
    const bw_report *report = to->report;
    if (report->count == 0) {
        fputs("\nNo request to shared memory was made.\n", to->out);
        return;
    }
    if (report->worst == report->count) {
        fputs(
            report->sum.at_least
                ? "\nNo excess that is known: every access takes its ideal number of wavefronts.\n"
                : "\nNo excess: every access takes its ideal number of wavefronts.\n",
            to->out);
        return;
    }
    const bw_report_row *row = &report->rows[report->worst];
    bool most = 2 * bw_counts_excessive(&row->sum) > bw_counts_excessive(&report->sum);
    if (!row->access->instruction) /* its text is in the table */
        bw_text_access(to->out, &report->session->input.source, row->access, to->width);
    fputc('\n', to->out);
    print_wrapped(
        to, 0,
        bw_arena_format(
            &to->arena, "%s %s: %s of %s wavefronts, %s.", bw_access_where(&to->arena, row->access),
            most ? "dominates" : "has the most excess", count_text(to, row->sum.wavefronts),
            count_text(to, report->sum.wavefronts), excess_text(to, &row->sum)));
    const char *reason = bw_reason(&to->arena, report->arch, &row->worst);
    if (reason)
        print_wrapped(to, 0, bw_arena_format(&to->arena, "Why: %s.", reason));
}

/* Which rows rest on less than the report's best, by operation, each once. */
static const char *weak_operations(text *to, bw_basis basis)
{
    const bw_report *report = to->report;
    const char *list = "";
    for (size_t i = 0; i < report->count; i++) {
        bool known = false;
        for (size_t j = 0; j < i; j++)
            known |= strcmp(bw_row_op(&report->rows[i]), bw_row_op(&report->rows[j])) == 0;
        if (report->rows[i].basis == basis && !known)
            list = bw_arena_format(&to->arena, "%s%s%s", list, *list ? ", " : "",
                                   bw_row_op(&report->rows[i]));
    }
    return list;
}

static void print_basis(text *to)
{
    const bw_report *report = to->report;
    const char *arch = report->arch->name;
    const char *sentence = NULL;
    if (report->count == 0)
        return;
    if (report->basis == BW_BASIS_MEASURED)
        sentence = bw_arena_format(&to->arena, "Rules: measured on %s.", arch);
    else if (report->basis == BW_BASIS_DOCUMENTED)
        sentence = bw_arena_format(
            &to->arena, "Rules: as NVIDIA documents %s; never measured by this project.", arch);
    else if (bw_card_of(report->arch))
        sentence = bw_arena_format(&to->arena,
                                   "Rules: measured on %s, but those of %s are assumed from "
                                   "like operations.",
                                   arch, weak_operations(to, BW_BASIS_ASSUMED));
    else
        sentence = bw_arena_format(&to->arena, "Rules: measured on %s, assumed for %s.",
                                   bw_measured_archs(&to->arena), arch);
    print_wrapped(to, 0, sentence);
}

/* Loops that go by values, which a request does not carry: the count is for values that change. */
static void print_values(text *to)
{
    const bw_report *report = to->report;
    for (size_t i = 0; i < report->count; i++) {
        const bw_report_row *row = &report->rows[i];
        if (row->sum.wavefronts_staying == row->sum.wavefronts)
            continue;
        print_wrapped(to, 0,
                      bw_arena_format(&to->arena,
                                      "%s: both halves of a warp share addresses. %s counts "
                                      "operations that each change the value; where each leaves "
                                      "it as it was, the loop takes %s wavefronts.",
                                      bw_access_where(&to->arena, row->access),
                                      count_text(to, row->sum.wavefronts),
                                      count_text(to, row->sum.wavefronts_staying)));
    }
}

/* Copies through L1 whose sources are not known. */
static void print_sources_unknown(text *to)
{
    const bw_report *report = to->report;
    const char *first = NULL;
    unsigned count = 0;
    for (size_t i = 0; i < report->count; i++)
        if (report->rows[i].sum.at_least) {
            first = first ? first : bw_access_where(&to->arena, report->rows[i].access);
            count++;
        }
    if (!count)
        return;
    const char *others = count > 1 ? bw_arena_format(&to->arena, " (and %u more)", count - 1) : "";
    print_wrapped(to, 0,
                  bw_arena_format(&to->arena,
                                  "%s%s: where the copy reads is not known; its wavefronts are "
                                  "those of its destinations, and so the least.",
                                  first, others));
}

/* Copies through L1 from arrays of which it is not known where they lie. */
static void print_places(text *to)
{
    const bw_report *report = to->report;
    for (size_t i = 0; i < report->count; i++) {
        const bw_report_row *row = &report->rows[i];
        uint64_t least, most;
        bw_counts_range(&row->sum, &least, &most);
        if (least != most)
            print_wrapped(to, 0,
                          bw_arena_format(&to->arena,
                                          "%s: where the array lies that is copied from is not "
                                          "known: %s wavefronts at a multiple of 4 GiB, %s to %s "
                                          "at %u places tried.",
                                          bw_access_where(&to->arena, row->access),
                                          count_text(to, row->sum.wavefronts),
                                          count_text(to, least), count_text(to, most), BW_PLACES));
    }
}

/* An estimate of what nvcc makes of a CUDA source; its machine code says it exactly. */
static void print_command(text *to)
{
    const bw_report *report = to->report;
    const char *command = bw_exact_command(&to->arena, report->session, report->launch, 0);
    if (command)
        fprintf(to->out, "Exact, from its machine code:\n  %s\n", command);
}

/* What nvcc may make of accesses of a thread to neighbouring words; with --join, that it is counted
 * so. */
static void print_joins(text *to)
{
    const bw_report *report = to->report;
    if (report->session->args->values[BW_OPTION_JOIN].given) {
        print_wrapped(to, 0, "Joined: neighbouring accesses of a thread count as nvcc joins them.");
        print_command(to);
        return;
    }
    const char *list = "";
    unsigned last = 0;
    for (size_t i = 0; i < report->count; i++) {
        const bw_access *a = report->rows[i].access;
        if (a->joins == a->op || a->line == last)
            continue;
        list = bw_arena_format(&to->arena, "%s%s %u to %s", list, *list ? "," : "", a->line,
                               bw_op_get(a->joins)->name);
        last = a->line;
    }
    if (!*list)
        return;
    print_wrapped(to, 0,
                  bw_arena_format(&to->arena,
                                  "Counted as written; nvcc may join neighbouring accesses of a "
                                  "thread (line%s), which --join predicts.",
                                  list));
    print_command(to);
}

static void print_scaling(text *to)
{
    const bw_launch *launch = to->report->launch;
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    if (to->report->run.scaled && blocks > 1)
        fprintf(to->out, "Blocks: %" PRIu64 " evaluated, %" PRIu64 " alike; counts are for all.\n",
                to->report->run.blocks_evaluated, blocks);
}

static void print_counters(text *to)
{
    const bw_counts *sum = &to->report->sum;
    fputs("\nNsight Compute would show, less its start-up wavefronts:\n", to->out);
    for (size_t i = 0; i < BW_REPORT_COUNTERS; i++)
        fprintf(to->out, "  %-52s %12s\n", bw_report_counter_name(i),
                count_text(to, bw_report_counter(sum, i)));
    if (sum->ncu_inexact)
        print_wrapped(to, 0,
                      bw_arena_format(&to->arena,
                                      "The memory_l1 values of %s request%s are approximate: that "
                                      "tool's arithmetic for them is not known.",
                                      count_text(to, sum->ncu_inexact),
                                      sum->ncu_inexact == 1 ? "" : "s"));
}

void bw_text_report(const bw_writer *writer, const bw_report *report, const bw_node *document)
{
    const bw_value *values = writer->args->values;
    text to = {
        .out = writer->out,
        .report = report,
        .document = document,
        .width = writer->width,
        .colour = writer->colour,
        .notes = !values[BW_OPTION_QUIET].given,
        .counters = values[BW_OPTION_METRICS].given,
    };
    if (writer->written)
        fputc('\n', to.out);
    if (to.notes) {
        print_title(&to);
        print_what(&to);
    }
    if (report->count) {
        fputs(to.notes ? "\n" : "", to.out);
        print_table(&to);
        bw_machine_lines(writer, document);
    }
    if (report->random)
        print_spreads(&to);
    if (to.counters)
        print_counters(&to);
    if (to.notes) {
        print_verdict(&to);
        bw_layout_text(to.out, to.width, report, NULL);
        print_values(&to);
        print_sources_unknown(&to);
        print_places(&to);
        print_basis(&to);
        print_joins(&to);
        if (bw_report_is_machine(report))
            bw_machine_notes(writer, report);
        else
            print_scaling(&to);
    }
    bw_arena_finish(&to.arena);
}
