/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "compare_report.h"
#include "output.h"
#include "page.h"
#include "report.h"
#include "warn.h"

/* What a run of predict writes to. */
typedef struct predictor {
    bw_writer writer;
    bw_page page; /* of --html */
    bool html;
    uint32_t worst; /* excess of the view that the page shows first */
    size_t view_count;
} predictor;

/* ---- reports, one after the other ---- */

/* The worst request of each access goes onto the page, with the totals of the access. */
static void add_views(predictor *to, const bw_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const bw_report_row *row = &report->rows[i];
        bw_view view = {.launch = report->launch,
                        .launch_index = report->launch_index,
                        .access = row->access,
                        .request = row->worst,
                        .warp = row->worst_warp,
                        .block = row->worst_block,
                        .number = row->worst_index + 1,
                        .of = row->sum.requests / report->trials};
        if (bw_cost_of(report->arch, &view.request, &view.cost) != BW_OK)
            continue; /* cannot be: it was tallied */
        uint32_t excess = view.cost.wavefronts - view.cost.ideal;
        if (excess > to->worst) {
            to->worst = excess;
            bw_page_select(&to->page, to->view_count);
        }
        bw_page_view(&to->page, &view, report, row);
        to->view_count++;
    }
}

/* A launch that fails does not hide the others. */
static bool predict_launches(predictor *to, bw_session *session)
{
    const bw_launch *launches;
    size_t count = bw_program_launches(session->program, &launches);
    bool good = true;
    bw_warner warner = {.excess = NULL};
    if (to->html)
        bw_page_file(&to->page, session);
    for (size_t i = 0; i < count; i++) {
        bw_report report;
        bool made = bw_report_make(&report, session, i);
        if (made)
            bw_warner_add(&warner, &report);
        if (!made)
            good = false;
        else if (to->html)
            add_views(to, &report);
        else
            bw_write_report(&to->writer, &report);
        bw_report_finish(&report);
    }
    bw_warner_finish(&warner, session);
    bw_session_show(session);
    return good;
}

static bw_exit predict_file(predictor *to, const char *path)
{
    bw_session session;
    bw_exit code = bw_session_open(&session, to->writer.args, path);
    if (code == BW_EXIT_DONE && !predict_launches(to, &session))
        code = BW_EXIT_USAGE;
    bw_session_close(&session);
    return code;
}

static bw_exit predict_files(predictor *to)
{
    const bw_args *args = to->writer.args;
    bw_exit code = BW_EXIT_DONE;
    if (to->html) {
        bw_page_init(&to->page, args->values[BW_OPTION_ARCH].arch);
        bw_page_title(&to->page, args->files[0]);
    }
    for (size_t i = 0; i < args->file_count; i++) {
        bw_exit one = predict_file(to, args->files[i]);
        code = one > code ? one : code;
    }
    if (to->html) {
        if (code == BW_EXIT_DONE && !to->view_count) {
            bw_complain(BW_MSG_NO_REQUEST, "leave out --html",
                        "predict: no request to shared memory was made");
            code = BW_EXIT_USAGE;
        }
        bw_page_html(&to->page, to->writer.out);
        bw_page_finish(&to->page);
    }
    bw_write_end(&to->writer);
    return code;
}

/* ---- two files side by side ---- */

static bw_exit open_side(bw_session *session, bw_side *side, bw_report **reports,
                         const bw_args *args, const char *path)
{
    const bw_launch *launches;
    bw_exit code = bw_session_open(session, args, path);
    if (code != BW_EXIT_DONE)
        return code;
    size_t count = bw_program_launches(session->program, &launches);
    *reports = bw_calloc(count, sizeof **reports);
    *side = (bw_side){session, *reports, count};
    for (size_t i = 0; i < count; i++)
        if (!bw_report_make(&(*reports)[i], session, i))
            code = BW_EXIT_USAGE;
    bw_session_show(session);
    return code;
}

static bw_exit compare_files(predictor *to)
{
    const bw_args *args = to->writer.args;
    bw_session sessions[2];
    bw_side sides[2] = {{NULL, NULL, 0}, {NULL, NULL, 0}};
    bw_report *reports[2] = {NULL, NULL};
    bw_exit code = BW_EXIT_DONE;
    for (int i = 0; i < 2; i++) {
        bw_exit one = open_side(&sessions[i], &sides[i], &reports[i], args, args->files[i]);
        code = one > code ? one : code;
    }
    if (code == BW_EXIT_DONE)
        bw_compare_report(&to->writer, sides);
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < sides[i].count; k++)
            bw_report_finish(&reports[i][k]);
        free(reports[i]);
        bw_session_close(&sessions[i]);
    }
    return code;
}

/* ---- the command ---- */

static bool is_consistent(const bw_args *args)
{
    const bw_value *values = args->values;
    if (values[BW_OPTION_COMPARE].given && args->file_count != 2)
        bw_complain(BW_MSG_FILE_COUNT, "predict --compare A.pat B.pat",
                    "--compare takes two files");
    else if (values[BW_OPTION_COMPARE].given && values[BW_OPTION_HTML].given)
        bw_complain(BW_MSG_OPTION_CONFLICT, "leave one of them out", "--compare with --html");
    else if (values[BW_OPTION_COMPARE].given && values[BW_OPTION_METRICS].given)
        bw_complain(BW_MSG_OPTION_CONFLICT, "leave one of them out", "--compare with --metrics");
    else if (values[BW_OPTION_METRICS].given && !bw_has_profiler(values[BW_OPTION_ARCH].arch))
        bw_complain(BW_MSG_NO_COUNTERS, "Nsight Compute runs on sm_70 and later",
                    "--metrics: no counters are known of %s", values[BW_OPTION_ARCH].arch->name);
    else if (values[BW_OPTION_HTML].given && values[BW_OPTION_FORMAT].given)
        bw_complain(BW_MSG_OPTION_CONFLICT, "leave one of them out", "--format with --html");
    else
        return true;
    return false;
}

bw_exit bw_run_predict(const bw_args *args)
{
    bw_output output;
    if (!is_consistent(args) || !bw_output_open(&output, args))
        return BW_EXIT_USAGE;
    predictor to = {.writer = {.out = output.file,
                               .args = args,
                               .width = output.width,
                               .colour = output.colour},
                    .html = args->values[BW_OPTION_HTML].given};
    bool compared = args->values[BW_OPTION_COMPARE].given;
    bw_exit code = compared ? compare_files(&to) : predict_files(&to);
    bool whole = output.path != NULL || to.html || compared; /* a part would be of no use */
    return bw_output_close(&output, !(whole && code >= BW_EXIT_USAGE), code);
}
