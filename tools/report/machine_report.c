/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "time_report.h"
#include "wrap.h"

bool bw_report_is_machine(const bw_report *report)
{
    const bw_instruction *instructions;
    return bw_program_instructions(report->session->program, &instructions) > 0;
}

/* ---- names ---- */

const char *bw_access_label(bw_arena *arena, const bw_access *access)
{
    const bw_instruction *i = access->instruction;
    return i ? bw_arena_format(arena, "0x%04" PRIx32, i->address)
             : bw_arena_format(arena, "%u", access->line);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *bw_origin_text(bw_arena *arena, const bw_origin_line *line)
{
    const char *text = NULL;
    for (; line; line = line->inlined_at)
        text = bw_arena_format(arena, "%s%s%s:%u", text ? text : "", text ? " inlined at " : "",
                               base_name(line->file), line->line);
    return text;
}

const char *bw_access_where(bw_arena *arena, const bw_access *access)
{
    const bw_instruction *i = access->instruction;
    if (!i)
        return bw_arena_format(arena, "Line %u", access->line);
    const char *place = bw_origin_text(arena, i->place);
    return bw_arena_format(arena, "Instruction 0x%04" PRIx32 "%s%s%s", i->address,
                           place ? " (" : "", place ? place : "", place ? ")" : "");
}

/* ---- by source line ---- */

static bool same_place(const bw_origin_line *a, const bw_origin_line *b)
{
    for (; a && b; a = a->inlined_at, b = b->inlined_at)
        if (a->line != b->line || strcmp(a->file, b->file) != 0)
            return false;
    return !a && !b;
}

/* The rows of one place in the source, and of which row it is the first. */
typedef struct line_sum {
    const bw_origin_line *place;
    bw_counts sum;
    size_t instructions;
} line_sum;

static int by_place(const void *left, const void *right)
{
    const bw_origin_line *a = ((const line_sum *)left)->place,
                         *b = ((const line_sum *)right)->place;
    for (; a && b; a = a->inlined_at, b = b->inlined_at) {
        int files = strcmp(a->file, b->file);
        if (files || a->line != b->line)
            return files ? files : a->line < b->line ? -1 : 1;
    }
    return (a != NULL) - (b != NULL);
}

static size_t sum_lines(const bw_report *report, line_sum *lines)
{
    size_t count = 0;
    for (size_t i = 0; i < report->count; i++) {
        const bw_instruction *from = report->rows[i].access->instruction;
        size_t k = 0;
        if (!from || !from->place)
            continue;
        while (k < count && !same_place(lines[k].place, from->place))
            k++;
        if (k == count)
            lines[count++] = (line_sum){.place = from->place};
        bw_counts_add(&lines[k].sum, &report->rows[i].sum);
        lines[k].instructions++;
    }
    qsort(lines, count, sizeof *lines, by_place);
    return count;
}

static const char *text_of(bw_arena *arena, const bw_origin_line *line)
{
    const char *text = bw_origin_text(arena, line);
    return text ? text : "";
}

/* For the text: a row for each line of the source. */
static void put_lines(bw_node *parent, const bw_report *report)
{
    double all = (double)report->sum.wavefronts;
    line_sum *lines = bw_calloc(report->count + 1, sizeof *lines);
    size_t count = sum_lines(report, lines);
    bw_node *array = bw_put_array(parent, ".lines");
    for (size_t i = 0; i < count; i++) {
        const line_sum *line = &lines[i];
        bw_node *to = bw_put_object(array, NULL);
        BW_PUT(
            to,
            BW_M("line", bw_arena_format(to->arena, "%s:%u", base_name(line->place->file),
                                         line->place->line)),
            BW_M("instructions", line->instructions), BW_M("wavefronts", line->sum.wavefronts),
            BW_M("ideal", line->sum.ideal), BW_M("excessive", bw_counts_excessive(&line->sum)),
            BW_M(".share", bw_arena_format(to->arena, "%.1f%%",
                                           all > 0 ? 100 * (double)line->sum.wavefronts / all : 0)),
            BW_M("inlined_at", text_of(to->arena, line->place->inlined_at)));
    }
    free(lines);
}

static const bw_field line_columns[] = {
    BW_FIELD("source line", "line", BW_ROLE_TEXT),
    BW_FIELD("instructions", "instructions", BW_ROLE_COUNT, .optional = 1),
    BW_FIELD("wavefronts", "wavefronts", BW_ROLE_COUNT),
    BW_FIELD("ideal", "ideal", BW_ROLE_COUNT),
    BW_FIELD("excess", "excessive", BW_ROLE_COUNT),
    BW_FIELD("share", ".share", BW_ROLE_CELL),
    BW_FIELD("inlined at", "inlined_at", BW_ROLE_TEXT, .flexible = true),
};

void bw_machine_lines(const bw_writer *writer, const bw_node *document)
{
    const bw_node *lines = bw_node_at(document, ".lines");
    if (!lines || !lines->count)
        return;
    bw_grid *grid = bw_grid_create(line_columns, sizeof line_columns / sizeof *line_columns);
    for (const bw_node *line = lines->first; line; line = line->next)
        bw_grid_row(grid, line, BW_ROW_PLAIN);
    fputc('\n', writer->out);
    bw_grid_print(grid, writer->out, writer->width, writer->colour);
}

/* ---- sentences ---- */

/* Sums of what the table of accesses does not have. */
typedef struct apart {
    uint64_t unpriced, matrix_quarters;
    const char *unpriced_names;
} apart;

/* "LDGSTS" of "@P0 LDGSTS.E.128 [R3], ...". */
static const char *opcode_of(bw_arena *arena, const char *text)
{
    if (*text == '@')
        text += strcspn(text, " ");
    text += strspn(text, " ");
    return bw_arena_copy(arena, text, strcspn(text, ". ;"));
}

static apart sum_apart(bw_arena *arena, const bw_report *report)
{
    const bw_instruction *all;
    size_t count = bw_program_instructions(report->session->program, &all);
    apart a = {.unpriced_names = ""};
    for (size_t i = 0; i < count; i++) {
        a.matrix_quarters += all[i].matrix_quarters;
        a.unpriced += all[i].unpriced;
        const char *name = opcode_of(arena, all[i].text);
        if (all[i].unpriced && !strstr(a.unpriced_names, name))
            a.unpriced_names = bw_arena_format(arena, "%s%s%s", a.unpriced_names,
                                               *a.unpriced_names ? ", " : "", name);
    }
    return a;
}

static const char *spread_text(bw_arena *arena, const bw_report *report)
{
    return bw_arena_format(arena,
                           "A block made %" PRIu64 " to %" PRIu64 " requests, of %" PRIu64
                           " to %" PRIu64 " wavefronts",
                           report->run.least, report->run.most, report->blocks.least,
                           report->blocks.most);
}

static const char *blocks_text(bw_arena *arena, const bw_report *report)
{
    const bw_run *run = &report->run;
    bool differ = run->least < run->most || report->blocks.least < report->blocks.most;
    const uint32_t *grid = report->launch->grid;
    uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    const char *what =
        bw_arena_format(arena, "Executed: %" PRIu64 " warp instructions", run->steps);
    if (run->sampled)
        return bw_arena_format(
            arena,
            "%s, of %" PRIu64 " of %" PRIu64 " blocks, chosen evenly, as the "
            "budget of steps did not suffice: counts are estimates. %s; --max-steps raises the "
            "budget.",
            what, run->blocks_evaluated, blocks, spread_text(arena, report));
    if (run->blocks_evaluated < blocks)
        return bw_arena_format(arena,
                               "%s, of %" PRIu64 " of %" PRIu64
                               " blocks; the others do as one of these; counts are for all.%s%s",
                               what, run->blocks_evaluated, blocks, differ ? " " : "",
                               differ ? bw_arena_format(arena, "%s.", spread_text(arena, report))
                                      : "");
    return differ ? bw_arena_format(arena, "%s. %s.", what, spread_text(arena, report))
                  : bw_arena_format(arena, "%s.", what);
}

static void say(const bw_writer *writer, const char *sentence)
{
    bw_print_wrapped(writer->out, writer->width, 0, sentence);
}

void bw_machine_notes(const bw_writer *writer, const bw_report *report)
{
    bw_arena arena = {NULL};
    const bw_run *run = &report->run;
    apart a = sum_apart(&arena, report);
    say(writer, blocks_text(&arena, report));
    const char *time = bw_time_text(&arena, report);
    if (time)
        say(writer, time);
    if (run->unknown)
        say(writer,
            bw_arena_format(&arena,
                            "Unknown: %" PRIu64 " branches on values that are not known were "
                            "stepped over; no shared access and no barrier depends on them.",
                            run->unknown));
    if (run->approximate)
        say(writer, "Approximate: a result that cards round in a way of their own reached an "
                    "address or a branch; a count may be off where it lies on an edge.");
    if (run->ordered)
        say(writer, "Order: what an atomic returned, or a race left, reached an address or a "
                    "branch; lanes and warps were taken in order, as a card need not.");
    if (a.unpriced)
        say(writer, bw_arena_format(&arena,
                                    "Counted apart: %" PRIu64 " requests of %s, for which no rule "
                                    "is measured; they are not in the table.",
                                    a.unpriced, a.unpriced_names));
    if (a.matrix_quarters)
        say(writer, bw_arena_format(&arena,
                                    "Counted apart: matrix instructions read shared memory "
                                    "themselves, %.6g wavefronts, which are not in the table.",
                                    (double)a.matrix_quarters / 4));
    bw_arena_finish(&arena);
}

/* ---- the document ---- */

static void put_places(bw_node *parent, const bw_origin_line *line)
{
    bw_node *list = bw_put_array(parent, "places");
    for (; line; line = line->inlined_at)
        BW_PUT(bw_put_object(list, NULL), BW_M("file", line->file), BW_M("line", line->line));
}

void bw_machine_put_access(bw_node *to, const bw_access *access)
{
    const bw_instruction *i = access->instruction;
    if (!i)
        return;
    BW_PUT(to, BW_M("address", i->address), BW_M("executed", i->executed),
           BW_M("threads", i->threads), BW_M(".address", bw_access_label(to->arena, access)),
           BW_M(".place", bw_origin_text(to->arena, i->place)));
    if (i->place)
        put_places(to, i->place);
}

static void put_instruction(bw_node *parent, const bw_instruction *i)
{
    bw_node *to = bw_put_object(parent, NULL);
    BW_PUT(to, BW_M("address", i->address), BW_M("line", i->line), BW_M("text", i->text),
           BW_M("executed", i->executed), BW_M("threads", i->threads),
           BW_M("requests", i->requests));
    if (i->unpriced)
        bw_put_integer(to, "unpriced", (int64_t)i->unpriced);
    if (i->matrix_quarters)
        bw_put_real(to, "matrix_wavefronts", (double)i->matrix_quarters / 4);
    if (i->unmodelled)
        bw_put_text(to, "unmodelled", i->unmodelled);
    if (i->place)
        put_places(to, i->place);
}

void bw_machine_put(bw_node *parent, const bw_report *report)
{
    const bw_instruction *all;
    const bw_run *run = &report->run;
    size_t count = bw_program_instructions(report->session->program, &all);
    if (!count)
        return;
    bw_node *to = bw_put_object(parent, "machine");
    BW_PUT(to, BW_M("steps", run->steps), BW_M("folded", run->scaled),
           BW_M("sampled", run->sampled), BW_M("skipped_branches", run->unknown),
           BW_M("approximate", run->approximate), BW_M("order_matters", run->ordered),
           BW_M("block_requests_min", run->least), BW_M("block_requests_max", run->most),
           BW_M("block_wavefronts_min", report->blocks.least),
           BW_M("block_wavefronts_max", report->blocks.most));
    bw_time_put(parent, report);
    bw_node *list = bw_put_array(parent, "instructions");
    for (size_t i = 0; i < count; i++)
        put_instruction(list, &all[i]);
    put_lines(parent, report);
}
