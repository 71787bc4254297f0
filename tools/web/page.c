/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "picture.h"
#include "web.h"
#include "wording.h"

void bw_page_init(bw_page *page, const bw_arch *arch)
{
    *page = (bw_page){.document = json_object(), .arch = arch};
    page->files = json_array();
    page->views = json_array();
    json_object_set_new(page->document, "schema", json_string("bankwise.schedule/1"));
    json_object_set_new(page->document, "arch", json_string(arch->name));
    json_object_set_new(page->document, "files", page->files);
    json_object_set_new(page->document, "selected", json_integer(0));
    json_object_set_new(page->document, "views", page->views);
}

void bw_page_finish(bw_page *page)
{
    json_decref(page->document);
    page->document = NULL;
}

static void set_number(json_t *object, const char *name, uint64_t number)
{
    json_object_set_new(object, name, json_integer((json_int_t)number));
}

static void set_text(json_t *object, const char *name, const char *text)
{
    json_object_set_new(object, name, bw_json_text(text));
}

void bw_page_file(bw_page *page, const bw_session *session)
{
    json_t *file = json_object();
    bw_arena arena = {NULL};
    const bw_source *source = &session->input.source;
    set_text(file, "name", source->name);
    set_text(file, "title", bw_program_title(session->program));
    set_text(file, "text", bw_arena_copy(&arena, source->text, source->len));
    json_array_append_new(page->files, file);
    bw_arena_finish(&arena);
}

void bw_page_select(bw_page *page, size_t view)
{
    set_number(page->document, "selected", view);
}

void bw_page_dropped(bw_page *page, uint64_t requests)
{
    if (requests)
        set_number(page->document, "dropped", requests);
}

void bw_page_title(bw_page *page, const char *title)
{
    set_text(page->document, "title", title);
}

/* ---- one request ---- */

/* [bank, word, mask of lanes] of each busy cell. */
static json_t *wave_of(const bw_picture *picture, const bw_wavefront *wave)
{
    json_t *cells = json_array();
    for (unsigned bank = 0; bank < BW_LANES; bank += picture->span)
        if (wave->bank_lanes[bank])
            json_array_append_new(cells,
                                  json_pack("[i,I,I]", (int)bank, (json_int_t)wave->bank_word[bank],
                                            (json_int_t)wave->bank_lanes[bank]));
    return cells;
}

static json_t *sections_of(const bw_picture *picture, bw_arena *arena)
{
    json_t *sections = json_array();
    for (size_t i = 0; i < picture->section_count; i++) {
        const bw_section *s = &picture->sections[i];
        json_t *waves = json_array();
        for (size_t k = s->first; k < s->first + s->count; k++)
            json_array_append_new(waves, wave_of(picture, &picture->waves[k]));
        json_array_append_new(sections, json_pack("{s:o,s:o}", "title",
                                                  bw_json_text(bw_section_title(picture, arena, i)),
                                                  "waves", waves));
    }
    return sections;
}

static json_t *sharings_of(const bw_picture *picture, bw_arena *arena)
{
    json_t *list = json_array();
    for (size_t i = 0; i < picture->sharing_count; i++)
        json_array_append_new(list,
                              json_pack("{s:s,s:I,s:o}", "letter", picture->sharings[i].letter,
                                        "lanes", (json_int_t)picture->sharings[i].lanes, "text",
                                        bw_json_text(bw_sharing_text(picture, arena, i))));
    return list;
}

static json_t *addresses_of(const bw_request *request)
{
    json_t *list = json_array();
    uint32_t lanes = bw_request_lanes(request);
    for (unsigned i = 0; i < BW_LANES; i++)
        json_array_append_new(list, lanes >> i & 1 ? json_integer((json_int_t)request->addr[i])
                                                   : json_null());
    return list;
}

