/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "instructions.h"

#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "output.h"
#include "profiled.h"

static const char *const names[] = {
    [BW_INS_EQUAL] = "EQUAL",       [BW_INS_CONTROL] = "CONTROL",
    [BW_INS_OVER] = "OVER",         [BW_INS_UNDER] = "UNDER",
    [BW_INS_PAGE] = "PAGE",         [BW_INS_SOURCES] = "SOURCES",
    [BW_INS_UNPRICED] = "UNPRICED", [BW_INS_UNMEASURED] = "UNMEASURED",
};
_Static_assert(sizeof names / sizeof *names == BW_INS_VERDICTS, "a name for each");

static const char *const texts[] = {
    [BW_INS_EQUAL] = NULL,
    [BW_INS_CONTROL] = "CONTROL: executed or thread counts differ, and what follows from them.",
    [BW_INS_OVER] = "OVER: more wavefronts are predicted than the report has.",
    [BW_INS_UNDER] = "UNDER: fewer wavefronts are predicted than the report has.",
    [BW_INS_PAGE] =
        "PAGE: the Source page's arithmetic for such requests is not known, and differs "
        "from the hardware's counter; the counter is what is predicted. No finding.",
    [BW_INS_SOURCES] = "SOURCES: what such a copy takes depends on its addresses in global memory "
                       "too, which are not known here. No finding.",
    [BW_INS_UNPRICED] = "UNPRICED: no rule is measured for such requests. No finding.",
    [BW_INS_UNMEASURED] = "UNMEASURED: the report has no number for the instruction.",
};
_Static_assert(sizeof texts / sizeof *texts == BW_INS_VERDICTS, "a text for each");

const char *bw_ins_verdict_name(bw_ins_verdict verdict)
{
    return names[verdict];
}

const char *bw_ins_verdict_text(bw_ins_verdict verdict)
{
    return texts[verdict];
}

bool bw_ins_is_finding(bw_ins_verdict verdict)
{
    return verdict == BW_INS_CONTROL || verdict == BW_INS_OVER || verdict == BW_INS_UNDER;
}

/* ---- verdicts ---- */

static bool is_known(uint64_t count)
{
    return count != UINT64_MAX;
}

static const bw_report_row *row_of(const bw_report *report, const bw_instruction *ins)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->rows[i].access->instruction == ins)
            return &report->rows[i];
    return NULL;
}

static bw_ins_verdict verdict_of(const bw_ins_row *row, const bw_report_row *from)
{
    const bw_instruction *ins = row->ins;
    const bw_profiled_counts *p = &ins->profiled;
    if (!is_known(p->executed) || (row->asks && !is_known(p->wavefronts)))
        return BW_INS_UNMEASURED;
    if (ins->executed != p->executed || (is_known(p->threads) && ins->threads != p->threads))
        return BW_INS_CONTROL;
    if (!row->asks || row->wavefronts == p->wavefronts)
        return BW_INS_EQUAL;
    if (ins->unpriced)
        return BW_INS_UNPRICED;
    if (from && (from->sum.at_least || from->sum.unplaced))
        return BW_INS_SOURCES;
    if (from && from->sum.ncu_inexact)
        return BW_INS_PAGE;
    return row->wavefronts > p->wavefronts ? BW_INS_OVER : BW_INS_UNDER;
}

static void compare_one(bw_ins_kernel *k, bw_ins_row *row, const bw_instruction *ins)
{
    const bw_report_row *from = row_of(&k->report, ins);
    const bw_profiled_counts *p = &ins->profiled;
    *row = (bw_ins_row){.ins = ins};
    if (from) {
        row->wavefronts = from->sum.ncu_sass_wavefronts;
        row->ideal = from->sum.ncu_sass_ideal;
        row->counter = from->sum.ncu_wavefronts;
    }
    row->asks = from || ins->unpriced || (is_known(p->wavefronts) && p->wavefronts);
    row->verdict = verdict_of(row, from);
    k->executed_equal += ins->executed == p->executed;
    k->threads_equal += ins->threads == p->threads;
    k->asking += row->asks;
    k->wavefronts_equal += row->asks && row->wavefronts == p->wavefronts;
    k->ideal_equal += row->asks && row->ideal == p->ideal;
    k->findings += bw_ins_is_finding(row->verdict);
    k->apart += row->verdict >= BW_INS_PAGE;
}

static void compare_rows(bw_ins_kernel *k)
{
    const bw_instruction *all;
    k->count = bw_program_instructions(k->session.program, &all);
    k->rows = bw_calloc(k->count + 1, sizeof *k->rows);
    for (size_t i = 0; i < k->count; i++)
        compare_one(k, &k->rows[i], &all[i]);
    k->exact = !k->findings && !k->apart;
}

/* ---- running ---- */

static bool run_kernel(bw_ins_comparison *all, bw_ins_kernel *k, bw_launch_choice choice)
{
    const bw_source *s = &all->input.source;
    k->session = (bw_session){.args = all->args,
                              .defines = all->args->defines,
                              .define_count = all->args->define_count,
                              .choice = &choice};
    bw_input_set(&k->session.input, s->name, all->input.path, s->text, s->len);
    k->ran = bw_session_parse(&k->session) && bw_report_make(&k->report, &k->session, 0);
    k->session.choice = NULL;
    bw_session_show(&k->session);
    if (k->ran)
        compare_rows(k);
    return k->ran;
}

static bool is_chosen(const bw_ins_comparison *all, const char *const *kernels, size_t count,
                      size_t index, bool *good)
{
    const char *part = all->args->values[BW_OPTION_KERNEL].text;
    bw_diags diags = {.count = 0};
    if (!part)
        return true;
    long found = bw_kernel_find(&all->input.source, part, &diags);
    *good = found >= 0;
    if (found < 0 && index == 0)
        bw_diags_show(&diags, stderr, bw_stderr_colour(all->args));
    bw_diags_finish(&diags);
    return found >= 0 && (size_t)found < count && strcmp(kernels[found], kernels[index]) == 0;
}

bw_exit bw_ins_compare(bw_ins_comparison *all)
{
    bw_diags diags = {.count = 0};
    const char **kernels;
    size_t count = bw_kernel_list(&all->input.source, &all->arena, &kernels, &diags);
    bw_profile profile;
    bool good = count > 0, findings = false;
    bw_diags_show(&diags, stderr, bw_stderr_colour(all->args));
    bw_diags_finish(&diags);
    bw_profiled_launches(&profile, &all->input.source);
    all->kernels = bw_calloc(count + 1, sizeof *all->kernels);
    for (size_t i = 0; i < count; i++) {
        bool found = true;
        if (!is_chosen(all, kernels, count, i, &found)) {
            good &= found;
            continue;
        }
        bw_ins_kernel *k = &all->kernels[all->count++];
        k->name = kernels[i];
        good &= run_kernel(all, k, bw_profiled_choice(&profile, kernels, i));
        findings |= k->findings > 0;
    }
    bw_profile_finish(&profile);
    return !good ? BW_EXIT_USAGE : findings ? BW_EXIT_FINDING : BW_EXIT_DONE;
}

void bw_ins_finish(bw_ins_comparison *all)
{
    for (size_t i = 0; i < all->count; i++) {
        if (all->kernels[i].ran)
            bw_report_finish(&all->kernels[i].report);
        free(all->kernels[i].rows);
        bw_session_close(&all->kernels[i].session);
    }
    free(all->kernels);
    bw_input_finish(&all->input);
    bw_arena_finish(&all->arena);
}
