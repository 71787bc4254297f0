/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output.h"
#include "report.h"

/* One report of the run in the format that was asked for. */
static void write_report(bw_writer *writer, const bw_report *report)
{
    switch ((bw_format)writer->args->values[BW_OPTION_FORMAT].number) {
    case BW_FORMAT_JSON: bw_json_report(writer, report); break;
    case BW_FORMAT_CSV: bw_csv_report(writer, report); break;
    default: bw_text_report(writer, report); break;
    }
}

/* A launch that fails does not hide the others. */
static bool predict_launches(bw_writer *writer, bw_session *session)
{
    const bw_launch *launches;
    size_t count = bw_pattern_launches(session->pattern, &launches);
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        bw_report report;
        if (bw_report_make(&report, session, i))
            write_report(writer, &report);
        else
            good = false;
        bw_report_finish(&report);
    }
    bw_session_show(session);
    return good;
}

static bw_exit predict_file(bw_writer *writer, const char *path)
{
    bw_session session;
    bw_exit code = bw_session_open(&session, writer->args, path);
    if (code == BW_EXIT_DONE && !predict_launches(writer, &session))
        code = BW_EXIT_USAGE;
    bw_session_close(&session);
    return code;
}

bw_exit bw_run_predict(const bw_args *args)
{
    bw_output output;
    if (!bw_output_open(&output, args))
        return BW_EXIT_USAGE;
    bw_writer writer = {
        .out = output.file, .args = args, .width = output.width, .colour = output.colour};
    bw_exit code = BW_EXIT_DONE;
    for (size_t i = 0; i < args->file_count; i++) {
        bw_exit one = predict_file(&writer, args->files[i]);
        code = one > code ? one : code;
    }
    if (args->values[BW_OPTION_FORMAT].number == BW_FORMAT_JSON && writer.written)
        bw_json_end(&writer);
    bool to_file = output.path != NULL;
    return bw_output_close(&output, !(to_file && code >= BW_EXIT_USAGE), code);
}
