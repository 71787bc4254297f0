/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "findings.h"
#include "output.h"
#include "plain.h"
#include "report.h"
#include "warn.h"
#include "wording.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One file while its expectations are held against its launches. */
typedef struct check {
    bw_session *session;
    bw_report *reports; /* one a launch */
    size_t count;
    bw_findings *findings;
    bw_arena arena; /* texts of this file */
    bw_output *output;
} check;

/* ---- what was found on a line ---- */

/* Least and largest value over the trials. */
typedef struct range {
    uint64_t least, most;
} range;

static bool speaks_of(const check *file, const bw_expect *expect, const bw_access *access)
{
    return bw_program_expects_of(file->session->program, expect, access);
}

/* The value of one trial: counts add up over the accesses of the line, the degree is the worst. */
static uint64_t trial_value(const check *file, const bw_report *report, const bw_expect *expect,
                            unsigned trial)
{
    uint64_t value = 0;
    for (size_t i = 0; i < report->count; i++) {
        const bw_sample *sample = &report->rows[i].samples[trial];
        if (!speaks_of(file, expect, report->rows[i].access))
            continue;
        switch (expect->kind) {
        case BW_EXPECT_DEGREE:
        case BW_EXPECT_CONFLICT_FREE:
            value = sample->degree > value ? sample->degree : value;
            break;
        case BW_EXPECT_WAVEFRONTS: value += sample->wavefronts; break;
        case BW_EXPECT_EXCESSIVE: value += sample->excessive; break;
        case BW_EXPECT_CYCLES: value += sample->cycles; break;
        }
    }
    return value;
}

static range line_range(const check *file, const bw_report *report, const bw_expect *expect)
{
    range found = {UINT64_MAX, 0};
    for (unsigned trial = 0; trial < report->trials; trial++) {
        uint64_t value = trial_value(file, report, expect, trial);
        found.least = value < found.least ? value : found.least;
        found.most = value > found.most ? value : found.most;
    }
    return found;
}

static bool has_line(const check *file, const bw_report *report, const bw_expect *expect)
{
    for (size_t i = 0; i < report->count; i++)
        if (speaks_of(file, expect, report->rows[i].access))
            return true;
    return false;
}

/* ---- words ---- */

static const char *value_text(bw_arena *arena, bw_expect_kind kind, uint64_t value)
{
    switch (kind) {
    case BW_EXPECT_WAVEFRONTS: return bw_words_count(arena, value, "wavefront");
    case BW_EXPECT_EXCESSIVE: return bw_arena_format(arena, "%" PRIu64 " excessive", value);
    case BW_EXPECT_CYCLES: return bw_words_count(arena, value, "cycle");
    default: return bw_arena_format(arena, "%" PRIu64 "-way", value);
    }
}

static const char *found_text(bw_arena *arena, const bw_report *report, bw_expect_kind kind,
                              range found)
{
    const char *least = value_text(arena, kind, found.least);
    if (found.least == found.most)
        return least;
    return bw_arena_format(arena, "%s to %s in %u trials", least,
                           value_text(arena, kind, found.most), report->trials);
}

/* "in launch 2 of 3 (transpose)", where there is more than one. */
static const char *where_text(bw_arena *arena, const bw_report *report)
{
    const char *kernel = report->launch->kernel;
    if (report->launch_count < 2)
        return "";
    return bw_arena_format(arena, " in launch %zu of %zu%s%s%s", report->launch_index + 1,
                           report->launch_count, kernel ? " (" : "", kernel ? kernel : "",
                           kernel ? ")" : "");
}

/* ---- findings ---- */

/* Shows a finding as it is made, with its source line, where the format is text. */
static void add_finding(check *file, bw_message_id id, bw_span span, const bw_report *report,
                        const char *expected, const char *found, const char *message)
{
    const bw_source *source = &file->session->input.source;
    const bw_args *args = file->session->args;
    bw_finding_add(file->findings, id, source, span, report ? report->launch->kernel : NULL,
                   expected, found, message);
    if (args->values[BW_OPTION_FORMAT].number != BW_FORMAT_TEXT)
        return;
    bw_diags shown = {.count = 0};
    bw_diagnose(&shown, id, source, span, "%s", message);
    bw_diags_print(&shown, file->output->file, file->output->colour);
    bw_diags_finish(&shown);
}

