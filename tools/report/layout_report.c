/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "layout_report.h"

#include <inttypes.h>
#include <string.h>

#include "machine_report.h"
#include "wording.h"
#include "wrap.h"

/* Instructions and lines that a sentence names. */
#define NAMED 6

static const char *const verdict_names[] = {[BW_REGION_CLEAN] = "clean",
                                            [BW_REGION_CURED] = "cured",
                                            [BW_REGION_PROVED] = "proved",
                                            [BW_REGION_OPEN] = "open"};

static bool is_of(const bw_report *report, const bw_report_row *row, const bw_region *region)
{
    const bw_access *accesses;
    bw_program_accesses(report->session->program, &accesses);
    return bw_region_of(report->regions, (size_t)(row->access - accesses)) == region;
}

/* ---- words ---- */

/* "neighbouring lanes 128 bytes apart" */
static const char *stride_text(bw_arena *arena, const bw_report_row *row)
{
    int64_t stride;
    uint32_t meeting = bw_request_meeting(&row->worst);
    if (bw_request_stride(&row->worst, &stride) && stride)
        return bw_arena_format(arena, "neighbouring lanes %" PRId64 " bytes apart", stride);
    if (meeting)
        return bw_arena_format(
            arena, "lanes that meet in a bank a multiple of %" PRIu32 " bytes apart", meeting);
    return "lanes at one word, in turn";
}

/* A line of a list under a sentence. */
static void item(FILE *out, unsigned width, const char *sentence)
{
    fputs("  ", out);
    bw_print_wrapped(out, width - 2, 4, sentence);
}

static const char *region_text(bw_arena *arena, const bw_region *region)
{
    return bw_arena_format(arena, "%s%s0x%04" PRIx32 " to 0x%04" PRIx32 " of shared memory%s",
                           region->name ? region->name : "", region->name ? " (" : "", region->base,
                           region->base + region->bytes - 1, region->name ? ")" : "");
}

static unsigned log2_of(uint32_t power)
{
    unsigned bits = 0;
    while (power >> (bits + 1))
        bits++;
    return bits;
}

/* "leave 4 bytes unused after each 128", of offsets from the region's beginning. */
static const char *cure_text(bw_arena *arena, const bw_region *region, bw_cure_kind kind)
{
    const bw_layout *l = &region->cures[kind].layout;
    if (kind == BW_CURE_PAD)
        return bw_arena_format(arena,
                               "leave %" PRIu32 " bytes unused after each %" PRIu32
                               ", so that rows of %" PRIu32 " bytes take %" PRIu32,
                               l->extra * region->elem, l->every * region->elem,
                               l->every * region->elem, (l->every + l->extra) * region->elem);
    unsigned base = l->base + log2_of(region->elem);
    uint32_t mask = ((1u << l->bits) - 1) << base;
    const char *mix =
        l->distance > 0
            ? bw_arena_format(arena, "(offset >> %d & %" PRIu32 ")", l->distance, mask)
            : bw_arena_format(arena, "((offset & %" PRIu32 ") << %d)", mask, -l->distance);
    return bw_arena_format(arena,
                           "swizzle, offset ^ %s, which is Swizzle<%u, %u, %d> of the byte "
                           "offset",
                           mix, l->bits, base, l->distance);
}

/* The lines that ask the region, each once: "transpose.cu:16 and transpose.cu:19". */
static const char *lines_text(bw_arena *arena, const bw_report *report, const bw_region *region)
{
    const char *text = "", *names[NAMED];
    size_t count = 0, more = 0;
    for (size_t i = 0; i < report->count; i++) {
        const bw_instruction *ins = report->rows[i].access->instruction;
        if (!ins->place || !is_of(report, &report->rows[i], region))
            continue;
        const char *file = strrchr(ins->place->file, '/');
        const char *name = bw_arena_format(arena, "%s:%" PRIu32, file ? file + 1 : ins->place->file,
                                           ins->place->line);
        bool known = false;
        for (size_t k = 0; k < count; k++)
            known |= strcmp(names[k], name) == 0;
        if (!known && count < NAMED)
            names[count++] = name;
        else if (!known)
            more++;
    }
    for (size_t k = 0; k < count; k++)
        text = bw_arena_format(arena, "%s%s%s", text,
                               k == 0                    ? ""
                               : k + 1 == count && !more ? " and "
                                                         : ", ",
                               names[k]);
    return more ? bw_arena_format(arena, "%s and others", text) : text;
}

/* "0x0ee0 (kernel.cu:19): 256 excessive, neighbouring lanes 32 bytes apart"; "" past some. */
static void print_instructions(FILE *out, unsigned width, bw_arena *arena, const bw_report *report,
                               const bw_region *region)
{
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < report->count; i++) {
        const bw_report_row *row = &report->rows[i];
        uint64_t excessive = bw_counts_excessive(&row->sum);
        if (!excessive || !is_of(report, row, region))
            continue;
        if (shown == NAMED) {
            more++;
            continue;
        }
        shown++;
        item(out, width,
             bw_arena_format(arena, "%s: %" PRIu64 " excessive, %s.",
                             bw_access_where(arena, row->access), excessive,
                             stride_text(arena, row)));
    }
    if (more)
        item(out, width, bw_arena_format(arena, "And %zu more.", more));
}

