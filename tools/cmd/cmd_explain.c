/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "explain.h"
#include "layout_report.h"
#include "machine_report.h"
#include "output.h"
#include "page.h"
#include "picture.h"
#include "report.h"
#include "view.h"
#include "wording.h"
#include "wrap.h"

/* What one explanation is made with. */
typedef struct explainer {
    const bw_args *args;
    bw_output *output;
    bw_session *session;
    bw_views views;
    bw_arena arena;
} explainer;

static bool is_given(const explainer *to, bw_option_id option)
{
    return to->args->values[option].given;
}

static const bw_arch *arch_of(const explainer *to)
{
    return to->session->program->arch;
}

static bool make_picture(explainer *to, const bw_view *view, bw_picture *picture)
{
    const bw_arch *arch = arch_of(to);
    bw_status status = bw_picture_make(picture, &to->arena, arch, &view->request);
    if (status != BW_OK)
        bw_complain(BW_MSG_NO_ORDER,
                    "choose another architecture with --arch; predict shows the costs",
                    "explain: %s on %s has a cost, but its order is not modelled",
                    bw_op_get(view->request.op)->name, arch->name);
    return status == BW_OK;
}

/* ---- text ---- */

static const char *launch_text(explainer *to, const bw_view *view)
{
    const bw_launch *launches;
    size_t count = bw_program_launches(to->session->program, &launches);
    if (!view->launch->kernel)
        return bw_input_is_stream(&to->session->input) ? "request stream" : "script";
    if (count == 1)
        return bw_arena_format(&to->arena, "kernel %s", view->launch->kernel);
    return bw_arena_format(&to->arena, "kernel %s (launch %zu of %zu)", view->launch->kernel,
                           view->launch_index + 1, count);
}

/* An access whose line does not fit. */
static void print_source(explainer *to, const char *source)
{
    size_t length = strlen(source), room = to->output->width - 5;
    while (length > room && ((unsigned char)source[room] & 0xC0) == 0x80)
        room--; /* not within a character */
    fprintf(to->output->file, "\n  %.*s%s\n", (int)(length > room ? room : length), source,
            length > room ? "..." : "");
}

static void print_head(explainer *to, const bw_view *view)
{
    const bw_output *out = to->output;
    const char *source = to->session->input.source.name;
    const char *made = bw_access_identity(&to->arena, view->access);
    bw_print_strong(
        out->file, out->colour,
        bw_arena_format(&to->arena, "%s:%s: %s, %" PRIu32 "-way, %s", source,
                        bw_access_label(&to->arena, view->access),
                        bw_op_get(view->request.op)->name, view->cost.degree,
                        bw_words_count(&to->arena, view->cost.wavefronts, "wavefront")));
    fputc('\n', out->file);
    bw_print_wrapped(out->file, out->width, 2,
                     bw_arena_format(&to->arena, "%s, %s%s%s", launch_text(to, view),
                                     bw_view_place(view, &to->arena), made ? "; " : "",
                                     made ? made : ""));
    if (!bw_text_access(out->file, &to->session->input.source, view->access, out->width))
        print_source(to, bw_access_text(&to->arena, view->access));
    fputc('\n', out->file);
}

/* How to read the picture, for those who see one for the first time. */
static void print_key(explainer *to, const bw_picture *picture)
{
    const char *one = picture->span == 1
                          ? "a number is the lane that the bank serves"
                          : bw_arena_format(&to->arena, "<n> is lane n at %u banks", picture->span);
    const char *grid =
        bw_picture_text_key(picture, to->output->width, is_given(to, BW_OPTION_WHOLE));
    bw_print_wrapped(to->output->file, to->output->width, 0,
                     bw_arena_format(&to->arena, "%s; %s%s, a dot an idle bank.", grid, one,
                                     picture->sharing_count
                                         ? ", a letter several lanes that share a word"
                                         : ""));
    fputc('\n', to->output->file);
}

static bool explain_text(explainer *to, const bw_view *view)
{
    FILE *out = to->output->file;
    bool quiet = is_given(to, BW_OPTION_QUIET);
    bw_picture picture;
    if (!make_picture(to, view, &picture))
        return false;
    print_head(to, view);
    if (!quiet)
        print_key(to, &picture);
    bw_picture_text(&picture, out, to->output->width, to->output->colour,
                    is_given(to, BW_OPTION_WHOLE));
    if (quiet)
        return true;
    fputc('\n', out);
    for (const char *const *at = bw_explain(&picture, &to->arena); *at; at++)
        bw_print_wrapped(out, to->output->width, 2, *at);
    return true;
}

