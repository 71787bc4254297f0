/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fix_report.h"

#include <inttypes.h>
#include <jansson.h>

#include "report.h"
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

void bw_lane_text(const bw_lane_report *report)
{
    bw_arena arena = {NULL};
    const bw_access *accesses;
    bw_program_accesses(report->session->program, &accesses);
    for (size_t i = 0; i < report->maps->count; i++) {
        const bw_lane_map *map = &report->maps->items[i];
        const bw_access *a = &accesses[map->access];
        bw_print_wrapped(report->out, report->width, 2,
                         bw_arena_format(&arena,
                                         "line %u, %s: %" PRIu64 " wavefronts a block, %" PRIu64
                                         " excessive",
                                         a->line, a->source, map->wavefronts, map->excessive));
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

static json_t *map_of(const bw_lane_report *report, const bw_lane_map *map)
{
    bw_arena arena = {NULL};
    const bw_access *accesses;
    bw_program_accesses(report->session->program, &accesses);
    json_t *object = json_pack(
        "{s:i,s:i,s:o,s:I,s:I,s:I,s:o,s:o,s:o}", "line", (int)accesses[map->access].line, "column",
        (int)accesses[map->access].column, "source", bw_json_text(accesses[map->access].source),
        "wavefronts", (json_int_t)map->wavefronts, "excessive", (json_int_t)map->excessive,
        "searched", (json_int_t)map->tried, "why", bw_json_text(map->why), "lanes", json_null(),
        "skew", json_null());
    if (chosen_helps(map))
        json_object_set_new(object, "lanes",
                            json_pack("{s:s,s:I,s:I}", "bits", lane_bits(&arena, report, map),
                                      "wavefronts", (json_int_t)map->chosen_wavefronts, "excessive",
                                      (json_int_t)map->chosen_excessive));
    if (map->skewed)
        json_object_set_new(object, "skew",
                            json_pack("{s:s,s:I,s:I}", "bits", skew_text(&arena, report, map),
                                      "wavefronts", (json_int_t)map->skewed_wavefronts, "excessive",
                                      (json_int_t)map->skewed_excessive));
    bw_arena_finish(&arena);
    return object;
}

void bw_lane_json(const bw_lane_report *report)
{
    json_t *maps = json_array();
    for (size_t i = 0; i < report->maps->count; i++)
        json_array_append_new(maps, map_of(report, &report->maps->items[i]));
    json_t *document = json_pack("{s:s,s:o,s:s,s:o}", "schema", "bankwise.lanes/1", "file",
                                 bw_json_text(report->session->input.source.name), "arch",
                                 report->args->values[BW_OPTION_ARCH].arch->name, "accesses", maps);
    json_dumpf(document, report->out, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    fputc('\n', report->out);
    json_decref(document);
}
