/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "warn.h"

#include <stdlib.h>
#include <string.h>

#include "mistakes.h"

void bw_warner_add(bw_warner *warner, const bw_report *report)
{
    const bw_access *accesses;
    size_t count = bw_program_accesses(report->session->program, &accesses);
    if (count > warner->count) {
        warner->excess = bw_realloc(warner->excess, count * sizeof *warner->excess);
        memset(warner->excess + warner->count, 0, (count - warner->count) * sizeof *warner->excess);
        warner->count = count;
    }
    for (size_t i = 0; i < report->count; i++) {
        const bw_report_row *row = &report->rows[i];
        for (size_t k = 0; k < count; k++)
            if (accesses[k].span.offset == row->access->span.offset &&
                accesses[k].span.len == row->access->span.len && accesses[k].op == row->access->op)
                warner->excess[k] += bw_counts_excessive(&row->sum);
    }
}

static bool any_on(const bw_args *args)
{
    bw_message_id id;
    for (size_t i = 0; (id = bw_mistake_at(i)) != BW_MSG_COUNT; i++)
        if (bw_warning_is_on(args, id))
            return true;
    return false;
}

void bw_warner_finish(bw_warner *warner, bw_session *session)
{
    bw_pattern_options options = bw_session_options(session);
    if (any_on(session->args))
        bw_find_mistakes(session->program, &session->input.source, &options, warner->excess,
                         warner->count, &session->diags);
    free(warner->excess);
    *warner = (bw_warner){.excess = NULL};
}