static void print_cures(FILE *out, unsigned width, bw_arena *arena, const bw_region *region)
{
    const char *lead = "Cure";
    for (bw_cure_kind kind = 0; kind < BW_CURES; kind++) {
        const bw_cure *cure = &region->cures[kind];
        if (!cure->found)
            continue;
        const char *more =
            cure->growth ? bw_arena_format(arena, ", %" PRId64 " bytes more", cure->growth) : "";
        item(out, width,
             bw_arena_format(arena, "%s: %s; %" PRIu64 " of %" PRIu64 " excessive left%s.", lead,
                             cure_text(arena, region, kind), cure->excessive, region->excessive,
                             more));
        lead = "Or";
    }
    if (region->verdict == BW_REGION_PROVED)
        item(out, width,
             "No layout costs less: what is excessive is lanes that ask the same words in turn.");
    else if (region->verdict == BW_REGION_OPEN)
        item(out, width,
             "No padding and no swizzle that were tried save a tenth of that; which lanes take "
             "which elements would have to change.");
    else if (region->partial)
        item(out, width,
             "They were searched with a sample of its requests; what is left is of all.");
}

static void print_region(FILE *out, unsigned width, const bw_report *report,
                         const bw_region *region)
{
    bw_arena arena = {NULL};
    bw_print_sentence(
        out, width, 0,
        "Layout: %s, %" PRIu32 " bytes: %" PRIu64 " of %" PRIu64 " wavefronts excessive.",
        region_text(&arena, region), region->bytes, region->excessive, region->wavefronts);
    print_instructions(out, width, &arena, report, region);
    print_cures(out, width, &arena, region);
    const char *lines = lines_text(&arena, report, region);
    const char *where = *lines ? bw_arena_format(&arena, ": %s.", lines)
                               : " (-lineinfo and nvdisasm -gi tell its lines).";
    if (region->verdict == BW_REGION_CURED)
        item(out, width,
             bw_arena_format(&arena,
                             "Offsets are from 0x%04" PRIx32 "; change where the array is "
                             "declared, and every index into it%s",
                             region->base, where));
    bw_arena_finish(&arena);
}

void bw_layout_text(FILE *out, unsigned width, const bw_report *report, const bw_access *only)
{
    const bw_regions *all = report->regions;
    const bw_access *accesses;
    bw_program_accesses(report->session->program, &accesses);
    const bw_region *wanted = all && only ? bw_region_of(all, (size_t)(only - accesses)) : NULL;
    for (size_t i = 0; all && i < all->count; i++)
        if (all->regions[i].excessive && (!only || &all->regions[i] == wanted))
            print_region(out, width, report, &all->regions[i]);
    if (all && all->cut && !only)
        bw_print_sentence(out, width, 0,
                          "Layouts were searched with the first %zu different requests.",
                          BW_TRAFFIC_MAX);
}

/* ---- the document ---- */

static void put_cures(bw_node *parent, const bw_region *region)
{
    static const char *const names[] = {[BW_CURE_PAD] = "pad", [BW_CURE_SWIZZLE] = "swizzle"};
    bw_node *list = bw_put_array(parent, "cures");
    for (bw_cure_kind kind = 0; kind < BW_CURES; kind++) {
        const bw_cure *cure = &region->cures[kind];
        const bw_layout *l = &cure->layout;
        if (!cure->found)
            continue;
        bw_node *to = bw_put_object(list, NULL);
        BW_PUT(to, BW_M("kind", names[kind]), BW_M("text", cure_text(to->arena, region, kind)),
               BW_M("excessive", cure->excessive), BW_M("bytes_more", cure->growth));
        if (kind == BW_CURE_PAD)
            BW_PUT(to, BW_M("every_bytes", l->every * region->elem),
                   BW_M("pad_bytes", l->extra * region->elem));
        else
            BW_PUT(to, BW_M("bits", l->bits), BW_M("base", l->base + log2_of(region->elem)),
                   BW_M("shift", l->distance));
    }
}

static void put_instructions(bw_node *parent, const bw_report *report, const bw_region *region)
{
    bw_node *list = bw_put_array(parent, "accesses");
    for (size_t i = 0; i < report->count; i++) {
        const bw_report_row *row = &report->rows[i];
        int64_t stride;
        if (!is_of(report, row, region))
            continue;
        bw_node *to = bw_put_object(list, NULL);
        BW_PUT(to, BW_M("address", row->access->instruction->address),
               BW_M("excessive", bw_counts_excessive(&row->sum)));
        if (bw_request_stride(&row->worst, &stride))
            bw_put_integer(to, "stride_bytes", stride);
        else
            bw_put_null(to, "stride_bytes");
    }
}

void bw_layout_put(bw_node *report_document, const bw_report *report)
{
    const bw_regions *all = report->regions;
    if (!all)
        return;
    bw_node *list = bw_put_array(report_document, "layouts");
    for (size_t i = 0; i < all->count; i++) {
        const bw_region *region = &all->regions[i];
        bw_node *to = bw_put_object(list, NULL);
        if (region->name)
            bw_put_text(to, "array", region->name);
        else
            bw_put_null(to, "array");
        BW_PUT(to, BW_M("base", region->base), BW_M("bytes", region->bytes),
               BW_M("wavefronts", region->wavefronts), BW_M("excessive", region->excessive),
               BW_M("verdict", verdict_names[region->verdict]), BW_M("sampled", region->partial));
        put_instructions(to, report, region);
        put_cures(to, region);
    }
}
