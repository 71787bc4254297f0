/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "warn.h"

#include <stdlib.h>
#include <string.h>

#include "index.h"
#include "mistakes.h"

static bool is_same(const bw_access *a, const bw_access *b)
{
    return a->span.offset == b->span.offset && a->span.len == b->span.len && a->op == b->op;
}

static uint32_t hash_of(const bw_access *access)
{
    return bw_hash_number(bw_hash_number(access->op, access->span.offset), access->span.len);
}

void bw_warner_add(bw_warner *warner, const bw_report *report)
{
    const bw_access *accesses;
    size_t count = bw_program_accesses(report->session->program, &accesses);
    if (count > warner->count) {
        warner->excess = bw_realloc(warner->excess, count * sizeof *warner->excess);
        memset(warner->excess + warner->count, 0, (count - warner->count) * sizeof *warner->excess);
        warner->count = count;
    }
    bw_arena arena = {NULL};
    bw_index index = {.count = 0};
    for (size_t k = 0; k < count; k++)
        bw_index_add(&arena, &index, hash_of(&accesses[k]), (uint32_t)k);
    for (size_t i = 0; i < report->count; i++) {
        const bw_report_row *row = &report->rows[i];
        size_t at = 0;
        for (uint32_t k; (k = bw_index_next(&index, hash_of(row->access), &at)) != BW_NO_ROW;)
            if (is_same(&accesses[k], row->access))
                warner->excess[k] += bw_counts_excessive(&row->sum);
    }
    bw_arena_finish(&arena);
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