static bool explain_texts(explainer *to, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++) {
        if (i > from)
            fputc('\n', to->output->file);
        if (!explain_text(to, &to->views.items[i]))
            return false;
    }
    if (to->views.dropped && !is_given(to, BW_OPTION_QUIET))
        fprintf(to->output->file,
                "\n%" PRIu64 " requests beyond the first %d different ones of an "
                "access are not shown.\n",
                to->views.dropped, BW_VIEWS_MAX);
    return true;
}

/* ---- SVG, HTML, JSON, CSV ---- */

static bool explain_svg(explainer *to, const bw_view *view)
{
    bw_picture picture;
    if (!make_picture(to, view, &picture))
        return false;
    size_t length;
    const char *line = bw_source_line(&to->session->input.source, view->access->line, &length);
    while (length && (*line == ' ' || *line == '\t')) {
        line++;
        length--;
    }
    length = bw_text_code_length(line, length, 0);
    bw_caption caption = {
        .title = bw_arena_format(&to->arena, "%s:%u: %s, %" PRIu32 "-way, %s",
                                 to->session->input.source.name, view->access->line,
                                 bw_op_get(view->request.op)->name, view->cost.degree,
                                 bw_words_count(&to->arena, view->cost.wavefronts, "wavefront")),
        .source = bw_arena_copy(&to->arena, line, length),
        .sentences = bw_explain(&picture, &to->arena),
    };
    bw_picture_svg(&picture, to->output->file, &caption, is_given(to, BW_OPTION_WHOLE));
    return true;
}

static void explain_page(explainer *to, size_t from, size_t end, size_t selected)
{
    bw_page page;
    bw_page_init(&page, arch_of(to));
    bw_page_title(&page, to->session->input.source.name);
    bw_page_file(&page, to->session);
    for (size_t i = from; i < end; i++)
        bw_page_view(&page, &to->views.items[i], NULL, NULL);
    bw_page_select(&page, selected - from);
    bw_page_dropped(&page, to->views.dropped);
    if (is_given(to, BW_OPTION_HTML))
        bw_page_html(&page, to->output->file);
    else
        bw_page_json(&page, to->output->file);
    bw_page_finish(&page);
}

static const bw_field columns[] = {BW_ABOVE("file"), BW_ABOVE("line"),    BW_ABOVE("op"),
                                   BW_ABOVE("warp"), BW_ABOVE("request"), BW_SAME("wavefront"),
                                   BW_SAME("phase"), BW_SAME("round"),    BW_SAME("pass"),
                                   BW_SAME("bank"),  BW_SAME("word"),     BW_SAME("lanes")};
#define COLUMNS (sizeof columns / sizeof *columns)

/* One row a busy bank of a wavefront. */
static void put_banks(bw_node *rows, const bw_wavefront *wave)
{
    for (unsigned bank = 0; bank < BW_LANES; bank++) {
        if (!wave->bank_lanes[bank])
            continue;
        bw_node *to = bw_put_object(rows, NULL);
        BW_PUT(to, BW_M("wavefront", wave->index + 1), BW_M("phase", wave->phase + 1),
               BW_M("round", wave->round + 1), BW_M("pass", wave->pass), BW_M("bank", bank),
               BW_M("word", wave->bank_word[bank]),
               BW_M("lanes", bw_arena_format(to->arena, "%08" PRIx32, wave->bank_lanes[bank])));
    }
}

static bool explain_csv(explainer *to, size_t from, size_t end)
{
    bw_csv_header(columns, COLUMNS, to->output->file);
    for (size_t i = from; i < end; i++) {
        const bw_view *view = &to->views.items[i];
        bw_arena arena = {NULL};
        bw_picture picture;
        if (!make_picture(to, view, &picture))
            return false;
        bw_node *outer = bw_node_object(&arena), *rows = bw_node_array(&arena);
        BW_PUT(outer, BW_M("file", to->session->input.source.name),
               BW_M("line", view->access->line), BW_M("op", bw_op_get(view->request.op)->name),
               BW_M("warp", view->warp), BW_M("request", view->number));
        for (size_t w = 0; w < picture.wave_count; w++)
            put_banks(rows, &picture.waves[w]);
        bw_csv_rows(columns, COLUMNS, rows, outer, to->output->file);
        bw_arena_finish(&arena);
    }
    return true;
}

/* ---- the command ---- */

