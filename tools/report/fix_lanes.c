/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fix_report.h"

#include <inttypes.h>

#include "wrap.h"

/* "y0 y1 y2 i0 i1" */
static const char *lane_bits(bw_arena *arena, const bw_lane_report *report, const bw_lane_map *map)
{
    const bw_launch *launches;
    const char *text = "";
    bw_program_launches(report->session->program, &launches);
    for (unsigned i = 0; i < BW_LANE_BITS; i++)
        text = bw_arena_format(arena, "%s%s%s", text, i ? " " : "",
                               bw_element_bit(arena, map, &launches[map->launch], map->lane[i]));
    return text;
}

/* "lane bits x0 x1 … into i0 i1 …" */
static const char *skew_text(bw_arena *arena, const bw_lane_report *report, const bw_lane_map *map)
{
    const bw_launch *launches;
    const char *from = "", *to = "";
    unsigned shift = (unsigned)(map->skew_distance < 0 ? -map->skew_distance : map->skew_distance);
    bw_program_launches(report->session->program, &launches);
    for (unsigned i = 0; i < map->skew_bits; i++) {
        unsigned low = map->skew_base + i, high = low + shift;
        const bw_launch *launch = &launches[map->launch];
        from = bw_arena_format(
            arena, "%s%s%s", from, i ? " " : "",
            bw_element_bit(arena, map, launch, map->skew_distance < 0 ? low : high));
        to = bw_arena_format(
            arena, "%s%s%s", to, i ? " " : "",
            bw_element_bit(arena, map, launch, map->skew_distance < 0 ? high : low));
    }
    return bw_arena_format(arena, "XOR bits %s into bits %s", from, to);
}

static bool chosen_helps(const bw_lane_map *map)
{
    return map->chosen_wavefronts < map->wavefronts;
}

static void answer(const bw_lane_report *report, const char *words)
{
    fputs("  ", report->out);
    bw_print_wrapped(report->out, report->width - 2, 4, words);
}

static void print_answer(const bw_lane_report *report, const bw_lane_map *map, bw_arena *arena)
{
    if (map->why) {
        answer(report, bw_arena_format(arena, "not searched: %s.", map->why));
        return;
    }
    if (chosen_helps(map))
        answer(report,
               bw_arena_format(
                   arena, "lanes over bits %s: %" PRIu64 " wavefronts, %" PRIu64 " excessive.",
                   lane_bits(arena, report, map), map->chosen_wavefronts, map->chosen_excessive));
    if (map->skewed)
        answer(report,
               bw_arena_format(arena, "a skew, %s: %" PRIu64 " wavefronts, %" PRIu64 " excessive.",
                               skew_text(arena, report, map), map->skewed_wavefronts,
                               map->skewed_excessive));
    if (!chosen_helps(map) && !map->skewed)
        answer(report, bw_arena_format(arena,
                                       "none of %" PRIu64 " assignments costs less: change the "
                                       "layout.",
                                       map->tried));
}

static void write_text(const bw_lane_report *report)
{
    bw_arena arena = {NULL};
    const bw_access *accesses;
    bw_program_accesses(report->session->program, &accesses);
    for (size_t i = 0; i < report->maps->count; i++) {
        const bw_lane_map *map = &report->maps->items[i];
        const bw_access *a = &accesses[map->access];
        bw_print_wrapped(
            report->out, report->width, 2,
            bw_arena_format(&arena,
                            "line %u, %s: %" PRIu64 " wavefronts a block, %" PRIu64 " excessive",
                            a->line, bw_access_text(&arena, a), map->wavefronts, map->excessive));
        print_answer(report, map, &arena);
    }
    if (!report->maps->count)
        fprintf(report->out, "%s: no excess: there is nothing to fix\n",
                report->session->input.source.name);
    else if (!report->args->values[BW_OPTION_QUIET].given)
        bw_print_wrapped(
            report->out, report->width, 0,
            "x0 is the lowest bit of threadIdx.x, y0 of threadIdx.y, i0 of the "
            "iteration. Each access is looked at by itself: its global side moves too.");
    bw_arena_finish(&arena);
}

/* ---- JSON ---- */

static void put_answer(bw_node *parent, const char *name, bool found, const char *bits,
                       uint64_t wavefronts, uint64_t excessive)
{
    if (!found) {
        bw_put_null(parent, name);
        return;
    }
    bw_node *to = bw_put_object(parent, name);
    BW_PUT(to, BW_M("bits", bits), BW_M("wavefronts", wavefronts), BW_M("excessive", excessive));
}

static void put_map(bw_node *parent, const bw_lane_report *report, const bw_lane_map *map)
{
    const bw_access *accesses;
    bw_program_accesses(report->session->program, &accesses);
    const bw_access *access = &accesses[map->access];
    bool helps = chosen_helps(map);
    bw_node *to = bw_put_object(parent, NULL);
    BW_PUT(to, BW_M("line", access->line), BW_M("column", access->column),
           BW_M("source", access->source), BW_M("wavefronts", map->wavefronts),
           BW_M("excessive", map->excessive), BW_M("searched", map->tried), BW_M("why", map->why));
    put_answer(to, "lanes", helps, helps ? lane_bits(to->arena, report, map) : NULL,
               map->chosen_wavefronts, map->chosen_excessive);
    put_answer(to, "skew", map->skewed, map->skewed ? skew_text(to->arena, report, map) : NULL,
               map->skewed_wavefronts, map->skewed_excessive);
}

static void write_json(const bw_lane_report *report)
{
    bw_arena arena = {NULL};
    bw_node *document = bw_node_object(&arena);
    BW_PUT(document, BW_M("schema", "bankwise.lanes/1"),
           BW_M("file", report->session->input.source.name),
           BW_M("arch", report->args->values[BW_OPTION_ARCH].arch->name));
    bw_node *maps = bw_put_array(document, "accesses");
    for (size_t i = 0; i < report->maps->count; i++)
        put_map(maps, report, &report->maps->items[i]);
    bw_node_json(document, report->out, BW_JSON_INDENTED);
    bw_arena_finish(&arena);
}

void bw_lane_write(const bw_lane_report *report)
{
    if (report->args->values[BW_OPTION_FORMAT].number == BW_FORMAT_JSON)
        write_json(report);
    else
        write_text(report);
}