static void set_picture(json_t *object, const bw_arch *arch, const bw_view *view)
{
    bw_arena arena = {NULL};
    bw_picture picture;
    bw_status status = bw_picture_make(&picture, &arena, arch, &view->request);
    if (status == BW_OK) {
        json_t *sentences = json_array();
        for (const char *const *at = bw_explain(&picture, &arena); *at; at++)
            json_array_append_new(sentences, bw_json_text(*at));
        set_number(object, "span", picture.span);
        set_number(object, "merged", picture.cost.merged);
        json_object_set_new(object, "sections", sections_of(&picture, &arena));
        json_object_set_new(object, "sharings", sharings_of(&picture, &arena));
        json_object_set_new(object, "sentences", sentences);
    } else {
        json_object_set_new(object, "sections", json_array());
        json_object_set_new(object, "sharings", json_array());
        const char *why = bw_arena_format(
            &arena, "On %s this has a cost, but the order of its wavefronts is not modelled.",
            arch->name);
        json_object_set_new(object, "sentences", json_pack("[o]", bw_json_text(why)));
        set_number(object, "span", 1);
        set_number(object, "merged", 0);
    }
    bw_arena_finish(&arena);
}

static void set_totals(json_t *object, const bw_report *report, const bw_report_row *row)
{
    json_t *totals = json_object();
    json_object_set_new(totals, "requests", json_real(bw_report_mean(report, row->sum.requests)));
    json_object_set_new(totals, "wavefronts",
                        json_real(bw_report_mean(report, row->sum.wavefronts)));
    json_object_set_new(totals, "ideal", json_real(bw_report_mean(report, row->sum.ideal)));
    json_object_set_new(totals, "excessive",
                        json_real(bw_report_mean(report, bw_counts_excessive(&row->sum))));
    json_object_set_new(object, "totals", totals);
}

void bw_page_view(bw_page *page, const bw_view *view, const bw_report *report,
                  const bw_report_row *row)
{
    bw_arena arena = {NULL};
    json_t *object = json_object();
    set_number(object, "file", json_array_size(page->files) - 1);
    set_number(object, "line", view->access->line);
    set_number(object, "column", view->access->column);
    set_number(object, "offset", view->access->span.offset);
    set_number(object, "length", view->access->span.len);
    set_text(object, "source", view->access->source);
    set_text(object, "kernel", view->launch->kernel);
    set_number(object, "launch", view->launch_index + 1);
    set_text(object, "op", bw_op_get(view->request.op)->name);
    set_number(object, "bytes", bw_op_get(view->request.op)->bytes);
    set_text(object, "place", bw_view_place(view, &arena));
    set_number(object, "warp", view->warp);
    set_number(object, "block", view->block);
    set_number(object, "request", view->number);
    set_number(object, "requests", view->of);
    set_number(object, "wavefronts", view->cost.wavefronts);
    set_number(object, "ideal", view->cost.ideal);
    set_number(object, "cycles", view->cost.cycles);
    set_number(object, "degree", view->cost.degree);
    set_text(object, "basis", bw_basis_name(view->cost.basis));
    json_object_set_new(object, "addresses", addresses_of(&view->request));
    set_picture(object, page->arch, view);
    if (row)
        set_totals(object, report, row);
    json_array_append_new(page->views, object);
    bw_arena_finish(&arena);
}

/* ---- writing ---- */

void bw_page_json(const bw_page *page, FILE *out)
{
    json_dumpf(page->document, out, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    fputc('\n', out);
}

/* Within a script element no text may look like its end; in JSON '<' only occurs in strings. */
static void write_data(const bw_page *page, FILE *out)
{
    char *text = json_dumps(page->document, JSON_COMPACT | JSON_REAL_PRECISION(12));
    if (!text)
        bw_out_of_memory();
    for (const char *p = text; *p; p++)
        if (*p == '<')
            fputs("\\u003c", out);
        else
            fputc(*p, out);
    free(text);
}

void bw_page_html(const bw_page *page, FILE *out)
{
    const char *title = json_string_value(json_object_get(page->document, "title"));
    title = title ? title : "bankwise";
    fwrite(web_before_title, 1, sizeof web_before_title, out);
    bw_markup_text(out, title, strlen(title));
    fwrite(web_before_data, 1, sizeof web_before_data, out);
    write_data(page, out);
    fwrite(web_after_data, 1, sizeof web_after_data, out);
}
