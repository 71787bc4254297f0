/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page.h"

#include <string.h>

#include "explain.h"
#include "picture.h"
#include "web.h"
#include "wording.h"

void bw_page_init(bw_page *page, const bw_arch *arch)
{
    *page = (bw_page){.arch = arch};
    page->files = bw_node_array(&page->arena);
    page->views = bw_node_array(&page->arena);
}

void bw_page_finish(bw_page *page)
{
    bw_arena_finish(&page->arena);
}

void bw_page_file(bw_page *page, const bw_session *session)
{
    const bw_source *source = &session->input.source;
    bw_node *to = bw_put_object(page->files, NULL);
    BW_PUT(to, BW_M("name", source->name), BW_M("title", bw_program_title(session->program)),
           BW_M("text", source->text));
}

void bw_page_select(bw_page *page, size_t view)
{
    page->selected = view;
}

void bw_page_dropped(bw_page *page, uint64_t requests)
{
    page->dropped = requests;
}

void bw_page_title(bw_page *page, const char *title)
{
    page->title = bw_text_mended(&page->arena, title);
}

/* ---- one request ---- */

/* [bank, word, mask of lanes] of each busy cell. */
static void put_wave(bw_node *parent, const bw_picture *picture, const bw_wavefront *wave)
{
    bw_node *cells = bw_put_array(parent, NULL);
    for (unsigned bank = 0; bank < BW_LANES; bank += picture->span) {
        if (!wave->bank_lanes[bank])
            continue;
        bw_node *cell = bw_put_array(cells, NULL);
        bw_put_integer(cell, NULL, bank);
        bw_put_integer(cell, NULL, wave->bank_word[bank]);
        bw_put_integer(cell, NULL, wave->bank_lanes[bank]);
    }
}

static void put_sections(bw_node *parent, const bw_picture *picture, bw_arena *arena)
{
    bw_node *sections = bw_put_array(parent, "sections");
    for (size_t i = 0; i < picture->section_count; i++) {
        const bw_section *s = &picture->sections[i];
        bw_node *to = bw_put_object(sections, NULL);
        bw_put_text(to, "title", bw_section_title(picture, arena, i));
        bw_node *waves = bw_put_array(to, "waves");
        for (size_t k = s->first; k < s->first + s->count; k++)
            put_wave(waves, picture, &picture->waves[k]);
    }
}

static void put_sharings(bw_node *parent, const bw_picture *picture, bw_arena *arena)
{
    bw_node *list = bw_put_array(parent, "sharings");
    for (size_t i = 0; i < picture->sharing_count; i++) {
        bw_node *to = bw_put_object(list, NULL);
        BW_PUT(to, BW_M("letter", picture->sharings[i].letter),
               BW_M("lanes", picture->sharings[i].lanes),
               BW_M("text", bw_sharing_text(picture, arena, i)));
    }
}

static void put_picture(bw_node *to, const bw_arch *arch, const bw_view *view)
{
    bw_arena arena = {NULL};
    bw_picture picture;
    bw_status status = bw_picture_make(&picture, &arena, arch, &view->request);
    if (status == BW_OK) {
        BW_PUT(to, BW_M("span", picture.span), BW_M("merged", (int)picture.cost.merged));
        put_sections(to, &picture, &arena);
        put_sharings(to, &picture, &arena);
        bw_node *sentences = bw_put_array(to, "sentences");
        for (const char *const *at = bw_explain(&picture, &arena); *at; at++)
            bw_put_text(sentences, NULL, *at);
    } else {
        bw_put_array(to, "sections");
        bw_put_array(to, "sharings");
        bw_put_text(bw_put_array(to, "sentences"), NULL,
                    bw_arena_format(
                        &arena,
                        "On %s this has a cost, but the order of its wavefronts is not modelled.",
                        arch->name));
        BW_PUT(to, BW_M("span", 1), BW_M("merged", 0));
    }
    bw_arena_finish(&arena);
}

static void put_totals(bw_node *parent, const bw_report *report, const bw_report_row *row)
{
    bw_node *to = bw_put_object(parent, "totals");
    BW_PUT(to, BW_M("requests", bw_report_mean(report, row->sum.requests)),
           BW_M("wavefronts", bw_report_mean(report, row->sum.wavefronts)),
           BW_M("ideal", bw_report_mean(report, row->sum.ideal)),
           BW_M("excessive", bw_report_mean(report, bw_counts_excessive(&row->sum))));
}

void bw_page_view(bw_page *page, const bw_view *view, const bw_report *report,
                  const bw_report_row *row)
{
    const bw_op_info *op = bw_op_get(view->request.op);
    bw_node *to = bw_put_object(page->views, NULL);
    BW_PUT(to, BW_M("file", page->files->count - 1), BW_M("line", view->access->line),
           BW_M("column", view->access->column), BW_M("offset", view->access->span.offset),
           BW_M("length", view->access->span.len),
           BW_M("source", bw_access_text(to->arena, view->access)),
           BW_M("kernel", view->launch->kernel), BW_M("launch", view->launch_index + 1),
           BW_M("op", op->name), BW_M("bytes", op->bytes),
           BW_M("place", bw_view_place(view, to->arena)), BW_M("warp", view->warp),
           BW_M("block", view->block), BW_M("request", view->number), BW_M("requests", view->of),
           BW_M("wavefronts", view->cost.wavefronts), BW_M("ideal", view->cost.ideal),
           BW_M("cycles", view->cost.cycles), BW_M("degree", view->cost.degree),
           BW_M("basis", bw_basis_name(view->cost.basis)));
    bw_put_addresses(to, "addresses", &view->request);
    put_picture(to, page->arch, view);
    if (row)
        put_totals(to, report, row);
}

/* ---- writing ---- */

static void write_data(const bw_page *page, FILE *out, bw_json_style style)
{
    bw_arena arena = {NULL};
    bw_node *document = bw_node_object(&arena);
    BW_PUT(document, BW_M("schema", "bankwise.schedule/1"), BW_M("arch", page->arch->name));
    bw_put_node(document, "files", page->files);
    bw_put_integer(document, "selected", (int64_t)page->selected);
    bw_put_node(document, "views", page->views);
    if (page->title)
        bw_put_text(document, "title", page->title);
    if (page->dropped)
        bw_put_integer(document, "dropped", (int64_t)page->dropped);
    bw_node_json(document, out, style);
    bw_arena_finish(&arena);
}

void bw_page_json(const bw_page *page, FILE *out)
{
    write_data(page, out, BW_JSON_NARROW);
}

void bw_page_html(const bw_page *page, FILE *out)
{
    const char *title = page->title ? page->title : "bankwise";
    fwrite(web_before_title, 1, sizeof web_before_title, out);
    bw_markup_text(out, title, strlen(title));
    fwrite(web_before_data, 1, sizeof web_before_data, out);
    write_data(page, out, BW_JSON_SCRIPT);
    fwrite(web_after_data, 1, sizeof web_after_data, out);
}