/* Nothing passed the filter: says what there is instead. */
static void complain_empty(explainer *to)
{
    const bw_value *values = to->args->values;
    const bw_access *accesses;
    const char *lines = "";
    size_t count = bw_program_accesses(to->session->program, &accesses);
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t j = 0; j < i; j++)
            known |= accesses[j].line == accesses[i].line;
        if (!known)
            lines = bw_arena_format(&to->arena, "%s%s%s", lines, *lines ? ", " : "",
                                    bw_access_label(&to->arena, &accesses[i]));
    }
    if (!count)
        bw_complain(BW_MSG_NO_REQUEST, NULL, "explain: no request to shared memory was made");
    else if (!to->views.requests)
        bw_complain(BW_MSG_NOTHING_SELECTED,
                    bw_arena_format(&to->arena, "there are accesses on these lines: %s", lines),
                    "explain: no access on line %s", values[BW_OPTION_LINE].text);
    else if (values[BW_OPTION_WARP].given && values[BW_OPTION_WARP].number > to->views.last_warp)
        bw_complain(BW_MSG_NOTHING_SELECTED,
                    bw_arena_format(&to->arena, "warps 0 to %" PRIu32 " make requests there",
                                    to->views.last_warp),
                    "explain: no request of warp %s", values[BW_OPTION_WARP].text);
    else
        bw_complain(BW_MSG_NOTHING_SELECTED,
                    bw_arena_format(&to->arena, "no access makes more than %" PRIu64,
                                    to->views.last_request),
                    "explain: no request %s", values[BW_OPTION_REQUEST].text);
}

/* Of machine code, whose arrays have no names: what would cure the layout that the access asks. */
static void explain_layout(explainer *to, const bw_view *view)
{
    bw_report report;
    if (!view->access->instruction || to->args->values[BW_OPTION_QUIET].given ||
        !bw_report_make(&report, to->session, view->launch_index))
        return;
    fputc('\n', to->output->file);
    bw_layout_text(to->output->file, to->output->width, &report, view->access);
    bw_report_finish(&report);
}

static bool show(explainer *to)
{
    bool several = is_given(to, BW_OPTION_ALL) || is_given(to, BW_OPTION_LINE);
    size_t worst = bw_views_worst(&to->views);
    size_t from = several ? 0 : worst, end = several ? to->views.count : worst + 1;
    if (is_given(to, BW_OPTION_SVG))
        return explain_svg(to, &to->views.items[worst]);
    if (is_given(to, BW_OPTION_HTML)) { /* there one can switch, so all are of use */
        explain_page(to, 0, to->views.count, worst);
        return true;
    }
    switch ((bw_format)to->args->values[BW_OPTION_FORMAT].number) {
    case BW_FORMAT_JSON: explain_page(to, from, end, worst); return true;
    case BW_FORMAT_CSV: return explain_csv(to, from, end);
    default:
        if (!explain_texts(to, from, end))
            return false;
        explain_layout(to, &to->views.items[worst]);
        return true;
    }
}

static bw_exit explain_session(explainer *to)
{
    const bw_value *values = to->args->values;
    bw_view_filter filter = {
        .line = bw_session_line(to->session),
        .has_warp = values[BW_OPTION_WARP].given,
        .warp = (uint32_t)values[BW_OPTION_WARP].number,
        .number = values[BW_OPTION_REQUEST].number,
        .all = values[BW_OPTION_ALL].given,
    };
    bool good = bw_views_pick(&to->views, to->session, &filter);
    bw_session_show(to->session);
    if (good && !to->views.count) {
        complain_empty(to);
        good = false;
    }
    good = good && show(to);
    bw_views_finish(&to->views);
    return good ? BW_EXIT_DONE : BW_EXIT_USAGE;
}

/* Options that contradict each other. */
static bool is_consistent(const bw_args *args)
{
    const bw_value *values = args->values;
    if (values[BW_OPTION_SVG].given && values[BW_OPTION_HTML].given)
        bw_complain(BW_MSG_OPTION_CONFLICT, "run explain twice",
                    "--svg and --html are two results");
    else if ((values[BW_OPTION_SVG].given || values[BW_OPTION_HTML].given) &&
             values[BW_OPTION_FORMAT].given)
        bw_complain(BW_MSG_OPTION_CONFLICT, "leave one of them out", "--format with %s",
                    values[BW_OPTION_SVG].given ? "--svg" : "--html");
    else if (values[BW_OPTION_SVG].given && values[BW_OPTION_ALL].given)
        bw_complain(BW_MSG_OPTION_CONFLICT, "choose one with --request, or use --html",
                    "an SVG shows one request");
    else
        return true;
    return false;
}

bw_exit bw_run_explain(const bw_args *args)
{
    bw_output output;
    bw_session session;
    if (!is_consistent(args) || !bw_output_open(&output, args))
        return BW_EXIT_USAGE;
    bw_exit code = bw_session_open(&session, args, args->files[0]);
    if (code == BW_EXIT_DONE) {
        explainer to = {.args = args, .output = &output, .session = &session};
        code = explain_session(&to);
        bw_arena_finish(&to.arena);
    }
    bw_session_close(&session);
    return bw_output_close(&output, code == BW_EXIT_DONE, code);
}
