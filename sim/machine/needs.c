/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where unknown values come from, what needed them, and errors at instructions.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "state.h"

uint32_t bw_origin_add(bw_machine *m, bw_machine_origin origin)
{
    BW_GROW(m->origins, m->origin_count, m->origin_capacity);
    m->origins[m->origin_count] = origin;
    return m->origin_count++;
}

static bool same_place(const bw_machine_origin *a, const bw_machine_origin *b)
{
    return a->kind == b->kind && a->ins == b->ins && a->has_address == b->has_address &&
           bw_machine_pointer_index(a->address) == bw_machine_pointer_index(b->address);
}

/* One entry for each instruction, kind and pointer: the latest is the likeliest. */
static uint32_t remember(bw_machine *m, bw_machine_origin origin)
{
    uint32_t latest = m->ins_origin[origin.ins];
    if (latest && same_place(&m->origins[latest], &origin))
        return latest;
    for (uint32_t k = 1; k < m->origin_count; k++)
        if (same_place(&m->origins[k], &origin))
            return m->ins_origin[origin.ins] = k;
    return m->ins_origin[origin.ins] = bw_origin_add(m, origin);
}

uint32_t bw_origin_made(bw_machine *m, bw_machine_from kind, uint32_t ins)
{
    return remember(m, (bw_machine_origin){.kind = kind, .ins = ins});
}

uint32_t bw_origin_load(bw_machine *m, uint32_t ins, bool has_address, uint64_t address)
{
    return remember(m, (bw_machine_origin){.kind = BW_MACHINE_FROM_LOAD,
                                           .ins = ins,
                                           .has_address = has_address,
                                           .address = has_address ? address : 0});
}

void bw_need_add(bw_machine *m, bw_machine_need_kind kind, uint32_t ins, uint32_t origin)
{
    bw_machine_result *r = m->result;
    const bw_machine_origin *from = &m->origins[origin];
    for (size_t k = 0; k < r->need_count; k++) {
        bw_machine_need *need = &r->needs[k];
        bool equal = need->origin.kind == from->kind && need->origin.ins == from->ins &&
                     need->origin.bank == from->bank && need->origin.offset == from->offset &&
                     need->origin.address == from->address;
        if (need->kind == kind && need->ins == ins && equal) {
            need->count++;
            return;
        }
    }
    size_t count = r->need_count;
    if ((count & (count - 1)) == 0)
        r->needs = bw_realloc(r->needs, sizeof *r->needs * (count ? 2 * count : 1));
    r->needs[r->need_count++] =
        (bw_machine_need){.kind = kind, .ins = ins, .origin = *from, .count = 1};
}

bool bw_fail(bw_machine *m, bw_message_id id, uint32_t ins, const char *note, const char *format,
             ...)
{
    if (m->exploring) { /* the values are not the program's: nothing is wrong with it */
        m->stopped = true;
        return false;
    }
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const bw_sass_ins *shown = &m->function->ins[ins < m->code.count ? ins : m->code.count - 1];
    bw_diagnostic *d = bw_diagnose(m->diags, id, m->sass->source, shown->span, "%s", text);
    if (note)
        bw_note(m->diags, d, "%s", note);
    m->failed = true;
    return false;
}