static bool is_met(const bw_expect *expect, range found)
{
    uint64_t wanted = expect->kind == BW_EXPECT_CONFLICT_FREE ? 1 : expect->value;
    return found.least == wanted && found.most == wanted;
}

static const char *expected_text(check *file, const bw_expect *expect)
{
    return expect->kind == BW_EXPECT_CONFLICT_FREE
               ? "conflict-free"
               : value_text(&file->arena, expect->kind, expect->value);
}

/* Holds an expectation against one launch; true where it is met. */
static bool check_launch(check *file, const bw_expect *expect, const bw_report *report)
{
    range found = line_range(file, report, expect);
    if (is_met(expect, found))
        return true;
    const char *expected = expected_text(file, expect),
               *text = found_text(&file->arena, report, expect->kind, found);
    add_finding(file, BW_MSG_EXPECTATION, expect->span, report, expected, text,
                bw_arena_format(&file->arena, "expected %s, found %s%s", expected, text,
                                where_text(&file->arena, report)));
    return false;
}

static const char *case_name(check *file, const bw_expect *expect)
{
    return bw_arena_format(&file->arena, "line %u: %s",
                           bw_source_place(&file->session->input.source, expect->span.offset).line,
                           expected_text(file, expect));
}

/* An expectation holds in every launch that comes by its line, and one must. */
static void check_expect(check *file, const bw_expect *expect)
{
    size_t number = bw_case_begin(file->findings, case_name(file, expect));
    bool touched = false, met = true;
    for (size_t i = 0; i < file->count; i++) {
        if (!has_line(file, &file->reports[i], expect))
            continue;
        touched = true;
        met &= check_launch(file, expect, &file->reports[i]);
    }
    if (!touched)
        add_finding(file, BW_MSG_NO_ACCESS, expect->span, NULL, "a shared-memory access", "none",
                    "nothing on this line read or wrote shared memory");
    file->findings->failed += !touched || !met;
    bw_case_end(file->findings, number);
}

static void check_access(check *file, const bw_report *report, const bw_report_row *row,
                         uint32_t most)
{
    const char *expected = bw_arena_format(&file->arena, "at most %" PRIu32 "-way", most);
    const char *where = where_text(&file->arena, report);
    size_t number =
        bw_case_begin(file->findings,
                      bw_arena_format(&file->arena, "line %u: %s %s%s", row->access->line,
                                      bw_access_text(&file->arena, row->access), expected, where));
    file->findings->accesses++;
    if (row->degree > most) {
        file->findings->above++;
        const char *found = value_text(&file->arena, BW_EXPECT_DEGREE, row->degree);
        add_finding(file, BW_MSG_DEGREE_GATE, row->access->span, report, expected, found,
                    bw_arena_format(&file->arena, "%s is %s, above %" PRIu32 "-way%s",
                                    bw_access_text(&file->arena, row->access), found, most, where));
    }
    bw_case_end(file->findings, number);
}

static void check_gate(check *file, uint32_t most)
{
    for (size_t i = 0; i < file->count; i++)
        for (size_t j = 0; j < file->reports[i].count; j++)
            check_access(file, &file->reports[i], &file->reports[i].rows[j], most);
}

/* ---- files ---- */

static bool make_reports(check *file)
{
    const bw_launch *launches;
    file->count = bw_program_launches(file->session->program, &launches);
    file->reports = bw_calloc(file->count, sizeof *file->reports);
    bool good = true;
    bw_warner warner = {.excess = NULL};
    for (size_t i = 0; i < file->count; i++)
        if (bw_report_make(&file->reports[i], file->session, i))
            bw_warner_add(&warner, &file->reports[i]);
        else
            good = false;
    bw_warner_finish(&warner, file->session);
    bw_finding_add_warnings(file->findings, file->session->args, &file->session->diags);
    bw_session_show(file->session);
    return good;
}

static void check_pattern(check *file)
{
    const bw_expect *expects;
    const bw_args *args = file->session->args;
    size_t count = bw_program_expects(file->session->program, &expects);
    for (size_t i = 0; i < count; i++)
        check_expect(file, &expects[i]);
    file->findings->files++;
    file->findings->expectations += count;
    file->findings->bare += count == 0;
    if (args->values[BW_OPTION_FAIL_ABOVE].given)
        check_gate(file, (uint32_t)args->values[BW_OPTION_FAIL_ABOVE].number);
    else if (count == 0 && !args->values[BW_OPTION_QUIET].given)
        bw_say(stderr,
               "%s: no expectations: nothing was checked\n"
               "note: one is a comment on the line of an access: // expect: 2-way\n",
               file->session->input.source.name);
}

/* An error of the input is in the output of builds, too. */
static void hear_error(void *context, bw_message_id id, const bw_source *source, bw_span span,
                       const char *message)
{
    bw_findings *findings = context;
    const char *file =
        findings->suite_count ? findings->suites[findings->suite_count - 1].file : "";
    bw_finding_add_error(findings, id, file, source, span, message);
}

static bw_exit check_file(bw_findings *findings, bw_output *output, const bw_args *args,
                          const char *path)
{
    bw_session session;
    check file = {.session = &session, .findings = findings, .output = output};
    bw_suite_begin(findings, strcmp(path, "-") == 0 ? "<stdin>" : path);
    bw_exit code = bw_session_open(&session, args, path);
    if (code == BW_EXIT_DONE && !make_reports(&file))
        code = BW_EXIT_USAGE;
    if (code == BW_EXIT_DONE)
        check_pattern(&file);
    for (size_t i = 0; i < file.count; i++)
        bw_report_finish(&file.reports[i]);
    free(file.reports);
    bw_arena_finish(&file.arena);
    bw_session_close(&session);
    return code;
}

/* A check that held nothing against anything must not pass for a good one. */
static void check_nothing(bw_findings *findings, const bw_args *args)
{
    if (findings->expectations || args->values[BW_OPTION_FAIL_ABOVE].given || !findings->files)
        return;
    bw_suite_begin(findings, args->files[0]);
    size_t number = bw_case_begin(findings, "something is checked");
    bw_source nowhere = {args->files[0], "", 0, NULL};
    bw_finding_add(findings, BW_MSG_NOTHING_TO_CHECK, &nowhere, (bw_span){0, 0}, NULL,
                   "an expectation", "none", "no file has an expectation, and no gate was given");
    bw_case_end(findings, number);
}

/* Whether the form has a place for errors: then it is written all the same. */
static bool tells_errors(const bw_args *args)
{
    bw_format format = (bw_format)args->values[BW_OPTION_FORMAT].number;
    return format == BW_FORMAT_GITHUB || format == BW_FORMAT_SARIF || format == BW_FORMAT_JUNIT;
}

bw_exit bw_run_check(const bw_args *args)
{
    bw_output output;
    bw_findings findings = {.count = 0};
    bw_exit code = BW_EXIT_DONE;
    if (!bw_output_open(&output, args))
        return BW_EXIT_USAGE;
    const bw_listener listener = {&findings, hear_error};
    bw_listen(&listener);
    for (size_t i = 0; i < args->file_count; i++) {
        bw_exit one = check_file(&findings, &output, args, args->files[i]);
        code = one > code ? one : code;
    }
    bw_listen(NULL);
    check_nothing(&findings, args);
    bw_findings_write(&findings, args, output.file);
    if (code == BW_EXIT_DONE && findings.count > findings.warnings)
        code = BW_EXIT_FINDING;
    bw_findings_finish(&findings);
    bool to_file = output.path != NULL;
    return bw_output_close(&output, !to_file || code < BW_EXIT_USAGE || tells_errors(args), code);
}
